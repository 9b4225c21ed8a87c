#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the functions of all outputs for ten kinds of recordings: the text that is printed into a pipe, the browser,
JSON, the page, speedscope, pprof, folded stacks, and a comparison of a recording with itself. Names and shares must be
equal. agreement_tables.py lists the differences between outputs.

usage: agreement.py TALLY
"""
import collections
import functools
import json
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(1, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/page")
import agreement_recordings  # noqa: E402
import agreement_tables as tables  # noqa: E402
import decode  # noqa: E402
import export_readers as readers  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
import tmux  # noqa: E402

TALLY = steps.tally()
WORK = tap.workplace("agreement")
MOST = 20  # rows that are compared in lists
SCREEN = 60  # lines
FEWEST = 100  # samples; with fewer, shares are printed without decimals
ROWS = ("-s", "dso,symbol", "-g", "none")
tmux.DEADLINE = tap.PATIENCE


@functools.cache
def recording(kind):
    where = os.path.join(WORK, kind)
    os.makedirs(where, exist_ok=True)
    return agreement_recordings.KINDS[kind](where)


@functools.cache
def whole_of(path, *options):
    page = path + ".html"
    tap.run(TALLY, "report", "-i", path, "--html", page, *options, status=0)
    whole = tables.Whole(decode.read(page))
    assert whole.nr >= FEWEST and len(whole.heaviest(1)) > 5, f"only {whole.nr} samples of {len(whole.functions)} functions"
    return whole


def same_sums(got, want, what):
    """Compare {key: value}. The message lists the differences, the heaviest first."""
    differ = [(key, got.get(key), want.get(key)) for key in {**want, **got} if got.get(key) != want.get(key)]
    assert not differ, f"{what}: {len(differ)} differ (got, wanted): {differ[:4]}"


# ---- each output ---------------------------------------------------------------------------------


def check_json(path, whole, *options):
    named, unnamed = tables.json_rows(steps.report_json(path, *ROWS, "--children", *options)["events"][0]["rows"])
    want = sorted(((function.base, function.name, function.is_inlined), sums) for function, sums in whole.by_function() if function.is_named)
    same_sums(collections.Counter(named), collections.Counter(want), "JSON")
    files = whole.sums(lambda function: None if function.is_named else function.base)
    tap.same(sorted(unnamed), sorted(files), "files with unnamed code in JSON")
    for file, sums in files.items():
        rows = unnamed[file]
        tap.same((sum(row.nr for row in rows), sum(row.weight for row in rows)), (sums.nr, sums.weight), f"unnamed code of {file}")
        assert max(row.total for row in rows) <= sums.total <= sum(row.total for row in rows), (file, sums, rows)


def without_mark(sums, form):
    """Add up the functions of one name if the format has source lines: they are then marked with files, not addresses."""
    found = collections.Counter()
    for name, number in sums.items():
        found[re.sub(r" (@[0-9a-f]+|\([^()/]+\.\w+\))$", "", name) if form in ("pprof", "otlp") else name] += number
    return found


def check_exports(path, whole, *options):
    want = whole.sums(tables.exported_name)
    for form in ("folded", "speedscope", "pprof", "otlp"):
        data = tap.run(TALLY, "report", "-i", path, "--format", form, *options, text=False, status=0).stdout
        got = readers.READERS[form](data)
        for sums, index in ((got.own(), 1), (got.total(), 3)):
            wanted = {name: one[index] for name, one in want.items() if one[index]}
            same_sums(without_mark(+sums, form), without_mark(wanted, form), f"{form}, {tables.Sums._fields[index]}")
        if got.numbers:
            numbers = readers.fold(got.numbers, lambda stack: stack[-1:])
            wanted = {name: one.nr for name, one in want.items() if one.nr}
            same_sums(without_mark(+numbers, form), without_mark(wanted, form), f"{form}, samples")


def check_diff(path, whole, *options):
    """Compare a recording with itself."""
    event = json.loads(tap.run(TALLY, "diff", "--json", path, path, *options, status=0).stdout)["events"][0]
    tap.same([(one["samples"], one["period"]) for one in event["recordings"]], [(whole.nr, whole.weight)] * 2, "both sides")
    for row in event["rows"]:
        for one in (row["self"], row["total"]):
            assert abs(one["value"] - one["period"] / whole.weight) < 1e-9, row
    named, unnamed = tables.diff_sums(event["rows"])
    joined = whole.sums(lambda function: (tables.diff_file(function), function.name) if function.is_named else None)
    want = {name: [joined[name]] if named.get(name) == [joined[name]] else sums for name, sums in whole.by_signature().items()}
    same_sums(named, want, "diff")
    want = whole.sums(lambda function: None if function.is_named else tables.diff_file(function))
    tap.same(dict(unnamed), {file: sums.nr for file, sums in want.items() if sums.nr}, "unnamed code in diff")


def check_summary(path, whole, *options):
    text = steps.report(path, *options)
    own, total = tables.summary_self(text), tables.summary_total(text)
    assert len(own) == min(MOST, len(whole.heaviest(0))) and len(total) >= 5, text
    tables.check_rows(whole, own, 0, "summary, self")
    tables.check_rows(whole, total, 1, "summary, total")


def check_browser(path, whole, *options, keys=(), names=None):
    """Compare the rows of the browser by self and total cost. `keys` are pressed first. If the screen has the short names of
    another page, `names` are its whole names by short name."""
    for by, children in enumerate(("--no-children", "--children")):
        with tmux.Screen(300, SCREEN) as screen:
            screen.type(" ".join([TALLY, "report", "-i", path, *ROWS[:2], children, *options]))
            screen.press("Enter")
            screen.until(lambda lines: "h Help" in lines[-1], "the overview")
            screen.press("2")
            screen.until(lambda lines: lines[0].startswith("rows:"), "rows")
            for key, said in keys:
                screen.press(key)
                screen.until(lambda lines, said=said: said in "\n".join(lines), said)
            rows = tables.browser_rows(screen.settled())
        is_full = len(rows) > SCREEN - 10
        rows = [row for row in rows if not tables.UNNAMED.fullmatch(row.name)][:MOST]
        assert rows and (is_full or len(rows) == min(MOST, len(whole.heaviest(by, named=True)))), rows
        if names:
            rows = [row._replace(name="...", whole=names[row.name]) for row in rows]
        tables.check_rows(whole, rows, by, f"browser, {children}", named=True)


OUTPUTS = {"json": check_json, "exports": check_exports, "diff": check_diff, "summary": check_summary, "browser": check_browser}


def check(kind, output):
    path = recording(kind)
    OUTPUTS[output](path, whole_of(path))


# The first point of a kind makes its recording.
for each in agreement_recordings.KINDS:
    for one in OUTPUTS:
        vars()[f"test_{each}_{one}"] = lambda kind=each, output=one: check(kind, output)


# ---- without inlined functions -------------------------------------------------------------------


def stdio_rows(text):
    """Return the rows of report --stdio --no-children in perf's layout: (share, file, name)."""
    return sorted(re.findall(r"^ +([0-9.]+)%  (.*?) +\[.\] (.*?) *(?:-  +- *)?$", text, re.M))  # perf adds columns for IPC


