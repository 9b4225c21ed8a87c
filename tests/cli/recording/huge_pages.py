#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test programs that move their code to anonymous memory at the same address, as is done for huge pages. Symbols,
callers and build IDs must be those of the file.

usage: huge_pages.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

WORK = tap.workplace("huge_pages")
DATA = os.path.join(WORK, "perf.data")

# Replaces the mapping at a code address with an anonymous copy. The function that does this is in a library that is not
# moved.
MOVER_SOURCE = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static void *map(char *at, size_t len, int prot, int fixed)
{
	char *found = mmap(at, len, prot, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
	if (found == MAP_FAILED)
		exit(9);
	return found;
}
static void move_range(char *start, size_t len, int prot)
{
	char *aside = map(0, len, PROT_READ | PROT_WRITE, 0);
	memcpy(aside, start, len);
	map(start, len, prot, MAP_FIXED);
	madvise(start, len, MADV_HUGEPAGE);
	memcpy(start, aside, len);
	if (mprotect(start, len, PROT_READ | PROT_EXEC))
		exit(9);
	__builtin___clear_cache(start, start + len);
	munmap(aside, len);
}
void move_code(void (*code)(void), int executable)
{
	unsigned long start, end, at = (unsigned long)code;
	char line[4200], flags[5];
	FILE *maps = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &start, &end, flags) == 3 && start <= at && at < end)
			break;
	fclose(maps);
	move_range((char *)start, end - start, PROT_READ | PROT_WRITE | (executable ? PROT_EXEC : 0));
}
"""
PROGRAM_SOURCE = """
#include <time.h>
void move_code(void (*code)(void), int executable);
volatile unsigned long sum;
__attribute__((noinline)) void leaf(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sum += i;
}
__attribute__((noinline)) void middle(void)
{
	volatile char frame[600];
	frame[sum % 600] = 1;
	leaf();
	sum += frame[sum % 600];
}
int main(int argc, char **argv)
{
	move_code(leaf, argc > 1);
	while (clock() < CLOCKS_PER_SEC / 2)
		middle();
	return 0;
}
"""


def program():
    flags = ("-O1", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-Wl,--build-id")
    mover = steps.build(os.path.join(WORK, "libmover.so"), MOVER_SOURCE, *flags, "-shared", "-fPIC", once=True)
    return steps.build(os.path.join(WORK, "moved"), PROGRAM_SOURCE, *flags, "-Wl,-z,separate-code", libraries=(mover, "-Wl,-rpath," + WORK), once=True)


def check(path, options, way):
    steps.record(DATA, "-e", "cpu-clock", "-F", "1000", *options, path, *way)
    maps = tap.run(steps.tally(), "script", "-i", DATA, "--show-mmap-events", status=0).stdout
    assert re.search(r"PERF_RECORD_MMAP2 .* r.xp //anon", maps), maps
    report = steps.report(DATA, "--stdio", "--no-children", "-g", "none")
    top = re.search(r"^ +([0-9.]+)% .*$", report, re.M)
    assert "leaf" in top.group(0) and " moved " in top.group(0) and "[JIT]" not in report, report
    assert path in tap.run(steps.tally(), "buildid-list", "-i", DATA, status=0).stdout
    if "dwarf" in options:
        assert float(re.search(r"# Stacks: \d+ unwound, ([0-9.]+) % complete", report).group(1)) > 97, report


def test_a_moved_program():
    path = program()
    for way in ([], ["executable"]):
        for options in ([], ["--call-graph", "dwarf"], ["--call-graph", "dwarf", "--keep-stacks"], ["-d"], ["--buildid-mmap"]):
            check(path, options, way)


def test_its_code_is_annotated():
    path = program()
    steps.record(DATA, "-e", "cpu-clock", "-F", "1000", path)
    machine.need_built_with("disassembler")
    text = tap.run(steps.tally(), "annotate", "-i", DATA, "--stdio", "-s", "leaf", status=0).stdout
    assert re.search(r"^ +\d+\.\d+ +[|:]? *[0-9a-f]+:", text, re.M), text


tap.main(__name__, machine.need_events)
