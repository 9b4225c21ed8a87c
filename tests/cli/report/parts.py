#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Columns that do not distinguish rows (latency, modes, weights), fields of tracepoints as keys, and the filters
--parallelism, --socket-filter, --ignore-callees and --time with several ranges, on crafted recordings.

usage: parts.py TALLY
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402
from reporting import report, rows  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("parts")
SWITCH, EXIT, OUT = 14, 4, 1 << 13
CONTEXT_SWITCH = 1 << 26
WEIGHT_STRUCT = 1 << 24


def written(name, data):
    return crafted.write(WORK, name, data)


def switch(pid, time, misc=0):
    return crafted.record(SWITCH, crafted.trailer(pid, time), misc)


def latency_file():
    """Threads 1 and 2 run together at first; 2 exits, 1 is switched out, and 3 runs alone."""
    return written("latency.data", crafted.file_bytes([
        crafted.comm(1, "both"), crafted.comm(2, "both"), crafted.comm(3, "alone"),
        switch(1, 1), switch(2, 2), crafted.sample(0x10, pid=1, time=3, period=100), crafted.sample(0x10, pid=2, time=4, period=100),
        crafted.record(EXIT, u32(2, 1, 2, 1) + u64(5) + crafted.trailer(2, 5)), switch(1, 6, OUT), switch(3, 7),
        crafted.sample(0x10, pid=3, time=8, period=100, misc=crafted.KERNEL), switch(3, 9, OUT)],
        [crafted.attr(flags=crafted.FLAGS | CONTEXT_SWITCH)]))


def test_latency_divides_by_running_threads():
    path = latency_file()
    tap.same(rows(path, "--latency", "-s", "comm"), [["50.00%", "66.67%", "both"], ["50.00%", "33.33%", "alone"]], "latency")
    tap.same(rows(path, "-s", "parallelism,comm"), [["66.67%", "2", "both"], ["33.33%", "1", "alone"]], "parallelism")
    tap.same(rows(path, "-F", "overhead,latency", "-s", "parallelism"), [["66.67%", "50.00%", "2"], ["33.33%", "50.00%", "1"]], "both")
    tap.same(rows(path, "--parallelism", "2-9", "-s", "comm"), [["100.00%", "both"]], "filter")
    done = report(path, "--parallelism", "x", status=1)
    assert "'--parallelism' requires numbers" in done.stderr, done.stderr
    assert "no context switches" not in report(path, "--latency").stderr
    single = written("none.data", crafted.file_bytes([crafted.comm(1, "a"), crafted.sample(0x10)]))
    done = report(single, "--latency")
    assert "has no context switches" in done.stderr and "record with --latency" in done.stderr, done.stderr


def test_counts_of_threads():
    """Test the sums of the counts of each thread, of an event found by the ID in the count, and by that of the record."""
    read_format, kinds = 1 | 4, crafted.DEFAULT_TYPE | crafted.IDENTIFIER
    attrs = [crafted.attr(kinds, config=config, read_format=read_format) for config in (0, 2)]
    described = crafted.event_desc((attrs[0], "a", (10,)), (attrs[1], "b\x1b", (11,)))
    parts = [crafted.record(crafted.FINISHED_ROUND, u64(10, 11)), crafted.of_event(10)]
    for tid, value, identity in ((2, 5, 10), (2, 6, 10), (3, 1 << 40, 10), (3, 7, 11), (9, 1, 99)):
        parts.append(crafted.record(8, u32(1, tid) + u64(value, 100, identity) + u32(1, tid) + u64(1, identity)))
    parts.append(crafted.record(8, u32(1, 4)))
    first = 104 + 2 * (len(attrs[0]) + 16) + 8
    path = written("reads.data", crafted.file_bytes(parts, attrs, {crafted.FEATURE_EVENT_DESC: described}, ids=[(first, 8), (first + 8, 8)]))
    text = report(path, "-T").stdout
    lines = text[text.index("#   PID"):].splitlines()
    tap.same(lines[:3], ["#   PID    TID              a  b\\x1b", "      1      2             11      0", "      1      3  1099511627776      7"],
             "table")
    assert report(path, "--threads", "-q").stdout.count("1099511627776") == 1
    for words in (["--json"], ["--svg", "x.svg"], ["--format", "csv"]):
        done = tap.run(TALLY, "report", "-i", path, "-T", *words)
        assert done.returncode == 129 and "adds text to rows" in done.stderr, done


