#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the summary that tally report prints without a terminal, what asks for rows instead, and keys of the browser that fold
functions.

usage: summary.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
import tmux  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("summary")
DATA = os.path.join(WORK, "perf.data")
PROGRAM = r"""
#include <map>
#include <string>
#include <thread>
#include <unordered_map>
static inline __attribute__((always_inline)) unsigned mix(unsigned a, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		a = a * 2654435761u ^ a >> 7;
	return a;
}
__attribute__((noinline)) unsigned fold(unsigned n) { return mix(n, 4000000) + 1; }
__attribute__((noinline)) unsigned long words(unsigned n)
{
	std::unordered_map<std::string, std::map<std::string, unsigned long>> counts;
	for (unsigned i = 0; i < n; i++)
		counts["a key that is not short " + std::to_string(i % 100)]["another key, not short either"] += i;
	return counts.size();
}
int main()
{
	unsigned long sum = 0;
	std::thread other([&] { for (int i = 0; i < 10; i++) sum += words(60000); });
	unsigned folded = 0;
	for (unsigned i = 0; i < 20; i++)
		folded += fold(i);
	other.join();
	return sum + folded == 42;
}
"""


def setup():
    program = os.path.join(WORK, "prog")
    steps.build(program, PROGRAM, "-g", "-O2", "-pthread", compiler="g++", file=program + ".cc")
    steps.record(DATA, "-e", "cpu-clock", "-F", "1999", "--call-graph", "auto", program)


def summary(*options, path=DATA):
    return tap.run(TALLY, "report", "-i", path, *options, status=0).stdout


def rows(text):
    """Return {name: (self, total, is_inlined)} of the first list."""
    found = {}
    for line in text.split("\n\n")[1].split("\n"):
        row = re.match(r" *([\d.]+)% +([\d.]+)% ([i ]) (\S.*?) {2,}\S+$", line)
        if row:
            found[row[4]] = float(row[1]), float(row[2]), row[3] == "i"
    return found


def test_fits_on_a_screen():
    text = summary()
    lines = text.split("\n")
    assert re.match(r"perf\.data: [\d.]+ (s|ms) of CPU in [\d.]+ (s|ms), ([\d.]+% of a CPU|[\d.]+ CPUs); 2 threads; \d+ samples of cpu-clock", text), text[:200]
    assert lines[1].startswith("Health: "), lines[1]
    assert max(map(len, lines)) <= 100, max(lines, key=len)
    main = text.split("\n[1] ")[0].split("\n")
    assert len(main) <= 62, len(main)
    for heading in ("Top functions, self (i: inlined, apart)", "Top functions, total", "Hot lines", "Threads"):
        assert heading in lines, heading
    assert any(re.match(r" +\d+\.\d\d%  prog\.cc:\d+  i mix", line) for line in lines), text
    assert "__cxx11" not in "\n".join(main), text


def test_counts_inlined_functions_apart():
    apart, whole = rows(summary()), rows(summary("--no-inline"))
    assert apart["mix"][2] and apart["mix"][0] > 10, apart
    assert "mix" not in whole, whole
    assert abs(whole["fold"][0] - apart["mix"][0] - apart.get("fold", (0,))[0]) < 0.02, (whole["fold"], apart["mix"])
    assert "(with inlined)" in summary("--no-inline")


def test_names_that_do_not_fit_have_footnotes():
    text = summary()
    for number in re.findall(r" \[(\d+)\]", text.split("\n[1] ")[0]):
        assert f"\n[{number}] " in text or (number != "1" and "(-w 0 shows " in text), (number, text)
    whole = summary("-w", "0")
    assert "std::__cxx11::basic_string<char" in whole and "..." not in whole, whole
    short, full = (tap.run(TALLY, "report", "-i", DATA, "--format", "folded", *more, status=0).stdout for more in ((), ("-w", "0")))
    assert "__cxx11" not in short and "__cxx11" in full, short[:300]


