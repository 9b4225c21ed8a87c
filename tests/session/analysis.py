#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that recordings can be read without the command line: examples/top_functions.c with the public headers, and a
program that writes documents with src/session, src/export and src/page. Both must agree with the commands.

usage: analysis.py TALLY TOP_FUNCTIONS DOCUMENTS FIXTURES SHARED
"""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import tap  # noqa: E402

TALLY, TOP_FUNCTIONS, DOCUMENTS = map(os.path.abspath, sys.argv[1:4])
SETS = fixtures.sets(*sys.argv[4:6])
ROW = re.compile(r"^ *([\d.]+)%  (.*\S) +(\S+)$")
TOP = 10
WORK = tap.workplace("analysis")
# The index would be written by the commands only.
OPTIONS = ("--no-index", "--stdio-color", "never")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=tap.PATIENCE)


def events_of(output):
    """Return {event: percentages of its functions} of the example's output."""
    events = collections.defaultdict(list)
    name = None
    for line in output.splitlines():
        row = ROW.match(line)
        if row:
            events[name].append(row[1])
        else:
            name = line.rpartition(":")[0]
            events[name]  # an event without rows
    return events


def functions_of(recording):
    """Return the same from `tally report --json`, or None if there is no JSON."""
    done = run(TALLY, "report", "-i", recording, "--json", "--no-children", "--call-graph", "none", "--sort", "symbol,dso",
               *OPTIONS)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None
    events = collections.defaultdict(list)
    for event in report["events"]:
        if event["total_period"]:
            events[event["event"]] += [f"{100 * row['self_period'] / event['total_period']:.2f}"
                                       for row in event["rows"] if row["self_period"]][:TOP]
    return events


def check_top_functions(one):
    compared = 0
    for recording in one.files():
        done = run(TOP_FUNCTIONS, recording)
        assert done.returncode in (0, 1), f"{recording}: status {done.returncode}"
        wanted = functions_of(recording)
        if wanted is None or "%" not in done.stdout:
            continue
        got = events_of(done.stdout)
        for event, rows in wanted.items():
            shown = [row for row in got[event] if row != "0.00"]
            tap.same(shown, [row for row in rows if row != "0.00"], f"{recording}: {event}")
        compared += 1
    assert compared > 1, f"{compared} recordings compared"


def check_documents(one):
    compared = 0
    for recording in one.files():
        mine = [f"{WORK}/{name}" for name in ("mine.folded", "mine.html")]
        theirs = [f"{WORK}/{name}" for name in ("theirs.folded", "theirs.html")]
        done = run(DOCUMENTS, recording, *mine)
        assert done.returncode in (0, 1), f"{recording}: status {done.returncode}: {done.stderr}"
        for path in theirs:
            if os.path.exists(path):
                os.unlink(path)
        run(TALLY, "report", "-i", recording, "--format", "folded", "-o", theirs[0], *OPTIONS)
        run(TALLY, "report", "-i", recording, "--html", theirs[1], "-f", *OPTIONS)
        for ours, command in zip(mine, theirs):
            if os.path.exists(command):
                with open(ours, "rb") as a, open(command, "rb") as b:
                    assert a.read() == b.read(), f"{recording}: {ours} differs from the command's"
                compared += 1
    assert compared > 1, f"{compared} documents compared"


def test_prints_an_error():
    done = run(TOP_FUNCTIONS, "/nonexistent/perf.data")
    tap.same((done.returncode, done.stdout), (1, ""), "status and output")
    assert "No such file" in done.stderr, done.stderr


fixtures.add_tests(sys.modules[__name__], SETS, check_top_functions)
fixtures.add_tests(sys.modules[__name__], SETS, check_documents)

if __name__ == "__main__":
    tap.main(__name__)
