#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Count what meson's tests did: TAP points one by one, other tests as one each. Print what was skipped, by name and
with the reason, what failed with its output, and as the last line "PASSED FAILED SKIPPED".

usage: count_tests.py testlog.json
"""
import itertools
import json
import re
import sys

POINT = re.compile(r"^(not )?ok\b *\d* *-? *(.*)$")
SKIP = re.compile(r"# *SKIP\b *", re.I)
REASON = re.compile(r"^# skipped: (.*)$")
PLAN = re.compile(r"^1\.\.0 *# *SKIP\b *(.*)$", re.I | re.M)
SHOWN = 12  # names on a line of skipped points


class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.skips = {}  # (test, reason): names of points

    def skip(self, test, name, reason):
        self.skipped += 1
        self.skips.setdefault((test, reason or "no reason given"), []).append(name)

    def fail(self, what, *details):
        self.failed += 1
        print(f"FAILED: {what}", *details, sep="\n")


def points_of(output):
    """(failed, text, reason of a skip or None, comment lines after it) of each TAP point. cmocka knows no reasons: a test
    prints one as a comment before it skips."""
    lines = output.splitlines()
    reason = None
    for number, line in enumerate(lines):
        match = POINT.match(line)
        if not match:
            found = REASON.match(line)
            reason = found[1] if found else reason
            continue
        bad, text = match.groups()
        if text != "tests":  # cmocka's point for the whole group
            after = itertools.takewhile(lambda later: later.startswith("#"), lines[number + 1:])
            yield bad, text, reason, list(after)
        reason = None


def count_points(counts, test, points):
    """Whether points failed, and whether some were skipped."""
    any_bad = any_skip = False
    for bad, text, reason, after in points:
        name, *why = SKIP.split(text, 1)
        if why:  # "name # SKIP reason", or cmocka's "# SKIP name"
            name, why = (name.strip(), why[0]) if name.strip() else (why[0], reason)
            counts.skip(test["name"], name, why)
            any_skip = True
        elif bad:
            counts.fail(f"{test['name']}: {text}", *after)
            any_bad = True
        else:
            counts.passed += 1
    return any_bad, any_skip


def count(counts, test):
    output = test.get("stdout", "")
    points = list(points_of(output))
    plan = PLAN.search(output)
    if test["result"] == "SKIP" or (plan and not points):
        counts.skip(test["name"], "all of it", plan[1] if plan else output.strip()[:300])
    elif not points or test["result"] not in ("OK", "FAIL", "ERROR"):
        if test["result"] == "OK":
            counts.passed += 1
        else:
            counts.fail(f"{test['name']} ({test['result']})", *output.splitlines()[-5:], *test.get("stderr", "").splitlines()[-5:])
    else:
        any_bad, any_skip = count_points(counts, test, points)
        # cmocka writes "not ok" before a skip, which meson takes for a failure; the program's status knows better.
        if test["result"] != "OK" and not any_bad and (test["returncode"] or not any_skip):
            counts.fail(f"{test['name']} (its exit status)")


def main():
    counts = Counts()
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            count(counts, json.loads(line))
    for (test, reason), names in counts.skips.items():
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        print(f"skipped: {test}: {', '.join(names[:SHOWN])}{more}: {reason}")
    print(counts.passed, counts.failed, counts.skipped)


main()
