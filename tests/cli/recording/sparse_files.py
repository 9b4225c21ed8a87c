#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test files with holes. Gigabytes that use no disk space must cost neither memory nor time, and skipped parts must be
reported. Memory and CPU time are limited as in hostile_files.py.

usage: sparse_files.py TALLY
"""
import os
import re
import resource
import struct
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("sparse")
HOLE, PAGE, START, PID = 8 << 30, 4096, 0x400000, 4194304 + os.getpid()
CPU_SECONDS, MEMORY_MB = 20, 700
TOO_LARGE, NO_LINES = "file too large", "it needed too much memory"
UNIT = struct.pack("<IHIB", 8, 4, 0, 8) + b"\1"
LONG_UNIT = b"\xff\xff\xff\xff" + struct.pack("<QHQB", HOLE - 12, 4, 0, 8) + b"\1"
DEBUG = {".debug_info": (1, 0, UNIT, None), ".debug_abbrev": (1, 0, b"\1\x11\1\0\0\0", None), ".debug_line": (1, 0, bytes(64), None)}


def symbol(name, start, size):
    return struct.pack("<IBBHQQ", name, 0x12, 0, 1, start, size)


def plain_sections():
    """Return {name: (type, flags, bytes, name of the linked section)}. The code is at PAGE."""
    return {".text": (1, 6, b"\x55\x48\x89\xe5\xe8\0\0\0\0".ljust(512, b"\xcc"), None),
            ".symtab": (2, 0, bytes(24) + symbol(1, PAGE, 256), ".strtab"),
            ".strtab": (3, 0, b"\0hot\0", None)}


def write_elf(path, sections, hole=None, has_sections=True):
    """Write an ELF file in which the section `hole` consists of HOLE bytes of zeros."""
    order = ["", *sections, ".shstrtab"]
    names = b"\0".join(name.encode() for name in order) + b"\0"
    at, rows, parts = PAGE, [bytes(64)], []
    for number, name in enumerate(order[1:], 1):
        kind, flags, data, link = sections.get(name, (3, 0, names, None))
        size = HOLE if name == hole else len(data)
        name_at = sum(len(before) + 1 for before in order[:number])
        rows.append(struct.pack("<IIQQQQIIQQ", name_at, kind, flags, at if flags & 2 else 0, at, size,
                                order.index(link) if link else 0, 0, 8, 24))
        parts.append((at, data))
        at += -(-size // PAGE) * PAGE
    text = struct.unpack_from("<QQ", rows[1], 24)
    with open(path, "wb") as file:
        head = struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, at if has_sections else 0, 0, 64, 56, 1, 64,
                           len(order) if has_sections else 0, len(order) - 1 if has_sections else 0)
        file.write(b"\x7fELF\2\1\1" + bytes(9) + head + struct.pack("<IIQQQQQQ", 1, 5, text[0], text[0], text[0], text[1], text[1], PAGE))
        for where, data in [*parts, (at, b"".join(rows))]:
            file.seek(where)
            file.write(data)


def write_recording(path, program):
    ip = START + PAGE + 10
    chain = u64(3, CONTEXT_USER, ip, ip)
    records = [mmap(PID, START, 1 << 20, program), comm(PID, "p"), sample(ip, PID, 1, more=chain)]
    with open(path, "wb") as file:
        file.write(file_bytes(records, [attr(DEFAULT_TYPE | CALLCHAIN)]))
    later = time.time() + 3600  # otherwise the program would appear to have changed after the recording
    os.utime(path, (later, later))


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def tally(*command, data):
    """Return the output of a command, which is killed if it exceeds the memory or time limit."""
    sanitizer = f"hard_rss_limit_mb={MEMORY_MB}:quarantine_size_mb=16:" + os.environ.get("ASAN_OPTIONS", "")
    done = tap.run(TALLY, *command, "-i", data, env={**os.environ, "ASAN_OPTIONS": sanitizer, "PERF_BUILDID_DIR": WORK + "/none"}, preexec_fn=limit)
    assert done.returncode in (0, 1), f"{command}: status {done.returncode}: {done.stderr[-500:]}"
    return done.stdout + done.stderr


def check(sections, hole, told=None, has_sections=True):
    """Run all commands that read programs. `told` is the part that a report must list as skipped."""
    program, data = os.path.join(WORK, "program"), os.path.join(WORK, "perf.data")
    write_elf(program, sections, hole, has_sections)
    write_recording(data, program)
    out = tally("report", "--stdio", "-s", "sym,srcline", "--no-index", data=data)
    assert (told or "100.00%") in out, (hole, told, out)
    for command in (["report", "--stdio", "--header"], ["script", "-F", "ip,sym,srcline"], ["annotate", "--stdio"],
                    ["archive", "-o", os.path.join(WORK, "archive")]):
        tally(*command, data=data)
    os.unlink(program)


def test_tables_of_symbols():
    dynamic = {".dynsym": (11, 2, bytes(24) + symbol(1, PAGE, 256), ".dynstr"), ".dynstr": (3, 2, b"\0hot\0", None)}
    for hole in (".symtab", ".strtab", ".dynsym", ".dynstr"):
        check({**plain_sections(), **dynamic}, hole, TOO_LARGE)
    plt = {".plt": (1, 6, b"\xff\x25".ljust(32, b"\0"), None), ".rela.plt": (4, 2, bytes(24), ".dynsym")}
    for hole in plt:
        check({**plain_sections(), **dynamic, **plt}, hole)
    check(plain_sections(), ".shstrtab")


def test_debug_information():
    machine.need_built_with("dwarf")
    for hole in DEBUG:
        check({**plain_sections(), **DEBUG}, hole, NO_LINES)
    check({**plain_sections(), **DEBUG, ".debug_info": (1, 0, LONG_UNIT, None)}, ".debug_info", NO_LINES)
    for name in (".debug_str", ".debug_rnglists", ".debug_addr"):
        check({**plain_sections(), **DEBUG, name: (1, 0, b"\0", None)}, name, NO_LINES)


def test_packed_sections():
    for kind in (1, 2):
        packed = struct.pack("<IIQQ", kind, 0, HOLE, 1)
        for name in (".debug_info", ".eh_frame", ".debug_frame"):
            check({**plain_sections(), **DEBUG, name: (1, 1 << 11, packed, None)}, name)
            check({**plain_sections(), **DEBUG, name: (1, 1 << 11, packed, None)}, None)
    check({**plain_sections(), ".gnu_debugdata": (1, 0, b"\xfd7zXZ\0", None)}, ".gnu_debugdata")


def test_other_sections():
    for name, kind, data in ((".eh_frame", 1, b""), (".eh_frame_hdr", 1, b"\1\x1b\3\x3b" + u32(0, 0x7fffffff)), (".note", 7, b""),
                             (".gnu_debuglink", 1, b"x"), (".gnu_debugaltlink", 1, b"x")):
        check({**plain_sections(), name: (kind, 2, data, None)}, name)


@tap.always
def test_code():
    check(plain_sections(), ".text")
    check(plain_sections(), ".text", has_sections=False)
    check({**plain_sections(), ".symtab": (2, 0, bytes(24) + symbol(1, PAGE, HOLE), ".strtab")}, ".text")


def test_a_debug_file_by_its_sum():
    stripped = {".text": plain_sections()[".text"], ".gnu_debuglink": (1, 0, b"program.debug".ljust(16, b"\0") + b"\1\2\3\4", None)}
    write_elf(os.path.join(WORK, "program.debug"), plain_sections(), ".symtab")
    # Checksums are not computed for files larger than 2 GB.
    os.truncate(os.path.join(WORK, "program.debug"), (1 << 31) - PAGE)
    check(stripped, None)


def test_features_of_a_recording():
    path = os.path.join(WORK, "features")
    for feature in (1, 2, 3, 13, 129):
        data = bytearray(file_bytes([comm(PID, "p"), sample(START, PID, 1)], features={feature: u32(1, 1, 1, 1)}))
        at, size = struct.unpack_from("<QQ", data, 40)
        struct.pack_into("<Q", data, at + size + 8, HOLE)
        where, = struct.unpack_from("<Q", data, at + size)
        with open(path, "wb") as file:
            file.write(data)
            file.truncate(where + HOLE)
        for command in (["report", "--stdio", "--header"], ["script"], ["archive", "-o", os.path.join(WORK, "archive")]):
            out = tally(*command, data=path)
            assert "the feature is in a hole in the file" in out, (feature, command, out)


def test_a_copy_with_small_holes_is_read():
    """Check that a copy with holes in place of a few zeros is read."""
    program, data = os.path.join(WORK, "program"), os.path.join(WORK, "perf.data")
    write_elf(program, plain_sections())
    write_recording(data, program)
    os.truncate(program, os.path.getsize(program) + (8 << 20))
    assert "hot" in tally("report", "--stdio", "--no-index", data=data)


# The constant data is in the code segment.
DEEP_SOURCE = """
#include <time.h>
const char table[3 << 20] = {0};
volatile unsigned long sum;
__attribute__((noinline)) void leaf(unsigned long n)
{
	while (n--)
		sum += table[sum % sizeof(table)] + 1;
}
__attribute__((noinline)) void middle(unsigned long n) { leaf(n); sum++; }
__attribute__((noinline)) void top(unsigned long n) { middle(n); sum++; }
int main(void)
{
	while (clock() < 2 * CLOCKS_PER_SEC)
		top(100000);
	return 0;
}
"""


def test_stacks_of_a_program_whose_code_is_next_to_a_hole():
    machine.need_tool("cp", "--version")
    full, program, data = (os.path.join(WORK, name) for name in ("full", "deep", "deep.data"))
    steps.build(full, DEEP_SOURCE, "-O2", "-fomit-frame-pointer", "-Wl,-z,noseparate-code")
    tap.run("cp", "--sparse=always", full, program, status=0)
    if os.stat(program).st_blocks * 512 > os.path.getsize(program) - (2 << 20):
        raise tap.Skip("cp makes no holes here")
    steps.record(data, "-e", "cpu-clock", "-F", "1000", "--call-graph", "dwarf", program)
    report = steps.report(data, "--stdio", "--no-children")
    assert float(re.search(r"# Stacks: \d+ unwound, ([0-9.]+) % complete", report).group(1)) > 97, report
    assert re.search(r"leaf\n(.*\n)*.*middle\n(.*\n)*.*top\n", report), report


if __name__ == "__main__":
    tap.main(__name__, lambda: machine.need_holes(WORK, HOLE))