def test_without_inlined_functions():
    path = recording("cxx")
    whole = whole_of(path, "--no-inline")
    assert not any(function.is_inlined for function in whole.functions), "the page has inlined functions"
    assert any(function.is_inlined for function in whole_of(path).functions), "there are no inlined functions"
    for compare in OUTPUTS.values():
        compare(path, whole, "--no-inline")


def test_a_key_turns_inlining_off():
    """Check the rows after the key. Functions keep their short names, which also differ from those of inlined functions."""
    path = recording("cxx")
    names = {tables.exported_name(function): function.name for function in whole_of(path).functions}
    check_browser(path, whole_of(path, "--no-inline"), keys=[("I", "inlined functions are part of those that contain them")], names=names)


def test_rows_without_inlined_functions_are_those_of_perf():
    machine.need_perf()
    path = recording("cxx")
    options = ("--no-inline", "--no-children", *ROWS)
    got = stdio_rows(steps.report(path, "--stdio", *options))
    event = steps.report_json(path, *options)["events"][0]
    rows = [(f"{100 * row['self_period'] / event['total_period']:.2f}", row["dso"], row["symbol"].split("] ", 1)[1]) for row in event["rows"]]
    tap.same(got, sorted(row for row in rows if row[0] != "0.00"), "--stdio and JSON")
    theirs = stdio_rows(tap.run("perf", "report", "-i", path, "--stdio", *options, status=0).stdout)

    def comparable(rows):  # perf names PLT stubs by their order alone (see tap.as_perf_names_stubs), and has no fn@START
        return [row for row in rows if not re.search(r"@plt$|^0x|^fn@|^_init$", row[2])]
    ours, theirs = collections.Counter(comparable(got)), collections.Counter(comparable(theirs))
    assert ours == theirs, f"tally only: {ours - theirs}, perf only: {theirs - ours}"
    assert len(comparable(got)) > 10, got


if __name__ == "__main__":
    tap.main(__name__, machine.need_events)
