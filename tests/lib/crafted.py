# SPDX-License-Identifier: BSD-2-Clause
"""Generate perf.data files byte by byte, for tests with untrusted files.

Functions for records return bytes; write_file() and write_pipe() add the header. All values are little-endian. A sample
has the fields in DEFAULT_TYPE unless a test packs the sample itself.
"""
import ctypes
import ctypes.util
import os
import struct

# sample_type
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH, REGS_USER, STACK_USER = (
    1 << bit for bit in range(14))
IDENTIFIER = 1 << 16
DEFAULT_TYPE = IP | TID | TIME | PERIOD
# attr flags: mmap, comm, task, sample_id_all
FLAGS = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18
# record types
MMAP, COMM, EXIT, THROTTLE, FORK, SAMPLE, KSYMBOL = 1, 3, 4, 5, 7, 9, 17
HEADER_ATTR, EVENT_TYPE, TRACING_DATA, FINISHED_ROUND, HEADER_FEATURE, COMPRESSED = 64, 65, 66, 68, 80, 81
# features
FEATURE_HOSTNAME, FEATURE_EVENT_DESC, FEATURE_COMPRESSED, FEATURE_META_INFO = 3, 12, 27, 129
FEATURE_BUILD_ID, FEATURE_CMDLINE = 2, 11
KERNEL, USER = 1, 2
CONTEXT_KERNEL, CONTEXT_USER = (1 << 64) - 128, (1 << 64) - 512


def u32(*values):
    return struct.pack(f"<{len(values)}I", *(value & 0xffffffff for value in values))


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *(value & (1 << 64) - 1 for value in values))


def attr(sample_type=DEFAULT_TYPE, kind=1, config=0, size=112, read_format=0, flags=FLAGS, branch_type=0, regs_user=0,
         stack=0):
    fixed = u32(kind, size) + u64(config, 1, sample_type, read_format, flags) + u32(0, 0) + u64(0, 0, branch_type, regs_user)
    return (fixed + u32(stack) + bytes(200))[:size]


def record(kind, body, misc=0, pad=True):
    if pad:
        body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return value + bytes(8 - len(value) % 8)


def trailer(pid, time):
    """Return the sample_id for DEFAULT_TYPE."""
    return u32(pid, pid) + u64(time)


def mmap(pid, start, length, name, time=0, misc=USER, pgoff=0):
    return record(MMAP, u32(pid, pid) + u64(start, length, pgoff) + text(name) + trailer(pid, time), misc)


def comm(pid, name, time=0):
    return record(COMM, u32(pid, pid) + text(name) + trailer(pid, time))


def fork(pid, parent, time=0):
    return record(FORK, u32(pid, parent, pid, parent) + u64(time) + trailer(pid, time))


def ksymbol(start, length, name, time=0):
    return record(KSYMBOL, u64(start) + u32(length) + struct.pack("<HH", 1, 0) + text(name) + trailer(0, time))


def sample(ip, pid=1, time=1, misc=USER, more=b"", period=1):
    return record(SAMPLE, u64(ip) + u32(pid, pid) + u64(time, period) + more, misc)


def build_id(name, identity, misc=USER):
    """Return an entry for the BUILD_ID feature, including the size of the ID."""
    return record(67, u32(-1) + identity.ljust(20, b"\0") + bytes([len(identity), 0, 0, 0]) + text(name), misc | 1 << 15)


