#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""stat record and stat report: files of tally and perf read by each other, intervals, aggregation, and hostile files.

usage: recorded.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("recorded")
THREAD_MAP, CPU_MAP, STAT_CONFIG, STAT, STAT_ROUND, EVENT_UPDATE = 73, 74, 75, 76, 77, 78
EVENTS = ["-e", "task-clock,page-faults"]


def path_of(name):
    return os.path.join(WORK, name)


def record(name, *words, program=TALLY):
    machine.need_events()
    path = path_of(name)
    done = tap.run(program, "stat", "record", "-o", path, *words)
    assert done.returncode == 0, done.stderr
    return path, done.stderr


def report(path, *words, status=0, program=TALLY):
    done = tap.run(program, "stat", "report", "-i", path, *words)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stderr


def lines(text):
    """Return the lines with counts, without metrics and repeated blanks."""
    return [" ".join(line.partition("#")[0].split()) for line in text.splitlines()
            if re.search(r"task-clock|page-faults|cpu-clock", line) and "Performance" not in line]


def test_the_report_shows_what_was_counted():
    path, shown = record("own.data", *EVENTS, "true")
    assert len(lines(shown)) == 2, shown
    tap.same(lines(report(path)), lines(shown), "lines")
    elapsed = re.search(r"[\d.]+ seconds time elapsed", shown)[0]
    text = report(path)
    assert elapsed in text and "stat record -o" in text, text


def test_files_are_exchanged_with_perf():
    machine.need_perf()
    path, shown = record("own.data", *EVENTS, "true")
    tap.same(lines(report(path, program="perf")), lines(shown), "tally's file in perf")
    theirs = path_of("perf.data")
    done = tap.run("perf", "stat", "record", "-o", theirs, *EVENTS, "true")
    assert done.returncode == 0, done.stderr
    tap.same(lines(report(theirs)), lines(done.stderr), "perf's file in tally")


def test_pipes():
    """Check that the recording has the pipe to itself, and that perf reads it."""
    machine.need_events()
    folder = path_of("pipes")
    os.makedirs(folder, exist_ok=True)
    for words in (["-o", "-"], []):
        done = tap.run(TALLY, "stat", "record", *words, *EVENTS, "echo", "said", cwd=folder, text=False)
        assert done.returncode == 0 and b"said\n" not in done.stdout and b"said\n" in done.stderr, done.stderr
        for program in [TALLY] + ["perf"] * (machine.need_perf.reason() is None):
            read = tap.run(program, "stat", "report", "-i", "-", input=done.stdout, text=False)
            shown = read.stderr.decode()
            assert read.returncode == 0 and "for 'pipe'" in shown, (program, shown)
            tap.same(lines(shown), lines(done.stderr.decode()), program)
    tap.same(os.listdir(folder), [], "files")


def test_intervals_and_aggregation():
    done = tap.run(TALLY, "stat", "record", "-a", "-I", "100", "-o", path_of("cpus.data"), "-e", "cpu-clock,page-faults", "sleep", "0.25")
    if done.returncode:
        raise tap.Skip("this machine does not count on all CPUs")
    path = path_of("cpus.data")
    tap.same(lines(report(path)), lines(done.stderr), "intervals")
    assert len(lines(report(path))) >= 2, report(path)
    per_cpu = [line.split()[1] for line in lines(report(path, "-A"))]
    assert all(name.startswith("CPU") for name in per_cpu) and len(per_cpu) == len(lines(report(path))) * len(set(per_cpu)), per_cpu
    text = report(path, "-A", "--per-core", status=129)
    assert "only one aggregation option" in text, text


def test_counts_that_are_not_by_cpu():
    path, _ = record("own.data", *EVENTS, "true")
    text = report(path, "-A", status=1)
    assert "were not recorded by CPU" in text, text


def test_existing_files():
    machine.need_events()
    path = path_of("kept.data")
    with open(path, "w", encoding="ascii") as file:
        file.write("int main;\n")
    done = tap.run(TALLY, "stat", "record", "-o", path, *EVENTS, "true")
    if done.returncode == 0:
        with open(path + ".old", encoding="ascii") as file:
            tap.same(file.read(), "int main;\n", "the old file")
    done = tap.run(TALLY, "stat", "record", "-o", "/dev/null", *EVENTS, "true")
    assert done.returncode == 1 and "regular file" in done.stderr, done.stderr


