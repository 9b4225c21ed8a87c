#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The header of recordings (report --header, --header-only, -I), also compared with perf's.

usage: header.py TALLY
"""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402
from reporting import TALLY, report  # noqa: E402

WORK = tap.workplace("header")
FOLDER = os.path.abspath(__file__).rpartition("/cli/")[0] + "/fixtures/perfdata"
LONG = ("CPU_TOPOLOGY", "NUMA_TOPOLOGY", "CACHE", "MEM_TOPOLOGY")


def header(path, *words, program=TALLY):
    lines = tap.run(program, "report", "-i", path, "--header-only", *words, status=0).stdout.splitlines()
    return [line for line in lines if line.strip()]


def test_long_features_are_printed_on_request():
    path = os.path.join(FOLDER, "perf61/leader.data")
    short, full = header(path), header(path, "-I")
    for name in LONG:
        hint = f"# {name} info available, use -I to display"
        assert hint in short and hint not in full, name
    assert "# CPU cache info:" in full and "# memory nodes (nr 1, block size 0x8000000):" in full, full
    assert "# group: {cpu-clock,page-faults,context-switches}" in short, short
    assert any(line.startswith("# missing features: TRACING_DATA BRANCH_STACK ") for line in short), short
    tap.same(report(path, "--header").stdout.splitlines()[:len(short)], short, "--header")
    tap.same(report(path, "-I").stdout.splitlines()[:len(full)], full, "-I")


def test_memory_is_a_list_of_blocks():
    def memory(bits, block=0x8000000):
        words = b"".join(u64(sum(1 << bit % 64 for bit in bits if bit // 64 == word)) for word in range(2))
        feature = u64(1, block, 1) + u64(3, 16) + u64(128) + words
        path = crafted.write(WORK, "memory.data", crafted.file_bytes([crafted.sample(1)], features={22: feature}))
        return [line for line in header(path, "-I") if "[" in line]

    tap.same(memory([0, 1, 2, 5, 63, 64, 127]), ["#    3 [896M]: 0-2,5,63-64,127"], "blocks")
    tap.same(memory([]), ["#    3 [0B]: "], "no blocks")
    tap.same(memory(range(128), 1 << 63), ["#    3 [17179869183G]: 0-127"], "a sum that does not fit")


def test_names_are_escaped():
    name = u32(16) + b"a\x1b[31m".ljust(16, b"\0")
    path = crafted.write(WORK, "names.data", crafted.file_bytes([crafted.sample(1)], features={3: name}))
    assert "# hostname : a\\x1b[31m" in header(path), header(path)


def test_a_stream_is_read_to_its_end():
    lines = header(os.path.join(FOLDER, "perf61/traced-stream.data"))
    assert "# arch : x86_64" in lines and any(line.startswith("# cmdline : ") for line in lines), lines


def test_headers_are_those_of_perf():
    machine.need_perf()
    perf = shutil.which("perf")
    if not tap.run(perf, "--version").stdout.startswith("perf version 6.1."):
        raise tap.Skip("the installed perf is not 6.1")
    seen = 0
    for path in sorted(glob.glob(FOLDER + "/*/*.data")):
        if any(part in path for part in ("-stream", "unfinished", "/damaged/", "/riscv/")):
            continue
        for words in ((), ("-I",)):
            tap.same(header(path, *words), header(path, *words, program=perf), f"{path} {words}")
            seen += 1
    assert seen > 40, seen


tap.main(__name__)