def padded(value, size=64):
    """Return a string as stored in features: the length including padding, the bytes, and the padding."""
    value = value.encode() if isinstance(value, str) else value
    room = (len(value) // size + 1) * size
    return u32(room) + value + bytes(room - len(value))


def header_attr(an_attr, ids=()):
    return record(HEADER_ATTR, an_attr + u64(*ids))


def event_desc(*entries):
    """Return an EVENT_DESC feature for these (attr, name, ids)."""
    out = u32(len(entries), len(entries[0][0]))
    for an_attr, name, ids in entries:
        out += an_attr + u32(len(ids)) + padded(name) + u64(*ids)
    return out


def tracing_data(formats=()):
    """Return tracing data with formats for these (system, name, id), each in a system of its own."""
    out = b"\x17\x08\x44tracing0.6\0\0\x08" + u32(4096)
    out += b"header_page\0" + u64(0) + b"header_event\0" + u64(0) + u32(0) + u32(len(formats))
    for system, name, number in formats:
        body = f"name: {name}\nID: {number}\nformat:\n\nprint fmt: \"\"\n".encode()
        out += system.encode() + b"\0" + u32(1) + u64(len(body)) + body
    return out + u32(0) + u32(0) + u64(0)


def trace_format(name, number, print_fmt, field="x"):
    """Return a tracepoint format with one field of 4 bytes at offset 8."""
    common = (("unsigned short common_type", 0, 2), ("unsigned char common_flags", 2, 1),
              ("unsigned char common_preempt_count", 3, 1), ("int common_pid", 4, 4))
    line = "\tfield:{};\toffset:{};\tsize:{};\tsigned:0;\n"
    fields = "".join(line.format(*one) for one in common) + "\n" + line.format(f"int {field}", 8, 4)
    return f"name: {name}\nID: {number}\nformat:\n{fields}\nprint fmt: {print_fmt}\n".encode()


def tracing_formats(system, *formats):
    """Return tracing data with these formats in a single system."""
    head = b"\x17\x08\x44tracing0.6\0\0\x08" + u32(4096)
    head += b"header_page\0" + u64(0) + b"header_event\0" + u64(0) + u32(0) + u32(1)
    head += system.encode() + b"\0" + u32(len(formats)) + b"".join(u64(len(one)) + one for one in formats)
    return head + u32(0) + u32(0) + u64(0)


def traced(number, value, time=1):
    """Return a tracepoint sample that matches trace_format(). Its fields are those in DEFAULT_TYPE | RAW."""
    raw = u32(number, 1, value)
    return sample(0x1000, time=time, more=u32(len(raw)) + raw)


def traced_file(samples, *formats, number=900):
    return file_bytes(samples, [attr(DEFAULT_TYPE | RAW, kind=2, config=number)], {1: tracing_formats("sys", *formats)})


def file_bytes(records, attrs=None, features=None, ids=None, attr_table=None, types=b"", unfinished=False):
    """Return the bytes of a file. `ids` lists the (offset, size) of each attr's IDs (default: none); `attr_table` is
    the (offset, size) to write instead of the true values; `types` contains the event types of perf 3.x; `unfinished`
    means that the recorder was killed before it finished the file."""
    attrs = [attr()] if attrs is None else attrs
    ids = ids or [(0, 0)] * len(attrs)
    entry = (len(attrs[0]) if attrs else 112) + 16
    at = 104 + entry * len(attrs)
    data = records if isinstance(records, bytes) else b"".join(records)
    types_at = at + len(data) + 16 * len(features or {})
    sections, blob, bits = b"", types, 0
    for number in sorted(features or {}):
        bits |= 1 << number
        sections += u64(types_at + len(blob), len(features[number]))
        blob += features[number]
    table = attr_table or (104, entry * len(attrs))
    head = b"PERFILE2" + u64(104, entry, *table, at, 0 if unfinished else len(data), types_at if types else 0, len(types))
    head += bits.to_bytes(32, "little")
    body = b"".join(one + u64(*where) for one, where in zip(attrs, ids))
    return head + body + data + sections + blob


def write(folder, name, data):
    """Write a file and return its path."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def of_event(identity, ip=0x1000, pid=1, time=1, period=1, more=b"", misc=USER):
    """Return a sample of the event with this ID in events_bytes()."""
    return record(SAMPLE, u64(identity, ip) + u32(pid, pid) + u64(time, period) + more, misc)


def events_bytes(events, records, features=None, kinds=DEFAULT_TYPE | IDENTIFIER, branch_type=0):
    """Return a file with several events. `events` has the name and the config of each; its ID is its index + 10."""
    attrs = [attr(kinds, config=config, branch_type=branch_type) for _, config in events]
    described = event_desc(*((one, name, (10 + at,)) for at, (one, (name, _)) in enumerate(zip(attrs, events))))
    # A record of another type holds the IDs to which the attrs refer.
    ids = record(FINISHED_ROUND, u64(*range(10, 10 + len(events))))
    first = 104 + len(attrs) * (len(attrs[0]) + 16) + 8
    return file_bytes([ids, *records], attrs, {FEATURE_EVENT_DESC: described, **(features or {})},
                      ids=[(first + 8 * at, 8) for at in range(len(attrs))])


def pipe_bytes(records):
    return b"PERFILE2" + u64(16) + b"".join(records)


def have_zstd():
    return ctypes.util.find_library("zstd")


def compressed(data, level=3):
    """Return `data` as COMPRESSED records, compressed with the system's libzstd."""
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
    for name in ("ZSTD_compressBound", "ZSTD_compress"):
        getattr(zstd, name).restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = zstd.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    size = zstd.ZSTD_compress(out, room, data, len(data), level)
    frame = out.raw[:size]
    return b"".join(record(COMPRESSED, frame[i:i + 60000], pad=False) for i in range(0, size, 60000))


COMPRESSED_HEADER = {FEATURE_COMPRESSED: u32(1, 1, 1, 1, 1 << 20)}
