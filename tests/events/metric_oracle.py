#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every metric of every table, counted on the simulated machine with known rates, has the value that Python computes
from the expression in pmu-events and from what really happened: exactly where all of its events fit the counters, to
1 % where they took turns.

usage: metric_oracle.py METRIC_SIM
"""
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pmu-events"))
import tap  # noqa: E402
import tree  # noqa: E402

METRIC_SIM = Path(sys.argv[1]).resolve()
FUNCTIONS = {"min": min, "max": max, "d_ratio": lambda a, b: a / b if b else 0}


def expected(metric, events):
    """The metric's value in its unit by Python, with the counts of `events` by lower-case name."""
    text = metric["MetricExpr"].replace("#SMT_on", "0")
    names = sorted({name for name in re.findall(r"[A-Za-z_][A-Za-z0-9_.]*", text)
                    if name not in FUNCTIONS and name not in ("if", "else") and not re.fullmatch(r"[eE]\d*", name)},
                   key=len, reverse=True)
    for number, name in enumerate(names):
        text = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", f"v{number}", text)
    values = {f"v{number}": events.get(name.lower(), math.nan) for number, name in enumerate(names)}
    scale = float(re.match(r"[\d.]*", metric.get("ScaleUnit", "")).group() or 1)
    return eval(text, {"__builtins__": {}, **FUNCTIONS}, values) * scale  # noqa: S307 - our own tables


def counted(directory):
    """[(name, value, quality, together, {event: count})] of a table's metrics."""
    done = tap.run(METRIC_SIM, directory)
    assert not done.returncode, f"{directory}: {done.stdout[-200:]} {done.stderr[-500:]}"
    metrics = []
    for line in done.stdout.splitlines():
        word, name, value, *rest = line.split()
        if word == "metric":
            metrics.append((name, float(value), rest[0], rest[1] == "together", {}))
        else:
            metrics[-1][4][name.lower()] = float(value)
    return metrics


def check(table):
    name = f"{table.arch}/{table.directory}"
    wanted = {metric["MetricName"]: metric for metric in table.metrics}
    metrics = counted(name)
    tap.same(sorted(metric[0] for metric in metrics), sorted(wanted), f"{name}: metrics counted")
    scaled = 0
    for metric, value, quality, together, events in metrics:
        want = expected(wanted[metric], events)
        loose = quality != "exact"
        scaled += loose
        if not math.isclose(value, want, rel_tol=0.01 if loose else 1e-9, abs_tol=1e-12):
            raise AssertionError(f"{name}: {metric} is {value}, wanted {want} ({quality}, {events})")
        if together and loose:
            raise AssertionError(f"{name}: {metric} fits the counters and was scaled")
    print(f"# {name}: {len(metrics)} metrics, {scaled} of them scaled")
    return len(metrics)


def test_every_metric_has_the_known_value():
    nr = 0
    for table in tree.tables():
        nr += check(table)
    assert nr >= 333, f"only {nr} metrics"


tap.main(__name__)
