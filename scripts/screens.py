#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Take screenshots of the `tally report` browser: run it in tmux on a recording, and save each view as SVG.

usage: screens.py TALLY RECORDING DIRECTORY

The screenshots for the documentation are in docs/screens. They are made from the recording that scripts/demo.sh writes.
"""
import os
import re
import subprocess
import sys
import time
import unicodedata
from xml.sax.saxutils import escape

COLUMNS, ROWS = 110, 30
CELL_WIDTH, CELL_HEIGHT, FONT = 8, 17, 13.3
NO_BREAK = "\u00a0"
TEXT, GROUND = "#d8d8d8", "#1c1c1c"
BASIC = ("#1c1c1c", "#e06c60", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8d8d8")
# Views, each with the keys that open it from the previous view.
VIEWS = (("overview", ()), ("flame", ("3", "Down", "Down")), ("sandwich", ("1", "Enter")),
         ("time", ("6", *["Right"] * 20, "Space", *["Right"] * 16)),
         ("annotate", ("Escape", *":comm:words", "Enter", "1", "a", "H")))


class Tmux:
    """A terminal that runs one program."""

    def __init__(self, *command):
        self.tmux = ("tmux", "-L", f"screens-{os.getpid()}", "-f", "/dev/null")
        self.run("new-session", "-d", "-s", "s", "-x", str(COLUMNS), "-y", str(ROWS), "env", "-u", "NO_COLOR", "LC_ALL=C.UTF-8",
                 "TERM=tmux-256color", *command)

    def run(self, *args):
        return subprocess.run([*self.tmux, *args], check=True, stdout=subprocess.PIPE, text=True).stdout

    def still(self):
        """Return the contents of the screen once it has not changed for half a second."""
        before, since = None, time.monotonic()
        while time.monotonic() - since < 0.5 or not before.strip():
            now = self.run("capture-pane", "-e", "-N", "-p", "-t", "s")
            if now != before:
                before, since = now, time.monotonic()
            time.sleep(0.05)
        return before


def colour(number):
    """Return the colour with this number in xterm's 256-colour palette."""
    if number < 8:
        return BASIC[number]
    if number < 16:
        return BASIC[number - 8]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#" + "".join(f"{steps[number // unit % 6]:02x}" for unit in (36, 6, 1))


class Pen:
    """The current attributes of the text, as set by escape sequences."""

    def __init__(self):
        self.text, self.ground, self.bold, self.dim, self.reverse = None, None, False, False, False

    def set(self, codes):
        """Apply the codes of an escape sequence that ends with m."""
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (38, 48) and len(codes) > 1 and codes[0] == 5:
                setattr(self, "text" if code == 38 else "ground", codes[1])
                del codes[:2]
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.text = code % 10
            elif 40 <= code <= 47:
                self.ground = code - 40
            elif code in (39, 49):
                setattr(self, "text" if code == 39 else "ground", None)
            elif code in (1, 2, 7, 22, 27):
                self.bold, self.dim = (code == 1, code == 2) if code not in (7, 27) else (self.bold, self.dim)
                self.reverse = code == 7 if code in (7, 27) else self.reverse

    def look(self):
        """Return (text colour, background colour, bold, dim)."""
        text = TEXT if self.text is None else colour(self.text)
        ground = GROUND if self.ground is None else colour(self.ground)
        return (ground, text, self.bold, self.dim) if self.reverse else (text, ground, self.bold, self.dim)


def cells_of(line, pen):
    """Return (column, characters, look) for each run of characters with the same look. The pen keeps its state from
    line to line."""
    column, runs = 0, []
    for sequence, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", line):
        if not text:
            pen.set(sequence)
            continue
        runs.append((column, text, pen.look()))
        column += sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return runs


def svg_of(screen):
    width, height = COLUMNS * CELL_WIDTH, ROWS * CELL_HEIGHT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {width + 16} {height + 16}" width="{width + 16}">',
           f'<rect x="-8" y="-8" width="{width + 16}" height="{height + 16}" rx="6" fill="{GROUND}"/>',
           f'<g font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="{FONT}" xml:space="preserve">']
    pen = Pen()
    for row, line in enumerate(screen.split("\n")[:ROWS]):
        for column, text, (ink, ground, bold, dim) in cells_of(line, pen):
            x, y, wide = column * CELL_WIDTH, row * CELL_HEIGHT, len(text) * CELL_WIDTH
            if ground != GROUND:
                out.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{CELL_HEIGHT}" fill="{ground}"/>')
            # Viewers drop leading and trailing blanks and stretch the remaining text to textLength.
            shown = text.strip()
            if shown:
                x += (len(text) - len(text.lstrip())) * CELL_WIDTH
                more = ' font-weight="bold"' * bold + ' opacity="0.7"' * dim
                out.append(f'<text x="{x}" y="{y + 13}" textLength="{len(shown) * CELL_WIDTH}" fill="{ink}"{more}>'
                           f'{escape(shown).replace(" ", NO_BREAK)}</text>')
    return "\n".join([*out, "</g>", "</svg>", ""])


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tally, recording, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    screen = Tmux(os.path.abspath(tally), "report", "-i", os.path.abspath(recording))
    try:
        for name, keys in VIEWS:
            for key in keys:
                screen.run("send-keys", "-t", "s", key)
            with open(os.path.join(folder, name + ".svg"), "w", encoding="utf-8") as file:
                file.write(svg_of(screen.still()))
    finally:
        screen.run("kill-server")


if __name__ == "__main__":
    main()
