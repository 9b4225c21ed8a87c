#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test report --sort: check the number of samples in the rows for each key, and compare the rows with perf's for the
same recording.

usage: keys.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("keys")
# process: {thread: number of samples}
TASKS = {100: {100: 5, 101: 3, 102: 2}, 200: {200: 1}}


def recording():
    path, records, time = os.path.join(WORK, "perf.data"), [], 0
    for pid, threads in TASKS.items():
        records.append(crafted.comm(pid, "task"))
        for tid, nr in threads.items():
            if tid != pid:
                records.append(crafted.record(crafted.FORK, crafted.u32(pid, pid, tid, pid) + crafted.u64(0) + crafted.trailer(pid, 0)))
            for _ in range(nr):
                time += 1
                records.append(crafted.record(crafted.SAMPLE, crafted.u64(0x1000) + crafted.u32(pid, tid) + crafted.u64(time, 1), crafted.USER))
    with open(path, "wb") as file:
        file.write(crafted.file_bytes(records))
    return path


def rows(key, tool=TALLY):
    """Return {number: samples} from the rows for a key."""
    text = tap.run(tool, "report", "--stdio", "-n", "-s", key, "-i", recording(), status=0).stdout
    found = re.findall(r"^ +[\d.]+% +(\d+) +(\d+):task *$", text, re.M)
    return {int(number): int(samples) for samples, number in found}


THREADS = {tid: nr for threads in TASKS.values() for tid, nr in threads.items()}


def test_pid_and_tid_are_threads():
    for key in ("pid", "tid"):
        tap.same(rows(key), THREADS, key)


def test_tgid_is_processes():
    tap.same(rows("tgid"), {pid: sum(threads.values()) for pid, threads in TASKS.items()}, "tgid")


def test_perfs_pid_is_threads():
    machine.need_perf()
    tap.same(rows("pid", "perf"), THREADS, "perf report -s pid")


tap.main(__name__)
