#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Events of a group side by side: --group, --no-group, --group-sort-idx, and other outputs, on crafted recordings.

usage: groups.py TALLY
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import tap  # noqa: E402
from crafted import of_event, u32  # noqa: E402
from reporting import TALLY, report, rows  # noqa: E402

WORK = tap.workplace("groups")
GROUP_DESC = 17


def groups(*all_groups):
    return u32(len(all_groups)) + b"".join(crafted.padded(name) + u32(*range_) for name, *range_ in all_groups)


def tasks():
    return [crafted.record(crafted.COMM, u32(pid, pid) + crafted.text(name) + u32(pid, pid) + crafted.u64(0, 10))
            for pid, name in ((1, "one"), (2, "two"), (3, "three"), (4, "four"))]


def written(name, recorded, records=None, events=(("a", 0), ("b", 2), ("c", 1))):
    records = records or [of_event(10, pid=1, period=60), of_event(10, pid=2, period=20), of_event(10, pid=3, period=20),
                          of_event(11, pid=3, period=3), of_event(11, pid=4, period=1), of_event(12, pid=1, period=9)]
    features = {GROUP_DESC: groups(*recorded)} if recorded else {}
    return crafted.write(WORK, name, crafted.events_bytes(list(events), tasks() + records, features))


def headings(done):
    return [line for line in done.stdout.splitlines() if line.startswith(("# Samples", "# Event count"))]


def test_recorded_groups():
    """Test that a recorded group is one table, and that other events have tables of their own."""
    path = written("pair.data", [("{anon_group}", 0, 2)])
    tap.same(rows(path, "-s", "comm"), [["60.00% 0.00%", "one"], ["20.00% 75.00%", "three"], ["20.00% 0.00%", "two"],
                                        ["0.00% 25.00%", "four"], ["100.00%", "one"]], "side by side")
    tap.same(headings(report(path)), ["# Samples: 5  of events 'anon group { a, b }'", "# Event count (approx.): 104",
                                      "# Samples: 1  of event 'c'", "# Event count (approx.): 9"], "headings")
    lines = report(path, "-s", "comm").stdout.splitlines()
    tap.same(next(line for line in lines if "Command" in line), "#         Overhead  Command", "heading of the column")
    assert "    60.00%   0.00%  one" in lines, lines
    tap.same(rows(path, "-s", "comm", "-n")[1], ["20.00% 75.00%", "1 1", "three"], "samples")
    tap.same(rows(path, "-s", "comm", "-F", "period,comm")[1], ["20 3", "three"], "periods")


def test_names_and_all_three():
    path = written("named.data", [("loads", 0, 3)])
    tap.same(headings(report(path))[0], "# Samples: 6  of events 'loads { a, b, c }'", "name")
    tap.same(rows(path, "-s", "comm")[0], ["60.00% 0.00% 100.00%", "one"], "three events")


def test_options():
    path, alone = written("options.data", [("{anon_group}", 0, 2)]), written("alone.data", [])
    tap.same([row[0] for row in rows(path, "-s", "comm", "--no-group")], ["60.00%", "20.00%", "20.00%", "75.00%", "25.00%", "100.00%"], "none")
    tap.same(len(headings(report(alone))), 6, "three events without groups")
    tap.same(headings(report(alone, "--group"))[0], "# Samples: 6  of events 'a, b, c'", "all")
    tap.same(len(headings(report(path, "--group"))), 4, "--group does not join more if groups were recorded")
    tap.same(rows(path, "-s", "comm", "--event-number", "2"), [["75.00%", "three"], ["25.00%", "four"]], "one event")


def test_order():
    """Test that equal rows are sorted by the other events, and the event that sorts first."""
    path = written("order.data", [("{anon_group}", 0, 2)])
    tap.same([row[1] for row in rows(path, "-s", "comm", "--group-sort-idx", "1")[:4]], ["three", "four", "one", "two"], "sorted by b")
    tap.same(rows(path, "-s", "comm", "--group-sort-idx", "7"), rows(path, "-s", "comm"), "no such event")
    tap.same(rows(path, "-s", "comm", "--percent-limit", "30")[0], ["60.00% 0.00%", "one"], "a limit on the first event")
    tap.same(len(rows(path, "-s", "comm", "--percent-limit", "30")), 2, "rows within the limit")