def test_size_of_mappings_and_code_addresses():
    path = written("size.data", crafted.file_bytes([
        crafted.comm(1, "prog"), crafted.mmap(1, 0x1000, 0x3000, "/nowhere/a"), crafted.sample(0x1010), crafted.sample(0x2010),
        crafted.sample(0x2010), crafted.sample(0x9000)]))
    tap.same(rows(path, "-s", "dso_size"), [["75.00%", "12288"], ["25.00%", "unknown"]], "sizes")
    for key in ("symbol_iaddr", "symoff"):
        tap.same(rows(path, "-s", key)[0], ["50.00%", "[.] 0x0000000000001010"], key)


def test_other_forms_of_output():
    path, page = latency_file(), os.path.join(WORK, "page")
    for words in (["--html", page, "--parallelism", "1"], ["--html", page, "--ignore-callees", "x"], ["--html", page, "--latency"],
                  ["--svg", page, "--latency"], ["--format", "folded", "--show-cpu-utilization"]):
        done = tap.run(TALLY, "report", "-i", path, *words)
        assert done.returncode == 129 and ("does not apply to pages" in done.stderr or "applies to rows" in done.stderr), (words, done)
    done = report(path, "--hierarchy", "--latency", status=1)
    assert "--hierarchy cannot show the column 'latency'" in done.stderr, done.stderr
    folded = tap.run(TALLY, "report", "-i", path, "--format", "folded", "--parallelism", "1", status=0).stdout
    assert "alone" in folded and "both" not in folded, folded


def test_rows_are_sorted_by_latency():
    path = written("order.data", crafted.file_bytes([
        crafted.comm(1, "two"), crafted.comm(2, "two"), crafted.comm(3, "one"), switch(1, 1), switch(2, 2),
        crafted.sample(0x10, pid=1, time=3, period=60), crafted.sample(0x10, pid=2, time=4, period=60), switch(1, 5, OUT), switch(2, 6, OUT),
        crafted.sample(0x10, pid=3, time=8, period=100)], [crafted.attr(flags=crafted.FLAGS | CONTEXT_SWITCH)]))
    tap.same([row[-1] for row in rows(path, "--latency", "-s", "comm")], ["one", "two"], "by latency")
    tap.same([row[-1] for row in rows(path, "-F", "overhead,latency", "-s", "comm")], ["two", "one"], "by overhead")


def test_modes():
    path = latency_file()
    tap.same(rows(path, "--show-cpu-utilization", "-s", "comm"),
             [["66.67%", "0.00%", "66.67%", "both"], ["33.33%", "33.33%", "0.00%", "alone"]], "modes")
    tap.same(rows(path, "-F", "overhead_us,overhead_guest_us,sample"), [["66.67%", "0.00%", "3"]], "without keys")
    heading = report(path, "--show-cpu-utilization").stdout
    assert "# Overhead       sys       usr  Command" in heading, heading


def test_average_weights():
    def weighted(*weight):
        return crafted.record(crafted.SAMPLE, u64(0x10) + u32(1, 1) + u64(1, 1) + struct.pack("<IHH", *weight), crafted.USER)
    path = written("weights.data", crafted.file_bytes([weighted(10, 7, 1), weighted(21, 9, 1)],
                                                      [crafted.attr(crafted.DEFAULT_TYPE | WEIGHT_STRUCT)]))
    tap.same(rows(path, "-F", "weight1,weight2,weight3", "-s", "comm")[0][:3], ["15.5", "8.0", "1.0"], "averages")
    row = json.loads(report(path, "--json", "-F", "+weight1,weight2").stdout)["events"][0]["rows"][0]
    tap.same((row["weight1"], row["weight2"]), (31, 16), "sums")
    text = tap.run(TALLY, "report", "-i", path, "--format", "csv", "-F", "+weight1", "-s", "comm", status=0).stdout.splitlines()
    tap.same(text[0].split(",")[:3], ["event", "weight1", "comm"], "heading")
    tap.same(text[1].split(",")[1], "31", "sum")


