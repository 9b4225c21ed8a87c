#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the view of stacks in the order of time in the page's viewer, in headless Chromium.

usage: viewer_stacks.py [TALLY] (as viewer.py)
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import area, becomes, check, go, settle, show, silent, state, tap, text, wait  # noqa: E402


def phases():
    """Return a profile of 4 s: read for 1 s, nothing for 1 s, then parse, which alternates between two callees."""
    profile = pages.Profile()
    profile.recording()
    one, two = profile.thread(5, 5, "main"), profile.thread(5, 6, "helper")
    main, read, parse, odd, even = (profile.frame(name) for name in ("main", "read", "parse", "odd", "even"))
    for i in range(1, 401):  # a sample each 10 ms of CPU time
        frames = (main, read) if i <= 100 else (main, parse, odd if i % 2 else even)
        if i <= 100 or i > 200:
            profile.sample(i * 10000, profile.stack(*frames), one, weight=10000000)
        if i <= 10:
            profile.sample(i * 10000, profile.stack(read), two, weight=10000000)
    return profile


def shared_cpu():
    """Return a profile of a thread with 10 ms of CPU time a sample, which has a third of its CPU for 2 s. For the third
    second, it sleeps for 0.1 s after each 0.1 s of work. Then nothing else runs on its CPU."""
    profile = pages.Profile()
    profile.recording()
    thread = profile.thread(5, 5, "main")
    main, work, odd, even = (profile.frame(name) for name in ("main", "work", "odd", "even"))
    times = [*range(1, 201, 3), *(at for begin in range(200, 300, 20) for at in range(begin + 1, begin + 11)), *range(301, 401)]
    for i, at in enumerate(times):
        leaf = work if at <= 100 or at > 200 else odd if i % 2 else even
        profile.sample(at * 10000, profile.stack(main, leaf), thread, weight=10000000)
    return profile


def at(page, row, share):
    """Return a position in a row of the chart, below its axis."""
    x, y, width, _ = area(page, ".chart canvas")
    return x + share * width, y + 18 + 19 * row + 9


def tip(page):
    settle(page)
    return page.run("const tip = document.querySelector('#tip'); return tip.hidden ? '' : tip.innerText")


def test_equal_frames_are_one_cell():
    page = show(phases().page(), "view=stacks")
    page.mouse(at(page, 0, 0.1))
    wait("main for a second", lambda: "main" in tip(page) and "1.00 s at 0.000 s" in tip(page))
    page.mouse(at(page, 1, 0.1))
    wait("read", lambda: tip(page).startswith("read"))
    page.mouse(at(page, 0, 0.37))
    wait("idle", lambda: tip(page) == "")
    page.mouse(at(page, 1, 0.8))
    wait("parse", lambda: tip(page).startswith("parse") and "2.00 s at 2.000 s" in tip(page))
    page.mouse(at(page, 2, 0.8))
    wait("one sample", lambda: tip(page).split()[0] in ("odd", "even") and "10.0 ms at" in tip(page))
    silent(page)


def test_turns_on_a_shared_cpu_are_one_cell():
    """Check that gaps of 3 ms between equal frames are only drawn if they are wide, and gaps of 50 ms always."""
    profile = pages.Profile()
    profile.recording()
    thread = profile.thread(5, 5, "main")
    main, odd, even = (profile.frame(name) for name in ("main", "odd", "even"))
    for turn in range(100):
        for i in range(1, 13):  # 3 ms of samples in each 6 ms; a pause of 50 ms after 300 ms
            profile.sample(turn * 6000 + i * 250 + (50000 if turn >= 50 else 0), profile.stack(main, odd if turn % 2 else even), thread, weight=250000)
    page = show(profile.page(), "view=stacks")
    page.mouse(at(page, 0, 0.2))
    wait("one cell", lambda: "main" in tip(page) and re.search(r"29\d ms at 0\.000", tip(page)))
    page.mouse(at(page, 0, 323 / 647))
    wait("the pause", lambda: tip(page) == "")
    page.mouse(at(page, 1, 7.5 / 647))
    wait("a turn", lambda: tip(page).startswith("odd") and re.search(r"[2-4]\.\d\d ms at 0\.00", tip(page)))
    go(page, "view=stacks&window=0-100000")
    page.mouse(at(page, 0, 7.5 / 100))
    wait("a turn of main", lambda: tip(page).startswith("main") and re.search(r"[23]\.\d\d ms at 0\.006", tip(page)))
    silent(page)


