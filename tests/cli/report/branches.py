#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Branches before samples as callers (--branch-history), blocks of code between them (--total-cycles), and call graphs by
source line and address (-g srcline, -g address).

usage: branches.py TALLY
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402
from reporting import TALLY, report  # noqa: E402

WORK = tap.workplace("branches")
KERNEL_BASE = 0xffffffff81000000


def sample(ip, *branches, callers=None, period=1):
    """Return a sample with branches (from, to, cycles), newest first, and with callers if there are any."""
    chain = u64(len(callers) + 2, crafted.CONTEXT_USER, ip, *callers) if callers is not None else b""
    stack = u64(len(branches)) + b"".join(u64(one[0], one[1], one[2] << 4) for one in branches)
    return crafted.record(crafted.SAMPLE, u64(ip) + u32(1, 1) + u64(1, period) + chain + stack, crafted.USER)


def written(name, *samples, has_callers=False):
    kinds = crafted.DEFAULT_TYPE | crafted.BRANCH | (crafted.CALLCHAIN if has_callers else 0)
    start = [crafted.comm(1, "prog"), crafted.mmap(1, 0x1000, 0x1000, "/nowhere/a"), crafted.mmap(1, 0x8000, 0x1000, "/nowhere/b")]
    return crafted.write(WORK, name, crafted.file_bytes([*start, *samples], [crafted.attr(kinds, branch_type=8)]))


def chains(path, *words):
    """Return the call graph as chains of addresses in the files, innermost first."""
    done = report(path, "--branch-history", "--no-children", "-q", "-s", "dso", "-g", "folded,0,callee,count,address", *words)
    found = [line.split(" ", 1) for line in done.stdout.splitlines() if ";" in line]
    return [(int(count), *(int(name, 16) for name in names.split(";"))) for count, names in found]


def test_branches_are_callers():
    path = written("chain.data", sample(0x1010, (0x8020, 0x1008, 1), (0x1004, 0x8018, 1)))
    tap.same(chains(path), [(1, 0x10, 0x8, 0x20, 0x18, 0x4)], "target and source of each branch")
    # The caller at 0x1009 is the call at 0x1004, which is a branch.
    path = written("callers.data", sample(0x1010, (0x8020, 0x1010, 1), (0x1004, 0x8018, 1), callers=[0x1009, 0x1100]), has_callers=True)
    tap.same(chains(path), [(1, 0x10, 0x20, 0x18, 0x4, 0xff)], "recorded callers follow")
    path = written("none.data", sample(0x1010, callers=[0x1009]), has_callers=True)
    tap.same(chains(path), [(1, 0x10, 0x8)], "without branches, the recorded callers")
    path = written("kernel.data", sample(KERNEL_BASE, (KERNEL_BASE - 16, KERNEL_BASE, 1), (0x1004, KERNEL_BASE - 64, 1)))
    tap.same(chains(path), [(1, KERNEL_BASE, KERNEL_BASE - 16, KERNEL_BASE - 64, 0x4)], "from the kernel to the program")


def test_loops_are_left_out():
    one, two = (0x1040, 0x1020, 1), (0x1080, 0x1060, 1)
    path = written("loop.data", sample(0x1022, *[one] * 9, *[two, one] * 5, two))
    tap.same(chains(path), [(1, 0x22, 0x20, 0x40, 0x60, 0x80)], "repeated branches, and pairs of branches")
    many = [(0x1000 + at * 2, 0x1001 + at * 2, 1) for at in range(300)]
    tap.same(len(chains(written("many.data", sample(0x1900, *many)), "--max-stack", "400")[0]), 1 + 1 + 2 * 128, "limited number")


def test_columns_and_outputs():
    path = written("columns.data", sample(0x1010, (0x8020, 0x1008, 1)))
    assert "Source:Line" in report(path, "--branch-history").stdout
    done = tap.run(TALLY, "report", "-i", path, "--branch-history", "--json", "-g", "caller,address", status=0)
    assert "line" in json.loads(done.stdout)["events"][0]["rows"][0]["graph"][0], done.stdout
    for words in (["--svg", "x.svg"], ["--html", "x.html"], ["--format", "folded"]):
        done = tap.run(TALLY, "report", "-i", path, "--branch-history", *words)
        assert done.returncode == 129 and "applies to rows" in done.stderr, done
        done = tap.run(TALLY, "report", "-i", path, "--total-cycles", *words)
        assert done.returncode == 129 and "different outputs" in done.stderr, done
    plain = crafted.write(WORK, "plain.data", crafted.file_bytes([crafted.comm(1, "a"), crafted.sample(0x10)]))
    assert "has no branch stacks, so samples are shown" in report(plain, "--branch-history").stderr
    assert "has no branch stacks" in report(plain, "--total-cycles").stderr


