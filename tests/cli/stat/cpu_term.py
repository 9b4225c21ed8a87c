#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The event term cpu=, which restricts an event to certain CPUs, in tally stat and tally record.

usage: cpu_term.py TALLY
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake_sysfs  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("cpu-term")
CPUS = sorted(os.sched_getaffinity(0))
LOOP = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"


def need_two_cpus():
    machine.need_kernel_events()
    if len(CPUS) < 2:
        raise tap.Skip("this test needs two CPUs")


def stat(*words, wrap=(), status=0):
    run = tap.run(*wrap, TALLY, "stat", *words)
    assert run.returncode == status, (words, run.returncode, run.stderr)
    return run.stderr


def lines(*words, **options):
    return [line.split(",") for line in stat(*words, **options).splitlines()]


def on_each_cpu():
    """Return a command that runs the loop on both CPUs, one after the other."""
    return ["sh", "-c", " && ".join(f"taskset -c {cpu} sh -c '{LOOP}'" for cpu in CPUS[:2])]


def test_counts_only_on_the_cpus_of_the_list():
    need_two_cpus()
    one, two = CPUS[:2]
    found = {row[0]: row[3] for row in lines("-a", "-A", "-x,", "-e", f"cs/cpu={two}/", "true")}
    tap.same(list(found), [f"CPU{two}"], "one CPU")
    for term in (f"cpu={one},cpu={two}", f"cpu='{one},{two}'", f"cpu={two},cpu={one}-{one}"):
        found = [row[0] for row in lines("-a", "-A", "-x;", "-e", f"cs/{term}/", "true") for row in [row[0].split(";")]]
        tap.same(found, [f"CPU{one}", f"CPU{two}"], term)


def test_a_pmu_stands_for_its_cpus():
    need_two_cpus()
    one, two = CPUS[:2]
    wrap = fake_sysfs.pmus(os.path.join(WORK, "pmus"), {"some": {"cpus": str(two)}, "all": {}})
    tap.same([row[0] for row in lines("-a", "-A", "-x,", "-e", "cs/cpu=some/", "true", wrap=wrap)], [f"CPU{two}"], "some")
    found = [row[0] for row in lines("-C", f"{one},{two}", "-A", "-x,", "-e", "cs/cpu=all/", "true", wrap=wrap)]
    tap.same(found, [f"CPU{one}", f"CPU{two}"], "all")


def test_counts_of_a_command_are_split_by_cpu_and_not_scaled():
    need_two_cpus()
    machine.need_tool("taskset", "--version")
    one, two = CPUS[:2]
    events = [f"task-clock/cpu={one}/", f"task-clock/cpu={two}/", f"task-clock/cpu={one},cpu={two}/", "task-clock"]
    table = json.loads(stat("--json", *(word for event in events for word in ("-e", event)), *on_each_cpu()))
    counts = [count["scaled"] for count in table["counts"]]
    assert min(counts[:2]) > 0, counts
    tap.same(counts[0] == table["counts"][0]["value"], True, "not scaled")
    # The shell itself may have started on another CPU.
    assert counts[0] + counts[1] <= counts[3] * 1.01 and abs(counts[2] - counts[0] - counts[1]) < counts[3] * 0.01, counts


def test_samples_are_taken_on_these_cpus():
    need_two_cpus()
    machine.need_tool("taskset", "--version")
    path = os.path.join(WORK, "perf.data")
    two = CPUS[1]
    for target in ([], ["-a"]):
        tap.run(TALLY, "record", *target, "--sample-cpu", "-o", path, "-e", f"cpu-clock/cpu={two}/", *on_each_cpu(), status=0)
        text = tap.run(TALLY, "script", "-i", path, "-F", "cpu", status=0).stdout
        tap.same(set(text.split()), {f"[{two:03}]"}, target)


def test_hybrid_pmus_without_these_cpus_vanish():
    need_two_cpus()
    one, two = CPUS[:2]
    wrap = fake_sysfs.pmus(os.path.join(WORK, "hybrid"), {"cpu_core": {"cpus": str(one)}, "cpu_atom": {"cpus": str(two)}})
    for cpu in (one, two):
        rows = lines("-a", "--no-merge", "-A", "-x,", "-e", f"cpu_*/fetches,cpu={cpu}/", "true", wrap=wrap)
        tap.same([row[0] for row in rows], [f"CPU{cpu}"], rows)
        opened = tap.run(*wrap, TALLY, "stat", "--dry-run", "-e", f"cycles/cpu={cpu}/", "true", status=0).stdout
        tap.same(len(opened.splitlines()), 1, opened)
    text = stat("-a", "-e", f"cpu_core/fetches,cpu={two}/", "true", wrap=wrap, status=129)
    assert "no PMU has this event on these CPUs" in text, text


def test_bad_lists_are_explained():
    for term, why in (("cpu=x", "expected a list of CPUs, or a PMU"), ("cpu=0-", "expected a list of CPUs"),
                      ("cpu=65000", "a CPU in the list is not online"), ("cpu", "term requires a value"),
                      ("cpu=0-4000000000", "a CPU in the list is not online")):
        text = stat("-e", f"cs/{term}/", "true", status=129)
        assert why in text, (term, text)


def test_groups_and_selected_cpus_are_respected():
    need_two_cpus()
    one, two = CPUS[:2]
    text = stat("-C", str(one), "-e", f"cs/cpu={two}/,page-faults", "true")
    assert f"cs/cpu={two}/ is not counted: none of its CPUs is selected" in text, text
    text = stat("-a", "-x,", "-e", f"{{cs,page-faults/cpu={two}/,task-clock}}", "true")
    assert f"page-faults/cpu={two}/ is counted separately from its group" in text, text
    assert "<not" not in text and "cannot" not in text, text


tap.main(__name__)
