# SPDX-License-Identifier: BSD-2-Clause
"""Common code for tests of privileges: a user with a copy of tally, with or without file capabilities; messages to that
user; and a workload's capabilities."""
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
    """Return a copy of tally with the capabilities given in the seed document's session."""
    return account().program("tally", rights.SESSION_CAPS)


def plain():
    return account().program("plain")


def output(name):
    return os.path.join(account().work, name)


def well(done):
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-1500:]}"
    return done


# Parts of the output that differ between machines or between runs.
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
    # With a PMU, cycles are counted. Without one, they are replaced by a clock, which is reported.
    (r"(?m)^tally: warning: no hardware counters \(.*\n", ""),
    (r"open cycles:P", "open CYCLES"),
    (r"open cpu-clock", "open CYCLES"),
]


def golden(name, text):
    # The final message depends on the load.
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
    """Return the capability sets of a process's threads: inheritable, permitted, effective, ambient."""
    found = set()
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        found.add(tuple(int(lines[name], 16) for name in SETS))
    return found


class Workload:
    """A command that prints its PID and runs until it is released."""

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
