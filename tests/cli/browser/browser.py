#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the `tally report` browser in tmux: screens compared with golden files, how it exits, and its environment.

usage: browser.py TALLY [--write] --write: replace tests/cli/golden/browser with the current screens
"""
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import browser_data  # noqa: E402
import crafted  # noqa: E402
import tap  # noqa: E402
import tmux  # noqa: E402
from browser_screens import Browser, FOLDER, ROOT, TALLY, recording, shop, still  # noqa: E402
from terminal import Session  # noqa: E402

WRITES = sys.argv[2:] == ["--write"]
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "browser")
SIZES = ((80, 24), (120, 40), (20, 5))


# ---- golden files --------------------------------------------------------------------------------

# A tour of all views: the keys to press, and the golden file to compare the screen with.
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
    wanted, end = golden_lines(name, size), time.monotonic() + tap.PATIENCE
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


# ---- end -----------------------------------------------------------------------------------------


def test_q_leaves_a_summary():
    with Browser(shop(), size=(100, 50)) as screen:
        screen.go("3", shows="flame graph: ")
        screen.press("q")
        screen.ends()
        lines = screen.look()
        for part in ("shop.data: 400M cycles:u in 993 ms; 2 threads; 400 samples", "Health: 400 samples read", "Threads", "100 shop",
                     "Top functions, self (i: inlined, apart)", "22.50%   33.75%   walk_tree", "Top functions, total", "88.75%    main"):
            assert any(part in line for line in lines), (part, lines)


def test_signals_restore_the_terminal():
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
    """Check that the browser exits, rather than looping, when its terminal is closed while SIGHUP is ignored."""
    with Session("/usr/bin/env", "--ignore-signal=HUP", TALLY, "report", "-i", shop()) as session:
        session.until(lambda text: "Help" in text, "the browser")
        pid = session.pid
        os.close(session.terminal)
        end = time.monotonic() + tap.PATIENCE
        while time.monotonic() < end and not os.waitpid(pid, os.WNOHANG)[0]:
            time.sleep(0.02)
        ended = time.monotonic() < end
        session.pid = 0 if ended else pid
        session.terminal = os.open("/dev/null", os.O_RDONLY)
        assert ended, "it is still there"


def test_ctrl_z_suspends_and_fg_restores_the_screen():
    """Check that Ctrl-Z returns the terminal to the shell, and that fg restores the same screen."""
    with Browser(shop()) as screen:
        screen.go("3", "Down", shows="main  88.75%")
        screen.press("C-z")
        screen.until(lambda s: s[-1].strip() == "shell>", "the shell")
        tap.same(screen.state("#{alternate_on} #{cursor_flag}"), "0 1", "screen, cursor")
        screen.type("fg\n")
        screen.shows("flame graph: ", "main  88.75%", "h Help")
        screen.go("Down", shows="serve  88.75%")


# ---- environment ---------------------------------------------------------------------------------


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


def test_prints_text_without_a_screen():
    """Check that text is printed on a dumb terminal and into a pipe."""
    with Browser(shop(), shown=None, TERM="dumb", TALLY_PAGER="") as screen:
        screen.shows("discount", "libprice.so.1")
        assert screen.state("#{alternate_on}") == "0"
    done = tap.run(TALLY, "report", "-i", shop(), "--symfs", ROOT)
    assert done.returncode == 0 and done.stdout.startswith("shop.data: 400M cycles:u in 993 ms") and "\x1b" not in done.stdout, done.stdout[:300]
    done = tap.run(TALLY, "report", "-i", shop(), "--tui")
    assert done.returncode == 1 and "--stdio" in done.stderr, (done.returncode, done.stderr)


def test_handles_recordings_without_some_data():
    """Test recordings that lack data: without samples, text is printed; without callchains, rows do not open; without
    timestamps, there is no time view."""
    empty = os.path.join(FOLDER, "empty.data")
    browser_data.write_empty(empty)
    with Browser(empty, shown=None, TALLY_PAGER="") as screen:
        screen.shows("has no samples")
        assert screen.state("#{alternate_on}") == "0"
    with Browser(recording("flat", chains=False)) as screen:
        none = "there are no callchains: use record --call-graph auto"
        screen.shows("Top functions, self", "Threads", gone="Top functions, total")
        screen.go("Right")
        screen.selects("100 shop")
        screen.resize(120, 40)
        screen.shows("Top functions, self", "Threads", gone="Top functions, total")
        screen.go("2", "Enter", shows=none)
        screen.go("3", shows=("flame graph: ", none))
        screen.go("4", shows="callers: ", gone=none)
        screen.go("2", "g", "=walk_tree", "Enter", "a", shows=("walk_tree  90 samples, 22.50% of all", "Self"),
                  gone=("with callees", "Total"))
        screen.press("q")
        screen.ends()
        assert "Top functions, total" not in "\n".join(screen.look())
    with Browser(recording("timeless", times=False)) as screen:
        screen.go("6", shows="the samples of this event have no timestamps")
        screen.go("Space", "b", "Enter", "Down", shows="the samples of this event have no timestamps")
    with Browser(recording("cpuless", cpus=False)) as screen:
        screen.go("6", shows="100 shop")
        screen.go("b", shows="CPUs were not recorded", gone="4294967295")
        screen.go("Enter", "Space", "Down", shows=("CPUs were not recorded", "400 samples"), gone="only")
        screen.go("w", shows="nothing is selected")
        screen.go("x", "b", shows="100 shop")


def test_turns_on_a_shared_cpu_are_one_cell():
    """Check that gaps of 3 ms in a thread's stacks are not shown, unlike a pause of 30 ms."""
    path = os.path.join(FOLDER, "turns.data")
    records = [crafted.comm(7, "turns"), crafted.mmap(7, 0x400000, 0x1000, "/nonexistent/turns")]
    times = [turn * 6000 + i * 250 + (30000 if turn >= 20 else 0) for turn in range(40) for i in range(1, 13)]
    records += [crafted.sample(0x400010, 7, 10**9 + time * 1000, period=250000) for time in times]
    with open(path, "wb") as file:
        file.write(crafted.file_bytes(records))
    with Browser(path, size=(120, 24)) as screen:
        lines = screen.go("7", shows="stacks: turns.data")
        tap.same(sum(line.count("\u258f") for line in lines), 2, "\n".join(lines))


