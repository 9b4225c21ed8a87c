#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reports of tally script that count tracepoints, on crafted recordings: the numbers are known.

usage: trace_counts.py TALLY
"""
import os
import platform
import re
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import tap  # noqa: E402
from crafted import u32  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("counts")
ARCH = 6
ENTER, EXIT, WAKEUP, SWITCH, ENTER_READ, EXIT_READ, ENTER_WRITE = range(900, 907)
NAMES = {ENTER: "sys_enter", EXIT: "sys_exit", WAKEUP: "sched_wakeup", SWITCH: "sched_switch", ENTER_READ: "sys_enter_read",
         EXIT_READ: "sys_exit_read", ENTER_WRITE: "sys_enter_write"}
FIELDS = {ENTER: ("id",), EXIT: ("id", "ret"), WAKEUP: ("pid",), SWITCH: ("next_pid",), ENTER_READ: ("fd", "count"),
          EXIT_READ: ("ret",), ENTER_WRITE: ("fd", "count")}


def trace_format(number):
    line = "\tfield:{};\toffset:{};\tsize:{};\tsigned:{};\n"
    common = (("unsigned short common_type", 0, 2), ("unsigned char common_flags", 2, 1),
              ("unsigned char common_preempt_count", 3, 1), ("int common_pid", 4, 4))
    fields = "".join(line.format(*one, 0) for one in common) + "\n"
    fields += "".join(line.format(f"long {name}", 8 + 8 * at, 8, 1) for at, name in enumerate(FIELDS[number]))
    return f'name: {NAMES[number]}\nID: {number}\nformat:\n{fields}\nprint fmt: ""\n'.encode()


def event(number, pid, time, *values):
    raw = u32(number, pid) + struct.pack(f"<{len(values)}q", *values)
    more = crafted.u64(number) + u32(len(raw) + 4) + raw + bytes(4)
    return crafted.record(crafted.SAMPLE, crafted.u64(number, 0x1000) + u32(pid, pid) + crafted.u64(time, 1) + more[8:], crafted.USER)


def write(name, samples, arch=None):
    path = os.path.join(WORK, name)
    kinds = crafted.DEFAULT_TYPE | crafted.RAW | crafted.IDENTIFIER
    attrs = [crafted.attr(kinds, kind=2, config=number) for number in NAMES]
    # Each attr has one ID, its number. The IDs follow the attrs.
    ids = b"".join(crafted.u64(number) for number in NAMES)
    at = 104 + (len(attrs[0]) + 16) * len(attrs)
    features = {1: crafted.tracing_formats("sys", *(trace_format(number) for number in NAMES))}
    if arch:
        features[ARCH] = crafted.padded(arch)
    tasks = [crafted.record(3, u32(pid, pid) + crafted.text(comm) + u32(pid, pid) + crafted.u64(0, ENTER))
             for pid, comm in ((1, "one"), (2, "two\x1b"))]
    data = crafted.file_bytes([crafted.record(200, ids), *tasks, *samples], attrs, features,
                              ids=[(at + 8 + 8 * place, 8) for place in range(len(attrs))])
    with open(path, "wb") as file:
        file.write(data)
    return path


def counted(path, *words):
    done = tap.run(TALLY, "script", "-i", path, *words)
    assert done.returncode == 0, done.stderr
    return [re.split(r"  +", line.strip()) for line in done.stdout.splitlines() if line.strip()]


def test_system_calls():
    path = write("calls.data", [event(ENTER, 1, 1, 5), event(ENTER, 1, 2, 5), event(ENTER, 2, 3, 100000), event(EXIT, 1, 4, 5, -2),
                                event(EXIT, 2, 5, 5, 7), event(EXIT, 2, 6, 5, -13)])
    tap.same(counted(path, "syscall-counts"), [["syscall", "count"], ["5", "2"], ["100000", "1"]], "calls")
    tap.same(counted(path, "syscall-counts", "one"), [["syscall", "count"], ["5", "2"]], "calls of a thread")
    tap.same(counted(path, "report", "syscall-counts-by-pid"),
             [["comm [tid]", "syscall", "count"], ["one [1]", "5", "2"], ["two\\x1b [2]", "100000", "1"]], "by thread")
    tap.same(counted(path, "failed-syscalls"), [["comm", "errors"], ["one", "1"], ["two\\x1b", "1"]], "failed")
    tap.same(counted(path, "failed-syscalls-by-pid")[1:],
             [["one [1]", "5", "No such file or directory", "1"], ["two\\x1b [2]", "5", "Permission denied", "1"]], "failed by thread")


def test_system_calls_have_names_if_the_machine_is_the_same():
    path = write("named.data", [event(ENTER, 1, 1, 0)], platform.machine())
    name = counted(path, "syscall-counts")[1][0]
    assert re.fullmatch(r"[a-z]\w+", name), name
    path = write("other.data", [event(ENTER, 1, 1, 0)], "other")
    tap.same(counted(path, "syscall-counts")[1][0], "0", "number")


def test_samples_without_the_fields_are_left_out():
    path = write("short.data", [event(ENTER, 1, 1, 5), event(ENTER, 1, 2), event(SWITCH, 1, 3)])
    done = tap.run(TALLY, "script", "-i", path, "syscall-counts", status=0)
    assert "syscall-counts leaves out, because they lack fields: 1\n" in done.stderr, done.stderr
    tap.same(counted(path, "syscall-counts")[1:], [["5", "1"]], "calls")


def test_reads_and_writes():
    path = write("io.data", [event(ENTER_READ, 1, 1, 3, 100), event(EXIT_READ, 1, 2, 40), event(ENTER_READ, 1, 3, 3, 100),
                             event(EXIT_READ, 1, 4, -4), event(ENTER_WRITE, 1, 5, 1, 8), event(ENTER_WRITE, 2, 6, 2, 9)])
    tap.same(counted(path, "rw-by-pid")[1:], [["one [1]", "2", "200", "40", "1", "8"], ["two\\x1b [2]", "0", "0", "0", "1", "9"]], "threads")
    tap.same(counted(path, "rw-by-file", "one")[1:], [["3", "2", "200", "0", "0"], ["1", "0", "0", "1", "8"]], "files")


def test_wakeups():
    path = write("wake.data", [event(WAKEUP, 1, 1000, 7), event(SWITCH, 1, 1500, 7), event(SWITCH, 1, 1600, 7),
                               event(WAKEUP, 1, 2000, 8), event(WAKEUP, 1, 2100, 9), event(SWITCH, 1, 2200, 9), event(SWITCH, 1, 3000, 8)])
    lines = [" ".join(words) for words in counted(path, "wakeup-latency")]
    tap.same(lines, ["total_wakeups: 3", "avg_wakeup_latency (ns): 533", "min_wakeup_latency (ns): 100",
                     "max_wakeup_latency (ns): 1000"], "latency")


def test_messages():
    path = write("none.data", [event(SWITCH, 1, 1, 7)])
    done = tap.run(TALLY, "script", "-i", path, "syscall-counts")
    assert "no samples that syscall-counts counts" in done.stderr and "tally script record syscall-counts" in done.stderr, done.stderr
    done = tap.run(TALLY, "script", "rw-by-file", "one", "two")
    assert done.returncode == 129 and "takes [COMM], not also 'two'" in done.stderr, done.stderr
    names = tap.run(TALLY, "script", "-l").stdout
    assert "syscall-counts" in names and "wakeup-latency" in names, names


tap.main(__name__)
