# SPDX-License-Identifier: BSD-2-Clause
"""Generate recordings of tracepoints of several systems, for tests of the reports of tally script.

A table of events maps "system:name" to the declarations of the fields, separated by semicolons. A print format may follow
after '|'.
"""
import struct

import crafted
from crafted import u32, u64

KINDS = crafted.DEFAULT_TYPE | crafted.RAW | crafted.IDENTIFIER | crafted.CPU
EMPTY = '""'
SIZES = {"*": 8, "long": 8, "int": 4, "short": 2, "char": 1}
COMMON = "unsigned short common_type; unsigned char common_flags; unsigned char common_preempt_count; int common_pid"

# perf requires this text.
HEADER_PAGE = "".join(f"\tfield: {name};\toffset:{at};\tsize:{size};\tsigned:{signed};\n" for name, at, size, signed in (
    ("u64 timestamp", 0, 8, 0), ("local_t commit", 8, 8, 1), ("int overwrite", 8, 1, 1), ("char data", 16, 4080, 0))).encode()


def layout(declarations):
    """Return the (declaration, name, offset, size, signed) of each field."""
    fields, at = [], 0
    for one in f"{COMMON}; {declarations}".split(";"):
        kind, _, name = one.strip().rpartition(" ")
        if not name:
            continue
        size = 4 if "__data_loc" in kind else next(SIZES[word] for word in ("*", "long", "short", "char", "int") if word in kind)
        at += -at % size
        fields.append((f"{kind} {name}", name, at, size, int("unsigned" not in kind and "*" not in kind and "__data_loc" not in kind)))
        at += size
    return fields, at


def format_text(name, number, declarations):
    declarations, _, print_fmt = declarations.partition("|")
    lines = [f"\tfield:{declared};\toffset:{at};\tsize:{size};\tsigned:{signed};\n" for declared, _, at, size, signed in layout(declarations)[0]]
    return f"name: {name}\nID: {number}\nformat:\n{''.join(lines[:4])}\n{''.join(lines[4:])}\nprint fmt: {print_fmt or EMPTY}\n".encode()


def tracing_data(systems):
    """Return tracing data with the formats of each system, as crafted.tracing_formats()."""
    head = b"\x17\x08\x44tracing0.6\0\0\x08" + u32(4096)
    head += b"header_page\0" + u64(len(HEADER_PAGE)) + HEADER_PAGE
    head += b"header_event\0" + u64(0) + u32(0) + u32(len(systems))
    for system, formats in systems.items():
        head += system.encode() + b"\0" + u32(len(formats)) + b"".join(u64(len(one)) + one for one in formats)
    return head + u32(0) + u32(0) + u64(0)


class Trace:
    def __init__(self, events):
        self.numbers = {name: 900 + at for at, name in enumerate(events)}
        self.layouts = {name: layout(fields.partition("|")[0]) for name, fields in events.items()}
        self.systems = {}
        for name, fields in events.items():
            system, short = name.split(":")
            self.systems.setdefault(system, []).append(format_text(short, self.numbers[name], fields))

    def event(self, name, time, *values, cpu=0, pid=1):
        """Return a sample. `values` are those of the event's own fields: numbers, or text."""
        fields, size = self.layouts[name]
        raw, more = bytearray(size), b""
        struct.pack_into("<HBBi", raw, 0, self.numbers[name], 0, 0, pid)
        for (_, _, at, width, _), value in zip(fields[4:], values):
            if isinstance(value, str):
                text = value.encode() + b"\0"
                value = size + len(more) | len(text) << 16
                more += text
            raw[at:at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        raw = bytes(raw) + more
        raw += bytes(-(len(raw) + 4) % 8)
        number = self.numbers[name]
        body = u64(number, 0x1000) + u32(pid, pid) + u64(time) + u32(cpu, 0) + u64(1) + u32(len(raw)) + raw
        return crafted.record(crafted.SAMPLE, body, crafted.KERNEL)

    def other(self, kind, body, pid=1, misc=0):
        """Return a record that is not a sample, with its sample_id."""
        number = next(iter(self.numbers.values()))
        return crafted.record(kind, body + u32(pid, pid) + u64(0) + u32(0, 0) + u64(number), misc)

    def comm(self, pid, name):
        return self.other(crafted.COMM, u32(pid, pid) + crafted.text(name), pid)

    def kernel(self, start, length):
        """Return the record of the kernel's mapping."""
        return self.other(crafted.MMAP, u32(-1, 0) + u64(start, length, start) + crafted.text("[kernel.kallsyms]_text"), -1, crafted.KERNEL)

    def file_bytes(self, records, comms=(), features=None):
        attrs = [crafted.attr(KINDS, kind=2, config=number) for number in self.numbers.values()]
        # Each attr has one ID, its number. A record of another type holds the IDs.
        ids = crafted.record(crafted.FINISHED_ROUND, u64(*self.numbers.values()))
        at = 104 + (len(attrs[0]) + 16) * len(attrs) + 8
        features = {1: tracing_data(self.systems), **(features or {})}
        tasks = [self.comm(pid, name) for pid, name in comms]
        return crafted.file_bytes([ids, *tasks, *records], attrs, features, ids=[(at + 8 * place, 8) for place in range(len(attrs))])
