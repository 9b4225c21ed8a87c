#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test flame graphs and timelines of large recordings in the page's viewer, in headless Chromium.

usage: viewer_flame.py
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import pages  # noqa: E402
import tap  # noqa: E402
from viewer import area, becomes, cell, check, go, settle, show, silent, state, text, wait  # noqa: E402


def tip(page):
    settle(page)
    return page.run("const tip = document.querySelector('#tip'); return tip.hidden ? '' : tip.innerText")


def pixel(page, x, y):
    """Return the color of the canvas at a position in the window."""
    settle(page)
    return page.run("""const canvas = document.elementFromPoint(arguments[0], arguments[1]), area = canvas.getBoundingClientRect();
        return [...canvas.getContext("2d").getImageData(arguments[0] - area.x, arguments[1] - area.y, 1, 1).data].slice(0, 3)""", round(x), round(y))


def narrow():
    """Return a profile with a wide function next to thousands of functions that are narrower than a pixel. One of the
    narrow functions calls needle()."""
    profile = pages.Profile("narrow")
    profile.recording()
    profile.thread(1, 1, "prog")
    main, wide, needle = profile.frame("main"), profile.frame("wide"), profile.frame("needle")
    profile.sample(0, profile.stack(main, wide), weight=5000000)
    for i in range(5000):
        small = profile.frame(f"small_{i}")
        profile.sample(i, profile.stack(main, small, needle) if i == 2500 else profile.stack(main, small), weight=1000)
    return profile


# ---- cells too narrow to be visible ----------------------------------------------------

def test_cells_too_narrow_are_reached():
    page = show(narrow().page())
    rest = cell(page, 2, 0.75)
    page.mouse(rest)
    wait("what they are", lambda: "5\u202f000 functions" in tip(page) and "50.00%" in tip(page))
    page.click_at(*rest)
    becomes(page, "zoom", "0.r1-5001")
    for row in (3, 4):  # zoom in until the cells are wide enough
        page.mouse(cell(page, row, 0.5))
        if "small_" in tip(page):
            break
        page.click_at(*cell(page, row, 0.5))
    check("small_" in tip(page), f"{tip(page)!r} at {state(page)}")
    check("0.02%" not in tip(page) and "0.01%" in tip(page), "its own share")
    page.press("-")
    page.press("0")
    becomes(page, "zoom", None)
    silent(page)


def test_cells_too_narrow_are_marked():
    page = show(narrow().page(), "search=needle")
    found = pixel(page, *cell(page, 2, 0.75))
    check(found != pixel(page, *cell(page, 2, 0.25)), "wide calls no needle")
    go(page, "search=wide")
    check(found == pixel(page, *cell(page, 2, 0.25)) and found != pixel(page, *cell(page, 2, 0.75)), "what is marked is the other way around")
    go(page, "search=needle&reversed=1")
    check(found == pixel(page, *cell(page, 1, 0.75)), "needle is among those that take time, too")


def test_links_to_cells_too_narrow():
    page = show(narrow().page(), "zoom=0.r2-40")
    check("38 functions" in text(page, ".crumbs"), text(page, ".crumbs"))
    for number, wrong in enumerate(("0.r5-2", "0.r0-99999", "0.r1", "r", "0.rr1-2", "r1-2-3")):
        go(page, f"view=tree&note={number + 1}&zoom={wrong}")
        check("functions" not in text(page, ".crumbs"), wrong)
    silent(page)


# ---- mouse wheel -----------------------------------------------------------------------

def turn(page, x, y, pixels, *, ctrl=False):
    page.chrome("Input.dispatchMouseEvent", type="mouseWheel", x=round(x), y=round(y), deltaX=0, deltaY=pixels, modifiers=2 if ctrl else 0)


def turn_at_once(page, x, y, pixels, times):
    """Send wheel events in one go, however busy the machine is. Events more than 0.3 s apart would be separate
    steps."""
    page.run("""const [clientX, clientY, deltaY, times] = arguments, at = document.elementFromPoint(clientX, clientY);
        for (let i = 0; i < times; i++)
          at.dispatchEvent(new WheelEvent("wheel", {clientX, clientY, deltaY, bubbles: true, cancelable: true}));""", x, y, pixels, times)


