#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Show pages of recordings from other sources in Chromium, in all views. The browser's console must stay empty, and
each event must have the same number of samples and the same heaviest function as in the report. With TALLY_LONG=1, the
pages of every fixture are shown.

usage: shown_fixtures.py TALLY FIXTURES SHARED
"""
import html
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")

import fixtures  # noqa: E402
import tap  # noqa: E402
from webdriver import browser, Failure  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
SETS = fixtures.sets(*sys.argv[2:4])
LONG = bool(os.environ.get("TALLY_LONG"))
WORK = tempfile.TemporaryDirectory(prefix="tally-shown-")
# Recordings shown by default: with one event and with several, without callchains, without timestamps, in the other
# byte order, damaged, and empty.
SOME = ("perf61/frames.data", "perf61/several.data", "tally/nothing.data", "bigendian-twins/dwarf.data.be", "perf61/traced-stream.data",
        "damaged/fuzz-chain.stream.data", "arm64/perf-kernel.data", "riscv/bare-metal.data")
MOST_BYTES, EVERY = 200000, 16  # default limits for the shared set
SHOWN = """
const {dataset} = document.documentElement, failure = document.querySelector(".failure"), sum = document.querySelector("#chips .sum");
return {drawn: Number(dataset.drawn || 0), failed: failure && failure.textContent, sum: sum && sum.textContent};
"""
GO = """
location.hash = arguments[0];
return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))));
"""
HEAVIEST = """
const row = document.querySelector("#panel tr[data-row='0']");
const titles = [...document.querySelectorAll("#panel th")].map((cell) => cell.textContent);
const at = (title) => row.cells[titles.findIndex((text) => text.startsWith(title))].textContent;
return row && {samples: at("Samples"), name: at("Function")};
"""

def count(text):
    """Parse a number as formatted by the page."""
    return int(re.sub(r"\s", "", text))


def reported(path):
    """Return (name, number of samples, rows) for each event that has samples."""
    run = tap.run(TALLY, "report", "--json", "--no-children", "-g", "none", "-s", "dso,symbol", "-i", path, timeout=600)
    if not run.stdout:
        return None
    events = json.loads(run.stdout)["events"]
    return [(event["event"], event["samples"], event["rows"]) for event in events if event["samples"]]


def page_of(path):
    """Return the path of the recording's page, or None on failure."""
    made = os.path.join(WORK.name, "page.html")
    if os.path.exists(made):
        os.remove(made)
    tap.run(TALLY, "report", "-i", path, "--html", made, timeout=600)
    return made if os.path.exists(made) else None


def opened(page, path):
    """Open the page, and wait until it has been drawn."""
    browser().go("about:blank")
    browser().log("browser")
    browser().go("file://" + page)

    def ready():
        shown = browser().run(SHOWN)
        return shown if shown["drawn"] or shown["failed"] else None
    shown = tap.wait_until(ready, f"the first view of {path}")
    assert not shown["failed"], f"{path}: {shown['failed']}"


def check_heaviest(path, number, rows):
    """Check the heaviest function. In a report, each row of unnamed code is one address; in a page, all such code is
    one function."""
    browser().run(GO, f"#view=functions&sort=samples&event={number}")
    heaviest = browser().run(HEAVIEST)
    most = max(row["self_samples"] for row in rows)
    names = [row["symbol"].split("] ", 1)[-1] for row in rows if row["self_samples"] == most]
    assert heaviest, f"{path}: event {number} has no functions"
    if sum(row["self_samples"] for row in rows if row["symbol"].split("] ", 1)[-1].startswith("0x")) >= most:
        return
    tap.same(count(heaviest["samples"]), most, f"{path}: event {number}: samples of the heaviest function")
    if len(names) == 1 and re.fullmatch(r"[A-Za-z_]\w*", names[0]):
        tap.same(heaviest["name"], names[0], f"{path}: event {number}: the heaviest function")


def check_events(path, events, meta):
    """Check the text about each event on the page."""
    left = list(events)
    for number, event in enumerate(meta["events"]):
        browser().run(GO, f"#event={number}")
        shown = browser().run(SHOWN)
        found = next((one for one in left if one[0] == event["name"]), None)
        tap.same(count(re.split(" samples?", shown["sum"])[0]), found[1] if found else 0, f"{path}: samples of {event['name']}")
        if found:
            left.remove(found)
            check_heaviest(path, number, found[2])
    tap.same([one[0] for one in left], [], f"{path}: events that the page does not have")


def check_views(path):
    views = browser().run('return [...document.querySelectorAll(".tabs button")].map((tab) => tab.dataset.view)')
    assert len(views) > 5, views
    for view in views:
        browser().run(GO, "#view=" + view)
        current = browser().run('return document.querySelector(".tabs button[aria-current]").dataset.view')
        tap.same(current, view, f"{path}: view")
        assert browser().run('return document.querySelector("#panel").textContent.length + document.querySelectorAll("#panel canvas").length')


def check_page(path):
    """Check the page of a recording. Return false if there is no page."""
    events, page = reported(path), page_of(path)
    if page is None:
        assert not events, f"{path} has samples and no page"
        return False
    with open(page, encoding="utf-8") as file:
        text = file.read()
    meta = json.loads(html.unescape(re.search(r'id="tally-meta">(.*?)</script>', text, re.S).group(1)))
    opened(page, path)
    check_events(path, events or [], meta)
    check_views(path)
    said = [(entry["level"], entry["message"]) for entry in browser().log("browser")]
    tap.same(said, [], f"{path}: what the console has")
    return True


def check_recordings(one):
    files = [path for path in one.files() if LONG or os.path.isfile(path)]
    if not LONG:
        files = [path for path in files if path.endswith(SOME)] if one.own else \
            [path for path in files if os.path.getsize(path) < MOST_BYTES][::EVERY]
    nr, wrong = 0, []
    for path in files:
        try:
            nr += check_page(path)
        except (AssertionError, Failure) as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong)
    assert nr > len(files) * 2 / 3, f"{nr} pages of {len(files)} recordings"


fixtures.add_tests(sys.modules[__name__], SETS, check_recordings)
try:
    tap.main(__name__)
finally:
    WORK.cleanup()
