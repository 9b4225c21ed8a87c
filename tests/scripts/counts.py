#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that scripts/count_tests.py never counts a failure in the output of tests as passed or skipped.

usage: counts.py SCRIPTS
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402

SCRIPT = os.path.join(sys.argv[1], "count_tests.py")

# For each case: output, exit status, expected counts "PASSED FAILED SKIPPED", and expected message.
TAP = {
    "passes": ("1..2\nok 1 - a\nok 2 - b", 0, "2 0 0", ""),
    "fails": ("1..2\nok 1 - a\nnot ok 2 - b\n# said", 0, "1 1 0", "FAILED: test: b\n# said"),
    "skips a point": ("1..2\nok 1 - a\nok 2 - b # SKIP no perf", 0, "1 0 1", "skipped: test: b: no perf"),
    "skips each point": ("1..2\nok 1 - a # SKIP one\nok 2 - b # SKIP two", 0, "0 0 2", "skipped: test: a: one\nskipped: test: b: two"),
    "skips for one reason": ("1..2\nok 1 - a # SKIP one\nok 2 - b # SKIP one", 0, "0 0 2", "skipped: test: a, b: one"),
    "skips without a reason": ("1..1\nok 1 - a # SKIP", 0, "0 0 1", "skipped: test: a: no reason given"),
    "cmocka skips": ("1..2\nok 1 - a\n# skipped: no ptrace\nnot ok 2 # SKIP b\n# ok - tests", 0, "1 0 1", "skipped: test: b: no ptrace"),
    "cmocka skips and fails": ("1..2\n# skipped: x\nnot ok 1 # SKIP a\nnot ok 2 - b\n# why", 1, "0 1 1", "FAILED: test: b\n# why"),
    "skips everything": ("1..0 # SKIP not root", 0, "0 0 1", "skipped: test: whole test: not root"),
    "skips everything, and fails": ("1..0 # SKIP not root", 1, "0 1 0", "FAILED: test (exit status 1)"),
    "ends after a skip": ("1..5\nok 1 - a\nok 2 - b # SKIP x", 0, "1 1 1", "FAILED: test (2 points of 5)"),
    "ends after the first skip": ("1..5\nok 1 - a # SKIP x", 0, "0 1 1", "FAILED: test (1 points of 5)"),
    "ends early": ("1..5\nok 1 - a", 0, "1 1 0", "FAILED: test (1 points of 5)"),
    "writes nothing": ("", 0, "0 1 0", "FAILED: test (no plan)"),
    "writes no plan": ("ok 1 - a", 0, "1 1 0", "FAILED: test (no plan)"),
    "writes more than planned": ("1..1\nok 1 - a\nok 2 - b # SKIP x", 0, "1 1 1", "FAILED: test (2 points of 1)"),
    "repeats a number": ("1..2\nok 1 - a\nok 1 - b", 0, "2 1 0", "FAILED: test (duplicate point)"),
    "gives up": ("1..1\nok 1 - a\nBail out! gone", 0, "1 1 0", "FAILED: test (Bail out! gone)"),
    "leaks at the end": ("1..1\nok 1 - a # SKIP x", 1, "0 1 1", "FAILED: test (exit status 1)"),
    "fails in its teardown": ("1..1\nok 1 - a", 106, "1 1 0", "FAILED: test (exit status 106)"),
    "speaks of a skip and fails": ("1..1\nnot ok 1 - reads a # SKIP line", 0, "0 1 0", "FAILED: test: reads a # SKIP line"),
    "has a # in a name": ("1..1\nok 1 - a#1 is #skipped", 0, "1 0 0", ""),
    "has other line ends in a name": ("1..1\nok 1 - a\u2028not ok 2 - b\x85", 0, "1 0 0", ""),
}
STATUS = {
    "passes": ("", "OK", "1 0 0", ""),
    "fails": ("said", "FAIL", "0 1 0", "FAILED: test (FAIL)\nsaid"),
    "skips": ("no libdw", "SKIP", "0 0 1", "skipped: test: whole test: no libdw"),
    "hangs": ("", "TIMEOUT", "0 1 0", "FAILED: test (TIMEOUT)"),
}


