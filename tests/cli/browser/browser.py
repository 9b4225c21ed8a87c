#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The browser of `tally report`, in tmux: screens against goldens, keys, the mouse, and what is left of it at its end.

usage: browser.py TALLY [--write]    --write: write tests/cli/golden/browser anew, from what is shown now
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
from terminal import Session  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WRITES = sys.argv[2:] == ["--write"]
FOLDER = tap.workplace("browser")
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "browser")
ROOT = os.path.join(FOLDER, "root")
SIZES = ((80, 24), (120, 40), (20, 5))
PATIENCE = tap.PATIENCE
tmux.DEADLINE = PATIENCE
browser_data.write_files(ROOT)


def recording(name, **options):
    path = os.path.join(FOLDER, name + ".data")
    if not os.path.exists(path):
        browser_data.write_recording(path, **options)
    return path


def shop():
    return recording("shop")


class Browser(tmux.Screen):
    """A shell that runs tally report on a recording."""

    def __init__(self, path, *options, size=(80, 24), shown="h Help", **variables):
        super().__init__(*size, **{"NO_COLOR": None, **variables})
        self.type(f"{TALLY} report -i {path} --symfs {ROOT} " + " ".join(options))
        self.press("Enter")
        if shown:
            self.shows(shown)

    def shows(self, *parts, gone=()):
        """Wait until all of these are on the screen, and those that are gone are not."""
        gone = [gone] if isinstance(gone, str) else gone
        return self.until(lambda lines: all(part in "\n".join(lines) for part in parts) and
                          not any(part in "\n".join(lines) for part in gone), f"{parts} without {gone}")

    def go(self, *keys, shows=(), gone=()):
        """Press keys ("/text" is typed), and see what comes of it."""
        for key in keys:
            if key.startswith("="):
                self.type(key[1:])
            else:
                self.press(key)
        return self.shows(*([shows] if isinstance(shows, str) else shows), gone=gone)

    def selected(self):
        """Lines that are, or have a part that is, selected."""
        return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in self.coloured() if "\x1b[7m" in line or "\x1b[0;7m" in line]

    def selects(self, part):
        self.until(lambda _: any(part in line for line in self.selected()), f"{part} selected, but {self.selected()}")

    def click(self, row, column, button=0, up=True):
        """As terminals tell it: button, column, row, from 33 on; then that it came up."""
        self.run("send-keys", "-t", "s", "-H", *(f"{byte:x}" for byte in (27, 91, 77, 32 + button, 33 + column, 33 + row)))
        if up and button < 64:
            self.release(row, column)

    def bytes(self, sent):
        self.run("send-keys", "-t", "s", "-H", *(f"{byte:x}" for byte in sent))

    def release(self, row, column):
        self.run("send-keys", "-t", "s", "-H", *(f"{byte:x}" for byte in (27, 91, 77, 35, 33 + column, 33 + row)))

    def place(self, part):
        """Where a text is on the screen."""
        for row, line in enumerate(self.look()):
            if part in line:
                return row, line.index(part)
        raise AssertionError(f"{part} is not on the screen:\n{self.text}")

    def ends(self):
        """It is gone, and the terminal as it was."""
        self.until(lambda s: s[-1].strip() == "shell>", "the shell")
        tap.same(self.state("#{alternate_on} #{cursor_flag} #{mouse_any_flag}"), "0 1 0", "screen, cursor, mouse")


# ---- goldens -------------------------------------------------------------------------------------

# A way through all views: what is pressed, then what the screen is compared with.
TOUR = (
    ("overview", ()),
    ("rows", ("2",)),
    ("rows-opened", ("Down", "Down", "e")),
    ("rows-callers", ("c",)),
    ("rows-filtered", ("C", "c", "/", "=tree", "Enter")),
    ("rows-ordered", ("/", "C-u", "Enter", "o")),
    ("flame", ("3",)),
    ("flame-zoomed", ("Down", "Down", "Down", "Enter")),
    ("flame-reversed", ("0", "r")),
    ("flame-collapsed", ("r", "c")),
    ("flame-searched", ("c", "/", "=price", "Enter")),
    ("sandwich", ("4",)),
    ("sandwich-caller", ("Up", "Up", "Enter")),
    ("time", ("6",)),
    ("time-marking", (*["Right"] * 3, "Space", *["Right"] * 4)),
    ("time-span", ("Space",)),
    ("time-cpus", ("b",)),
    ("span-overview", ("1",)),
    ("query-asked", ("6", "x", ":", "=comm:price-worker")),
    ("query", ("Enter", "1")),
    ("query-wrong", (":", "=tid:x", "Enter")),
    ("help", ("h",)),
    ("health", ("x", "i")),
)


