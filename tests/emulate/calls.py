# SPDX-License-Identifier: BSD-2-Clause
"""Check that with the running kernel as the backend, a program gets the same results with and without the preloaded
library.

usage: calls.py SERVE CALLS
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

SERVE, CALLS = sys.argv[1:3]


def test_same_calls_same_answers():
    machine.need_events()
    without = tap.run(CALLS)
    within = tap.run(SERVE, CALLS)
    tap.same(within.stdout, without.stdout, "calls")
    tap.same(within.returncode, 0, "exit status")
    tap.same(within.stderr, "", "messages")


def test_exit_status_and_output_are_the_commands():
    done = tap.run(SERVE, "sh", "-c", "echo out; echo err >&2; exit 7")
    tap.same((done.returncode, done.stdout, done.stderr), (7, "out\n", "err\n"), "sh")


def test_no_such_command():
    done = tap.run(SERVE, "/nonexistent")
    tap.same((done.returncode, done.stderr), (2, "serve: No such file or directory\n"), "command")


tap.main(__name__)
