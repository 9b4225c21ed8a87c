#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that recordings can be read without the command line: examples/top_functions.c with the public headers, and a
program that writes documents with src/session, src/export and src/page. Both must agree with the commands.

usage: analysis.py TALLY TOP_FUNCTIONS DOCUMENTS FIXTURES SHARED
"""
import collections
import ctypes
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
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


def crafted_file(name, data):
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def samples(*periods):
    return [crafted.mmap(1, 0x400000, 0x1000, "/nonexistent")] + [
        crafted.sample(0x400000 + i, time=2 + i, period=period) for i, period in enumerate(periods)]


def test_a_truncated_recording_is_an_error():
    whole = crafted.file_bytes(samples(1, 1, 1, 1))
    for cut, status in ((0, 0), (5, 1), (50, 1)):
        done = run(TOP_FUNCTIONS, crafted_file("cut.data", whole[:len(whole) - cut]))
        tap.same(done.returncode, status, f"{cut} bytes cut off")
        assert "samples" in done.stdout, done.stdout


def test_sums_of_periods_do_not_overflow():
    done = run(TOP_FUNCTIONS, crafted_file("huge.data", crafted.file_bytes(samples(1 << 63, 1 << 63, 1 << 63))))
    assert done.returncode == 0 and float(ROW.match(done.stdout.splitlines()[1])[1]) <= 100, done.stdout


def test_both_sums_of_a_report_are_the_same():
    path = crafted_file("half.data", crafted.file_bytes(samples(1 << 63, 1 << 63, 5)))
    (event,) = json.loads(run(TALLY, "report", "-i", path, "--json", *OPTIONS).stdout)["events"]
    tap.same(event["period"], event["total_period"], "sums of periods")


def test_a_damaged_feature_is_told_once():
    data = crafted.file_bytes(samples(1, 1), features={3: b"\xff" * 8})
    done = run(TALLY, "report", "-i", crafted_file("feature.data", data), *OPTIONS)
    assert "cannot parse the feature" in done.stderr and "more times" not in done.stderr, done.stderr


def test_prints_no_control_characters():
    done = run(TOP_FUNCTIONS, crafted_file("escape\033\n.data", b"no recording"))
    assert done.returncode == 1 and "escape??.data" in done.stderr, done.stderr


def test_a_full_disk_is_an_error():
    path = crafted_file("whole.data", crafted.file_bytes(samples(1)))
    with open("/dev/full", "w") as full:
        done = subprocess.run([TOP_FUNCTIONS, path], stdout=full, stderr=subprocess.PIPE, text=True, timeout=tap.PATIENCE)
    assert done.returncode == 1 and "No space left" in done.stderr, done.stderr


def test_damage_is_told_before_debug_information_is_fetched():
    """Check that a damaged file is shown up to the damage with --debuginfod as well, and that its error is printed."""
    try:
        ctypes.CDLL("libdebuginfod.so.1")
    except OSError as error:
        raise tap.Skip(str(error)) from error
    damaged = crafted_file("zero.data", crafted.file_bytes(samples(1, 1) + [bytes(64)]))
    plain = run(TALLY, "report", "-i", damaged, *OPTIONS)
    fetching = run(TALLY, "report", "--debuginfod=http://127.0.0.1:1/", "-i", damaged, *OPTIONS)
    tap.same((fetching.returncode, fetching.stdout), (plain.returncode, plain.stdout), "status and output")
    assert plain.stderr.strip().splitlines()[-1] in fetching.stderr, fetching.stderr


fixtures.add_tests(sys.modules[__name__], SETS, check_top_functions)
fixtures.add_tests(sys.modules[__name__], SETS, check_documents)

if __name__ == "__main__":
    tap.main(__name__)