def test_thread_that_shares_its_cpu_is_no_comb():
    page = show(shared_cpu().page(), "view=stacks")
    page.mouse(at(page, 0, 0.2))
    wait("one cell of main", lambda: tip(page).startswith("main") and ("2.10 s at" in tip(page) or "2.09 s at" in tip(page)))
    page.mouse(at(page, 1, 0.1))
    wait("one cell of work", lambda: tip(page).startswith("work") and "1.00 s at" in tip(page))
    page.mouse(at(page, 0, 0.54))
    wait("sleep of ten intervals", lambda: tip(page) == "")
    page.mouse(at(page, 1, 0.375))
    wait("frames that differ last for their own time", lambda: tip(page) == "" or "10.0 ms at" in tip(page))
    silent(page)


def test_excluded_samples_leave_gaps():
    page = show(phases().page(), "view=stacks&query=-sym:odd")
    page.mouse(at(page, 0, 0.50375))
    wait("main for one sample", lambda: tip(page).startswith("main") and "10.0 ms at" in tip(page))
    page.mouse(at(page, 0, 0.50625))
    wait("nothing", lambda: tip(page) == "")
    silent(page)


def test_keys_zoom_and_move():
    page = show(phases().page(), "view=stacks")
    page.press("Down", "Down")
    wait("read", lambda: "read" in text(page, "#details-text") and "read" in text(page, "#status"))
    page.press("Right", "Enter")
    becomes(page, "window", "2000000-4000000")
    page.press("Home", "Down", "Down", "Right")
    wait("its second callee", lambda: text(page, "#status").startswith("even") or text(page, "#status").startswith("odd"))
    page.run("document.querySelector('.chart').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', shiftKey: true, bubbles: true}))")
    becomes(page, "window", "1600000-3600000")
    page.press("0")
    becomes(page, "window", None)
    page.press("Home", "Down", "s")
    becomes(page, "pivot", "1")
    check(state(page)["view"] == "sandwich", state(page))
    silent(page)


def test_mouse_zooms_and_moves():
    page = show(phases().page(), "view=stacks")
    x, y = at(page, 1, 0.5)
    page.chrome("Input.dispatchMouseEvent", type="mouseWheel", x=round(x), y=round(y), deltaX=0, deltaY=-300, modifiers=2)
    wait("zoomed", lambda: "window" in state(page))
    first, last = map(int, state(page)["window"].split("-"))
    check(abs((first + last) / 2 - 2000000) < 50000 and last - first < 3500000, (first, last))
    page.mouse((x, y), "down", (x - 20, y), (x - 100, y), "up")
    wait("moved", lambda: int(state(page)["window"].split("-")[0]) > first + 100000)
    page.click_at(*at(page, 1, 0.9))
    becomes(page, "pivot", "2")
    check("parse" in text(page, "#details-text"), text(page, "#details-text"))
    silent(page)


def test_selection_is_respected():
    page = show(phases().page(), "view=stacks&threads=1")
    page.mouse(at(page, 0, 0.01))
    wait("the other thread", lambda: tip(page).startswith("read"))
    go(page, "view=stacks&span=2000000-3000000")
    page.mouse(at(page, 1, 0.5))
    wait("a second of it", lambda: tip(page).startswith("parse") and "1.00 s at 2.00" in tip(page))
    go(page, "view=stacks&query=-sym:odd")
    page.mouse(at(page, 2, 0.877))
    wait("only even", lambda: tip(page) == "" or tip(page).startswith("even"))
    go(page, "view=stacks&merge=2")
    page.mouse(at(page, 1, 0.8))
    wait("parse is folded", lambda: tip(page).split()[:1] in (["odd"], ["even"]))
    go(page, "view=stacks&query=sym:nothing")
    check("no samples in the selection" in text(page, ".view .empty"), text(page, ".view"))
    silent(page)


def test_million_samples_are_drawn_quickly():
    page = show(pages.large(1000000, 20000).page(), "view=stacks")
    took = []
    for window in ("1000000-5000000", "1100000-5100000", "1100000-2100000", "1100000-1110000"):  # zoomed and moved
        go(page, f"view=stacks&lane=3&window={window}")
        took.append(float(page.run("return document.documentElement.dataset.redraw")))
    check(sorted(took)[1] < 200, f"{took} ms")  # usually 20; a busy machine may interrupt some of them
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
