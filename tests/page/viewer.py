#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the page's viewer in headless Chromium, with a user's mouse and keys, and with attacks by hostile pages.

usage: viewer.py [TALLY] (pages are made by pages.py; with TALLY one of a recording is opened, too)
"""
import json
import os
import re
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import pages  # noqa: E402
import tap  # noqa: E402
from webdriver import browser  # noqa: E402

TALLY = sys.argv[1] if len(sys.argv) > 1 else None
SCRATCH = tempfile.TemporaryDirectory(prefix="tally-viewer-")

def check(holds, what):
    if not holds:
        raise AssertionError(what)


def wait(what, holds):
    """Wait until `holds()` returns a true value, and return it."""
    return tap.wait_until(holds, what)


def drawn(page):
    return page.run("return document.documentElement.dataset.drawn || document.documentElement.dataset.failed")


def show(text, fragment="", width=1280, height=860):
    """Open a page with these contents. No state from the previous page is kept."""
    page = browser()
    name = os.path.join(SCRATCH.name, f"{len(os.listdir(SCRATCH.name))}.html")
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    page.resize(width, height)
    page.log("browser")
    page.log("performance")
    page.go(f"file://{name}" + (f"#{fragment}" if fragment else ""))
    wait("the first view", lambda: drawn(page))
    return page


def silent(page):
    """Check that only the page itself was requested, and that the console is empty."""
    asked = [json.loads(entry["message"])["message"] for entry in page.log("performance")]
    urls = [event["params"]["request"]["url"] for event in asked if event["method"] == "Network.requestWillBeSent"]
    strange = [url for url in urls if not url.startswith(f"file://{SCRATCH.name}/")]
    check(not strange, f"it asked for {strange[:3]}")
    console = [entry["message"] for entry in page.log("browser")]
    check(not console, f"the console says {console[:3]}")


def settle(page):
    page.drawn()


def text(page, selector):
    settle(page)
    return page.run("const e = document.querySelector(arguments[0]); return e ? e.innerText : null", selector)


def state(page):
    """Return the URL fragment as a dictionary."""
    settle(page)
    fragment = page.run("return location.hash.slice(1)")
    return dict(part.split("=", 1) for part in fragment.split("&") if part)


def go(page, fragment):
    """Follow a link to this fragment, and wait until the page has processed and drawn it."""
    page.run("const [fragment] = arguments; return new Promise((done) => {"
             "window.addEventListener('hashchange', () => requestAnimationFrame(() => done(1)), {once: true}); location.hash = fragment; })", fragment)


def area(page, selector):
    settle(page)
    return page.run("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.x, r.y, r.width, r.height]", selector)


def samples(page):
    return int(re.match(r"[\d\u202f]+", text(page, ".sum")).group().replace("\u202f", ""))


def becomes(page, name, value):
    wait(f"{name}={value}", lambda: state(page).get(name) == value)


def functions(page):
    """Return the names in the table, from top to bottom."""
    settle(page)
    return page.run("return [...document.querySelectorAll('tr[data-row] td.name')].map((cell) => cell.innerText)")


def cell(page, row, share, selector=".flame"):
    """Return a position in the middle of a row of the flame graph, at this share of the graph's width."""
    x, y, width, _ = area(page, selector + " canvas")
    return x + share * width, y + 19 * row + 9


# ---- user actions ---------------------------------------------------------------------

def test_flame_graph_zooms_by_clicks_and_back():
    page = show(pages.small().page())
    check(samples(page) == 140, "all samples")
    page.click_at(*cell(page, 1, 0.1))  # main, the widest cell
    becomes(page, "zoom", "0")
    page.click_at(*cell(page, 2, 0.1))  # work, which is called by main
    becomes(page, "zoom", "0.1")
    check("work" in text(page, "#details-text"), "the cell is told")
    page.back()
    becomes(page, "zoom", "0")
    page.press("0")
    becomes(page, "zoom", None)
    silent(page)


