#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The order of rows when columns are listed (-F), and what --percent-limit and -s sym change in call graphs. All is as in
perf, which is asked too if it is installed.

usage: row_order.py TALLY
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402
from reporting import TALLY, report, rows  # noqa: E402

WORK = tap.workplace("row-order")


def sample(comm, period, *chain):
    """Return a sample of a thread, with its callers, innermost first."""
    return crafted.record(crafted.SAMPLE, u64(chain[0]) + u32(comm, comm) + u64(1, period, len(chain) + 1, crafted.CONTEXT_USER,
                                                                               *chain), crafted.USER)


def recording():
    """Four functions: `a` calls `b` and `c`; `d` calls nothing. Each file has one function without a name."""
    start = [part for number, name in ((1, "two"), (2, "one")) for part in (
        crafted.comm(number, name), *(crafted.mmap(number, at * 0x1000, 0x1000, f"/nowhere/{file}") for at, file in
                                      enumerate("abcd", 1)))]
    samples = [sample(1, 50, 0x2010, 0x1010), sample(1, 10, 0x3010, 0x1010), sample(2, 10, 0x3010, 0x1010),
               sample(2, 5, 0x3010, 0x1010), sample(2, 25, 0x4010)]
    return crafted.write(WORK, "rows.data", crafted.file_bytes([*start, *samples],
                                                               [crafted.attr(crafted.DEFAULT_TYPE | crafted.CALLCHAIN)]))


def without_spaces(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def same_as_perf(path, *words):
    if not shutil.which("perf"):
        return
    theirs = tap.run("perf", "report", "--stdio", "-i", path, *words)
    if theirs.returncode == 0:
        tap.same(without_spaces(report(path, *words).stdout), without_spaces(theirs.stdout), f"perf {words}")


def test_listed_columns_are_compared_from_the_first_to_the_last():
    path = recording()
    for words, wanted in (
            (("-F", "overhead,dso"), [["50.00%", "b"], ["25.00%", "c"], ["25.00%", "d"], ["0.00%", "a"]]),
            (("-F", "sample,period,dso"), [["3", "25", "c"], ["1", "50", "b"], ["1", "25", "d"], ["0", "0", "a"]]),
            (("-F", "dso,overhead"), [["a", "0.00%"], ["b", "50.00%"], ["c", "25.00%"], ["d", "25.00%"]]),
            (("-F", "overhead_children,overhead,dso"), [["75.00%", "0.00%", "a"], ["50.00%", "50.00%", "b"],
                                                        ["25.00%", "25.00%", "c"], ["25.00%", "25.00%", "d"]]),
            (("-F", "overhead_us,dso"), [["50.00%", "b"], ["25.00%", "c"], ["25.00%", "d"], ["0.00%", "a"]]),
            (("-F", "comm,sample"), [["one", "3"], ["two", "2"]]), (("-F", "period,comm"), [["60", "two"], ["40", "one"]])):
        tap.same(rows(path, *words), wanted, " ".join(words))
        same_as_perf(path, "-g", "none", *words)


def test_a_metric_after_a_name_is_aligned():
    lines = report(recording(), "-q", "-g", "none", "-F", "comm,sample").stdout.splitlines()
    tap.same([line.rstrip() for line in lines if line], ["  one                 3", "  two                 2"], "lines")


def test_the_limit_of_rows_is_that_of_branches_too():
    path = recording()
    for words, names in (((), 2), (("--percent-limit", "30"), 1), (("--percent-limit", "30", "-g", "caller,10"), 2)):
        text = report(path, "-q", "--children", "-s", "dso", "-g", "caller", *words).stdout
        first = text.split("\n\n")[0]
        tap.same(first.count("%--"), names, f"{words}: {first}")


def test_a_graph_does_not_repeat_the_function_of_its_row():
    """As in perf, if the sort keys begin with "sym"."""
    path = recording()
    for key, order, functions in (("sym", "callee", 1), ("dso,sym", "callee", 2), ("sym", "caller", 2)):
        text = report(path, "-q", "--no-children", "-g", order, "-s", key).stdout.split("\n\n")[0]
        tap.same(text.splitlines()[1:3], ["            |", "            ---0x0000000000000010"], f"start of the graph, {key}, {order}")
        tap.same(len(text.splitlines()) - 2, functions, f"functions, {key}, {order}")


def test_the_heading_names_removed_columns_and_what_percentages_are_relative_to():
    path = recording()
    heading = [line for line in report(path, "--comms", "two", "--no-children").stdout.splitlines() if line[:3] != "# H"]
    assert "# comm: two" in heading and not any("Command" in line for line in heading), heading
    assert "# Samples: 5  of event 'cpu-clock:HG'" in heading and "# Event count (approx.): 100" in heading, heading
    text = report(path, "--comms", "two", "--percentage", "relative").stdout
    assert "# Samples: 2  of event" in text and "# Event count (approx.): 60" in text, text
    assert "# comm:" not in report(path, "--comms", "two,one").stdout
    assert "# comm: tw\\x1b" in report(path, "--comms", "tw\x1b").stdout


def test_records_follow_the_header():
    path = recording()
    for word in ("--stats", "--tasks", "--mmaps"):
        assert report(path, word, "--header").stdout.startswith("# ========"), word


def test_percentages_are_coloured():
    path = recording()
    red, green, none = "\x1b[31m", "\x1b[32m", "\x1b[m"
    text = report(path, "-q", "--no-children", "--stdio-color", "always", "--percent-limit", "0").stdout
    assert f"  {red}  50.00%{none}  two" in text, text
    plain = report(path, "-q", "--no-children", "--percent-limit", "0").stdout
    tap.same(text.replace(red, "").replace(green, "").replace(none, ""), plain, "text without colours")
    branches = report(path, "-q", "-s", "comm", "-g", "caller", "--stdio-color", "always").stdout
    assert f"--{red}50.00%{none}--" in branches, branches
    assert "\x1b" not in report(path, "--stdio-color", "auto").stdout + report(path, "-t", ",", "--stdio-color", "always").stdout
    assert "requires always, never or auto, not 'x'" in report(path, "--stdio-color", "x", status=1).stderr
    same_as_perf(path, "--no-children", "--stdio-color", "always", "-g", "none")


def test_a_separator_is_ignored_by_other_texts():
    path = recording()
    for word in ("--stats", "--tasks", "--mmaps", "-D"):
        tap.same(report(path, word, "-t", ",").stdout, report(path, word).stdout, word)


def test_graphs_are_printed_with_a_separator_if_asked_for():
    path = recording()
    tap.same(len(without_spaces(report(path, "-q", "-t", ",").stdout)), 6, "rows without graphs")
    text = report(path, "-q", "-t", "|", "-g", "folded", "-s", "sym", "--no-children").stdout
    assert "50.00% 0x0000000000000010|0x0000000000000010" in text.replace(" (inlined)", ""), text
    for style in ("caller", "flat", "folded", "count", "fractal,0.5,caller"):
        text = report(path, "-q", "-t", ",", "-g", style).stdout
        aligned = report(path, "-q", "-g", style).stdout
        tap.same([line for line in text.splitlines() if "%," not in line],
                 [line.replace(";", ",") for line in aligned.splitlines() if not line.startswith("    ") or "%  " not in line], style)


tap.main(__name__)