def blocks(path, *words):
    text = report(path, "--total-cycles", *words).stdout
    return [line.split(None, 4) for line in text.splitlines() if line.strip() and line[0] != "#"]


def test_blocks():
    """Test sums, averages and shares of blocks, and that branches without cycles and between files are left out."""
    path = written("blocks.data", sample(0x1010, (0x1018, 0x1000, 30), (0x1008, 0x1010, 10), (0x1020, 0x1000, 0)),
                   sample(0x1010, (0x1018, 0x1000, 50), (0x8010, 0x1010, 7), (0x8008, 0x8004, 2000), (0x8040, 0x8000, 9)))
    tap.same(blocks(path), [["95.37%", "2.0K", "97.23%", "2.0K", "[b[0] -> b[8]]                     b"],
                            ["3.81%", "80", "1.94%", "40", "[a[10] -> a[18]]                     a"],
                            ["0.48%", "10", "0.49%", "10", "[a[0] -> a[8]]                     a"],
                            ["0.33%", "7", "0.34%", "7", "[b[4] -> b[10]]                     b"]], "blocks")
    tap.same(len(blocks(path, "--percent-limit", "2")), 2, "limit")
    plain = written("no-cycles.data", sample(0x1010, (0x1018, 0x1000, 0), (0x1008, 0x1010, 0)))
    assert "no cycles in its branch stacks" in report(plain, "--total-cycles").stderr


def test_blocks_have_no_filters_of_rows():
    path = written("filters.data", sample(0x1010, (0x1018, 0x1000, 30), (0x1008, 0x1010, 10)))
    for words in (["-S", "x"], ["-c", "x"], ["-d", "x"], ["--query", "x"], ["--parallelism", "1"], ["-s", "sym"], ["--hierarchy"], ["-T"],
                  ["--stats"]):
        done = report(path, "--total-cycles", *words, status=129)
        assert "--total-cycles" in done.stderr, (words, done.stderr)
    assert "blocks of all functions" in report(path, "nosuch", "--total-cycles", status=129).stderr
    assert "#" not in report(path, "--total-cycles", "-q").stdout
    one = written("one.data", sample(0x1010, (0x1018, 0x1000, 30)))
    assert "no code between its branches" in report(one, "--total-cycles").stderr


def test_health_of_branches():
    path = written("health.data", sample(0x1010, (0x1018, 0x1000, 30)))
    for word in ("-b", "--branch-history"):
        assert "ignored" not in report(path, word).stdout
    assert "1 branch stack ignored" in report(path, "--no-branch-stack").stdout


def test_lines_of_call_graphs():
    machine.need_events()
    machine.need_compiler("cc")
    program = steps.build(os.path.join(WORK, "lines"), """
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 300000; i++) sum += i; }
int main(void) {
	for (int i = 0; i < 60; i++) {
		leaf();
		leaf();
	}
}
""", "-O0", "-g")
    data = os.path.join(WORK, "lines.data")
    tap.run(TALLY, "record", "-q", "-g", "-e", "cpu-clock:u", "-F", "2000", "-o", data, program, status=0)
    for key, many in (("function", 1), ("srcline", 2), ("address", 2)):
        text = report(data, "--no-children", "-q", "--symbols", "leaf", "-g", f"folded,0,callee,count,{key}").stdout
        mains = {name for line in text.splitlines() if ";" in line for name in line.split(";") if name.startswith("main")}
        tap.same(mains, {"main"} if many == 1 else {"main <stdin>:6", "main <stdin>:7"}, key)
    done = tap.run(TALLY, "top", "--stdio", "--call-graph", "fp,caller,address", "-e", "cpu-clock")
    assert "shows functions, not lines" in done.stderr, done


tap.main(__name__)