def test_a_command_that_cannot_run_leaves_no_file():
    machine.need_events()
    path = path_of("none.data")
    done = tap.run(TALLY, "stat", "record", "-o", path, *EVENTS, "/nowhere/x")
    assert done.returncode == 127 and not os.path.exists(path), (done.returncode, done.stderr)


def test_refusals():
    for words, text in ((["record", "-r", "2", "true"], "-r cannot be combined"),
                        (["record", "--dry-run", "true"], "cannot be combined with --plan"),
                        (["-e", "cpu-clock", "report"], "must follow the word 'report'")):
        done = tap.run(TALLY, "stat", *words)
        assert done.returncode == 129 and text in done.stderr, (words, done.returncode, done.stderr)
    done = tap.run(TALLY, "stat", "--", "record")
    assert done.returncode == 127, done.stderr
    path = path_of("samples.data")
    with open(path, "wb") as file:
        file.write(crafted.file_bytes([crafted.sample(0x10)]))
    assert "has no counts" in report(path, status=1)


def stat_file(name, *records, event="cycles"):
    attr = crafted.attr(crafted.IDENTIFIER, kind=0)
    ids = crafted.record(crafted.FINISHED_ROUND, u64(10))
    path = path_of(name)
    with open(path, "wb") as file:
        file.write(crafted.file_bytes([ids, *records], [attr], {crafted.FEATURE_EVENT_DESC: crafted.event_desc((attr, event, (10,))), 19: b""},
                                      ids=[(104 + len(attr) + 16 + 8, 8)]))
    return path


def count(value, cpu=-1, thread=0, number=10, running=1000):
    return crafted.record(STAT, u64(number) + u32(cpu, thread) + u64(value, 1000, running))


def last(time=10**9, kind=1):
    return crafted.record(STAT_ROUND, u64(kind, time))


def threads(*comms):
    return crafted.record(THREAD_MAP, u64(len(comms)) + b"".join(u64(100 + at) + comm.ljust(16, b"\0") for at, comm in enumerate(comms)))


def config(mode):
    return crafted.record(STAT_CONFIG, u64(1, 0, mode))


def test_scaled_counts_and_units():
    path = stat_file("scaled.data", crafted.record(EVENT_UPDATE, u64(0, 10) + crafted.text("Joules")),
                     crafted.record(EVENT_UPDATE, u64(1, 10) + b"\0\0\0\0\0\0\xe0\x3f"), count(500, running=500), last())
    text = report(path, "-x", ",")
    assert text.startswith("500.00,Joules,cycles,500,50.00"), text


def test_threads_are_named():
    path = stat_file("threads.data", threads(b"one", b"two\x1b[2J"), config(5), count(1, thread=0), count(2, thread=1), last())
    text = report(path)
    assert "one-100" in text and "\x1b" not in text, text
    for form in (["-x", ","], ["-j"], ["--json"]):
        text = report(path, *form)
        assert "two" in text and "\x1b" not in text, text


def test_names_cannot_control_the_terminal():
    path = stat_file("names.data", crafted.record(EVENT_UPDATE, u64(0, 10) + crafted.text(b"\x1b[2J")), count(1), last(), event=b"\x1b[2Jx\n")
    for form in ([], ["-x", ","], ["-j"], ["--json"]):
        text = report(path, *form)
        assert "\x1b" not in text, (form, text)


def test_damaged_files():
    for name, records in (("cpu.data", [count(1, cpu=3), last(), count(1, cpu=3), count(2, cpu=4), last(2 * 10**9)]),
                          ("event.data", [count(1), count(1, number=99), last()])):
        text = report(stat_file(name, *records))
        assert "skipped 1 counts" in text, text
    text = report(stat_file("unfinished.data", count(1), last(), count(2)))
    assert "skipped the counts of an unfinished round" in text, text
    text = report(stat_file("huge.data", count(1, thread=0xfffffff0), last()), status=1)
    assert "does not have a count for each" in text, text
    many = [count(1, cpu=number, thread=number) for number in range(3000)]
    assert "does not have a count for each" in report(stat_file("square.data", *many, last()), status=1)


tap.main(__name__)
