#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test that the page's viewer uses the space of narrow and wide windows, in headless Chromium.

usage: viewer_layout.py [TALLY] (as viewer.py)
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages  # noqa: E402
from viewer import check, go, show, silent, tap, text  # noqa: E402

VIEWS = ("overview", "functions", "flame", "sandwich", "source", "time", "stacks", "tree", "heat")
SIZES = ((390, 844), (1280, 860), (1920, 1080))
NAME = "library::Container<int>::find_before_node"  # 41 characters


def changed(has_verdicts=True):
    """Return a page with two recordings, in which 60 functions change."""
    profile = pages.Profile("changed")
    main, names = profile.frame("main"), [profile.frame(f"{NAME}_{i}") for i in range(60)]
    profile.thread(1, 1, "prog")
    for number in range(2):
        profile.recording(f"{number}.data")
        for i, frame in enumerate(names):
            for time in range(20 + (i * number) % 7):
                profile.sample(1000 * time, profile.stack(main, frame))
    if has_verdicts:
        profile.meta["verdicts"] = [{"frame": names[0], "text": "slower by 12 % (9 to 15)"}]
    return profile


def plain(threads=2):
    """Return a page with 60 functions in a number of threads."""
    profile = pages.Profile("plain")
    profile.recording()
    main, names = profile.frame("main"), [profile.frame(f"{NAME}_{i}", f"/usr/lib/lib{i % 9}.so") for i in range(60)]
    for thread in range(threads):
        profile.thread(1, 1 + thread, "prog")
    for i, frame in enumerate(names):
        for time in range(20 + i):
            profile.sample(1000 * time, profile.stack(main, frame), (i + time) % threads)
    profile.annotations = [{"frame": names[0], "name": NAME, "samples": 60, "weight": 60, "event": 0,
                            "rows": [{"addr": hex(i), "text": "nop", "weight": 60 - i, "line": i + 1, "source": 0} for i in range(40)],
                            "sources": [{"file": "/src/container.h", "first": 1, "lines": [f"line {i}" for i in range(40)], "weights": list(range(60, 20, -1))}]}]
    return profile


def test_no_view_is_wider_than_the_window():
    for profile in (plain(), changed()):
        for width, height in SIZES:
            for view in VIEWS:
                page = show(profile.page(), f"view={view}&pivot=1", width=width, height=height)
                check(page.run("return document.documentElement.scrollWidth") <= width, f"{view} at {width}")
        silent(page)


def test_verdicts_are_below_the_view():
    page = show(changed().page(), "view=functions&pivot=1", width=390, height=844)
    tap.wait_until(lambda: "verdict on self: slower by 12 % (9 to 15)" in text(page, "#details-text"), "the verdict in a narrow window")
    page = show(changed(False).page(), "view=functions&pivot=1")
    check("verdict" not in text(page, "#details-text"), text(page, "#details-text"))
    silent(page)


def test_phones_have_one_header_row():
    """Check that tabs and buttons are in one row at the top, and that the overview has the title."""
    page = show(changed().page(), "view=functions", width=390, height=844)
    tops = "return ['.tabs', '.burger', '.health-dot'].map((one) => { const box = document.querySelector(one).getBoundingClientRect(); return (box.top + box.bottom) / 2; })"
    tabs, *buttons = page.run(tops)
    check(all(abs(top - tabs) < 6 for top in buttons) and tabs < 30, (tabs, buttons))
    go(page, "view=overview")
    check(text(page, ".headline").startswith("changed: before"), text(page, ".headline"))
    page = show(plain().page(), "view=overview")
    check("plain" in text(page, "h1") and not text(page, ".headline").startswith("plain"), text(page, ".headline"))
    silent(page)


def test_functions_without_a_name_have_their_file():
    profile = pages.Profile("unnamed")
    profile.recording()
    profile.thread(1, 1, "prog")
    for time in range(200):
        profile.sample(1000 * time, profile.stack(profile.frame("fn@42e0", "/usr/bin/gzip")))
    page = show(profile.page(), "view=overview")
    check("fn@42e0 in gzip" in text(page, ".card"), text(page, ".card"))
    for width, shown in ((390, True), (1280, False)):  # wide tables have a column with the file
        page = show(profile.page(), "view=functions", width=width)
        check(("fn@42e0 in gzip" in text(page, ".rows")) == shown, text(page, ".rows"))
    silent(page)


