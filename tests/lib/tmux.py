# SPDX-License-Identifier: BSD-2-Clause
"""Run full-screen commands in tmux: press keys, and read screens."""
import contextlib
import os
import signal
import time

import machine
import tap

DEADLINE = tap.PATIENCE
GRACE = 5  # seconds until remaining processes are killed; tests do not depend on it


def is_running(pid):
    """Return true if a process exists and is not a zombie. init may not reap zombies immediately."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the process exited before the file was opened or read
        return False


class Screen:
    """A shell in tmux to type into and to read from. `variables` sets the shell's environment; None unsets a
    variable."""

    number = 0

    def __init__(self, width, height, shell="sh", **variables):
        machine.need_tmux()
        # Each screen has its own server, because servers take time to exit.
        Screen.number += 1
        self.tmux = ("tmux", "-L", f"tally-{os.getpid()}-{Screen.number}", "-f", "/dev/null")
        variables = {"LC_ALL": "C.UTF-8", "PS1": "shell> ", **variables}
        unset = [part for name, value in variables.items() if value is None for part in ("-u", name)]
        settings = [f"{name}={value}" for name, value in variables.items() if value is not None]
        self.run("new-session", "-d", "-s", "s", "-x", str(width), "-y", str(height), "env", *unset, *settings, shell)
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        shell = self.state("#{pane_pid}")
        left = [int(pid) for pid in [shell, *tap.run("pgrep", "-P", shell).stdout.split()]]
        self.run("kill-server")
        self.bury(left)

    @staticmethod
    def bury(left):
        """Kill any process that does not exit when its terminal closes: LeakSanitizer may loop forever if SIGHUP
        arrives while LeakSanitizer is running."""
        end = time.monotonic() + GRACE
        while time.monotonic() < end and any(map(is_running, left)):
            time.sleep(0.02)
        for pid in filter(is_running, left):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def run(self, *args):
        done = tap.run(*self.tmux, *args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def press(self, *keys):
        self.run("send-keys", "-t", "s", *keys)

    def type(self, text):
        self.run("send-keys", "-t", "s", "-l", text)

    def resize(self, width, height):
        self.run("resize-window", "-t", "s", "-x", str(width), "-y", str(height))

    def look(self):
        self.text = self.run("capture-pane", "-p", "-t", "s")
        return self.text.rstrip("\n").split("\n")

    def settled(self):
        """Return the lines once they have stopped changing, because the upper lines may be drawn before the others."""
        return self.until(lambda lines: True, "it at rest")

    def coloured(self):
        """Return the lines including their color sequences."""
        return self.run("capture-pane", "-e", "-p", "-t", "s").split("\n")

    def until(self, wanted, what):
        """Wait until the lines meet the condition and are the same twice in a row, because tmux may return a half-drawn
        screen. Return the lines."""
        end, before = time.monotonic() + DEADLINE, None
        while not wanted(lines := self.look()) or lines != before:
            assert time.monotonic() < end, f"never saw {what}:\n{self.text}"
            before = lines
            time.sleep(0.03)
        return self.text.rstrip("\n").split("\n")

    def state(self, what):
        return self.run("display-message", "-p", "-t", "s", what).strip()

    def child(self):
        """Return the PID of the tally process run by the shell."""
        done = tap.run("pgrep", "-P", self.state("#{pane_pid}"), "tally")
        return int(done.stdout.split()[0])
