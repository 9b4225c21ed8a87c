#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test recordings that are read without the recorded files: embedded symbols, tally archive, and redaction.

usage: travel.py TALLY FIXTURES
"""
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
FIXTURES = sys.argv[2]
PERF = shutil.which("perf")
STORED_NAMES = 224
WORK = tap.workplace("travel")
ROOT = os.path.join(WORK, "root")
# Symbols come only from the recording or from explicitly named files.
os.environ["PERF_BUILDID_DIR"] = os.path.join(WORK, "none")
os.environ["TALLY_INDEX"] = "off"

SOURCE = """
#include <stdlib.h>
volatile unsigned long sum;
__attribute__((noinline)) static void innermost_secret(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i;
}
__attribute__((noinline)) void walks_down(int depth)
{
	if (depth)
		walks_down(depth - 1);
	else
		innermost_secret(300000);
	sum++;
}
int main(int argc, char **argv)
{
	int rounds = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 400;

	for (int i = 0; i < rounds; i++)
		walks_down(i % 7);
	return 0;
}
"""
SHOWN = (["report", "--stdio"], ["report", "--json"], ["report", "--stdio", "--header", "--no-children", "-s", "sym,dso"],
         ["report", "--stdio", "-s", "srcline,sym"], ["script"], ["script", "-F", "+symoff,+srcline"])


def program():
    """Build a program with frame pointers. The name of its directory is a secret."""
    return steps.build(os.path.join(WORK, "secretdir", "secretprog"), SOURCE, "-O1", "-g", "-fno-omit-frame-pointer",
                       "-fno-optimize-sibling-calls", once=True)


def record(name, *options, tool=TALLY, words=()):
    return steps.record(os.path.join(WORK, name), "-q", "-e", "cpu-clock", "-F", "2000", *options, "--", program(), *words,
                        tool=tool)


def root():
    """Create a root directory that contains only tally and its libraries."""
    if os.geteuid():
        raise tap.Skip("needs root, for chroot")
    if not os.path.exists(ROOT):
        os.makedirs(ROOT + "/data")
        needed = re.findall(r"(/\S+)", subprocess.run(["ldd", TALLY], capture_output=True, text=True, check=True).stdout)
        for file in needed:
            os.makedirs(ROOT + os.path.dirname(file), exist_ok=True)
            shutil.copy(os.path.realpath(file), ROOT + file)
        shutil.copy(TALLY, ROOT + "/tally")
    return ROOT


def there(path, words):
    """Run tally in the other root on a copy of a recording at the same path, and return the result."""
    place = root() + path
    os.makedirs(os.path.dirname(place), exist_ok=True)
    shutil.copy2(path, place)
    # Without /proc, a sanitizer cannot read its options, and prints a warning.
    done = tap.run("chroot", root(), "/tally", *words, "-i", path)
    assert "ERROR: AddressSanitizer" not in done.stderr, done.stderr
    done.stderr = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("=="))
    return done


def same_there(path, what):
    for words in SHOWN:
        here = tap.run(TALLY, *words, "-i", path)
        assert not here.returncode and len(here.stdout) > 300, (what, words, here.stderr)
        far = there(path, words)
        tap.same(far.stdout, here.stdout, f"{what}: {' '.join(words)}")
        tap.same(far.stderr, here.stderr, f"{what}: {' '.join(words)}: stderr")


def sections(path):
    """Return the bytes of the header, the records, and each feature."""
    with open(path, "rb") as file:
        data = file.read()
    start, size = struct.unpack_from("<QQ", data, 40)
    parts = {"header": data[:72], "records": data[104:start + size]}
    at = start + size
    for bit in range(256):
        if data[72 + bit // 8] >> bit % 8 & 1:
            offset, length = struct.unpack_from("<QQ", data, at)
            parts[bit] = data[offset:offset + length]
            at += 16
    # This section has no feature bit: see docs/internals/embedded-symbols-format.md.
    if data[at:at + 16] == b"tally:unlisted:1":
        offset, length = struct.unpack_from("<QQ", data, at + 16)
        parts[STORED_NAMES] = data[offset:offset + length]
    return parts


# ---- embedded symbols --------------------------------------------------------------------


@tap.full
def test_report_is_the_same_without_the_files():
    """Check that the report is byte-for-byte identical without the files."""
    for name, options in (("plain", []), ("chains", ["-g"]), ("dwarf", ["--call-graph", "dwarf"]), ("squeezed", ["-z", "-g"]),
                          ("data", ["-g", "-d"]), ("no-ids", ["-B", "-g"])):
        path = record(name + ".data", *options)
        assert "innermost_secret" in there(path, ["report", "--stdio"]).stdout, name
        same_there(path, name)


def test_no_symbols_omits_embedded_symbols():
    """Check that --no-symbols omits embedded symbols."""
    path = record("bare.data", "-g", "--no-symbols")
    assert STORED_NAMES not in sections(path)
    assert "innermost_secret" in tap.run(TALLY, "report", "--stdio", "-i", path, status=0).stdout
    assert "innermost_secret" not in there(path, ["report", "--stdio"]).stdout


def test_stripped_programs_have_the_same_report():
    """Check that a stripped program's report, without the files, has the same function starts and the same reason for
    missing symbols."""
    whole = program()
    strip = shutil.which("strip")
    if not strip:
        raise tap.Skip("no strip")
    shutil.copy(whole, whole + ".whole")
    try:
        subprocess.run([strip, whole], check=True)
        path = record("stripped.data", "-g")
        same_there(path, "stripped")
        assert "fn@" in there(path, ["report", "--stdio"]).stdout
    finally:
        os.replace(whole + ".whole", whole)


def test_a_rebuilt_program_does_not_change_the_report():
    """Check that rebuilding a program after the recording does not change the report, but that files specified by the
    user do."""
    path = record("moment.data", "-g")
    before = tap.run(TALLY, "report", "--stdio", "-i", path, status=0).stdout
    assert "innermost_secret" in before, before
    whole = program()
    os.rename(whole, whole + ".away")
    try:
        tap.same(tap.run(TALLY, "report", "--stdio", "-i", path, status=0).stdout, before, "without the program")
        named = tap.run(TALLY, "report", "--stdio", "--symfs", WORK + "/nothing", "-i", path, status=0).stdout
        assert "innermost_secret" not in named and "secretprog" in named, named
    finally:
        os.rename(whole + ".away", whole)


def test_embedded_symbols_are_small():
    """Check that embedded symbols are only a small part of the file."""
    rounds = 400
    while True:  # the kernel may have lowered the sample rate
        parts = sections(record("long.data", "-g", words=[rounds]))
        if len(parts["records"]) > 60000 or rounds > 100000:
            break
        rounds *= 2
    assert 0 < len(parts[STORED_NAMES]) < len(parts["records"]) / 8, \
        (len(parts[STORED_NAMES]), len(parts["records"]))
    print(f"# {len(parts[STORED_NAMES])} bytes of names, {len(parts['records'])} of records")


def test_damaged_symbols_are_not_used():
    """Check that damaged symbols are reported and not used."""
    path = record("damaged.data", "-g")
    with open(path, "r+b") as file:
        data = file.read()
        at = data.index(b"tallynam")
        file.seek(at + 16)
        file.write(b"\xff" * 8)
    done = tap.run(TALLY, "report", "--stdio", "-i", path)
    assert not done.returncode and "ignoring its embedded symbols" in done.stderr, done.stderr
    assert "innermost_secret" in done.stdout


# ---- perf ----------------------------------------------------------------------------------


def test_perf_skips_them():
    """Check that embedded symbols do not change perf's output, including its messages."""
    machine.need_perf()
    bare = record("for-perf.data", "-g", "--no-symbols")
    named = os.path.join(WORK, "for-perf-named.data")
    tap.run(TALLY, "archive", "-q", "-o", named, bare, status=0)
    for words in (["report", "--stdio"], ["script"], ["buildid-list"], ["evlist", "-v"]):
        want, got = (tap.run(PERF, *words, "-i", path) for path in (bare, named))
        assert not want.returncode and want.stdout
        tap.same(*(re.sub(r"# \(Tip: .*\n", "", text) for text in (got.stdout, want.stdout)), words)
        tap.same(got.stderr, want.stderr, f"{words}: stderr")


