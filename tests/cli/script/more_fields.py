#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""script -F for registers by name, parts of weights, offsets in files, the time of day, and fields of perf that are empty
or not supported, on crafted recordings.

usage: more_fields.py TALLY
"""
import os
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("more-fields")
ARCH, CLOCK_DATA, WEIGHT_STRUCT = 6, 29, 1 << 24
os.environ["TZ"] = "UTC"


def script(name, data, *fields, status=0, program=TALLY):
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(data)
    done = tap.run(program, "script", "-i", path, "-F", ",".join(fields))
    assert done.returncode == status, f"{fields}: status {done.returncode}: {done.stderr}"
    return done


def regs_file(arch, mask, abi=2):
    """Return a recording in which each register has the number of its bit as value."""
    bits = [bit for bit in range(64) if mask >> bit & 1]
    sample = crafted.sample(0x1000, more=u64(abi, *bits) + (u64(0, 0, 0, 0) if abi & 4 else b""))
    attr = crafted.attr(crafted.DEFAULT_TYPE | crafted.REGS_USER, regs_user=mask)
    return crafted.file_bytes([sample], [attr], {ARCH: crafted.padded(arch)})


def test_registers_have_the_names_of_the_recorded_machine():
    for arch, mask, abi, names in (
            ("x86_64", 0xff0fff, 2, "AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15"),
            ("i686", 0x3, 1, "AX BX"), ("x86_64", 0xf << 32, 2, "XMM0 XMM0 XMM1 XMM1"),
            ("x86_64", 1 << 24 | 1 << 39 | 1 << 40, 6, "R16 R31 SSP"),
            ("aarch64", 1 | 1 << 30 | 1 << 31 | 1 << 32, 2, "x0 lr sp pc"), ("armv7l", 1 << 11 | 1 << 15, 1, "fp pc"),
            ("riscv64", 3 | 1 << 31, 2, "pc ra t6"), ("s390x", 1 | 1 << 33, 2, "R0 PC"), ("ppc64le", 1 << 32 | 1 << 44, 2, "nip mmcra"),
            ("strange", 1 << 5, 2, "5"), ("x86_64", 1 << 30, 2, "30")):
        words = script("regs.data", regs_file(arch, mask, abi), "uregs").stdout.split()
        bits = [bit for bit in range(64) if mask >> bit & 1]
        tap.same(words, [f"ABI:{abi}"] + [f"{name}:{bit:#x}" for name, bit in zip(names.split(), bits)], arch)


def test_parts_of_a_weight():
    sample = crafted.sample(0x1000, more=struct.pack("<IHH", 300, 20, 1))
    data = crafted.file_bytes([sample], [crafted.attr(crafted.DEFAULT_TYPE | WEIGHT_STRUCT)])
    tap.same(script("weight.data", data, "weight", "ins_lat", "retire_lat").stdout.split(), ["300", "20", "1"], "weights")


def test_offsets_in_files():
    branches = u64(1) + u64(0x1010, 0x8020, 2)
    data = crafted.file_bytes([crafted.mmap(1, 0x1000, 0x1000, "/nowhere/a"), crafted.mmap(1, 0x8000, 0x1000, "/nowhere/b", pgoff=0x100),
                               crafted.sample(0x1004, time=3, more=branches)],
                              [crafted.attr(crafted.DEFAULT_TYPE | crafted.BRANCH, branch_type=8)])
    tap.same(script("off.data", data, "ip", "dsoff").stdout.split(), ["1004", "(/nowhere/a+0x4)"], "place")
    tap.same(script("off.data", data, "brstackoff").stdout.split(), ["0x10/0x120/P/-/-/0/"], "branch")
    tap.same(script("off.data", data, "brstackoff", "dso").stdout.split()[-1], "0x10(/nowhere/a)/0x120(/nowhere/b)/P/-/-/0/", "branch")


def test_the_time_of_day():
    clocks = u32(1, 1) + u64(1_700_000_000_000_000_000, 5_000_000_000)
    samples = [crafted.sample(0x1000, time=4_000_000_000), crafted.sample(0x1000, time=6_000_001_000)]
    text = script("tod.data", crafted.file_bytes(samples, features={CLOCK_DATA: clocks}), "tod").stdout
    tap.same([line.strip() for line in text.splitlines()], ["2023-11-14 22:13:19.000000", "2023-11-14 22:13:21.000001"], "times")
    done = script("none.data", crafted.file_bytes(samples), "tod", status=1)
    assert "no time of day" in done.stderr and "record with -k" in done.stderr, done.stderr


def test_empty_and_unsupported_fields():
    data = crafted.file_bytes([crafted.sample(0x1000)])
    plain = script("plain.data", data, "comm", "ip").stdout
    for name in ("bpf-output", "callindent", "flags", "insn", "disasm", "ipc", "metric", "machine_pid", "synth", "vcpu"):
        tap.same(script("plain.data", data, "comm", "ip", name).stdout, plain, name)
    for name in ("brcntr",):
        done = script("plain.data", data, "ip", name, status=1)
        assert f"perf's field '{name}' is not supported" in done.stderr and "hint:" in done.stderr, done.stderr


def test_the_text_is_that_of_perf():
    machine.need_perf()
    data = regs_file("x86_64", 0xff0fff)
    tap.same(script("regs.data", data, "comm", "uregs").stdout, script("regs.data", data, "comm", "uregs", program="perf").stdout, "uregs")


tap.main(__name__)
