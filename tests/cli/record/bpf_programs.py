#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records of BPF programs that were loaded before the recording: KSYMBOL and BPF_EVENT. If perf is installed, it must
write the same.

usage: bpf_programs.py TALLY
"""
import ctypes
import json
import os
import platform
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("bpf-programs")
CALLS = {"x86_64": 321, "aarch64": 280, "riscv64": 280}
PROG_LOAD, SOCKET_FILTER = 5, 1


def load(name, value):
    """Load "return value", and return its file descriptor. Skip if this is not possible here."""
    if platform.machine() not in CALLS:
        raise tap.Skip("the number of bpf(2) is not known for this machine")
    code = struct.pack("<BBHi", 0xb7, 0, 0, value) + struct.pack("<BBHi", 0x95, 0, 0, 0)
    text, licence = ctypes.create_string_buffer(code), ctypes.create_string_buffer(b"BSD")
    attr = struct.pack("<IIQQIIQII16s", SOCKET_FILTER, len(code) // 8, ctypes.addressof(text), ctypes.addressof(licence), 0, 0, 0, 0, 0, name)
    block = ctypes.create_string_buffer(attr + bytes(80))
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(CALLS[platform.machine()], PROG_LOAD, block, len(attr))
    if fd < 0:
        raise tap.Skip(f"BPF programs cannot be loaded: {os.strerror(ctypes.get_errno())}")
    return fd


def records(path):
    out = tap.run(TALLY, "script", "--dump-json", "-i", path, status=0).stdout
    return [record for record in map(json.loads, out.splitlines()) if record["name"] in ("KSYMBOL", "BPF_EVENT")]


def comparable(found):
    """Return what both programs must write, in any order."""
    return sorted(str({key: value for key, value in record.items() if key not in ("offset", "sample_info", "size")}) for record in found)


def test_loaded_programs():
    machine.need_events()
    fds = [load(b"first", 1), load(b"second", 2)]
    try:
        ids = [int(re.search(r"prog_id:\s*(\d+)", open(f"/proc/self/fdinfo/{fd}", encoding="ascii").read())[1]) for fd in fds]
        tags = [re.search(r"prog_tag:\s*(\w+)", open(f"/proc/self/fdinfo/{fd}", encoding="ascii").read())[1] for fd in fds]
        ours = os.path.join(WORK, "ours.data")
        tap.run(TALLY, "record", "-q", "-e", "cpu-clock", "-o", ours, "true", status=0)
        found = records(ours)
        events = {event["id"]: event["tag"] for event in found if event["name"] == "BPF_EVENT"}
        for number, tag in zip(ids, tags):
            tap.same(events.get(number), tag, f"program {number}")
        names = {event["fields"]["name"] for event in found if event["name"] == "KSYMBOL"}
        with open("/proc/sys/net/core/bpf_jit_enable", encoding="ascii") as file:
            is_jited = file.read().strip() != "0"
        if is_jited and names:
            assert {f"bpf_prog_{tags[0]}_first", f"bpf_prog_{tags[1]}_second"} <= names, names
        plain = os.path.join(WORK, "plain.data")
        tap.run(TALLY, "record", "-q", "--no-bpf-event", "-e", "cpu-clock", "-o", plain, "true", status=0)
        tap.same(records(plain), [], "--no-bpf-event")
        if shutil.which("perf"):
            theirs = os.path.join(WORK, "theirs.data")
            if tap.run("perf", "record", "-q", "-e", "cpu-clock", "-o", theirs, "true").returncode == 0 and records(theirs):
                tap.same(comparable(found), comparable(records(theirs)), "perf's records")
    finally:
        for fd in fds:
            os.close(fd)


tap.main(__name__)
