#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measure the response times of a `tally report --html` page in headless Chromium. The results are medians of five
rounds.

usage: page.py [PAGE]    (default: generate a page with a million samples and 100,000 call tree nodes)
"""
import os
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "page"))
import pages  # noqa: E402
import webdriver  # noqa: E402

ROUNDS = 5
# Steps to measure, with their URL fragments. {} is replaced by the round number, so that results of the previous round
# cannot be reused.
STEPS = (("all again", "column=10{}"), ("redraw", "column={}"), ("zoom", "zoom={zoom}"), ("zoom out", "column={}"), ("search", "search=function_{}"), ("span", "span={}00000-5000000"),
         ("query", "query=sym%3A%2Ffunction_{}.*int%2F"), ("reversed", "reversed=1&span={}-9000000"), ("functions", "view=functions&span={}-9000000"),
         ("stacks in time", "view=stacks&lane={}"), ("own code", "view=functions&noinline=1&merge={}"), ("by thread", "group=thread&merge={}"), ("overview", "view=overview&merge={}"),
         ("time", "view=time&query=-tid%3A10{}"), ("heatmap", "view=heat&query=-tid%3A10{}"))


CHANGE = """
const [fragment] = arguments, {dataset} = document.documentElement, times = [];
const watcher = new MutationObserver(() => times.push([Number(dataset.redraw), Number(dataset.longest)]));
watcher.observe(document.documentElement, {attributes: true, attributeFilter: ["data-drawn"]});
location.hash = fragment;
return new Promise((done) => {
  const look = (seen) => times.length && times.length === seen ? done(times) : setTimeout(() => look(times.length), 250);
  look(0);
});
"""


def step(browser, fragment):
    """Switch to a URL fragment, and return the milliseconds that the script takes to draw the view, and those of its
    longest slice, between which the browser handles input. A view that changes its size is drawn twice."""
    times = browser.run(CHANGE, fragment if "view=" in fragment else "view=flame&" + fragment)
    return sum(redraw for redraw, _ in times), max(longest for _, longest in times)


def first_view(browser, url):
    """Load a page, and return the milliseconds from navigation to the first view."""
    browser.go("about:blank")
    browser.go(url)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        shown = browser.run("return document.documentElement.dataset.firstView")
        if shown:
            time.sleep(0.5)
            return float(shown)
        time.sleep(0.02)
    raise SystemExit("the page did not load")


def zoom_of(browser):
    """Click a wide cell a few rows down, and return the zoom path that it selects."""
    step(browser, "view=flame")
    area = browser.run("const r = document.querySelector('.flame canvas').getBoundingClientRect(); return [r.x, r.y]")
    browser.click_at(area[0] + 10, area[1] + 19 * 6 + 9)
    time.sleep(0.3)
    fragment = browser.run("return location.hash.slice(1)")
    return dict(part.split("=", 1) for part in fragment.split("&") if part).get("zoom", "0")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(scratch, "large.html")
        if len(sys.argv) < 2:
            with open(path, "w", encoding="utf-8") as file:
                file.write(pages.large().page())
        browser = webdriver.start()
        try:
            print(f"| size of the page | {os.path.getsize(path) / 1e6:.1f} MB |")
            first = [first_view(browser, "file://" + path) for _ in range(ROUNDS)]
            print(f"| first view, since navigation | {statistics.median(first):.0f} ms |")
            zoom = zoom_of(browser)
            rounds = {name: [] for name, _ in STEPS}
            for number in range(1, ROUNDS + 1):
                for name, fragment in STEPS:
                    rounds[name].append(step(browser, fragment.format(number, zoom=zoom)))
            for name, values in rounds.items():
                whole, longest = zip(*values)
                print(f"| {name}, script; longest slice | {statistics.median(whole):.1f} ms; {statistics.median(longest):.1f} ms, at most {max(longest):.1f} ms |")
        finally:
            browser.close()


main()
