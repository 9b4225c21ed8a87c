#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test samples that have their user callers in a separate record (PERF_RECORD_CALLCHAIN_DEFERRED), in both byte orders.

usage: deferred.py TALLY [CORPUS], where CORPUS is fuzz/corpus: files for it are generated instead of testing
"""
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import (CALLCHAIN, COMM, CONTEXT_KERNEL, CONTEXT_USER, EXIT, IP, KERNEL, MMAP, PERIOD, SAMPLE, TID, TIME, USER)  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("deferred")
DEFERRED, COMM_EXEC, FINISHED_ROUND = 22, 1 << 13, 68
CONTEXT_USER_DEFERRED = (1 << 64) - 640
KINDS = IP | TID | TIME | PERIOD | CALLCHAIN
# Bits of mmap, comm, task, sample_id_all, comm_exec, defer_callchain and defer_output.
FLAGS = (8, 9, 13, 18, 24, 38, 39)
KERNEL_TEXT, PROGRAM = 0xffffffff81000000, 0x400000
KERNEL_PART = (CONTEXT_KERNEL, KERNEL_TEXT + 16)


class Order:
    """Records in one byte order. A sample has the fields in KINDS; other records end with the PID, TID and
    timestamp."""

    def __init__(self, sign):
        self.sign, self.is_big = sign, sign == ">"

    def u32(self, *values):
        return struct.pack(f"{self.sign}{len(values)}I", *values)

    def u64(self, *values):
        return struct.pack(f"{self.sign}{len(values)}Q", *values)

    def record(self, kind, body, misc=0):
        return struct.pack(self.sign + "IHH", kind, misc, 8 + len(body)) + body

    def text(self, name):
        return name.encode() + bytes(8 - len(name) % 8)

    def trailer(self, tid, time):
        return self.u32(tid, tid) + self.u64(time)

    def mmap(self, tid, start, name, time=0, misc=USER):
        where = self.u64(start, 0x10000, start if misc == KERNEL else 0)
        return self.record(MMAP, self.u32(tid, tid) + where + self.text(name) + self.trailer(tid, time), misc)

    def comm(self, tid, name, time=0, misc=0):
        return self.record(COMM, self.u32(tid, tid) + self.text(name) + self.trailer(tid, time), misc)

    def exit(self, tid, time):
        return self.record(EXIT, self.u32(tid, tid, tid, tid) + self.u64(time) + self.trailer(tid, time))

    def sample(self, time, *words, tid=1):
        misc = KERNEL if words[0] == CONTEXT_KERNEL else USER
        body = self.u64(words[1]) + self.u32(tid, tid) + self.u64(time, 1, len(words), *words)
        return self.record(SAMPLE, body, misc)

    def waiting(self, time, cookie, tid=1, inner=KERNEL_PART):
        return self.sample(time, *inner, CONTEXT_USER_DEFERRED, cookie, tid=tid)

    def callers(self, time, cookie, *words, tid=1, nr=None):
        words = (CONTEXT_USER, *words)
        body = self.u64(cookie, len(words) if nr is None else nr, *words)
        return self.record(DEFERRED, body + self.trailer(tid, time), USER)

    def file(self, *records):
        flags = sum(1 << (63 - bit if self.is_big else bit) for bit in FLAGS)
        attr = (self.u32(1, 112) + self.u64(0, 1, KINDS, 0, flags)).ljust(112, b"\0")
        start = b"".join((self.mmap(0xffffffff, KERNEL_TEXT, "[kernel.kallsyms]_text", misc=KERNEL),
                          *(self.comm(tid, f"task{tid}") for tid in (1, 2)),
                          *(self.mmap(tid, PROGRAM, "/nonexistent/program") for tid in (1, 2))))
        data = start + b"".join(records)
        at = 104 + 128
        magic = b"2ELIFREP" if self.is_big else b"PERFILE2"
        head = magic + self.u64(104, 128, 104, 128, at, len(data), 0, 0) + bytes(32)
        return head + attr + self.u64(0, 0) + data


ORDERS = {"little": Order("<"), "big": Order(">")}


def in_both(check):
    def test():
        for name, order in ORDERS.items():
            try:
                check(order)
            except AssertionError as error:
                raise AssertionError(f"{name}-endian: {error}") from error
    return test


def write(order, *records):
    path = os.path.join(WORK, "deferred.data")
    with open(path, "wb") as file:
        file.write(order.file(*records))
    return path


def script(path, *options):
    """Return the timestamp, thread and user callers of each sample in printed order, and standard error."""
    run = tap.run(TALLY, "script", "-F", "comm,tid,time,ip", "--ns", *options, "-i", path, status=0)
    found = []
    for block in run.stdout.strip().split("\n\n"):
        first, *ips = block.splitlines()
        comm, tid, time = re.match(r"(\S+)\s+(\d+)\s+0\.(\d+):", first.strip()).groups()
        ips = [int(ip, 16) for ip in ips]
        found.append((int(time), int(tid), comm, [ip for ip in ips if ip < 1 << 63]))
    return found, run.stderr


def report(path, *options):
    return steps.report_json(path, "--raw-chains", "-s", "comm,symbol", *options)


def children(path):
    """Return {address: number of samples with this address} for user space, and the health data."""
    told = report(path)
    found = {}
    for row in (row for event in told["events"] for row in event["rows"]):
        address = int(row["symbol"].split()[-1], 16)
        if address < 1 << 63:
            found[address] = found.get(address, 0) + row["total_samples"]
    return found, told["health"]


OUTER, INNER = PROGRAM + 0x100, PROGRAM + 0x200


@in_both
def test_callers_are_joined_with_all_samples_that_wait(order):
    path = write(order, order.waiting(10, 5), order.waiting(20, 5), order.waiting(30, 5, tid=2),
                 order.callers(40, 5, INNER, OUTER), order.callers(50, 5, OUTER, tid=2))
    got, err = script(path)
    offsets = [INNER - PROGRAM, OUTER - PROGRAM]
    tap.same(got, [(10, 1, "task1", offsets), (20, 1, "task1", offsets), (30, 2, "task2", offsets[1:])], "script")
    assert "have no user callers" not in err, err
    found, health = children(path)
    tap.same(found, {INNER - PROGRAM: 2, OUTER - PROGRAM: 3}, "report")
    tap.same((health["unjoined_chains"], health["samples"], health["callchains"]), (0, 3, 3), "health")


@in_both
def test_the_two_passes_of_a_report_agree(order):
    records = [order.waiting(10 * i, i, inner=(CONTEXT_KERNEL, KERNEL_TEXT + i % 3)) + order.callers(10 * i + 5, i, INNER, OUTER)
               for i in range(1, 300)]
    path = write(order, *records)
    graphs = [[row.get("graph") for row in report(path, "--no-children", "-g", limit)["events"][0]["rows"]]
              for limit in ("graph,0", "graph,0.5")]
    assert len(graphs[0]) == 3 and all(graphs[0]), graphs[0]
    tap.same(graphs[1], graphs[0], "graphs")


@in_both
def test_other_samples_are_not_delayed(order):
    """Check that other samples are not delayed, and that deferred samples are printed when their record arrives, as in
    perf script."""
    path = write(order, order.waiting(10, 5), order.sample(20, CONTEXT_USER, INNER, tid=2), order.waiting(30, 7, tid=2),
                 order.callers(40, 7, OUTER, tid=2), order.sample(50, CONTEXT_USER, OUTER, tid=2), order.callers(60, 5, INNER))
    tap.same([time for time, *_ in script(path)[0]], [20, 30, 50, 10], "times")


@in_both
def test_samples_without_callers_are_shown(order):
    lost = {
        "no record": [],
        "of another thread": [order.callers(40, 5, INNER, tid=2)],
        "of another cookie": [order.callers(40, 6, INNER)],
        "longer than its record": [order.callers(40, 5, INNER, nr=99)],
        "longer than anything": [order.callers(40, 5, INNER, nr=(1 << 64) - 1)],
    }
    for what, records in lost.items():
        path = write(order, order.waiting(10, 5), *records, order.sample(50, CONTEXT_USER, OUTER))
        got, err = script(path)
        tap.same(sorted(got), [(10, 1, "task1", []), (50, 1, "task1", [OUTER - PROGRAM])], what)
        assert "1 samples have no user callers" in err, err
        found, health = children(path)
        tap.same(found, {OUTER - PROGRAM: 1}, what)
        tap.same((health["unjoined_chains"], health["damaged"]), (1, int("longer" in what)), what)
        text = tap.run(TALLY, "report", "-i", path).stdout
        assert "1 callchain without user callers (callchain record missing)" in text, text


@in_both
def test_records_that_come_twice_count_once(order):
    path = write(order, order.waiting(10, 5), order.callers(20, 5, INNER), order.callers(20, 5, INNER), order.waiting(30, 7),
                 order.callers(40, 5, OUTER), order.callers(50, 7, OUTER))
    got, _ = script(path)
    tap.same([one[3] for one in got], [[INNER - PROGRAM], [OUTER - PROGRAM]], "chains")


@in_both
def test_a_sample_behind_its_record_has_the_callers_too(order):
    path = write(order, order.waiting(10, 5), order.callers(20, 5, INNER), order.waiting(30, 5), order.waiting(40, 7))
    got, _ = script(path)
    tap.same([one[3] for one in got], [[INNER - PROGRAM], [INNER - PROGRAM], []], "chains")


@in_both
def test_threads_are_what_they_were_when_the_sample_was_taken(order):
    path = write(order, order.waiting(10, 5), order.comm(1, "after", 20, COMM_EXEC), order.callers(30, 5, INNER),
                 order.waiting(40, 9, tid=2), order.exit(2, 50), order.waiting(60, 11), order.callers(70, 11, OUTER))
    got, _ = script(path)
    tap.same(got, [(10, 1, "task1", []), (40, 2, "task2", []), (60, 1, "after", [OUTER - PROGRAM])], "script")


@in_both
def test_filters_apply_to_deferred_samples(order):
    records = [one for i in (10, 20, 30) for one in (order.waiting(i, i), order.callers(i + 5, i, INNER))]
    path = write(order, *records)
    tap.same([one[0] for one in script(path, "--time", "0.000000015,0.000000025")[0]], [20], "--time")
    tap.same([one[0] for one in script(path, "--tid", "1")[0]], [10, 20, 30], "--tid")
    tap.same(tap.run(TALLY, "script", "--tid", "2", "-i", path).stdout, "", "--tid 2")


@in_both
def test_broken_callers_are_replaced_by_the_mark(order):
    path = write(order, order.waiting(10, 5), order.callers(20, 5, INNER, OUTER, 0x1000, OUTER))
    told = json.loads(tap.run(TALLY, "report", "--json", "-i", path).stdout)
    tap.same(told["health"]["astray_chains"], 1, "astray")
    assert any(row["symbol"].endswith("[cut]") for row in told["events"][0]["rows"]), told


@in_both
def test_records_are_shown_as_they_are(order):
    path = write(order, order.waiting(10, 5), order.callers(20, 5, INNER))
    records = [json.loads(line) for line in tap.run(TALLY, "script", "--dump-json", "-i", path).stdout.splitlines()]
    sample, callers = records[-2:]
    tap.same(sample["callchain"][-2:], [CONTEXT_USER_DEFERRED, 5], "sample")
    tap.same((callers["name"], callers["cookie"], callers["nr"], callers["callchain"], callers["sample_info"]["tid"]),
             ("CALLCHAIN_DEFERRED", 5, 2, [CONTEXT_USER, INNER], 1), "record")
    assert "PERF_RECORD_CALLCHAIN_DEFERRED(22, 0x2)" in tap.run(TALLY, "script", "-D", "-i", path).stdout
    text = tap.run(TALLY, "evlist", "-v", "-i", path).stdout
    assert "defer_callchain: 1, defer_output: 1" in text, text


def test_waiting_samples_are_limited():
    """Test more samples than may be pending, from many threads: the oldest are printed first, and memory use stays
    bounded."""
    order, nr = ORDERS["little"], 150000
    inner = (CONTEXT_KERNEL, *(KERNEL_TEXT + 16 + i for i in range(90)))
    path = write(order, *(order.waiting(i, i, tid=i % 50000 + 10, inner=inner) for i in range(1, nr)))
    run = tap.run("/usr/bin/time", "-f", "%M", TALLY, "script", "-F", "time", "--ns", "-i", path) if os.path.exists(
        "/usr/bin/time") else tap.run(TALLY, "script", "-F", "time", "--ns", "-i", path)
    times = [int(line.strip().rstrip(":")[2:]) for line in run.stdout.splitlines() if line.strip()]
    tap.same(sorted(times), list(range(1, nr)), "samples")
    assert f"{nr - 1} samples have no user callers" in run.stderr, run.stderr
    ends = [line for line in run.stderr.splitlines() if line.isdigit()]
    assert not ends or int(ends[0]) < 1 << 20, f"{ends[0]} KiB"  # sanitizers need some memory as well


def test_streams_are_joined_too():
    order = ORDERS["little"]
    flags = sum(1 << bit for bit in FLAGS)
    attr = (order.u32(1, 112) + order.u64(0, 1, KINDS, 0, flags)).ljust(112, b"\0")
    records = [order.record(64, attr), order.comm(1, "task1"), order.mmap(1, PROGRAM, "/nonexistent/program"), order.waiting(10, 5),
               order.record(FINISHED_ROUND, b""), order.callers(20, 5, INNER)]
    run = tap.run(TALLY, "script", "-F", "ip", "-i", "-", input=b"PERFILE2" + order.u64(16) + b"".join(records), text=False)
    tap.same(run.stdout.split(), [f"{KERNEL_TEXT + 16:x}".encode(), f"{INNER - PROGRAM:x}".encode()], "script")


def corpus(folder):
    """Write the files for fuzz/corpus: a recording in each byte order to perfdata, and the records of one of them to
    feed."""
    for order in ORDERS.values():
        records = [order.waiting(10, 5), order.callers(20, 5, INNER, OUTER), order.callers(20, 5, INNER, OUTER), order.waiting(30, 7),
                   order.callers(40, 7, INNER, nr=99), order.comm(1, "x", 50, COMM_EXEC), order.exit(1, 60), order.waiting(70, 9)]
        whole = order.file(*records)
        with open(os.path.join(folder, "perfdata", "deferred" + ("-foreign" if order.is_big else "")), "wb") as file:
            file.write(whole)
        if order.is_big:
            continue
        with open(os.path.join(folder, "feed", "deferred"), "wb") as file:
            file.write(whole[-int.from_bytes(whole[48:56], "little"):])


if __name__ == "__main__":
    if len(sys.argv) > 2:
        corpus(sys.argv[2])
    else:
        tap.main(__name__)
