#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test report --svg: compare boxes with the rows of the report, and test hostile names, output files, and rendering in
a browser.

usage: svg.py TALLY
"""
import collections
import json
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import browser_data  # noqa: E402
import browser_hostile  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from browser_data import START, Layout  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("svg")
DATA, ROOT = os.path.join(WORK, "perf.data"), os.path.join(WORK, "root")
SPACE = "{http://www.w3.org/2000/svg}"
ROW = 17
Box = collections.namedtuple("Box", "name samples left top width label kind")
# Elements permitted in a document, and their attributes.
KNOWN = {"metadata": set(), "svg": {"version", "width", "height", "viewBox", "role"}, "title": set(), "style": set(), "g": {"class"},
         "rect": {"class", "x", "y", "width", "height"}, "text": {"class", "x", "y"}}


def setup():
    browser_data.write_recording(DATA)
    browser_data.write_files(ROOT)


def svg_text(*options, data=DATA):
    run = tap.run(TALLY, "report", "-i", data, "--symfs", ROOT, "--svg", "-", *options, text=False, status=0)
    return run.stdout.decode("utf-8")


def report(*options, data=DATA):
    run = tap.run(TALLY, "report", "-i", data, "--symfs", ROOT, "--json", "--children", "-s", "symbol", *options, status=0)
    return json.loads(run.stdout)["events"]


def graphs_of(text):
    """Return the boxes in each graph, by level."""
    found = []
    for group in ElementTree.fromstring(text).iter(SPACE + "g"):
        title, rect, label = (group.find(SPACE + what) for what in ("title", "rect", "text"))
        if title is None:
            continue  # part of the legend
        name, numbers = title.text.rsplit("\n", 1)
        if group.get("class") == "all":
            found.append([])
        found[-1].append(Box(name.rsplit(" in ", 1)[0], int(re.search(r"% ?, (\d+) sample", numbers).group(1)),
                             *(float(rect.get(side)) for side in ("x", "y", "width")), "" if label is None else label.text,
                             group.get("class")))
    return found


def below(box, other):
    """Return true if a box is below another one, at any distance."""
    return other.top > box.top and other.left >= box.left - 0.15 and other.left + other.width <= box.left + box.width + 0.15


def samples_of(boxes, name):
    """Return a function's total number of samples: those in its boxes that are not below another box of the same
    function."""
    own = [box for box in boxes if box.name == name]
    return sum(box.samples for box in own if not any(below(other, box) for other in own))


def test_boxes_are_the_rows():
    boxes, = graphs_of(svg_text())
    event, = report()
    tap.same(boxes[0].samples, event["samples"], "samples of the root")
    rows = {row["symbol"].split("] ", 1)[1]: row["total_samples"] for row in event["rows"] if row["symbol"].startswith("[.]")}
    assert len(rows) > 8, rows
    for name, samples in rows.items():
        tap.same(samples_of(boxes, name), samples, name)


def test_boxes_are_on_their_callers():
    boxes, = graphs_of(svg_text())
    levels = collections.defaultdict(list)
    for box in boxes:
        levels[box.top].append(box)
    assert len(levels) > 5, levels
    for top, row in levels.items():
        row.sort(key=lambda box: box.left)
        for one, other in zip(row, row[1:]):
            assert one.left + one.width <= other.left + 0.15, (one, other)
        for box in row:
            up = [other for other in levels.get(top - ROW, []) if below(other, box)]
            tap.same(len(up), 1 if top - ROW in levels else 0, f"what {box} stands on")
            assert abs(box.width / boxes[0].width - box.samples / boxes[0].samples) < 0.001, box


def test_labels_fit_and_kinds_have_colours():
    boxes, = graphs_of(svg_text())
    for box in boxes:
        assert len(box.label) * 7.3 <= max(box.width - 5, 0), box
    kinds = {box.name: box.kind[0] for box in boxes}
    tap.same((kinds["main"], kinds["price_of"], kinds["[kernel]"]), ("u", "l", "k"), "kinds")
    style = re.search(r"<style>(.*?)</style>", svg_text(), re.S).group(1)
    dark = style.split("prefers-color-scheme:dark")[1]
    for kind in {box.kind for box in boxes}:
        assert f".{kind} rect{{fill:" in style and f".{kind} rect{{fill:" in dark, kind


def test_an_event_alone():
    path = os.path.join(WORK, "two.data")
    browser_data.write_recording(path, events=2)
    graphs, second = graphs_of(svg_text(data=path)), graphs_of(svg_text("--event-number", "2", data=path))
    tap.same((len(graphs), len(second)), (2, 1), "graphs")
    tap.same([box.samples for box in second[0]], [box.samples for box in graphs[1]], "boxes of the second one")


def test_filters_hold():
    """Check that with every filter, the root has as many samples as the report."""
    whole = report()[0]["samples"]
    for options in (["--tid", "101"], ["--comms", "shop"], ["-C", "1"], ["--query", "sym:find_item -sym:price_of"],
                    ["--symbols", "discount"], ["--time", "1.2,1.5"], ["--dsos", "libprice.so.1"]):
        found = graphs_of(svg_text(*options))
        tap.same(sum(boxes[0].samples for boxes in found), sum(event["samples"] for event in report(*options)), options)
        if options[0] != "--comms":
            assert 0 < found[0][0].samples < whole, options
    assert f"70 of {whole} samples of event" in svg_text("--symbols", "discount"), "a share is told as one"
    boxes, = graphs_of(svg_text("--symbol-filter", "walk_"))
    tap.same(boxes[0].samples, 90, "samples of functions with 'walk_' in their names")


def test_nothing_selected_is_told():
    run = tap.run(TALLY, "report", "-i", DATA, "--svg", "-", "--comms", "nobody", status=0)
    tap.same(graphs_of(run.stdout), [], "graphs")
    assert "no samples to draw" in run.stdout and "exclude all rows" in run.stderr, run


def weighted(name, periods):
    """Write a recording with one sample for each of these periods, each in a function of its own."""
    layout = Layout()
    return browser_hostile.write(WORK, name, [layout.sample(100, 0, START + i, browser_hostile.chain_of([i]), period=period)
                                              for i, period in enumerate(periods)], layout)


def test_what_is_too_narrow_is_told():
    data = weighted("narrow", [10000, 9, 9, 9000])
    text = svg_text(data=data)
    assert "2 frames too narrow (below 0.10%) are not drawn, nor are their callees" in text, text
    tap.same(len(graphs_of(text)[0]), 3, "boxes")
    text = svg_text("--percent-limit", "0.02", data=data)
    assert "too narrow" not in text, text
    tap.same(len(graphs_of(text)[0]), 5, "boxes with a lower limit")
    tap.same(len(graphs_of(svg_text("--percent-limit", "50", data=data))[0]), 2, "boxes with a higher limit")


def test_deep_stacks_end():
    data = browser_hostile.deep(WORK, None)
    text = svg_text("--max-stack", "8000", data=data)
    assert "at the last level, without their callees" in text, text[-500:]
    assert len(text) < 8 << 20, len(text)


def test_health_is_below_it():
    run = tap.run(TALLY, "report", "-i", DATA, "--symfs", ROOT, "--health")
    first = next(line for line in run.stdout.splitlines() if line.startswith("# Health"))
    texts = [text.text for text in ElementTree.fromstring(svg_text()).iter(SPACE + "text")]
    assert any(text.startswith("Health: ") and text[8:40] in first for text in texts), (first, texts[-5:])
    assert "Health" not in svg_text("-q")


def check_harmless(text, what):
    """Check that a text contains neither unexpected elements nor invisible characters."""
    for element in ElementTree.fromstring(text).iter():
        name = element.tag.replace(SPACE, "")
        assert name in KNOWN and set(element.attrib) <= KNOWN[name], (what, name, element.attrib)
    bad = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]", text)
    assert not bad, (what, bad)
    assert "url(" not in text and "@import" not in text, what


MARKUP = ("<script>alert(1)</script>", "]]><a href='x'>", "&lt;b&gt; \" onload=\"x", "</title><rect width='9'/>", "\ufffe\uffff",
          "{fill:red}", "--><!--")


def test_hostile_names():
    folder, root = os.path.join(WORK, "hostile"), os.path.join(WORK, "hostile-root")
    os.makedirs(folder)
    recordings = browser_hostile.write_all(folder, root, 7)
    for path in recordings:
        run = tap.run(TALLY, "report", "-i", path, "--symfs", root, "--svg", "-", text=False, status=0)
        check_harmless(run.stdout.decode("utf-8"), path)
        assert len(run.stdout) < 16 << 20, (path, len(run.stdout))


def test_markup_in_names():
    root = os.path.join(WORK, "markup-root")
    browser_data.write_files(root, renamed=dict(zip(browser_data.OF_PROGRAM, MARKUP)))
    odd = os.path.join(WORK, "a<b>&\"'.data")
    shutil.copy(DATA, odd)
    run = tap.run(TALLY, "report", "-i", odd, "--symfs", root, "--svg", "-")
    check_harmless(run.stdout, "markup")
    names = {box.name for box in graphs_of(run.stdout)[0]}
    for name in MARKUP:
        shown = name.replace("\ufffe\uffff", "\\ufffe\\uffff")
        assert shown in names, (shown, names)
    tap.same(ElementTree.fromstring(run.stdout).find(SPACE + "title").text, "Flame graph of a<b>&\"'.data", "title")


def test_xmllint_takes_it():
    machine.need_tool("xmllint", "--version")
    run = tap.run("xmllint", "--noout", "--nonet", "-", input=svg_text())
    tap.same((run.returncode, run.stderr), (0, ""), "xmllint")


def test_several_events():
    data = browser_hostile.two_events(WORK, browser_hostile.random.Random(3))
    found, events = graphs_of(svg_text(data=data)), report(data=data)
    tap.same([boxes[0].samples for boxes in found], [event["samples"] for event in events], "samples of each event")
    tap.same(len(found), 2, "graphs")


def test_replaces_the_file():
    path = os.path.join(WORK, "out.svg")
    command = (TALLY, "report", "-i", DATA, "--symfs", ROOT, "--svg", path)
    run = tap.run(*command, preexec_fn=lambda: os.umask(0o027))
    tap.same((run.returncode, run.stdout), (0, ""), run.stderr)
    tap.same(stat.S_IMODE(os.stat(path).st_mode), 0o640, "mode of a new file")
    with open(path, "w", encoding="ascii"):
        pass
    os.chmod(path, 0o604)
    run = tap.run(*command, preexec_fn=lambda: os.umask(0o027))
    tap.same((run.returncode, run.stdout), (0, ""), run.stderr)
    with open(path, encoding="utf-8") as file:
        tap.same(file.read(), svg_text(), "the file")
    tap.same(stat.S_IMODE(os.stat(path).st_mode), 0o604, "mode of one that was there")
    tap.same([name for name in os.listdir(WORK) if name.startswith("out.svg.")], [], "temporaries")


def test_what_cannot_be_written_is_told():
    folder = os.path.join(WORK, "no", "such", "out.svg")
    run = tap.run(TALLY, "report", "-i", DATA, "--svg", folder)
    assert run.returncode == 1 and "cannot write" in run.stderr, run
    with open("/dev/full", "w", encoding="ascii") as full:
        run = tap.run(TALLY, "report", "-i", DATA, "--svg", "-", stdout=full)
    assert run.returncode == 1 and "No space left" in run.stderr, run
    run = tap.run(TALLY, "report", "-i", DATA, "--svg", WORK)
    assert run.returncode == 1 and os.path.isdir(WORK), run


def test_a_full_disk_leaves_the_old_file():
    path = os.path.join(WORK, "kept.svg")
    with open(path, "w", encoding="ascii") as file:
        file.write("old")
    # The file size is limited to 1 kB, and SIGXFSZ is ignored to make writes fail.
    run = tap.run("sh", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh", TALLY, "report", "-i", DATA, "--no-index",
                  "--symfs", ROOT, "--force", "--svg", path)
    assert run.returncode == 1 and "cannot write" in run.stderr, run
    with open(path, encoding="ascii") as file:
        tap.same(file.read(), "old", "what was there")
    tap.same([name for name in os.listdir(WORK) if name.startswith("kept.svg.")], [], "temporaries")


def test_other_forms_are_refused():
    for option in ("--json", "--tui", "--stdio", "--health", "--header", "--header-only", "-x,"):
        run = tap.run(TALLY, "report", "-i", DATA, "--svg", "-", option)
        assert run.returncode == 129 and "--svg" in run.stderr and not run.stdout, (option, run)


# ---- rendering -----------------------------------------------------------------------------------


def unfilter(kind, line, above, size):
    """Undo the filter applied to a row of a PNG file (PNG specification, 9.2)."""
    for i, byte in enumerate(line):
        left, up, corner = line[i - size] if i >= size else 0, above[i], above[i - size] if i >= size else 0
        if kind == 4:
            guess = left + up - corner
            add = min((left, up, corner), key=lambda one: abs(guess - one))
        else:
            add = (0, left, up, (left + up) // 2)[kind]
        line[i] = (byte + add) & 255
    return line


def pixels_of(path):
    """Return the rows of a PNG file with 8-bit samples, and the size of a pixel in bytes."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            tap.same((depth, colour in (2, 6)), (8, True), "kind of picture")
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    size = 3 if colour == 2 else 4
    raw, stride = zlib.decompress(packed), width * size + 1
    rows, above = [], bytearray(stride - 1)
    for i in range(height):
        line = bytearray(raw[i * stride + 1:(i + 1) * stride])
        above = unfilter(raw[i * stride], line, above, size)
        rows.append(above)
    return rows, size


