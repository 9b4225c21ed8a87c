#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally bench`: the lists, the text of each benchmark compared with perf's, and wrong options.

usage: benchmarks.py TALLY

The numbers are not compared, only their format.
"""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
PERF = shutil.which("perf")
PIPE, MESSAGING = ("sched", "pipe", "-l", "100"), ("sched", "messaging", "-g", "1", "-l", "2")
BASIC, HASH = ("syscall", "basic", "-l", "1000"), ("futex", "hash", "-r", "1", "-t", "2", "-f", "16")
COPY, FILL = ("mem", "memcpy", "-f", "default", "-s", "4KB"), ("mem", "memset", "-f", "default", "-s", "4KB", "-l", "3")
RUNS = [PIPE, (*PIPE, "-T"), MESSAGING, (*MESSAGING, "-t", "-p"), (*MESSAGING, "-p"), BASIC, COPY, FILL, HASH, (*HASH, "-s"), (*HASH, "-S")]
OPTION = re.compile(r"^ {4}-(\w), --([\w-]+)", re.M)


def shape(text):
    """Return a text without its numbers, and without units that depend on the speed."""
    text = re.sub(r"0x[0-9a-f]+|\b(?:\d+(?:\.\d+)?|inf)\b", "N", text)
    return re.sub(r" +N", " N", re.sub(r"\b(?:bytes|KB|MB|GB)/sec", "SPEED", text))


def bench(*words, **options):
    return tap.run(TALLY, "bench", *words, **options)


def perf(*words, **options):
    machine.need_perf()
    return tap.run(PERF, "bench", *words, **options)


def test_prints_what_perf_prints():
    for words in RUNS:
        for first in ((), ("-f", "simple"), ("-f", "default")):
            ours = bench(*first, *words, status=0).stdout
            tap.same(shape(ours), shape(perf(*first, *words).stdout), " ".join((*first, *words)))


def test_has_perfs_options():
    for words in (PIPE, MESSAGING, BASIC, COPY, FILL, HASH):
        theirs = perf(*words[:2], "-h")
        found = set(OPTION.findall(theirs.stdout + theirs.stderr))
        assert found, f"perf bench {words[:2]} -h was not understood"
        tap.same(found - set(OPTION.findall(bench(*words[:2], "-h", status=0).stdout)), set(), f"options of {words[:2]}")


def test_lists_are_perfs_without_what_is_missing():
    for words in ((), ("sched",), ("mem",), ("syscall",), ("futex",)):
        theirs = perf(*words).stdout.replace("perf bench", "tally bench").splitlines()
        ours = bench(*words, status=0).stdout.splitlines()
        tap.same([line for line in ours if line not in theirs], [], f"lines of bench {words} that perf does not have")
        assert len(ours) > 3, ours


def test_repeats():
    tap.same(len(bench("-r", "3", "-f", "simple", *PIPE, status=0).stdout.splitlines()), 3, "results")


def test_runs_a_collection():
    text = bench("mem", "all", status=0).stdout
    tap.same(re.findall(r"^# Running (.*)", text, re.M), ["mem/memcpy benchmark...", "mem/memset benchmark..."], "headings")


def test_all_functions_move_all_sizes():
    listed = bench("mem", "memcpy", "-f", "help", status=0).stdout
    names = re.findall(r"^\t(\S+) \.\.\.", listed, re.M)
    assert "default" in names, listed
    for size in ("1", "7b", "9B", "1KB", "65537"):
        text = bench("mem", "memcpy", "-s", size, status=0).stdout
        tap.same(re.findall(r"function '(.*?)'", text), names, f"functions, {size}")


def test_wrong_options_are_explained():
    for words, status, text in (
            (["-f", "bad", *PIPE], 129, "default or simple"), (["-r", "0", *PIPE], 129, "greater than 0"),
            (["sched", "pipe", "-l", "0"], 129, "'--loop'"), (["sched", "messaging", "-g", "0"], 129, "'--group'"),
            (["sched", "messaging", "-g", "99999999999"], 129, "so many"), (["futex", "hash", "-f", "0"], 129, "'--futexes'"),
            (["mem", "memcpy", "-s", "0"], 129, "64KB"), (["mem", "memcpy", "-s", "1XB"], 129, "1XB"),
            (["mem", "memcpy", "-s", "999999TB"], 1, "memory"), (["mem", "memset", "-f", "none"], 129, "'-f help'"),
            (["sched", "pipe", "word"], 129, "'word'"), (["sched", "pipe", "--word"], 129, "tally bench sched pipe --help"),
            (["sched", "nothing"], 1, "'tally bench sched'"), (["nothing"], 1, "'tally bench'"),
            (["numa"], 1, "use 'perf bench numa'"), (["mem", "find_bit"], 1, "use 'perf bench mem find_bit'")):
        bench(*words, status=status, says=text)


def test_no_task_is_left_if_tasks_cannot_be_started():
    for words in (("-t", "-g", "3"), ("-g", "3")):
        bench("sched", "messaging", *words, status=1, says="ulimit -n",
              preexec_fn=lambda: tap.resource.setrlimit(tap.resource.RLIMIT_NOFILE, (24, 24)))


def test_cycles_are_counted_or_refused():
    done = bench("mem", "memcpy", "-c", "-f", "default")
    assert "cycles/byte" in done.stdout if done.returncode == 0 else "cannot count cycles" in done.stderr, done


tap.main(__name__)
