#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Count the results of meson's tests: every TAP point, and every test that does not use TAP. Print the skipped points
with their reasons, the failed tests with their output and the commands that rerun them, the slowest tests and, as the
last line, "PASSED FAILED SKIPPED".

usage: count_tests.py BUILD

meson's own TAP results are not used, because meson reports a test as skipped if it skips its first points and then
exits early. Here, a test must keep to its plan and exit with status 0.
"""
import collections
import json
import os
import re
import shlex
import sys
import textwrap

PLAN = re.compile(r"^1\.\.(\d+)(?: *# *SKIP\b *(.*))?$", re.I)
POINT = re.compile(r"^(not )?ok\b *(\d*) *-? *(.*)$")
SKIP = re.compile(r"(?:^| )# *SKIP\b *(.*)$", re.I)
CMOCKA_SKIP = re.compile(r"^# SKIP (.*)$")
REASON = re.compile(r"^# skipped: (.*)$")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
REPORT = re.compile(r"ERROR: \w+Sanitizer|runtime error:|WARNING: ThreadSanitizer")
REPORT_LINES = 30
COLUMNS = 120
SLOWEST = 10


def printable(line):
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", line)


class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.skips = {}  # (test, reason): names of skipped points

    def skip(self, test, name, reason):
        self.skipped += 1
        self.skips.setdefault((test, reason or "no reason given"), []).append(name)

    def fail(self, what, *output):
        self.failed += 1
        print(*map(printable, (f"FAILED: {what}", *output)), sep="\n")


class Point:
    def __init__(self, bad, number, text, reason):
        """Parse a test point. `reason` is from a comment before the point, because cmocka writes "not ok" for a skipped
        test and has no field for the reason."""
        ours, cmockas = SKIP.search(text), CMOCKA_SKIP.match(text)
        self.bad, self.number, self.name = bool(bad), number, text
        self.why = self.comments = None
        if bad and cmockas:
            self.bad, self.name, self.why = False, cmockas[1], reason or "no reason given"
        elif not bad and ours:
            self.name, self.why = text[:ours.start()].strip(), ours[1] or "no reason given"


class Tap:
    """The parsed TAP output of a test."""

    def __init__(self, output):
        self.plan = self.skip_all = None
        self.points, self.wrong = [], []
        reason, comments = None, []
        for line in output.split("\n"):
            plan, point, found = PLAN.match(line), POINT.match(line), REASON.match(line)
            if plan:
                self.wrong += ["more than one plan"] if self.plan is not None else []
                self.plan, self.skip_all = int(plan[1]), plan[2]
            elif point:
                self.points.append(Point(*point.groups(), reason))
                self.points[-1].comments = comments = []
                reason = None
            elif line.startswith("Bail out!"):
                self.wrong.append(line)
            elif line.startswith("#"):
                reason = found[1] if found else reason
                comments.append(line)
        self._check()

    def _check(self):
        numbers = [point.number for point in self.points if point.number]
        if self.plan is None:
            self.wrong.append("no plan")
        elif len(self.points) != self.plan:
            self.wrong.append(f"{len(self.points)} points of {self.plan}")
        elif len(set(numbers)) != len(numbers):
            self.wrong.append("duplicate point")


def excerpt(test, last):
    """Return the lines of output that explain a failure: a sanitizer report from its first line on, or otherwise the
    last lines."""
    lines = test.get("stdout", "").splitlines() + test.get("stderr", "").splitlines()
    report = next((number for number, line in enumerate(lines) if REPORT.search(line)), None)
    return lines[-last:] if report is None else lines[report:report + REPORT_LINES]


def count_tap(counts, test):
    name, status = test["name"], test["returncode"]
    tap = Tap(test.get("stdout", ""))
    for point in tap.points:
        if point.why:
            counts.skip(name, point.name, point.why)
        elif point.bad:
            counts.fail(f"{name}: {point.name}", *point.comments)
        else:
            counts.passed += 1
    if test["result"] in ("TIMEOUT", "INTERRUPT"):
        tap.wrong.append(test["result"])
    elif status and not any(point.bad for point in tap.points):
        tap.wrong.append(f"exit status {status}")
    if tap.wrong:
        counts.fail(f"{name} ({', '.join(tap.wrong)})", *excerpt(test, 14))
    elif any(point.bad for point in tap.points) and test.get("stderr"):
        print("standard error:", *map(printable, test["stderr"].splitlines()[-9:]), sep="\n")
    elif tap.plan == 0:
        counts.skip(name, "whole test", tap.skip_all)


def count_status(counts, test):
    if test["result"] == "OK":
        counts.passed += 1
    elif test["result"] == "SKIP":
        counts.skip(test["name"], "whole test", " ".join(excerpt(test, 1)))
    else:
        counts.fail(f"{test['name']} ({test['result']})", *excerpt(test, 20))


def as_named(test):
    """Return the test with the suite names removed from its name. If there are several suites, meson's log contains
    "tally:full / cli/stat" for "cli/stat"."""
    return {**test, "name": test["name"].rpartition(" / ")[2]}


def repeat(build, name):
    """Return the command that reruns a test. scripts/check.sh sets ASAN_OPTIONS if LeakSanitizer does not work on this
    machine."""
    without_leaks = "ASAN_OPTIONS=detect_leaks=0 " if os.environ.get("ASAN_OPTIONS") == "detect_leaks=0" else ""
    return f"{without_leaks}meson test -C {shlex.quote(os.path.relpath(build))} -v {shlex.quote(name)}"


def main():
    sys.stdout.reconfigure(errors="backslashreplace")
    build = sys.argv[1]
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
        tests = json.load(file)
    with open(os.path.join(build, "meson-logs", "testlog.json"), encoding="utf-8") as file:
        ran = {(test := as_named(json.loads(line)))["name"]: test for line in file}
    counts, names = Counts(), collections.Counter(test["name"] for test in tests)
    for name, protocol in {test["name"]: test["protocol"] for test in tests}.items():
        before = counts.failed
        if names[name] > 1:
            counts.fail(f"{name} ({names[name]} tests have this name)")
        elif name not in ran:
            counts.fail(f"{name} (did not run)")
        else:
            (count_tap if protocol == "tap" else count_status)(counts, ran[name])
        if counts.failed > before:
            print(f"repeat it: {repeat(build, name)}")
    for (test, reason), names in counts.skips.items():
        line = f"skipped: {test}: {', '.join(names)}: {reason}"
        print(line if len(names) == 1 else textwrap.fill(line, COLUMNS, subsequent_indent="    ", break_on_hyphens=False))
    print("slowest:", ", ".join(f"{test['name']} {test['duration']:.0f} s" for test in
                                sorted(ran.values(), key=lambda test: -test["duration"])[:SLOWEST]))
    print(counts.passed, counts.failed, counts.skipped)


main()
