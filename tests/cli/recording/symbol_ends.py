#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Where symbols without a size end: at the next symbol, where the next function begins that unwind information describes, or
at the end of the section. Samples are at addresses of programs that are built here.

usage: symbol_ends.py TALLY
"""
import os
import re
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("symbol-ends")
PID = 4194304 + os.getpid()  # nobody's
START = 0x10000000
# The assembly functions have no size. Unwind information describes described, which code without any follows, only the
# beginning of early, and late from its second instruction on.
SOURCE = """
volatile unsigned long sum;
static void cold(unsigned long n);
#ifdef __x86_64__
#define STEP "push %rbx\\n"
#else
#define STEP "mov x0, x1\\n"
#endif
#define FUNCTION(name) ".globl " name "\\n.type " name ",%function\\n" name ":\\n"
__asm__(".text\\n" FUNCTION("bare") "ret\\n");
static __attribute__((noinline)) void hot(unsigned long n) { while (n--) sum += n; }
static __attribute__((noinline)) void warm(unsigned long n) { while (n--) sum ^= n; }
__attribute__((noinline, visibility("default"))) void work(void) { hot(10); warm(10); cold(10); }
__asm__(".balign 16\\n" FUNCTION("described") ".cfi_startproc\\nnop\\nret\\n.cfi_endproc\\n.balign 32\\nbehind:\\nnop\\nnop\\nret\\n");
__asm__(".balign 64\\n" FUNCTION("early") ".cfi_startproc\\nnop\\n.cfi_endproc\\n.balign 64\\nnop\\nret\\n");
__asm__(".balign 64\\n" FUNCTION("late") STEP ".cfi_startproc\\nnop\\nnop\\nnop\\nnop\\nret\\n.cfi_endproc\\n");
static __attribute__((noinline)) void cold(unsigned long n) { while (n--) sum += 2 * n; }
__asm__(".section .own,\\"ax\\",%progbits\\n" FUNCTION("last") "ret\\n.text\\n");
__asm__(".section .text2,\\"ax\\",%progbits\\n.zero 16\\n.text\\n");
"""
NAMES = ("bare", "hot", "warm", "work", "described", "behind", "early", "late", "cold", "last")


def build(*flags):
    """The program with its symbols, and where each begins in the file, which is where it is in memory."""
    for name in ("nm", "strip", "objcopy"):
        machine.need_tool(name, "--version")
    path = os.path.join(WORK, "library.so")
    steps.build(path, SOURCE, "-O1", "-fno-toplevel-reorder", "-fno-inline", "-shared", "-fPIC", "-Wl,--build-id", *flags)
    lines = tap.run("nm", path, status=0).stdout.splitlines()
    at = {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}
    return path, {name: at[name] for name in NAMES}


def look_up(path, addrs):
    """What tally shows at each of these addresses."""
    data = os.path.join(WORK, "perf.data")
    records = [mmap(PID, START, os.path.getsize(path), path), comm(PID, "p")]
    records += [sample(START + addr, PID, number + 1) for number, addr in enumerate(addrs)]
    with open(data, "wb") as file:
        file.write(file_bytes(records))
    later = time.time() + 3600  # else the program seems to have changed after it was recorded
    os.utime(data, (later, later))
    out = tap.run(TALLY, "script", "-F", "ip,sym", "--no-index", "-i", data, status=0).stdout
    return [line.split(None, 1)[1] for line in out.splitlines()]


def same_names(path, at, wanted):
    got = look_up(path, [at[name] + offset for name, offset, _ in wanted])
    for (name, offset, want), shown in zip(wanted, got):
        assert re.fullmatch(want.format(**{key: f"{addr:x}" for key, addr in at.items()}), shown), f"{name}+{offset}: {shown!r}, wanted {want!r}"


def wanted(hot, warm, cold, behind):
    """The lines of static functions, and of code that nothing describes, differ by the file."""
    return [("bare", 0, "bare"), ("hot", 0, hot), ("hot", 4, hot), ("warm", 2, warm), ("work", 0, "work"),
            ("described", 0, "described"), ("described", 8, "described"), ("behind", 1, behind),
            ("early", 0, "early"), ("early", 64, "early"), ("late", 0, "late"), ("late", 4, "late"), ("cold", 0, cold), ("last", 0, "last")]


@tap.always
def test_a_stripped_file():
    path, at = build()
    tap.run("strip", path, status=0)
    same_names(path, at, wanted(r"fn@{hot}|\[unknown\]", r"fn@{warm}|\[unknown\]", r"fn@{cold}|\[unknown\]", "described"))


def test_a_file_with_symbols():
    path, at = build()
    same_names(path, at, wanted("hot", "warm", "cold", "behind"))


def test_a_debug_file():
    """The debug file has the symbols, the other one the unwind information."""
    path, at = build()
    tap.run("objcopy", "--only-keep-debug", path, path + ".debug", status=0)
    tap.run("strip", path, status=0)
    tap.run("objcopy", f"--add-gnu-debuglink={path}.debug", path, status=0)
    same_names(path, at, wanted("hot", "warm", "cold", "behind"))
    os.unlink(path + ".debug")


def test_without_unwind_information():
    """Then a symbol ends where the next one begins."""
    path, at = build("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
    tap.run("strip", "-R", ".eh_frame", "-R", ".eh_frame_hdr", path, status=0)
    same_names(path, at, wanted("bare", "bare", "late", "described"))


def test_the_end_of_a_section():
    path, at = build()
    end = at["last"] + (2 if os.uname().machine == "x86_64" else 4)
    assert look_up(path, [at["last"], end]) == ["last", "[unknown]"]


if __name__ == "__main__":
    tap.main(__name__)