def test_wheel_zooms_the_span():
    page = show(pages.small().page(), "view=time")
    x, y, _, _ = area(page, "#strip canvas")
    rows = area(page, ".lanes canvas")[1]
    middle = 202 + (1280 - 218) / 2
    for place in (y + 20, rows + 20):
        turn_at_once(page, middle, place, -200, 2)
        wait("a shorter span", lambda: "span" in state(page))
        first, last = map(int, state(page)["span"].split("-"))
        check(0 < first < 695000 < last < 1390000 and abs(first + last - 1390000) < 4000, (first, last))
        page.back()
        becomes(page, "span", None)
    for _ in range(2):
        turn(page, middle, y + 20, -100, ctrl=True)
    wait("with Ctrl, too", lambda: "span" in state(page))
    for _ in range(3):
        turn(page, middle, y + 20, 200)
    becomes(page, "span", None)
    silent(page)


def test_wheel_scrolls_and_zooms_the_flame_graph():
    profile = pages.Profile("deep")
    profile.recording()
    profile.thread(1, 1, "prog")
    levels = [profile.frame(f"level_{i}") for i in range(100)]
    profile.sample(0, profile.stack(*levels), weight=1000)
    profile.sample(1, profile.stack(*levels[:2], profile.frame("other")), weight=3000)
    page = show(profile.page())
    turn(page, *cell(page, 3, 0.9), 300)
    wait("it scrolls", lambda: page.run("return document.querySelector('.flame').scrollTop") > 100)
    turn(page, *cell(page, 3, 0.9), -300)
    wait("and back", lambda: page.run("return document.querySelector('.flame').scrollTop") == 0)
    check("zoom" not in state(page), "without Ctrl it does not zoom")
    turn(page, *cell(page, 3, 0.9), -100, ctrl=True)
    becomes(page, "zoom", "0.1.2")
    page.mouse(cell(page, 2, 0.5), cell(page, 5, 0.5))
    wait("both shares", lambda: "25%" in tip(page) and "100% of level_2" in tip(page))
    settle(page)
    page.run("return new Promise((done) => setTimeout(done, 250))")
    turn(page, *cell(page, 3, 0.9), 100, ctrl=True)
    becomes(page, "zoom", "0.1")
    silent(page)


# ---- two recordings --------------------------------------------------------------------

def changes():
    """Return a profile with two recordings of the same weight. From the first to the second, the shares of the
    functions `much`, `some` and `little` grow by 29, 6 and half a percentage point, respectively."""
    profile = pages.Profile("changes")
    main, shares = profile.frame("main"), {"much": (300, 590), "some": (200, 260), "little": (100, 105), "less": (400, 45)}
    profile.thread(1, 1, "prog")
    for recording in (0, 1):
        profile.recording(f"{recording}.data")
        for name, counts in shares.items():
            for _ in range(100):
                profile.sample(0, profile.stack(main, profile.frame(name)), weight=counts[recording] * 10000 * (1 + recording))
    return profile


def test_colours_tell_changes_apart():
    page = show(changes().page())
    legend = text(page, ".legend")
    check(all(word in legend for word in ("\u221235.50", "\u22128.88", "0", "+8.88", "+35.50 points")), legend)
    much, some, little = (pixel(page, *cell(page, 2, share)) for share in (0.55, 0.8, 0.93))
    page.mouse(cell(page, 2, 0.8))
    wait("its change", lambda: "some" in tip(page) and "+6.00 points" in tip(page))
    check(much[1] < some[1] - 15 < little[1] - 30, f"+29 {much}, +6 {some}, +0.5 {little}")
    page.run("const c = [...document.querySelectorAll('.choice select')].pop(); c.value = 'weight'; c.dispatchEvent(new Event('change'))")
    becomes(page, "colours", "weight")
    check("+1.00 s" in text(page, ".legend"), text(page, ".legend"))
    page.mouse(cell(page, 2, 0.1))
    page.mouse(cell(page, 2, 0.81))
    wait("its weights", lambda: "200 ms, 520 ms: +320 ms" in tip(page))


# ---- time ------------------------------------------------------------------------------

def test_times_have_the_same_place_everywhere():
    profile = pages.small()
    for number in range(60):  # more rows than fit into the window
        profile.sample(700000, 1, profile.thread(20 + number, 20 + number, "late"))
    page = show(profile.page(), "view=time")
    page.run("document.querySelector('.lanes').style.marginRight = '15px'")  # same effect as a visible scroll bar
    x, y, width, height = area(page, "#strip canvas")
    page.mouse((300, y + 20), "down", (400, y + 20), (700, y + 20), "up")
    wait("a span", lambda: "span" in state(page))
    spans = [state(page)["span"]]
    for view, selector in (("time", ".lanes canvas"), ("time", "#strip canvas")):
        go(page, f"view={view}&note={len(spans)}")
        x, y, width, height = area(page, selector)
        page.mouse((300, y + 20), "down", (400, y + 20), (700, y + 20), "up")
        wait("a span", lambda: "span" in state(page))
        spans.append(state(page)["span"])
    check(len(set(spans)) == 1, spans)
    silent(page)