def counted(tests, log):
    with tempfile.TemporaryDirectory() as build:
        for folder in ("meson-info", "meson-logs"):
            os.mkdir(os.path.join(build, folder))
        with open(os.path.join(build, "meson-info", "intro-tests.json"), "w", encoding="utf-8") as file:
            json.dump(tests, file)
        with open(os.path.join(build, "meson-logs", "testlog.json"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(test) + "\n" for test in log)
        done = tap.run(sys.executable, SCRIPT, build)
    tap.same(done.returncode, 0, done.stderr)
    *lines, counts = done.stdout.rstrip("\n").split("\n")
    return "\n".join(lines), counts


def check(what, protocol, output, result, status, counts, printed):
    found, numbers = counted([{"name": "test", "protocol": protocol}],
                             [{"name": "test", "stdout": output, "result": result, "returncode": status, "duration": 1}])
    tap.same(numbers, counts, f"counts of a test that {what}")
    assert printed in found, (what, found)


def test_tap():
    for what, (output, status, counts, printed) in TAP.items():
        for verdict in tap.some(("OK", "SKIP", "FAIL", "ERROR"), 2):  # meson's verdict is ignored
            check(what, "tap", output, verdict, status, counts, printed)


def test_tap_that_hangs():
    check("hangs", "tap", "1..2\nok 1 - a # SKIP x", "TIMEOUT", -15, "0 1 1", "FAILED: test (1 points of 2, TIMEOUT)")
    check("hangs at once", "tap", "1..0 # SKIP x", "TIMEOUT", -15, "0 1 0", "FAILED: test (TIMEOUT)")


def test_exit_status():
    for what, (output, result, counts, printed) in STATUS.items():
        check(what, "exitcode", output, result, 0, counts, printed)


def test_that_did_not_run():
    tests = [{"name": "first", "protocol": "exitcode"}, {"name": "second", "protocol": "tap"}]
    found, counts = counted(tests, [{"name": "first", "result": "OK", "returncode": 0, "duration": 1}])
    tap.same(counts, "1 1 0", "a run that was cut off")
    assert found.startswith("FAILED: second (did not run)\nrepeat it: meson test -C "), found
    assert found.splitlines()[1].endswith(" -v second"), found


REPORTS = ("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1", "file.c:3:5: runtime error: index 9 out of bounds",
           "==7==ERROR: LeakSanitizer: detected memory leaks")


def test_a_sanitizers_report_is_shown_from_its_first_line():
    for first in REPORTS:
        stderr = "\n".join(["before", first, "#0 in culprit", *["legend"] * 40])
        for protocol, output in (("tap", "1..1\n"), ("exitcode", "")):
            found, counts = counted([{"name": "test", "protocol": protocol}], [
                {"name": "test", "stdout": output, "stderr": stderr, "result": "FAIL", "returncode": 99, "duration": 1}])
            tap.same(counts, "0 1 0", first)
            assert f"\n{first}\n#0 in culprit\n" in found and "before" not in found, found


def test_what_a_failed_point_wrote_on_standard_error_is_shown():
    found, counts = counted([{"name": "test", "protocol": "tap"}], [
        {"name": "test", "stdout": "1..1\nnot ok 1 - a\n", "stderr": "why\n", "result": "FAIL", "returncode": 1, "duration": 1}])
    tap.same(counts, "0 1 0", "a point that failed")
    assert "FAILED: test: a\nstandard error:\nwhy\n" in found, found


def test_control_characters_are_escaped():
    found, _ = counted([{"name": "test", "protocol": "exitcode"}], [
        {"name": "test", "stdout": "a\x1b[2Jb\u009b", "result": "FAIL", "returncode": 1, "duration": 1}])
    assert "a\\x1b[2Jb\\x9b" in found and "\x1b" not in found, found


def test_two_tests_of_one_name_are_a_failure():
    tests = [{"name": "same", "protocol": "exitcode"}] * 2
    found, counts = counted(tests, [{"name": "same", "result": result, "returncode": 0, "duration": 1} for result in ("FAIL", "OK")])
    tap.same(counts, "0 1 0", "two of one name")
    assert "FAILED: same (2 tests have this name)" in found, found


def test_names_of_suites():
    """Check the names of tests in several suites, for which meson's log puts the suite names before the test name."""
    tests = [{"name": "cli/stat", "protocol": "tap"}, {"name": "fuzz/elf", "protocol": "exitcode"}]
    log = [{"name": "tally:quick / cli/stat", "stdout": "1..1\nnot ok 1 - a", "result": "FAIL", "returncode": 1, "duration": 2},
           {"name": "tally:full / fuzz/elf", "result": "OK", "returncode": 0, "duration": 1}]
    found, counts = counted(tests, log)
    tap.same(counts, "1 1 0", "two suites")
    assert "FAILED: cli/stat: a\n" in found and found.endswith("slowest: cli/stat 2 s, fuzz/elf 1 s"), found


def test_the_slowest_come_first():
    tests = [{"name": str(at), "protocol": "exitcode"} for at in range(12)]
    found, _ = counted(tests, [{**test, "result": "OK", "returncode": 0, "duration": int(test["name"])} for test in tests])
    tap.same(found, "slowest: " + ", ".join(f"{at} {at} s" for at in range(11, 1, -1)), "slowest")


if __name__ == "__main__":
    tap.main(__name__)
