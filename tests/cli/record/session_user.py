# SPDX-License-Identifier: BSD-2-Clause
"""A user whose tally has file capabilities or none, what is said to such a user, and what a workload has of them."""
import os
import re
import resource
import sys

import machine
import rights
import steps
import tap

TALLY = steps.tally()
UPDATE = "--update" in sys.argv
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "privileges")
ACCOUNT = None
NO_MEMLOCK = rights.limit(resource.RLIMIT_MEMLOCK, 0)


def account():
    global ACCOUNT
    if not ACCOUNT:
        machine.need_system_wide()
        ACCOUNT = rights.Account(TALLY)
    return ACCOUNT


def capable():
    """The program of the seed's session."""
    return account().program("tally", rights.SESSION_CAPS)


def plain():
    return account().program("plain")


def output(name):
    return os.path.join(account().work, name)


def well(done):
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-1500:]}"
    return done


# What differs from machine to machine and from run to run.
NORMAL = [
    (r"/var/tmp/tally-rights-[^/ ]*/bin/\w+", "PROGRAM"),
    (r"/var/tmp/tally-rights-[^/ ]*/", "HOME/"),
    (r"of \d+ CPUs", "of N CPUs"),
    (r"\d+ ring buffers", "N ring buffers"),
    (r"(ring buffers of|needed:|RLIMIT_MEMLOCK is) \d+ KiB", r"\1 N KiB"),
    (r"instead of \d+:", "instead of N:"),
    (r"-m \d+$", "-m N"),
    (r"mlock_kb=\d+", "mlock_kb=N"),
    (r" \(for all users, on the host\)", " (for all users)"),
    # With a PMU cycles are counted; without one they are a clock, which is told.
    (r"(?m)^tally: warning: no hardware counters here .*\n", ""),
    (r"open cycles:P", "open CYCLES"),
    (r"open cpu-clock", "open CYCLES"),
]


def golden(name, text):
    # What is told at the end depends on the load.
    text = text.split("[ tally record")[0]
    for pattern, new in NORMAL:
        text = re.sub(pattern, new, text, flags=re.M)
    path = os.path.join(GOLDEN, name + ".txt")
    if UPDATE:
        os.makedirs(GOLDEN, exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    with open(path) as file:
        tap.same(text, file.read(), name)


SETS = ("CapInh", "CapPrm", "CapEff", "CapAmb")
NONE = (0, 0, 0, 0)


def capabilities(pid):
    """The sets of each thread: inheritable, permitted, effective, ambient."""
    found = set()
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        found.add(tuple(int(lines[name], 16) for name in SETS))
    return found


class Workload:
    """A command that tells its pid when it runs, and goes on until it is told to."""

    def __init__(self, name):
        self.paths = [output(f"{name}.{way}") for way in ("up", "down")]
        for path in self.paths:
            os.mkfifo(path)
            os.chown(path, account().uid, account().gid)
        self.command = ["sh", "-c", f"echo $$ > {self.paths[0]}; read word < {self.paths[1]}"]

    def wait(self):
        with open(self.paths[0]) as up:
            return int(up.read())

    def release(self):
        with open(self.paths[1], "w") as down:
            down.write("go\n")

    def remove(self):
        for path in self.paths:
            os.unlink(path)