def test_fields_of_tracepoints():
    path = written("trace.data", trace_file())
    tap.same(rows(path, "-s", "x"), [["66.67%", "7"], ["33.33%", "9"]], "field")
    tap.same(rows(path, "-s", "sys:one.x"), [["66.67%", "7"], ["33.33%", "9"]], "field of an event")
    tap.same(rows(path, "-s", "trace_fields"), rows(path, "-s", "x"), "all fields")
    tap.same(rows(path, "-s", "sys:one.*"), rows(path, "-s", "x"), "all fields of an event")
    tap.same(rows(path, "-s", "x", "--raw-trace"), rows(path, "-s", "x"), "raw")
    tap.same(rows(path, "-s", "trace")[0][1], "is 7", "text")
    tap.same(rows(path, "-s", "trace", "--raw-trace")[0][1], "x=7", "fields")
    row = json.loads(report(path, "--json", "-s", "x").stdout)["events"][0]["rows"][0]
    tap.same(row["trace_fields"], [{"name": "x", "value": "7"}], "JSON")
    for key in ("x/raw", "one.x", "%1.x", "one.*/raw", "sys:one.x/raw"):
        tap.same(rows(path, "-s", key), rows(path, "-s", "x"), key)
    for key in ("y", "sys:two.x", "common_pid", "trace_field", "two.x", "%2.x", "%1x.x", "s:one.x", "x/raw/raw", "/raw"):
        done = report(path, "-s", key, status=1)
        assert f"unknown key '{key}'" in done.stderr, done.stderr
    for key in ("simd", "ipc_lbr", "callchain_branch_cycles"):
        done = report(path, "-s", key, status=1)
        assert f"key '{key}' is not supported\n  hint: " in done.stderr, done.stderr


def test_fields_of_other_events_are_not_shown():
    machine.need_tracepoints()
    path = os.path.join(WORK, "two.data")
    done = tap.run(TALLY, "record", "-q", "-e", "sched:sched_process_exec,sched:sched_process_exit", "-o", path, "sh", "-c", "true; env true; env true")
    if done.returncode:
        raise tap.Skip("this machine does not record tracepoints")
    text = report(path, "-s", "filename,comm").stdout
    first, second = (part.splitlines() for part in text.split("# Samples: ")[1:])
    assert any("filename" in line for line in first) and not any("filename" in line or "N/A" in line for line in second), text
    assert any("N/A" in line for line in report(path, "-s", "filename").stdout.split("# Samples: ")[2].splitlines()), "the only key is shown"


def trace_file():
    kind = crafted.IP | crafted.TID | crafted.TIME | crafted.PERIOD | crafted.RAW
    text = crafted.trace_format("one", 77, '"is %d", REC->x')
    raws = [crafted.record(crafted.SAMPLE, u64(0x10) + u32(1, 1) + u64(time, 1) + u32(20) + bytes(8) + u32(value) + bytes(8), crafted.USER)
            for time, value in enumerate((7, 9, 7))]
    attr = crafted.attr(kind, kind=2, config=77)
    return crafted.file_bytes(raws, [attr], {crafted.FEATURE_EVENT_DESC: crafted.event_desc((attr, "sys:one", ())),
                                            1: tracing(text)})


def tracing(text):
    out = b"\x17\x08\x44tracing0.6\0\0\x08" + u32(4096)
    out += b"header_page\0" + u64(0) + b"header_event\0" + u64(0) + u32(0) + u32(1) + b"sys\0" + u32(1) + u64(len(text)) + text
    return out + u32(0) + u32(0) + u64(0)


