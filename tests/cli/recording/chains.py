#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that broken frame-pointer callchains end with [cut] exactly at the break.

usage: chains.py TALLY
"""
import collections
import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402
from crafted_elf import PAGE, X86_64, elf_file  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("chains")
CUT = "[cut]"


def stacks(path, *options):
    """Return {stack: number of samples}, with the innermost function of a stack first, and the health data."""
    found = collections.Counter()

    def walk(nodes, names):
        for node in nodes:
            below = node.get("children", [])
            inside = sum(child["samples"] for child in below)
            found[(*names, node["symbol"])] += node["samples"] - inside
            walk(below, (*names, node["symbol"]))

    out = steps.report_json(path, "--no-children", "-g", "callee,0", "-s", "symbol", *options)
    for event in out["events"]:
        for row in event["rows"]:
            graph = row.get("graph", [])
            found[(row["symbol"].split("] ", 1)[-1],)] += row["self_samples"] - sum(node["samples"] for node in graph)
            walk(graph, ())
    return +found, out["health"]


# ---- generated recordings with known breaks -------------------------------------------------------

FILE = os.path.join(WORK, "program")
CODE, JIT, DATA = 0x400000, 0x500000, 0x600000
# Offsets of the functions in the code page. Samples add the offset of an instruction.
OUTER, MIDDLE, INNER = 0x100, 0x200, 0x300
KINDS = IP | TID | TIME | PERIOD | CALLCHAIN
MMAP_DATA = 1 << 13
KERNEL_TEXT = 0xffffffff81000000


def write_program(machine=X86_64):
    """Write a program in which each function has one call, with its return address at offset 0x15."""
    with open(FILE, "wb") as file:
        file.write(elf_file([("outer", OUTER), ("middle", MIDDLE), ("inner", INNER)], machine=machine))


def chain(*words):
    return u64(len(words), *words)


def in_function(start, at=0x15):
    return CODE + start + at


def write_recording(name, *chains, attrs=None):
    """Write a recording with one sample for each chain."""
    features = {FEATURE_HOSTNAME: padded(os.uname().nodename), 4: padded(os.uname().release), 6: padded(os.uname().machine)}
    records = [comm(1, "task"), mmap(1, CODE, PAGE, FILE, pgoff=PAGE), mmap(1, JIT, PAGE, "//anon"),
               mmap(1, DATA, PAGE, FILE, misc=USER | MMAP_DATA)]
    for time, words in enumerate(chains, 1):
        in_kernel = words[0] == CONTEXT_KERNEL
        records.append(sample(words[1], 1, time, KERNEL if in_kernel else USER, chain(*words)))
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(file_bytes(records, attrs or [attr(KINDS)], features))
    return path


def user(*words):
    return (CONTEXT_USER, *words)


LEAF = in_function(INNER, 0x40)
GOOD = in_function(MIDDLE)
ROOT = in_function(OUTER)
BAD_WORDS = {
    "nowhere": 0x7fd530057ce0, "zero": 0, "minus one": -1, "an unknown marker": -100, "a marker": -128, "in the kernel": KERNEL_TEXT,
    "data of the file": DATA + 0x15, "a function's start": CODE + MIDDLE, "behind no call": in_function(MIDDLE, 0x16),
}


def test_an_invalid_caller_ends_a_chain():
    write_program()
    for what, word in BAD_WORDS.items():
        path = write_recording("bad.data", user(LEAF, GOOD, word, ROOT), user(LEAF, word), user(LEAF, GOOD, ROOT))
        got, health = stacks(path)
        tap.same(got, {("inner", "middle", CUT): 1, ("inner", CUT): 1, ("inner", "middle", "outer"): 1}, what)
        tap.same((health["astray_chains"], health["bad_chains"], health["unmapped"]), (2, 0, 0), what)


def test_missing_callers_are_one_row():
    write_program()
    path = write_recording("row.data", *(user(LEAF, GOOD, 0x1000 * i) for i in range(3)), user(LEAF, GOOD, ROOT))
    rows = [row.replace(" ", "") for row in steps.report(path, "-q", "-x", ";", "-g", "none", "-s", "dso,sym").split("\n")]
    assert "75.00%;0.00%;[cut];[.][cut]" in rows, rows
    text = steps.report(path)
    assert "3 callchains broken (callers replaced by [cut]) (75.0 %)" in text, text
    assert "# Hint: callers are missing" in text and "--call-graph dwarf" in text, text
    assert re.search(r"75\.00%--\[cut\]\n\s*\|?\s*middle\n\s*\|?\s*inner\n", text), text


def test_raw_chains_are_those_of_the_recording():
    write_program()
    path = write_recording("raw.data", user(LEAF, GOOD, 0x7fd530057ce0, ROOT), user(LEAF, -100, ROOT))
    got, health = stacks(path, "--raw-chains")
    tap.same(got, {("inner", "middle", "0x00007fd530057ce0", "outer"): 1, ("inner",): 1}, "raw")
    tap.same((health["astray_chains"], health["bad_chains"], health["unmapped"]), (0, 1, 1), "health")
    text = steps.report(path, "--raw-chains")
    assert "broken (" not in text and "# Hint" not in text and "dropped" in text, text
    lines = tap.run(TALLY, "script", "-F", "ip,sym", "-i", path).stdout.split("\n")
    tap.same([line.split()[0] for line in lines if line.strip()], ["1340", "1215", "7fd530057ce0", "1115", "1340"], "script")


def test_sampled_addresses_are_not_validated():
    write_program()
    kernel = (CONTEXT_KERNEL, KERNEL_TEXT, KERNEL_TEXT + 16)
    odd = in_function(MIDDLE, 0x23)
    path = write_recording("leaf.data", (*kernel, CONTEXT_USER, odd, ROOT), (*kernel, CONTEXT_USER, 0x1000, ROOT), user(0x2000, ROOT),
                           (*kernel, CONTEXT_USER, odd, odd), kernel)
    got, health = stacks(path)
    inside = tuple(f"0x{word:016x}" for word in kernel[1:])
    tap.same(got, {(*inside, "middle", "outer"): 1, (*inside, "0x0000000000001000", "outer"): 1,
                   ("0x0000000000002000", "outer"): 1, (*inside, "middle", CUT): 1, inside: 1}, "stacks")
    tap.same(health["astray_chains"], 1, "astray")


def test_anonymous_memory_is_validated_by_its_mapping():
    write_program()
    path = write_recording("jit.data", user(LEAF, JIT + 7, ROOT), user(JIT + 1, JIT + 8, JIT + PAGE))
    got, _ = stacks(path)
    tap.same(got, {("inner", f"0x{JIT + 7:016x}", "outer"): 1, (f"0x{JIT + 1:016x}", f"0x{JIT + 8:016x}", CUT): 1}, "stacks")


def test_unknown_architectures_and_newer_files_are_not_used():
    words = [user(LEAF, in_function(MIDDLE, 0x20), ROOT)]
    write_program()
    tap.same(stacks(write_recording("other.data", *words))[1]["astray_chains"], 1, "the recorded file")
    write_program(machine=243)
    tap.same(stacks(write_recording("other.data", *words))[1]["astray_chains"], 0, "an architecture that is not known")
    path = write_recording("other.data", *words)
    os.utime(path, (1000, 1000))
    write_program()
    tap.same(stacks(path)[1]["astray_chains"], 0, "a file that is newer than the recording")
    tap.same(stacks(path, "--symfs", "/")[1]["astray_chains"], 1, "a file that the user names")
    os.remove(FILE)
    tap.same(stacks(path)[1]["astray_chains"], 0, "no file")


def test_other_kinds_of_chains_are_not_validated():
    """Check that LBR call stacks are not validated, because they contain the addresses of calls, not return
    addresses."""
    write_program()
    call_stack = struct.pack("<Q", 2) + u64(LEAF - 0x40, in_function(MIDDLE, 0x10), 0) + u64(0, in_function(OUTER, 0x10), 0)
    kind = KINDS | BRANCH
    features = {FEATURE_HOSTNAME: padded(os.uname().nodename), 4: padded(os.uname().release), 6: padded(os.uname().machine)}
    path = os.path.join(WORK, "lbr.data")
    with open(path, "wb") as file:
        file.write(file_bytes([comm(1, "task"), mmap(1, CODE, PAGE, FILE, pgoff=PAGE),
                               sample(LEAF, 1, 1, USER, chain(CONTEXT_USER, LEAF, 0x1000) + call_stack)],
                              [attr(kind, branch_type=1 << 0 | 1 << 11)], features))
    got, health = stacks(path)
    tap.same(health["astray_chains"], 0, "astray")
    assert CUT not in str(got), got


def test_processes_without_mappings_are_not_validated():
    path = os.path.join(WORK, "nomaps.data")
    with open(path, "wb") as file:
        file.write(file_bytes([comm(1, "task"), sample(0x1000, 1, 1, USER, chain(CONTEXT_USER, 0x1000, 0x2000, 0x3000))], [attr(KINDS)]))
    got, health = stacks(path)
    tap.same(got, {("0x0000000000001000", "0x0000000000002000", "0x0000000000003000"): 1}, "stack")
    tap.same(health["astray_chains"], 0, "astray")


def test_the_share_is_of_validated_chains():
    write_program()
    light = user(in_function(OUTER, 0x50), 0x1000)
    heavy = [user(LEAF, GOOD, 0x1000)] * 199 + [user(LEAF, GOOD, ROOT)] * 200
    path = write_recording("share.data", *heavy, light)
    assert "200 callchains broken (callers replaced by [cut]) (50.0 %)" in steps.report(path), steps.report(path)
    assert "199 callchains broken (callers replaced by [cut]) (49.9 %)" in steps.report(path, "--no-children"), "--no-children"


# ---- recorded programs -----------------------------------------------------------------------------

PROGRAM = r"""
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#define PLAIN __attribute__((noinline))
#define STAY __asm__ volatile("")
typedef void work_fn(int);
static volatile unsigned long sum;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
PLAIN void spin_work(int ms) { double end = now() + ms / 1e3; do for (int i = 0; i < 20000; i++) sum += i; while (now() < end); }
PLAIN void case_handler(int number) { spin_work(60); STAY; }
PLAIN void case_signal(void) { signal(SIGUSR1, case_handler); raise(SIGUSR1); STAY; }
PLAIN void case_tick(int number) { for (int i = 0; i < 2000000; i++) sum += i; STAY; }
PLAIN void case_timer(void) {
	struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0}};
	signal(SIGVTALRM, case_tick); setitimer(ITIMER_VIRTUAL, &often, 0); spin_work(100); setitimer(ITIMER_VIRTUAL, &never, 0); STAY;
}
PLAIN void case_vdso(void) { for (int i = 0; i < 1500000; i++) sum += now() > 1; STAY; }
PLAIN void case_alloca(int nr) { char *p = alloca(nr * 100); memset(p, nr, nr * 100); spin_work(60); sum += p[nr]; STAY; }
static jmp_buf jump;
PLAIN void case_longjmp(void) { spin_work(40); longjmp(jump, 1); }
PLAIN void case_setjmp(void) { if (!setjmp(jump)) case_longjmp(); spin_work(60); STAY; }
PLAIN int case_recursion(int nr) { int got = 0; if (nr) got = case_recursion(nr - 1) + 1; else spin_work(60); STAY; return got; }
PLAIN int case_tail_end(int nr) { spin_work(60); STAY; return nr; }
PLAIN int case_tail(int nr) { sum += nr; return case_tail_end(nr + 1); }
PLAIN void *case_thread(void *arg) { spin_work(60); STAY; return arg; }
PLAIN void case_coroutine(void) { spin_work(60); STAY; }
#ifdef NO_CONTEXT
PLAIN void case_context(void) { case_coroutine(); STAY; }
#else
static ucontext_t main_context, other_context;
static char other_stack[65536];
PLAIN void case_context(void) {
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = other_stack; other_context.uc_stack.ss_size = sizeof(other_stack);
	other_context.uc_link = &main_context;
	makecontext(&other_context, case_coroutine, 0); swapcontext(&main_context, &other_context); STAY;
}
#endif
struct table { work_fn *at[64]; };
PLAIN void case_pointers(struct table *table, int nr) { table->at[nr](20); table->at[40](20); (*table->at)(20); STAY; }
#ifdef WITH_LIBRARY
extern void case_library(work_fn *work);
#else
static void case_library(work_fn *work) { work(60); }
#endif
PLAIN __attribute__((noreturn)) void case_end(void) { spin_work(60); exit(0); }
int main(void) {
	struct table table; pthread_t thread;
	for (int i = 0; i < 64; i++) table.at[i] = spin_work;
	case_signal(); case_timer(); case_vdso(); case_alloca(10); case_setjmp(); case_recursion(20); case_tail(1);
	pthread_create(&thread, 0, case_thread, 0); pthread_join(thread, 0);
	case_context(); case_pointers(&table, 7); case_library(spin_work); case_end();
}
"""
LIBRARY = r"""
__attribute__((noinline)) void case_library_inner(void (*work)(int)) { work(60); __asm__ volatile(""); }
void case_library(void (*work)(int)) { case_library_inner(work); __asm__ volatile(""); }
"""
OURS = re.compile(r"case_|spin_work|main$")


def build(name, compiler, *flags):
    machine.need_compiler(compiler, *(flag for flag in flags if not flag.startswith("-D")))
    folder = os.path.join(WORK, name)
    os.makedirs(folder, exist_ok=True)
    for file, text in (("program.c", PROGRAM), ("library.c", LIBRARY)):
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write(text)
    common = [compiler, "-O2", *flags]
    program = [*common, "program.c", "-o", "program", "-pthread"]
    commands = [program]
    if "-static" not in flags:
        commands = [[*common, "-shared", "-fPIC", "library.c", "-o", "libcase.so"],
                    [*program, "-DWITH_LIBRARY", "-L.", "-lcase", "-Wl,-rpath," + folder]]
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise tap.Skip(f"{name} cannot be built: {done.stderr[-200:]}")
    return folder


def record(folder, *command):
    return steps.record(os.path.join(folder, "live.data"), "-e", "cpu-clock:u", "-F", "1999", "-g", "--", *command)


def check_whole(name, compiler, *flags):
    """Check that each of our functions occurs, and that no chain is cut after one of them or at the start of programs
    and threads: all our functions have frame pointers. libc does not have them, so a chain may end in a signal handler
    that interrupted libc, and where libc starts a program."""
    folder = build(name, compiler, "-fno-omit-frame-pointer", *flags)
    got, health = stacks(record(folder, os.path.join(folder, "program")))
    seen = collections.Counter()
    for names, samples in got.items():
        begins = len(names) > 2 and "start" in names[-2]
        assert len(names) < 2 or names[-1] != CUT or not (OURS.match(names[-2]) or begins), (names, samples)
        for one in names:
            seen[one] += samples
    assert health["callchains"] > 100, health
    # A tail call leaves no trace of its caller. raise() and swapcontext() belong to libc, which has no frame pointers.
    hidden = {"case_tail", "case_signal", "case_context", "case_library", "case_library_inner"}
    wanted = set(re.findall(r"\b(case_\w+)\(", PROGRAM)) - hidden
    assert not wanted - set(seen), (wanted - set(seen), seen)
    # If the signal interrupted our code rather than libc's, the interrupted function follows the handler in the chain.
    assert any("case_tick" in names and "main" in names for names in got), [names for names in got if "case_tick" in names]


def test_programs_with_frame_pointers_by_gcc_have_complete_chains():
    check_whole("gcc", "gcc")


def test_programs_with_frame_pointers_by_clang_have_complete_chains():
    check_whole("clang", "clang")


def test_programs_without_plt_and_endbr_are_whole():
    check_whole("noplt", "gcc", "-fno-plt", "-fcf-protection=none")


def test_programs_with_retpolines_are_whole():
    check_whole("retpoline", "clang", "-mretpoline")


def test_static_programs_are_whole():
    check_whole("static", "gcc", "-static", "-Wno-deprecated")


def test_programs_by_musl_are_whole():
    check_whole("musl", "musl-gcc", "-static", "-DNO_CONTEXT")


def test_programs_without_frame_pointers_have_broken_chains():
    """Check that all addresses left in the chains are code addresses, and that none of them lacks a mapping."""
    program = shutil.which("perl")
    machine.need_tool("perl", "-e", "0")
    folder = os.path.join(WORK, "perl")
    os.makedirs(folder, exist_ok=True)
    path = record(folder, program, "-e", "my %h; for my $i (1..1500000) { $h{$i % 1000} .= 'x'.$i; }")
    raw, before = stacks(path, "--raw-chains")
    got, after = stacks(path)
    if not before["unmapped"]:
        raise tap.Skip("this perl has frame pointers")
    tap.same(after["unmapped"], 0, "addresses without a mapping")
    assert after["astray_chains"] > 0 and len(got) <= len(raw), (after, len(got), len(raw))
    tap.same(sum(got.values()), sum(raw.values()), "samples")


if __name__ == "__main__":
    tap.main(__name__)
