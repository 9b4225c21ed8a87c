#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally top`, both as text and as a screen in tmux that receives keys.

usage: top.py TALLY
"""
import itertools
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tap  # noqa: E402
import tmux  # noqa: E402
from terminal import on_terminal  # noqa: E402
from watching import DEADLINE, FOLDER, HEADER, TALLY, Started, built, may_watch, rows_of, shows, stdio  # noqa: E402


# ---- text --------------------------------------------------------------------------------------


def test_stdio_has_perfs_shape():
    """Check the header, dashes, an empty line and sorted rows. In a pipe, there must be neither colors nor control
    sequences."""
    may_watch()
    with Started(built("spinner")):
        lines = stdio("-a", until=shows("spin_often"))
    header = HEADER.match(lines[0])
    assert header, lines[0]
    assert re.fullmatch(r"all, \d+ CPUs?", header.group(2)), lines[0]
    assert lines[1] == "-" * 79 and lines[2] == "", lines[:3]
    rows = rows_of(lines)
    assert len(rows) == len([line for line in lines[3:] if line]), lines
    shares = [row[0] for row in rows]
    assert shares == sorted(shares, reverse=True) and sum(shares) <= 100.5, shares
    assert len(rows) <= 20 and "\033" not in "".join(lines)


@tap.always
def test_stdio_shares_are_right():
    """Check that with enough samples, a function that takes three times as long has three times the share."""
    may_watch()

    def is_so(lines):
        shares = {row[3]: row[0] for row in rows_of(lines)}
        return shares.get("spin_seldom", 0) > 10 and 2.2 < shares["spin_often"] / shares["spin_seldom"] < 4
    with Started(built("spinner")) as watched:
        lines = stdio("-p", str(watched.pid), until=is_so)
    assert HEADER.match(lines[0]).group(2) == f"target_pid: {watched.pid}", lines[0]
    # The program runs mainly in user space.
    assert float(re.search(r"kernel: *([\d.]+)%", lines[0])[1]) < 50, lines[0]


def test_stdio_hides_and_filters():
    """Check that -U hides the kernel and -K user space, and that --symbol-filter, --dsos and -E filter further."""
    may_watch()
    with Started(built("spinner")):
        lines = stdio("-a", "-U", until=lambda s: len(rows_of(s)) > 2)
        assert {row[2] for row in rows_of(lines)} == {"k"}, lines
        lines = stdio("-a", "-K", until=shows("spin_often"))
        assert {row[2] for row in rows_of(lines)} == {"."}, lines
        lines = stdio("-a", "--symbol-filter", "n_seldom", until=shows("spin_seldom"))
        assert {row[3] for row in rows_of(lines)} == {"spin_seldom"}, lines
        lines = stdio("-a", "-E", "3", "-d", "0.2", until=lambda s: len(rows_of(s)) == 3)
        lines = stdio("-a", "--dsos", "spinner", "-s", "comm,dso", "--percent-limit", "1",
                      until=lambda s: any("spinner" in line for line in s[3:]))
        assert re.fullmatch(r" +\d+\.\d\d%  spinner +spinner", lines[3]), lines
        assert len([line for line in lines[3:] if line]) == 1, lines


def test_zero_drops_old_samples():
    """Check that with -z, processes that are no longer running disappear in the next interval."""
    may_watch()
    with Started(built("spinner")) as watched, \
            Started(TALLY, "top", "-a", "--stdio", "-z", "-d", "0.3", "--symbols", "spin_often",
                    stdout=subprocess.PIPE) as top:
        end = time.monotonic() + DEADLINE
        while b"spin_often" not in top.stdout.readline():
            assert time.monotonic() < end, "spin_often never seen"
        watched.kill()
        headers = 0
        while headers < 3:
            assert time.monotonic() < end, "spin_often never went away"
            line = top.stdout.readline()
            headers = 0 if b"spin_often" in line else headers + (b"PerfTop" in line)


def test_events_of_a_group():
    """Check that --group with several events prints one table after the other."""
    may_watch()
    with Started(built("spinner")):
        lines = stdio("-a", "--group", "-e", "cpu-clock", "-e", "task-clock",
                      until=lambda s: sum("spin_often" in line for line in s) == 2)
    assert [line for line in lines if line.startswith("#")] == ["# event 'cpu-clock'", "# event 'task-clock'"], lines


def test_members_that_are_only_read_have_rows():
    """Check that the leader's samples are shown for the members that are read with them (:S)."""
    may_watch()
    with Started(built("spinner")):
        lines = stdio("-a", "-e", "{cpu-clock,task-clock}:S", until=lambda s: sum("spin_often" in line for line in s) == 2)
    assert [line for line in lines if line.startswith("#")] == ["# event 'cpu-clock'", "# event 'task-clock'"], lines