def test_queries_are_completed():
    """Check that Tab completes fields and names, the best matches first, and that typing goes on from a completion."""
    with Browser(shop(), size=(120, 24)) as screen:
        screen.go(":", "=co", "Tab", shows="query (comm: sym: dso: tid: cpu: time:): comm:_")
        screen.go("=sh", "Tab", shows='comm:=="shop"_')
        screen.go("=  -pri", "Tab", shows='comm:=="shop"  -sym:=="price_of"_')
        screen.go("C-u", "=sym:re", "Tab", shows='sym:=="render_page"_ (Tab: next of ')  # begins with it
        screen.go("Tab", shows='sym:=="walk_tree"_ (Tab: next of ')  # contains it, and is the heaviest
        screen.go("C-u", "=dso:LIB", "Tab", shows='dso:=="libprice.so.1"_')
        screen.go("C-u", "=sym:nothing", "Tab", shows="sym:nothing_")
        screen.go("C-u", "=time:1", "Tab", shows="time:1_")
        screen.go("C-u", "=self-sym:dis", "Tab", "Enter", shows=('only self-sym:=="discount" (Esc: undo)', "70 samples"))


def test_queries():
    """Test queries from the command line, typed queries, and invalid ones. Esc removes them one by one."""
    with Browser(shop(), "--query", "comm:price-worker") as screen:
        screen.shows("45 samples of 'cycles:u' of 400", "only comm:price-worker (Esc: undo)")
        screen.go(":", "=sym:discount", "Enter", shows=("30 samples", "only comm:price-worker, sym:discount (Esc: undo)"))
        screen.go("Escape", shows="45 samples")
        screen.go("Escape", shows="400 samples")
        screen.go(":", "=sym:/(/", "Enter", shows="'sym:/(/': ")
        screen.go(":", "=time:0-", "BSpace", "BSpace", shows="time:_")
        screen.go("Escape", gone="time:_")
        screen.go(":", "=nothing:has-this", "Enter", shows="'nothing:has-this': ")
        screen.go(":", "=sym:no_such_function", "Enter", shows="0 samples of 'cycles:u' of 400")
        for key in "2346":
            screen.go(key, shows=("0 samples", "No sample matches these filters:", "  only sym:no_such_function", "Press Esc to undo the last filter",
                                  "Press : for another query"))
        screen.go(":", "Enter", shows="400 samples", gone="No sample matches")
        screen.go("2", "/", "=no such", "Enter", shows=("No row matches these filters:", "  only functions containing no such"), gone="Symbol")
        screen.go("Escape", "k", "K", shows=("No row matches these filters:", "only the kernel", "The kernel is hidden: press K in the rows view to show it."))
        screen.go("K", "Escape", shows="parse_request", gone="matches these")
    with Browser(shop(), "--query", "'tid:x'", shown=None) as screen:
        screen.shows("'tid:x': expected numbers or ranges such as 0-3,5 (at 4)", "400 samples")


tap.main(__name__)
