#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts what meson's tests did: TAP points one by one, other tests as one each. Prints what was
skipped and why, what failed and what it said, and "PASSED FAILED" as its last line."""
import itertools
import json
import re
import sys

POINT = re.compile(r"^(not )?ok\b *\d* *-? *(.*)$")


def said(output, text):
    """The comment lines that follow a point that failed."""
    lines = iter(output.splitlines())
    for line in lines:
        if line.startswith("not ok") and line.endswith(text):
            break
    return list(itertools.takewhile(lambda line: line.startswith("#"), lines))


def main():
    passed = failed = 0
    for line in open(sys.argv[1], encoding="utf-8"):
        test = json.loads(line)
        points = [match.groups() for match in map(POINT.match, test.get("stdout", "").splitlines()) if match]
        points = [(bad, text) for bad, text in points if text != "tests"]
        if not points or test["result"] not in ("OK", "FAIL"):
            if test["result"] == "SKIP":
                print(f"skipped: {test['name']}: {test.get('stdout', '').strip()[:300]}")
            elif test["result"] == "OK":
                passed += 1
            else:
                failed += 1
                print(f"FAILED: {test['name']} ({test['result']})")
            continue
        bad_points = skips = 0
        for bad, text in points:
            if re.search(r"# *SKIP", text, re.I):
                print(f"skipped: {test['name']}: {text}")
                skips += 1
            elif bad:
                bad_points += 1
                print(f"FAILED: {test['name']}: {text}", *said(test["stdout"], text), sep="\n")
            else:
                passed += 1
        # cmocka writes "not ok" before what is skipped, which meson takes for a failure; the program's status knows better.
        if test["result"] == "FAIL" and not bad_points and (test["returncode"] or not skips):
            bad_points = 1
            print(f"FAILED: {test['name']} (its exit status)")
        failed += bad_points
    print(passed, failed)


main()
