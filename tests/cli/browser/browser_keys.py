#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the `tally report` browser with random keys, clicks and window sizes, on recordings that a stranger could have
sent. The browser must neither crash nor hang, and nothing in a recording may control the terminal. This is most useful
with a sanitized build.

usage: browser_keys.py TALLY [--seconds N | --minutes N] [--seed N] [FIXTURES...]
FIXTURES are recordings, or directories that contain recordings.
"""
import argparse
import fcntl
import os
import pty
import random
import re
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import browser_hostile  # noqa: E402
import tap  # noqa: E402

ANSWER, LOADING, WALL = 5, 60, 300  # limits in seconds: CPU time per key, CPU time for loading, total wall-clock time
LARGEST = 3 << 20  # bytes; larger fixtures are skipped
SANITIZER = re.compile(r"runtime error|Sanitizer")
# Escape sequences in ncurses output: control sequences with these final bytes, and sequences that select character sets
# and modes. Everything else is text.
SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ABCDGHJKLMPSTXbcdhlmrt@]|[()][0AB]|[78=>M]|\[!p|\[>?[0-9;]*[cu])")
CONTROL = re.compile("[\x00-\x07\x0b\x0c\x10-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]")
PLAIN = "wPaeECcdtshinorgFHx+-0bq123456?/:gn \r\t\x7f\x0c\x15"
NAMED = ("\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD", "\x1b[5~", "\x1b[6~", "\x1bOH", "\x1bOF", "\x1b", "\x1bOP", "\x1b[Z")
ANSWERS = ("a", "sym:a", "comm:shop", "tid:100", "time:0-0.5", "time:10%-20%", "/(/", "/a.*/", "-dso:x", "cpu:0-3,7", "\"", "x:y", "\x1b", "\u00e9",
           "self-dso:=shop", "n" * 50)
SIZES = ((24, 80), (40, 120), (5, 20), (1, 1), (2, 3), (3, 200), (60, 12), (100, 300), (4, 40))


class Failure(Exception):
    """Raised if a requirement is not met."""


def keys_at_random(chance):
    """Return a random key, answer to a prompt, or mouse event."""
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(PLAIN).replace("q", "1")
    if kind < 0.8:
        return chance.choice(NAMED)
    if kind < 0.9:
        button = chance.choice((0, 3, 64, 65, 0, 2, 35))
        return "\x1b[M" + "".join(chr(32 + n) for n in (button, chance.randint(1, 90), chance.randint(1, 40)))
    return chance.choice(":/g") + chance.choice(ANSWERS) + chance.choice(("\r", "\r", "\x1b", ""))


class Watched:
    """A tally process on its own terminal. All of its output is kept."""

    def __init__(self, tally, path, root, chance, log):
        self.output, self.log, self.told = b"", log, ""
        options = [["--symfs", root], []][chance.random() < 0.1] + chance.choice(([], [], ["--no-children"], ["-g", "caller"]))
        kind = chance.choice(("xterm-256color", "xterm", "vt100", "linux"))
        self.clear = b"\x1b[J" if kind in ("vt100", "linux") else b"\x1b[2J"
        environment = {**os.environ, "TERM": kind, "LC_ALL": "C.UTF-8",
                       "UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "detect_leaks=1") + ":exitcode=99"}
        self.size = chance.choice(SIZES[:2])
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *self.size, 0, 0))
            os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
            os.chdir(os.path.dirname(log))
            os.execve(tally, [tally, "report", "-f", "--tui", "-i", path, *options], environment)

    def cpu_seconds(self):
        try:
            with open(f"/proc/{self.pid}/stat", encoding="latin-1") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def read(self, seconds):
        """Read output for up to this many seconds. Return false at the end of the output."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.terminal, 1 << 16)
        except OSError:
            return False
        self.output += piece
        return bool(piece)

    def until(self, marker, limit):
        """Read until the marker has been written. Return false if the program exited before that."""
        start, cpu = time.monotonic(), self.cpu_seconds()
        at = len(self.output)
        while marker not in self.output[max(at - len(marker), 0):]:
            if not self.read(0.05):
                return False
            if self.cpu_seconds() - cpu > limit or time.monotonic() - start > WALL:
                raise Failure(f"no answer within {self.cpu_seconds() - cpu:.1f} s of CPU time, {time.monotonic() - start:.1f} s")
        return True

    def answers(self):
        """Check that tally clears and redraws its screen after SIGWINCH."""
        os.kill(self.pid, signal.SIGWINCH)
        return self.until(self.clear, ANSWER)

    def start(self):
        """Wait for the first screen."""
        return self.until(b" of '", LOADING)

    def resize(self, size):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def press(self, keys):
        """Send keys, unless the program is not reading."""
        if select.select([], [self.terminal], [], 0)[1]:
            os.write(self.terminal, keys.encode())

    def status(self):
        """Terminate tally, and return its exit status."""
        os.kill(self.pid, signal.SIGTERM)
        end = time.monotonic() + WALL
        while self.read(0.05):
            if time.monotonic() > end:
                raise Failure("it does not end")
        pid, self.pid = self.pid, 0
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)


