#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test reports with names that do not fit: they are shortened on a terminal, but complete in a pipe and in output for
other programs.

usage: widths.py TALLY
"""
import json
import os
import re
import resource
import sys
import unicodedata

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
import tmux  # noqa: E402
from crafted import *  # noqa: F403, E402
from terminal import on_terminal  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("widths")
# An unused PID, above the maximum of 4194304.
PID = 4194305 + os.getpid()
MAP = f"/tmp/perf-{PID}.map"
LEAST = 50
VECTOR = "std::vector<std::pair<int, std::map<int, std::string>>, std::allocator<std::pair<int, std::map<int, std::string>>>>"
NAMES = [
    "main", "short_one",
    VECTOR + "::push_back(std::pair<int, std::map<int, std::string>> const&)",
    "std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::basic_ostream<char>&)",
    "x" * 10000,
    "deep" + "<a" * 3000 + ">" * 3000 + "::inside()",
    "a_" + "<" * 5000, "b_" + ")" * 5000, "operator" + "<" * 200, "bool operator->(" + "int, " * 500 + "int)",
    "<alloc::vec::Vec<T> as core::iter::traits::collect::Extend<&'a T>>::extend_trusted::{closure#0}::{{vtable.shim}}",
    "main::{lambda(std::vector<int, std::allocator<int> > const&, auto:1)#1}::operator()(std::vector<int> const&, int) const",
    "github.com/a/very/long/path/to/a/package/internal/server.(*connectionHandler[go.shape.int]).handleRequest.func1",
    "control\x1b[31m\x07characters" * 20,
    "\u6f22\u5b57" * 100 + "<" + "\u6f22" * 100 + ">::\u6f22", "e\u0301" * 300, "f" * 81, "g" * 80,
]
COMM = "a thread \u6f22\u5b57 with a name that is as long as one likes in a recording " * 3


def column_width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def recording(names, comm_name=COMM):
    """Write a recording with samples in functions with these names. Each function is called by the previous one, and
    the first by the last."""
    with open(MAP, "w", encoding="utf-8") as file:
        for number, name in enumerate(names):
            file.write(f"{0x400000 + 256 * number:x} 100 {name}\n")
    at = [0x400010 + 256 * number for number in range(len(names))]
    records = [mmap(PID, 0x400000, 256 * len(names), "//anon"), comm(PID, comm_name)]
    for number, ip in enumerate(at):
        chain = u64(4, CONTEXT_USER, ip, at[number - 1], at[0])
        records.append(sample(ip, PID, number + 1, USER, chain, 1000 + number))
    path = os.path.join(WORK, "names.data")
    with open(path, "wb") as file:
        file.write(file_bytes(records, [attr(IP | TID | TIME | PERIOD | CALLCHAIN)], {6: padded("x86_64")}))
    return path


def shown(path, *options, **more):
    """Return the text on a terminal, without the colours of percentages."""
    return re.sub(r"\x1b\[\d*m", "", on_terminal(TALLY, "report", "-f", "-i", path, *options, **more).decode())


def piped(path, *options):
    return tap.run(TALLY, "report", "--stdio", "-f", "-i", path, *options, status=0).stdout


def widest(text):
    return max(map(column_width, text.split("\n")))


OPTIONS = (["--stdio"], ["-g", "none"], ["--no-children"], ["-g", "caller,0"], ["-g", "flat"], ["-g", "fractal"], ["-G"],
           ["-s", "symbol,dso,comm"], ["-s", "symbol", "-n", "--no-children"], ["-s", "comm", "-q"], ["-s", "pid,symbol"])


def test_lines_fit_any_terminal():
    path = recording(NAMES)
    for options in OPTIONS:
        for columns in tap.some((20, 49, 50, 51, 60, 79, 80, 81, 99, 132, 200)):
            text = shown(path, *options, columns=columns)
            assert "%" in text and len(text.splitlines()) > 3, text
            assert widest(text) <= max(columns, LEAST), \
                f"{options}, {columns} columns: " + next(line for line in text.split("\n") if column_width(line) > max(columns, LEAST))
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), "control characters"


def test_the_widest_row_fills_the_terminal():
    """Check that the widest row ends at the right edge of the terminal."""
    path = recording(NAMES)
    for columns in (60, 80, 132, 200):
        tap.same(widest(shown(path, "-g", "none", columns=columns)), columns, "widest line")


def test_distinguishing_parts_of_names_are_kept():
    rows = re.findall(r"\[\.\] (.*)", shown(recording(NAMES), "-g", "none", "-s", "symbol", columns=80))
    for name in ("std::vector<std::pair<int, ...>>::push_back(...)", "main", "short_one"):
        assert name in rows, (name, rows)
    for end in ("std::operator<<(std::ostream&)", ">::inside()", "::operator()(...) const", ".handleRequest.func1"):
        assert any(row.endswith(end) for row in rows), (end, rows)


def test_equal_cut_names_are_distinguished():
    """Check that names that become equal in the overview's narrow lists get the identifier in which they differ."""
    types = [f"ns::{word}::Type{number}" for number, word in enumerate(("red", "green", "blue", "red"))]
    path = recording([f"some::scope::Table<{one}, a::very::long::argument::that::does::not::fit>::insert_or_assign" for one in types])
    machine.need_tmux()
    with tmux.Screen(90, 30) as screen:
        screen.type(f"{TALLY} report -f -i {path}\n")
        screen.until(lambda s: any("insert_or_assign" in line for line in s), "the overview")
        rows = {found[1] for line in screen.look() for found in re.finditer(r"% +(\S*insert_or_assign( \[[^]]*\])*)", line)}
        screen.press("q")
    tap.same(sorted(row.split(" ")[1] for row in rows), sorted(f"[{one[4:]}]" for one in types), "differences")