def still(screen):
    """The screen when it has not changed for a while: for who writes goldens."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < 0.4:
        lines = screen.look()
        if lines != before:
            before, since = lines, time.monotonic()
        time.sleep(0.05)
    return before


def golden_path(name, size):
    return os.path.join(GOLDEN, f"{name}-{size[0]}x{size[1]}.txt")


def golden_lines(name, size):
    with open(golden_path(name, size), encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def write_golden(name, size, lines):
    os.makedirs(GOLDEN, exist_ok=True)
    with open(golden_path(name, size), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def shown_lines(screen):
    return [line.rstrip() for line in screen.look()]


def compare(screen, name, size):
    wanted, end = golden_lines(name, size), time.monotonic() + PATIENCE
    got = shown_lines(screen)
    while got != wanted and time.monotonic() < end:
        time.sleep(0.02)
        got = shown_lines(screen)
    tap.same("\n".join(got), "\n".join(wanted), f"{name} at {size[0]}x{size[1]}")


def go_through(size):
    with Browser(shop(), size=size) as screen:
        for name, keys in TOUR:
            for key in keys:
                screen.go(key)
                if WRITES:
                    still(screen)
            if WRITES:
                write_golden(name, size, [line.rstrip() for line in still(screen)])
            else:
                compare(screen, name, size)


def test_screens_of_80x24():
    go_through(SIZES[0])


def test_screens_of_120x40():
    go_through(SIZES[1])


def test_screens_of_20x5():
    go_through(SIZES[2])


# ---- keys ----------------------------------------------------------------------------------------


def test_rows_open_and_close():
    """Enter and + one level, e all of a row, E and C all rows; c turns from callees to callers."""
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
        screen.go("c", shows="below a row are its callers")
        screen.go("Down", "Enter", shows=("-   88.75%", "88.75% serve", "                main"))
        screen.go("c", shows="below a row is what it calls")


def test_rows_are_looked_at_closer():
    """t d s; Esc goes out again step by step; /, g and n go by names; o F H change what is shown."""
    with Browser(shop()) as screen:
        screen.go("2", "g", "=price-worker", "Enter")
        screen.selects("price-worker")
        screen.go("t", shows=("only command price-worker (Esc: out)", "45 samples of 'cycles:u' of 400"), gone="parse_request")
        screen.go("F", shows=("shares of what is looked at", "100.00%"))
        screen.go("F", shows="shares of everything", gone="100.00%")
        screen.go("Escape", shows="parse_request", gone="only command")
        screen.go("g", "=discount", "Enter")
        screen.selects("discount")
        screen.go("d", shows="only file /usr/lib/libprice.so.1", gone="parse_request")
        screen.go("Escape", shows="parse_request")
        screen.go("g", "=price_of", "Enter")
        screen.selects("price_of")
        screen.go("n")
        screen.go("g", "=no such thing", "Enter", shows="no row has that in it")
        screen.go("s", shows=("only function price_of", "rows: "), gone="parse_request")
        screen.go("Escape", shows="parse_request", gone="only function")
        screen.go("k", shows=("only the kernel", "[k]"), gone="[.]")
        screen.go("Escape", shows="[.]")
        screen.go("K", shows="the kernel is hidden", gone="[k]")
        screen.go("K", "U", shows="user space is hidden", gone="[.]")
        screen.go("U", shows="[.]")
        screen.go("o", shows="rows by comm ", gone="Symbol")
        screen.go("H", gone="Command")
        screen.go("H", shows="Command")


def test_steps_lead_back_to_what_was_there():
    """What is kept for whoever steps back is the same as what would be made anew, also if rows are made otherwise meanwhile."""
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
        screen.go("o", shows="rows by ")
        screen.go("o", shows="rows by ")
        before = still(screen)[1]
        screen.go("Escape", shows="libprice", gone="sym:find_item")
        tap.same(still(screen)[1], before, "the columns")


def test_views_by_their_numbers():
    """1 2 3 4 6; Esc goes back; the function selected is the same one everywhere."""
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
    """In callers and callees one at a time, also through other views; then to the view before."""
    with Browser(shop()) as screen:
        screen.go("2", "g", "=walk_tree", "Enter", "4", shows=("callers: ", "walk_tree  33.75%"))
        screen.go("Up", "Enter", shows="find_item  43.75%")
        screen.go("Up", "Enter", shows="serve  88.75%")
        screen.go("a", shows="annotate: ")
        screen.go("Escape", shows=("callers: ", "serve  88.75%"))
        screen.go("Escape", shows="find_item  43.75%")
        screen.go("Escape", shows="walk_tree  33.75%")
        screen.go("Escape", shows="rows: ")


def test_help_and_health_come_and_go():
    with Browser(shop()) as screen:
        for key in ("h", "?", "F1"):
            screen.go(key, shows=("\u250c\u2500 Keys", "the next event"))
            screen.go("x", gone="Keys")
        screen.go("i", shows=("\u250c\u2500 Health", "No symbols: [kernel]"))
        screen.go("x", gone=" Health \u2500")


def read_box(screen, title):
    """All lines of the box that is open, from its first to its last."""
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
    """In any window all of the help can be seen, and says that there is more of it."""
    with Browser(shop(), size=(20, 5), shown="overview") as screen:
        screen.go("h", shows=("\u2500 Keys 3/", "more: Down"))
        screen.go("Down", shows="\u2500 Keys 4/")
        screen.go("Up", shows="\u2500 Keys 3/")
        screen.go("End", shows=("more: Up", "quit"))
        screen.go("Home", shows="\u2500 Keys 3/")
        whole = " ".join(line.strip() for line in read_box(screen, "Keys"))
        for part in ("callers and callees of a function", "4 callers", "out of that again", "health of the recording", "quit"):
            assert part in whole, (part, whole)
        screen.click(2, 5, button=64)
        screen.shows("more: Down")
        screen.go("x", gone="Keys")


def test_names_are_whole_in_a_box():
    """Of 4 KB, in windows of every size; in all views."""
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
    """Each press is another order, the first one, too, whatever was asked for; at the end it begins again."""
    orders = ["comm", "dso", "tid,dso,symbol", "cpu,dso,symbol", "dso,symbol"]
    for options, first in (((), "the usual keys"), (("--sort", "dso,symbol"), "dso,symbol"), (("--sort", "symbol,dso,comm"), "symbol,dso,comm")):
        with Browser(shop(), *options) as screen:
            screen.go("2")
            wanted = orders if first == "the usual keys" or "comm" in first else ["comm,dso,symbol"] + orders[:-1]
            for order in wanted + [first, wanted[0]]:
                screen.go("o")
                screen.until(lambda s, order=order: re.match(f"rows by {order} +1/", s[-2]), order)


def test_what_is_no_function_is_not_annotated():
    """Not the function that was selected before, which nobody sees."""
    with Browser(shop(), size=(80, 40)) as screen:
        screen.go("a", shows="walk_tree  90 samples")
        screen.go("Escape", "Right", "Right", "a", shows=("overview: ", "a thread is no function: Enter looks at it alone"))
        screen.go("3", "a", shows=("flame graph: ", "the whole is selected"))
        screen.go("6", "a", shows=("time: ", "a strip is no function"))
        screen.go("2", "End", "a", shows=("annotate: ", "this code has no name", "[kernel]"))
        screen.go("Escape", "o", "a", shows=("rows: ", "no function is selected"))
    with Browser(recording("apart", events=2, apart="write_log")) as screen:
        screen.go("2", "g", "=write_log", "Enter", "a", shows="write_log  ")
        screen.go("Tab", shows=("of 'page-faults'", "no sample that is looked at has this function: write_log", "Tab goes to the next event"))
        screen.go("Tab", shows="write_log  ")


def test_shares_of_instructions():
    """b and p: of period or hits, of the function or of all."""
    with Browser(shop()) as screen:
        screen.go("2", "g", "=walk_tree", "Enter", "a", shows=("local period", "100.00%"))
        screen.go("p", shows=("global period", "22.50%"), gone="100.00%")
        screen.go("b", shows=("global hits", "22.50%"))
        screen.go("p", shows=("local hits", "100.00%"))
        screen.go("b", shows="local period")


def test_views_are_written_to_files():
    """Lists whole, with what is looked at; never over a file; and where nothing may be written that is said."""
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
            screen.until(lambda s, name=name: f"this view is in the file {name}" in s[-2], name)
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
        screen.until(lambda s: "tally.view.1 cannot be written here: " in s[-2], "why not")


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


def test_code_without_names_is_one_in_each_file():
    """In lists, and in what is left behind, as for its callers and callees: else lines could not be told apart."""
    nowhere = os.path.join(FOLDER, "nowhere")
    shares = {"Heaviest by themselves": ("67.50%  [shop]", "25.00%  [libprice.so.1]", "7.50%  [kernel]"),
              "With what they call": ("100.00%  [shop]", "25.00%  [libprice.so.1]", "7.50%  [kernel]")}
    with Browser(shop(), "--symfs", nowhere, size=(120, 60)) as screen:
        lines = screen.shows("67.50%  [shop]")
        tap.same(re.findall("([0-9.]+%) +(\\[[a-z.0-9]+\\])", lines[3]), [("67.50%", "[shop]"), ("100.00%", "[shop]")], "the first line")
        tap.same(len(re.findall("[0-9]%  \\[", "\n".join(lines[2:10]))), 6, "lines of functions")
        screen.go("Enter", shows=("callers: ", "[shop]  100.00%"))
        screen.press("q")
        screen.ends()
        left = [line.strip() for line in screen.look()]
        for heading, wanted in shares.items():
            at = left.index(heading) + 1
            tap.same(left[at:at + 4], [*wanted, left[at + 3] if left[at + 3] in ("", "shell>") else "an end"], heading)


def test_events_follow_each_other():
    with Browser(recording("two", events=2)) as screen:
        screen.shows("400 samples of 'cycles:u'")
        screen.go("Tab", shows="42 samples of 'page-faults'")
        screen.go("2", shows="page-faults")
        screen.go("Tab", shows="cycles:u")
    with Browser(shop()) as screen:
        screen.go("Tab", shows="there is no other event")


def test_resizing():
    """Every size down to one row is drawn, and nothing is left of the larger one."""
    with Browser(shop()) as screen:
        for key in "12346":
            screen.go(key)
            for size in ((120, 40), (33, 9), (8, 3), (2, 1), (80, 24)):
                screen.resize(*size)
                screen.until(lambda s, size=size: all(len(line) <= size[0] for line in s) and len(s) <= size[1], f"{size}")
        screen.shows("time: ", "h Help")


# ---- the mouse -----------------------------------------------------------------------------------


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
        screen.shows("rows by comm")
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
    """And what comes after them is not kept waiting, by no key and by no signal."""
    with Browser(shop()) as screen:
        screen.click(5, 5, button=1)
        screen.resize(90, 30)
        screen.until(lambda s: len(s) == 30 and s[-1].startswith(" h Help"), "the larger screen")
        screen.click(5, 5, button=2)
        os.kill(screen.child(), signal.SIGTERM)
        screen.ends()


def answers_at_once(screen):
    """Esc leaves a view within a second, which a busy machine may not manage each time."""
    screen.go("2", shows="rows: ")
    start = time.monotonic()
    screen.go("Escape", shows="overview: ")
    return time.monotonic() - start < 1


def rest_is_not_typed(rest):
    """Send an escape, and what follows it within the second in which it counts as the rest; false where that took longer."""
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
    """What a key sends may come in pieces, over a slow line: then an escape is one, but nothing of the rest is typed. By itself it
    answers at once."""
    for rest in (b"[B", b"OB", b"[1;5C", b"[M !!", b"[6~"):
        assert any(rest_is_not_typed(rest) for _ in range(30)), "too busy: never two keys within a second"
    with Browser(shop()) as screen:
        screen.go("2", shows="rows: ")
        assert any(answers_at_once(screen) for _ in range(30)), "Esc is slow"
        screen.go("2", shows="rows: ")
        # Whole keys that nobody knows do nothing.
        screen.bytes(b"\x1b[B\x1b[1;99Z\x1b[MzzzOj")
        screen.bytes(b"\x1bOB")
        screen.until(lambda s: s[0].startswith("rows: ") and s[-2].endswith(" 2/16"), "one line down")
    # Not so soon after it these are characters like any others.
    with Browser(shop()) as screen:
        screen.go("2", "Escape", shows="overview: ")
        time.sleep(1.1)
        screen.go(":", "=[O", shows="[O_")


def test_mouse_marks_a_span():
    with Browser(shop()) as screen:
        screen.go("6", shows="time: ")
        screen.click(2, 40, up=False)
        screen.release(2, 60)
        screen.shows("all views show this span", "of 400")
        screen.go("x", gone="of 400")


# ---- the end -------------------------------------------------------------------------------------


def test_q_leaves_a_summary():
    with Browser(shop(), size=(100, 50)) as screen:
        screen.go("3", shows="flame graph: ")
        screen.press("q")
        screen.ends()
        lines = screen.look()
        for part in ("overview: shop.data  400 samples of 'cycles:u'", "Health: 400 samples read", "Threads", "100 shop",
                     "Heaviest by themselves", "22.50%  walk_tree", "With what they call", "88.75%  main"):
            assert any(part in line for line in lines), (part, lines)


def test_who_ends_it_leaves_the_terminal_sane():
    with tmux.Screen(80, 24) as screen:
        before, after = (os.path.join(FOLDER, name) for name in ("before", "after"))
        screen.type(f"stty -g >{before}\n")
        ends = (lambda: screen.press("q"), lambda: screen.press("C-c"), lambda: os.kill(screen.child(), signal.SIGTERM),
                lambda: os.kill(screen.child(), signal.SIGHUP))
        for end in ends:
            screen.type(f"clear; {TALLY} report -i {shop()} --symfs {ROOT}\n")
            screen.until(lambda s: s[0].startswith("overview"), "the browser")
            end()
            Browser.ends(screen)
            screen.type(f"stty -g >{after}; echo written\n")
            screen.until(lambda s: any(line.startswith("written") for line in s), "the settings of the terminal")
            with open(before, encoding="ascii") as one, open(after, encoding="ascii") as other:
                tap.same(other.read(), one.read(), "terminal settings")


def test_it_ends_with_its_terminal():
    """Who does not hear SIGHUP ends all the same when the terminal is gone, and does not turn in circles."""
    with Session("/usr/bin/env", "--ignore-signal=HUP", TALLY, "report", "-i", shop()) as session:
        session.until(lambda text: "Help" in text, "the browser")
        pid = session.pid
        os.close(session.terminal)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not os.waitpid(pid, os.WNOHANG)[0]:
            time.sleep(0.02)
        ended = time.monotonic() < end
        session.pid = 0 if ended else pid
        session.terminal = os.open("/dev/null", os.O_RDONLY)
        assert ended, "it is still there"


def test_it_stops_and_goes_on():
    """Ctrl-Z gives the terminal to the shell, fg brings the same screen back."""
    with Browser(shop()) as screen:
        screen.go("3", "Down", shows="main  88.75%")
        screen.press("C-z")
        screen.until(lambda s: s[-1].strip() == "shell>", "the shell")
        tap.same(screen.state("#{alternate_on} #{cursor_flag}"), "0 1", "screen, cursor")
        screen.type("fg\n")
        screen.shows("flame graph: ", "main  88.75%", "h Help")
        screen.go("Down", shows="serve  88.75%")


# ---- surroundings --------------------------------------------------------------------------------


def test_no_color_has_none():
    coloured = re.compile(r"\x1b\[[0-9;]*\b(3[0-7]|4[0-7]|38|48)\b[0-9;]*m")
    with Browser(shop()) as screen:
        screen.go("3", shows="flame graph: ")
        assert coloured.search("\n".join(screen.coloured()))
    with Browser(shop(), NO_COLOR="1") as screen:
        screen.go("3", shows="flame graph: ")
        assert not coloured.search("\n".join(screen.coloured()))
        screen.selects("all")


def test_without_utf8():
    with Browser(shop(), LC_ALL="C") as screen:
        for key in "12346hi":
            lines = screen.go(key)
            time.sleep(0.1)
            lines = screen.look()
            assert all(ord(c) < 128 for line in lines for c in line), lines
        screen.go("x", "h", shows="+- Keys")


def test_where_there_is_no_screen():
    """A terminal that can do nothing, and pipes, get text."""
    with Browser(shop(), shown=None, TERM="dumb", TALLY_PAGER="") as screen:
        screen.shows("# Health: 400 samples")
        assert screen.state("#{alternate_on}") == "0"
    done = tap.run(TALLY, "report", "-i", shop(), "--symfs", ROOT)
    assert done.returncode == 0 and done.stdout.startswith("# To display") and "\x1b" not in done.stdout, done.stdout[:300]
    done = tap.run(TALLY, "report", "-i", shop(), "--tui")
    assert done.returncode == 1 and "--stdio" in done.stderr, (done.returncode, done.stderr)


def test_less_than_all_in_recordings():
    """Without samples it is text; without callchains rows do not open; without times there is no time."""
    empty = os.path.join(FOLDER, "empty.data")
    browser_data.write_empty(empty)
    with Browser(empty, shown=None, TALLY_PAGER="") as screen:
        screen.shows("has no samples")
        assert screen.state("#{alternate_on}") == "0"
    with Browser(recording("flat", chains=False)) as screen:
        none = "there are no callchains: tally record -g"
        screen.shows("Heaviest by themselves", "Threads", gone="With what they call")
        screen.go("Right")
        screen.selects("100 shop")
        screen.resize(120, 40)
        screen.shows("Heaviest by themselves", "Threads", gone="With what they call")
        screen.go("2", "Enter", shows=none)
        screen.go("3", shows=("flame graph: ", none))
        screen.go("4", shows="callers: ", gone=none)
        screen.go("2", "g", "=walk_tree", "Enter", "a", shows=("walk_tree  90 samples, 22.50% of all", "Itself"),
                  gone=("with callees", "In all"))
        screen.press("q")
        screen.ends()
        assert "With what they call" not in "\n".join(screen.look())
    with Browser(recording("timeless", times=False)) as screen:
        screen.go("6", shows="the samples of this event have no times")
        screen.go("Space", "b", "Enter", "Down", shows="the samples of this event have no times")
    with Browser(recording("cpuless", cpus=False)) as screen:
        screen.go("6", shows="100 shop")
        screen.go("b", shows="their CPU was not recorded", gone="4294967295")
        screen.go("Enter", "Space", "Down", shows=("their CPU was not recorded", "400 samples"), gone="only")
        screen.go("w", shows="nothing is selected")
        screen.go("x", "b", shows="100 shop")


def test_queries():
    """Of the command line, typed, wrong ones; Esc takes them away one by one."""
    with Browser(shop(), "--query", "comm:price-worker") as screen:
        screen.shows("45 samples of 'cycles:u' of 400", "only comm:price-worker (Esc: out)")
        screen.go(":", "=sym:discount", "Enter", shows=("30 samples", "only comm:price-worker, sym:discount (Esc: out)"))
        screen.go("Escape", shows="45 samples")
        screen.go("Escape", shows="400 samples")
        screen.go(":", "=sym:/(/", "Enter", shows="'sym:/(/': ")
        screen.go(":", "=time:0-", "BSpace", "BSpace", shows="time:_")
        screen.go("Escape", gone="time:_")
        screen.go(":", "=nothing:has-this", "Enter", shows="'nothing:has-this': ")
        screen.go(":", "=sym:no_such_function", "Enter", shows="0 samples of 'cycles:u' of 400")
        for key in "2346":
            screen.go(key, shows=("0 samples", "No sample matches this:", "  only sym:no_such_function", "Esc takes the last of that back",
                                  ": asks for another query"))
        screen.go(":", "Enter", shows="400 samples", gone="No sample matches")
        screen.go("2", "/", "=no such", "Enter", shows=("No row matches this:", "  only functions with no such"), gone="Symbol")
        screen.go("Escape", "k", "K", shows=("No row matches this:", "only the kernel", "The kernel is hidden: K in rows shows it."))
        screen.go("K", "Escape", shows="parse_request", gone="matches this")
    with Browser(shop(), "--query", "'tid:x'", shown=None) as screen:
        screen.shows("'tid:x': numbers and ranges look like 0-3,5 (at 4)", "400 samples")


tap.main(__name__)
