#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test tally export --format otlp: read the files with an independent decoder, and compare them with the output of
report --format otlp, with the Parquet tables of the same recordings, and with the decoder of protoc.

usage: export_otlp.py TALLY FIXTURES

TALLY_OTLP_PROTO is a directory with the .proto files of opentelemetry-proto (a checkout of its repository). They are
not in a package of Debian or npm, so a test that needs them is skipped without it.
"""
import collections
import glob
import os
import re
import resource
import struct
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import failing  # noqa: E402
import fixtures  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from otlp import Otlp  # noqa: E402

TALLY = steps.tally()
WORK = tap.workplace("otlp")
HOSTNAME, CLOCK_DATA = 3, 29
MIDNIGHT = 19675 * 86400 * 10**9  # of 2023-11-14
PROTO = os.environ.get("TALLY_OTLP_PROTO", "")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def export(folder, *words, status=0, **options):
    return tap.run(TALLY, "export", "--format", "otlp", "-o", folder, *words, status=status, **options)


def files(folder):
    """Return the paths of all files in a directory, relative to it."""
    return sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names)


def only_file(folder):
    [name] = files(folder)
    return Otlp(read(os.path.join(folder, name)))


def recording(name, host="web1", samples=3, seconds=60, period=0, comm="busy!", **attr):
    """Write a recording. Its clock started at MIDNIGHT."""
    features = {HOSTNAME: crafted.padded(host), CLOCK_DATA: struct.pack("<IIQQ", 1, 1, MIDNIGHT, 0)}
    records = [crafted.comm(1, comm), crafted.mmap(1, 0x1000, 0x1000, "/bin/one"),
               *(crafted.sample(0x1000 + i, time=i + 1 + seconds * 10**9, period=period or i + 1) for i in range(samples))]
    return crafted.write(WORK, name, crafted.file_bytes(records, features=features, **attr))


def sums(file):
    """Return each stack's weight and number of samples, with addresses instead of names, and the attributes of samples."""
    found = collections.Counter()
    for profile in file.profiles:
        for sample in profile["samples"]:
            addresses = tuple(file.location(one)["address"] for one in file.dictionary["stacks"][sample["stack"]]["locations"])
            key = (profile["sample_type"], addresses, *sorted(map(str, sample["attributes"].items())))
            found[key, "weight"] += sum(sample["values"])
            found[key, "times"] += len(sample["times"])
    return found


# ---- contents ------------------------------------------------------------------------------------

def check_recording(path, folder):
    """Check a recording, and return the number of its samples."""
    tables = folder + "-tables"
    done, other = export(folder, path, status=None), tap.run(TALLY, "export", "-o", tables, path)
    tap.same((done.returncode, [os.path.splitext(name)[0] for name in files(folder)]),
             (other.returncode, [name.split("/", 1)[1].rpartition(".")[0] for name in files(tables) if name.startswith("samples/")]), path)
    for name in files(folder):
        file = Otlp(read(os.path.join(folder, name)))
        want = tap.run(TALLY, "report", "-i", path, "--format", "otlp", text=False).stdout
        if want:
            tap.same(sums(file), sums(Otlp(want)), path)
        for number, profile in enumerate(file.profiles):
            assert profile["profile_id"][:8].hex() == re.search(r"([0-9a-f]{16})\.otlp$", name)[1], name
            assert number == 0 or profile["profile_id"] != file.profiles[number - 1]["profile_id"], number
        return sum(len(sample["values"]) for profile in file.profiles for sample in profile["samples"])
    return 0


def test_samples_are_those_of_report_and_names_those_of_tables(folder):
    samples = sum(check_recording(path, os.path.join(folder, str(number)))
                  for number, path in enumerate(tap.some(fixtures.sets(sys.argv[2], "")[0].files(), 9)))
    assert samples > (0 if tap.QUICK else 100), samples