def test_flame_graph_by_keys():
    page = show(pages.small().page())
    page.run("document.querySelector('.flame').focus()")
    page.press("Down", "Down", "Down")
    wait("what the cell is, aloud", lambda: "work" in text(page, "#status"))
    page.press("Right", "Enter")
    wait("zoom", lambda: "zoom" in state(page))
    page.press("Escape")
    becomes(page, "zoom", None)
    page.press("r")
    becomes(page, "reversed", "1")
    page.press("c", "v")
    becomes(page, "upward", "1")
    check(state(page).get("merged") == "1", "recursion collapsed")
    silent(page)


def test_reversed_and_collapsed_trees():
    page = show(pages.small().page(), "view=tree&reversed=1")
    names = functions(page)
    check(names[0] == "▾all" and any("memcpy" in name for name in names), names)
    page.run("location.hash = 'view=tree&zoom=0&merged=1'")
    wait("recursion", lambda: any("recurse" in name for name in functions(page)))
    row = [name for name in functions(page)].index(next(name for name in functions(page) if "recurse" in name))
    page.run("document.querySelector('.rows').focus()")
    page.press(*["Down"] * (row + 1), "Enter")
    wait("below it", lambda: sum("recurse" in name for name in functions(page)) == 1 and sum("memcpy" in name for name in functions(page)) >= 1)
    silent(page)


def test_search_marks_and_counts():
    page = show(pages.small().page())
    page.press("/")
    page.type("#search", "work\ue007")
    becomes(page, "search", "work")
    # 8 (4 + 3 + 1) of 14 samples
    wait("its share", lambda: text(page, "#found") == "1 function, 57.14%")
    go(page, "view=functions&search=" + "%2F%5E(work%7Cleaf)%24%2F")
    check(sorted(functions(page)) == ["leaf", "work"], functions(page))
    # Half a word is typed, and then the URL's hash changes before the input has been processed.
    page.run("const box = document.querySelector('#search'); box.value = 'wo'; box.dispatchEvent(new Event('input')); "
             "location.hash = 'view=functions&search=leaf'; return new Promise((done) => setTimeout(() => done(1), 1000))")
    check(state(page)["search"] == "leaf", state(page))
    silent(page)


def test_query_narrows_all_views():
    page = show(pages.small().page(), "view=functions")
    page.press(":")
    page.type("#query", "comm:worker -sym:vfs_read\ue007")
    wait("fewer", lambda: samples(page) == 20)
    check("vfs_read" not in functions(page), "it is not there")
    for query, count in (("sym:=recurse", 20), ("self-sym:memcpy", 50), ("dso:libc.so", 50), ("self-sym:work", 50), ("tid:11", 40), ("cpu:1", 40),
                         ("time:0%25-49.9%25", 70), ("time:1,1.2", 21), ("==worker", 40), ("WORKER", 0), ("sym:/^v.s_(read%7Cwrite)%24/", 20)):
        go(page, "view=functions&query=" + query)
        wait(f"{query}: {count}", lambda count=count: samples(page) == count)
    silent(page)


def test_query_that_is_wrong_is_told():
    page = show(pages.small().page())
    for query, why in (("nope:x", "fields are"), ("sym:/(/", "'(' without ')'"), ("cpu:x", "numbers and ranges"), ("time:5", "a time is"), ('"x', "quote"),
                       ("sym:/(a{99}){99}/", "repeats too much"), ("sym:/x\\1/", "back-references")):
        page.run("location.hash = 'query=' + encodeURIComponent(arguments[0])", query)
        wait(f"{query}: {why}", lambda why=why: why in (text(page, "#query-error") or ""))
        check(samples(page) == 0, "nothing is selected")
    silent(page)


