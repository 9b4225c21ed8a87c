#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test untrusted files: everything that can be read is read, losses are reported, and no file costs much more than an
ordinary file of the same size.

usage: hostile_files.py TALLY

Memory and CPU time are limited, not measured: a command that exceeds a limit is killed by the sanitizer or by SIGXCPU.
With these files, a cost proportional to the product of two counts would far exceed the limits, whereas a cost
proportional to the file size is far below them. Output is TAP.
"""
import os
import resource
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory()
COMMANDS = (["script"], ["report", "--stdio"], ["report", "--stdio", "-g", "none"], ["evlist"], ["buildid-list"],
            ["script", "--dump-json"])
# Limits for the sanitized build, which needs about three times as much time and memory as the normal build.
CPU_SECONDS, MEMORY_MB = 20, 700


def write(data, name="perf.data"):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def tally(*args, data, stdin=None):
    """Run a command with these bytes as input. Return (status, stdout, stderr). The status is negative if the command
    was killed."""
    sanitizer = f"hard_rss_limit_mb={MEMORY_MB}:quarantine_size_mb=16:" + os.environ.get("ASAN_OPTIONS", "")
    env = dict(os.environ, ASAN_OPTIONS=sanitizer, HOME=FOLDER.name, LC_ALL="C")
    path = write(data)
    done = subprocess.run([TALLY, *args, "-i", "-" if stdin else path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=open(path, "rb") if stdin else subprocess.DEVNULL, check=False, env=env,
                          preexec_fn=limit, timeout=600)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def lines_of(*args, data, status=0):
    """Run a command that must exit with this status. Return its lines of output and its warnings."""
    got, out, err = tally(*args, data=data)
    if got != status:
        raise AssertionError(f"{args}: status {got}, wanted {status}: {err[-400:]}")
    return out.splitlines(), err


def check_told(err, *words):
    for word in words:
        if word not in err:
            raise AssertionError(f"stderr has no {word!r}: {err[:600]!r}")


def check_all(data, commands=COMMANDS, told=None):
    """Check that no command is killed or crashes, and that none succeeds without a required message."""
    for command in commands:
        status, out, err = tally(*command, data=data)
        if status not in (0, 1) or "AddressSanitizer" in err or "runtime error" in err:
            raise AssertionError(f"{command}: status {status}: {err[-600:]}")
        # If there are no samples, script prints nothing.
        if command[0] == "report" and not out and not err:
            raise AssertionError(f"{command} says nothing")
        if told:
            check_told(err, told)


TASK = [comm(1, "a"), mmap(1, 0x400000, 0x1000, "/x")]
TEN = [sample(0x400000 + i, time=i + 1) for i in range(10)]


# ---- no silent losses -------------------------------------------------------


def test_tracing_data_inside_its_record():
    blob = tracing_data([("sched", "sched_switch", 7)])
    inside = record(TRACING_DATA, u32(len(blob)) + blob)
    lines, err = lines_of("script", data=file_bytes([inside] + TASK + TEN, attrs=[attr(kind=2, config=7)]))
    tap.same(len(lines), 10, "samples behind the tracing data")
    tap.same(err, "", "stderr")
    tap.same("sched:sched_switch" in lines[0], True, "its name in " + lines[0])


def test_tracing_data_that_ends_early():
    blob = tracing_data([("sched", "sched_switch", 7)])
    tracepoint = [attr(kind=2, config=7)]
    for cut in (len(blob) - 30, len(blob) // 2, 60):
        data = file_bytes(TASK + TEN, attrs=tracepoint, features={1: blob[:cut]})
        lines, err = lines_of("script", data=data)
        tap.same(len(lines), 10, "samples")
        check_told(err, "the tracing data is truncated")
    _, err = lines_of("script", data=file_bytes(TASK + TEN, attrs=tracepoint, features={1: blob}))
    tap.same(err, "", "of a whole one")


def test_samples_that_read_no_counter():
    """Check that a sample that reads a group without members is still a sample."""
    read = attr(IP | TID | TIME | READ, read_format=1 << 3)
    samples = [record(SAMPLE, u64(0x400000 + i) + u32(1, 1) + u64(i + 1) + u64(0)) for i in range(10)]
    lines, err = lines_of("script", data=file_bytes(TASK + samples, attrs=[read]))
    tap.same((len(lines), err), (10, ""), "samples")


def test_tracing_data_behind_its_record():
    blob = tracing_data([("sched", "sched_switch", 7)])
    behind = record(TRACING_DATA, u32(len(blob)), pad=False) + blob + bytes(-len(blob) % 8)
    lines, err = lines_of("script", data=pipe_bytes([header_attr(attr(kind=2, config=7), [1]), behind] + TASK + TEN))
    tap.same(len(lines), 10, "samples behind the tracing data")
    tap.same("sched:sched_switch" in lines[0], True, "its name in " + lines[0] + err)


def test_features_of_perf_3_2_in_a_pipe():
    """Check a pipe from perf 3.2, in which types 69 to 81 are features: 71 is a version, not AUXTRACE followed by 3
    EB."""
    strings = [record(69 + i, padded(word), pad=False) for i, word in enumerate(("box", "3.2.30", "3.2.x", "x86_64"))]
    rest = [record(73, u32(4, 4)), record(74, padded("cpu"), pad=False), record(81, u32(1, 4) + padded("cpu"))]
    data = pipe_bytes([header_attr(attr(), [1])] + strings + rest + TASK + TEN)
    lines, err = lines_of("script", data=data)
    tap.same((len(lines), err), (10, ""), "samples and stderr")
    lines, _ = lines_of("script", "--dump-json", data=data)
    tap.same(sum('"HEADER_FEATURE"' in line for line in lines), 7, "records that are features")
    status, out, err = tally("script", data=data, stdin=True)
    tap.same((status, len(out.splitlines()), err), (0, 10, ""), "the same from a pipe")


def test_fields_of_a_newer_sample_type():
    newer = [sample(0x400000 + i, time=i + 1, more=u64(99)) for i in range(10)]
    data = file_bytes(TASK + newer, attrs=[attr(sample_type=DEFAULT_TYPE | 1 << 40)])
    for command in ("script", "evlist"):
        lines, err = lines_of(command, data=data)
        check_told(err, "newer perf")
    lines, _ = lines_of("script", "-F", "ip,pid", data=data)
    tap.same([line.split() for line in lines], [["1", f"{0x400000 + i:x}"] for i in range(10)], "fields before")


def test_fields_of_a_newer_read_format():
    body = lambda i: u64(0x400000 + i) + u32(1, 1) + u64(i + 1, 1) + u64(5, 6, 7)  # noqa: E731
    data = file_bytes(TASK + [record(SAMPLE, body(i), USER) for i in range(10)],
                      attrs=[attr(sample_type=DEFAULT_TYPE | READ, read_format=1 << 30)])
    lines, err = lines_of("script", "-F", "ip,pid", data=data)
    check_told(err, "newer perf")
    tap.same(len(lines), 10, "samples")


def test_samples_cut_short():
    short = [record(SAMPLE, u64(5), USER) for _ in range(3)]
    for command in (["script"], ["report", "--stdio"], ["script", "--dump-json"]):
        _, err = lines_of(*command, data=file_bytes(TASK + TEN + short))
        check_told(err, "skipped 3 records")
    lines, _ = lines_of("script", data=file_bytes(TASK + TEN + short))
    tap.same(len(lines), 10, "the others")
    for command in (["script"], ["report", "--stdio"]):
        _, err = lines_of(*command, data=file_bytes(TASK + short), status=1)
        check_told(err, "none of its 3 samples can be decoded")


def test_samples_that_swallow_others():
    swallows = bytearray(b"".join(TEN))
    swallows[6:8] = struct.pack("<H", 5 * len(TEN[0]))
    lines, err = lines_of("script", data=file_bytes(TASK + [bytes(swallows)]))
    tap.same(len(lines), 6, "samples")
    check_told(err, "1 samples are longer than their fields")


def test_records_of_tasks_cut_short():
    _, err = lines_of("script", data=file_bytes([record(MMAP, u32(1, 1)), record(COMM, b"")] + TASK + TEN))
    check_told(err, "skipped 2 task and mapping records")


def test_no_attrs_but_their_description():
    desc = {FEATURE_EVENT_DESC: event_desc((attr(), "my-event", []))}
    for table in ((104, 0), (1 << 40, 128)):
        data = file_bytes(TASK + TEN, features=desc, attr_table=table)
        lines, err = lines_of("script", data=data)
        tap.same((len(lines), "my-event" in lines[0]), (10, True), "samples, and the event's name")
        check_told(err, "attrs are lost")
        lines, err = lines_of("evlist", data=data)
        tap.same(lines, ["my-event"], "evlist")
        check_told(err, "attrs are lost")


def test_no_attrs_at_all():
    data = file_bytes(TASK + TEN, attr_table=(104, 0))
    _, err = lines_of("script", data=data, status=1)
    check_told(err, "cannot read any sample", "none of its 10 samples")
    _, err = lines_of("evlist", data=data)
    check_told(err, "cannot read any sample")


def test_ids_outside_the_file():
    kind = DEFAULT_TYPE | 1 << 16
    first, second = attr(sample_type=kind), attr(sample_type=kind, config=1)
    one = lambda identifier, i: record(SAMPLE, u64(identifier, 0x400000 + i) + u32(1, 1) + u64(i + 1, 1), USER)  # noqa: E731
    samples = [one(11, i) for i in range(3)] + [one(22, i) for i in range(4)]
    outside = [(1 << 50, 8), (1 << 50, 8)]
    desc = {FEATURE_EVENT_DESC: event_desc((first, "one", [11]), (second, "two", [22]))}
    data = file_bytes(samples, attrs=[first, second], ids=outside, features=desc)
    lines, err = lines_of("script", "-F", "event,ip", data=data)
    tap.same([sum("one" in line for line in lines), sum("two" in line for line in lines)], [3, 4], "samples of each")
    check_told(err, "the ids of an attr are outside the file", "1 more times")
    for command in ("evlist", "buildid-list"):
        _, err = lines_of(command, data=file_bytes(samples, attrs=[first, second], ids=outside))
        check_told(err, "the ids of an attr are outside the file")


def test_records_of_unknown_types():
    data = file_bytes(TASK + TEN + [record(40, u64(1)), record(200, u64(1)), record(200, u64(1))])
    lines, err = lines_of("script", data=data)
    tap.same(len(lines), 10, "samples")
    check_told(err, "unknown record type", "2 more times")


def test_data_beyond_the_end():
    data = bytearray(file_bytes(TASK + TEN))
    data[48:56] = u64(1 << 40)
    lines, err = lines_of("script", data=bytes(data))
    tap.same(len(lines), 10, "samples")
    check_told(err, "the file ends before its records do")


# ---- cost by size -----------------------------------------------------------


def test_many_notes():
    count = 60000
    check_all(file_bytes([], attrs=[attr(size=64)] * count, ids=[(1 << 60, 8)] * count), told="59999 more times")


def test_names_by_config():
    count = 60000
    types = (u64(7) + b"x" * 63 + b"\0") * count
    check_all(file_bytes([], attrs=[attr(size=64)] * count, types=types))
    types = (u64(0) + b"x" * 63 + b"\0") * count
    check_all(file_bytes([], attrs=[attr(size=64)] * count, types=types), told="limit of 4194304")


@tap.full
def test_names_of_a_pipe():
    attrs = [header_attr(attr(size=64, kind=4), [i + 1]) for i in range(20000)]
    line = b"e,4,0\n" * 10000
    meta = [record(HEADER_FEATURE, u64(FEATURE_META_INFO) + b"event_type_info\0" + line + b"\0") for _ in range(20)]
    check_all(pipe_bytes(attrs + meta), told="limit of 4194304")
    long = record(EVENT_TYPE, u64(0) + b"y" * 65000)
    check_all(pipe_bytes(attrs + [long]), told="limit of 1023 bytes")
    desc = record(HEADER_FEATURE, u64(FEATURE_EVENT_DESC) + u32(1, 64) + attr(size=64, kind=4) + u32(1) + u32(60000)
                  + b"n" * 60000 + u64(1))
    check_all(pipe_bytes([desc] + attrs), told="limit of 1023 bytes")


@tap.full
def test_tracepoints_of_a_pipe():
    """Test a pipe with as many attrs as tracepoint formats. The formats precede the attrs."""
    formats = tracing_data([("s", f"e{i}", 10000 + i) for i in range(20000)])
    behind = record(TRACING_DATA, u32(len(formats)), pad=False) + formats + bytes(-len(formats) % 8)
    attrs = [header_attr(attr(size=64, kind=2, config=5), [i + 1]) for i in range(20000)]
    check_all(pipe_bytes([behind] + attrs), COMMANDS + (["evlist", "--trace-fields"],))


def test_groups():
    count = 100000
    groups = u32(count) + b"".join(padded("") + u32(1 << 30, 2) for _ in range(count))
    check_all(file_bytes([], attrs=[attr(size=64)] * count, features={16: groups}), (["evlist", "-g"], ["evlist"]))


@tap.full
def test_maps_downward():
    count = 150000
    check_all(file_bytes([mmap(1, (count - i) * 0x2000 + 0x10000, 0x1000, "/x") for i in range(count)] + TEN))


@tap.full
def test_symbols_between_samples():
    """Test kernel symbols between samples. Each symbol changes the kernel's mappings, which are needed to look up the
    next sample."""
    pairs = []
    for i in range(60000):
        pairs += [ksymbol(0xffffffffff000000 - i * 32, 16, "f"), sample(0xffffffff80000000 + i, misc=1)]
    check_all(file_bytes(pairs), COMMANDS[:3])


@tap.full
def test_maps_between_samples():
    pairs = []
    for i in range(60000):
        pairs += [mmap(1, 0x7f0000000000 - i * 0x2000, 0x1000, "/x"), sample(0x7f0000000010 - i // 2 * 0x2000)]
    check_all(file_bytes(pairs), COMMANDS[:3])


@tap.full
def test_children_with_a_map_of_their_own():
    count = 8000
    records = [mmap(1, 0x10000 + i * 0x2000, 0x1000, "/x") for i in range(count)]
    for i in range(count):
        records += [fork(i + 2, 1), mmap(i + 2, 0x100, 0x100, "/y")]
    check_all(file_bytes(records))


@tap.full
def test_children_that_cover_all():
    count = 20000
    records = [mmap(1, 0x10000 + i * 0x2000, 0x1000, "/x") for i in range(count)]
    for i in range(count):
        records += [fork(i + 2, 1), mmap(i + 2, 0, 1 << 40, "/y")]
    check_all(file_bytes(records))


@tap.full
def test_names_threads_and_cpus_of_their_own():
    """Test rows that differ only in one number, and check that they do not all have the same hash."""
    many = range(1, 40001)
    check_all(file_bytes([one for i in many for one in (comm(i, f"name{i}", i), sample(0, i, i))]), [["report", "-s", "comm"]])
    check_all(file_bytes(TASK + [sample(0, i, i) for i in many]), [["report", "-s", "tid"], ["report"]])
    with_cpu = [attr(IP | TID | TIME | CPU)]
    samples = [record(SAMPLE, u64(0) + u32(1, 1) + u64(i) + u32(i, 0)) for i in many]
    check_all(file_bytes(TASK + samples, attrs=with_cpu), [["report", "-s", "cpu"]])


@tap.full
def test_events_and_places_without_end():
    """Test many events, each of which has rows for all locations. Check that the total number of rows is limited, and
    that the limit is reported."""
    nr = 60000
    attrs = [attr(IDENTIFIER | IP | TID | TIME, config=i % 9) for i in range(nr)]
    ids = u64(*range(1, nr + 1))
    start = 104 + 128 * nr
    samples = [record(SAMPLE, u64(i + 1, 0x400000 + i) + u32(1, 1) + u64(i + 1)) for i in range(nr)]
    body = TASK + samples
    behind = start + sum(len(one) for one in body)
    data = file_bytes(body, attrs=attrs, ids=[(behind + 8 * i, 8) for i in range(nr)]) + ids
    status, out, err = tally("report", data=data)
    tap.same((status, out), (1, ""), err[-300:])
    check_told(err, f"{nr} events with ", str(1 << 31))


@tap.full
def test_times_downward():
    check_all(file_bytes([sample(0x400000, time=10**9 - i) for i in range(60000)]))


def test_event_desc_of_nothing():
    for size in (0, 1, 63):
        check_all(file_bytes(TASK, features={FEATURE_EVENT_DESC: u32(8000000, size) + bytes(8000000)}))


def test_long_names():
    long = "n" * 60000
    _, err = lines_of("script", data=file_bytes([comm(1, long), mmap(1, 0x400000, 0x1000, "/" + long)] + TEN))
    check_told(err, "skipped 2 task and mapping records")


@tap.full
def test_texts_of_a_long_print_format():
    """Test samples of about 60 bytes, each of which would produce 60,000 bytes of text. The text is truncated, so
    samples with the same beginning share one row."""
    samples = b"".join(traced(900, i, i + 1) for i in range(12000))
    data = traced_file(samples, trace_format("boom", 900, '"%s%%d", REC->x' % ("A" * 60000)))
    check_all(data, COMMANDS[:3], told="tracepoint output beyond the limit of 4096 bytes")
    lines, _ = lines_of("report", "-q", "-x", ";", data=data)
    tap.same([len(line.split(";")[1]) for line in lines if line], [4096 + 8 * 12], "lengths of rows")


@tap.full
def test_fields_of_a_long_format():
    """Test a print format that does not compile: its fields are shown, and their names may have any length."""
    long = trace_format("boom", 900, "nonsense(", field="f" * 60000)
    check_all(traced_file(b"".join(traced(900, i, i + 1) for i in range(12000)), long), COMMANDS[:3], told="4096 bytes")


@tap.full
def test_different_texts_of_a_long_print_format():
    """Test texts that differ from the first byte on and together exceed 64 MiB plus 16 times the size of a 1.3 MB
    file."""
    samples = b"".join(traced(900, i, i + 1) for i in range(25000))
    data = traced_file(samples, trace_format("boom", 900, '"%%d%s", REC->x' % ("A" * 60000)))
    for command in COMMANDS[1:3]:
        status, _, err = tally(*command, data=data)
        tap.same(status, 1, "status")
        check_told(err, "texts of the sort keys exceed the limit of 64 MiB plus 16 times the file size", "--sort symbol")
    lines, _ = lines_of("report", "-q", "--sort", "pid", data=data)
    tap.same(len([line for line in lines if line]), 1, "rows by another key")


# ---- compressed files -------------------------------------------------------


def bomb(one, size):
    if not have_zstd():
        raise tap.Skip("no libzstd")
    return file_bytes(compressed(one * (size // len(one))), features=COMPRESSED_HEADER)


@tap.full
def test_samples_without_end():
    """Test too many records that are all pending, although they do not exceed the limits in bytes."""
    check_all(bomb(sample(0x400000, time=5), 100 << 20), COMMANDS[:3], told="1048576")


@tap.full
def test_rounds_without_end():
    check_all(bomb(record(FINISHED_ROUND, b""), 64 << 20), COMMANDS[:3], told="1048576")


@tap.full
def test_large_records_without_end():
    large = record(SAMPLE, u64(1) + u32(1, 1) + u64(7, 1) + bytes(60000), USER)
    check_all(bomb(large, 200 << 20), COMMANDS[:3], told="256 times")


@tap.full
def test_honest_compression():
    data = file_bytes(compressed(b"".join(TASK + TEN * 1000)), features=COMPRESSED_HEADER)
    if not have_zstd():
        raise tap.Skip("no libzstd")
    lines, err = lines_of("script", data=data)
    tap.same((len(lines), err), (10000, ""), "samples and stderr")


if __name__ == "__main__":
    tap.main(__name__)
