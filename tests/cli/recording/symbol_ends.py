#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test where symbols without a size end: at the next symbol, at the end of their unwind information unless the code
continues there, at the next function with unwind information, or at the end of the section. Samples are at addresses of
programs built for the test.

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
PID = 4194304 + os.getpid()  # an unused pid
START = 0x10000000
# The assembly functions have no size. Unwind information covers all of `described`, which is followed by code without a
# symbol, but only the beginning of `early` and the middle of `late`.
SOURCE = """
#ifdef BOTH
__asm__(".cfi_sections .eh_frame, .debug_frame\\n");
#endif
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
__asm__(".balign 64\\n" FUNCTION("early") ".cfi_startproc\\n" STEP ".cfi_endproc\\n.balign 64\\nnop\\nret\\n");
__asm__(".balign 64\\n" FUNCTION("late") STEP ".cfi_startproc\\nnop\\nnop\\nnop\\nnop\\n" STEP ".cfi_endproc\\n.balign 32\\nnop\\nret\\n");
static __attribute__((noinline)) void cold(unsigned long n) { while (n--) sum += 2 * n; }
__asm__(".section .own,\\"ax\\",%progbits\\n" FUNCTION("last") "ret\\n.text\\n");
__asm__(".section .text2,\\"ax\\",%progbits\\n.zero 16\\n.text\\n");
"""
NAMES = ("bare", "hot", "warm", "work", "described", "behind", "early", "late", "cold", "last")


def build(*flags):
    """Build the program. Return its path and {symbol: file offset}. The file offsets equal the addresses."""
    for name in ("nm", "strip", "objcopy"):
        machine.need_tool(name, "--version")
    path = os.path.join(WORK, "library.so")
    steps.build(path, SOURCE, "-O1", "-fno-toplevel-reorder", "-fno-inline", "-shared", "-fPIC", "-Wl,--build-id", *flags)
    lines = tap.run("nm", path, status=0).stdout.splitlines()
    at = {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}
    return path, {name: at[name] for name in NAMES}


def look_up(path, addrs):
    """Return the symbols that tally prints for these addresses."""
    data = os.path.join(WORK, "perf.data")
    records = [mmap(PID, START, os.path.getsize(path), path), comm(PID, "p")]
    records += [sample(START + addr, PID, number + 1) for number, addr in enumerate(addrs)]
    with open(data, "wb") as file:
        file.write(file_bytes(records))
    later = time.time() + 3600  # otherwise the program would appear to have changed after the recording
    os.utime(data, (later, later))
    out = tap.run(TALLY, "script", "-F", "ip,sym", "--no-index", "-i", data, status=0).stdout
    return [line.split(None, 1)[1] for line in out.splitlines()]


def same_names(path, at, wanted):
    got = look_up(path, [at[name] + offset for name, offset, _ in wanted])
    for (name, offset, want), shown in zip(wanted, got):
        assert re.fullmatch(want.format(**{key: f"{addr:x}" for key, addr in at.items()}), shown), f"{name}+{offset}: {shown!r}, wanted {want!r}"


def wanted(hot, warm, cold, behind):
    """Return (symbol, offset, expected name) for each sample. Names of static functions, and of code without unwind
    information, depend on the file."""
    return [("bare", 0, "bare"), ("hot", 0, hot), ("hot", 4, hot), ("warm", 2, warm), ("work", 0, "work"),
            ("described", 0, "described"), ("described", 8, "described"), ("behind", 1, behind),
            ("early", 0, "early"), ("early", 64, "early"), ("late", 0, "late"), ("late", 4, "late"), ("late", 32, "late"), ("cold", 0, cold), ("last", 0, "last")]


@tap.always
def test_a_stripped_file():
    path, at = build()
    tap.run("strip", path, status=0)
    same_names(path, at, wanted(r"fn@{hot}|\[unknown\]", r"fn@{warm}|\[unknown\]", r"fn@{cold}|\[unknown\]", r"\[unknown\]"))


def test_a_file_with_symbols():
    path, at = build()
    same_names(path, at, wanted("hot", "warm", "cold", "behind"))


def test_a_debug_file():
    """Test a debug file that has the symbols, together with a stripped file that has the unwind information."""
    path, at = build()
    tap.run("objcopy", "--only-keep-debug", path, path + ".debug", status=0)
    tap.run("strip", path, status=0)
    tap.run("objcopy", f"--add-gnu-debuglink={path}.debug", path, status=0)
    same_names(path, at, wanted("hot", "warm", "cold", "behind"))
    os.unlink(path + ".debug")


