#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is printed of recordings that were written by hand: hostile names, lost records, branch stacks, stack dumps.

usage: crafted_outputs.py TALLY
"""
import json
import os
import re
import shutil
import struct
import sys
import tempfile

import tap

TALLY = sys.argv[1]
WORK = tempfile.mkdtemp(prefix="tally-crafted-")

# ---- a small builder of perf.data files ------------------------------------------------------

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW, BRANCH, REGS_USER, STACK_USER = (
    1 << bit for bit in range(14))
KERNEL, USER = 1, 2
HOSTNAME, VERSION, CMDLINE, BUILD_ID, EVENT_DESC, BRANCH_STACK = 3, 5, 11, 2, 12, 15
CONTEXT_KERNEL, CONTEXT_USER = (1 << 64) - 128, (1 << 64) - 512


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *(value & (1 << 64) - 1 for value in values))


def u32(*values):
    return struct.pack(f"<{len(values)}I", *(value & 0xffffffff for value in values))


def attr(sample_type=IP | TID | TIME | PERIOD, kind=1, config=0, read_format=0, branch_type=0, regs_user=0, stack=0):
    mmap, comm, task, id_all = 1 << 8, 1 << 9, 1 << 13, 1 << 18
    fixed = u32(kind, 112) + u64(config, 1, sample_type, read_format, mmap | comm | task | id_all) + u32(0, 0)
    return fixed + u64(0, 0, branch_type, regs_user) + u32(stack, 0) + u64(0) + u32(0, 0)


def record(kind, body, misc=0):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text):
    text = (text if isinstance(text, bytes) else text.encode()) + b"\0"
    return text + bytes(-len(text) % 8)


def trailer(pid, time):
    return u32(pid, pid) + u64(time)


def mmap(pid, start, length, name, misc=USER, pgoff=0):
    return record(1, u32(pid, pid) + u64(start, length, pgoff) + padded(name) + trailer(pid, 0), misc)


def comm(pid, name, time=0):
    return record(3, u32(pid, pid) + padded(name) + trailer(pid, time))


def sample(ip, pid=1, time=0, misc=USER, rest=b"", period=1):
    return record(9, u64(ip) + u32(pid, pid) + u64(time, period) + rest, misc)


def text_64(text):
    text = text if isinstance(text, bytes) else text.encode()
    room = (len(text) // 64 + 1) * 64
    return u32(room) + text.ljust(room, b"\0")


def build_id(name, identity, misc=USER):
    return record(67, u32(-1) + identity.ljust(20, b"\0") + bytes([len(identity), 0, 0, 0]) + padded(name), misc | 1 << 15)


def write(name, records, attrs=None, features=None):
    attrs, features = attrs or [attr()], features or {}
    data, start = b"".join(records), 104 + sum(len(one) + 16 for one in attrs)
    table, blob, bits = b"", b"", 0
    for number, content in sorted(features.items()):
        table += u64(start + len(data) + 16 * len(features) + len(blob), len(content))
        blob += content
        bits |= 1 << number
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(b"PERFILE2" + u64(104, len(attrs[0]) + 16, 104, start - 104, start, len(data), 0, 0))
        file.write(bits.to_bytes(32, "little") + b"".join(one + u64(0, 0) for one in attrs) + data + table + blob)
    return path


# ---- names that are made to do harm --------------------------------------------------------------

ESCAPE = b"\x1b]0;pwned\x07\x1b[31mRED"
FORGED = b"x\nroot     1 [000]     1.000000:          1 cycles:            401000 fake (/bin/fake)"
TURNED = "\u202egpj.exe".encode()
UPPER = "\u009b31m".encode()
BROKEN = b"bad\xff\xfeutf"
SHOWN = {ESCAPE: rb"\x1b]0;pwned\x07\x1b[31mRED", TURNED: rb"\u202egpj.exe", UPPER: rb"\u009b31m", BROKEN: rb"bad\xff\xfeutf"}
KERNEL_TEXT = 0xffffffff81000000


def hostile():
    """Hostile names of every kind; the kernel's symbols come from a file beside it."""
    records = [mmap(0xffffffff, KERNEL_TEXT, 0x100000, "[kernel.kallsyms]_text", KERNEL, KERNEL_TEXT)]
    for pid, name in enumerate([ESCAPE, FORGED, TURNED, UPPER, BROKEN, b"a;b,c\t\"d\"|e"], 1):
        records += [comm(pid, name), mmap(pid, 0x400000, 0x1000, b"/tmp/" + name.replace(b"/", b"_"))]
        records += [sample(0x400010 + pid, pid, 10 * pid), sample(KERNEL_TEXT + 0x10, pid, 10 * pid + 1, KERNEL)]
    desc = u32(1, 112) + attr() + u32(0) + text_64(b"ev\x1b[31m\nname")
    path = write("hostile.data", records, features={
        HOSTNAME: text_64(b"host\x1b[31m\nname"), CMDLINE: u32(2) + text_64(b"perf\x1b[5m") + text_64(b"rec\nord"),
        BUILD_ID: build_id(b"/x\x1b[31m\ny", b"\x01" * 20), EVENT_DESC: desc})
    with open(os.path.join(WORK, "kallsyms"), "wb") as file:
        file.write(b"%x T \x1b]0;SYM\x07evil\n%x T _end\n" % (KERNEL_TEXT, KERNEL_TEXT + 0x1000))
    return path