def test_archive_of_perf():
    """Check that symbols are added to a recording made by perf, and that everything else is kept."""
    machine.need_perf_records("-e", "cpu-clock")
    path = record("of-perf.data", "-g", tool=PERF)
    named = os.path.join(WORK, "of-perf-named.data")
    said = tap.run(TALLY, "archive", "-o", named, path, status=0).stderr
    assert re.fullmatch(r"\[ tally archive: \d+\.\d+ [KM]B of symbols in \S+, \d+\.\d+ [KM]B of records \]\n", said), said
    before, after = sections(path), sections(named)
    assert after.pop(STORED_NAMES)
    assert before == after, [key for key in before if before[key] != after.get(key)]
    same_there(named, "of perf")


# ---- archive -------------------------------------------------------------------------------


def test_archive_twice():
    """Check that the output is always the same: in place, in another file, and for a file that already has symbols."""
    path = record("twice.data", "-g", "--no-symbols")
    made = [os.path.join(WORK, f"twice-{i}.data") for i in range(3)]
    tap.run(TALLY, "archive", "-q", "-o", made[0], path, status=0)
    tap.run(TALLY, "archive", "-q", path, "-o", made[1], status=0)
    shutil.copy2(path, made[2])
    tap.run(TALLY, "archive", "-q", made[2], status=0)
    contents = [open(file, "rb").read() for file in made]
    assert contents[0] == contents[1] == contents[2]
    tap.run(TALLY, "archive", "-q", made[2], status=0)
    assert open(made[2], "rb").read() == contents[0]


