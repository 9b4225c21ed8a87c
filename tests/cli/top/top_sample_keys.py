#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sort keys of `tally top` that are computed from samples.

usage: top_sample_keys.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import steps  # noqa: E402
import tap  # noqa: E402
from watching import FOLDER, TALLY, Started, may_watch, stdio  # noqa: E402

# Each round faults on each page once.
PROGRAM = r"""
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char area[4 * 4096] __attribute__((aligned(4096))) = {1};

int main(int argc, char **argv)
{
	for (;;) {
		for (int i = 0; i < 4; i++)
			*(volatile char *)&area[i * 4096] = 1;
		madvise(area, sizeof(area), MADV_DONTNEED);
		usleep(atoi(argv[1]));
	}
}
"""
FAULTS = ("-e", "page-faults/period=1/u")


def faulting(pause_us):
    path = os.path.join(FOLDER, "faults7")
    steps.build(path, PROGRAM, "-O1", compiler="gcc", file=path + ".c", once=True)
    return Started(path, str(pause_us))


def found(lines, pattern):
    return [m.groups() for m in (re.match(pattern, line) for line in lines) if m]


def test_keys_of_samples():
    may_watch()
    pattern = r"^ +(\d+\.\d\d)% +(\d+\.\d\d)% +faults<N> +(\d+|N/A) +\[\.\] (area\S*) *$"
    with faulting(20000) as watched:
        words = ("-p", str(watched.pid), *FAULTS, "-s", "comm_nodigit,socket,symbol_daddr", "--fields", "+overhead_us")
        lines = stdio(*words, until=lambda s: len(found(s, pattern)) == 4)
    rows = found(lines, pattern)
    tap.same({row[3] for row in rows}, {"area", "area+0x1000", "area+0x2000", "area+0x3000"}, "addresses")
    assert all(15 < float(row[0]) < 35 and row[0] == row[1] for row in rows), rows


def test_a_sample_that_is_alone_in_its_row_is_shown():
    """Its count decays to 0 only after it has been shown."""
    may_watch()
    pattern = r"^ +(\d+\.\d\d)% +\d+\.\d00000 +1 +\[\.\] (area\S*) *$"
    with faulting(200000) as watched:
        stdio("-p", str(watched.pid), *FAULTS, "-d", "1", "-s", "time,sample,symbol_daddr",
              until=lambda s: len(found(s, pattern)) >= 4)


def test_keys_that_need_a_recording_or_branches():
    for key, words in (("trace", "'trace' is not supported by tally top; use 'tally record' and 'tally report'"),
                       ("parallelism", "'parallelism' is not supported by tally top"),
                       ("symbol_from", "'symbol_from' is a key of branches, and rows are samples; add -b")):
        done = tap.run(TALLY, "top", "-s", key, status=1)
        assert words in done.stderr, done.stderr


def test_branches_of_a_software_event():
    """Software events have no branches: the error names the options."""
    may_watch()
    for words in (("-b",), ("-j", "any_call,u")):
        done = tap.run(TALLY, "top", "-a", "--stdio", "-e", "cpu-clock", *words, status=1)
        assert "hint: leave out -b, -j and --call-graph lbr: this system cannot record branches" in done.stderr, done.stderr


tap.main(__name__)