def test_brush_selects_a_span():
    page = show(pages.small().page(), "view=functions")
    x, y, width, _ = area(page, "#strip canvas")
    x, width = x + 202, width - 218  # to the right of the timeline's label
    page.mouse((x + width * 0.25, y + 20), "down", (x + width * 0.3, y + 20), (x + width * 0.5, y + 20), "up")
    wait("a span", lambda: "span" in state(page))
    check(30 <= samples(page) <= 40, samples(page))
    page.press("x")
    becomes(page, "span", None)
    page.run("document.querySelector('#strip').focus()")
    page.press("Right", *["Right"] * 10, "Space", *["Right"] * 20, "Space")
    wait("a span by keys", lambda: "span" in state(page))
    check(20 <= samples(page) <= 40, samples(page))
    silent(page)


def lost_pixels(page):
    return page.run("""const canvas = document.querySelector(".lanes canvas"), data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let found = 0;
        for (let i = 0; i < data.length; i += 4) found += data[i] === 124 && data[i + 1] === 10 && data[i + 2] === 107;
        return found""")


def test_time_lines_select_threads():
    page = show(pages.small().page(), "view=time")
    x, y, width, _ = area(page, ".lanes canvas")
    page.click_at(x + 20, y + 45)  # second track: worker
    becomes(page, "threads", "1")
    check(samples(page) == 40, samples(page))
    page.mouse((x + width * 0.5, y + 15), "down", (x + width * 0.7, y + 15), (x + width * 0.8, y + 15), "up")
    wait("a span", lambda: "span" in state(page))
    page.press("Escape", "Escape")
    wait("neither", lambda: not {"span", "threads"} & set(state(page)))
    page.press("b")
    becomes(page, "by", "cpu")
    check(lost_pixels(page) > 0, "the loss is drawn on its CPU")
    late = pages.small()
    late.losses = [(0, 1 << 40, 1, 5)]
    page = show(late.page(), "view=time&by=cpu")
    check(lost_pixels(page) > 0, "a loss behind the last sample is drawn at the end")
    late.losses = []
    page = show(late.page(), "view=time&by=cpu")
    check(lost_pixels(page) == 0, "without losses there is none of their colour")
    silent(page)


def test_heatmap_selects_a_span():
    page = show(pages.small().page(), "view=heat")
    x, y, width, height = area(page, ".heat canvas")
    page.mouse((x + 230, y + height * 0.5), "down", (x + 260, y + height * 0.4), "up")
    wait("a span", lambda: "span" in state(page))
    check(0 < samples(page) < 140, samples(page))
    silent(page)


def test_callers_and_callees():
    page = show(pages.small().page(), "view=functions")
    page.run("document.querySelector('.rows').focus()")
    names = functions(page)
    page.press(*["Down"] * (names.index("memcpy") + 1), "Enter")
    becomes(page, "view", "sandwich")
    wait("the function", lambda: "memcpy: 35.71%" in (text(page, ".pivot") or ""))
    x, y, width, height = area(page, ".sandwich .flame canvas")
    page.click_at(x + width * 0.1, y + height - 9)  # memcpy's direct caller
    wait("that one", lambda: "memcpy" not in text(page, ".pivot"))
    page.back()
    wait("back", lambda: "memcpy" in text(page, ".pivot"))
    silent(page)


def test_source_is_shown():
    page = show(pages.small().page())
    page.run("document.querySelector('.flame').focus()")
    page.press("Down", "Down", "Down", "a")
    becomes(page, "view", "source")
    shown = wait("the panes", lambda: text(page, ".panes"))
    check("mov eax, 1" in shown and "{ return 1; }" in shown and "70.00%" in shown, shown)
    page.click(".listing .link")
    check("{ return 1; }" in text(page, "tr.chosen"), "the line of an instruction")
    go(page, "")
    page.run("document.querySelector('.flame').focus()")
    page.press("Home", "Down", "Down", "Down", "a")  # leaf, which is inlined into work
    becomes(page, "view", "source")
    wait("the code that it is inlined into", lambda: "mov eax, 1" in (text(page, ".panes") or ""))
    silent(page)


