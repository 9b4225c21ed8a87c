#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test command-line arguments: files, symbols, and spelling mistakes.

usage: words.py TALLY
"""
import os
import re
import resource
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
READERS = ("report", "script", "evlist", "buildid-list")


def made(folder, name, *command):
    return steps.record(os.path.join(folder, name), "-q", "-e", "cpu-clock", "-c", "100000", "--", *command)


def rows(*words, cwd):
    run = tap.run(TALLY, "report", "-q", "-s", "symbol", *words, cwd=cwd, status=0)
    return [line for line in run.stdout.splitlines() if line.strip()], run.stderr


BUSY = ("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")


def test_a_recording_named_by_a_word_is_read():
    with tempfile.TemporaryDirectory() as folder:
        made(folder, "perf.data", "true")
        path = made(folder, "other.data", *BUSY)
        for command in READERS:
            want = tap.run(TALLY, command, "-i", path, cwd=folder)
            got = tap.run(TALLY, command, "other.data", cwd=folder)
            assert got.stdout and not got.returncode, got.stderr
            tap.same(got.stdout, want.stdout, command)
            assert got.stdout != tap.run(TALLY, command, cwd=folder).stdout or command == "evlist", command


def test_another_word_filters_symbols_in_report():
    with tempfile.TemporaryDirectory() as folder:
        made(folder, "perf.data", *BUSY)
        every, _ = rows(cwd=folder)
        names = [re.search(r"\[.\] (\S+)", row) for row in every]
        part = next(name.group(1)[1:5] for name in names if name and not name.group(1).startswith("0x"))
        some, _ = rows(part, cwd=folder)
        assert some and all(part in row for row in some), (part, some)
        tap.same(some, rows("--symbol-filter", part, cwd=folder)[0], "the option does the same")
        none, said = rows("no_such_symbol", cwd=folder)
        assert not none and "no row has a symbol with a name containing 'no_such_symbol'" in said, said


def test_other_words_are_usage_errors():
    with tempfile.TemporaryDirectory() as folder:
        made(folder, "perf.data", "true")
        for line in ("script flamegraphs", "script report x", "script record x", "evlist nothing", "evlist /etc",
                     "buildid-list nothing", "version foo", "report one two", "evlist /dev/zero"):
            run = tap.run(TALLY, *line.split(), cwd=folder, status=129)
            word = line.split()[-1] if "script" not in line else line.split()[1]
            assert f"'{word}'" in run.stderr and "--help" in run.stderr and not run.stdout, (line, run.stderr)
            assert "script" not in line or "tally script -l" in run.stderr, run.stderr


def test_no_fifo_is_opened_to_see_what_it_is():
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(os.path.join(folder, "fifo"))
        tap.run(TALLY, "evlist", "fifo", cwd=folder, status=129, says="'fifo'")


def test_spelling_mistakes_get_suggestions():
    slips = {
        "recrod": "record", "reprot": "report", "stats": "stat", "help scirpt": "script", "bulidid-list": "buildid-list",
        "record --frq 9 true": "--freq", "report --no-demangel": "--no-demangle", "report --sotr=dso": "--sort",
        "stat --repaet 3 true": "--repeat", "script --feilds ip": "--fields", "buildid-list --kernell": "--kernel",
    }
    for line, meant in slips.items():
        run = tap.run(TALLY, *line.split())
        assert run.returncode in (1, 129), (line, run.returncode)
        assert f"did you mean '{meant}'?" in run.stderr, (line, run.stderr)
    for line in ("frobnicate", "report --frobnicate", "foo"):
        assert "did you mean" not in tap.run(TALLY, *line.split()).stderr, line


def test_ambiguous_options_are_listed():
    run = tap.run(TALLY, "report", "--std", status=129)
    assert "'--stdio'" in run.stderr and "'--stdio-color'" in run.stderr, run.stderr


def test_filters_say_what_samples_lack():
    with tempfile.TemporaryDirectory() as folder:
        made(folder, "perf.data", *BUSY)
        for command in ("script", "report"):
            run = tap.run(TALLY, command, "--cpu", "0", cwd=folder)
            tap.same((run.returncode, run.stdout), (1, ""), run.stderr)
            assert "--cpu cannot be applied to" in run.stderr and "--sample-cpu" in run.stderr, run.stderr
        run = tap.run(TALLY, "script", "--time", "1,1e", cwd=folder)
        assert "option '--time': invalid range" in run.stderr, run.stderr
        run = tap.run(TALLY, "record", "-q", "--sample-cpu", "-e", "cpu-clock", "-c", "100000", "-o",
                      os.path.join(folder, "cpus.data"), "--", *BUSY)
        every = tap.run(TALLY, "script", "cpus.data", cwd=folder).stdout
        parts = [tap.run(TALLY, "script", "cpus.data", "--cpu", cpus, cwd=folder).stdout for cpus in ("0", "1-4095")]
        tap.same(sorted("".join(parts).splitlines()), sorted(every.splitlines()), "every sample has one CPU")


def test_list_warns_of_what_was_asked_for():
    nobody = dict(os.environ, PERF_CPUID="Nobody-1-2")
    tap.same(tap.run(TALLY, "list", "sw", env=nobody).stderr, "", "list sw")
    assert "no event table" in tap.run(TALLY, "list", "metric", env=nobody).stderr


def test_reports_a_file_size_limit():
    """Check that read-only commands report hitting RLIMIT_FSIZE as an output error."""
    with tempfile.TemporaryDirectory() as folder:
        made(folder, "perf.data", *BUSY)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
        for command in (["script"], ["script", "--dump-json"], ["report", "-s", "symbol,pid"]):
            with open(os.path.join(folder, "out"), "wb") as out:
                run = tap.run(TALLY, *command, cwd=folder, stdout=out, preexec_fn=limit)
            size = os.path.getsize(os.path.join(folder, "out"))
            assert run.returncode == 1 or 0 < size < 4096, (command, run.returncode, size)
            assert run.returncode != 1 or "cannot write the output" in run.stderr, run.stderr
            assert "perf.data:" not in run.stderr, run.stderr


def test_names_of_outputs_are_escaped():
    machine.need_events()
    with tempfile.TemporaryDirectory() as folder:
        run = tap.run(TALLY, "record", "-e", "cpu-clock", "-o", os.path.join(folder, "o\x1b[2J\nx"), "true")
        assert "\x1b" not in run.stderr and "o\\x1b[2J\\nx" in run.stderr, run.stderr
        program = os.path.join(folder, "p\x1b[2J\nFAKE")
        os.symlink("/bin/true", program)
        run = tap.run(TALLY, "stat", "-e", "task-clock", program)
        assert "\x1b" not in run.stderr and "\nFAKE" not in run.stderr, run.stderr


def test_errors_are_printed_once():
    with tempfile.TemporaryDirectory() as folder:
        made(folder, "perf.data", "true")
        run = tap.run(TALLY, "report", "-s", "bogus", cwd=folder)
        tap.same((run.returncode, run.stderr.count("bogus")), (1, 1), run.stderr)


tap.main(__name__)