def output(*args, status=0):
    run = tap.run(TALLY, *args, text=False)
    tap.same(run.returncode, status, f"{args}: {run.stderr[-300:]!r}")
    return run.stdout, run.stderr


def assert_clean(text, what, tabs=False):
    for line in text.split(b"\n"):
        shown = line.decode("utf-8")  # fails where it is none
        for char in shown:
            odd = ord(char) < 0x20 or 0x7f <= ord(char) < 0xa0 or char in "\u202e\u2028"
            assert not odd or (tabs and char == "\t"), f"{what}: {char!r} in {line!r}"


NAMES = ("--kallsyms", os.path.join(WORK, "kallsyms"))
PRINTERS = [
    ["script", *NAMES], ["script", "-F", "comm,pid,tid,time,event,ip,sym,symoff,dso", *NAMES], ["script", "-D"], ["script", "--dump-json"],
    ["report", *NAMES], ["report", "-x", ";", "-s", "comm,dso,sym", *NAMES], ["report", "--json", *NAMES],
    ["report", "-s", "pid,tid,cpu,dso", *NAMES], ["report", "--header"], ["report", "--header-only"],
    ["evlist"], ["evlist", "-v"], ["evlist", "-F"], ["buildid-list"], ["buildid-list", "-H"],
]


def test_nothing_in_a_recording_reaches_a_terminal_raw():
    path = hostile()
    for printer in PRINTERS:
        for text in output(*printer, "-i", path):
            assert_clean(text, printer)


def test_names_are_shown_with_escapes():
    path = hostile()
    for printer in (PRINTERS[0], PRINTERS[4]):
        text = output(*printer, "-i", path)[0]
        for shown in [*SHOWN.values(), rb"\x1b]0;SYM\x07evil", rb"ev\x1b[31m\nname", FORGED.replace(b"\n", rb"\n")[:40]]:
            assert shown in text, (printer, shown, text)


def test_no_name_makes_a_line():
    path = hostile()
    lines = output("script", "-i", path)[0].splitlines()
    tap.same(len(lines), 12, "lines of script")
    assert not [line for line in lines if line.startswith(b"root")], lines
    tap.same(output("buildid-list", "-i", path)[0], b"01" * 20 + rb" /x\x1b[31m\ny" + b"\n", "buildid-list")
    tap.same(output("evlist", "-i", path)[0], rb"ev\x1b[31m\nname" + b"\n", "evlist")
    header = output("report", "--header-only", "-i", path)[0]
    assert rb"# hostname : host\x1b[31m\nname" + b"\n" in header, header
    assert rb"# cmdline : perf\x1b[5m rec\nord" + b"\n" in header, header