def test_times_weights_and_attributes(folder):
    export(folder, recording("a"))
    tap.same([name.rpartition("/")[0] for name in files(folder)], ["date=2023-11-14/host=web1"], "directory")
    file = only_file(folder)
    tap.same(file.resource, {"tally.recording": "a", "host.name": "web1"}, "resource")
    [profile] = file.profiles
    start = MIDNIGHT + 60 * 10**9 + 1
    tap.same((profile["time"], profile["duration"], profile["attributes"]), (start, 3, {"tally.clock": "recorded"}), "profile")
    tap.same(sorted((sample["times"], sample["values"]) for sample in profile["samples"]), [([start + i], [i + 1]) for i in range(3)], "samples")
    before = read(os.path.join(folder, files(folder)[0]))
    export(folder, recording("a"))
    tap.same(read(os.path.join(folder, files(folder)[0])), before, "the same file again")


def test_labels_are_attributes_of_the_resource(folder):
    path = recording("a")
    export(folder, path, "--label", "service.name=shop=1", "--label", "host.name=other", "--label", "odd=\x01\n\udcff")
    tap.same(only_file(folder).resource, {"tally.recording": "a", "service.name": "shop=1", "host.name": "other", "odd": "\\x01\\n\\xff"}, "labels")
    renamed = folder + "-host"
    export(renamed, path, "--host", "db 7")
    tap.same((files(renamed)[0].split("/")[1], only_file(renamed).resource["host.name"]), ("host=db%207", "db 7"), "--host")
    assert "'label' is not KEY=VALUE" in export(folder, path, "--label", "label", status=129).stderr


def test_hostile_names(folder):
    for number, host in enumerate(("../../etc", "a/b=c", "..", "x" * 300, "\x1b[2J")):
        where = os.path.join(folder, str(number))
        export(where, recording("a", host=host, comm=b"\x1b]0;x\x07\xff"))
        [name] = files(where)
        assert re.fullmatch(r"date=2023-11-14/host=[\w.%-]+/[0-9a-f]{16}\.otlp", name), name
        [profile] = only_file(where).profiles
        tap.same({sample["attributes"]["thread.name"] for sample in profile["samples"]}, {"\\x1b]0;x\\x07\\xff"}, "comm")


def test_one_file_for_each_recording(folder):
    done = export(folder, recording("a"), recording("b", seconds=61), recording("c", host="web2"))
    assert re.search(r"wrote 9 samples of 3 recordings to .* \(0\.00\d MB\)", done.stderr), done.stderr
    tap.same(collections.Counter(name.rpartition("/")[0] for name in files(folder)),
             {"date=2023-11-14/host=web1": 2, "date=2023-11-14/host=web2": 1}, "files")
    assert not export(folder, "-q", recording("a")).stderr


def test_without_times(folder):
    export(folder, crafted.write(WORK, "timeless", crafted.file_bytes([crafted.record(9, crafted.u64(0x1000))] * 3,
                                                                       attrs=[crafted.attr(sample_type=1)])))
    [profile] = only_file(folder).profiles
    tap.same([(sample["values"], sample["times"]) for sample in profile["samples"]], [([3], [])], "a sum")


def test_no_samples(folder):
    export(folder, recording("none", samples=0))
    tap.same([profile["samples"] for profile in only_file(folder).profiles], [[]], "samples")


# ---- errors --------------------------------------------------------------------------------------

def test_errors(folder):
    path = recording("a")
    assert "'--unresolved' cannot be combined with --format otlp" in export(folder, path, "--unresolved", status=129).stderr
    assert "is not a directory" in export(path, path, status=129).stderr
    export(folder, os.path.join(WORK, "missing"), status=1)
    tap.same(files(folder), [], "left over")
    export(folder, path, os.path.join(WORK, "missing"), status=1)
    tap.same(len(files(folder)), 1, "the first file is complete")


def test_copy_of_a_recording_is_skipped(folder):
    path = recording("a")
    done = export(folder, path, path)
    assert "a: skipped: the same recording as one before it" in done.stderr and "wrote 3 samples of 1 recording " in done.stderr, done.stderr
    tap.same(sum(len(sample["values"]) for sample in only_file(folder).profiles[0]["samples"]), 3, "samples")


def test_damaged_recording(folder):
    path = recording("cut", samples=50)
    with open(path, "rb+") as file:
        file.truncate(os.path.getsize(path) - 700)
    done, text = export(folder, path, status=None), tap.run(TALLY, "script", "-i", path)
    assert done.returncode == text.returncode, (done.stderr, text.stderr)
    [profile] = only_file(folder).profiles
    tap.same(sum(len(sample["values"]) for sample in profile["samples"]), text.stdout.count("one"), "samples")


