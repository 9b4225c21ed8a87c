#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally data convert`: the JSON is compared with perf's on the same recordings, byte by byte.

usage: convert.py TALLY
"""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
PERF = shutil.which("perf")
WORK = tap.workplace("convert")
FAULTS = ["-e", "page-faults", "-c", "1"]
RECORDINGS = {
    "faults": FAULTS, "chains": ["-g", "-e", "cpu-clock", "-F", "500"], "data": ["-d", *FAULTS], "cpus": ["--sample-cpu", *FAULTS],
    "two": ["-e", "page-faults,cpu-clock"], "none": ["-e", "dummy"], "no-times": ["--no-timestamp", *FAULTS]}


def recording(name, writer=PERF):
    path = f"{WORK}/{name}-{os.path.basename(writer)}.data"
    if not os.path.exists(path):
        tap.run(writer, "record", "-q", "-o", path, *RECORDINGS[name], "--", "sh", "-c", "ls / /usr/bin >/dev/null; : 'a\tb\"c\\d'", status=0)
    return path


def convert(path, *words, to="-", **options):
    return tap.run(TALLY, "data", "convert", *words, "-i", path, "--to-json", to, **options)


def perf_json(path):
    to = f"{WORK}/perf.json"
    tap.run(PERF, "data", "convert", "--force", "-i", path, "--to-json", to, status=0)
    with open(to, encoding="utf-8") as file:
        return file.read()


def without_plt(text):
    """Return a text without the names and files of PLT entries, which perf 6.1 does not find in some files."""
    return re.sub(r',\n\t+"symbol": "[^"]*@plt",\n\t+"dso": "[^"]*"', "", text)


def add_test(name, writer):
    def test():
        machine.need_perf(series="6.1")
        machine.need_events()
        path = recording(name, writer)
        ours = convert(path, status=0).stdout
        tap.same(without_plt(ours).splitlines(), without_plt(perf_json(path)).splitlines(), f"JSON of {path}")
        assert bool(json.loads(ours)["samples"]) == (name != "none"), ours[-300:]

    globals()[f"test_json_of_{os.path.basename(writer or 'perf')}_{name.replace('-', '_')}"] = test


for _name in RECORDINGS:
    add_test(_name, PERF)
for _name in ("chains", "faults"):
    add_test(_name, TALLY)


def test_a_stream_has_the_same_samples():
    machine.need_events()
    whole = json.loads(convert(recording("faults", TALLY), status=0).stdout)
    stream = tap.run(TALLY, "record", "-q", "-o", "-", *FAULTS, "true", status=0, text=False).stdout
    found = json.loads(convert("-", status=0, input=stream, text=False).stdout)
    tap.same(set(found["headers"]), set(whole["headers"]) - {"captured-on", "data-offset", "data-size", "feat-offset"}, "header")
    tap.same({tuple(sample) for sample in found["samples"]}, {tuple(sample) for sample in whole["samples"]}, "keys of samples")


def test_existing_files_are_kept():
    machine.need_events()
    path, to = recording("faults", TALLY), f"{WORK}/out.json"
    convert(path, to=to, status=0, says="Converted and wrote")
    with open(to, "rb") as file:
        before = file.read()
    number = os.stat(to).st_ino
    convert(path, to=to, status=1, says="--force")
    with open(to, "rb") as file:
        tap.same((file.read(), os.stat(to).st_ino), (before, number), "the existing file")
    with open(to, "w", encoding="ascii") as file:
        file.write("old")
    convert(path, "--force", to=to, status=0)
    with open(to, encoding="utf-8") as file:
        assert json.load(file)["samples"]
    with open(path, "rb") as file:
        content = file.read()
    convert(path, "--force", to=path, status=1, says="itself")
    with open(path, "rb") as file:
        tap.same(file.read(), content, "the recording")


def test_hostile_recordings_leave_no_file():
    machine.need_events()
    with open(recording("chains", TALLY), "rb") as file:
        content = file.read()
    for size in (0, 3, 50, 103):
        with open(f"{WORK}/cut.data", "wb") as file:
            file.write(content[:size])
        convert(f"{WORK}/cut.data", to=f"{WORK}/cut.json", status=1, says="cut.data", preexec_fn=tap.limit_cpu(20))
        assert not os.path.exists(f"{WORK}/cut.json"), size
    for size in range(len(content) // 3, len(content), len(content) // 9):
        with open(f"{WORK}/cut.data", "wb") as file:
            file.write(content[:size])
        done = convert(f"{WORK}/cut.data", status=0, preexec_fn=tap.limit_cpu(20))
        assert "warning" in done.stderr and "samples" in json.loads(done.stdout), done.stderr


def test_wrong_words_are_explained():
    for words, status, text in (
            ([], 129, "requires 'convert'"), (["nonsense"], 129, "requires 'convert'"), (["convert"], 129, "--to-json FILE"),
            (["convert", "--to-json"], 129, "requires an argument"), (["convert", "--to-ctf", "x"], 129, "use --to-json"),
            (["convert", "--to-json", "-", "--all"], 129, "--dump-json"), (["convert", "--to-json", "-", "--tod"], 129, "+tod"),
            (["convert", "--to-json", "-", "-i", "/nowhere"], 1, "/nowhere"), (["convert", "--to-json", "-", "nonsense"], 129, "nonsense")):
        tap.run(TALLY, "data", *words, status=status, says=text)


tap.main(__name__)
