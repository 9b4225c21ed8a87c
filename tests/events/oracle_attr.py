#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The attr that `tally stat -e NAME --dry-run -v` prints against the one that `perf stat -vv` makes, field by field,
for every event that the installed perf knows of each x86 table. Both run under the same fake core PMU.

usage: oracle_attr.py TALLY SHARED
"""
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import tap  # noqa: E402

TALLY = str(Path(sys.argv[1]).resolve())
FAKEPMU = Path(sys.argv[2]) / "tools" / "fakepmu.sh"
WIDEN = "echo config:0-7,32-35 >/sys/bus/event_source/devices/cpu/format/event;"

# Fields that differ by design.
FIELDS = {
    "size": "ours is the newest attr, perf 6.1's has 128 bytes; the kernel takes either",
    "sample_type": "perf asks for identifiers in samples, and counting takes none",
    "{ sample_period, sample_freq }": "see sample_type",
}
# Names on which perf 6.1 and our tables differ, by table, with the reason: none.
NAMES = {}


def fake(cpuid, *command):
    widen = WIDEN if cpuid.startswith("Authentic") else ""
    done = tap.run(FAKEPMU, cpuid, "bash", "-c", widen + '"$@"', "fake", *command)
    if done.returncode:
        raise tap.Skip(f"no fake PMU here: {done.stderr.strip()[-100:]}")
    return done


def perf_names(cpuid):
    """Core events of perf's table."""
    names, name = [], None
    for line in fake(cpuid, "perf", "list", "--details", "--deprecated").stdout.splitlines():
        if re.fullmatch(r"  \S+ *", line):
            name = line.strip()
        elif re.fullmatch(r"        cpu/\S+/ *", line) and name:
            names.append(name)
            name = None
    return names


def attrs(text):
    """The fields of each attr that was printed, in order."""
    blocks = [block.split("-----")[0] for block in text.split("perf_event_attr:\n")[1:]]
    return [{key: value for key, value in re.findall(r"^  (.*?)  *(\S+)$", block, re.M) if key not in FIELDS}
            for block in blocks]


def compare(table, cpuid, least):
    if not FAKEPMU.exists():
        raise tap.Skip(f"no {FAKEPMU}")
    if not shutil.which("perf"):
        raise tap.Skip("perf is not installed")
    names = perf_names(cpuid)
    if not names:
        raise tap.Skip("this perf has no table for that CPU")
    listed = set(re.findall(r'"name":"([^"]*)"', fake(cpuid, TALLY, "list", "-j", "--deprecated", "cpu").stdout))
    common = [name for name in names if name.lower() in listed]
    words = [word for name in common for word in ("-e", name)]
    theirs = attrs(fake(cpuid, "perf", "stat", "-vv", *words, "--", "true").stderr)
    ours = attrs(fake(cpuid, TALLY, "stat", "--dry-run", "-v", *words, "--", "true").stdout)
    tap.same((len(theirs), len(ours)), (len(common), len(common)), "attrs printed")
    different = {name: (mine, his) for name, mine, his in zip(common, ours, theirs) if mine != his}
    print(f"# {table}: {len(names)} of perf, {len(common)} in common, {len(different)} differ")
    for name, (mine, his) in list(different.items())[:10]:
        print(f"# {name}: {sorted(set(mine.items()) ^ set(his.items()))}")
    tap.same(sorted(different), sorted(NAMES.get(table, {})), f"{table}: names whose attrs differ")
    if len(common) < least:
        raise AssertionError(f"{table}: {len(common)} names in common, {least} wanted")


def test_silvermont():
    compare("silvermont", "GenuineIntel-6-37-8", 130)


def test_skylakex():
    compare("skylakex", "GenuineIntel-6-55-4", 455)


def test_cascadelakex():
    compare("cascadelakex", "GenuineIntel-6-55-7", 2330)


def test_icelakex():
    compare("icelakex", "GenuineIntel-6-6A-6", 351)


def test_sapphirerapids():
    compare("sapphirerapids", "GenuineIntel-6-8F-8", 368)


def test_amdzen3():
    compare("amdzen3", "AuthenticAMD-25-1-1", 222)


tap.main(__name__)