def test_without_unwind_information():
    """Check that without unwind information, a symbol ends at the next one."""
    path, at = build("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
    tap.run("strip", "-R", ".eh_frame", "-R", ".eh_frame_hdr", path, status=0)
    same_names(path, at, wanted("bare", "bare", "late", "described"))


# Instructions that end a function (code after them does not belong to it), and instructions that do not.
ENDS, GOES_ON = {
    "x86_64": (("ret", "ret $8", "lret", "iretq", "sysretq", "sysenter", "syscall", "int $0x80", "int3", "hlt", "ud2", "jmp .", "jmp .+4096",
                "call .+4096", "jmp *%rax", "jmp *%r11", "call *%rdx", "jmp *(%rax)", "jmp *8(%rsp)", "jmp *(%rax,%rbx,8)", "jmp *8(%rax,%rbx,8)",
                "jmp *0x1000(%rax)", "jmp *0x1000(,%rax,8)", "call *0x1000(%rip)", "jmp *0x1000(%r12)", "nop", ".zero 4"),
               ("push %rbx", "mov %rsp, %rbp", "sub $8, %rsp", "mov (%rdi), %rax", "mov $-1, %rax", "endbr64", "test %rdi, %rdi")),
    "aarch64": (("ret", "br x17", "b .", "bl .+4096", "blr x3", "svc #0", "brk #1", "nop", "udf #0"),
                ("mov x0, x1", "stp x29, x30, [sp, #-16]!", "add x0, x0, #1", "bti c", "paciasp")),
}.get(os.uname().machine, ((), ()))


def test_what_ends_a_function():
    """Check that unwind information that begins up to 16 bytes after a symbol belongs to the symbol if the code before
    it continues there."""
    if not ENDS:
        raise tap.Skip(f"{os.uname().machine}: not known what its instructions do")
    path = os.path.join(WORK, "ends.so")
    lines = []
    for number, instruction in enumerate(ENDS + GOES_ON):
        lines += [".balign 32", f".globl f{number}", f".type f{number},%function", f"f{number}: {instruction}",
                  f"e{number}: .cfi_startproc", "nop", "nop", "nop", "nop", ".cfi_endproc"]
    steps.build(path, "".join(f'__asm__("{line}");\n' for line in lines), "-shared", "-fPIC", "-Wl,--build-id")
    at = {words[2]: int(words[0], 16) for words in map(str.split, tap.run("nm", path, status=0).stdout.splitlines()) if len(words) == 3}
    tap.run("strip", path, status=0)
    names = look_up(path, [at[f"e{number}"] for number in range(len(ENDS + GOES_ON))])
    for number, (instruction, name) in enumerate(zip(ENDS + GOES_ON, names)):
        assert (name == f"f{number}") == (instruction in GOES_ON), f"{name} behind {instruction}"


def test_two_tables_with_the_same_entries():
    """Check that late is still one function if both .eh_frame and .debug_frame cover it."""
    path, at = build("-DBOTH")
    tap.run("strip", "-s", "--keep-section=.debug_frame", path, status=0)
    same_names(path, at, [("late", 0, "late"), ("late", 4, "late"), ("late", 32, "late"), ("cold", 0, r"fn@{cold}|\[unknown\]")])


def test_the_end_of_a_section():
    path, at = build()
    end = at["last"] + (2 if os.uname().machine == "x86_64" else 4)
    assert look_up(path, [at["last"], end]) == ["last", "[unknown]"]


def test_names_of_a_removed_file():
    """Check that the index names the functions of a stripped program, even if it was removed."""
    machine.need_events()
    machine.need_tool("strip", "--version")
    path, data = os.path.join(WORK, "many"), os.path.join(WORK, "many.data")
    functions = "".join(f"static __attribute__((noinline)) void f{i}(int n) {{ while (n--) sum += n * {i}; }}\n" for i in range(1000))
    calls = "".join(f"f{i}(1000);" for i in range(1000))
    steps.build(path, f"static volatile unsigned long sum;\n{functions}int main(void) {{ for (int i = 0; i < 100; i++) {{ {calls} }} return 0; }}\n",
                "-O1", "-Wl,--build-id")
    tap.run("strip", path, status=0)
    env = {**os.environ, "XDG_CACHE_HOME": os.path.join(WORK, "cache")}
    tap.run(TALLY, "record", "-q", "--no-symbols", "-e", "task-clock:u", "-F", "4000", "-o", data, path, status=0, env=env)

    def names(*options):
        done = tap.run(TALLY, "report", "--stdio", "-g", "none", "-s", "symbol", *options, "-i", data, status=0, env=env)
        return sorted(set(re.findall(r"\bfn@[0-9a-f]+", done.stdout)))

    without_index = names("--no-index")
    assert len(without_index) > 20, without_index
    tap.same(names(), without_index, "names with an empty index")
    tap.same(names(), without_index, "names from the index")
    os.remove(path)
    tap.same(names(), without_index, "names after the program was removed")
    tap.same(names("--no-index"), [], "names without program and index")


if __name__ == "__main__":
    tap.main(__name__)