def test_archive_keeps_the_file():
    """Check that the file's mode and times are kept, and that a symbolic link to it remains a link."""
    path = record("kept.data", "--no-symbols")
    os.chmod(path, 0o640)
    os.utime(path, ns=(10**18, 10**18))
    link = os.path.join(WORK, "link.data")
    os.symlink(path, link)
    tap.run(TALLY, "archive", "-q", link, status=0)
    assert os.path.islink(link) and STORED_NAMES in sections(path)
    found = os.stat(path)
    assert found.st_mode & 0o777 == 0o640 and found.st_mtime_ns == 10**18


def test_archive_tells_sizes():
    """Check that sizes below 1 MB are printed in KB, and match those in the file."""
    path = record("sizes.data", "--no-symbols")
    out = os.path.join(WORK, "sizes-named.data")
    said = tap.run(TALLY, "archive", "-o", out, path, status=0).stderr
    size = struct.unpack_from("<Q", sections(out)["header"], 48)[0]
    names, records = (f"{nr / 1024:.3f} KB" for nr in (len(sections(out)[STORED_NAMES]), size))
    assert said == f"[ tally archive: {names} of symbols in {out}, {records} of records ]\n", said


def test_archive_dangling_link():
    """Check that a dangling symbolic link is replaced by the file."""
    path = record("dangling.data", "--no-symbols")
    link = os.path.join(WORK, "dangling-link.data")
    os.symlink(os.path.join(WORK, "nowhere.data"), link)
    tap.run(TALLY, "archive", "-q", "-o", link, path, status=0)
    assert not os.path.islink(link) and STORED_NAMES in sections(link)


def test_archives_recordings_of_other_recorders():
    """Archive recordings from other recorders and machines, and check that the output of script and all other contents
    stay the same."""
    nr = 0
    for where in ("perf61", "tally", "arm64"):
        folder = os.path.join(FIXTURES, "perfdata", where)
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            out = os.path.join(WORK, "other.data")
            if not os.path.isfile(path) or "stream" in name or "unfinished" in name:
                continue
            tap.run(TALLY, "archive", "-q", "-o", out, path, status=0)
            before, after = sections(path), sections(out)
            after.pop(STORED_NAMES)
            before.pop(STORED_NAMES, None)
            assert before == after, name
            tap.same(tap.run(TALLY, "script", "-i", out, status=0).stdout, tap.run(TALLY, "script", "-i", path, status=0).stdout, name)
            nr += 1
    assert nr > 20, nr