def test_several_time_ranges():
    path = written("times.data", crafted.file_bytes([crafted.comm(1, "a"), *(
        crafted.sample(0x10 + number, time=number * 10**9) for number in range(1, 6))]))
    for text, number in (("1,2", 2), ("1,1 4,", 3), (",1.5 3,3 5,5", 3)):
        tap.same(rows(path, "--time", text, "-n", "-s", "comm")[0][1], str(number), text)
    assert "(time slices: 1,2)" in report(path, "--time", "1,2").stdout
    for text in ("1,2 x", "2,1", "5%/0"):
        done = report(path, "--time", text, status=1)
        assert f"invalid range '{text}'" in done.stderr, done.stderr


def test_warns_of_a_time_outside_the_recording():
    """Check that the warning has the times of the first and last sample, which are in the header (feature 21)."""
    path = written("outside.data", crafted.file_bytes([crafted.comm(1, "a"), crafted.sample(0x10, time=2 * 10**9)],
                                                      features={21: u64(10**9, 2 * 10**9)}))
    warning = f"the samples of {path} are from 1.000000 to 2.000000 s, outside the range"
    for outside in ("3,4", "+1.5,+2", ",0.5"):
        assert f"option '--time': {warning}" in report(path, "--time", outside).stderr, outside
        assert f"option '--query': {warning}" in report(path, "--query", f"time:{outside}").stderr, outside
    assert "outside the range" not in report(path, "--query", "-time:3,4").stderr
    for inside in ("2,4", "0,5", "3,4 1,1", "50%-100%", "+0.5,+9", ",+1"):
        assert "outside the range" not in report(path, "--time", inside).stderr, inside


def test_times_since_the_first_sample():
    """Check that +1,+2 are seconds since the first sample, in --time and in queries."""
    path = written("since.data", crafted.file_bytes([crafted.comm(1, "a")] + [crafted.sample(0x10, time=at * 10**9) for at in range(5, 10)],
                                                    features={21: u64(5 * 10**9, 9 * 10**9)}))
    for text, number in (("+0,+1", 2), ("+1.5,", 3), (",+3", 4), ("+1,+1 9,", 2), ("5,6", 2)):
        tap.same(rows(path, "--time", text, "-n", "-s", "comm")[0][1], str(number), text)
        if " " not in text:
            tap.same(rows(path, "--query", f"time:{text}", "-n", "-s", "comm")[0][1], str(number), text)
    assert "invalid range '+1,2'" in report(path, "--time", "+1,2", status=1).stderr
    assert "the first sample" in report(path, "--query", "time:1,+2", status=1).stderr


def kallsyms(*names):
    """Write kernel symbols of 256 bytes each. Returns the options to use them, and addresses in each."""
    path = written("kallsyms", "".join(f"{0xffffffff81000000 + at * 0x100:x} T {name}\n" for at, name in enumerate((*names, "end"))).encode())
    return ["--kallsyms", path], [0xffffffff81000010 + at * 0x100 for at in range(len(names))]


def kernel_map():
    start = 0xffffffff81000000
    return crafted.mmap(-1, start, 0x1000, "[kernel.kallsyms]_text", misc=crafted.KERNEL, pgoff=start)


def chained_sample(time, *chain):
    """A sample of the first address; the callchain comes after the period."""
    return crafted.sample(chain[1], time=time, misc=crafted.KERNEL, more=u64(len(chain), *chain))