def test_two_recordings():
    page = show(pages.two_recordings().page(), "view=functions&sort=change")
    rows = page.run("return [...document.querySelectorAll('tr[data-row]')].map((row) => row.innerText.replace(/\\s+/g, ' '))")
    check(any("parse" in row and "20.00%" in row and "40.00%" in row and "+20.00" in row for row in rows), rows)
    check(any("format" in row and "\u221280.00" in row for row in rows), rows)
    go(page, "widths=before")
    page.click_at(*cell(page, 2, 0.1))
    wait("the heaviest before", lambda: "format" in text(page, "#details-text"))
    check("before 80.00%, after 0.00%: \u221280.00 points" in text(page, "#details-text"), text(page, "#details-text"))
    silent(page)


def test_links_have_everything():
    page = show(pages.small().page(), "view=functions&span=100000-700000&threads=0&query=sym%3Awork&sort=total&ascending=1")
    check(0 < samples(page) < 140, "the span counts")
    chips = text(page, "#chips")
    check("0.1" in chips and "prog 10" in chips and "sym:work" in chips, chips)
    check(page.run("return document.querySelector('th[aria-sort]').innerText").startswith("Total"), "the order")
    go(page, "view=nonsense&event=7&span=9-1&threads=99999&zoom=1.x&pivot=-4&query=%E0%A4%A&sort=__proto__&toString=1")
    check(samples(page) == 140, "what is wrong in a link is left out")
    silent(page)


def test_help_and_whole_names():
    page = show(pages.small().page())
    page.press("?")
    wait("help", lambda: "mark functions" in (text(page, "dialog") or ""))
    page.press("Escape")
    wait("it is closed", lambda: text(page, "dialog") is None)
    page.run("document.querySelector('.flame').focus()")
    page.press("Down", "Down", "w")
    wait("names", lambda: "/usr/bin/prog" in (text(page, "dialog") or ""))
    page.press("Escape")
    silent(page)


def test_all_views_by_keys_and_in_a_narrow_window():
    page = show(pages.small().page(), width=320, height=640)
    for key, name in enumerate(("overview", "functions", "flame", "sandwich", "source", "time", "heat", "tree"), 1):
        page.press(str(key))
        wait(name, lambda name=name: state(page).get("view", "flame") == name)
        wide = page.run("return document.documentElement.scrollWidth")
        check(wide <= 320, f"{name} is {wide} pixels wide")
    silent(page)


def test_dark_and_light():
    page = show(pages.small().page())
    ground = "return getComputedStyle(document.body).backgroundColor"
    page.scheme("dark")
    wait("dark", lambda: page.run(ground) == "rgb(20, 23, 28)")
    page.press("T")
    wait("light again", lambda: page.run(ground) == "rgb(255, 255, 255)")
    page.scheme("light")
    silent(page)


def test_table_for_screen_readers():
    page = show(pages.small().page(), "view=functions")
    found = page.run("""const table = document.querySelector("table");
        return [table.getAttribute("role"), table.getAttribute("aria-rowcount"), document.querySelector("[aria-sort]").getAttribute("aria-sort")]""")
    check(found == ["grid", "10", "descending"], found)
    go(page, "view=tree")
    check(page.run("return document.querySelector('tr[aria-level=\"2\"]').getAttribute('aria-expanded')") in ("true", "false"), "levels")
    unnamed = page.run("""return [...document.querySelectorAll("button, input, select, [role=application]")]
        .filter((e) => !(e.getAttribute("aria-label") || e.innerText || e.closest("label"))).length""")
    check(unnamed == 0, f"{unnamed} have no name")


# ---- hostile pages ---------------------------------------------------------------------

HOSTILE = ["<script>window.hit = 1</script>", "<img src=x onerror='window.hit = 1'>", "</script><script>window.hit = 1</script>", "\"'><b>x", "a\u202eb\u2066c",
           "line\nfeed\r\x00\x1b[31m", "\u2028\u2029", "__proto__", "constructor", "javascript:window.hit=1", "]]><!--", "{{7*7}}", "e" + "\u0301" * 500, "\ufeff\u200b\U000e0041"]