def refused(words, *args):
    done = tap.run(TALLY, "archive", *args)
    assert done.returncode == 1 and words in done.stderr, (args, done.returncode, done.stderr)


def test_archive_rejects_files_without_a_place_for_symbols():
    """Check that files that cannot hold symbols are rejected with the reason, and that nothing is written."""
    out = os.path.join(WORK, "refused.data")
    folder = os.path.join(FIXTURES, "perfdata")
    refused("the recording was not finished", "-o", out, os.path.join(folder, "perf61", "unfinished.data"))
    refused("is not a regular file", "-o", out, os.path.join(folder, "perf61", "folder.d"))
    refused("a stream has no feature table: use record -o FILE to write a file", "-o", out, os.path.join(folder, "perf61", "frames-stream.data"))
    refused("cannot archive a stream", "-o", out, "-i", "-")
    refused("No such file", "-o", out, "-i", os.path.join(WORK, "nothing"))
    refused("not a perf.data file", "-o", out, "-i", __file__)
    assert not os.path.exists(out)
    assert not [name for name in os.listdir(WORK) if name.startswith("refused.data")]


@tap.always
def test_archive_while_it_is_recorded():
    machine.need_events()
    path = os.path.join(WORK, "busy.data")
    with subprocess.Popen([TALLY, "record", "-q", "-e", "cpu-clock", "-o", path, "--", "sh", "-c", "echo; exec sleep 3600"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as recorder:
        try:
            assert recorder.stdout.readline() == b"\n", recorder.stderr.read()
            refused("is being recorded", path)
        finally:
            recorder.send_signal(signal.SIGINT)


def test_archive_full_disk():
    """Check that, when the file size limit is hit, the old file is kept and no other file remains."""
    path = record("full.data", "-g", "--no-symbols")
    before = open(path, "rb").read()
    limit = len(before) // 2
    done = tap.run(TALLY, "archive", path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.returncode == 1 and "cannot write" in done.stderr, (done.returncode, done.stderr)
    assert open(path, "rb").read() == before
    assert [name for name in os.listdir(WORK) if name.startswith("full.data")] == ["full.data"]


def large(path, nr):
    """Write a recording that repeats the records of a small one `nr` times. Return its size."""
    parts = open(record("seed.data", "-g", "--no-symbols"), "rb").read()
    start, size = struct.unpack_from("<QQ", parts, 40)
    records = parts[start:start + size]
    with open(path, "wb") as file:
        file.write(parts[:start])
        for _ in range(nr):
            file.write(records)
        # Remove the feature sections.
        file.seek(48)
        file.write(struct.pack("<Q", nr * size))
        file.seek(72)
        file.write(bytes(32))
    return os.path.getsize(path)


def test_archive_interrupted():
    """Check that after Ctrl-C during writing, the old file is kept and no other file remains."""
    path = os.path.join(WORK, "large.data")
    size = large(path, 2000)
    for _ in range(5):
        with subprocess.Popen([TALLY, "archive", "-q", path], stderr=subprocess.PIPE) as process:
            while process.poll() is None and not [name for name in os.listdir(WORK) if name.startswith("large.data.")]:
                time.sleep(0.0005)
            process.send_signal(signal.SIGINT)
            process.wait(60)
        if process.returncode == -signal.SIGINT:
            break
        size = large(path, 2000)  # the archive was complete before the signal arrived
    assert process.returncode == -signal.SIGINT, process.returncode
    assert os.path.getsize(path) == size
    assert [name for name in os.listdir(WORK) if name.startswith("large.data")] == ["large.data"]


# ---- redaction -----------------------------------------------------------------------------


def test_redacted():
    """Check that a redacted file contains functions but no user data, and that perf can read it."""
    os.environ["TRAVEL_SECRET"] = "secretvalue"
    for options in (["-g"], ["--call-graph", "dwarf"], ["-z", "-g"], ["-g", "--all-cgroups", "--namespaces", "-d", "-I"]):
        path = record("redact.data", *options, words=["secretargument"])
        out = os.path.join(WORK, "redacted.data")
        tap.run(TALLY, "archive", "-q", "--redact", "-o", out, path, status=0)
        data = open(out, "rb").read()
        if "-z" not in options:
            secrets = ["secretdir", "secretprog", "secretargument", "secretvalue", WORK, os.path.basename(WORK),
                       os.path.basename(TALLY) + " record"]
            secrets += [name for name in (socket.gethostname(), os.environ.get("USER")) if name and len(name) > 4]
            assert not [word for word in secrets if word.encode() in data.replace(b"innermost_secret", b"")], options
        report = tap.run(TALLY, "report", "--stdio", "-s", "comm,dso,sym", "-i", out, status=0).stdout
        assert "innermost_secret" in report and "secretprog" not in report and "libc.so.6" in report, report[:1500]
        samples = [len(tap.run(TALLY, "script", "-F", "ip,sym", "-i", file, status=0).stdout.splitlines()) for file in (path, out)]
        assert samples[0] == samples[1] > 100, samples
        same_there(out, "redacted")
        again = out + ".again"
        tap.run(TALLY, "archive", "-q", "--redact", "-o", again, path, status=0)
        assert open(again, "rb").read() == data
        if PERF:
            said = tap.run(PERF, "script", "-i", out, status=0)
            assert "secretprog" not in said.stdout


def test_record_redacted():
    """Check that record --redact writes no user data."""
    path = os.path.join(WORK, "own", "own.data")
    os.mkdir(os.path.dirname(path))
    tap.run(TALLY, "record", "-q", "--redact", "-e", "cpu-clock", "-g", "-o", path, "--", program(), "secretargument", status=0)
    data = open(path, "rb").read()
    assert not [word for word in (b"secretdir", b"secretprog", b"secretargument", WORK.encode()) if word in data]
    assert "innermost_secret" in tap.run(TALLY, "report", "--stdio", "-i", path, status=0).stdout
    assert os.listdir(os.path.dirname(path)) == ["own.data"]
    same_there(path, "recorded redacted")
    for options in (["-o", "-"], ["-o", path, "--call-graph", "dwarf", "--keep-stacks"]):
        done = tap.run(TALLY, "record", "--redact", *options, "--", "true")
        assert done.returncode and "redact" in done.stderr, done.stderr
    assert open(path, "rb").read() == data


def test_redact_refuses():
    """Check that recordings with arbitrary contents, such as stack dumps, are rejected with the reason, and that
    nothing is written."""
    out = os.path.join(WORK, "unredacted.data")
    refused("tracepoint raw data", "--redact", "-o", out, os.path.join(FIXTURES, "perfdata", "tally", "traced.data"))
    refused("stack dumps", "--redact", "-o", out, os.path.join(FIXTURES, "perfdata", "perf61", "dwarf.data"))
    assert not os.path.exists(out)
    done = tap.run(TALLY, "archive", "--redact", record("plain.data"))
    assert done.returncode == 129 and "requires -o" in done.stderr


HIDDEN = b"mysecret"  # eight bytes
LOST, LOST_SAMPLES, TEXT_POKE, ID_INDEX, CPU_MAP, STAT_CONFIG, EVENT_UPDATE, TIME_CONV, FINISHED_INIT, THREAD_MAP = (
    2, 13, 20, 69, 74, 75, 78, 79, 82, 73)


def hiding_records():
    """Yield records as (name, type, fields, sample_id)."""
    u16 = lambda *values: struct.pack(f"<{len(values)}H", *values)
    last = crafted.trailer(7, 1)
    yield "LOST", LOST, crafted.u64(1, 2), last
    yield "EXIT", crafted.EXIT, crafted.u32(7, 7, 7, 7) + crafted.u64(1), last
    yield "LOST_SAMPLES", LOST_SAMPLES, crafted.u64(1), last
    yield "TEXT_POKE", TEXT_POKE, crafted.u64(1) + u16(2, 2) + bytes(4), last
    yield "FINISHED_ROUND", crafted.FINISHED_ROUND, b"", b""
    yield "FINISHED_INIT", FINISHED_INIT, b"", b""
    yield "ID_INDEX", ID_INDEX, crafted.u64(1, 1, 0, 0, 7), b""
    yield "STAT_CONFIG", STAT_CONFIG, crafted.u64(1, 1, 0), b""
    yield "THREAD_MAP", THREAD_MAP, crafted.u64(1, 7) + bytes(16), b""
    yield "CPU_MAP list", CPU_MAP, u16(0, 2, 0, 1), b""
    yield "CPU_MAP mask", CPU_MAP, u16(1, 1, 8, 0) + crafted.u64(3), b""
    yield "CPU_MAP range", CPU_MAP, u16(2, 0, 0, 1), b""
    yield "EVENT_UPDATE scale", EVENT_UPDATE, crafted.u64(1, 1) + struct.pack("<d", 1), b""
    yield "EVENT_UPDATE name", EVENT_UPDATE, crafted.u64(2, 1) + b"name" + bytes(4), b""
    yield "EVENT_UPDATE CPUs", EVENT_UPDATE, crafted.u64(3, 1) + u16(0, 2, 0, 1), b""
    yield "TIME_CONV", TIME_CONV, crafted.u64(1, 2, 3, 4, 5) + b"\1\1" + bytes(6), b""


def redacted(data, path, out):
    with open(path, "wb") as file:
        file.write(data)
    if os.path.exists(out):
        os.remove(out)
    return tap.run(TALLY, "archive", "-q", "--redact", "-o", out, path)


def test_redact_clears_data_after_fields():
    """Check that data after a record's fields is either rejected or replaced by zeros."""
    path, out = os.path.join(WORK, "hiding.data"), os.path.join(WORK, "hidden.data")
    for name, kind, fields, last in hiding_records():
        plain = crafted.record(kind, fields + last)
        done = redacted(crafted.file_bytes([plain, crafted.sample(1)]), path, out)
        assert not done.returncode and plain in open(out, "rb").read(), (name, done.stderr)
        done = redacted(crafted.file_bytes([crafted.record(kind, fields + HIDDEN + last), crafted.sample(1)]), path, out)
        assert done.returncode == 1 and not os.path.exists(out), name
        assert "longer than their fields" in done.stderr or "has an unknown format" in done.stderr, (name, done.stderr)
    padding = [crafted.record(TIME_CONV, crafted.u64(1, 2, 3, 4, 5) + b"\1\1" + HIDDEN[:6]),
               crafted.record(crafted.KSYMBOL, crafted.u64(1, 2) + b"f\0" + HIDDEN[:6] + HIDDEN + crafted.trailer(7, 1)),
               crafted.record(EVENT_UPDATE, crafted.u64(2, 1) + b"n\0" + HIDDEN[:6]),
               crafted.record(CPU_MAP, struct.pack("<3H", 0, 1, 0) + HIDDEN[:2])]
    for one in padding:
        done = redacted(crafted.file_bytes([one, crafted.sample(1)]), path, out)
        assert not done.returncode and HIDDEN[:6] not in open(out, "rb").read(), (one, done.stderr)
        assert open(out, "rb").read().count(one[:26]) or one[0] == CPU_MAP, one


def test_redact_rejects_data_after_features():
    """Check that data after the contents of a feature and in its padding is removed, and that a feature that cannot be
    decoded is rejected."""
    path, out = os.path.join(WORK, "features.data"), os.path.join(WORK, "features-out.data")
    nrcpus, version, topology, numa, pmus = 7, 5, 13, 14, 16
    text = crafted.u32(16) + b"6.1\0" + bytes(12)
    cpus = crafted.u32(1) + text
    plain = {version: text, nrcpus: crafted.u32(1, 1), 10: crafted.u64(1000), 21: crafted.u64(1, 2),
             topology: cpus + cpus + crafted.u32(0, 0) + cpus + crafted.u32(0),
             numa: crafted.u32(1, 0) + crafted.u64(10, 5) + text, pmus: crafted.u32(1, 1) + text}
    done = redacted(crafted.file_bytes([crafted.sample(1)], features=plain), path, out)
    assert not done.returncode, done.stderr
    want = sections(out)
    assert {number: want[number] for number in plain} == plain
    hiding = {number: value.replace(b"6.1" + bytes(13), b"6.1\0" + HIDDEN + bytes(4)) + HIDDEN for number, value in plain.items()}
    done = redacted(crafted.file_bytes([crafted.sample(1)], features=hiding), path, out)
    assert not done.returncode and HIDDEN not in open(out, "rb").read(), done.stderr
    got = sections(out)
    assert {number: got[number] for number in plain} == plain
    done = redacted(crafted.file_bytes([crafted.sample(1)], features={pmus: crafted.u32(1 << 30, 1) + text}), path, out)
    assert done.returncode == 1 and "a feature cannot be decoded" in done.stderr, done.stderr


def test_redact_jit():
    """Check that JIT symbol names keep the word before the file and line."""
    pid = 99999999  # larger than any pid
    jit, path, out = f"/tmp/perf-{pid}.map", os.path.join(WORK, "jit.data"), os.path.join(WORK, "jit-out.data")
    names = ["plain_name", "JS:*walk /home/my secret (1)/app.js:10:3", "C:\\Users\\secret\\a.js", "JS:~x webpack:///./secret.js:7",
             "py::work:~/secret.py", "JS:^y secret\u00e9/z.js"]
    with open(jit, "w", encoding="utf-8") as file:
        file.writelines(f"{0x10000 + 0x100 * i:x} 100 {name}\n" for i, name in enumerate(names))
    try:
        records = [crafted.comm(pid, "node"), crafted.mmap(pid, 0x10000, 0x10000, "//anon")]
        records += [crafted.sample(0x10010 + 0x100 * i, pid, i + 1) for i in range(len(names))]
        done = redacted(crafted.file_bytes(records), path, out)
        assert names[1] in tap.run(TALLY, "report", "--stdio", "-i", path, status=0).stdout
    finally:
        os.remove(jit)
    assert not done.returncode, done.stderr
    report = tap.run(TALLY, "report", "--stdio", "-s", "sym", "-i", out, status=0).stdout
    assert b"secret" not in open(out, "rb").read()
    for shown in (r"plain_name", r"JS:\*walk /redacted/dir\d/file\d:10:3", r"JS:~x /redacted/dir\d/file\d:7",
                  r"JS:\^y /redacted/dir\d/file\d"):
        assert re.search(shown + "\n", report), (shown, report)


def test_redact_does_not_overwrite_the_recording():
    """Check that -o cannot refer to the recording itself, under any name."""
    path = record("itself.data", "-g")
    before, found = open(path, "rb").read(), os.stat(path)
    names = [path, os.path.join(WORK, "secretdir", "..", "itself.data")]
    for make, name in ((os.symlink, "itself-link.data"), (os.link, "itself-hard.data")):
        names.append(os.path.join(WORK, name))
        make(path, names[-1])
    for name in names:
        done = tap.run(TALLY, "archive", "--redact", "-o", name, path)
        assert done.returncode == 129 and "refusing to overwrite the recording" in done.stderr, (name, done)
        after = os.stat(path)
        assert (after.st_ino, after.st_mtime_ns) == (found.st_ino, found.st_mtime_ns), name
    assert open(path, "rb").read() == before
    assert os.path.islink(names[2])


if __name__ == "__main__":
    tap.main("__main__")
