#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test simpleperf recordings with stack dumps, from 64-bit and 32-bit Arm Android devices: they are read completely,
and both the ends of their stacks and any stacks that cannot be unwound are reported.

usage: simpleperf.py TALLY SHARED
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = os.path.abspath(sys.argv[1])
FOLDER = os.path.join(sys.argv[2], "perfdata", "simpleperf")
WORK = tap.workplace("simpleperf")
ENV = {**os.environ, "XDG_CACHE_HOME": WORK}
# Stack dumps left in the recordings: simpleperf usually unwinds the stacks itself and writes no dumps. The mapped files
# exist only on a phone.
DUMPS = {"perf_no_unwind.data": {"no_file": 8}, "perf_unwind_embedded_lib_in_apk.data": {"no_file": 1},
         "perf_with_ip_zero_in_callchain.data": {"unmapped": 1}}
ENDS = ("whole", "limit", "short_dump", "other_stack", "no_rules", "no_file", "anonymous", "unmapped", "bad_rule", "pointers")


def tally(*words):
    done = tap.run(TALLY, *words, env=ENV)
    tap.same((done.returncode, "Sanitizer" in done.stderr), (0, False), f"{' '.join(words)}: {done.stderr[:500]}")
    return done.stdout


def stacks(path):
    return json.loads(tally("report", "--json", "-i", path))["health"]["stacks"]


def recordings():
    if not os.path.isdir(FOLDER):
        raise tap.Skip("the recordings of simpleperf are not beside the tree")
    return [os.path.join(FOLDER, name) for name in sorted(os.listdir(FOLDER))]


def test_all_of_them_are_read():
    for path in recordings():
        tally("script", "-i", path)
        tally("report", "--stdio", "-i", path)
        tally("report", "--health", "-i", path)


def test_ends_of_stacks_are_told():
    found = {}
    for path in recordings():
        if "STACK_USER" not in tally("evlist", "-v", "-i", path):
            continue
        told = stacks(path)
        ends = {end: told[end] for end in ENDS if told[end]}
        tap.same(sum(ends.values()), told["unwound"], path)
        tap.same(sum(one["stacks"] for one in told["files"]), told["unwound"] - told["whole"], path)
        assert (f"# Stacks: {told['unwound']} unwound" in tally("report", "--health", "-i", path)) == bool(ends), path
        if ends:
            found[os.path.basename(path)] = ends
    tap.same(found, DUMPS, "ends")


def dumped(abi, ip):
    """Return an empty callchain, 16 registers (the last of which is the IP), and a stack of 16 bytes."""
    return u64(0) + u64(abi, *range(1, 16), ip) + u64(16) + bytes(16) + u64(16)


def test_32_bits_are_told():
    """Check that 32-bit code is detected from the file's machine or, in a 32-bit program on a 64-bit kernel, from the
    sample."""
    an_attr = attr(IP | TID | TIME | PERIOD | CALLCHAIN | REGS_USER | STACK_USER, regs_user=0xffff, stack=16)
    path = os.path.join(WORK, "arm.data")
    for machine, abi in (("armv7l", 1), ("armv8l", 1), ("aarch64", 1), ("i686", 1), ("x86_64", 1), ("riscv64", 2)):
        records = [mmap(1, 0x400000, 0x10000, "/system/bin/app_process32"), comm(1, "app"),
                   sample(0x401010, 1, 1, USER, dumped(abi, 0x401010))]
        with open(path, "wb") as file:
            file.write(file_bytes(records, [an_attr], {6: padded(machine)}))
        told = stacks(path)
        tap.same((told["unwound"], told["foreign"]), (0, 1), machine)
        want = "# Stacks: 1 not unwound: not from a 64-bit program for x86-64 or AArch64"
        assert want in tally("report", "--health", "-i", path), machine
        assert want in tally("report", "--stdio", "-i", path), machine
        assert "app" in tally("script", "-i", path), machine


tap.main(__name__)