def test_no_name_makes_a_value():
    path = hostile()
    for separator in (";", ",", "\t", "|"):
        text = output("report", "-q", "-x", separator, "-s", "comm,dso,sym", "-i", path)[0].decode()
        rows = [line for line in text.splitlines() if line]
        tap.same(len(rows), 12, f"rows with {separator!r}")
        for row in rows:
            tap.same(row.count(separator), 3, f"separators {separator!r} in {row!r}")


def test_columns_line_up_behind_escapes():
    lines = output("script", "-F", "comm,pid", "-i", write("pad.data", [comm(1, b"a\x1bb"), sample(1)]))[0]
    tap.same(lines, b"          " + rb"a\x1bb" + b"     1 \n", "a name in its column")


def test_messages_are_escaped():
    name = os.path.join(WORK, "no\x1b[31m\nsuch")
    for command in ("report", "script", "evlist", "buildid-list"):
        text = output(command, "-i", name, status=1)[1]
        assert_clean(text, command)
        assert rb"no\x1b[31m\nsuch" in text, text


# ---- rows and callchains ---------------------------------------------------------------------------

def kallsyms(names):
    """A file of kernel symbols of 256 bytes each, and where they are."""
    path = os.path.join(WORK, "functions")
    with open(path, "w", encoding="ascii") as file:
        for number, name in enumerate([*names, "_end"]):
            print(f"{KERNEL_TEXT + 256 * number:x} T {name}", file=file)
    return path, {name: KERNEL_TEXT + 256 * number + 16 for number, name in enumerate(names)}


def chain(*ips):
    return u64(len(ips), *ips)


def in_kernel(names, chains):
    """A recording of the kernel's callchains, innermost first, and how its symbols are found."""
    functions, at = kallsyms(names)
    records = [mmap(0xffffffff, KERNEL_TEXT, 0x100000, "[kernel.kallsyms]_text", KERNEL, KERNEL_TEXT), comm(1, "task")]
    for time, one in enumerate(chains, 1):
        ips = [at[name] for name in one]
        records.append(sample(ips[0], 1, time, KERNEL, chain(CONTEXT_KERNEL, *ips)))
    path = write("kernel.data", records, [attr(IP | TID | TIME | PERIOD | CALLCHAIN)])
    return ["--kallsyms", functions, "-i", path]


def symbols(*options):
    text = tap.run(TALLY, "report", *options).stdout
    return re.findall(r"^ +[0-9.]+%.* \[k\] (\S+)", text, re.M)


def test_callers_stand_before_what_they_call():
    source = in_kernel(["zero", "yard", "xray", "word", "apex"],
                       [["word", "xray", "yard", "zero"]] * 3 + [["apex", "yard", "zero"]] * 3)
    # All of yard's cost is zero's. Of word and apex the longer callchain comes first, then what costs itself.
    tap.same(symbols(*source), ["zero", "yard", "word", "apex", "xray"], "callers first")
    tap.same(symbols("-g", "caller", *source), ["zero", "yard", "word", "apex", "xray"], "graphs downwards")
    tap.same(symbols("-g", "callee", *source), ["zero", "yard", "apex", "xray", "word"], "graphs upwards")
    tap.same(symbols("-g", "none", *source), ["yard", "zero", "apex", "word", "xray"], "no graphs: by name")


def test_children_are_shown_without_graphs():
    source = in_kernel(["outer", "inner"], [["inner", "outer"]])
    text = tap.run(TALLY, "report", "-g", "none", *source).stdout
    assert re.search(r"^# Children +Self ", text, re.M), text
    tap.same(sorted(symbols("-g", "none", *source)), ["inner", "outer"], "rows")
    tap.same(symbols("-g", "none", "--no-children", *source), ["inner"], "rows without children")


# ---- more tests above ------------------------------------------------------------------------------

try:
    tap.main(__name__)
finally:
    shutil.rmtree(WORK, ignore_errors=True)