def test_columns_in_a_pipe():
    for columns in (60, 80, 140):
        text = tap.run(TALLY, "report", "-i", DATA, status=0, env=dict(os.environ, COLUMNS=str(columns))).stdout
        lines = text.split("\n[1] ")[0].split("\n")
        assert max(map(len, lines)) <= columns, max(lines, key=len)
        assert any(re.search(r" \S*_M_find_before_node|::compare|mix", line) for line in lines), text
        stdio, plain = (tap.run(TALLY, "report", "--stdio", "-g", "none", "-i", DATA, status=0, env=env).stdout
                        for env in (dict(os.environ, COLUMNS=str(columns)), os.environ))
        tap.same(stdio, plain, "--stdio")
    assert max(map(len, lines)) > 100, "no line uses the space"
    for word in ("", "0", "wide"):
        tap.same(tap.run(TALLY, "report", "-i", DATA, status=0, env=dict(os.environ, COLUMNS=word)).stdout, summary(), f"COLUMNS={word}")


def test_queries_accept_the_names_that_are_shown():
    shown = {name: own for name, (own, _, _) in rows(summary()).items() if own and "..." not in name and '"' not in name}
    short = [name for name in shown if name.startswith("std::")] + ["mix"]
    for name in short[:4] + short[-1:]:
        text = summary("--query", f'self-sym:=="{name}"')
        found = rows(text)
        # Fewer than 100 samples are shown without decimals.
        assert name in found and abs(found[name][0] * share_of_all(text) - shown[name]) < 0.51, (name, shown[name], found)


def test_options_for_rows_give_perfs_text():
    for options in (("--stdio",), ("-s", "symbol"), ("-g",), ("-n",), ("--percent-limit", "1"), ("--no-children",), ("prog",), ("-x", ";"), ("-w", "9")):
        text = summary(*options)
        assert "Hot lines" not in text, (options, text[:300])
    for options in ((), ("--comms", "prog"), ("--time", "10%-50%"), ("--query", "sym:fold"), ("--no-inline",)):
        assert "Hot lines" in summary(*options), options


def share_of_all(text):
    """Return the share of all samples that a summary of a selection has in its headline, from 0 to 1."""
    return float(re.findall(r"; ([\d.]+)% of all\b", " ".join(text.split()))[0]) / 100


def test_shares_are_of_the_selection():
    """Check that shares are of the samples that a query selects, and that the headline has the selection's share of all.
    JSON has the sums."""
    whole, part = summary(), summary("--query", "sym:words")
    assert "of all" not in whole and "(selection): " in part and "shares are of the selection" in " ".join(part.split()), part
    event = steps.report_json(DATA, "--query", "sym:words", "--children", "-s", "symbol", "-g", "none")["events"][0]
    assert abs(share_of_all(part) - event["period"] / event["total_period"]) < 0.0001, (part, event["period"], event["total_period"])
    shown, exact = rows(part), 0.5 if "few: " in part else 0.005
    sums = {row["symbol"][4:].replace(" (inlined)", ""): row["self_period"] for row in event["rows"]}
    plain = [name for name in shown if re.fullmatch(r"\w+", name)]
    assert len(plain) > 1, part
    for name in plain:
        assert abs(shown[name][0] - 100 * sums[name] / event["period"]) <= exact, (name, shown[name], sums[name], event["period"])


def test_idle_tasks_are_named():
    """Check that the headline has the share of idle tasks, which the CPU time leaves out and lists contain. User code of
    PID 0 belongs to tasks outside the PID namespace."""
    path = os.path.join(WORK, "cpus.data")
    for misc, what in ((1, "idle"), (2, "idle or outside the PID namespace")):
        with open(path, "wb") as file:
            file.write(crafted.file_bytes([crafted.comm(7, "busy"), crafted.mmap(7, 0x400000, 0x1000, "/nonexistent/busy")] +
                                          [crafted.sample(0x400010, 7 if at % 4 == 0 else 0, 10 + at, misc=misc) for at in range(400)]))
        text = " ".join(summary(path=path).split())
        assert f"400 samples of cpu-clock:HG; 75.00% {what} (the query -tid:0 leaves it out)" in text, text
        text = " ".join(summary("--query", "-tid:0", path=path).split())
        assert "100 samples of cpu-clock:HG; 25.00% of all" in text and "leaves it out" not in text, text


