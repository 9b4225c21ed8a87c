#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test names, the chosen function, and selections without samples in the page's viewer, in headless Chromium.

usage: viewer_choice.py [TALLY] (as viewer.py)
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import becomes, cell, check, functions, go, samples, settle, show, silent, state, tap, text, wait  # noqa: E402

DEEP = "std::_Hashtable<" + "std::pair<" * 60 + "int" + ">" * 60 + ", std::allocator<char>>::_M_find(" + "unsigned long, " * 200 + "int) const"


def named(*names, weights=None):
    """Return a profile in which main calls functions with these names."""
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "t")
    main = profile.frame("main")
    for i, name in enumerate(names):
        for _ in range(weights[i] if weights else 100):
            profile.sample(i, profile.stack(main, profile.frame(name)))
    return profile


# ---- names -----------------------------------------------------------------------------

def test_long_names_are_folded_before_they_are_cut():
    page = show(named(DEEP).page(), "view=functions")
    name = functions(page)[0]
    check(name == "std::_Hashtable<\u2026>::_M_find(\u2026) const", name)
    go(page, "")
    page.mouse(cell(page, 2, 0.5))
    wait("the whole name in the tooltip", lambda: DEEP[:900] in page.run("return document.querySelector('#tip').innerText"))
    silent(page)


def test_scopes_are_folded_in_the_middle():
    scopes = "::".join(f"namespace_number_{i}" for i in range(20))
    page = show(named(f"{scopes}::Class::method", "github.com/" + "owner/" * 30 + "pkg.(*Type).Method").page(), "view=functions")
    shown = functions(page)
    check(any(name.endswith("\u2026Class::method") and name.startswith("namespace_number_0::") for name in shown), shown)
    check(any(name.endswith("\u2026pkg.(\u2026).Method") or name.endswith("\u2026pkg.(*Type).Method") for name in shown), shown)
    silent(page)


def test_short_names_are_shown_and_whole_names_are_found():
    whole = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append(char const*)"
    profile = named(whole, "other")
    profile.short(1, "std::string::append")
    page = show(profile.page(), "view=functions")
    check(sorted(functions(page)) == ["main", "other", "std::string::append"] or sorted(functions(page)) == ["other", "std::string::append"], functions(page))
    for search in ("char_traits", "std::string::app"):
        go(page, f"view=functions&search={search}")
        check(functions(page) == ["std::string::append"], f"{search}: {functions(page)}")
    for query in ("sym:char_traits", "sym:=std::string::append"):
        go(page, f"view=functions&query={query}")
        check(samples(page) == 100, f"{query}: {samples(page)}")
    page.press("Down")
    wait("both names", lambda: "std::string::append" in text(page, "#details-text") and whole in text(page, "#details-text"))
    page.press("w")
    wait("the whole name", lambda: whole in (text(page, "dialog") or ""))
    silent(page)


# ---- the chosen function ----------------------------------------------------------------

def test_heaviest_function_is_the_default():
    page = show(named("light", "heavy", weights=(100, 300)).page(), "view=functions")
    page.press("Down", "Down")  # light, at the cursor
    wait("the cursor", lambda: "light" in text(page, "#details-text"))
    page.press("4")
    wait("the heaviest", lambda: (text(page, ".pivot") or "").startswith("heavy"))
    check("pivot" not in state(page), "a cursor chooses nothing")
    page.press("2", "s")
    wait("the one at the cursor", lambda: (text(page, ".pivot") or "").startswith("light"))
    page.press("6", "4")
    wait("chosen until another one is", lambda: text(page, ".pivot").startswith("light"))
    go(page, "")
    page.click_at(*cell(page, 2, 0.1))
    page.press("4")
    wait("chosen by a click", lambda: text(page, ".pivot").startswith("heavy"))
    silent(page)


def test_source_of_the_heaviest_function_by_default():
    page = show(pages.small().page(), "view=functions&sort=name")
    page.press("Down", "5")
    becomes(page, "view", "source")
    check("mov eax, 1" in text(page, ".panes") and "note" not in state(page), "the first function with code")
    silent(page)


# ---- selections ------------------------------------------------------------------------

def test_empty_selection_can_be_ended():
    page = show(pages.small().page(), "view=functions&query=sym:nowhere&threads=1&span=1000-2000")
    check(samples(page) == 0, samples(page))
    buttons = page.run("return [...document.querySelectorAll('#nothing button')].map((b) => b.innerText)")
    check(len(buttons) == 4 and buttons[-1] == "Show all" and any("sym:nowhere" in one for one in buttons) and any("worker 10/11" in one for one in buttons), buttons)
    page.click("#nothing button:nth-of-type(3)")
    becomes(page, "query", None)
    check("threads" in state(page) and "span" in state(page), state(page))
    page.click("#nothing button:last-of-type")
    wait("all samples", lambda: samples(page) == 140)
    check(page.run("return document.querySelector('#nothing').hidden"), "the message is gone")
    silent(page)


def test_few_samples_have_no_decimals():
    page = show(named("one", "two", weights=(10, 5)).page(), "view=functions")
    settle(page)
    check("67%" in text(page, "tbody") and "66.67%" not in text(page, "tbody"), text(page, "tbody"))
    check(text(page, ".few") == "only" and "15 samples" in text(page, ".sum"), text(page, "#chips"))
    page = show(named("one", "two", weights=(100, 50)).page(), "view=functions")
    check("66.67%" in text(page, "tbody") and text(page, ".few") is None, text(page, "tbody"))
    silent(page)


def test_own_numbers_are_not_escaped():
    profile = named("one", weights=(2000,))
    profile.losses = [(0, 1, 1, 1234)]
    page = show(profile.page(), "view=overview")
    shown = text(page, "#app")
    check("\\u{" not in shown and "2\u202f000" in shown, shown)
    silent(page)


# ---- time ------------------------------------------------------------------------------

def test_heatmap_cells_have_samples():
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "t")
    node = profile.stack(profile.frame("main"))
    for i in range(1000):
        profile.sample(i * 5000, node, weight=5000000)
    page = show(profile.page(), "view=heat")
    check("a cell is 25.0 ms" in text(page, ".legend"), text(page, ".legend"))  # 5 columns of 40 rows
    check("(100%)" in text(page, ".legend"), text(page, ".legend"))
    go(page, "view=time")
    check("full height: 100% of a CPU" in text(page, ".bar"), text(page, ".bar"))
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