def hostile_profile():
    profile = pages.Profile(HOSTILE[2])
    profile.meta["events"] = [{"name": HOSTILE[1], "unit": "ns"}, {"name": HOSTILE[4], "unit": "events"}]
    profile.meta["notes"] = HOSTILE
    profile.meta["generator"] = HOSTILE[0]
    profile.recording(HOSTILE[0], header=[[name, name] for name in HOSTILE], health=HOSTILE)
    root = profile.frame("x" * 100000)
    for number, name in enumerate(HOSTILE):
        frame = profile.frame(name, "/" + name)
        thread = profile.thread(number, number, name)
        for i in range(10):
            profile.sample(1000 * i, profile.stack(root, frame), thread, event=0)
        profile.sample(5, profile.stack(frame), thread, event=1)
    profile.annotations = [{"frame": 1, "name": HOSTILE[0], "file": HOSTILE[1], "samples": 1, "weight": 1, "event": 0,
                            "rows": [{"addr": HOSTILE[0], "text": HOSTILE[1], "weight": 1, "samples": 1}],
                            "sources": [{"file": HOSTILE[0], "first": 1, "lines": HOSTILE, "weights": [1]}]}]
    return profile


def test_hostile_names_are_text():
    page = show(hostile_profile().page())
    elements = "return document.querySelectorAll('img, b, script:not([type])').length"
    for view in ("overview", "functions", "flame", "sandwich&pivot=3", "source", "time", "heat", "tree"):
        for event in (0, 1):
            go(page, f"view={view}&event={event}")
            check(page.run("return window.hit === undefined") is True, f"{view}: a name ran")
            check(page.run(elements) == 1, f"{view}: a name is markup")
            raw = page.run(r"return /[\u202a-\u202e\u2066-\u2069\u0000\u001b\u200b]/.test(document.querySelector('#app').textContent)")
            check(raw is False, f"{view}: a character that is not seen is there as it is")
    go(page, "view=functions&search=line")
    check(functions(page) == ["line\\u{a}feed\\u{d}\\u{0}\\u{1b}[31m"], functions(page))
    go(page, "view=functions&search=xxxx")
    check(len(functions(page)[0]) <= 110, "cut")
    page.run("document.querySelector('.rows').focus()")
    page.press("Down", "w")
    wait("whole", lambda: "x" * 100000 in (text(page, "dialog") or ""))
    page.press("Escape", "d", "f")
    wait("a query of it", lambda: "query" in state(page))
    silent(page)