def test_heatmap_of_steady_load_shows_variation():
    profile = pages.Profile("steady")
    profile.recording()
    profile.thread(1, 1, "prog")
    node = profile.stack(profile.frame("main"))
    for i in range(5000):  # 100 cells of 20 ms with alternating weights of 20 and 22 ms
        profile.sample(i * 400 + 200, node, weight=400000 + 40000 * (i // 50 % 2))
    profile.sample(1999999, node, weight=1)
    page = show(profile.page(), "view=heat&column=1000000000")
    legend = text(page, ".legend")
    check(legend.startswith("a cell is 20.0 ms (100% is a CPU):") and "nothing" in legend and "20.0 ms (100%)" in legend and "22.0 ms (110%)" in legend, legend)
    x, y, width, height = area(page, ".heat canvas")
    row = (height - 20) / 50
    light, dark = (pixel(page, 300, y + row * (number + 0.5)) for number in (21, 20))
    check(sum(abs(a - b) for a, b in zip(light, dark)) > 200, f"20 ms {light}, 22 ms {dark}")
    begin = 202 + (1280 - 218) / 2  # start of the second column, as in the timeline
    page.mouse((begin + 5, y + height - 22), "down", (begin + 9, y + height - 25), "up")
    wait("a span", lambda: "span" in state(page))
    check(state(page)["span"].startswith("1000000-10"), state(page)["span"])


# ---- callers and callees ---------------------------------------------------------------

def halves(page):
    """Return the positions [top, bottom] of the callers, the function, and the callees."""
    settle(page)
    return page.run("""return [...document.querySelectorAll(".sandwich .flame:not([hidden]), .pivot")]
        .map((e) => e.getBoundingClientRect()).map((r) => [r.top, r.bottom])""")


def test_function_is_between_callers_and_callees():
    page = show(pages.small().page(), "view=sandwich&pivot=1")  # main and [cut] call work; work calls leaf and memcpy
    (_, above), (top, bottom), (below, _) = halves(page)
    check(0 <= top - above < 8 and 0 <= below - bottom < 8, halves(page))
    page.mouse((100, above - 9))
    wait("its caller", lambda: tip(page).startswith("main"))
    page.mouse((100, below + 9))
    wait("what it calls", lambda: tip(page).startswith("leaf"))
    page.run("document.querySelectorAll('.sandwich .flame')[1].focus()")
    page.press("Down", "Right")
    wait("by keys, too", lambda: "memcpy" in text(page, "#status"))
    page.press("Up", "Enter")
    wait("that one", lambda: text(page, ".pivot").startswith("memcpy"))
    check("No callees." in text(page, ".sandwich") and len(halves(page)) == 2, "an empty half says so")
    go(page, "view=sandwich&pivot=0")
    check("No callers" in text(page, ".sandwich") and len(halves(page)) == 2, "main is outermost")
    go(page, "view=sandwich&pivot=1")
    check(len(halves(page)) == 3, "both halves again")
    silent(page)


def test_callees_too_narrow_are_reached():
    page = show(narrow().page(), "view=sandwich&pivot=0")
    x, y, width, _ = area(page, ".sandwich .flame:not([hidden]) canvas")
    page.click_at(x + 0.75 * width, y + 9)
    page.click_at(x + 0.5 * width, y + 28)
    page.mouse((x + 0.5 * width, y + 47))
    wait("one of them", lambda: tip(page).startswith("small_"))
    page.click_at(x + 0.5 * width, y + 47)
    wait("it is gone to", lambda: text(page, ".pivot").startswith("small_"))
    silent(page)


# ---- clicks ----------------------------------------------------------------------------

def test_double_click_stays_where_it_is():
    page = show(pages.small().page())
    before = area(page, ".flame canvas")
    page.mouse(cell(page, 2, 0.1), "down", "up", "down", "up")
    becomes(page, "zoom", "0.1")
    check(before[:2] == area(page, ".flame canvas")[:2], "the graph moved")
    page.click_at(*cell(page, 2, 0.1))
    settle(page)
    check(state(page)["zoom"] == "0.1", "the same place is another cell")
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