def test_stdio_shows_callchains():
    """Check that -g prints children, and callers or callees below each row."""
    may_watch()
    with Started(built("spinner")) as watched:
        lines = stdio("-p", str(watched.pid), "-g", "-E", "4", "-d", "0.4",
                      until=lambda s: any("outer_function" in line for line in s[4:]))
    assert any(re.match(r" +\d+\.\d\d% +\d+\.\d\d%  spinner +\[\.\] ", line) for line in lines), lines
    assert any(re.search(r"--\d+\.\d\d%--|---", line) for line in lines), lines


def test_callees_are_ignored():
    may_watch()
    with Started(built("spinner")) as watched:
        lines = stdio("-p", str(watched.pid), "-K", "-g", "--no-children", "--call-graph", "fp,none", "--ignore-callees", "^outer_f",
                      until=shows("outer_function", 90))
    assert not any(row[3].startswith("spin_") and row[0] > 1 for row in rows_of(lines)), lines


def test_processes_that_come_and_go_have_names():
    """Check that programs that run for only milliseconds are shown with their names, and with the names of their files
    and functions."""
    may_watch()
    brief = built("brief-one")
    with Started(built("spinner"), "forks", brief):
        lines = stdio("-a", "-s", "comm,dso,symbol", "--comms", "brief-one",
                      until=lambda s: any("spin_often" in line for line in s))
    assert any(re.fullmatch(r" +\d+\.\d\d%  brief-one +brief-one +\[\.\] spin_often", line)
               for line in lines), lines


def test_ends_with_the_watched_process():
    may_watch()
    with Started(built("spinner")) as watched:
        with Started(TALLY, "top", "--stdio", "-p", str(watched.pid), "-d", "0.2",
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE) as top:
            top.stdout.readline()
            watched.kill()
            out, err = top.communicate(timeout=DEADLINE)
            assert top.returncode == 0 and b"all watched tasks have exited" in err, (top.returncode, out, err)


def test_drops_samples_when_late_and_reports_it():
    """Check that tally continues with new samples, and reports the lost ones, after it was stopped for a while with
    small ring buffers."""
    may_watch()
    missed = re.compile(r"lost: \d+/(\d+) drop: \d+/(\d+)")
    with Started(built("spinner")) as watched, \
            Started(TALLY, "top", "-a", "--stdio", "-F", "997", "-m", "1", "-d", "0.3",
                    stdout=subprocess.PIPE) as top:
        end = time.monotonic() + DEADLINE
        total = 0
        while not total:
            assert time.monotonic() < end, "nothing was lost"
            line = top.stdout.readline().decode()
            if "PerfTop" in line:
                total = sum(map(int, missed.search(line).groups()))
                top.send_signal(signal.SIGSTOP)
                # While tally is stopped, the ring buffer overflows, because it has space for only a few samples.
                before = tap.cpu_seconds(watched.pid)
                tap.wait_until(lambda: tap.cpu_seconds(watched.pid) > before + 0.3, "what is watched to work")
                top.send_signal(signal.SIGCONT)
        # Rows appear again once tally continues.
        while "spin_often" not in line:
            assert time.monotonic() < end, "no rows any more"
            line = top.stdout.readline().decode()