def processor_time(page):
    """Return the CPU time used by the page, in seconds."""
    page.chrome("Performance.enable", timeDomain="threadTicks")
    return next(one["value"] for one in page.chrome("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")


def test_hostile_patterns_end():
    profile = pages.Profile()
    profile.recording()
    profile.thread(1, 1, "t")
    for i in range(1500):
        profile.sample(i, profile.stack(profile.frame(("ab" * 500) + str(i))))
    page = show(profile.page(), "view=functions")
    for pattern in ("(a*)*c", "(a|b|ab)*c", "a.{50}a.{50}c", "((a{0,5}){0,5}){0,5}c", "(.*)(.*)(.*)(.*)(.*)c"):
        before = processor_time(page)
        page.run("location.hash = 'view=functions&query=' + encodeURIComponent('sym:/' + arguments[0] + '/')", pattern)
        wait(pattern, lambda: samples(page) == 0 or text(page, "#query-error"))
        used = processor_time(page) - before
        check(used < 60, f"{pattern} takes {used} s of the processor")
        go(page, "view=functions")
    silent(page)


def broken_pages():
    meta, data = pages.small().encode()
    good = pages.page(meta, data)
    yield "cut", re.sub(r'(id="tally-data">.{200}).*?<', r"\1<", good, flags=re.S), "its data"
    yield "no JSON", re.sub(r'(id="tally-meta">)', r"\1{", good), "not valid JSON"
    yield "no base64", re.sub(r'(id="tally-data">)', r"\1*", good), "base64"
    yield "format", pages.page({**meta, "format": 2}, data), "its data format does not match"
    yield "events", pages.page({**meta, "events": [None]}, data), "no events"
    yield "recordings", pages.page({**meta, "recordings": [{**meta["recordings"][0], "origin": "zz"}]}, data), "the list of recordings is missing or invalid"
    yield "short", pages.page(meta, data[:-9]), "shorter"
    yield "long", pages.page(meta, data + b"123"), "longer"
    yield "bomb", pages.page(meta, b"\0" * 20000000), "longer"
    yield "no deflate", pages.page_of(meta, b"\xff" * 200), "cannot be decompressed"
    other = zlib.compress(data[:-1] + bytes([data[-1] ^ 1]))[:-4] + zlib.compress(data)[-4:]
    yield "one bit", pages.page_of(meta, other), "cannot be decompressed"
    for name, change in (("node_parent", {"as": "varint"}), ("sample_node", {"as": "wood"}), ("sample_time", {"count": 1 << 30}), ("frame_name", {"count": 3}),
                         ("string_bytes", {"count": -1}), ("sample_weight", {"name": "other"})):
        columns = [{**column, **change} if column["name"] == name else column for column in meta["columns"]]
        yield f"{name} {change}", pages.page({**meta, "columns": columns}, data), "tree" if name == "node_parent" else "column"
    bad = pages.small()
    bad.samples[0] = (0, 0, 9999, 0, 0, 0, 1)
    yield "a node that is not there", bad.page(), "has an index out of range"
    bad = pages.small()
    bad.nodes[1] = (5, 0)
    yield "no tree", bad.page(), "is not a tree"
    yield "no columns", pages.page({**meta, "columns": {}}, b""), "the list of columns is missing"


def test_broken_data_are_told():
    for name, broken, why in broken_pages():
        page = show(broken)
        told = text(page, ".failure") or ""
        check(why in told and "damaged" in told, f"{name}: {told!r}")


def test_file_without_its_end():
    text_of = pages.small().page()
    name = os.path.join(SCRATCH.name, "cut.html")
    with open(name, "w", encoding="utf-8") as file:
        file.write(text_of[:text_of.index('id="tally-data">') + 100])
    page = browser()
    page.go("file://" + name)
    check("the file was cut" in text(page, "#app"), "what is missing is told without a viewer")


def test_browser_without_decompression_is_told():
    page = browser()
    script = page.chrome("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")["identifier"]
    try:
        check("DecompressionStream" in text(show(pages.small().page()), ".failure"), "it is told")
    finally:
        page.chrome("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def test_empty_recording():
    profile = pages.Profile(unit=0)
    profile.recording()
    page = show(profile.page())
    for key in "12345678":
        page.press(key)
    wait("the last view", lambda: state(page).get("view") == "tree")
    silent(page)


def test_pages_of_recordings():
    if not TALLY:
        raise tap.Skip("no tally was given")
    folder = os.path.join(HERE, "..", "fixtures", "perfdata")
    for name in ("perf61/dwarf.data", "perf61/lost.data", "perf61/each-thread.data", "perf61/several.data", "arm64/tally-frames.data"):
        output = os.path.join(SCRATCH.name, os.path.basename(name) + ".html")
        made = tap.run(TALLY, "report", "--html", output, "-i", os.path.join(folder, name))
        check(made.returncode == 0, made.stderr)
        with open(output, encoding="utf-8") as file:
            page = show(file.read())
        check(samples(page) > 0, f"{name}: no sample")
        for key in "12345678":
            page.press(key)
        wait(f"{name}: the last view", lambda: state(page).get("view") == "tree")
        silent(page)


if __name__ == "__main__":
    tap.main(__name__)
