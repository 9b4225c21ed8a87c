#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare `tally script` with the output of Debian's perf 6.1 for the same recordings, byte for byte.

usage: golden_script.py TALLY FIXTURES SHARED

If the output differs because of a bug in perf, the recording is listed in PARTS with the parts to compare, or in MENDED
with corrections to perf's output. Any other difference is a failure. Output is TAP.
"""
import gzip
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import tap  # noqa: E402


def of_one_event(name):
    """Return a function that selects the lines of one event, with single spaces. perf's Intel PT decoder adds its own
    events, and pads names to the longest one."""
    return lambda text: b"".join(b" ".join(line.split()) + b"\n" for line in text.splitlines() if b" " + name + b":" in line)


# file: function that returns the part of both texts to compare
PARTS = {"quipper__perf.data.intel_pt-4.14.txt.gz": of_one_event(b"cycles")}
# In streams, perf reads the attrs too late for -F, and prints a symbol that was not requested.
MENDED = {name: (b" [unknown] (", b" (") for name in (
    "perf61__frames-stream.data.txt.gz", "tally__frames-stream.data.txt.gz", "arm64__perf-stream.data.txt.gz",
    "riscv__bare-metal.data.txt.gz")}
LEAST = {True: 45, False: 76}  # minimum number of files in our own set and in the shared set


def run(tally, *args):
    return tap.run(tally, *args, text=False)


def fields_for(tally, path):
    """Return the fields of the golden run. They include time and brstack only if the samples have them."""
    attrs = run(tally, "evlist", "-v", "-i", path).stdout.decode(errors="replace").splitlines()
    types = [line.split("sample_type: ", 1)[1].split(",")[0].split("|") for line in attrs
             if "sample_type: " in line]
    fields = ["comm", "pid", "tid"]
    if types and all("TIME" in t for t in types):
        fields.append("time")
    fields += ["event", "period", "ip", "dso"]
    if any("BRANCH_STACK" in t for t in types):
        fields.append("brstack")
    return ",".join(fields)


def without_leaves(want, run, dumps):
    """Return tally's output without the leaf functions of stack dumps, of which at most one is removed for each dump.
    perf had no files to unwind these dumps and prints nothing for them. tally cannot unwind them either, but prints the
    sampled location."""
    left, lines, kept = dumps, want.splitlines(True), []
    for line in run.stdout.splitlines(True):
        if left and line.startswith(b"\t") and (len(kept) == len(lines) or lines[len(kept)] != line):
            left -= 1
        else:
            kept.append(line)
    return b"".join(kept)


def count_dumps(tally, path, symfs):
    """Return the number of samples that have a stack dump, according to a report."""
    done = run(tally, "report", "--json", "--sort", "comm", "--symfs", symfs, "-i", path)
    stacks = json.loads(done.stdout)["health"]["stacks"] if done.returncode == 0 else {}
    return stacks.get("unwound", 0) + stacks.get("foreign", 0)


def first_difference(want, got):
    for number, (a, b) in enumerate(zip(want.splitlines(), got.splitlines()), 1):
        if a != b:
            return f"line {number}: perf {a[:160]!r}, tally {b[:160]!r}"
    return f"perf has {len(want.splitlines())} lines, tally {len(got.splitlines())}"


def goldens(found):
    """Yield the names and paths of perf's outputs, and the path of the recording."""
    for one in found:
        names = one.names("golden", "perf61-script")
        if len(names) < LEAST[one.own]:
            raise SystemExit(f"{one.root}: only {len(names)} files in golden/perf61-script")
        for name in names:
            folder, recording = name[:-len(".txt.gz")].split("__", 1)
            yield name, one.path("golden", "perf61-script", name), one.recording(folder, recording)


def check(tally, name, golden, path, symfs):
    with gzip.open(golden) as file:
        want = file.read().replace(*MENDED.get(name, (b"", b"")))
    script = run(tally, "script", "-i", path, "--symfs", symfs, "-F", fields_for(tally, path))
    assert script.returncode == 0 or (script.returncode == 1 and script.stderr), (script.returncode, script.stderr[-500:])
    assert want or script.stderr or not script.returncode, script.stderr
    got = without_leaves(want, script, count_dumps(tally, path, symfs))
    part = PARTS.get(name, lambda text: text)
    want, got = part(want), part(got)
    assert got == want, first_difference(want.decode(errors="replace"), got.decode(errors="replace"))


def main():
    tally, todo = sys.argv[1], tap.some(goldens(fixtures.sets(*sys.argv[2:4])))
    with tempfile.TemporaryDirectory() as symfs:
        os.environ["PERF_BUILDID_DIR"] = symfs
        tap.points([(row[0], lambda row=row: check(tally, *row, symfs)) for row in todo])


main()
