#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the first screen of the page's viewer, in headless Chromium.

usage: viewer_overview.py [TALLY] (as viewer.py)
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import area, becomes, check, go, samples, show, silent, state, tap, text, wait  # noqa: E402


def test_first_screen_answers():
    page = show(pages.small().page(), "view=overview")
    check(text(page, ".headline") == "140 ms of CPU in 1.39 s, 10% of a CPU; 2 threads; 140 samples", text(page, ".headline"))
    cards = text(page, ".cards")
    check("inlined functions counted apart" in cards and all(name in cards for name in ("Top functions, self", "Top functions, total", "Hot lines, self", "Threads", "Files, self")), cards)
    go(page, "view=overview&threads=1&span=0-695000")
    check(text(page, ".headline") == "20.0 ms of CPU in 690 ms, 2.9% of a CPU; 1 thread; 20 samples (14% of all)", text(page, ".headline"))
    profile = pages.small()
    profile.meta["events"] = [{"name": "cycles:u", "unit": "events"}]
    page = show(profile.page(), "view=overview")
    check(text(page, ".headline").startswith("140\u202f000\u202f000 cycles in 1.39 s; 2 threads"), text(page, ".headline"))
    profile.meta["events"] = [{"name": "off-cpu", "unit": "ns"}]
    page = show(profile.page(), "view=overview")
    check(text(page, ".headline").startswith("140 ms of off-cpu in 1.39 s; 2 threads"), f"time spent waiting is not CPU time: {text(page, '.headline')}")
    page = show(pages.two_recordings().page(), "view=overview")
    check("before 100 ms of CPU" in text(page, ".heads") and "after 200 ms of CPU" in text(page, ".heads"), text(page, ".heads"))
    silent(page)


def test_overview_is_the_first_view():
    page = show(pages.small().page(), "view=overview")
    page.run("history.replaceState(null, '', location.pathname); location.reload()")
    wait("the first view", lambda: "of CPU in" in (text(page, ".headline") or ""))
    check("view" not in state(page), state(page))
    silent(page)


def test_hot_lines_lead_to_the_source():
    page = show(pages.small().page(), "view=overview")
    check("work.c:10 { return 1; }" in text(page, ".cards"), text(page, ".cards"))
    page.run("[...document.querySelectorAll('.card .link')].find((b) => b.innerText.startsWith('work.c')).click()")
    becomes(page, "view", "source")
    check("{ return 1; }" in text(page, "tr.chosen"), "the line is marked")
    silent(page)


def test_hot_lines_of_files_without_text():
    profile = pages.small()
    note = profile.annotations[0]
    note["sources"].append({"file": "/src/gone/secret.h", "first": 40, "lines": [], "weights": [20, 0, 3]})
    note["rows"] += [{"addr": "0x14", "text": "inc eax", "weight": 20, "line": 40, "source": 1}, {"addr": "0x16", "text": "dec eax", "weight": 3, "line": 42, "source": 1},
                     {"addr": "0x18", "text": "nop", "weight": 9, "line": 900, "source": 0}, {"addr": "0x19", "text": "hlt", "weight": 50, "line": 7},
                     {"addr": "0x1a", "text": "int3", "weight": 50, "line": 7, "source": "__proto__"}]
    page = show(profile.page(), "view=overview")
    lines = page.run("return [...document.querySelectorAll('.card .place')].map((one) => one.parentElement.innerText)")
    check(lines == ["secret.h:40 in work", "work.c:900 in work", "work.c:10 { return 1; }", "secret.h:42 in work"], lines)
    page.run("document.querySelector('.card .place').closest('button').click()")
    becomes(page, "view", "source")
    check("40" in text(page, "tr.chosen") and "does not contain the text of this file" in text(page, ".textless") and "--html-source" in text(page, ".textless"), text(page, ".panes"))
    check(page.run("return [...document.querySelectorAll('.textless [data-line]')].map((row) => row.dataset.line)") == ["40", "42"], "only lines with a cost")
    go(page, "view=overview")
    page.run("document.querySelectorAll('.card .place')[1].closest('button').click()")
    wait("the instruction of a line that is not shown", lambda: "nop" in (text(page, "tr.chosen") or ""))
    silent(page)


