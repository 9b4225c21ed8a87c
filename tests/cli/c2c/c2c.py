#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tally c2c report on crafted recordings of memory accesses. If perf is installed, its numbers must be the same.

usage: c2c.py TALLY
"""
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("c2c")
WEIGHT, DATA_SRC, PHYS_ADDR = 1 << 14, 1 << 15, 1 << 19
KINDS = crafted.DEFAULT_TYPE | crafted.ADDR | crafted.CPU | WEIGHT | DATA_SRC | PHYS_ADDR | crafted.IDENTIFIER
LOAD, STORE, HIT, L1, L3, REMOTE_CACHE, HIT_SNOOP, HITM = 2, 4, 2, 8, 0x40, 0x400, 4, 16
LINE, OTHER = 0x7f0000001000, 0x7f0000002000


def source(operation, level, snoop=0, lock=0, peer=0, remote=0):
    return operation | level << 5 | snoop << 19 | lock << 24 | remote << 37 | peer << 38


def access(address, data_source, tid=1, cpu=0, weight=10, ip=0x1010, pid=1, identity=10, phys=0, time=1):
    return crafted.record(crafted.SAMPLE, u64(identity, ip) + u32(pid, tid) + u64(time, address) + u32(cpu, 0) + u64(1, weight, data_source, phys),
                          crafted.USER)


def trailer(pid, time=0):
    return u32(pid, pid) + u64(time) + u32(0, 0) + u64(10)


def written(name, accesses, nodes=("0-1",)):
    numa = u32(len(nodes)) + b"".join(u32(at) + u64(1000, 500) + crafted.padded(cpus) for at, cpus in enumerate(nodes))
    memory = u64(1, 0x1000, 2) + u64(0, 64, 64, 0xff) + u64(1, 64, 64, 0xff00)
    features = {3: crafted.padded("host"), 5: crafted.padded("6.1"), 6: crafted.padded("x86_64"), 7: u32(4, 4), 14: numa, 22: memory}
    tasks = [crafted.record(crafted.COMM, u32(1, tid) + crafted.text("prog") + trailer(1)) for tid in (1, 2)]
    tasks.append(crafted.record(crafted.MMAP, u32(1, 1) + u64(0x1000, 0x1000, 0) + crafted.text("/nowhere/a") + trailer(1), crafted.USER))
    data = crafted.events_bytes([("loads", 0), ("stores", 1)], tasks + accesses, features, KINDS)
    return crafted.write(WORK, name, data)


def report(path, *words, status=0):
    done = tap.run(TALLY, "c2c", "report", "-i", path, *words)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def tables(path, *words):
    """Return the rows of the two tables, and the counts by name."""
    text = report(path, *words).stdout
    counts = {line.split(" : ")[0].strip(): line.split(" : ")[1].strip() for line in text.splitlines() if " : " in line}
    lines, places = text.split("Shared Data Cache Line Table")[1].split("Shared Cache Line Distribution Pareto")
    rows = [[line.split() for line in part.splitlines() if line.strip() and line[0] not in "#="] for part in (lines, places)]
    return rows[0], [row for row in rows[1] if not row[0].startswith("--")], counts


def two_threads():
    accesses = []
    for at in range(10):
        accesses.append(access(LINE + 8 * (at % 2), source(LOAD, HIT | L3, HITM), tid=1 + at % 2, cpu=at % 2, weight=100 + at))
        accesses.append(access(LINE + 8, source(STORE, HIT | L1), tid=2, cpu=1, identity=11, ip=0x1020))
        accesses.append(access(OTHER, source(LOAD, HIT | L1)))
    return accesses + [access(OTHER + 64, source(LOAD, HIT | REMOTE_CACHE, HITM), weight=300, phys=0x9000)]


def test_lines_and_places():
    lines, places, counts = tables(written("two.data", two_threads(), ("0", "1")))
    tap.same([(row[1], row[4], *row[5:8], row[8]) for row in lines], [(hex(LINE), "90.91%", "10", "10", "0", "20"),
                                                                    (hex(OTHER + 64), "9.09%", "1", "0", "1", "1")], "lines")
    tap.same(lines[1][2:4], ["1", "1"], "memory node and number of pages")
    tap.same(places[0], ["0", "0", "10", "10", "0", "0", hex(LINE)], "heading of the first line")
    tap.same([row[:6] + row[8:15] for row in places[1:4]],
             [["0.00%", "50.00%", "0.00%", "0.00%", "0.00%", "0x0", "0x1010", "0", "104", "0", "5", "1", "[.]"],
              ["0.00%", "50.00%", "0.00%", "0.00%", "0.00%", "0x8", "0x1010", "0", "105", "0", "5", "1", "[.]"],
              ["0.00%", "0.00%", "100.00%", "0.00%", "0.00%", "0x8", "0x1020", "0", "0", "0", "10", "1", "[.]"]], "places")
    tap.same([counts[name] for name in ("Total records", "Load LLC hit", "Load Local HITM", "Load LLC Misses", "Store L1D Hit",
                                        "Total Shared Cache Lines", "Total Merged records")], ["31", "10", "10", "1", "10", "2", "21"], "counts")


def test_options():
    path = written("options.data", two_threads(), ("0", "1"))
    tap.same([row[1] for row in tables(path, "-d", "rmt")[0]], [hex(OTHER + 64)], "remote")
    tap.same([row[1] for row in tables(path, "-d", "peer")[0]], [], "peers")
    tap.same([row[1] for row in tables(path, "--show-all")[0]], [hex(LINE), hex(OTHER + 64), hex(OTHER)], "all lines")
    tap.same([row[8] for row in tables(path, "-c", "tid")[1][1:3]], ["1:prog", "2:prog"], "threads")
    assert "1{ 1 100.0%    n/a}" in report(path, "-N").stdout and "1{1}" in report(path, "-NN").stdout
    assert "Cache Line Table" not in report(path, "--stats").stdout
    assert "Source:Line" not in report(path, "--no-source").stdout
    for words, text in ((["-d", "x"], "tot, lcl, rmt or peer"), (["-c", "x"], "pid, tid, iaddr or dso")):
        assert text in report(path, *words, status=129).stderr
    assert "requires 'record' or 'report'" in tap.run(TALLY, "c2c").stderr
    plain = crafted.write(WORK, "plain.data", crafted.file_bytes([crafted.comm(1, "a"), crafted.sample(0x10)]))
    assert "has no memory accesses" in report(plain, status=1).stderr


def test_processes_have_memory_of_their_own():
    """Test that the same address in two processes is two lines, unless it is shared memory."""
    both = [access(LINE, source(LOAD, HIT | L3, HITM), pid=pid, tid=pid) for pid in (1, 2)]
    tap.same(len(tables(written("own.data", both))[0]), 2, "private memory")
    maps = [crafted.record(crafted.MMAP, u32(pid, pid) + u64(LINE, 0x1000, 0) + crafted.text("/dev/shm/x") + trailer(pid), crafted.USER | 1 << 13)
            for pid in (1, 2)]
    tap.same(len(tables(written("shared.data", maps + both))[0]), 1, "shared memory")


def test_hostile_values():
    """Test huge CPU numbers, weights and addresses, and names with control characters."""
    accesses = [access((1 << 64) - 1, source(LOAD, HIT | L3, HITM), cpu=(1 << 32) - 1, weight=(1 << 64) - 1),
                access(0, (1 << 64) - 1), access(1, 0), access(LINE, source(LOAD, HIT | L3, HITM, peer=2, remote=1), ip=(1 << 64) - 1)]
    name = crafted.record(crafted.COMM, u32(1, 1) + crafted.text("a\x1bb") + trailer(1))
    text = report(written("hostile.data", [name] + accesses, ("x", "0-99999", "")), "-c", "tid", "-NN").stdout
    assert "\x1b" not in text and "N/A{4294967295}" in text, text


def test_the_numbers_are_those_of_perf():
    if not shutil.which("perf"):
        raise tap.Skip("perf is not installed")
    choice = random.Random(1)
    for number in range(4):
        accesses = []
        for at in range(80):
            level = choice.choice((1, 2 | 8, 4 | 8, 2 | 0x10, 2 | 0x20, 2 | 0x40, 2 | 0x40, 2 | 0x80, 2 | 0x100, 2 | 0x400, 4 | 0x800, 2 | 0x1000, 2 | 0x2000))
            data = source(choice.choice((2, 2, 4, 1)), level, choice.choice((0, 4, 16)), choice.choice((0, 2)), choice.choice((0, 0, 0, 2)),
                          choice.choice((0, 0, 0, 1)))
            accesses.append(access(choice.choice((LINE, OTHER)) + 8 * choice.randint(0, 3), data, choice.choice((1, 2)), choice.choice((0, 1)),
                                   choice.randint(1, 500), choice.choice((0x1010, 0x1020, 0x1030)), identity=choice.choice((10, 11)), time=at + 1))
        path = written(f"random{number}.data", accesses)
        # Without source lines, perf does not start addr2line for each row.
        words = ["--no-source", *(["-d", "tot"], ["-d", "rmt"], ["-c", "tid"], ["-N", "-c", "pid,iaddr"])[number]]
        theirs = tap.run("perf", "c2c", "report", "--stdio", "-i", path, *words)
        if theirs.returncode:
            raise tap.Skip(f"perf c2c report fails here: status {theirs.returncode}")
        # perf does not align names with their headings, and writes -nan for shares of nothing.
        same = [[line.split() for line in text.replace("-nan", "0.0").splitlines() if not line.startswith("#")] for text in
                (report(path, *words).stdout, theirs.stdout)]
        for ours, perfs in zip(*same):
            tap.same(ours, perfs, " ".join(words))
        tap.same(len(same[0]), len(same[1]), "number of lines")


tap.main(__name__)
