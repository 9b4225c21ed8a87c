#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The code between branches (brstackinsn, brstackinsnlen, brstackdisasm, --max-blocks) and source text (srccode), on a
crafted recording of a program with known addresses. If perf is installed, its text must be the same.

usage: branch_code.py TALLY
"""
import os
import platform
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("branch-code")
PREDICTED, MISSED = 2, 1
# first: nop, jmp second; second: xor, ret. The file offset of `first` is its address minus the load address.
SOURCE = """
void first(void), second(void);
__asm__(".text\\n.globl first\\n.type first,@function\\nfirst: nop\\njmp second\\n.size first,.-first\\n"
        ".globl second\\n.type second,@function\\nsecond: xor %eax,%eax\\nret\\n.size second,.-second\\n");
int main(void)
{
	first();
	return 0;
}
"""


def program():
    if platform.machine() != "x86_64":
        raise tap.Skip("the program has x86-64 instructions")
    machine.need_compiler("cc")
    path = os.path.join(WORK, "prog")
    if not os.path.exists(path):
        steps.build(path, SOURCE, "-O0", "-g", "-no-pie", "-fno-pie")
    symbols = tap.run("nm", path, status=0).stdout.split("\n")
    names = {line.split()[2]: int(line.split()[0], 16) for line in symbols if len(line.split()) == 3}
    headers = [line.split() for line in tap.run("readelf", "-lW", path, status=0).stdout.splitlines() if "R E" in line]
    return path, names, int(headers[0][1], 16), int(headers[0][2], 16)


def recording(name, branches, ip):
    """Return a recording with one sample; branches are (from, to, flags, cycles), newest first."""
    path, _, offset, address = program()
    stack = u64(len(branches)) + b"".join(u64(one[0], one[1], one[2] | one[3] << 4) for one in branches)
    sample = crafted.record(crafted.SAMPLE, u64(ip) + u32(1, 1) + u64(1, 1) + stack, crafted.USER)
    parts = [crafted.comm(1, "prog"), crafted.mmap(1, address, 0x1000, path, pgoff=offset), sample]
    attr = crafted.attr(crafted.DEFAULT_TYPE | crafted.BRANCH, branch_type=8)
    return crafted.write(WORK, name, crafted.file_bytes(parts, [attr], {15: b""}))


def text(data, *words):
    """Return tally's text, which must be perf's."""
    ours = tap.run(TALLY, "script", "-i", data, *words, status=0).stdout
    if shutil.which("perf"):
        theirs = tap.run("perf", "script", "-i", data, *words)
        if theirs.returncode == 0 and "insn" in theirs.stdout:
            tap.same(ours.splitlines(), theirs.stdout.splitlines(), "perf's text")
    return ours.splitlines()


def test_blocks():
    _, names, _, _ = program()
    first, second, main = (names[name] for name in ("first", "second", "main"))
    data = recording("blocks.data", [(second + 2, main + 9, MISSED, 4), (first + 1, second, PREDICTED, 8), (main + 4, first, PREDICTED, 2)],
                     main + 9)
    got = text(data, "-F", "ip,brstackinsn")
    tap.same(got[1:8], ["\tmain+4:", got[2], "\tfirst:", f"\t{first:016x}\tinsn: 90 ",
                        f"\t{first + 1:016x}\tinsn: eb 00                   \t# PRED 8 cycles [10] 0.25 IPC", "\tsecond:",
                        f"\t{second:016x}\tinsn: 31 c0 "], "blocks")
    assert got[2].startswith(f"\t{main + 4:016x}\tinsn: e8 ") and got[2].endswith("\t# PRED 2 cycles [2]"), got[2]
    tap.same(got[8:10], [f"\t{second + 2:016x}\tinsn: c3                      \t# MISPRED 4 cycles [14] 0.50 IPC", "\tmain+9:"], "end")
    assert len(got) == 12 and got[10].startswith(f"\t{main + 9:016x}\tinsn: "), got
    short = text(data, "-F", "ip,brstackinsn", "--max-blocks", "1")
    tap.same([line for line in short if line.endswith(":")], ["\tfirst+1:", "\tsecond:", "\tmain+9:"], "one block")
    most = tap.run(TALLY, "script", "-i", data, "-F", "ip,brstackinsn", "--max-blocks", str((1 << 64) - 1), status=0)
    tap.same(most.stdout.splitlines(), got, "no limit")
    assert "\tilen: 1\t# MISPRED 4 cycles [14] 0.50 IPC" in "\n".join(text(data, "-F", "ip,brstackinsnlen"))


def test_disassembly():
    _, names, _, _ = program()
    first, second, main = (names[name] for name in ("first", "second", "main"))
    data = recording("disasm.data", [(first + 1, second, PREDICTED, 0), (main + 4, first, 0, 0)], second + 2)
    done = tap.run(TALLY, "script", "-i", data, "-F", "ip,brstackdisasm", status=0)
    if "cannot be decoded" in done.stderr:
        raise tap.Skip("no Capstone")
    lines = [line.split("\t") for line in done.stdout.splitlines() if line.startswith("\t0")]
    tap.same([line[2][:3] for line in lines], ["cal", "nop", "jmp", "xor", "ret"], "instructions")
    tap.same(lines[2][3], "# PRED", "a branch without cycles")


def test_strange_branches():
    """Test that code which cannot be read, reversed blocks and empty branches are left out."""
    _, names, _, _ = program()
    first, second = names["first"], names["second"]
    data = recording("strange.data", [(first, second, PREDICTED, 1), (0, 0, 0, 0), (1 << 60, second + 2, PREDICTED, 1), (1, 1 << 63, MISSED, 3)],
                     second)
    got = text(data, "-F", "ip,brstackinsn")
    assert len(got) == 4 and got[1] == "\tsecond:" and f"{second:016x}" in got[2], got
    tap.same(text(recording("none.data", [], second), "-F", "ip,brstackinsn"), [f" {second:>16x}".rstrip()], "no branches")


def test_source_text():
    path, names, _, _ = program()
    source = os.path.join(WORK, "prog.c")
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    machine.need_compiler("cc")
    tap.run("cc", "-O0", "-g", "-no-pie", "-fno-pie", "-o", path, source, status=0)
    _, names, _, _ = program()
    for at, offset in enumerate((0, 4)):
        got = text(recording(f"source{at}.data", [], names["main"] + offset), "-F", "ip,sym,srccode")
        number = int(got[1][1:].split()[0])
        tap.same(got[1], f"|{number:<8} " + SOURCE.splitlines()[number - 1], "line")
    assert "\tfirst();" in got[1], got


tap.main(__name__)