def test_verdicts_are_signs_on_phones():
    profile = changed()
    profile.meta["verdicts"] = [{"frame": 1, "text": "undecided"}, {"frame": 2, "text": "same within 12%"}, {"frame": 3, "text": "slower"}]
    page = show(profile.page(), "view=functions&sort=verdict", width=390, height=844)
    cells = page.run("return [...document.querySelectorAll('td.verdict span')].map((e) => [e.innerText, e.title, e.closest('td').scrollWidth <= e.closest('td').clientWidth])")
    tap.same(sorted(cells), sorted([["?", "undecided", True], ["=", "same within 12%", True], ["\u2022", "slower", True]]), "signs")
    check("? undecided" in text(page, ".caption") and "= same" in text(page, ".caption") and "grew" not in text(page, ".caption"), text(page, ".caption"))
    page.resize(1280, 860)
    tap.wait_until(lambda: "undecided" in text(page, ".rows tbody"), "the text in a wide window")
    silent(page)


def test_headings_name_what_shares_are_of():
    for fragment, words in (("", "% of all samples"), ("&query=sym:main", "% of the selection"), ("&span=0-9000", "% of the selection"), ("&threads=1", "% of the selection")):
        for view, selector in (("overview", ".card h2"), ("functions", ".caption"), ("flame", ".hint.told"), ("sandwich", ".hint.told"), ("tree", ".hint.told")):
            page = show(plain().page(), f"view={view}{fragment}")
            check(words in text(page, selector), f"{view}{fragment}: {text(page, selector)}")
        heads = page_heads(fragment)
        check((fragment or heads["Hot lines, self"] == "% of the whole recording") and heads["Threads"] == ("% of all threads" if "threads" in fragment else words), heads)
        check(words in heads["Top functions, total"] and words in heads["Files, self"], heads)
    page = show(plain().page(), "view=source&query=sym:main")
    check("% of the function in the whole recording" in text(page, ".hint.told"), text(page, ".hint.told"))
    silent(page)


def test_lines_of_a_selection_need_another_page():
    """Check that the card of hot lines does not show those of the whole recording next to functions of a selection, but the
    command that shows those of the selection."""
    for fragment, query in (("query=sym:main", "sym:main"), ("span=1000-9000", "time:+0.001000,+0.009000"), ("threads=1&query=comm:prog", "comm:prog tid:2"),
                            ("query=-sym:o%27clock", "-sym:o'\\''clock")):  # for a shell
        page = show(plain().page(), f"view=overview&{fragment}")
        tap.wait_until(lambda query=query: f"tally report --query '{query}'" in text(page, ".cards"), f"{query}: {text(page, '.cards')}")
        check("container.h" not in text(page, ".cards"), text(page, ".cards"))
    silent(page)


def page_heads(fragment):
    """Return the notes of the cards of the overview by their titles."""
    page = show(plain().page(), f"view=overview{fragment}")
    return dict(page.run("return [...document.querySelectorAll('.card h2')].map((e) => [e.firstChild.textContent, (e.querySelector('.hint') || e).innerText.trim()])"))


def test_few_or_no_samples_are_stated():
    for samples, words in ((0, "This recording has no samples."), (5, "Only 5 samples in the recording: shares are rough"), (1, "Only 1 sample in the recording")):
        profile = pages.Profile("few")
        profile.recording()
        profile.thread(1, 1, "prog")
        for time in range(samples):
            profile.sample(1000 * time, profile.stack(profile.frame("main")))
        for width, height in SIZES:
            page = show(profile.page(), "view=overview", width=width, height=height)
            shown = text(page, "#app")
            check(words in shown and "tally record -F 999" in shown, f"{samples} at {width}: {shown}")
    page = show(plain().page(), "view=overview")
    check("Only" not in text(page, "#app"), "many samples")
    go(page, "view=overview&span=0-500")
    check("Only 60 samples are selected: shares are rough" in text(page, ".caution"), text(page, ".caution"))
    silent(page)