def check_shown(path, options, kinds):
    """Check that in a screenshot by Chromium, boxes of these kinds have the right colors at their positions."""
    picture = os.path.join(WORK, "shown.png")
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={WORK}/profile", *options,
                    f"--screenshot={picture}", "--window-size=1220,300", "file://" + path],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=tap.PATIENCE, check=True)
    rows, size = pixels_of(picture)
    boxes, = graphs_of(svg_text())
    for name, colour in kinds.items():
        box = next(box for box in boxes if box.name == name)
        # A box has no text at its right end.
        at = int(box.left + box.width - 4)
        tap.same(rows[int(box.top) + 8][at * size:at * size + 3].hex(), colour, f"{name} with {options}")


def test_chromium_shows_it():
    machine.need_chromium()
    path = os.path.join(WORK, "shown.svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg_text())
    style = re.search(r"<style>(.*?)</style>", svg_text(), re.S).group(1).split("@media")
    boxes, = graphs_of(svg_text())
    for options, rules in (([], style[0]), (["--force-dark-mode"], style[1])):
        kinds = {box.name: re.search(rf"\.{box.kind} rect{{fill:#([0-9a-f]+)}}", rules).group(1)
                 for box in boxes if box.name in ("main", "serve", "find_item")}
        check_shown(path, options, kinds)


setup()
tap.main(__name__)
