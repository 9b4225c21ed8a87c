# SPDX-License-Identifier: BSD-2-Clause
"""Commands whose standard output is a terminal."""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import time


def on_terminal(*args, columns=80, until=None, deadline=120, **environment):
    """What a command writes on a terminal of so many columns, as it writes it. COLUMNS is not inherited. With `until`,
    which is asked of what came so far, it is then ended by Ctrl-C's signal."""
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    env.update({"TERM": "xterm"}, **environment)
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