def test_functions_without_a_name_have_their_file():
    """Check that fn@START, which several files can have, is shown with its file in the lists."""
    whole = summary()
    [totals] = re.findall(r"Top functions, total\n((?: .*\n)+)", whole)
    unnamed = re.findall(r"fn@[0-9a-f]+(.*)", totals)
    if not unnamed:
        raise tap.Skip("no function without a name among the heaviest")
    assert all(re.fullmatch(r" in [^ ]+", more) for more in unnamed), totals


def test_few_samples_have_no_decimals():
    path = os.path.join(WORK, "few.data")
    with open(path, "wb") as file:
        file.write(crafted.file_bytes([crafted.comm(7, "few"), crafted.mmap(7, 0x400000, 0x1000, "/nonexistent/few")] +
                                      [crafted.sample(0x400010, 7, 10 + at) for at in range(3)]))
    text = summary(path=path)
    assert "3 samples of cpu-clock:HG (few: shares are rough)" in " ".join(text.split()) and "    100%" in text and "100.00%" not in text, text


def test_just_my_code_in_all_outputs():
    """Check that --just-my-code leaves only the program's functions, with the same costs in the summary, in JSON and in
    exports, and that the sum of all costs is unchanged."""
    shown = rows(summary("--just-my-code"))
    assert "words" in shown and "__libc_start_call_main" not in shown and not any("std::" in name for name in shown), shown
    event = steps.report_json(DATA, "--just-my-code", "--children", "-g", "none", "-s", "dso,symbol")["events"][0]
    tap.same(sum(row["self_period"] for row in event["rows"]), event["total_period"], "the sum")
    [words] = [row for row in event["rows"] if row["symbol"].endswith("] words")]
    tap.same(list(shown["words"][:2]), [round(100 * words[key] / event["total_period"], 2) for key in ("self_period", "total_period")], "shares")
    folded = tap.run(TALLY, "report", "-i", DATA, "--just-my-code", "--format", "folded", status=0).stdout
    own = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines() if re.search(r"[;]words \d+$", line))
    tap.same(own, words["self_period"], "folded stacks")


def test_keys_fold_functions():
    """Check that I counts as --no-inline does, and that m leaves only the program's own functions."""
    with tmux.Screen(160, 45) as screen:
        screen.type(f"{TALLY} report -i {DATA}\n")
        screen.until(lambda s: any("Top functions, self (i: inlined" in line for line in s), "the overview")
        screen.press("I")
        screen.until(lambda s: any("Top functions, self (with inlined)" in line for line in s), "inlined functions folded")
        wanted = rows(summary("--no-inline"))["fold"][0]
        assert any(f"{wanted:.2f}%    fold" in line for line in screen.look()), (wanted, screen.look()[:12])
        screen.press("I")
        screen.press("m")
        screen.until(lambda s: any("just my code" in line for line in s), "only own code")
        shown = "\n".join(screen.look()[:12])
        screen.press("7")
        screen.until(lambda s: s[0].startswith("stacks: ") and s[1].startswith("Thread ") and any(" levels" in line for line in s), "stacks in time")
        before = screen.look()[1]
        screen.press("n")
        screen.until(lambda s: s[1].startswith("Thread ") and s[1] != before, "the stacks of another thread")
        assert "mix" in shown and "words" in shown and "__libc_start" not in shown, shown
        screen.press("q")


tap.main(__name__, lambda: machine.need_compiler("g++"), machine.need_events, lambda: machine.need_built_with("dwarf"), setup=setup)
