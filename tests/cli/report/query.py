#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test report --query: compare the selected samples with other options, and with the samples printed by tally script.

usage: query.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("query")
DATA = os.path.join(WORK, "perf.data")

PROGRAM = r"""
#include <sys/prctl.h>
volatile unsigned long sink;
static inline __attribute__((always_inline)) void inlined_part(int n) { for (int i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void Busy(int n) { inlined_part(n); sink++; }
__attribute__((noinline)) void quiet(int n) { for (int i = 0; i < n; i++) sink += 2 * i; sink++; }
__attribute__((noinline)) void outer(void) { Busy(2000000); quiet(500000); sink++; }
__attribute__((noinline)) void other(void) { quiet(500000); sink++; }
int main(void)
{
	for (int i = 0; i < 60; i++) {
		outer();
		other();
		if (i == 30)
			prctl(PR_SET_NAME, "second half");
	}
}
"""


def setup():
    program = os.path.join(WORK, "loop")
    steps.build(program, PROGRAM, "-g", "-O0", "-fno-omit-frame-pointer", compiler="gcc", file=program + ".c")
    steps.record(DATA, "-e", "cpu-clock", "-F", "2000", "--sample-cpu", "-g", program)


def rows(*options):
    """Return {(comm, symbol): samples}, after checking that their sum is the number in the heading."""
    event = steps.report_json(DATA, "--no-children", "-g", "none", "-s", "comm,symbol", *options)["events"][0]
    found = {}
    for row in event["rows"]:
        key = (row["comm"], row["symbol"].split("] ")[-1])  # also of kernel code with the same name
        found[key] = found.get(key, 0) + row["self_samples"]
    tap.same(sum(found.values()), event["samples"], f"samples of {options}")
    return found


def queried(query):
    return rows("--query", query)


def samples():
    """Yield each sample's comm, timestamp, and list of the functions in its callchain."""
    out = tap.run(TALLY, "script", "-i", DATA, "-F", "comm,tid,time,cpu,ip,sym").stdout
    for block in filter(None, out.split("\n\n")):
        head, *frames = block.strip("\n").splitlines()
        comm, time = re.match(r" *(.*?) +\d+ \[\d+\] +([\d.]+):", head).groups()
        yield comm, float(time), [line.split(None, 1)[1].removesuffix(" (inlined)") for line in frames]


def count(wanted):
    return sum(1 for sample in samples() if wanted(*sample))


def test_selects_the_same_as_other_options():
    everything = rows()
    assert len({comm for comm, _ in everything}) == 2, everything
    tap.same(queried(""), everything, "no words")
    tap.same(queried("comm:=loop"), rows("--comms", "loop"), "a comm")
    tap.same(queried('comm:"second half"'), rows("--comms", "second half"), "a quoted comm")
    tap.same(rows("--no-inline", "--query", "self-sym:=Busy"), rows("--no-inline", "--symbols", "Busy"), "a function by its whole name")
    tap.same(queried("self-dso:=loop"), rows("--dsos", "loop"), "a file")
    tap.same(queried("time:25%-50%"), rows("--time", "25%-50%"), "a share of the time")
    cpu = re.search(r"\[(\d+)\]", tap.run(TALLY, "script", "-i", DATA, "-F", "comm,cpu").stdout)[1].lstrip("0") or "0"
    tap.same(queried(f"cpu:{cpu}"), rows("--cpu", cpu), "a CPU")
    both = rows("--comms", "loop", "--symbols", "quiet")
    tap.same(queried("self-sym:/^qui.t$/ -comm:half"), both, "two words")
    tap.same(rows("--query", "self-sym:quiet", "--comms", "loop"), both, "an option beside it")


def test_functions_on_the_callchain():
    whole = count(lambda *_: True)
    outer = count(lambda comm, time, chain: "outer" in chain)
    inlined = count(lambda comm, time, chain: "inlined_part" in chain)
    innermost = count(lambda comm, time, chain: chain[0] == "inlined_part")
    assert 0 < innermost <= inlined <= outer < whole
    for query, wanted in (("sym:outer", outer), ("-sym:outer", whole - outer), ("sym:=Outer", 0), ("sym:OUTER", 0),
                          ("sym:=inlined_part", inlined), ("self-sym:inlined", innermost), ("inlined", inlined),
                          ("sym:outer sym:=main", outer), ("sym:outer -inlined", outer - inlined),
                          ("comm:half sym:outer", count(lambda comm, time, chain: comm == "second half" and "outer" in chain))):
        tap.same(sum(queried(query).values()), wanted, query)


def test_graphs_and_rows_are_of_what_is_left():
    out = tap.run(TALLY, "report", "-i", DATA, "--stdio", "--no-children", "--query", "sym:=other").stdout
    assert "other" in out and "outer" not in out, out
    out = tap.run(TALLY, "report", "-i", DATA, "--stdio", "--query", "-sym:=other").stdout
    assert "outer" in out and "other" not in out, out
    left = count(lambda comm, time, chain: "other" not in chain)
    found = re.search(r"^# Samples: (\d+)(K?) ", out, re.M)
    tap.same(int(found[1]), left // 1000 if found[2] else left, "the heading")


def test_times():
    times = sorted(time for _, time, _ in samples())
    middle = (times[0] + times[-1]) / 2
    late = count(lambda comm, time, chain: time >= middle)
    tap.same(sum(queried(f"time:{middle:.6f},").values()), late, "from a time on")
    tap.same(sum(queried(f"-time:{middle:.6f},").values()), len(times) - late, "before it")


def test_rejects_invalid_queries():
    for query, part in (("coom:x", "byte 1: unknown field"), ("a pid:x", "byte 7: expected numbers"), ("/(/", "byte 1: unmatched '('"),
                        ('"a', "unterminated quote"), ("time:2,1", "start,end")):
        run = tap.run(TALLY, "report", "-i", DATA, "--query", query, status=1)
        assert part in run.stderr and run.stdout == "", run.stderr
    run = tap.run(TALLY, "report", "-i", DATA, "--query", "\x1b[31m:\"")
    assert "\x1b" not in run.stderr, run.stderr


def test_what_was_not_recorded():
    path = os.path.join(WORK, "nocpu")
    run = tap.run(TALLY, "record", "-e", "cpu-clock", "-o", path, os.path.join(WORK, "loop"), status=0)
    run = tap.run(TALLY, "report", "-i", path, "--query", "cpu:0", status=1)
    assert "--query cannot be applied to" in run.stderr and "CPU was not recorded" in run.stderr, run.stderr


tap.main(__name__, lambda: machine.need_compiler("gcc"), machine.need_events, setup=setup)
