#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare `tally script --dump-json` with lists of the records in the same recordings: with quipper's lists if the
shared set exists, and for our own recordings with lists in the same format made from `perf report -D`.

usage: golden_quipper.py TALLY FIXTURES SHARED

Lists named *.io.out.* contain the records in file order; every field in these lists is compared. In other lists,
records are sorted by time, neighbouring MMAPs are merged, and bit 63 is set in unmapped callchain addresses. They are
compared without MMAPs and without that bit. Output is TAP.
"""
import gzip
import json
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import tap  # noqa: E402

# Records that quipper omits from its lists.
LEFT_OUT = {"CPU_MAP", "BPF_EVENT", "EVENT_UPDATE", "HEADER_ATTR", "HEADER_EVENT_TYPE", "HEADER_FEATURE", "HEADER_TRACING_DATA",
            "HEADER_BUILD_ID", "COMPRESSED", "FINISHED_INIT"}
LEAST = {True: 50, False: 29}  # minimum number of lists in our own set and in the shared set
# Fields that quipper derives or hashes.
IGNORED = re.compile(r"_md5_prefix$|^root_path|^no_hw_idx$|^branch_stack_hw_idx$|^trace_data$|^timestamp$")
TOKEN = re.compile(r'\s*([A-Za-z_0-9]+)\s*(\{|:\s*("(?:[^"\\]|\\.)*"|[^\s{}]+))|\s*(\})')
ESCAPE = re.compile(rb'\\([0-7]{1,3}|.)')
SIMPLE = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b'"': b'"', b"\\": b"\\", b"'": b"'"}


def unescape(text):
    def one(match):
        code = match.group(1)
        return bytes([int(code, 8)]) if code[:1].isdigit() else SIMPLE.get(code, code)
    return ESCAPE.sub(one, text.encode("latin-1")).decode("utf-8", errors="replace")


# Field numbers in quipper's binary lists: number -> name, or (name, table) for nested messages.
INFO = {1: "pid", 2: "tid", 3: "sample_time_ns", 4: "id", 5: "cpu", 6: "stream_id"}
TASK = {1: "pid", 2: "ppid", 3: "tid", 4: "ptid", 5: "fork_time_ns", 11: ("sample_info", INFO)}
EVENT = {
    1: ("header", {1: "type", 2: "misc", 3: "size"}),
    2: ("mmap_event", {1: "pid", 2: "tid", 3: "start", 4: "len", 5: "pgoff", 6: "filename", 8: ("sample_info", INFO),
                       9: "maj", 10: "min", 11: "ino", 12: "ino_generation", 13: "prot", 14: "flags"}),
    3: ("sample_event", {1: "ip", 2: "pid", 3: "tid", 4: "sample_time_ns", 5: "addr", 6: "id", 7: "stream_id",
                         8: "period", 9: "cpu", 10: "raw_size", 11: "callchain"}),
    4: ("comm_event", {1: "pid", 2: "tid", 3: "comm", 6: ("sample_info", INFO)}),
    5: ("fork_event", TASK),
    6: ("lost_event", {1: "id", 2: "lost", 3: ("sample_info", INFO)}),
    7: ("throttle_event", {1: "time_ns", 2: "id", 3: "stream_id", 4: ("sample_info", INFO)}),
    9: ("exit_event", TASK),
}
TEXTS = {"filename", "comm"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def parse_binary(data, table):
    """Parse a binary protobuf into dictionaries of lists. Fields that are not in the table are skipped."""
    out, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {tag & 7}")
        entry = table.get(tag >> 3)
        if isinstance(entry, tuple):
            out.setdefault(entry[0], []).append(parse_binary(value, entry[1]))
        elif entry:
            out.setdefault(entry, []).append(value.decode("utf-8", "replace") if entry in TEXTS else value)
    return out


def scalar(text):
    if text.startswith('"'):
        return unescape(text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    return int(text)


def parse(text):
    """Parse a text protobuf into dictionaries of lists."""
    root = {}
    stack = [root]
    for match in TOKEN.finditer(text):
        name, what, value, close = match.groups()
        if close:
            stack.pop()
        elif what == "{":
            child = {}
            stack[-1].setdefault(name, []).append(child)
            stack.append(child)
        else:
            stack[-1].setdefault(name, []).append(scalar(value))
    return root


def ours(tally, path, left_out):
    run = tap.run(tally, "script", "--dump-json", "-i", path, text=False)
    assert run.returncode == 0 or (run.returncode == 1 and run.stderr), (run.returncode, run.stderr[-500:])
    records = [json.loads(line) for line in run.stdout.splitlines()]
    return [record for record in records if record["name"] not in left_out]


def lookup(record, name):
    """Return our field that has this name in quipper's lists."""
    if name in record.get("fields", {}):
        return record["fields"][name]
    if name in ("type", "size", "name", "offset") and "fields" in record:
        return record["fields"].get(name)
    return record.get(name)


