#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Percentages and the tree of `tally top --stdio`.

usage: top_shares.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tap  # noqa: E402
from watching import TALLY, Started, built, may_watch, rows_of, shows, stdio  # noqa: E402


def test_percentages_are_of_the_filtered_or_of_all_samples():
    may_watch()

    def sum_of(lines):
        return sum(row[0] for row in rows_of(lines))
    with Started(built("spinner")) as watched:
        words = ("-p", str(watched.pid), "--symbols", "spin_seldom")
        for extra in ((), ("--percentage", "relative")):
            assert sum_of(stdio(*words, *extra, until=shows("spin_seldom"))) > 99, extra
        lines = stdio(*words, "--percentage", "absolute", until=shows("spin_seldom", 10))
        assert {row[3] for row in rows_of(lines)} == {"spin_seldom"} and sum_of(lines) < 45, lines
    done = tap.run(TALLY, "top", "--percentage", "some", status=1)
    assert "requires 'relative' or 'absolute', not 'some'" in done.stderr, done.stderr


def test_hierarchy_is_a_tree():
    may_watch()
    with Started(built("spinner")) as watched:
        lines = stdio("-p", str(watched.pid), "--hierarchy", "-s", "comm,dso,sym", "--percent-limit", "5",
                      until=lambda s: any("spin_seldom" in line for line in s))
    rows = [re.match(r"^( +)(\d+\.\d\d)% +(\S.*?) *$", line) for line in lines]
    rows = [(len(m[1]), float(m[2]), m[3]) for m in rows if m]
    tap.same([row[2] for row in rows[:3]], ["spinner", "spinner", "[.] spin_often"], lines)
    assert rows[0][0] < rows[1][0] < rows[2][0] == rows[-1][0] and rows[-1][2] == "[.] spin_seldom", lines
    assert rows[0][1] > rows[2][1] + 5 and min(row[1] for row in rows) >= 5, lines
    done = tap.run(TALLY, "top", "--hierarchy", "--tui", status=1)
    assert "'--hierarchy' and '--tui' cannot be used together" in done.stderr, done.stderr


def test_events_switch_samples_on_and_off():
    may_watch()

    def is_counting(lines):
        return re.search(r"PerfTop: +[1-9]", lines[0])
    with Started(built("spinner")) as watched:
        one = ("-p", str(watched.pid), "-e", "cpu-clock", "-e", "alignment-faults")
        every = ("-a", "-z", "-e", "cpu-clock", "-e", "context-switches")
        lines = stdio(*one, "--switch-on", "alignment-faults", until=is_counting)
        assert not rows_of(lines), lines
        stdio(*one, "--switch-off", "alignment-faults", until=shows("spin_often"))
        # The same event switches samples on and off, and its own samples are left out, or shown.
        both = ("--switch-on", "context-switches", "--switch-off", "context-switches")
        lines = stdio(*every, *both, until=shows("spin_often"))
        assert not rows_of(lines[lines.index("# event 'context-switches'"):]), lines
        stdio(*every, *both, "--show-on-off-events", until=lambda s: rows_of(s[s.index("# event 'context-switches'"):]))
        stdio(*every, "--switch-off", "context-switches", until=lambda s: is_counting(s) and not rows_of(s))
    done = tap.run(TALLY, "top", "-e", "cs", "--switch-on", "page-faults", status=1)
    assert "option '--switch-on': 'page-faults' is not one of the events" in done.stderr, done.stderr


tap.main(__name__)