def test_full_disk(folder):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    done = export(folder, recording("a"), status=1, preexec_fn=limit)
    assert "cannot write" in done.stderr and "File too large" in done.stderr, done.stderr
    tap.same(files(folder), [], "left over")


@tap.full
def test_out_of_memory_is_no_success(folder):
    allocations, path = failing.Allocations(WORK), recording("a")
    command = [TALLY, "export", "--format", "otlp", "-o", folder, path]
    tap.run(*command, status=0)
    [name] = files(folder)
    want, failed = read(os.path.join(folder, name)), 0
    for at in range(1, allocations.count(*command) + 1):
        os.unlink(os.path.join(folder, name))
        run = allocations.run(*command, at=at)
        assert run.returncode >= 0, (at, run.returncode, run.stderr)
        if run.returncode == 0:
            tap.same(read(os.path.join(folder, name)), want, at)
        else:
            failed += 1
            tap.same(files(folder), [], (at, run.stderr))
            export(folder, path)
    assert failed > 3, failed


def test_mutated_recordings(folder):
    """Whatever a recording contains, the file is valid."""
    written = 0
    for number, data in enumerate(fixtures.mutants(fixtures.sets(sys.argv[2], "/nonexistent")[0], 20 if tap.QUICK else 400, 11)):
        where = os.path.join(folder, str(number))
        done = export(where, "-q", crafted.write(WORK, "mutated", data), status=None, errors="replace")
        assert done.returncode in (0, 1), (number, done.returncode, done.stderr)
        assert files(where) or done.returncode == 1, f"{number}: no file"
        written += len([only_file(where)] if files(where) else ())
    assert written > 5, written


# ---- protoc --------------------------------------------------------------------------------------

def protoc(data, *options):
    return subprocess.run(["protoc", *options], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=tap.PATIENCE)


def need_proto():
    machine.need_tool("protoc", "--version")
    if not os.path.isdir(os.path.join(PROTO, "opentelemetry")):
        raise tap.Skip("TALLY_OTLP_PROTO is not a directory with the .proto files of OpenTelemetry")


@tap.full
def test_protoc_reads_the_encoding(folder):
    machine.need_tool("protoc", "--version")
    export(folder, recording("a", samples=300))
    run = protoc(read(os.path.join(folder, files(folder)[0])), "--decode_raw")
    assert run.returncode == 0 and b'"tally.recording"' in run.stdout, run.stderr


@tap.full
def test_protoc_reads_the_messages(folder):
    """Decode the files as stored data and as requests to a collector."""
    need_proto()
    for number, path in enumerate([recording("a", samples=300), *fixtures.sets(sys.argv[2], "")[0].files()]):
        where = os.path.join(folder, str(number))
        export(where, path, status=None)
        for name in glob.glob(os.path.join(glob.escape(where), "*/*/*.otlp")):
            data = read(name)
            file = Otlp(data)
            for message, source in (("profiles.v1development.ProfilesData", "profiles/v1development/profiles.proto"),
                                    ("collector.profiles.v1development.ExportProfilesServiceRequest",
                                     "collector/profiles/v1development/profiles_service.proto")):
                source = os.path.join(PROTO, "opentelemetry/proto", source)
                run = protoc(data, "-I", PROTO, f"--decode=opentelemetry.proto.{message}", source)
                assert run.returncode == 0, run.stderr
                text = run.stdout.decode()
                assert not re.search(r"^ *\d+[: ]", text, re.M), "unknown fields"
                for field, nr in (("samples", sum(len(profile["samples"]) for profile in file.profiles)),
                                  ("timestamps_unix_nano", sum(len(sample["times"]) for profile in file.profiles for sample in profile["samples"])),
                                  ("string_table", len(file.dictionary["strings"])), ("stack_table", len(file.dictionary["stacks"]))):
                    tap.same(len(re.findall(rf"^ *{field}(?::| {{)", text, re.M)), nr, (path, field))
                again = protoc(run.stdout, "-I", PROTO, f"--encode=opentelemetry.proto.{message}", source)
                tap.same(Otlp(again.stdout).dictionary, file.dictionary, path)


tap.main(__name__)
