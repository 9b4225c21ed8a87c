#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the attrs that `tally stat -e NAME --dry-run -v` prints with those printed by `perf stat -vv`, field by
field, for every event that the installed perf knows from each x86 table. Both tools run with the same fake core PMU.

usage: oracle_attr.py TALLY
"""
import os
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, str(TESTS / "pmu-events"))
import fakeperf  # noqa: E402
import tap  # noqa: E402

TALLY = str(Path(sys.argv[1]).resolve())

# Fields that differ from perf's on purpose, with the reasons.
FIELDS = {
    "size": "ours is the newest attr, perf 6.1's has 128 bytes; the kernel takes either",
    "sample_type": "perf asks for identifiers in samples, and counting takes none",
    "{ sample_period, sample_freq }": "see sample_type",
}
def compare(table, cpuid, least):
    fake = fakeperf.Fake(cpuid)
    listed = set(re.findall(r'"name":"([^"]*)"', fake.run(TALLY, "list", "-j", "--deprecated", "cpu").stdout))
    names = list(fake.perf_events())
    common = [name for name in names if name.lower() in listed]
    theirs = fake.attrs(common, "perf", "stat", "-vv")
    ours = fake.attrs(common, TALLY, "stat", "--dry-run", "-v", stream="stdout")
    print(f"# {table}: {len(names)} of perf, {len(common)} in common")
    for name, mine, his in zip(common, ours, theirs):
        differ = {field for field in mine.keys() | his.keys() if mine.get(field) != his.get(field)} - FIELDS.keys()
        differ -= {"config"} if name.lower() in fakeperf.DIFFERENT.get(table, {}) else set()
        tap.same({field: mine.get(field) for field in differ}, {field: his.get(field) for field in differ},
                 f"{table}: {name}")
    if len(common) < least:
        raise AssertionError(f"{table}: {len(common)} names in common, {least} wanted")


globals().update(fakeperf.tests(compare))
tap.main(__name__)