def compare(want, record, where, wrong):
    """Compare every field of `want` (a dictionary of lists) with `record`."""
    for name, values in want.items():
        if IGNORED.search(name):
            continue
        got = lookup(record, name)
        if name == "branch_stack" and got is None:
            got = []
        if isinstance(got, list):
            if len(got) != len(values):
                wrong.append(f"{where}.{name}: {len(values)} wanted, {len(got)} got")
                continue
            for a, b in zip(values, got):
                if isinstance(a, dict):
                    compare(a, b, f"{where}.{name}", wrong)
                elif a != b:
                    wrong.append(f"{where}.{name}: {a!r} wanted, {b!r} got")
        elif isinstance(values[0], dict):
            if got is None:
                if any(not IGNORED.search(key) for key in values[0]):
                    # quipper shows a missing trailer as all zeros.
                    if name != "sample_info" or any(v for vs in values[0].values() for v in vs):
                        wrong.append(f"{where}.{name}: missing")
            else:
                compare(values[0], got, f"{where}.{name}", wrong)
        elif name == "raw" and isinstance(values[0], str):
            continue
        elif got != values[0]:
            wrong.append(f"{where}.{name}: {values[0]!r} wanted, {got!r} got")


def time_of(record):
    return record.get("sample_time_ns", record.get("sample_info", {}).get("sample_time_ns", 0))


def clear_top(values):
    return [value & ~(1 << 63) for value in values]


def compare_lists(tally, golden, path, plain, left_out):
    parsed = parse_binary(golden, {2: ("events", EVENT)}) if isinstance(golden, bytes) else parse(golden)
    events = parsed.get("events", [])
    records = ours(tally, path, left_out)
    if plain:
        events = [e for e in events if "mmap_event" not in e]
        records = [r for r in records if r["name"] not in ("MMAP", "MMAP2")]
        records.sort(key=time_of)
    wrong = []
    if len(events) != len(records):
        wrong.append(f"{len(events)} records wanted, {len(records)} got")
    for number, (event, record) in enumerate(zip(events, records)):
        header = event["header"][0]
        for field in ("type", "misc", "size"):
            if header[field][0] != record[field]:
                wrong.append(f"record {number} header.{field}: {header[field][0]} wanted, {record[field]} got")
        for kind, bodies in event.items():
            if kind in ("header", "timestamp"):
                continue
            body = bodies[0]
            if plain and "callchain" in body:
                body["callchain"] = clear_top(body["callchain"])
                record["callchain"] = clear_top(record["callchain"])
            compare(body, record, f"record {number} {record['name']}", wrong)
        if len(wrong) > 5:
            break
    return wrong, len(events)


def lists(found):
    """Yield the path of each list, the path of its recording, and the names of records that the lists in its set
    omit."""
    for one in found:
        folder = "records" if one.own else "quipper"
        names = [name for name in one.names("golden", folder) if name.endswith((".pb_text.gz", ".pb_data.gz"))]
        if len(names) < LEAST[one.own]:
            raise SystemExit(f"{one.root}: only {len(names)} lists in golden/{folder}")
        for name in names:
            recording = name.split(".pb_")[0].replace(".io.out", "")
            parts = recording.split("__") if one.own else ["quipper", recording]
            yield one.path("golden", folder, name), one.recording(*parts), set() if one.own else LEFT_OUT


def check(tally, path, recording, left_out):
    name = os.path.basename(path)
    with gzip.open(path) as file:
        golden = file.read()
    if ".pb_text" in name:
        golden = golden.decode("latin-1")
    wrong, nr = compare_lists(tally, golden, recording, ".io.out." not in name, left_out)
    assert not wrong, "\n".join(wrong[:5])
    assert nr, "no records are wanted"


def main():
    tally, todo = sys.argv[1], tap.some(lists(fixtures.sets(*sys.argv[2:4])))
    tap.points([(os.path.basename(row[0]), lambda row=row: check(tally, *row)) for row in todo])


main()
