#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that the sysctls that tests change are restored however the test ends.

usage: settings.py TALLY
"""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import tap  # noqa: E402

# A harmless setting: the amount of memory that users may lock for ring buffers.
NAME = "perf_event_mlock_kb"
HOLDER = f"""
import sys, time
sys.path.insert(0, {os.path.dirname(rights.__file__)!r})
import rights  # noqa: E402
with rights.sysctls({NAME}=int(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def value():
    with open(rights.KERNEL + NAME, encoding="ascii") as file:
        return int(file.read())


def need_settings():
    """Skip the test unless the setting can be changed; rights.sysctls raises the exception."""
    machine.need_root()
    with rights.sysctls(**{NAME: value()}):
        pass


def holder(number, seconds):
    return subprocess.Popen([sys.executable, "-c", HOLDER, str(number), str(seconds)], stdout=subprocess.PIPE, text=True)


def held(process):
    tap.same(process.stdout.readline(), "held\n", "the setting is changed")


def at_last(wanted):
    """Wait until the keeper has changed the setting, which takes a moment."""
    tap.wait_until(lambda: value() == wanted, lambda: f"{NAME} to be {wanted}: it is {value()}", pause=0.1)


def test_restored_at_the_end():
    need_settings()
    with rights.sysctls():
        before = value()
        with rights.sysctls(**{NAME: before + 1}) as settings:
            tap.same(value(), before + 1, "inside")
            settings.set(**{NAME: before + 2})
            tap.same(value(), before + 2, "changed again")
        tap.same(value(), before, "outside")


def test_restored_when_killed():
    need_settings()
    with rights.sysctls():
        before = value()
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        process = holder(before + 7, 1000)
        held(process)
        tap.same(value(), before + 7, "while it is held")
        process.send_signal(number)
        process.communicate()
        at_last(before)


def test_one_after_the_other():
    need_settings()
    with rights.sysctls():
        before = value()
    first = holder(before + 3, 0.3)
    held(first)
    second = holder(before + 5, 0)
    for process in (second, first):
        process.communicate()
        tap.same(process.returncode, 0, "it ended")
    at_last(before)


if __name__ == "__main__":
    tap.main(__name__)
