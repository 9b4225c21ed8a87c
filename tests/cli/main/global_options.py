#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Options before the command, lists for shell completion, and tally started as perf.

usage: global_options.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("global-options")
PERF = os.path.join(WORK, "perf")
os.symlink(TALLY, PERF)


def test_lists_for_shells():
    commands = tap.run(TALLY, "--list-cmds").stdout.split()
    assert {"record", "report", "stat", "script", "list"} <= set(commands), commands
    for command in commands:
        names = tap.run(TALLY, command, "--list-opts").stdout.split()
        assert all(re.fullmatch(r"--[\w-]+", name) for name in names), (command, names)
        text = tap.run(TALLY, "help", command).stdout
        assert all(name in text for name in names), (command, names)
    assert "--sort" in tap.run(TALLY, "report", "--list-opts").stdout.split()
    assert "--no-pager" in tap.run(TALLY, "--list-opts").stdout.split()


def test_event_names_for_shells():
    names = tap.run(TALLY, "list", "--raw-dump", "sw").stdout
    assert names.endswith("\n") and names.count("\n") == 1 and "page-faults" in names.split(), names


def test_values_of_options():
    path = os.path.join(WORK, "x.data")
    with open(path, "wb") as file:
        file.write(crafted.file_bytes([crafted.sample(1)]))
    for words in (["--buildid-dir", WORK], [f"--buildid-dir={WORK}"], ["--debug", "verbose=1"], ["--no-pager", "--debug=x"]):
        done = tap.run(TALLY, *words, "evlist", "-i", path)
        assert done.returncode == 0 and "cpu-clock" in done.stdout, (words, done.stderr)
    done = tap.run(TALLY, "--buildid-dir")
    assert done.returncode == 129 and "requires an argument" in done.stderr, done.stderr
    done = tap.run(TALLY, "--tracefs-dir", "/x", "list")
    assert done.returncode == 129 and "not supported" in done.stderr and "hint:" in done.stderr, done.stderr
    assert os.path.samefile(tap.run(TALLY, "--exec-path").stdout.strip(), os.path.dirname(os.path.realpath(TALLY)))


def test_started_as_perf():
    for words in (["version"], ["--version"], ["-v"]):
        assert re.match(r"perf version \d+\.\d+", tap.run(PERF, *words).stdout), words
    assert tap.run(TALLY, "--version").stdout.startswith("tally version "), "name"
    for command in ("report", "script", "annotate", "evlist", "buildid-list"):
        tap.same([tap.run(program, command, "-i", "/nowhere/x").returncode for program in (PERF, TALLY)], [255, 1], command)
    tap.same(tap.run(PERF, "report", "--nonsense").returncode, 129, "wrong option")
    tap.same(tap.run(PERF, "nonsense").returncode, 1, "wrong command")


def test_hints_do_not_name_the_program_itself():
    for words in (["inject", "-s"], ["sched"]):
        told, plain = (tap.run(program, *words).stderr for program in (PERF, TALLY))
        assert "the command 'perf' is tally here" in told and "is tally here" not in plain, (words, told, plain)
    done = tap.run(PERF, "archive")
    assert done.returncode == 129 and "'archive -o FILE'" in done.stderr, done.stderr
    text = tap.run(TALLY, "list", "--no-desc", "sw")
    assert not text.stderr and "[CPU time in ns]" not in text.stdout, text


def test_command_lines_that_programs_start():
    """perf2bolt and llvm-profgen start these, and read standard output."""
    path = os.path.join(WORK, "bolt.data")
    with open(path, "wb") as file:
        file.write(crafted.file_bytes([crafted.comm(1, "prog"), crafted.mmap(1, 0x1000, 0x1000, "/bin/prog"),
                                       crafted.fork(2, 1, 3), crafted.sample(0x1004, time=5)]))
    for words, wanted in ((["--show-mmap-events", "--no-itrace"], "PERF_RECORD_MMAP 1/1"),
                          (["--show-task-events", "--no-itrace"], "PERF_RECORD_FORK(2:2):(1:1)"),
                          (["-F", "pid,event,ip", "--no-itrace"], "1004"), (["-F", "pid,ip", "--itrace=i0ns"], "1004"),
                          (["--header", "-F", "comm"], "# ========")):
        done = tap.run(PERF, "script", *words, "-f", "-i", path)
        assert done.returncode == 0 and wanted in done.stdout, (words, done.stdout, done.stderr)


tap.main(__name__)
