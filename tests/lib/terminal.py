# SPDX-License-Identifier: BSD-2-Clause
"""Run commands with a terminal as standard output."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import tap


def on_terminal(*args, columns=80, until=None, deadline=tap.PATIENCE, **environment):
    """Return the raw output of a command on a terminal with this number of columns. COLUMNS is not inherited. If
    `until` is given, the command is interrupted with SIGINT once this condition holds for the output so far. No pager
    is used unless one is specified."""
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    env.update({"TERM": "xterm", "TALLY_PAGER": ""})
    env.update(environment)
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    mode = termios.tcgetattr(child)
    mode[1] &= ~termios.OPOST
    termios.tcsetattr(child, termios.TCSANOW, mode)
    text, end, stopped = b"", time.monotonic() + deadline, False
    with subprocess.Popen([str(arg) for arg in args], stdout=child, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          close_fds=True, env=env) as process:
        os.close(child)
        while True:
            try:
                piece = os.read(parent, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
            if not stopped and until and (until(text) or time.monotonic() > end):
                process.send_signal(signal.SIGINT)
                stopped = True
        process.wait(deadline)
    os.close(parent)
    return text


class Session:
    """A command on its own terminal, to which keys can be sent. The environment's pager variables are not inherited."""

    def __init__(self, *args, columns=80, rows=24, deadline=tap.PATIENCE, **environment):
        env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LESS") and "PAGER" not in key}
        env.update({"TERM": "xterm"})
        env.update(environment)
        self.end = time.monotonic() + deadline
        self.text = ""
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores SIGPIPE
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(args[0], [str(arg) for arg in args], env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def read(self):
        """Append the output of the next tenth of a second. Return False at the end of the output."""
        if not select.select([self.terminal], [], [], 0.1)[0]:
            return True
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)

    def until(self, condition, what, again=None):
        """Wait until the output so far meets the condition. The keys in `again` are pressed every second, because they
        may get lost."""
        press = time.monotonic()
        while not condition(self.text):
            if again and time.monotonic() >= press:
                self.press(again)
                press = time.monotonic() + 1
            assert self.read(), f"it ended without {what}: {self.text[-300:]!r}"
            assert time.monotonic() < self.end, f"{what} did not come: {self.text[-300:]!r}"

    def finish(self):
        """Wait until the command exits. Return its exit status, as in a shell, and all of its output."""
        while self.read():
            assert time.monotonic() < self.end, f"it does not end: {self.text[-300:]!r}"
        pid, self.pid = self.pid, 0
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return (code if code >= 0 else 128 - code), self.text