def test_callees_are_ignored():
    kernel = crafted.CONTEXT_KERNEL
    parts = [crafted.comm(1, "a"), kernel_map()]
    options, (outer, middle, inner) = kallsyms("outer", "middle", "inner")
    parts += [chained_sample(1, kernel, inner, middle, outer), chained_sample(2, kernel, middle, outer), chained_sample(3, kernel, outer)]
    path = written("callees.data", crafted.file_bytes(parts, [crafted.attr(crafted.DEFAULT_TYPE | crafted.CALLCHAIN)]))

    def shares(*words):
        return {row[1][4:]: row[0] for row in rows(path, "--no-children", "-g", "none", "-s", "symbol", *options, *words)}
    tap.same(shares(), {"inner": "33.33%", "middle": "33.33%", "outer": "33.33%"}, "all")
    tap.same(shares("--ignore-callees", "^middle$"), {"middle": "66.67%", "outer": "33.33%"}, "middle")
    tap.same(shares("--ignore-callees", "inner|outer"), {"outer": "100.00%"}, "the outermost")
    tap.same(shares("--ignore-callees", "nothing"), shares(), "no match")
    text = report(path, "--no-children", "-g", "folded,0,caller", "-s", "symbol", "--ignore-callees", "^middle$", *options).stdout
    assert "66.67% outer;middle\n" in text and "inner" not in text, text
    done = report(path, "--ignore-callees", "(", status=1)
    assert "invalid regular expression '('" in done.stderr, done.stderr


def test_values_of_call_graphs():
    kernel = crafted.CONTEXT_KERNEL
    options, (x, y, z) = kallsyms("x", "y", "z")
    parts = [kernel_map()] + [crafted.sample(x, time=at, misc=crafted.KERNEL, period=50, more=u64(3, kernel, x, caller)) for at, caller in enumerate((y, y, z))]
    path = written("values.data", crafted.file_bytes(parts, [crafted.attr(crafted.DEFAULT_TYPE | crafted.CALLCHAIN)]))
    for value, first, second in (("percent", "66.67%", "33.33%"), ("count", "2", "1"), ("period", "100", "50")):
        text = report(path, "--no-children", "-s", "symbol", "-g", f"folded,0,callee,{value}", *options).stdout
        assert f"\n{first} x;y\n{second} x;z\n" in text, text
        text = report(path, "--no-children", "-s", "symbol", "-g", f"graph,0,callee,function,{value}", *options).stdout
        assert f"|--{first}--y\n" in text and f" --{second}--z\n" in text, text


def test_graphs_can_be_left_out():
    parts = [crafted.comm(1, "a"), crafted.sample(0x10, more=u64(3, crafted.CONTEXT_USER, 0x10, 0x20))]
    path = written("graph.data", crafted.file_bytes(parts, [crafted.attr(crafted.DEFAULT_TYPE | crafted.CALLCHAIN)]))
    assert "---" in report(path, "-q", "--no-children").stdout
    for words in (["--no-call-graph"], ["-g", "none"]):
        text = report(path, "-q", *words).stdout
        assert "---" not in text and "100.00%" in text, text
    text = report(path, "-q", "--no-call-graph", "-G", "--no-children").stdout
    assert "---" in text, text


def test_an_unknown_cpu():
    path = written("cpu.data", crafted.file_bytes([crafted.sample(0x10)]))
    tap.same(rows(path, "-s", "cpu"), [["100.00%", "-001"]], "CPU")


def test_sockets_need_the_topology():
    path = written("sockets.data", crafted.file_bytes([crafted.sample(0x10)]))
    done = report(path, "--socket-filter", "0", status=1)
    assert "does not contain the CPU topology" in done.stderr, done.stderr
    done = report(path, "--socket-filter", "x", status=1)
    assert "'--socket-filter' requires numbers" in done.stderr, done.stderr


def test_sockets():
    path = os.path.join(WORK, "all.data")
    done = tap.run(TALLY, "record", "-q", "-a", "-e", "cpu-clock", "-o", path, "sleep", "0.2")
    if done.returncode:
        raise tap.Skip("this machine does not record all CPUs")
    everywhere = {row[2]: row[1] for row in rows(path, "-n", "-s", "socket")}
    if "N/A" in everywhere:
        raise tap.Skip("the sockets of this machine are unknown")
    for socket, samples in everywhere.items():
        tap.same([row[1:] for row in rows(path, "--socket-filter", str(int(socket)), "-n", "-s", "socket")], [[samples, socket]], "socket")
    done = report(path, "--socket-filter", "99")
    assert not rows(path, "--socket-filter", "99"), done.stdout


tap.main(__name__)
