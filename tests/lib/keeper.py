#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Change kernel settings for a test, and restore them when standard input is closed, even if the test was killed.

usage: keeper.py, then lines NAME VALUE on standard input

Each line is answered by a line: "ok" or the reason for the failure. NAME is a sysctl without "kernel.", or the path of
a file below /sys/devices/system/cpu/.

Only one keeper runs at a time, so that a test does not mistake another test's setting for the original one. The
original values are in the file that the keeper locks: if the keeper itself is killed, the next one restores them.
"""
import contextlib
import fcntl
import json
import os
import signal
import sys

KERNEL = "/proc/sys/kernel/"
CPUS = "/sys/devices/system/cpu/"
STATE = "/run/tally-sysctls"


def path_of(name):
    return name if name.startswith(CPUS) else KERNEL + name


def write(name, value):
    with open(path_of(name), "w", encoding="ascii") as file:
        file.write(value)


def restore(state):
    state.seek(0)
    with contextlib.suppress(ValueError):
        for name, value in json.loads(state.read() or "{}").items():
            with contextlib.suppress(OSError):
                write(name, value)
    state.seek(0)
    state.truncate()


def note(state, before):
    state.seek(0)
    state.truncate()
    state.write(json.dumps(before))
    state.flush()


def change(state, before, name, value):
    try:
        if name not in before:
            with open(path_of(name), encoding="ascii") as file:
                before[name] = file.read().strip()
            note(state, before)
        write(name, value)
    except OSError as error:
        return f"cannot set {path_of(name)}: {error}"
    return "ok"


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        descriptor = os.open(STATE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        sys.exit(print(f"cannot keep settings: {error}"))
    with os.fdopen(descriptor, "r+", encoding="ascii") as state:
        fcntl.flock(state, fcntl.LOCK_EX)
        restore(state)
        before = {}
        try:
            for line in sys.stdin:
                answer = change(state, before, *line.split())
                with contextlib.suppress(BrokenPipeError):
                    print(answer, flush=True)
        finally:
            restore(state)


if __name__ == "__main__":
    main()
