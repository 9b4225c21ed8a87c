#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test folding functions into their callers in the page's viewer, in headless Chromium.

usage: viewer_folds.py [TALLY] (as viewer.py)
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import area, becomes, cell, check, functions, go, samples, settle, show, silent, state, tap, text, wait  # noqa: E402


def layers():
    """Return a profile of two threads with code of the user, a library and a runtime, and inlined functions."""
    profile = pages.Profile()
    profile.recording()
    one, two = profile.thread(7, 7, "boss"), profile.thread(7, 8, "worker")
    start = profile.frame("_start", "/lib/ld.so", pages.FOREIGN)
    main, work = profile.frame("main"), profile.frame("work")
    sort, less = profile.frame("std::sort", flags=pages.FOREIGN), profile.frame("less", flags=pages.INLINED)
    malloc = profile.frame("malloc", "/lib/libc.so.6", pages.FOREIGN)
    for thread, count, frames in ((one, 400, (start, main, work)), (one, 300, (start, main, work, sort, less)), (two, 200, (start, main, malloc)), (two, 100, (start, malloc))):
        for i in range(count):
            profile.sample(1000 * i, profile.stack(*frames), thread)
    return profile


def selves(page):
    """Return {function: share} of the functions with self, in the table of functions."""
    settle(page)
    rows = page.run("return [...document.querySelectorAll('tr[data-row]')].map((row) => [row.querySelector('.name').innerText, row.querySelector('.share').innerText.trim()])")
    return {name: share for name, share in rows if share != "0.00%"}


def test_inlined_functions_are_folded():
    page = show(layers().page(), "view=functions")
    check(selves(page) == {"work": "40.00%", "less": "30.00%", "malloc": "30.00%"}, selves(page))
    check("inlined functions counted apart" in text(page, ".caption"), text(page, ".caption"))
    page.press("n")
    becomes(page, "noinline", "1")
    check(selves(page) == {"work": "40.00%", "std::sort": "30.00%", "malloc": "30.00%"}, selves(page))
    check("inlined functions counted in their callers" in text(page, ".caption") and "inlining off" in text(page, "#chips"), text(page, ".caption"))
    check(samples(page) == 1000, "all samples")
    page.press("3")
    wait("no cell of it", lambda: "inlining off" in text(page, "#chips"))
    page.back()
    page.back()
    becomes(page, "noinline", None)
    silent(page)


def test_just_my_code():
    page = show(layers().page(), "view=functions&own=1")
    check(selves(page) == {"work": "40.00%", "less": "30.00%", "main": "20.00%", "_start": "10.00%"}, selves(page))
    page.press("n")
    becomes(page, "noinline", "1")
    check(selves(page) == {"work": "70.00%", "main": "20.00%", "_start": "10.00%"}, selves(page))
    go(page, "view=functions&own=1&query=sym:malloc")
    check(samples(page) == 300 and set(selves(page)) == {"main", "_start"}, f"a query sees folded functions: {selves(page)}")
    page.press("m")
    becomes(page, "own", None)
    page = show(pages.small().page())
    page.press("m")
    wait("it is told", lambda: "does not say which code is yours" in (text(page, ".notice") or ""))
    check("own" not in state(page), "nothing to fold")
    silent(page)


def test_function_is_folded_by_menu_and_key():
    page = show(layers().page(), "view=functions")
    names = functions(page)
    x, y, width, height = area(page, f"tr[data-row='{names.index('work')}'] td.name")
    page.do("/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
        {"type": "pointerMove", "duration": 0, "x": round(x + 40), "y": round(y + height / 2)}, {"type": "pointerDown", "button": 2}, {"type": "pointerUp", "button": 2}]}]})
    wait("the menu", lambda: (text(page, "#menu") or "").startswith("work"))
    page.press("Down", "Escape")
    wait("closed", lambda: text(page, "#menu") is None)
    page.press(".")
    wait("the menu by a key", lambda: (text(page, "#menu") or "").startswith("work"))
    page.run("[...document.querySelectorAll('#menu button')].find((b) => b.innerText.startsWith('Fold it')).click()")
    wait("folded", lambda: "merge" in state(page))
    check(selves(page) == {"main": "40.00%", "less": "30.00%", "malloc": "30.00%"}, selves(page))
    check("folded: work" in text(page, "#chips"), text(page, "#chips"))
    page.press("Escape")
    becomes(page, "merge", None)
    page.press("Home", "M")
    wait("by a key", lambda: "merge" in state(page))
    page.press("U")
    becomes(page, "merge", None)
    silent(page)


def test_samples_with_a_function_are_dropped():
    page = show(layers().page(), "view=functions&pivot=5")  # malloc
    page.press("D")
    wait("dropped", lambda: samples(page) == 700)
    check("malloc" not in functions(page), functions(page))
    page.press("Escape")
    wait("all again", lambda: samples(page) == 1000)
    silent(page)


def test_first_level_of_the_flame_graph():
    for group, names in (("thread", ("boss 7", "worker 7/8")), ("process", ("boss 7",)), ("file", ("prog", "libc.so.6"))):
        page = show(layers().page(), f"view=tree&group={group}")
        page.run("document.querySelector('.rows').focus()")
        page.press("Down", "Right")
        shown = [name.lstrip("\u25be\u25b8") for name in functions(page)]
        check(all(name in shown for name in names), f"{group}: {shown}")
        go(page, f"group={group}")
        page.mouse(cell(page, 1, 0.1))
        wait("its tooltip", lambda: page.run("return document.querySelector('#tip').innerText").startswith(names[0]))
        page.click_at(*cell(page, 1, 0.1))
        wait("zoomed", lambda: "zoom" in state(page) and "pivot" not in state(page))
        page.press("Down", "Down", "Down", "s")
        becomes(page, "view", "sandwich")
        silent(page)


def test_large_pages_are_computed_in_slices():
    page = show(pages.large(200000, 40000).page(), "view=flame")
    settle(page)
    page.press("r", "2", "7", "Home")  # keys that arrive during a computation are kept, in order
    becomes(page, "view", "stacks")
    check(state(page).get("reversed") == "1" and page.run("return document.documentElement.dataset.busy") is None, "all keys took effect")
    go(page, "group=thread&noinline=1")
    check(samples(page) == 200000, "all samples")
    spent, longest = page.run("const {redraw, longest} = document.documentElement.dataset; return [Number(redraw), Number(longest)]")
    check(0 < longest <= spent, f"{spent} ms in slices of at most {longest} ms")
    silent(page)


def test_stack_is_copied():
    page = show(layers().page())
    page.run("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    page.run("document.querySelector('.flame').focus()")
    page.press("Down", "Down", "Down", "Down", "Y")
    wait("copied", lambda: "4 frames copied" in (text(page, ".notice") or "") or page.run("return window.copied"))
    check(page.run("return window.copied") == "_start;main;work", page.run("return window.copied"))
    page.press("r")
    becomes(page, "reversed", "1")
    page.press("Home", "Down", "Down", "y")
    wait("a reversed one", lambda: "\n" in page.run("return window.copied"))
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
