#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""script --show-...-events for records that are not samples, in perf's form.

usage: other_records.py TALLY
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
WORK = tap.workplace("other-records")
PATH = os.path.join(WORK, "records.data")
LOST, NAMESPACES, BPF_EVENT, TEXT_POKE = 2, 16, 18, 20
END = crafted.trailer(1, 5)
EXPECTED = {
    "lost": ["PERF_RECORD_LOST lost 77"],
    "bpf": ["PERF_RECORD_KSYMBOL addr ffffffffc0360318 len 100 type 1 flags 0x0 name bpf_prog_\\x1bx",
            "PERF_RECORD_BPF_EVENT type 1, flags 0, id 7"],
    "text-poke": ["PERF_RECORD_TEXT_POKE ffffffff81000000  old len 2 new len 1"],
    "namespace": ["PERF_RECORD_NAMESPACES 1/1 - nr_namespaces: 5"],
}
MORE = {"text-poke": ["            Old bytes: 0a 0b", "            New bytes: 0c"],
        "namespace": ["\t\t[0/net: 4/0xf0, 1/uts: 4/0xf1, 2/ipc: 4/0xf2, 3/pid: 4/0xf3, ", "\t\t 4/user: 4/0xf4]"]}


def records(name=b"bpf_prog_\x1bx"):
    return [crafted.comm(1, "x", 1), crafted.sample(0x1000, time=3),
            crafted.record(LOST, u64(1, 77) + END),
            crafted.record(17, u64(0xffffffffc0360318) + u32(100) + struct.pack("<HH", 1, 0) + crafted.text(name) + END),
            crafted.record(BPF_EVENT, struct.pack("<HHI", 1, 0, 7) + bytes(8) + END),
            crafted.record(TEXT_POKE, u64(0xffffffff81000000) + struct.pack("<HH", 2, 1) + b"\x0a\x0b\x0c" + bytes(1) + END),
            crafted.record(NAMESPACES, u32(1, 1) + u64(5) + b"".join(u64(4, 0xf0 + i) for i in range(5)) + END),
            crafted.record(crafted.FINISHED_ROUND, b""), crafted.sample(0x1004, time=9)]


def script(*words, path=PATH, program=TALLY):
    done = tap.run(program, "script", "-F", "comm,tid,time,ip", "-i", path, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(path, parts):
    with open(path, "wb") as file:
        file.write(crafted.file_bytes(parts))


write(PATH, records())


def test_each_kind_of_record():
    plain = script().splitlines()
    for kind, expected in EXPECTED.items():
        lines = script(f"--show-{kind}-events").splitlines()
        added = [line for line in lines if line not in plain]
        texts = [line[line.index("PERF_RECORD"):] for line in added if "PERF_RECORD" in line]
        tap.same(texts, expected, kind)
        tap.same([line for line in added if "PERF_RECORD" not in line], MORE.get(kind, []), kind)
        tap.same([line for line in lines if line in plain], plain, "samples")


def test_generated_code_has_the_recorded_name():
    """Code that the kernel generated may no longer exist, and has no file."""
    def sample(ip):
        return crafted.record(crafted.SAMPLE, u64(ip) + u32(1, 1) + u64(9, 1), 1)
    path = os.path.join(WORK, "generated.data")
    named = [crafted.record(17, u64(start) + u32(100) + struct.pack("<HH", 1, 0) + crafted.text(name) + END)
             for start, name in ((0xffffffffc0360318, b"bpf_prog_1_x"), (0xffffffffc0400000, b"trampoline"), (0xffffffffc0500000, b"trampoline"))]
    write(path, [*named, sample(0xffffffffc036031d), sample(0xffffffffc0400001), sample(0xffffffffc0500002), sample(0xffffffffc0500064)])
    words = ("script", "-i", path, "-F", "ip,sym,symoff,dso")
    lines = tap.run(TALLY, *words, status=0).stdout.splitlines()
    tap.same([line.split()[1] for line in lines], ["bpf_prog_1_x+0x5", "trampoline+0x1", "trampoline+0x2", "[unknown]"], "names")
    if machine.need_perf.reason() is None:
        tap.same([line.split() for line in lines], [line.split() for line in tap.run("perf", *words).stdout.splitlines()], "perf")


def test_rounds():
    assert "PERF_RECORD_FINISHED_ROUND" in script("--show-round-events").splitlines()
    assert "FINISHED_ROUND" not in script(), "without the option"


def test_misc_shows_the_flags_of_records():
    path = os.path.join(WORK, "flags.data")
    one = u32(1, 1)
    write(path, [crafted.record(3, one + crafted.text("x") + END, 0x2000 | crafted.USER),
                 crafted.mmap(1, 0x1000, 0x1000, "/a"), crafted.mmap(1, 0x3000, 0x1000, "/b", misc=0x2000 | crafted.USER),
                 crafted.record(14, END, 0x2000), crafted.record(14, END, 0x6000), crafted.record(14, END), crafted.sample(0x1000, time=9)])
    words = ("-F", "misc,event", "--show-task-events", "--show-mmap-events", "--show-switch-events")
    lines = script(*words, path=path).splitlines()
    tap.same([line[:6] for line in lines], ["U     ", "UM    ", "UE    ", "S     ", "Sp    ", " " * 6, "U     "], "flags")
    if machine.need_perf.reason() is None:
        theirs = tap.run("perf", "script", "-i", path, *words).stdout.splitlines()
        tap.same([line[:6] for line in lines], [line[:6] for line in theirs], "perf")


def test_truncated_records_are_left_out():
    path = os.path.join(WORK, "cut.data")
    write(path, [crafted.sample(0x1000), crafted.record(TEXT_POKE, u64(1) + struct.pack("<HH", 60000, 60000) + bytes(4) + END),
                 crafted.record(LOST, END), crafted.record(NAMESPACES, u32(1, 1) + END), crafted.record(BPF_EVENT, bytes(0) + END)])
    text = script("--show-text-poke-events", "--show-lost-events", "--show-namespace-events", "--show-bpf-events", path=path)
    assert "1000" in text and "PERF_RECORD" not in text, text


def test_the_lines_are_those_of_perf():
    machine.need_perf()
    path = os.path.join(WORK, "clean.data")
    write(path, records(b"bpf_prog_x"))
    for words in ([f"--show-{kind}-events"] for kind in EXPECTED if kind != "text-poke"):  # perf adds KSYMBOL to that
        tap.same(script(*words, path=path), script(*words, path=path, program="perf"), " ".join(words))


tap.main(__name__)
