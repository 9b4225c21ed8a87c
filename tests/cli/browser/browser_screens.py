# SPDX-License-Identifier: BSD-2-Clause
"""Helpers for tests of the `tally report` browser in tmux: screens, key presses, and a recording."""
import os
import re
import time

import browser_data
import steps
import tap
import tmux

TALLY = steps.tally()
FOLDER = tap.workplace("browser")
ROOT = os.path.join(FOLDER, "root")
tmux.DEADLINE = tap.PATIENCE
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
        """Wait until all of `parts` and none of `gone` are on the screen."""
        gone = [gone] if isinstance(gone, str) else gone
        return self.until(lambda lines: all(part in "\n".join(lines) for part in parts) and
                          not any(part in "\n".join(lines) for part in gone), f"{parts} without {gone}")

    def go(self, *keys, shows=(), gone=()):
        """Press keys, and wait for their effect. An argument that begins with "=" is typed as text."""
        for key in keys:
            if key.startswith("="):
                self.type(key[1:])
            else:
                self.press(key)
        return self.shows(*([shows] if isinstance(shows, str) else shows), gone=gone)

    def selected(self):
        """Return the lines that are at least partly selected."""
        return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in self.coloured() if "\x1b[7m" in line or "\x1b[0;7m" in line]

    def selects(self, part):
        self.until(lambda _: any(part in line for line in self.selected()), f"{part} selected, but {self.selected()}")

    def click(self, row, column, button=0, up=True):
        """Send a mouse click as terminals encode it (button + 32, column + 33, row + 33), followed by the release if
        `up` is set."""
        self.run("send-keys", "-t", "s", "-H", *(f"{byte:x}" for byte in (27, 91, 77, 32 + button, 33 + column, 33 + row)))
        if up and button < 64:
            self.release(row, column)

    def bytes(self, sent):
        self.run("send-keys", "-t", "s", "-H", *(f"{byte:x}" for byte in sent))

    def release(self, row, column):
        self.run("send-keys", "-t", "s", "-H", *(f"{byte:x}" for byte in (27, 91, 77, 35, 33 + column, 33 + row)))

    def place(self, part):
        """Return the row and column of a string on the screen."""
        for row, line in enumerate(self.look()):
            if part in line:
                return row, line.index(part)
        raise AssertionError(f"{part} is not on the screen:\n{self.text}")

    def ends(self):
        """Check that the browser exited and restored the terminal."""
        self.until(lambda s: s[-1].strip() == "shell>", "the shell")
        tap.same(self.state("#{alternate_on} #{cursor_flag} #{mouse_any_flag}"), "0 1 0", "screen, cursor, mouse")


def still(screen):
    """Return the screen once it has not changed for a while, for writing golden files."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < 0.4:
        lines = screen.look()
        if lines != before:
            before, since = lines, time.monotonic()
        time.sleep(0.05)
    return before
