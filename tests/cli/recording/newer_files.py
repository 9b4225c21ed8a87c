#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Read what perf 7.0 and later, and Linux after 7.1, add to files: attrs of 176 bytes, vector registers in samples,
features 32 to 35, and records 84 to 86. The files are crafted, as no such perf is available here.

usage: newer_files.py TALLY
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("newer-files")
CPU_DOMAIN_INFO, E_MACHINE, CLN_SIZE, MEMORY_RANGES = 32, 33, 34, 35
BPF_METADATA, SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN = 84, 85, 86
PHYS_ADDR = 1 << 19
TYPE = crafted.DEFAULT_TYPE | crafted.REGS_USER | PHYS_ADDR


def run(name, data, *words):
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(data)
    return tap.run(TALLY, *words, "-i", path)


def records(name, data):
    done = run(name, data, "script", "--dump-json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def attr_176(sample_type=TYPE):
    """Return an attr that selects 2 general registers, 2 vectors of 4 words and 1 predicate of 1 word."""
    attr = bytearray(crafted.attr(sample_type, size=176, regs_user=3))
    attr[144:176] = struct.pack("<4H2I2Q", 1, 1, 4, 0, 0, 1, 0, 3)
    return bytes(attr)


def simd_sample(abi, time=1):
    regs = u64(abi, 0xa, 0xb)
    if abi & 4:
        regs += u64(2, 4, 1, 1) + u64(*range(100, 108)) + u64(0xff)
    return crafted.sample(0x1000, time=time, more=regs + u64(0x7777))


def test_the_fields_after_vector_registers_are_found():
    data = crafted.file_bytes([simd_sample(6, 1), simd_sample(2, 2), simd_sample(5, 3)], [attr_176()])
    found = records("simd.data", data)
    tap.same([int(one["physical_addr"]) for one in found], [0x7777] * 3, "fields after the registers")
    regs = found[0]["user_regs"]
    tap.same([int(word) for word in regs["simd"]], [*range(100, 108), 0xff], "vectors and predicates")
    tap.same([int(regs[name]) for name in ("nr_vectors", "vector_qwords", "nr_pred", "pred_qwords")], [2, 4, 1, 1], "sizes")
    assert "simd" not in found[1]["user_regs"], found[1]


def test_an_unknown_register_abi_is_reported_and_the_sample_is_not_guessed():
    data = crafted.file_bytes([simd_sample(2, 1), simd_sample(10, 2), simd_sample(2, 3)], [attr_176()])
    done = run("abi.data", data, "script", "-F", "comm,time,phys_addr")
    assert "unknown register ABI" in done.stderr, done.stderr
    tap.same(done.stdout.count("7777"), 2, "samples that can be decoded")


def test_the_header_shows_newer_features():
    domains = u32(17, 2)
    for cpu in range(2):
        domains += u32(cpu, 2)
        for level, name in enumerate(("SMT", "PKG")):
            domains += u32(level) + crafted.padded(name) + crafted.padded("3") + crafted.padded("0-1")
    ranges = u32(2) + b"".join(u64(base, 4096) + u32(1) + bytes([2, 3]) for base in (0, 8192))
    features = {CPU_DOMAIN_INFO: domains, E_MACHINE: u32(62, 1), CLN_SIZE: u32(64), MEMORY_RANGES: ranges}
    text = run("features.data", crafted.file_bytes([crafted.sample(1)], features=features), "report", "--header-only").stdout
    for line in ("# e_machine : 62, e_flags : 0x1", "# cache line size : 64", "# schedstat version : 17",
                 "# CPU 1: domain 1, PKG, CPUs 0-1",
                 "# memory range : 0x2000, 4096 bytes, node 1, region 2 local, 3 remote"):
        assert line in text.splitlines(), f"{line} is missing:\n{text}"
    padded = u32(1) + u64(8192, 4096) + u32(1) + bytes([2, 3, 0, 0])
    text = run("padded.data", crafted.file_bytes([crafted.sample(1)], features={MEMORY_RANGES: padded}), "report", "--header-only").stdout
    assert "# memory range : 0x2000, 4096 bytes, node 1, region 2 local, 3 remote" in text.splitlines(), text


def test_truncated_newer_features_are_reported():
    features = {CPU_DOMAIN_INFO: u32(17, 2, 0, 1000, 1), E_MACHINE: u32(62), CLN_SIZE: b"\1", MEMORY_RANGES: u32(1 << 31)}
    done = run("cut.data", crafted.file_bytes([crafted.sample(1)], features=features), "report", "--header-only")
    for name in ("CPU_DOMAIN_INFO", "E_MACHINE", "CLN_SIZE", "MEMORY_RANGES"):
        assert name in done.stderr, f"{name}: {done.stderr}"


def test_newer_records_are_described():
    variables = b"".join(key.encode().ljust(64, b"\0") + value.encode().ljust(256, b"\0")
                         for key, value in (("version", "1.2"), ("mode", "fast")))
    data = crafted.file_bytes([
        crafted.record(BPF_METADATA, b"prog".ljust(512, b"\0") + u64(2) + variables),
        crafted.record(SCHEDSTAT_CPU, u64(5) + u32(3) + struct.pack("<HH", 17, 0) + u64(1, 2)),
        crafted.record(SCHEDSTAT_DOMAIN, u64(6) + u32(3) + struct.pack("<HH", 17, 4) + u64(9)),
        crafted.record(87, u64(0))])
    found = {one["name"]: one for one in records("records.data", data)}
    tap.same(sorted(found), ["BPF_METADATA", "SCHEDSTAT_CPU", "SCHEDSTAT_DOMAIN", "UNKNOWN"], "names")
    metadata, domain = found["BPF_METADATA"], found["SCHEDSTAT_DOMAIN"]
    tap.same((metadata["prog_name"], metadata["nr"]), ("prog", 2), "program")
    tap.same(metadata["entries"], [{"key": "version", "value": "1.2"}, {"key": "mode", "value": "fast"}], "variables")
    tap.same([found["SCHEDSTAT_CPU"][name] for name in ("time_ns", "cpu", "version", "data")],
             [5, 3, 17, "01" + "00" * 7 + "02" + "00" * 7], "statistics of a CPU")
    tap.same([domain[name] for name in ("time_ns", "cpu", "version", "domain")], [6, 3, 17, 4], "of a domain")


tap.main(__name__)
