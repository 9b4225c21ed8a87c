#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test events that can be opened but never occur, such as hardware breakpoints under some hypervisors. This must be
reported, but only when it happens.

usage: stuck.py TALLY
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("stuck")
SOURCE = "volatile long watched; int main(void) { for (int i = 0; i < 5; i++) watched = i; return 0; }"


def breakpoints_fire():
    """Return true if breakpoints fire on this machine. Skip the test if none can be opened."""
    reason = machine.need_hardware_breakpoints.reason()
    if reason and "of 5 stores" not in reason:
        raise tap.Skip(reason)
    return reason is None


def watched(kind):
    """Build a program. Return its path, and the event that watches its variable."""
    machine.need_tool("nm", "--version")
    program = steps.build(os.path.join(WORK, "watched"), SOURCE, "-O1", "-static", "-no-pie", once=True)
    address = re.search(r"^([0-9a-f]+) \w watched$", tap.run("nm", program, status=0).stdout, re.M)[1]
    return program, f"mem:0x{address}/8:{kind}:u"


def told(text):
    return text.count("hardware breakpoints can be opened here but never fire")


@tap.always
def test_stat_tells_whether_a_zero_is_a_count():
    fire = breakpoints_fire()
    program, event = watched("w")
    run = tap.run(TALLY, "stat", "-x,", "-e", event + ",page-faults:u", program, status=0)
    count = int(run.stderr.splitlines()[-2].split(",")[0])
    tap.same((count, told(run.stderr)), (5, 0) if fire else (0, 1), run.stderr)
    shown = tap.run(TALLY, "stat", "--json", "-e", event, program, status=0).stderr.splitlines()[-1]
    tap.same("never_fires" in json.loads(shown)["counts"][0], not fire, shown)
    # The command does not store to the watched address, so a count of 0 is correct if breakpoints fire.
    run = tap.run(TALLY, "stat", "-x,", "-e", event, "true", status=0)
    tap.same(told(run.stderr), 0 if fire else 1, run.stderr)
    tap.same(told(tap.run(TALLY, "stat", "--quiet", "-e", event, "true", status=0).stderr), 0, "--quiet")


def test_record_tells_that_no_samples_will_come():
    fire = breakpoints_fire()
    program, event = watched("w")
    run = tap.run(TALLY, "record", "-c", "1", "-e", event, "-o", os.path.join(WORK, "data"), program, status=0)
    tap.same(told(run.stderr), 0 if fire else 1, run.stderr)
    assert fire == ("samples)" in run.stderr), run.stderr


def test_doctor_reports_whether_breakpoints_fire():
    fire = breakpoints_fire()
    facts = {fact["id"]: fact for fact in json.loads(tap.run(TALLY, "doctor", "--json").stdout)["facts"]}
    tap.same(facts["counters.breakpoints"]["value"], "work" if fire else "stuck", facts["counters.breakpoints"])


def test_other_zeros_are_counts():
    machine.need_events()
    run = tap.run(TALLY, "stat", "-e", "alignment-faults:u,dummy,major-faults:u,page-faults:u,task-clock:u", "true", status=0)
    assert "never fire" not in run.stderr, run.stderr
    run = tap.run(TALLY, "record", "-e", "major-faults:u", "-c", "1000000", "-o", os.path.join(WORK, "none"), "true", status=0)
    assert "never fire" not in run.stderr, run.stderr


tap.main(__name__)
