#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reports of tally script that perf has as scripts, on crafted recordings; the expected text is that of perf 6.1.

usage: trace_reports.py TALLY
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
import trace_events  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("reports")
COMMS = ((1, "one"), (2, "two\x1b"))
FUTEX = trace_events.Trace({"syscalls:sys_enter_futex": "int nr; void * uaddr; long op", "syscalls:sys_exit_futex": "int nr; long ret"})
DROPS = trace_events.Trace({"skb:kfree_skb": "void * skbaddr; void * location"})


def report(trace, records, *words, status=0):
    path = os.path.join(WORK, "reports.data")
    with open(path, "wb") as file:
        file.write(trace.file_bytes(records, COMMS))
    done = tap.run(TALLY, "script", "-i", path, *words)
    assert done.returncode == status, done.stderr
    return done.stdout


def enter(time, address, operation=0, pid=1):
    return FUTEX.event("syscalls:sys_enter_futex", time, 202, address, operation, pid=pid)


def leave(time, pid=1):
    return FUTEX.event("syscalls:sys_exit_futex", time, 202, 0, pid=pid)


def test_futexes():
    text = report(FUTEX, [enter(100, 0x1000, 128), leave(200), enter(300, 0x1000), leave(500), enter(600, 0x1000), leave(1601),
                          enter(2000, 0x2000, 1, 2), leave(2100, 2), enter(3000, 0x3000, 0, 3), enter(3001, 0xffffffffffffff00, 0, 2),
                          leave(3005, 2), leave(3010, 3), leave(3011, 3)], "futex-contention")
    tap.same(text, "one[1] lock 1000 contended 3 times, 575 avg ns [max: 1001 ns, min 100 ns]\n"
                   "two\\x1b[2] lock ffffffffffffff00 contended 1 times, 4 avg ns [max: 4 ns, min 4 ns]\n"
                   ":3[3] lock 3000 contended 1 times, 10 avg ns [max: 10 ns, min 10 ns]\n", "futexes")


def test_millions_of_locks_are_not_quadratic():
    events = [one for at in range(30000) for one in (enter(2 * at, at, 0, at), leave(2 * at + 1, at))]
    tap.same(report(FUTEX, events, "futex-contention").count("\n"), 30000, "locks")


def test_dropped_packets():
    start = 0xffffffff81000000
    symbols = os.path.join(WORK, "kallsyms")
    with open(symbols, "w", encoding="utf-8") as file:
        file.write(f"{start:x} T _text\n{start + 16:x} T drop_it\n{start + 256:x} T _etext\n")
    events = [DROPS.event("skb:kfree_skb", at, 16, where) for at, where in enumerate((start + 21, 77, start + 21, start - 300, 0))]
    text = report(DROPS, [DROPS.kernel(start, 4096), *events], "--kallsyms", symbols, "net_dropmonitor")
    tap.same([line.split() for line in text.splitlines()],
             [["LOCATION", "OFFSET", "COUNT"], ["drop_it", "5", "2"], ["77", "0", "1"], [str(start - 300), "0", "1"], ["0", "0", "1"]],
             "places")
    tap.same(text.splitlines()[2], f"{77:25} {0:25} {1:25}", "columns")


tap.main(__name__)
