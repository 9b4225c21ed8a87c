#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record -G: only samples of tasks in a cgroup; --data-mmap, --sample-mem-info and --call-graph fp,defer.

usage: in_cgroup.py TALLY
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("in-cgroup")
PATH = os.path.join(WORK, "g.data")


def record(*words):
    machine.need_events()
    return tap.run(TALLY, "record", "-q", "-e", "cpu-clock", "-o", PATH, *words)


def test_only_tasks_in_the_cgroup():
    machine.need_system_wide()
    machine.need_cgroup_events()
    machine.need_new_cgroups()
    name = f"tally-record-{os.getpid()}"
    path = os.path.join(machine.cgroup_root(), name)
    os.mkdir(path)
    try:
        inside = f"echo $$ > {path}/cgroup.procs && exec -a inside sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'"
        done = record("-a", "-G", name, "bash", "-c", "(i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done); " + inside)
        assert done.returncode == 0, done.stderr
        shown = json.loads(tap.run(TALLY, "report", "--json", "-i", PATH, "-s", "comm", status=0).stdout)["events"]
        assert shown, "there are no samples"
        comms = {row["comm"] for row in shown[0]["rows"]}
        # Before exec, the shell in the cgroup still has the name of bash.
        assert comms <= {"sh", "bash"} and "sh" in comms, comms
    finally:
        os.rmdir(path)


def test_refusals():
    for words, status, text in ((["-G", "x", "true"], None, "requires CPUs: -a or -C"),
                                (["-a", "-G", "x,y", "true"], 129, "one cgroup only"),
                                (["-a", "-G", "x", "-G", "y", "true"], 129, "one cgroup only"),
                                (["-a", "-G", "no-such-cgroup", "true"], 1, "cgroup no-such-cgroup: ")):
        done = record(*words)
        assert done.returncode and text in done.stderr, (words, done.returncode, done.stderr)
        assert status is None or done.returncode == status, (words, done.returncode)


def test_parts_of_data_addresses():
    for option, names, absent in (("--sample-mem-info", ["DATA_SRC"], "|ADDR"), ("--data-mmap", ["mmap_data: 1"], "DATA_SRC")):
        done = record(option, "true")
        assert done.returncode == 0, done.stderr
        text = tap.run(TALLY, "evlist", "-v", "-i", PATH, status=0).stdout
        assert all(name in text for name in names) and absent not in text, (option, text)


def test_deferred_callchains():
    machine.need_events()
    done = tap.run(TALLY, "record", "--call-graph", "fp,defer", "-e", "cpu-clock", "-o", PATH, "true")
    assert done.returncode == 0, done.stderr
    text = tap.run(TALLY, "evlist", "-v", "-i", PATH, status=0).stdout
    assert ("callchains are not deferred" in done.stderr) == ("defer_callchain: 1" not in text), (done.stderr, text)
    assert "CALLCHAIN" in text, text
    done = tap.run(TALLY, "record", "--call-graph", "fp,4096", "-z30", "--synth", "none", "-e", "cpu-clock", "-o", PATH, "true")
    assert done.returncode == 0 and "the size is ignored" in done.stderr and "highest level, 22" in done.stderr, done.stderr
    done = record("--call-graph", "fp,x", "true")
    assert done.returncode == 129 and "must be fp[,defer]" in done.stderr, done.stderr


tap.main(__name__)