def test_wrong_options_are_told():
    for args, part in ((["-d", "never"], "option '-d' requires"), (["-s", "colour"], "'colour'"), (["true"], "does not run a command"),
                       (["--call-graph", "wrong"], "'wrong'"), (["--ignore-callees", "x"], "requires callchains"), (["-g", "--ignore-callees", "("], "invalid regular expression '('"), (["-p", "x"], "x")):
        done = tap.run(TALLY, "top", "--stdio", *args, stdin=subprocess.DEVNULL)
        assert done.returncode == 1 and part in done.stderr, (args, done.returncode, done.stderr)


# ---- screen ------------------------------------------------------------------------------------

WIDTH, HEIGHT = 140, 30


class Screen(tmux.Screen):
    """A shell that runs tally top."""

    def __init__(self):
        super().__init__(WIDTH, HEIGHT)

    def start(self, *args):
        """Start tally top in the shell, and wait for rows."""
        self.type(" ".join([TALLY, "top", "-F", "997", "-d", "0.5", *args]))
        self.press("Enter")
        self.until(lambda lines: HEADER.match(lines[0]) and len(table_of(lines)) > 1, "rows")
        return self


def table_of(lines):
    """Return (first share, rest of the line) for each row of a screen."""
    found = (re.match(r"^[ +-] +(\d+\.\d\d)%  (.*)", line) for line in lines[1:-2])
    return [(float(m.group(1)), m.group(2)) for m in found if m]


def note_of(lines):
    return lines[-2]


def test_screen_is_laid_out():
    """Check the title, headings, sorted rows with a selection, position and keys. q must restore the terminal."""
    may_watch()
    with Started(built("spinner")) as watched, Screen() as screen:
        before, after = (os.path.join(FOLDER, name) for name in ("before", "after"))
        screen.type(f"stty -g >{before}\n")
        screen.start("-p", str(watched.pid))
        lines = screen.until(lambda s: "spin_often" in s[2] and "spin_seldom" in s[3], "both functions")
        assert re.match(r"^  Overhead  Shared Object +Symbol", lines[1]), lines[1]
        shares = [row[0] for row in table_of(lines)]
        assert shares == sorted(shares, reverse=True), shares
        assert re.search(r" 1/\d+$", note_of(lines)), note_of(lines)
        assert lines[-1].startswith(" h Help") and lines[-1].rstrip().endswith("q Quit"), lines[-1]
        assert len(lines) == HEIGHT and screen.state("#{alternate_on}") == "1"
        coloured = screen.run("capture-pane", "-e", "-p", "-t", "s").split("\n")
        is_selected = [re.search(r"\x1b\[(0;)?7m", line) is not None for line in coloured]
        assert is_selected[2] and not any(is_selected[3:-2]), coloured[:5]
        assert "\x1b[31m" in coloured[3], coloured[3]
        screen.press("q")
        screen.until(lambda s: s[-1].strip() == "shell>", "the shell")
        assert screen.state("#{alternate_on} #{cursor_flag}") == "0 1"
        screen.type(f"stty -g >{after}\n")
        screen.until(lambda s: os.path.exists(after) and os.path.getsize(after), "the settings of the terminal")
        with open(before, encoding="ascii") as one, open(after, encoding="ascii") as other:
            tap.same(other.read(), one.read(), "terminal settings")


def test_ctrl_c_and_sigterm_put_the_terminal_back():
    may_watch()
    with Screen() as screen:
        for end in (lambda: screen.press("C-c"),
                    lambda: os.kill(screen.child(), signal.SIGTERM)):
            screen.start("-a")
            end()
            screen.until(lambda s: s[-1].strip() == "shell>", "the shell")
            assert screen.state("#{alternate_on} #{cursor_flag}") == "0 1"
            screen.type("clear\n")