@tap.always
def test_graphs_of_many_levels_fit():
    """Test deep call graphs. Each function calls the next one in two of three samples, so that each is a branch of the
    previous one."""
    names = [f"a_function_with_a_name_of_forty_letters{number:03}" for number in range(40)]
    path = recording(names)
    at = [0x400010 + 256 * number for number in range(len(names))]
    records = [mmap(PID, 0x400000, 256 * len(names), "//anon"), comm(PID, "task")]
    for depth in range(len(names)):
        ips = at[:depth + 1][::-1]
        records.append(sample(ips[0], PID, depth + 1, USER, u64(len(ips) + 1, CONTEXT_USER, *ips), 3 ** 12 // (depth + 1)))
    with open(path, "wb") as file:
        file.write(file_bytes(records, [attr(IP | TID | TIME | PERIOD | CALLCHAIN)], {6: padded("x86_64")}))
    for columns in (50, 80, 120):
        text = shown(path, "-g", "graph,0,caller", columns=columns)
        assert widest(text) <= columns, widest(text)
        branches = text.count("%--")
        assert branches > 700, branches  # each function has the following functions below it
        tap.same(branches, piped(path, "-g", "graph,0,caller").count("%--"), "branches")


def test_columns_comes_before_the_terminal():
    path = recording(NAMES)
    tap.same(widest(shown(path, "-g", "none", columns=80, COLUMNS="100")), 100, "COLUMNS=100")
    for word in ("0", "-3", "", "wide", "99999999999999999999"):
        text = shown(path, "-g", "none", columns=90, COLUMNS=word)
        if word[:1] == "9":
            assert widest(text) > 10000, f"COLUMNS={word}"
        else:
            tap.same(widest(text), 90, f"COLUMNS={word}")
    # The terminal's width is unknown.
    tap.same(widest(shown(path, "-g", "none", columns=0)), 80, "0 columns")
    assert widest(piped(path)) > 10000 and "COLUMNS" not in os.environ


def test_a_pipe_gets_whole_names():
    path = recording(NAMES)
    text = piped(path, "-g", "none")
    rows = re.findall(r"\[\.\] (.*)", text)
    whole = [name for name in NAMES if "\x1b" not in name]
    tap.same(sorted(row for row in rows if "control" not in row), sorted(whole), "names")
    assert COMM in text, "the thread's name"
    # A column is as wide as the widest of its names that fit in 80 columns. g's name is longer, including "[.] ".
    dots = [len(part) for part in re.findall(r"^# (\.\..*)", text, re.M)[0].split()]
    tap.same(dots, [8, 8, len("Command"), len(f"[JIT] tid {PID}"), len("[.] short_one")], "dots")


def test_a_pipe_gets_short_names():
    """Check that rows and call graphs have short names in a pipe, which are not cut, unless --stdio or -w is given."""
    path = recording(NAMES[:4])
    whole = VECTOR + "::push_back("
    for options in (["-g", "none"], ["-g", "caller"], ["-s", "symbol"]):
        text = tap.run(TALLY, "report", "-f", "-i", path, *options, status=0).stdout
        assert "std::vector<std::pair<int, std::map<int, std::string>>>::push_back" in text and whole not in text, text
        for option in (["--stdio"], ["-w", "0"]):
            text = tap.run(TALLY, "report", "-f", "-i", path, *options, *option, status=0).stdout
            assert whole in text, text


def test_a_pipe_aligns_usual_names():
    """Check that up to 80 columns, the output is the same as perf's, and that longer rows extend beyond the column."""
    for length, width in ((60, 60), (76, 76), (77, 5)):
        text = piped(recording(["short", "x" * length], "task"), "-g", "none", "-s", "symbol,comm")
        line = next(one for one in text.split("\n") if "short" in one)
        tap.same(line[line.index("[.]"):], f"[.] {'short':{width}}  task", f"a row beside {length} letters")
        assert f"[.] {'x' * length}  task\n" in text, text


def test_widths_that_are_asked_for():
    path = recording(NAMES)
    given = shown(path, "-g", "none", "-w", "0,10,5,12,30")
    heads = re.search(r"^# Children        Self  Comma  Shared Objec  Symbol {24}\n# \.{8}  \.{10}  \.{5}  \.{12}  \.{30}\n", given, re.M)
    assert heads, given[:600]
    assert {len(line) for line in given.split("\n") if " [.] " in line} >= {2 + 8 + 2 + 10 + 2 + 5 + 2 + 12 + 2 + 30}
    tap.same(piped(path, "-g", "none", "-w", "0,10,5,12,30"), given.replace(
        "# To display the perf.data header info, please use --header/--header-only\n#   options.", "# To display the perf.data "
        "header info, please use --header/--header-only options."), "in a pipe")
    # -w 0 disables shortening to the terminal's width.
    rows = re.findall(r"\[\.\] (.*)", shown(path, "--stdio", "-w", "0"))
    assert set(name for name in NAMES if "\x1b" not in name) <= set(rows), "-w 0"
    # Widths may be omitted, and excess widths are ignored.
    tap.same(shown(path, "-w", ",,,"), shown(path, "--stdio", "-w", "0"), "no widths")
    tap.same(shown(path, "-w", "9," * 30), shown(path, "-w", "9,9,9,9,9"), "too many widths")
    tap.same(piped(path, "-x", ";", "-w", "3,3,3,3,3"), piped(path, "-x", ";"), "separated values")
    for word in ("x", "3,x", "-1", "4097", "99999999999999999999", "3;4", " 3"):
        run = tap.run(TALLY, "report", "-i", path, "-w", word)
        assert run.returncode and "--column-widths" in run.stderr, (word, run.stderr)


def test_what_programs_read_is_whole():
    path = recording(NAMES)
    for options in (["--json"], ["-x", ";"], ["-g", "folded", "-x", ";"]):
        tap.same(shown(path, *options), piped(path, *options), " ".join(options))
    folded = shown(path, "-g", "folded,0", "-q", columns=60)
    for name in NAMES[:4]:
        assert re.search(rf"% .*{re.escape(name)}", folded), name
    assert {row["symbol"][4:] for row in json.loads(shown(path, "--json"))["events"][0]["rows"]} >= set(NAMES[:13])
    script = on_terminal(TALLY, "script", "-f", "-i", path).decode()
    assert all(name in script for name in NAMES[:13]), "script"


def test_comments_are_wrapped_on_a_terminal():
    path = recording(NAMES)
    whole, lines = piped(path, "--header"), shown(path, "--header", columns=50).split("\n")
    assert "\n#   " not in whole
    assert max(map(column_width, lines)) <= 50, max(lines, key=column_width)
    assert any(line.startswith("#   ") for line in lines), lines
    health = re.search("# Health: .*", whole)[0]
    assert len(health) > 50 and health in "\n".join(lines).replace("\n#  ", ""), (health, lines[-5:])


def used_by_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_names_of_a_megabyte():
    """Test names of a megabyte. Their cost is linear: reading, escaping and shortening need one pass each."""
    path = recording(["short"] + [part * (1000000 // len(part)) + "()" for part in ("<a", "(", "x", "operator<", "\u6f22", "a, ")])
    for options in (["-g", "none"], ["--no-children"], ["-s", "symbol,comm"]):
        start = used_by_children()
        text = shown(path, *options, columns=80)
        assert 40 < widest(text) <= 80, widest(text)
        piped(path, *options)
        assert used_by_children() - start < 60, f"{options}: {used_by_children() - start} s of CPU time"


try:
    tap.main(__name__)
finally:
    if os.path.exists(MAP):
        os.unlink(MAP)