def test_hierarchy():
    path = written("hierarchy.data", [("{anon_group}", 0, 2)])
    text = report(path, "--hierarchy", "-s", "comm,sym").stdout
    for line in ("#            Overhead  Command / Symbol", "    60.00%   0.00%     one", "       60.00%   0.00%     [.] 0x0000000000001000",
                 "     0.00%  25.00%     four"):
        assert line in text.splitlines(), (line, text)


def test_trees_without_numbers_and_with_huge_ones():
    """Test a tree that has only names, and sums that exceed 64 bits."""
    path = written("names.data", [])
    text = report(path, "--hierarchy", "-F", "comm,sym").stdout
    assert "one" in text and "%" not in text, text
    huge = (1 << 64) - 1
    path = written("huge.data", [("{anon_group}", 0, 2)],
                   [of_event(10, ip=0x1000, period=huge), of_event(10, ip=0x2000, period=huge), of_event(11, period=huge)])
    text = report(path, "--hierarchy", "-s", "comm,sym", "--percent-limit", "1").stdout
    assert "   100.00% 100.00%     one" in text and f"# Event count (approx.): {huge}" in text, text


def test_children():
    """Test that callees count for callers in each event."""
    chain = crafted.u64(2, 0x1000, 0x2000)
    records = [crafted.record(crafted.SAMPLE, crafted.u64(identity, ip) + u32(1, 1) + crafted.u64(1, period) + chain, crafted.USER)
               for identity, ip, period in ((10, 0x1000, 3), (11, 0x1000, 1))]
    records.append(crafted.record(crafted.SAMPLE, crafted.u64(11, 0x2000) + u32(1, 1) + crafted.u64(1, 3) + crafted.u64(1, 0x2000), crafted.USER))
    kinds = crafted.DEFAULT_TYPE | crafted.IDENTIFIER | crafted.CALLCHAIN
    data = crafted.events_bytes([("a", 0), ("b", 2)], [*tasks(), *records], {GROUP_DESC: groups(("{anon_group}", 0, 2))}, kinds)
    path = crafted.write(WORK, "children.data", data)
    tap.same(rows(path, "-s", "sym", "-g", "none"),
             [["100.00% 25.00%", "100.00% 25.00%", "[.] 0x0000000000001000"], ["100.00% 100.00%", "0.00% 75.00%", "[.] 0x0000000000002000"]][::-1],
             "children")


def test_other_outputs():
    """Test that JSON and CSV have one event for each row."""
    path = written("json.data", [("{anon_group}", 0, 2)])
    done = tap.run(TALLY, "report", "-i", path, "--json", "-s", "comm", status=0)
    tap.same([(event["event"], len(event["rows"])) for event in json.loads(done.stdout)["events"]], [("a", 3), ("b", 2), ("c", 1)], "events")
    done = tap.run(TALLY, "report", "-i", path, "--format", "csv", "-s", "comm", status=0)
    tap.same([line.split(",")[0] for line in done.stdout.splitlines()[1:]], ["a"] * 3 + ["b"] * 2 + ["c"], "CSV")


def test_config():
    settings = crafted.write(WORK, "perfconfig", b"[report]\n\tgroup = false\n")
    path = written("config.data", [("{anon_group}", 0, 2)])
    done = tap.run(TALLY, "report", "--stdio", "-i", path, env={**os.environ, "PERF_CONFIG": settings}, status=0)
    tap.same(len(headings(done)), 6, "report.group")


def test_bad_groups():
    """Test that groups with other events than the recorded ones do no harm, and that large groups are split."""
    for at, bad in enumerate(([("x", 2, 9)], [("x", 7, 2)], [("x", 0, 0xffffffff)], [("x", 0, 2), ("y", 0, 3)], [("x", 0, 2), ("y", 1, 2)])):
        path = written(f"bad{at}.data", bad)
        assert sum(int(line.split()[2]) for line in headings(report(path))[::2]) == 6, bad
    events = [(f"e{at}", at) for at in range(70)]
    path = written("large.data", [("{anon_group}", 0, 70)], [of_event(10 + at) for at in range(70)], events)
    tap.same([line.split()[2] for line in headings(report(path))[::2]], ["32", "32", "6"], "split")


tap.main(__name__)
