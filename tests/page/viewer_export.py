#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test exports, completion of queries, sorting, and the table of two recordings in the page's viewer, in headless
Chromium.

usage: viewer_export.py [TALLY] (as viewer.py)
"""
import csv
import json
import os
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import SCRATCH, becomes, check, functions, go, samples, settle, show, silent, state, tap, text, wait  # noqa: E402


def exported(page, title, ending):
    """Export with the button of this title, and return the contents of the file."""
    folder = os.path.join(SCRATCH.name, f"downloads-{ending}-{len(os.listdir(SCRATCH.name))}")
    os.mkdir(folder)
    page.chrome("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
    page.press("E")
    wait("the dialog", lambda: "Folded stacks" in (text(page, "dialog") or ""))
    page.run("[...document.querySelectorAll('dialog button')].find((b) => b.innerText === arguments[0]).click()", title)
    path = os.path.join(folder, f"small.{ending}")
    wait(path, lambda: os.path.exists(path) and os.path.getsize(path))
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


# ---- exports ---------------------------------------------------------------------------

def test_folded_stacks_are_exported():
    page = show(pages.small().page(), "view=functions")
    stacks = dict(line.rsplit(" ", 1) for line in exported(page, "Folded stacks", "folded").splitlines())
    check(stacks["main;work;leaf"] == "40000000" and stacks["main;recurse;recurse;recurse;memcpy"] == "20000000", stacks)
    check(sum(map(int, stacks.values())) == 140000000, stacks)
    go(page, "view=functions&noinline=1&query=-sym:recurse&threads=0")
    stacks = dict(line.rsplit(" ", 1) for line in exported(page, "Folded stacks", "folded").splitlines())
    check(stacks == {"main;work": "40000000", "main;work;memcpy": "30000000", "main;[prog] 0x4010": "10000000"}, stacks)
    silent(page)


def test_speedscope_is_exported():
    page = show(pages.small().page())
    found = json.loads(exported(page, "Speedscope", "speedscope.json"))
    names = [frame["name"] for frame in found["shared"]["frames"]]
    check(sorted(profile["name"] for profile in found["profiles"]) == ["prog 10", "worker 10/11"], found["profiles"])
    for profile in found["profiles"]:
        check(profile["type"] == "sampled" and profile["unit"] == "nanoseconds" and len(profile["samples"]) == len(profile["weights"]), profile)
        check(profile["endValue"] == sum(profile["weights"]), profile["endValue"])
        check(all(0 <= frame < len(names) for stack in profile["samples"] for frame in stack), "all frames exist")
    first = max(found["profiles"], key=lambda profile: profile["endValue"])
    check([names[frame] for frame in first["samples"][0]] == ["main", "work", "leaf"] and first["weights"][0] == 4000000, first["samples"][0])
    silent(page)


def test_svg_and_csv_are_exported():
    profile = pages.small()
    profile.sample(999, profile.stack(profile.frame("=HYPERLINK(\"x\"), <b>&")), 0)
    page = show(profile.page())
    tree = xml.etree.ElementTree.fromstring(exported(page, "Flame graph (SVG)", "svg"))
    titles = [title.text for title in tree.iter("{http://www.w3.org/2000/svg}title")]
    check(any(title.startswith("main\n") for title in titles) and any("<b>&" in title for title in titles), titles)
    rows = list(csv.DictReader(exported(page, "Functions (CSV)", "csv").splitlines()))
    work = next(row for row in rows if row["function"] == "work")
    check(work["self"] == "10000000" and work["total"] == "80000000" and work["file"] == "/usr/bin/prog" and work["kind"] == "program", work)
    check(any(row["function"] == "'=HYPERLINK(\"x\"), <b>&" for row in rows), [row["function"] for row in rows])
    silent(page)


# ---- completion ------------------------------------------------------------------------

def suggestions(page):
    settle(page)
    return page.run("return [...document.querySelectorAll('#completions div')].map((item) => item.innerText)")


def test_best_completions_are_first():
    """Check that names that begin with the typed text are before those with such a scope, and before all others, however
    heavy."""
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "prog")
    for name, count in (("unsorted", 9), ("ns::sort_all", 5), ("ns::sort::run", 6), ("sort", 1), ("sorted", 2), ("other", 30)):
        for time in range(count):
            profile.sample(1000 * time, profile.stack(profile.frame(name)))
    page = show(profile.page())
    for typed in ("sort", "SORT", "sym:sort"):
        page.run("document.querySelector('#query').value = ''")
        page.type("#query", typed)
        tap.wait_until(lambda: suggestions(page) == ["sorted", "sort", "ns::sort::run", "ns::sort_all", "unsorted"], f"{typed}: {suggestions(page)}")
    silent(page)


def test_queries_are_completed():
    page = show(pages.small().page(), "view=functions")
    page.press(":", "c", "o")
    wait("a field", lambda: suggestions(page)[:1] == ["comm:"])
    page.press("Tab")
    wait("threads, heaviest first", lambda: suggestions(page) == ["prog", "worker"])
    page.press("Down", "Down", "Enter")
    wait("the word", lambda: page.run("return document.querySelector('#query').value") == "comm:=worker ")
    check(samples(page) == 140, "Enter took the completion only")
    page.press("Enter")
    wait("the query", lambda: samples(page) == 40)
    page.run("document.querySelector('#query').value = ''")
    page.type("#query", "-sym:vfs")
    wait("a function", lambda: suggestions(page) == ["vfs_read"])
    page.press("Escape")
    check(suggestions(page) == [], "closed")
    for typed, shown in (("dso:libc", "libc.so.6"), ("tid:", "10"), ("self-sym:mem", "memcpy"), ("recu", "recurse")):
        page.run("document.querySelector('#query').value = ''; document.querySelector('#query').focus()")
        page.type("#query", typed)
        wait(f"{typed}: {shown}", lambda shown=shown: shown in suggestions(page))
    silent(page)


# ---- sorting ---------------------------------------------------------------------------

def heading(page, name):
    page.run("[...document.querySelectorAll('th button')].find((b) => b.innerText.startsWith(arguments[0])).click()", name)
    settle(page)


def test_rows_are_sorted_by_any_column():
    page = show(pages.small().page(), "view=functions")
    for name in ("Self", "Total", "Samples", "Function", "Kind", "File"):
        orders = []
        for _ in range(2):
            heading(page, name)
            orders.append(functions(page))
        check(sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1], f"{name}: {orders}")
    heading(page, "Function")
    check(functions(page) == sorted(functions(page)), functions(page))
    go(page, "view=tree&zoom=0")
    rows = functions(page)
    heading(page, "Function")
    page.run("document.querySelector('.rows').focus()")
    page.press("Home", "Right")
    shown = [name.lstrip("\u25be\u25b8") for name in functions(page)]
    check(sorted(rows) != [] and shown[0] == "main" and state(page)["order"] == "name", shown)
    silent(page)


# ---- two recordings --------------------------------------------------------------------

def test_changes_come_first():
    profile = pages.two_recordings()
    profile.meta["verdicts"] = [{"frame": 1, "text": "slower"}, {"frame": 2, "text": "faster"}]
    page = show(profile.page(), "view=functions")
    check(functions(page)[0] == "format" and state(page) == {"view": "functions"}, functions(page))
    rows = page.run("return [...document.querySelectorAll('tr[data-row]')].map((row) => [row.querySelector('.name').innerText, row.innerText.replace(/\\s+/g, ' '), row.querySelector('.change-bar').className, row.querySelector('.change-bar').style.width])")
    found = {row[0]: row[1:] for row in rows}
    check("80.00% 0.00% \u221280.00" in found["format"][0] and "shrunk" in found["format"][1] and found["format"][2] == "50%", found)
    check("20.00% 40.00% +20.00" in found["parse"][0] and "grown" in found["parse"][1] and found["parse"][2] == "12.5%", found)
    check("slower" in found["parse"][0] and "faster" in found["format"][0], found)
    go(page, "view=overview")
    check("Changes of self" in text(page, ".cards") and "+60.00" in text(page, ".cards"), text(page, ".cards"))
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