def test_help_comes_and_goes():
    may_watch()
    with Screen() as screen:
        screen.start("-a").press("h")
        lines = screen.until(lambda s: any("\u250c\u2500 Keys" in line for line in s), "the help")
        assert any("zoom out, one step" in line for line in lines), lines
        assert not any("health" in line or "(annotate)" in line for line in lines), lines
        screen.press("x")
        screen.until(lambda s: not any("Keys" in line for line in s), "no help")
        # The i key has no effect here, and does not open a box that receives the next key.
        screen.press("i", "h")
        screen.until(lambda s: any("\u250c\u2500 Keys" in line for line in s), "the help again")


def test_cursor_moves():
    may_watch()
    with Screen() as screen:
        screen.start("-a")
        place = re.compile(r" (\d+)/(\d+)$")
        for key, at in (("Down", "2"), ("Down", "3"), ("Up", "2"), ("NPage", None), ("End", "last"), ("Home", "1")):
            screen.press(key)
            looks = itertools.count(1)

            def is_there(lines, key=key, at=at):
                # Press the key again from time to time, because on a busy machine each refresh may add rows after the
                # last one.
                if at == "last" and next(looks) % 20 == 0:
                    screen.press(key)
                return (m := place.search(note_of(lines))) and \
                    (int(m.group(1)) > 3 if at is None else m.group(1) == (m.group(2) if at == "last" else at))
            screen.until(is_there, f"line {at} after {key}")


def test_filter_narrows():
    """Check that / with a text and Enter shows only the rows that contain the text, and that Esc shows all rows
    again."""
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.start("-a").until(lambda s: "spin_often" in "".join(s), "spin_often")
        screen.type("/n_selX")
        screen.press("BSpace")
        screen.until(lambda s: note_of(s).startswith("show only functions containing: n_sel_"), "the question")
        screen.press("BSpace")
        screen.type("ldom")
        screen.press("Enter")
        lines = screen.until(lambda s: len(table_of(s)) == 1 and "spin_seldom" in "".join(s), "one row")
        assert note_of(lines).startswith("only functions containing n_seldom"), note_of(lines)
        screen.press("Escape")
        screen.until(lambda s: "spin_often" in "".join(s) and len(table_of(s)) > 1, "all rows again")


def test_search_goes_to_a_row():
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.start("-a").until(lambda s: "spin_seldom" in "".join(s), "spin_seldom")
        looks = itertools.count()

        def is_selected(lines):
            # Repeat the search from time to time: the cursor stays on its line, but the next refresh may move another
            # row there.
            if next(looks) % 100 == 0:
                screen.type("gspin_sel")
                screen.press("Enter")
            coloured = screen.run("capture-pane", "-e", "-p", "-t", "s").split("\n")
            return any("\x1b[7m" in line and "spin_seldom" in line for line in coloured)
        screen.until(is_selected, "spin_seldom selected")
        screen.type("gno such thing")
        screen.press("Enter")
        screen.until(lambda s: note_of(s).startswith("no matching row"), "nothing found")


def test_zooming():
    """Check that d zooms to this file, t to this command, and s to this function, and that Esc zooms out step by
    step."""
    may_watch()
    with Started(built("spinner"), "threads"), Screen() as screen:
        screen.start("-a", "-s", "comm,dso,symbol").until(lambda s: "second_thread" in "".join(s), "second_thread")
        screen.type("gsecond_thread")
        screen.press("Enter", "d")
        lines = screen.until(lambda s: re.match(r"only file /.*/spinner", note_of(s)), "the file alone")
        assert all(re.search(r" spinner +\[", row[1]) for row in table_of(lines)) and len(table_of(lines)) > 2, lines
        screen.press("t")
        lines = screen.until(lambda s: re.match(r"only command \w+, file", note_of(s)), "the command alone")
        assert len({row[1].split()[0] for row in table_of(lines)}) == 1, lines
        screen.press("s")
        lines = screen.until(lambda s: re.search(r", function spin_\w+", note_of(s)), "the function alone")
        assert len(table_of(lines)) == 1, lines
        screen.press("Escape")
        screen.until(lambda s: "function" not in note_of(s) and "file" in note_of(s), "one step out")
        screen.press("Escape")
        screen.press("Escape")
        screen.until(lambda s: "only" not in note_of(s) and len(table_of(s)) > 3, "everything")


