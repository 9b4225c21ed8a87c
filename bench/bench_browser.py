#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measure the `tally report` browser: the time to the first screen (compared with the same report as text), the
response time of each key, and memory use.

usage: bench_browser.py TALLY RECORDING [ROUNDS]
"""
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time

ROWS, COLUMNS = 40, 140
QUIET = 0.4  # seconds without output after which the screen counts as drawn
# Names in the results table, and the keys to press, in this order.
KEYS = (("rows (`2`)", "2"), ("down", "\x1bOB"), ("a row opens (Enter)", "\r"), ("all rows open (`E`)", "E"), ("all close (`C`)", "C"),
        ("callers instead of callees (`c`)", "c"), ("the end (End)", "\x1bOF"), ("another order (`o`, twice)", "oo"), ("flame graph (`3`)", "3"),
        ("to a cell (down)", "\x1bOB"), ("zoom (Enter)", "\x1bOB\r"), ("out (`-`)", "-"), ("reversed (`r`)", "r"),
        ("recursion collapsed (`c`)", "c"), ("a search (`/`)", "/read\r"), ("callers and callees (`s`)", "s"), ("time (`6`)", "6"),
        ("CPUs (`b`)", "b"), ("a span (space, twice)", " \x1bOC\x1bOC\x1bOC "), ("overview of a span (`1`)", "1"), ("out of it (Esc)", "\x1b"),
        ("a query (`:`)", ":sym:read\r"), ("out of it (Esc)", "\x1b"),
        ("a query over rows", "2:sym:read\r"), ("out of it (Esc)", "\x1b"), ("a file's rows (`d`)", "d"), ("out of it (Esc)", "\x1b"))


class Terminal:
    """A tally process on its own terminal."""

    def __init__(self, *command):
        self.start = time.monotonic()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv(command[0], command)

    def drawn(self, since, limit=60):
        """Wait until the screen is drawn. Return the seconds from `since` to the last byte of output."""
        last, out = None, b""
        while time.monotonic() - since < limit:
            if select.select([self.fd], [], [], 0.01)[0]:
                try:
                    out += os.read(self.fd, 1 << 16)
                except OSError:
                    break
                last = time.monotonic()
            elif last and time.monotonic() - last > QUIET:
                return last - since
        raise SystemExit(f"nothing was drawn: {out[-300:]}")

    def press(self, keys):
        since = time.monotonic()
        os.write(self.fd, keys.encode())
        return self.drawn(since)

    def peak(self):
        """Return the peak memory in MiB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def text_seconds(tally, recording, *options):
    start = time.monotonic()
    subprocess.run([tally, "report", "--stdio", "-i", recording, *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tally, recording, rounds = os.path.abspath(sys.argv[1]), sys.argv[2], int((sys.argv[3:] or [5])[0])
    first, text, peaks, keys = [], [], [], [[] for _ in KEYS]
    for _ in range(rounds):
        text.append(text_seconds(tally, recording))
        terminal = Terminal(tally, "report", "-i", recording)
        first.append(terminal.drawn(terminal.start))
        for i, (_, key) in enumerate(KEYS):
            keys[i].append(terminal.press(key))
        peaks.append(terminal.peak())
        terminal.end()
    median = statistics.median
    print(f"first screen {median(first):.2f} s, report --stdio {median(text):.2f} s; peak {median(peaks):.0f} MiB "
          f"(medians of {rounds} rounds, load {os.getloadavg()[0]:.1f})\n")
    print("| key | ms, median | slowest |\n| -- | --: | --: |")
    for (name, _), times in zip(KEYS, keys):
        print(f"| {name} | {1000 * median(times):.0f} | {1000 * max(times):.0f} |")


main()
