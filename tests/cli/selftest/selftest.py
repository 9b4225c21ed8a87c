#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally test`: its result here and without permissions, the selection of tests, and perf's options.

usage: selftest.py TALLY
"""
import errno
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
LINE = re.compile(r"^ *(\d+): (.*?) *: (Ok|FAILED!|Skip(?: \((.+)\))?)$")


def selftest(*words, **options):
    # One of the tests traces this program, which LeakSanitizer does not permit.
    return tap.run(TALLY, "test", *words, env=tap.without_leaks(), **options)


def results(*words, **options):
    """Return {name: (number, result)}."""
    lines = [LINE.match(line) for line in selftest(*words, **options).stdout.splitlines()]
    assert lines and all(lines), lines
    return {line[2]: (int(line[1]), line[3]) for line in lines}


def listed():
    return re.findall(r"^ *(\d+): (.*)$", selftest("list", status=0).stdout, re.M)


@tap.always
def test_no_test_fails():
    machine.need_events()
    found = results(status=0)
    tap.same([(str(number), name) for name, (number, _) in found.items()], listed(), "tests that ran")
    for name in ("Parse event strings", "Count page faults", "Sample page faults and drain the ring buffer",
                 "Record a command and read the recording", "Report where a recording is cut"):
        tap.same(found[name][1], "Ok", name)


def test_forbidden_calls_are_skipped_with_the_reason():
    for kills in (False, True):
        found = results(status=0, preexec_fn=rights.seccomp(errno.EPERM, kills=kills))
        skipped = [result for _, result in found.values() if result.startswith("Skip")]
        assert len(skipped) > 10 and all("seccomp" in result for result in skipped), found
        tap.same(found["Parse event strings"][1], "Ok", "a test that opens no events")


def test_nothing_is_left_in_tmp():
    before = {name for name in os.listdir("/tmp") if name.startswith("tally-test-")}
    selftest("recording")
    tap.same({name for name in os.listdir("/tmp") if name.startswith("tally-test-")} - before, set(), "files in /tmp")


def test_selects_by_number_and_part_of_the_name():
    names = dict(listed())
    tap.same(list(results("1", "3", status=0)), [names["1"], names["3"]], "numbers")
    tap.same(list(results("eVENT STrings", status=0)), [name for name in names.values() if "event strings" in name], "part of the name")
    listing = selftest("list", "errors", status=0).stdout
    tap.same(listing.count("\n"), 1, "lines of a list with a word")
    selftest("nonsense", status=1, says="'tally test list'")
    selftest("99", status=1, says="'99'")


def test_skips():
    found = results("1", "2", "-s", "2,7", status=0)
    tap.same([result for _, result in found.values()], ["Ok", "Skip (user override)"], "results")
    selftest("-s", "x", status=129, says="not 'x'")


def test_verbose_prints_what_perf_prints():
    ours = selftest("-v", "1", status=0).stdout
    machine.need_perf()
    theirs = tap.run(shutil.which("perf"), "test", "-v", "Parse perf pmu format")
    frame = re.compile(r"^(--- start ---|test child forked, pid \d+|---- end ----|.*: Ok)$", re.M)
    tap.same([re.sub(r"\d+", "N", line).rpartition(":")[2] for line in frame.findall(ours)],
             [re.sub(r"\d+", "N", line).rpartition(":")[2] for line in frame.findall(theirs.stdout + theirs.stderr)], "lines around a test")


def test_runs_in_the_same_process():
    tap.same([result for _, result in results("-F", "event strings", status=0).values()], ["Ok", "Ok"], "results")


def test_workloads():
    for name in ("faults", "noploop"):
        tap.same(selftest("-w", name, status=0).stdout, "", name)
    selftest("-w", "nothing", status=1, says="noploop")


def test_has_perfs_options():
    machine.need_perf()
    theirs = tap.run(shutil.which("perf"), "test", "-h")
    option = re.compile(r"^ {4}-(\w), --([\w-]+)", re.M)
    found = set(option.findall(theirs.stdout + theirs.stderr))
    assert len(found) > 3, theirs
    tap.same(found - set(option.findall(selftest("-h", status=0).stdout)), set(), "options of perf test")


tap.main(__name__)