def check_output(output):
    """Check that the output contains only ncurses' sequences and harmless text."""
    shown = output.decode("utf-8", "replace")
    rest = SEQUENCE.sub("", shown)
    rest = re.sub("[\x0e\x0f]", "", rest)
    found = CONTROL.search(rest)
    if found:
        raise Failure(f"a control character on the terminal: {rest[max(found.start() - 40, 0):found.start() + 40]!r}")


def check_end(watched, status):
    with open(watched.log, encoding="utf-8", errors="replace") as file:
        told = file.read()
    if SANITIZER.search(told):
        raise Failure(told[-3000:])
    if status not in (0, 1):
        raise Failure(f"status {status}: {told[-500:]}")


def go(tally, path, root, seed, counts, folder):
    """Run tally once with a few dozen random keys."""
    chance, pressed = random.Random(seed), []
    watched = Watched(tally, os.path.abspath(path), root, chance, os.path.join(folder, "stderr"))
    try:
        alive = watched.start()
        for _ in range(chance.randint(5, 25) if alive else 0):
            for _ in range(chance.randint(1, 4)):
                pressed.append(keys_at_random(chance))
                watched.press(pressed[-1])
            if chance.random() < 0.1:
                watched.resize(chance.choice(SIZES))
            alive = watched.answers()
            if not alive:
                break
        counts["keys"] += len(pressed)
        counts["shown"] += alive
        check_end(watched, watched.status())
        check_output(watched.output)
    except (Failure, OSError) as failure:
        raise Failure(f"{os.path.basename(path)}, seed {seed}, keys {pressed[-12:]}: {failure}") from failure
    finally:
        watched.close()


def recordings(places):
    """Yield the recordings among the given files and directories."""
    for place in places:
        inside = [os.path.join(at, name) for at, _, files in os.walk(place) for name in files] or [place]
        for path in sorted(inside):
            if os.path.isfile(path) and os.path.getsize(path) <= LARGEST:
                with open(path, "rb") as file:
                    if file.read(8) in (b"PERFILE2", b"2ELIFREP"):
                        yield path


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tally")
    parser.add_argument("fixtures", nargs="*")
    parser.add_argument("--seconds", type=float, default=5 if tap.QUICK else 20)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TALLY_SEED", "24301"), 0))
    parser.add_argument("--only", help="a part of the names of recordings")
    options = parser.parse_intermixed_args()
    folder = tap.workplace("keys")
    root = os.path.join(folder, "root")
    crafted = browser_hostile.write_all(folder, root, options.seed)
    others = list(recordings(options.fixtures))
    paths = [path for path in crafted + others if not options.only or options.only in path]
    end = time.monotonic() + (options.minutes * 60 if options.minutes else options.seconds)
    counts, failures, runs = {"keys": 0, "shown": 0}, [], 0
    print(f"1..1\n# TALLY_SEED={options.seed}, {len(crafted)} recordings made, {len(others)} fixtures")
    while runs < len(crafted) or time.monotonic() < end:
        if time.monotonic() > end + 60:
            break
        chance = random.Random(options.seed + runs)
        path = paths[runs % len(paths)] if runs < len(crafted) else chance.choice(crafted if chance.random() < 0.5 else paths)
        try:
            go(os.path.abspath(options.tally), path, root, options.seed + runs, counts, folder)
        except Failure as failure:
            failures.append(str(failure))
            print("\n".join("# " + line for line in str(failure).splitlines()), flush=True)
        runs += 1
    if counts["shown"] < runs // 3:
        failures.append(f"only {counts['shown']} of {runs} were shown")
    print(f"# {runs} runs, {counts['keys']} keys, {counts['shown']} shown to the end, {len(failures)} failures")
    print("not ok" if failures else "ok", "1 - nothing crashes, hangs or commands the terminal")
    return 1 if failures else 0


sys.exit(main())
