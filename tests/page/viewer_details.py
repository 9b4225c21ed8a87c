#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test further details of the page's viewer in headless Chromium: keys and double clicks take effect immediately, and
the text next to each view describes what that view shows.

usage: viewer_details.py [TALLY] (as viewer.py)
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import area, becomes, cell, check, functions, go, samples, show, silent, state, tap, text, wait  # noqa: E402


def double_click(page, selector, holds):
    """Double-click the middle of an element until this has an effect. On a busy machine, the second click may be too
    late."""
    def clicked():
        x, y, width, height = area(page, selector)
        page.mouse((x + width / 2, y + height / 2), "down", "up", "down", "up")
        return holds()
    wait(f"a double click on {selector}", clicked)


def test_double_click_in_tables():
    page = show(pages.small().page(), "view=functions")
    name = functions(page)[2]
    double_click(page, "tr[data-row='2'] td.name", lambda: state(page).get("view") == "sandwich")
    wait("that function", lambda: (text(page, ".pivot") or "").startswith(name))
    go(page, "view=tree")
    shown = len(functions(page))
    double_click(page, "tr[data-row='1'] td.number", lambda: len(functions(page)) < shown)  # the row is collapsed
    few = len(functions(page))
    double_click(page, "tr[data-row='1'] td.number", lambda: len(functions(page)) > few)
    silent(page)


def test_keys_work_at_once():
    page = show(pages.small().page())
    page.press("Down", "Down")
    wait("the flame graph", lambda: "main" in (text(page, "#status") or ""))
    page.press("2")
    becomes(page, "view", "functions")
    page.press("Down")
    wait("the functions", lambda: page.run("return document.querySelector('tr[aria-selected]')") is not None)
    page.click("[data-view=tree]")
    becomes(page, "view", "tree")
    page.press("Down", "Down")
    wait("the tree", lambda: "main" in text(page, "#details-text"))
    page = show(pages.small().page(), "view=time", width=320, height=500)
    check(page.run("return window.scrollY") == 0, "the page is not scrolled")
    silent(page)


def test_line_below_follows_the_selection():
    page = show(pages.small().page())
    page.click_at(*cell(page, 2, 0.1))
    wait("the cell", lambda: "57.14%" not in text(page, "#details-text") and "50.00%: 70.0 ms" in text(page, "#details-text"))
    page.press(":")
    page.type("#query", "cpu:0 sym:work\ue007")
    wait("fewer samples", lambda: samples(page) == 70)
    page.press("Escape")
    check("100%: 70.0 ms" in text(page, "#details-text"), text(page, "#details-text"))
    go(page, "view=functions&pivot=1")
    wait("of the function", lambda: "57.14%: 80.0 ms" in text(page, "#details-text"))
    go(page, "view=functions&pivot=1&query=sym:vfs_read")
    wait("it is not there", lambda: "0%: 0 ns" in text(page, "#details-text"))
    go(page, "view=tree")
    page.press("Down", "Down", "Down")
    line = wait("a cell of the tree", lambda: "50.00%" in text(page, "#details-text") and text(page, "#details-text"))
    go(page, "view=tree&threads=0")
    wait("of that thread", lambda: text(page, "#details-text") not in (line, "") and "70.0 ms" in text(page, "#details-text"))
    silent(page)


def inlined_twice():
    """Return a profile in which hot is inlined into slow, which is first, and into fast, which is heavier."""
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "t")
    main, slow, fast, hot = (profile.frame(name, flags=pages.INLINED * (name == "hot")) for name in ("main", "slow", "fast", "hot"))
    for i, host in enumerate((slow, fast, fast, fast)):
        profile.sample(i, profile.stack(main, host, hot))
    profile.annotations = [{"frame": frame, "name": name, "samples": 1, "weight": 1, "rows": [{"addr": "0x1", "text": f"call {name}", "weight": 1}], "sources": []}
                           for frame, name in ((slow, "slow"), (fast, "fast"))]
    return profile