def test_orders_follow_each_other():
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.start("-a").press("o")
        screen.until(lambda s: "Command" in s[1] and "Symbol" in s[1] and len(table_of(s)) > 1, "by command")
        screen.press("o")
        screen.until(lambda s: re.fullmatch(r"  Overhead  Command *", s[1]) and table_of(s), "commands")
        screen.press("o", "o")
        lines = screen.until(lambda s: "Tid:Command" in s[1] and any(":spinner" in line for line in s), "threads")
        assert any(re.search(r" \d+:spinner\b", line) for line in lines), lines


def test_callchains_open_and_close():
    """Check that Enter opens one level, e toggles all levels of a row, E opens all rows, and C closes them."""
    may_watch()
    with Started(built("spinner")) as watched, Screen() as screen:
        screen.start("-g", "--no-children", "-p", str(watched.pid))
        screen.until(lambda s: table_of(s) and "spin_often" in table_of(s)[0][1] and s[2].startswith("+"), "a mark")
        screen.press("Enter")
        screen.until(lambda s: s[2].startswith("-") and re.search(r"^ +\d+\.\d\d% spin_often", s[3]) and
                     re.search(r"^ +outer_function", s[4]) and re.search(r"^ +main", s[5]), "its chain")
        screen.press("e")
        screen.until(lambda s: s[2].startswith("+") and s[3].startswith("+"), "closed again")
        screen.press("E")
        screen.until(lambda s: sum(line.startswith("-") for line in s) > 1, "all open")
        screen.press("C")
        screen.until(lambda s: not any(line.startswith("-") for line in s), "all closed")


def test_views_of_callchains_name_the_option():
    may_watch()
    with Started(built("spinner")) as watched, Screen() as screen:
        screen.start("-p", str(watched.pid))
        screen.until(table_of, "rows")
        screen.press("Enter")
        screen.until(lambda s: "use top --call-graph auto" in note_of(s), "the option")


def test_pause_holds_still():
    """Check that nothing changes while top is paused, and that top continues afterwards."""
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.start("-a").press("p")
        screen.until(lambda s: note_of(s).startswith("paused"), "the pause")
        screen.until(lambda s: re.match(r"PerfTop: +0 irqs", s[0]), "nothing counted")
        held = table_of(screen.look())
        screen.until(lambda s: re.match(r"PerfTop: +0 irqs", s[0]), "nothing counted")
        assert table_of(screen.look()) == held
        screen.press("p")
        screen.until(lambda s: not re.match(r"PerfTop: +0 irqs", s[0]), "that it goes on")


def test_hiding():
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.start("-a").press("K")
        screen.until(lambda s: table_of(s) and all("[k]" not in row[1] for row in table_of(s)) and
                     "hidden" in note_of(s), "user space alone")
        screen.press("K", "U")
        screen.until(lambda s: table_of(s) and all("[.]" not in row[1] for row in table_of(s)), "the kernel alone")


def test_resizing_redraws():
    """Check that on a narrow screen, names end with an ellipsis and keys are whole words. Then make the screen wide
    again."""
    may_watch()
    with Started(built("a-program-with-a-name-that-is-far-too-long-for-that")), Screen() as screen:
        screen.start("-a").until(lambda s: "spin_often" in "".join(s), "spin_often")
        for width, height in ((46, 12), (20, 5), (130, 40)):
            screen.run("resize-window", "-t", "s", "-x", str(width), "-y", str(height))
            # The screen may be captured half drawn. Its last line is drawn last.
            lines = screen.until(lambda s: len(s) == height and re.fullmatch(r" h Help(  [\w/]+ \w+)*", s[-1].rstrip()) and
                                 (HEADER.match(s[0]) or (s[0].endswith("\u2026") and len(s[0]) == width)), f"{width}x{height}")
            assert all(len(line) <= width for line in lines), lines
            if width == 46:
                screen.until(lambda s: any(re.search(r"  a\S*\u2026\S+  \[\.\] spin_often", line) for line in s[2:]), "a name that is cut")


