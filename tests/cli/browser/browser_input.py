#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the `tally report` browser in tmux: keys and the mouse.

usage: browser_input.py TALLY
"""
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import browser_data  # noqa: E402
import tap  # noqa: E402
import tmux  # noqa: E402
from browser_screens import Browser, FOLDER, ROOT, TALLY, recording, shop, still  # noqa: E402

# ---- keys ----------------------------------------------------------------------------------------


def test_rows_open_and_close():
    """Check that Enter and + toggle one level, e toggles all levels of a row, E opens and C closes all rows, and c
    switches between callees and callers."""
    with Browser(shop()) as screen:
        lines = screen.go("2", shows="Children")
        assert lines[2].startswith("+") and "main" in lines[2], lines[2]
        screen.go("Enter", shows=("-   88.75%", "+  88.75% serve"))
        screen.go("+", gone="-   88.75%")
        lines = screen.go("e", shows=("-   88.75%", "walk_tree", "- "))
        assert sum("walk_tree" in line for line in lines) > 2, lines
        screen.go("e", gone="-   88.75%")
        screen.go("E", shows="-   88.75%")
        screen.go("C", gone="-   88.75%")
        screen.go("c", shows="callchains show callers")
        screen.go("Down", "Enter", shows=("-   88.75%", "88.75% serve", "                main"))
        screen.go("c", shows="callchains show callees")


def test_rows_zoom_in_and_out():
    """Check that t, d and s zoom in and Esc zooms out step by step; that /, g and n search for names; and that o, F and
    H change the display."""
    with Browser(shop()) as screen:
        screen.go("2", "g", "=price-worker", "Enter")
        screen.selects("price-worker")
        screen.go("t", shows=("only command price-worker (Esc: undo)", "45 samples of 'cycles:u' of 400", "; % of the selection", "100.00%"),
                  gone="parse_request")
        screen.go("F", shows=("; % of all (F: of the selection)", "11.25%"), gone="100.00%")
        screen.go("F", shows=("; % of the selection (F: of all)", "100.00%"))
        screen.go("Escape", shows="parse_request", gone="only command")
        screen.go("g", "=discount", "Enter")
        screen.selects("discount")
        screen.go("d", shows="only file /usr/lib/libprice.so.1", gone="parse_request")
        screen.go("Escape", shows="parse_request")
        screen.go("g", "=price_of", "Enter")
        screen.selects("price_of")
        screen.go("n")
        screen.go("g", "=no such thing", "Enter", shows="no matching row")
        screen.go("s", shows=("only function price_of", "rows: "), gone="parse_request")
        screen.go("Escape", shows="parse_request", gone="only function")
        screen.go("k", shows=("only the kernel", "[k]"), gone="[.]")
        screen.go("Escape", shows="[.]")
        screen.go("K", shows="the kernel is hidden", gone="[k]")
        screen.go("K", "U", shows="user space is hidden", gone="[.]")
        screen.go("U", shows="[.]")
        screen.go("o", shows="rows sorted by comm ", gone="Symbol")
        screen.go("H", gone="Command")
        screen.go("H", shows="Command")


def test_escape_restores_previous_states():
    """Check that Esc restores the state of the previous step, even if the rows have been sorted differently in the
    meantime."""
    steps = ("comm:shop", "sym:find_item", "sym:~tree", "dso:shop")
    with Browser(shop()) as screen:
        seen = []
        for i, step in enumerate(steps):
            screen.go("2" if i % 2 else "1")
            seen.append(still(screen))
            screen.go(":", "=" + step, "Enter", shows=step)
        for i in reversed(range(len(steps))):
            screen.go("2" if i % 2 else "1")
            screen.go("Escape", gone=steps[i])
            tap.same(still(screen)[1:-2], seen[i][1:-2], f"out of {steps[i]}")
        screen.go("2", "g", "=discount", "Enter", ":", "=sym:find_item", "Enter", shows="sym:find_item", gone="parse_request")
        screen.go("K", shows="the kernel is hidden")
        screen.go("Escape", shows="parse_request", gone=("sym:find_item", "[k]"))
        screen.go(":", "=sym:find_item", "Enter", shows="sym:find_item")
        screen.go("o", shows="rows sorted by ")
        screen.go("o", shows="rows sorted by ")
        before = still(screen)[1]
        screen.go("Escape", shows="libprice", gone="sym:find_item")
        tap.same(still(screen)[1], before, "the columns")


def test_views_by_their_numbers():
    """Check that 1, 2, 3, 4 and 6 select views, that Esc goes back, and that the selected function is the same in all
    views."""
    with Browser(shop()) as screen:
        screen.go("2", "g", "=render_page", "Enter")
        screen.selects("render_page")
        screen.go("4", shows=("callers: ", "render_page  23.75%"))
        screen.go("6", shows="time: ")
        screen.go("3", shows="flame graph: ")
        screen.go("1", shows="overview: ")
        screen.go("Escape", shows="flame graph: ")
        screen.go("Escape", shows="time: ")
        screen.go("Escape", shows="callers: ")


def test_escape_goes_back_by_functions():
    """Check that in the callers and callees view, Esc goes back one function at a time, even across other views, and
    then goes back one view."""
    with Browser(shop()) as screen:
        screen.go("2", "g", "=walk_tree", "Enter", "4", shows=("callers: ", "walk_tree  33.75%"))
        screen.go("Up", "Enter", shows="find_item  43.75%")
        screen.go("Up", "Enter", shows="serve  88.75%")
        screen.go("a", shows="annotate: ")
        screen.go("Escape", shows=("callers: ", "serve  88.75%"))
        screen.go("Escape", shows="find_item  43.75%")
        screen.go("Escape", shows="walk_tree  33.75%")
        screen.go("Escape", shows="rows: ")


def test_help_and_health_open_and_close():
    with Browser(shop()) as screen:
        for key in ("h", "?", "F1"):
            screen.go(key, shows=("\u250c\u2500 Keys", "the next event"))
            screen.go("x", gone="Keys")
        screen.go("i", shows=("\u250c\u2500 Health", "No symbols: [kernel]"))
        screen.go("x", gone=" Health \u2500")


def read_box(screen, title):
    """Return all lines in the open box, from the first to the last."""
    lines = []
    while True:
        inside = [re.search("\u2502 (.*) \u2502", line) for line in screen.settled()]
        lines += [found.group(1).rstrip() for found in inside if found]
        where = re.search(f"\u2500 {title} ([0-9]+)/([0-9]+) \u2500", screen.text)
        assert where, screen.text
        if where.group(1) == where.group(2):
            left = int(where.group(2)) - len(lines)
            assert left <= 0, (left, lines)
            return lines
        page = len([found for found in inside if found])
        at = min(int(where.group(1)) + page, int(where.group(2)))
        if at < int(where.group(1)) + page:
            lines = lines[:len(lines) - (int(where.group(1)) + page - at)]
        screen.go("NPage", shows=f" {title} {at}/{where.group(2)} ")


def test_boxes_are_read_line_by_line():
    """Check that all of the help can be read in windows of any size, and that a marker indicates when there is more
    text."""
    with Browser(shop(), size=(20, 5), shown="overview") as screen:
        screen.go("h", shows=("\u2500 Keys 3/", "more: Down"))
        screen.go("Down", shows="\u2500 Keys 4/")
        screen.go("Up", shows="\u2500 Keys 3/")
        screen.go("End", shows=("more: Up", "quit"))
        screen.go("Home", shows="\u2500 Keys 3/")
        whole = " ".join(line.strip() for line in read_box(screen, "Keys"))
        for part in ("callers and callees of a function", "4 callers", "undo a filter, or go back", "recording health", "quit"):
            assert part in whole, (part, whole)
        screen.click(2, 5, button=64)
        screen.shows("more: Down")
        screen.go("x", gone="Keys")


def test_boxes_show_complete_names():
    """Check that names of 4 KB are shown completely in a box, in windows of every size and in all views."""
    long = "".join(f"part{i:04}::" for i in range(400)) + "last"
    root = os.path.join(FOLDER, "long")
    browser_data.write_files(root, {"walk_tree": long})
    for size in ((80, 24), (20, 5)):
        with Browser(shop(), "--symfs", root, size=size, shown="overview") as screen:
            for keys in (("w",), ("x", "2", "g", "=part0000", "Enter", "w"), ("x", "3", "/", "=part0000", "Enter", "w"),
                         ("x", "4", "w"), ("x", "a", "w")):
                screen.go(*keys, shows="\u2500 Names ")
                shown = "".join(line.strip() for line in read_box(screen, "Names"))
                assert long in shown and "/usr/bin/shop" in shown, (keys, shown)
    with Browser(shop()) as screen:
        screen.go("2", "w", shows=("\u2500 Names \u2500", "Symbol: [.] main", "File: /usr/bin/shop", "Command: shop"))
        screen.go("x", "6", "w", shows="Thread: 100 shop")


def test_a_box_stays_when_the_size_changes():
    with Browser(shop()) as screen:
        screen.go("h", shows="\u250c\u2500 Keys")
        screen.resize(90, 30)
        screen.until(lambda s: len(s) == 30 and any("Keys" in line for line in s), "the box in a larger screen")
        screen.go("x", gone="\u250c\u2500 Keys")
        screen.go("2", shows="rows: ")


def test_orders_follow_each_other():
    """Check that o cycles through the sort orders, starting from the requested one."""
    orders = ["comm", "dso", "tid", "tid,dso,symbol", "cpu,dso,symbol", "dso,symbol"]
    for options, first in (((), "the default keys"), (("--sort", "dso,symbol"), "dso,symbol"), (("--sort", "symbol,dso,comm"), "symbol,dso,comm")):
        with Browser(shop(), *options) as screen:
            screen.go("2")
            wanted = orders if first == "the default keys" or "comm" in first else ["comm,dso,symbol"] + orders[:-1]
            for order in wanted + [first, wanted[0]]:
                screen.go("o")
                screen.until(lambda s, order=order: re.match(f"rows sorted by {order} +1/", s[-2]), order)


def test_sorts_rows_by_self_cost():
    def costs(screen):
        return [[float(one) for one in re.findall(r"([0-9.]+)%", line)[:2]] for line in screen[2:-2] if "%" in line]
    with Browser(shop()) as screen:
        screen.go("2", "S", shows="rows sorted by self cost")
        rows = costs(screen.settled())
        assert rows == sorted(rows, key=lambda row: -row[1]) and rows != sorted(rows, key=lambda row: -row[0]), rows
        screen.go("S", shows="rows sorted by the first column")
        rows = costs(screen.settled())
        assert rows == sorted(rows, key=lambda row: -row[0]), rows
    with Browser(shop(), "--no-children") as screen:
        screen.go("S", shows="rows have no other cost than self")


def test_merges_and_drops_functions():
    """Check that a merged function's cost is part of its caller's self cost, that the samples of a dropped one are gone,
    that both can be repeated, and that Esc undoes them one by one."""
    def self_cost(screen, name):
        [line] = [line for line in screen.settled() if line.endswith(name)]
        return float(re.findall(r"([0-9.]+)%", line)[1])
    with Browser(shop()) as screen:
        screen.go("2", "S", shows="rows sorted by self cost")
        own, caller = self_cost(screen, "walk_tree"), self_cost(screen, "find_item")
        screen.go("g", "=walk_tree", "Enter", "M", shows=("folded: walk_tree", "Esc: undo"), gone="] walk_tree")
        assert abs(self_cost(screen, "find_item") - own - caller) < 0.02, "the caller's cost"
        screen.go("g", "=find_item", "Enter", "M", shows="folded: walk_tree, find_item", gone="] find_item")
        screen.go("Escape", shows="folded: walk_tree (", gone="folded: walk_tree, find_item")
        screen.go("Escape", shows=("] walk_tree", "] find_item"), gone="folded:")
        screen.go("g", "=walk_tree", "Enter", "D", shows="only samples without walk_tree", gone="] walk_tree")
        screen.go("Escape", shows="] walk_tree", gone="samples without")
        screen.go("g", "=0xffff", "Enter", "M", shows="this code has no function name")


def test_options_of_rows_open_the_rows():
    with Browser(shop(), "--sort", "dso") as screen:
        screen.until(lambda s: s[0].startswith("rows: "), "rows")
    with Browser(shop(), "walk") as screen:
        screen.until(lambda s: s[0].startswith("rows: ") and "walk_tree" in s[2], "rows with this part in their names")


def test_annotates_only_functions():
    """Check that a row without a function is not annotated once the cursor has moved there, and that the function with the
    largest self cost is annotated as long as no other was chosen."""
    with Browser(shop(), size=(80, 40)) as screen:
        screen.go("a", shows="walk_tree  90 samples")
        screen.go("Escape", "Right", "Right", "a", shows=("overview: ", "a thread is selected: Enter filters by it"))
        screen.go("3", "Down", "Up", "a", shows=("flame graph: ", "the root is selected"))
        screen.go("6", "Right", "a", shows=("time: ", "no function is selected"))
        screen.go("2", "a", shows="walk_tree  90 samples")
        screen.go("Escape", "Down", "Down", "5", shows="walk_tree  90 samples")
        screen.go("Escape", "4", shows=("callers: ", "walk_tree  33.75%"))
        screen.go("2", "End", "a", shows=("annotate: ", "the start of this function is unknown", "[kernel]"))
        screen.go("Escape", "o", "Down", "a", shows=("rows: ", "no function is selected"))
    with Browser(recording("apart", events=2, apart="write_log")) as screen:
        screen.go("2", "g", "=write_log", "Enter", "a", shows="write_log  ")
        screen.go("Tab", shows=("of 'page-faults'", "no selected sample is in this function: write_log", "Tab goes to the next event"))
        screen.go("Tab", shows="write_log  ")


def test_a_word_that_matches_several_functions():
    with Browser(shop(), "--annotate=r", size=(80, 40)) as screen:
        screen.shows("annotate: ", "functions match 'r': the heaviest is shown", "walk_tree  ")
    with Browser(shop(), "--annotate=walk_tree", size=(80, 40)) as screen:
        screen.shows("annotate: ", "walk_tree  ", gone="functions match")


def test_a_filter_or_search_chooses_a_function():
    """Check that after a filter of rows or a search in the flame graph, the views of a function show what was found."""
    with Browser(shop(), size=(80, 40)) as screen:
        screen.go("2", "/", "=discount", "Enter", "Down", "a", shows=("annotate: ", "discount  "))
    with Browser(shop(), size=(80, 40)) as screen:
        screen.go("2", "/", "=discount", "Enter", "a", shows=("annotate: ", "discount  "))
    for key in "/g":
        with Browser(shop(), size=(80, 40)) as screen:
            screen.go("2", key, "=discount", "Enter", "4", shows=("callers: ", "discount  "))
    with Browser(shop(), size=(80, 40)) as screen:
        screen.go("3", "/", "=render_page", "Enter", "4", shows=("callers: ", "render_page  23.75%"))


def test_shares_of_instructions():
    """Check the keys for percentages: b switches between period and hits, p between percentages of the function and of
    all samples, and t adds the column with callees. All of walk_tree's self cost is at one instruction, which is two thirds
    of its total."""
    with Browser(shop()) as screen:
        screen.go("2", "g", "=walk_tree", "Enter", "a", shows=("local period", "100.00%", "90 samples, 22.50% of all; % of these"),
                  gone="Total")
        screen.go("t", shows=("66.67%", "Self   Total", "135 samples with callees, 33.75% of all; % of these"), gone="100.00%")
        screen.go("p", shows=("global period", "22.50%", "; % of all"), gone="66.67%")
        screen.go("b", shows=("global hits", "22.50%"))
        screen.go("p", shows=("local hits", "66.67%"))
        screen.go("b", shows="local period")
        screen.go("t", shows="100.00%", gone="Total")


def test_views_are_written_to_files():
    """Check that lists are written completely and with the selection, that files are never overwritten, and that errors
    are shown."""
    folder = os.path.join(FOLDER, "views")
    os.mkdir(folder)
    with open(os.path.join(folder, "tally.view.1"), "w", encoding="utf-8") as file:
        file.write("mine")
    with tmux.Screen(60, 12) as screen:
        screen.type(f"cd {folder}; {TALLY} report -i {shop()} --symfs {ROOT}\n")
        screen.until(lambda s: s[-1].startswith(" h Help"), "the browser")
        for key, name in (("2", "tally.view.2"), ("3", "tally.view.3")):
            screen.press(key)
            screen.press("P")
            screen.until(lambda s, name=name: f"this view was written to {name}" in s[-2], name)
        screen.press("2")
        screen.type(":comm:price-worker")
        screen.press("Enter")
        screen.press("End")
        screen.press("P")
        screen.until(lambda s: "tally.view.4" in s[-2], "the next file")
    texts = [open(os.path.join(folder, f"tally.view.{i}"), encoding="utf-8").read() for i in range(1, 5)]
    tap.same(texts[0], "mine", "a file that was there")
    lines = texts[1].splitlines()
    assert lines[0].startswith("rows: shop.data  400 samples") and len(lines) == 18, texts[1]
    name = "std::vector<std::pair<unsigned long, Item>>::push_back(std::pair<unsigned long, Item> const&)"
    assert any(line.endswith(f"shop           [.] {name}") for line in lines), texts[1]
    assert texts[2].startswith("flame graph: ") and "find_item" in texts[2], texts[2]
    assert texts[3].endswith("\n\nonly comm:price-worker\n") and "parse_request" not in texts[3], texts[3]
    tap.same(oct(os.stat(os.path.join(folder, "tally.view.2")).st_mode & 0o777), "0o600", "its mode")
    with tmux.Screen(80, 12) as screen:
        screen.type(f"cd /proc/self; {TALLY} report -i {shop()} --symfs {ROOT}\n")
        screen.until(lambda s: s[-1].startswith(" h Help"), "the browser")
        screen.press("P")
        screen.until(lambda s: "tally.view.1: " in s[-2], "why not")


def test_lists_out_of_sight_have_no_cursor():
    with Browser(shop(), size=(20, 5), shown="overview") as screen:
        for key in ("Right", "Left", "Right"):
            screen.go(key)
            screen.selects("walk_tree")
    with Browser(shop(), size=(80, 12)) as screen:
        screen.go("Right")
        screen.selects("main")
        screen.go("Right")
        screen.selects("walk_tree")
        screen.resize(80, 40)
        screen.go("Left")
        screen.selects("100 shop")
        screen.resize(80, 12)
        screen.selects("walk_tree")


def test_unnamed_code_is_one_row_for_each_file():
    """Check that the unnamed code in a file is one row in lists and in the summary, as in its callers and callees,
    because several rows could not be distinguished."""
    nowhere = os.path.join(FOLDER, "nowhere")
    with Browser(shop(), "--symfs", nowhere, size=(120, 60)) as screen:
        lines = screen.shows("67.50%    [shop]")
        tap.same(re.findall("([0-9.]+%) +(\\[[a-z.0-9]+\\])", lines[4]), [("67.50%", "[shop]"), ("100.00%", "[shop]")], "the first line")
        tap.same(len(re.findall("[0-9]%    \\[", "\n".join(lines[3:11]))), 6, "lines of functions")
        screen.go("Enter", shows=("callers: ", "[shop]  100.00%"))
        screen.press("q")
        screen.ends()
        left = [line.split() for line in screen.look()]
        at = left.index(["self", "total"]) + 1
        tap.same([line[:3] for line in left[at:at + 4]],
                 [["67.50%", "100.00%", "[shop]"], ["25.00%", "25.00%", "[libprice.so.1]"], ["7.50%", "7.50%", "[kernel]"], []], "by self")
        at = left.index(["Top", "functions,", "total"]) + 1
        tap.same(left[at:at + 4], [["100.00%", "[shop]"], ["25.00%", "[libprice.so.1]"], ["7.50%", "[kernel]"], []], "by total")


def test_events_follow_each_other():
    with Browser(recording("two", events=2)) as screen:
        screen.shows("400 samples of 'cycles:u'")
        screen.go("Tab", shows="42 samples of 'page-faults'")
        screen.go("2", shows="page-faults")
        screen.go("Tab", shows="cycles:u")
    with Browser(shop()) as screen:
        screen.go("Tab", shows="there is no other event")


def test_resizing():
    """Check that the browser is drawn at every size down to one row, and that no part of a larger screen remains."""
    with Browser(shop()) as screen:
        for key in "12346":
            screen.go(key)
            for size in ((120, 40), (33, 9), (8, 3), (2, 1), (80, 24)):
                screen.resize(*size)
                screen.until(lambda s, size=size: all(len(line) <= size[0] for line in s) and len(s) <= size[1], f"{size}")
        screen.shows("time: ", "h Help")


# ---- mouse ---------------------------------------------------------------------------------------


def test_mouse_in_rows_and_overview():
    with Browser(shop()) as screen:
        row, column = screen.place("parse_request")
        screen.click(row, column)
        screen.selects("parse_request")
        screen.click(row, column)
        screen.shows("callers: ", "parse_request  15.00%")
        screen.go("2", shows="rows: ")
        row, column = screen.place("render_page")
        screen.click(row, column)
        screen.selects("render_page")
        screen.click(row, column)
        screen.shows("-   23.75%")
        screen.click(row, column, button=64)
        screen.until(lambda s: re.search(r" 4/\d+$", s[-2]), "the wheel go up")
        screen.click(row, column, button=65)
        screen.until(lambda s: re.search(r" 5/\d+$", s[-2]), "the wheel go down")
        row, column = screen.place("o Order")
        screen.click(row, column)
        screen.shows("rows sorted by comm")
        row, column = screen.place("h Help")
        screen.click(row, column)
        screen.shows("\u250c\u2500 Keys")
        screen.click(row, column)
        screen.shows(gone="\u250c\u2500 Keys")


def test_mouse_in_flame_graphs():
    with Browser(shop()) as screen:
        screen.go("3", shows="flame graph: ")
        screen.click(*screen.place("find_item"))
        screen.shows("find_item  43.75%, 175 samples")
        screen.click(*screen.place("\u258ffind_item"))
        screen.shows("find_item  43.75%", gone="render_page")
        row, column = screen.place("walk_tree")
        screen.click(row, column + 2)
        screen.shows("walk_tree  33.75%")
        screen.go("4", shows="callers: ")
        row, column = screen.place("\u258ffind_item")
        screen.click(row, column + 1)
        screen.shows("find_item  33.75%")


def test_other_buttons_do_nothing():
    """Check that other mouse buttons do nothing, and do not delay subsequent input, keys or signals."""
    with Browser(shop()) as screen:
        screen.click(5, 5, button=1)
        screen.resize(90, 30)
        screen.until(lambda s: len(s) == 30 and s[-1].startswith(" h Help"), "the larger screen")
        screen.click(5, 5, button=2)
        os.kill(screen.child(), signal.SIGTERM)
        screen.ends()


def answers_at_once(screen):
    """Return true if Esc leaves a view within a second. This may fail on a busy machine."""
    screen.go("2", shows="rows: ")
    start = time.monotonic()
    screen.go("Escape", shows="overview: ")
    return time.monotonic() - start < 1


def rest_is_not_typed(rest):
    """Send an escape and, within a second, the rest of its sequence, and check that the rest is not typed as text.
    Return false if sending took longer."""
    with Browser(shop()) as screen:
        screen.go("2", ":", "=old", shows="): old_")
        start = time.monotonic()
        screen.bytes(b"\x1b")
        screen.shows(gone="old_")
        screen.bytes(rest)
        if time.monotonic() - start > 0.9:
            return False
        screen.go(":", "=new", shows="): new_")
        screen.go("C-u", "Enter", shows="rows: ")
        screen.selects("main")
    return True


def test_keys_in_pieces():
    """Test keys that arrive in pieces over a slow line. An escape then acts as Esc, but the rest of the sequence is not
    typed as text. A single Esc acts immediately."""
    for rest in (b"[B", b"OB", b"[1;5C", b"[M !!", b"[6~"):
        assert any(rest_is_not_typed(rest) for _ in range(30)), "too busy: never two keys within a second"
    with Browser(shop()) as screen:
        screen.go("2", shows="rows: ")
        assert any(answers_at_once(screen) for _ in range(30)), "Esc is slow"
        screen.go("2", shows="rows: ")
        # Complete but unknown key sequences are ignored.
        screen.bytes(b"\x1b[B\x1b[1;99Z\x1b[MzzzOj")
        screen.bytes(b"\x1bOB")
        screen.until(lambda s: s[0].startswith("rows: ") and s[-2].endswith(" 2/16"), "one line down")
    # After a longer pause, the rest of a sequence is treated as ordinary characters.
    with Browser(shop()) as screen:
        screen.go("2", "Escape", shows="overview: ")
        time.sleep(1.1)
        screen.go(":", "=[O", shows="[O_")


def test_mouse_marks_a_span():
    with Browser(shop()) as screen:
        screen.go("6", shows="time: ")
        screen.click(2, 40, up=False)
        screen.release(2, 60)
        screen.shows("all views are limited to this span", "of 400")
        screen.go("x", gone="of 400")


tap.main(__name__)
