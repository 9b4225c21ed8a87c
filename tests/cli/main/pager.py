#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the pager for output on a terminal: the choice of the pager, output without a pager, and how tally and the pager
exit.

usage: pager.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402
from terminal import Session  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("pager")
DATA = os.path.join(WORK, "perf.data")
MANY = os.path.join(WORK, "many.data")
PID = 4194305 + os.getpid()
MARK = "pager was here"
ROWS = 3000
# A pager that copies its input and prefixes each line.
MARKING = f"sed 's/^/{MARK}: /'"


def setup():
    for path, rows in ((DATA, 3), (MANY, ROWS)):
        records = [mmap(PID, 0x400000, 0x100000, "/no/file"), comm(PID, "x")]
        records += [sample(0x400000 + 16 * number, PID, number + 1, USER) for number in range(rows)]
        with open(path, "wb") as file:
            file.write(file_bytes(records, [attr(IP | TID | TIME | PERIOD)]))


def shown(*args, path=DATA, columns=80, **environment):
    """Return the exit status, as in a shell, and the final contents of the terminal."""
    with Session(TALLY, *args, "-i", path, columns=columns, **environment) as session:
        return session.finish()


def lines(text):
    return [line for line in text.split("\r\n") if line]


def test_the_first_variable_that_is_set_counts():
    for environment in ({"TALLY_PAGER": MARKING}, {"PERF_PAGER": MARKING}, {"PAGER": MARKING},
                        {"TALLY_PAGER": MARKING, "PERF_PAGER": "false", "PAGER": "false"},
                        {"PERF_PAGER": MARKING, "PAGER": "false"}):
        status, text = shown("report", "--stdio", **environment)
        tap.same(status, 0, f"{environment}")
        assert all(line.startswith(MARK) for line in lines(text)) and "[.]" in text, text


def test_uses_no_pager_if_disabled():
    for arguments, environment in (([], {"TALLY_PAGER": ""}), ([], {"TALLY_PAGER": "cat"}), ([], {"PERF_PAGER": "", "PAGER": MARKING}),
                                   (["--no-pager"], {"TALLY_PAGER": MARKING}), ([], {"TALLY_PAGER": MARKING, "TERM": "dumb"})):
        status, text = shown(*arguments, "report", "--stdio", **environment)
        tap.same(status, 0, f"{environment}")
        assert MARK not in text and "[.]" in text, text
    run = tap.run(TALLY, "report", "--stdio", "-i", DATA, env=dict(os.environ, TALLY_PAGER=MARKING))
    assert MARK not in run.stdout and "[.]" in run.stdout, run.stdout


def test_what_it_shows_is_what_a_terminal_would():
    for columns in (60, 100):
        _, plain = shown("report", "--stdio", columns=columns, TALLY_PAGER="")
        assert "[.]" in plain, plain
        _, paged = shown("report", "--stdio", columns=columns, TALLY_PAGER="/bin/cat")
        tap.same(paged, plain, f"{columns} columns")
    _, plain = shown("script", TALLY_PAGER="")
    assert len(lines(plain)) > 2, plain
    _, paged = shown("script", TALLY_PAGER=MARKING)
    tap.same([line.removeprefix(MARK + ": ") for line in lines(paged)], lines(plain), "script")


def test_other_commands_are_paged_when_asked_to():
    for option in ("-p", "--paginate"):
        status, text = shown(option, "evlist", TALLY_PAGER=MARKING)
        tap.same(status, 0, option)
        assert text.startswith(MARK), text
    status, text = shown("evlist", TALLY_PAGER=MARKING)
    assert MARK not in text, text


def test_the_status_is_that_of_the_command():
    tap.same(shown("report", "--stdio", TALLY_PAGER=MARKING + "; exit 3")[0], 0, "the pager fails")
    status, text = shown("report", "--stdio", path=os.path.join(WORK, "none"), TALLY_PAGER=MARKING)
    tap.same(status, 1, "the command fails")
    assert MARK not in text and "none: cannot open: No such file" in text, text
    broken = os.path.join(WORK, "broken.data")
    with open(DATA, "rb") as file, open(broken, "wb") as out:
        out.write(file.read()[:-60])
    status, text = shown("report", "--stdio", path=broken, TALLY_PAGER=MARKING)
    tap.same(status, tap.run(TALLY, "report", "-i", broken).returncode, "a damaged file")
    assert re.search(r"^tally: ", text, re.M), text


def test_quitting_the_pager_ends_it_silently():
    status, text = shown("report", "--stdio", path=MANY, TALLY_PAGER="head -n 20")
    tap.same(status, 128 + 13, "SIGPIPE")
    tap.same(len(text.split("\r\n")), 21, "lines")
    assert "cannot" not in text, text


def test_prints_without_a_pager_that_cannot_run():
    status, text = shown("report", "--stdio", TALLY_PAGER="/no/such/pager")
    tap.same(status, 0, text)
    assert "cannot run the pager '/no/such/pager': No such file" in text and "[.]" in text, text
    status, text = shown("report", "--stdio", PATH="/nonexistent")
    assert "cannot run" not in text and "[.]" in text, text


def test_the_pager_handles_keys():
    """Check that less shows a page, that Ctrl-C does not end it, and that q ends both programs."""
    machine.need_tool("less", "--version")
    with Session(TALLY, "report", "--stdio", "-i", MANY, LESS="", LESSHISTFILE="-") as session:
        session.until(lambda text: text.endswith(":\x1b[K"), "a page")
        session.press("\x03")
        session.until(lambda text: "# Health" in text, "the end", again="G")  # less drops input right after Ctrl-C
        session.press("q")
        status, text = session.finish()
        assert status in (0, 128 + 13), status
        assert "cannot" not in text, text[-300:]
    with Session(TALLY, "report", "--stdio", "-i", DATA, LESSHISTFILE="-") as session:
        status, text = session.finish()  # everything fits on the screen
        tap.same(status, 0, text)
        assert "# Health" in text, text


setup()
tap.main(__name__)