def test_missing_code_is_explained():
    page = show(pages.small().page(), "view=functions&sort=name&ascending=1")
    page.press("Down", "Down", "a")  # [cut]
    wait("why there is no code", lambda: "[cut] has no name" in (text(page, ".notice") or ""))
    check(state(page)["view"] == "functions", state(page))
    page = show(pages.small().page(), "view=source&pivot=3")
    check(text(page, ".inlined") == "The page contains the code of the function with the largest self, but not of memcpy. tally annotate shows it.", text(page, ".inlined"))
    go(page, "view=source&pivot=2")
    check(text(page, ".inlined") == "leaf is inlined here into work.", text(page, ".inlined"))
    profile = pages.small()
    profile.annotations = None
    page = show(profile.page(), "view=functions")
    page.press("Down", "a")
    wait("how to get code", lambda: "tally report --html FILE --html-source" in (text(page, ".notice") or ""))
    silent(page)


def test_health_is_one_line():
    for change, level, told in ((lambda p: None, "fair", "lost"), (lambda p: setattr(p, "losses", []), "fair", "callers are missing in 7.1% of the stacks"),
                                (lambda p: setattr(p, "losses", [(0, 5, 1, 1000)]), "bad", "88% of the samples or records were lost")):
        profile = pages.small()
        change(profile)
        page = show(profile.page(), "view=overview")
        check(told in text(page, f".health.{level} summary"), text(page, ".healths"))
        check(page.run("return document.querySelector('.health').open") is False, "closed at first")
        page.press("i")
        wait("details", lambda: "[cut] replaces" in text(page, ".health"))
        check(page.run("return document.querySelector('.health-dot').classList.contains(arguments[0])", level), "the mark in all views")
    profile = pages.Profile()
    profile.recording(health=["Health: 100 samples read"])
    profile.thread(1, 1, "t")
    for i in range(100):
        profile.sample(i, profile.stack(profile.frame("main"), profile.frame("work")))
    page = show(profile.page(), "view=overview")
    check(text(page, ".health.good summary") == "\u25cfHealth: no problems known", text(page, ".healths"))
    silent(page)


def test_files_and_threads_filter():
    page = show(pages.small().page(), "view=overview")
    page.run("[...document.querySelectorAll('.card .link')].find((b) => b.innerText === 'libc.so.6').click()")
    wait("samples in it", lambda: samples(page) == 50)
    go(page, "view=overview&note=1")
    page.run("[...document.querySelectorAll('.card .link')].find((b) => b.innerText === 'worker 10/11').click()")
    becomes(page, "threads", "1")
    silent(page)


def test_header_is_one_row_on_phones():
    page = show(pages.small().page(), "view=overview", width=390, height=844)
    check(area(page, "#top")[3] < 50, area(page, "#top"))
    rows = {round(area(page, one)[1] + area(page, one)[3] / 2) // 10 for one in (".tabs", ".health-dot", ".burger")}
    check(len(rows) == 1, f"tabs and buttons are in one row: {rows}")
    check(page.run("return document.querySelector('#query').getClientRects().length") == 0, "fields are behind a button")
    page.click(".burger")
    check(page.run("return document.querySelector('#query').getClientRects().length") == 1, "now they are shown")
    page.click(".burger")
    page.press(":")
    page.type("#query", "comm:worker\ue007")
    wait("the key opens it, too", lambda: samples(page) == 40)
    check(page.run("return document.documentElement.scrollWidth") <= 390, "no wider than the window")
    silent(page)


def test_names_have_room_in_a_comparison():
    profile = pages.two_recordings()
    profile.meta["verdicts"] = [{"frame": 1, "text": "slower"}]
    for width, share in ((1920, 0.3), (1280, 0.5), (390, 0.5)):
        page = show(profile.page(), "view=functions", width=width)
        name = area(page, ".rows th.name")[2]
        check(name >= share * width, f"names have {name} of {width} pixels")
        check(page.run("return document.documentElement.scrollWidth") <= width, "no wider than the window")
        check(page.run("return [...document.querySelectorAll('.rows .diverging')].every((e) => e.getBoundingClientRect().right <= e.closest('td').getBoundingClientRect().right)"), "changes are not cut")
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
