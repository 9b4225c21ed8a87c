#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test that the page's viewer can be used by keys alone, that its controls have titles, and that long names fit into
narrow windows, in headless Chromium.

usage: viewer_keys.py [TALLY] (as viewer.py)
"""
import os
import sys
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import becomes, check, go, samples, show, silent, state, tap, text, wait  # noqa: E402

VIEWS = ("overview", "functions", "flame", "sandwich", "source", "time", "stacks", "tree", "heat")
WIDE = 100  # columns of a line of help
DEEP = "std::_Hashtable<" + "std::pair<" * 12 + "int" + ">" * 12 + ", std::allocator<char> >::_M_find_before_node(unsigned long, int const&) const"
SHORT = "std::unordered_map<int>::_M_find_before_node"

UNTITLED = """
const named = (one) => one.title || (one.closest("label") && one.closest("label").innerText);
return [...document.querySelectorAll("button, input, select")].filter((one) => !named(one)).map((one) => one.outerHTML.slice(0, 200));
"""
WIDER = "return document.documentElement.scrollWidth - window.innerWidth"
BEYOND = """
const width = window.innerWidth, [selector] = arguments;
return [...document.querySelectorAll(selector)].filter((one) => one.getBoundingClientRect().right > width || one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText);
"""


def deep():
    """Return a profile with a function that has a long name and a short one."""
    profile = pages.small()
    node = profile.stack(0, profile.short(profile.frame(DEEP), SHORT))
    for i in range(100):
        profile.sample(1400000 + i, node)
    return profile


# ---- keys ------------------------------------------------------------------------------

def test_help_has_short_lines():
    page = show(pages.small().page())
    page.press("?")
    wait("the help", lambda: page.run("return document.querySelector('dialog[open]') !== null"))
    lines = page.run("return [...document.querySelectorAll('dialog tr')].map((row) => row.innerText.replace(/\\s+/g, ' '))")
    check(len(lines) > 30 and not [line for line in lines if len(line) > WIDE], [line for line in lines if len(line) > WIDE])
    heights = page.run("return [...document.querySelectorAll('dialog tr')].map((row) => row.getBoundingClientRect().height)")
    check(max(heights) < 1.5 * min(heights), f"a line each: {heights}")
    page.press("Escape")
    silent(page)


def test_keys_of_the_terminal_browser():
    for key in ("h", "\ue031"):  # F1
        page = show(pages.small().page())
        page.press(key)
        wait(f"help by {key}", lambda: "Keys and queries" in (text(page, "dialog") or ""))
    page = show(pages.small().page(), "view=functions&sort=total")
    page.press("S")
    becomes(page, "sort", "self")
    page.press("P")
    wait("export", lambda: "Folded stacks" in (text(page, "dialog") or ""))
    page.press("Escape", "g")
    wait("search", lambda: page.run("return document.activeElement.id") == "search")
    silent(page)


def test_inlining_and_facts_by_the_keys_of_the_terminal_browser():
    for key in ("I", "n"):
        page = show(pages.small().page(), "view=functions")
        page.press(key)
        becomes(page, "noinline", "1")
        page.press(key)
        becomes(page, "noinline", None)
    page.press("F")
    wait("the facts", lambda: "by the clock of the recording" in (text(page, "dialog") or ""))
    page.press("Escape")
    silent(page)


def test_tabs_are_in_the_order_of_their_numbers():
    """Check that each number opens the tab at its place, that 1 to 7 are the terminal browser's, and that the titles of
    controls name keys of the help."""
    page = show(pages.small().page(), "view=overview")
    tabs = page.run("return [...document.querySelectorAll('.tabs button')].map((tab) => [tab.dataset.view, tab.title])")
    check(tabs == [[view, f"key {i}"] for i, view in enumerate(VIEWS, 1)] and VIEWS[6] == "stacks" and VIEWS[8] == "heat", tabs)
    for i, view in list(enumerate(VIEWS, 1))[::-1]:
        page.press(str(i))
        becomes(page, "view", None if view in ("flame", "overview") else view)
    page.press("?")
    known = {key for row in page.run("return [...document.querySelectorAll('dialog kbd')].map((key) => key.innerText)") for key in row.split(", ")}
    page.press("Escape")
    named = page.run("return [...document.querySelectorAll('button')].flatMap((one) => [...one.title.matchAll(/\\((.)\\)/g)].map((found) => found[1]))")
    check({"I", "m", "E", "F", "T"} <= set(named) <= known, f"titles: {named}")
    silent(page)


def test_heaviest_instructions_by_key():
    page = show(pages.small().page(), "view=source")
    for wanted in ("mov eax, 1", "ret", "mov eax, 1"):
        page.press("H")
        wait(wanted, lambda wanted=wanted: wanted in (text(page, "tr.chosen") or ""))
    silent(page)


def test_every_view_works_by_keys():
    """Check that each view can be reached and used without a mouse: its keys work as soon as it is open."""
    used = {"functions": (("Down",), lambda page: page.run("return document.querySelector('tr[aria-selected]') !== null")),
            "flame": (("Down", "Down"), lambda page: "main" in text(page, "#status")),
            "sandwich": (("Down",), lambda page: text(page, "#details-text")),
            "source": (("H",), lambda page: page.run("return document.querySelector('tr.chosen') !== null")),
            "time": (("Down", "Enter"), lambda page: "threads" in state(page)),
            "heat": (("Right", "Space", "Right", "Right", "Space"), lambda page: "span" in state(page)),
            "tree": (("Down", "Down"), lambda page: "main" in text(page, "#details-text")),
            "stacks": (("Down", "Down"), lambda page: text(page, "#details-text"))}
    for name, (keys, holds) in used.items():
        page = show(pages.small().page(), "view=overview")
        page.press(str(VIEWS.index(name) + 1))
        becomes(page, "view", None if name == "flame" else name)
        page.press(*keys)
        wait(f"{name}: {keys}", lambda page=page, holds=holds: holds(page))
    page = show(pages.small().page(), "view=overview")
    page.press(*["Tab"] * 3)
    check(page.run("return document.querySelector('.overview').contains(document.activeElement)"), "the overview's links by Tab")
    silent(page)


def test_controls_have_titles():
    for profile in (pages.small(), pages.two_recordings()):
        page = show(profile.page(), "view=functions&query=sym:main&threads=0&pivot=0&noinline=1")
        for view in VIEWS:
            go(page, f"view={view}&query=sym:main&threads=0&pivot=0&noinline=1")
            check(page.run(UNTITLED) == [], f"{view}: {page.run(UNTITLED)}")
        for key in ("?", "E", "F", ".", "w"):
            page.press(key)
            wait(f"what {key} opens", lambda: page.run("return document.querySelector('dialog, #menu') !== null"))
            check(page.run(UNTITLED) == [], f"{key}: {page.run(UNTITLED)}")
            page.press("Escape")
        silent(page)


# ---- long names ------------------------------------------------------------------------

def test_completions_are_short_names_that_fit():
    page = show(deep().page(), "view=functions", width=390, height=844)
    for typed in ("sym:_M_find", "sym:std::pair", "sym:Hashtable"):
        page.press(":")
        page.type("#query", typed)
        items = wait("a completion", lambda: page.run("return [...document.querySelectorAll('#completions div')].map((item) => item.innerText)"))
        check(len(items) == 1 and items[0].endswith("_M_find_before_node") and len(items[0]) <= len(SHORT), items)
        check(page.run(BEYOND, "#completions, #completions div") == [] and page.run(WIDER) <= 0, page.run(BEYOND, "#completions, #completions div"))
        check(page.run("return document.querySelector('#completions div').title") == SHORT, "the name in full")
        page.press("Tab", "Enter")  # which leaves the field
        wait("its samples", lambda: samples(page) == 100)
        page.run("document.querySelector('#query').value = ''")
        go(page, "view=functions&column=1")
        go(page, f"view=functions&column={len(typed)}")
    silent(page)


def test_chips_of_long_names_fit():
    quoted = urllib.parse.quote(f'comm:prog sym:="{DEEP}"')
    for width, most in ((390, 34), (1280, 80)):
        page = show(deep().page(), f"view=functions&query={quoted}", width=width, height=844)
        check(samples(page) == 100, samples(page))
        shown = text(page, ".chip").replace("\n", "").rstrip("\u00d7")
        check("_M_find_before_node" in shown and shown.startswith("comm:prog sym:") and len(shown) <= most + 1, shown)
        check(page.run("return document.querySelector('.chip').title") == f'comm:prog sym:="{DEEP}"', "the query in full")
        check(page.run(BEYOND, ".chip") == [] and page.run(WIDER) <= 0, "it fits")
        go(page, f"view=functions&query={quoted}&threads=1")
        check(page.run(BEYOND, "#nothing button") == [] and page.run(WIDER) <= 0, text(page, "#nothing"))
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