def test_several_events():
    """Check that Tab switches between events."""
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.start("-a", "-e", "cpu-clock", "-e", "page-faults").until(lambda s: "event cpu-clock" in note_of(s), "the first")
        screen.press("Tab")
        screen.until(lambda s: "event page-faults" in note_of(s), "the second")
        screen.press("Tab")
        screen.until(lambda s: "event cpu-clock" in note_of(s), "the first again")


def test_no_color_has_none():
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.type("export NO_COLOR=1\n")
        screen.start("-a").until(lambda s: "spin_often" in "".join(s), "spin_often")
        coloured = screen.run("capture-pane", "-e", "-p", "-t", "s")
        assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", coloured), "there are colours"
        assert "\x1b[7m" in coloured or "\x1b[0;7m" in coloured


def test_other_locales_and_terminals():
    """Check that plain characters are used without UTF-8, and that an unknown terminal is reported with a hint."""
    may_watch()
    with Screen() as screen:
        screen.type("export LC_ALL=C\n")
        screen.start("-a").press("h")
        screen.until(lambda s: any("+- Keys -" in line for line in s), "a plain box")
        screen.press("q")
        screen.press("q")
        screen.until(lambda s: s[-1].strip() == "shell>", "the shell")
        screen.type(f"TERM=nonesuch {TALLY} top -a\n")
        screen.until(lambda s: "'nonesuch'" in "".join(s) and "--stdio" in "".join(s), "the reason")


def test_stdio_lines_fit():
    """Check that names are shortened on a terminal and complete in a pipe."""
    may_watch()
    long_name = "a-program-with-a-name-that-is-far-too-long-for-that"

    def has_rows(text):
        return text.count(b"PerfTop") > 3 and re.search(rb"\[\.\] spin_often *\n", text)
    with Started(built(long_name)) as watched:
        options = ("top", "--stdio", "-F", "997", "-d", "0.3", "-p", str(watched.pid), "-s", "comm,dso,symbol")
        for columns in (56, 70, 130):
            text = on_terminal(TALLY, *options, columns=columns, until=has_rows, deadline=DEADLINE, NO_COLOR="1").decode()
            lines = text.replace("\033[H\033[2J", "").split("\n")
            assert has_rows(text.encode()), lines[-3:]
            assert max(map(len, lines)) <= columns, max(lines, key=len)
            assert (long_name in text) == (columns == 130), columns
            assert re.search(r"  a-p.*\.\.\..*  \[\.\] spin_often\n", text) or columns == 130, columns
        lines = stdio("-p", str(watched.pid), "-s", "comm,dso,symbol", until=shows_text("spin_often"))
        assert long_name in "".join(lines), lines[3:6]
        lines = stdio("-p", str(watched.pid), "-w", "0,20,20", until=shows_text("spin_often"))
        assert any("  a-progra" in line and "...for-that  [.]" in line for line in lines), lines[3:6]


def shows_text(text):
    return lambda lines: any(text in line for line in lines)


def test_stdio_keys():
    """Check that --stdio on a terminal has perf's keys."""
    may_watch()
    with Started(built("spinner")), Screen() as screen:
        screen.type(f"{TALLY} top -a --stdio -F 997 -d 0.5")
        screen.press("Enter")
        screen.until(lambda s: len(rows_of(s)) > 3 and "PerfTop" in s[1], "rows")
        screen.press("e")
        screen.until(lambda s: any(line.startswith("rows (0: as many as fit):") for line in s), "the question")
        screen.press("2", "Enter")
        screen.until(lambda s: len(rows_of(s)) == 2 and "PerfTop" in s[1], "two rows")
        screen.press("U")
        screen.until(lambda s: rows_of(s) and {row[2] for row in rows_of(s)} == {"k"}, "the kernel alone")
        screen.press("q")
        screen.until(lambda s: s[-1].strip() == "shell>", "the shell")


tap.main(__name__)