def test_source_of_an_inlined_function_is_of_its_cell():
    for fragment, keys, host in (("", ["Down"] * 4, "fast"), ("", ["Down"] * 3 + ["Right", "Down"], "slow"), ("merged=1", ["Down"] * 4, "fast"),
                                 ("reversed=1", ["Down"] * 2, "fast"), ("view=functions", ["Down"], "fast")):
        page = show(inlined_twice().page(), fragment)
        page.press(*keys)
        wait("the function", lambda: text(page, "#details-text").startswith("hot"))
        page.press("a")
        becomes(page, "view", "source")
        check(f"call {host}" in text(page, ".panes"), f"{fragment}: {keys}: {text(page, '.panes')}")
        told, other = text(page, ".inlined"), "slow" if host == "fast" else "fast"
        check(told == f"hot is inlined here into {host}, elsewhere into {other}.", told)
    page.run("document.querySelector('select').value = '0'; document.querySelector('select').dispatchEvent(new Event('change'))")
    wait("another function", lambda: "call slow" in text(page, ".panes"))
    check(text(page, ".inlined") == "", "what was chosen is no inlined one's")
    silent(page)


def test_sums_have_units():
    page = show(pages.small().page())
    check(text(page, ".sum") == "140 samples, 140 ms of CPU time", text(page, ".sum"))
    profile = inlined_twice()
    profile.meta["events"] = [{"name": "page-faults:u", "unit": "events"}]
    page = show(profile.page(), "view=functions&query=sym:slow")
    check("1 sample, 1\u202f000\u202f000 page-faults" in text(page, "#chips"), text(page, "#chips"))
    check("3 functions; 1 sample, 1\u202f000\u202f000 page-faults (25% of all); % of the selection; inlined functions counted apart." in text(page, ".caption"), text(page, ".caption"))
    page.press("Down")
    wait("of a function", lambda: "100%: 1\u202f000\u202f000 page-faults" in text(page, "#details-text"))
    silent(page)


def test_what_is_cut_has_one_name():
    page = show(pages.small().page(), "view=functions&sort=name")
    check("[cut]" in functions(page), functions(page))
    go(page, "")
    check("[cut]: callers missing" in text(page, ".legend"), text(page, ".legend"))
    go(page, "view=overview")
    check("of the samples or records were lost (and 2 more)" in text(page, ".health.fair summary"), text(page, ".health"))
    page.press("i")
    wait("the details", lambda: "the stacks of 10 samples were broken: [cut] replaces the outermost callers" in text(page, ".health"))
    silent(page)


def test_recording_without_callchains():
    profile = pages.Profile()
    profile.recording(health=["nothing lost"])
    profile.thread(1, 1, "t")
    for i, name in enumerate(("one", "two", "one")):
        profile.sample(i, profile.stack(profile.frame(name)))
    page = show(profile.page(), "view=overview")
    told = "recorded without callchains"
    check(told in text(page, ".health summary") and "Top functions, total" not in text(page, ".cards"), text(page, ".overview"))
    go(page, "view=functions")
    check("Total" not in text(page, "thead"), text(page, "thead"))
    page.press("Down", "s")
    becomes(page, "view", "sandwich")
    wait("what is known", lambda: "one: 67%" in (text(page, ".pivot") or ""))
    check(told in text(page, ".sandwich") and area(page, ".sandwich .flame")[3] == 0, "no panes of nothing")
    page = show(pages.small().page(), "view=overview")
    check(told not in text(page, ".overview") and "Top functions, total" in text(page, ".cards"), "with callchains")
    silent(page)