def test_wide_overview_is_filled():
    """Check that no column of cards is empty below, and that all cards are in the window."""
    script = """
    const columns = new Map();
    for (const card of document.querySelectorAll('.card')) {
      const box = card.getBoundingClientRect(), x = Math.round(box.left);
      columns.set(x, Math.max(columns.get(x) || 0, box.bottom));
    }
    return [...columns.values()];
    """
    for profile, count in ((plain(), 3), (plain(30), 3), (changed(), 4)):
        page = show(profile.page(), "view=overview", width=1920, height=1080)
        ends = page.run(script)
        check(len(ends) == count, ends)
        if profile.annotations:
            check(max(ends) - min(ends) <= 100, f"holes: {ends}")
        check(max(ends) <= 1080, f"below the window: {ends}")
        names = page.run("return [...document.querySelectorAll('.card h2')].map((one) => one.firstChild.textContent)")
        check(names[-2:] == ["Threads", "Files, self"] and "Top functions, total" in names, names)
    silent(page)


def test_names_of_changes_fill_their_column():
    """Check that a name that fits into the column is shown in full, and no text is beyond it."""
    script = """
    const names = [...document.querySelectorAll('.card')].find((card) => card.innerText.startsWith('Changes')).querySelectorAll('.name .link');
    return [[...names].map((name) => name.innerText), [...names].filter((name) => name.scrollWidth > name.clientWidth + 1).length];
    """
    for width, height in SIZES:
        profile = changed()
        profile.strings = [text.replace(NAME, "lib::find_in_tables") for text in profile.strings]
        page = show(profile.page(), "view=overview", width=width, height=height)
        names, beyond = page.run(script)
        check(names and beyond == 0 and all("\u2026" not in name for name in names), f"at {width}: {names}")
    silent(page)


def test_phones_have_no_line_that_repeats_the_sum():
    page = show(plain().page(), "view=overview", width=390, height=844)
    hidden = "return getComputedStyle(document.querySelector('#chips')).display === 'none'"
    for fragment, is_hidden in (("view=functions", True), ("view=flame", False), ("view=functions&query=sym:main", False), ("view=overview", True)):
        go(page, fragment)
        check(page.run(hidden) == is_hidden, fragment)
    page = show(plain().page(), "view=overview")
    check(not page.run(hidden), "wide windows have space for it")
    silent(page)


def test_short_source_leaves_no_hole_on_phones():
    profile = plain()
    for kind in ("lines", "weights"):
        profile.annotations[0]["sources"][0][kind] = profile.annotations[0]["sources"][0][kind][:3]
    page = show(profile.page(), "view=source", width=390, height=844)
    heights = page.run("return [...document.querySelectorAll('.pane')].map((pane) => [pane.clientHeight, pane.lastElementChild.getBoundingClientRect().height])")
    check(heights[0][0] < heights[0][1] + 30, f"the source pane ends with its lines: {heights}")
    silent(page)


def test_stacks_in_time_of_two_recordings_have_the_colours_of_kinds():
    page = show(changed().page(), "view=stacks")
    check("program" in text(page, ".legend") and "points" not in text(page, ".legend"), text(page, ".legend"))
    page = show(changed().page(), "view=flame")
    check("points" in text(page, ".legend"), text(page, ".legend"))
    silent(page)


def test_times_of_the_timeline_do_not_overlap():
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "prog")
    for time in range(5):
        profile.sample(100000 * time, profile.stack(profile.frame("main")))
    page = show(profile.page(), "view=overview")
    page.run("""
    const paint = CanvasRenderingContext2D.prototype.fillText;
    window.painted = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      if (/^[0-9.]+ s$/.test(text))
        window.painted.push([x, x + this.measureText(text).width, text]);
      return paint.apply(this, arguments);
    };
    """)
    for width in (390, 340, 640):
        page.run("window.painted = []")
        page.resize(width, 844)
        texts = tap.wait_until(lambda: page.run("return window.painted"), f"times at {width}")
        check(all(one[1] < other[0] or other[1] < one[0] for one in texts for other in texts if one[2] != other[2]), f"at {width}: {texts}")
    silent(page)


def test_recording_without_samples_has_no_headline():
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "prog")
    page = show(profile.page(), "view=overview")
    check(text(page, ".heads") == "" and text(page, ".sum") == "no samples", (text(page, ".heads"), text(page, ".sum")))
    silent(page)


if __name__ == "__main__":
    tap.main(__name__)
