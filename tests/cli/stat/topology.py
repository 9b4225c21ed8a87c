#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tally stat per cache and per cluster, with generated descriptions of the CPUs, and one event on several PMUs.

usage: topology.py TALLY
"""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake_sysfs  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("topology")
CPUS = os.sysconf("SC_NPROCESSORS_ONLN")
EVENTS = ["-a", "-e", "task-clock"]


def need_cpus():
    machine.need_events()
    if CPUS != os.sysconf("SC_NPROCESSORS_CONF"):
        raise tap.Skip("some CPUs are offline")


def caches(cpu):
    """Two L1 caches of each CPU, an L2 cache for every two CPUs, and one L3 cache."""
    pair = cpu - cpu % 2
    rows = ((1, "Data", str(cpu)), (1, "Instruction", str(cpu)), (2, "Unified", f"{pair}-{pair + 1}"), (3, "Unified", f"0-{CPUS - 1}"))
    return {f"index{i}/{name}": str(value) for i, row in enumerate(rows)
            for name, value in zip(("level", "type", "shared_cpu_list"), row)}


def stat(wrap, *words, status=0):
    run = tap.run(*wrap, TALLY, "stat", *words)
    assert run.returncode == status, (words, run.returncode, run.stderr)
    return run.stderr


def labels(text):
    return [line.split(",")[:2] for line in text.splitlines() if "task-clock" in line]


def test_caches_are_named_after_their_first_cpu():
    need_cpus()
    wrap = fake_sysfs.cpus(os.path.join(WORK, "cpu"), caches)
    pairs = [[f"S0-D0-L2-ID{cpu}", str(min(2, CPUS - cpu))] for cpu in range(0, CPUS, 2)]
    for level, want in (("", [["S0-D0-L3-ID0", str(CPUS)]]), ("=L3", [["S0-D0-L3-ID0", str(CPUS)]]), ("=l2", pairs),
                        ("=L1", [[f"S0-D0-L1-ID{cpu}", "1"] for cpu in range(CPUS)])):
        tap.same(labels(stat(wrap, f"--per-cache{level}", "-x,", *EVENTS, "true")), want, level)
    text = stat(wrap, "--per-cache", *EVENTS, "true")
    assert re.search(rf"^S0-D0-L3-ID0 +{CPUS} +[\d.]+ msec task-clock", text, re.M), text
    row = json.loads(stat(wrap, "--per-cache", "-j", *EVENTS, "true"))
    tap.same((row["cache"], row["aggregate-number"]), ("S0-D0-L3-ID0", CPUS), row)
    row = json.loads(stat(wrap, "--per-cache", "--json", *EVENTS, "true"))
    tap.same((row["aggregation"], [row["counts"][0][key] for key in ("socket", "die", "cache_level", "cache")]),
             ("cache", [0, 0, 3, 0]), row)


def test_recorded_caches_are_used_by_the_report():
    need_cpus()
    wrap = fake_sysfs.cpus(os.path.join(WORK, "recorded"), caches)
    path = os.path.join(WORK, "counts")
    stat(wrap, "record", "-o", path, *EVENTS, "true")
    run = tap.run(TALLY, "stat", "report", "-i", path, "--per-cache=L2", "-x,", status=0)
    tap.same(labels(run.stderr)[0][0], "S0-D0-L2-ID0", run.stderr)
    run = tap.run(TALLY, "stat", "report", "-i", path, "--per-cache=L9", status=1)
    assert "the recorded machine does not describe an L9 cache" in run.stderr, run.stderr


def test_clusters_are_summed():
    need_cpus()
    wrap = fake_sysfs.cpus(os.path.join(WORK, "clusters"), cluster=lambda cpu: 10 + cpu // 2)
    want = [[f"S0-D0-CLS{10 + cpu // 2}", str(min(2, CPUS - cpu))] for cpu in range(0, CPUS, 2)]
    tap.same(labels(stat(wrap, "--per-cluster", "-x,", *EVENTS, "true")), want, "clusters")
    row = json.loads(stat(wrap, "--per-cluster", "-j", *EVENTS, "true").splitlines()[0])
    tap.same(row["cluster"], want[0][0], row)


def test_missing_caches_are_explained():
    need_cpus()
    wrap = fake_sysfs.cpus(os.path.join(WORK, "none"))
    assert "sysfs does not describe the caches" in stat(wrap, "--per-cache", *EVENTS, "true", status=1)
    assert "an L3 cache of each CPU" in stat(wrap, "--per-cache=L3", *EVENTS, "true", status=1)
    for level in ("3", "L", "L0", "L33", "x"):
        assert "must be a cache level" in stat([], f"--per-cache={level}", *EVENTS, "true", status=129), level


def test_events_of_several_pmus_are_merged_or_not():
    machine.need_events()
    units = {f"uncore_x_{i}": {"cpumask": "0"} for i in range(2)}
    wrap = fake_sysfs.pmus(os.path.join(WORK, "pmus"), units)
    cases = {"fetches": ["fetches [uncore_x_0]", "fetches [uncore_x_1]"],
             "uncore_x/fetches/": ["uncore_x_0/fetches/", "uncore_x_1/fetches/"],
             "uncore_x_1/fetches/": ["uncore_x_1/fetches/"]}
    for event, apart in cases.items():
        for option, want in (([], [event]), (["--no-merge"], apart)):
            names = [line.split(",")[2] for line in stat(wrap, *option, "-a", "-x,", "-e", event, "true").splitlines()]
            tap.same(names, want, (event, option))
            if shutil.which("perf"):
                run = tap.run(*wrap, "perf", "stat", *option, "-a", "-x,", "-e", event, "true", status=0)
                tap.same([line.split(",")[2] for line in run.stderr.splitlines()], want, ("perf", event, option))


def test_metrics_are_counted_on_one_of_several_pmus():
    machine.need_events()
    wrap = fake_sysfs.pmus(os.path.join(WORK, "filter"), {f"uncore_x_{i}": {"cpumask": "0"} for i in range(3)})
    tables = os.path.join(WORK, "tables.json")
    with open(tables, "w", encoding="utf-8") as out:
        json.dump([{"EventName": "UNC_FETCHES", "EventCode": "0x3", "Unit": "x"},
                   {"MetricName": "fetches_each", "MetricExpr": "UNC_FETCHES / 2", "ScaleUnit": "1units"}], out)
    words = ["-a", "--no-merge", "--events-dir", tables, "-M", "fetches_each", "--json", "true"]

    def counters(*options):
        return [count["counters"] for count in json.loads(stat(wrap, *options, *words))["counts"]]
    tap.same(counters(), [3], "all PMUs")
    tap.same(counters("--pmu-filter", "uncore_x_1"), [1], "one PMU")
    text = stat(wrap, "--pmu-filter=uncore_x_7", *words, status=129)
    assert "uncore_x_7: no event of the metrics is counted on this PMU" in text, text
    text = stat([], "--pmu-filter=uncore_x_1", "-e", "cs", "true", status=129)
    assert "--pmu-filter requires -M or --topdown" in text, text


tap.main(__name__)