def test_times_of_the_clock():
    page = show(pages.small().page(), "view=overview")
    page.press("F")
    wait("the facts", lambda: "1.000 to 2.390 s by the clock of the recording, used by time: in queries" in (text(page, "dialog") or ""))
    page.press("Escape")
    for query, told in (("time:5,6", True), ("time:0,0.5", True), ("time:1,1.2", False), ("-time:5,6", False), ("time:+0.1,+0.2", False), ("time:+2,+3", True)):
        go(page, "query=" + query)
        wait(query, lambda told=told: ("time: is outside the recording, which covers 1.000 to 2.390 s" in text(page, "#query-error")) == told)
        check((samples(page) == 0) == told, f"{query} takes {samples(page)}")
    numbers = []
    for query in ("time:1.1,1.3", "time:+0.1,+0.3", "time:1.3,", "time:+0.3,"):
        go(page, "query=" + query.replace("+", "%2B"))
        wait(query, lambda query=query: query in (text(page, "#chips") or ""))
        numbers.append(samples(page))
    check(numbers[0] == numbers[1] and numbers[2] == numbers[3] and 0 < numbers[0] < numbers[2], numbers)
    silent(page)


def test_search_marks_while_typing():
    page = show(pages.small().page(), "view=functions")
    page.press("/")
    page.type("#search", "rec")
    wait("marked without Enter", lambda: functions(page) == ["recurse"] and state(page).get("search") == "rec")
    page.type("#search", " ")
    page.press("x")
    wait("blanks stay", lambda: page.run("return document.querySelector('#search').value") == "rec x" and state(page).get("search") == "rec%20x")
    page.press(*["Backspace"] * 5)
    wait("all of them", lambda: len(functions(page)) > 5 and "search" not in state(page))
    page.press("/", "(", "/")
    wait("what is wrong", lambda: "without ')'" in text(page, "#found"))
    silent(page)


def test_wrong_links_are_told():
    page = show(pages.small().page(), "view=nope&sort=total&span=9-1&zoom=%E0%A4%A&x\u202e=1")
    told = text(page, "#link-error")
    for part in ("no such view: nope", "no such span: 9-1", "no such zoom: %E0%A4%A"):
        check(part in told, told)
    check("\u202e" not in told, "what is not seen is written out")
    check(state(page) == {"sort": "total"}, state(page))
    page.press("2")
    wait("until the next step", lambda: text(page, "#link-error") == "")
    go(page, "view=functions&event=7")
    check(text(page, "#link-error") == "Ignored parts of the link: no such event: 7", text(page, "#link-error"))
    go(page, "view=tree")
    check(text(page, "#link-error") == "", "a good link")
    silent(page)


def paper(page):
    """Return the number of printed pages, determined from the objects in the PDF."""
    return len(re.findall(rb"/Type\s*/Page\b", page.printed()))


def test_printing_many_threads():
    profile = pages.Profile()
    profile.recording()
    for i in range(1500):
        profile.sample(i, profile.stack(profile.frame("main")), profile.thread(i, i, f"thread {i}"))
    page = show(profile.page(), "view=time")
    check(10 <= paper(page) <= 25, f"the first 400 rows are {paper(page)} pages")
    check(text(page, ".unprinted") is None, "the window as it was")
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    check("not printed" in (text(page, ".unprinted") or ""), "what is left out is told")
    silent(page)


def test_printing():
    page = show(pages.small().page())
    page.scheme("dark")
    for view in ("overview", "functions", "flame", "sandwich&pivot=0", "source", "time", "heat", "tree", "stacks"):
        go(page, "search=&view=" + view)
        check(1 <= paper(page) <= 1 + (view == "overview"), f"{view} is {paper(page)} pages")
    page.scheme("light")
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "t")
    for i in range(3000):
        profile.sample(i, profile.stack(profile.frame(f"function {i}")))
    page = show(profile.page(), "view=functions")
    page.run("document.querySelector('.rows').scrollTop = 50000")
    check(30 <= paper(page) <= 60, f"a thousand rows are {paper(page)} pages")
    wait("the window as it was", lambda: page.run("return document.querySelector('.rows').scrollTop") == 50000)
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    page.chrome("Emulation.setEmulatedMedia", media="print")
    shown = page.run("return [...document.querySelectorAll('input, select, .tabs, .fields')].filter((e) => e.getClientRects().length).length")
    page.chrome("Emulation.setEmulatedMedia", media="")
    check(shown == 0, f"{shown} boxes and buttons are on paper")
    check("2\u202f000 more rows, not printed" in text(page, ".rows") and len(functions(page)) == 1000, "what is left out is told")
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
