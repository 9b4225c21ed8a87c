#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Count all metrics in all tables on the simulated machine with known rates. Compare them with the values that Python
computes from the expressions in pmu-events and the true counts: exactly if all events of the metric fit on the
counters, or within 1 % if they were multiplexed.

usage: metric_oracle.py METRIC_SIM
"""
import math
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pmu-events"))
import tap  # noqa: E402
import tree  # noqa: E402

METRIC_SIM = Path(sys.argv[1]).resolve()
FUNCTIONS = {"min": min, "max": max, "d_ratio": lambda a, b: a / b if b else 0}
TSC = 2_000_000_000
# The number of slots is known of the CPU of this machine only.
LITERALS = {"#SMT_on": 0, "#SYSTEM_TSC_FREQ": TSC, "#num_cpus_online": 4, "#num_cores": 4, "#num_packages": 2,
            "#slots": math.nan}
CPUS = 4


def machine(root):
    """Create a /sys directory for four CPUs in two packages."""
    files = {"online": f"0-{CPUS - 1}", "cpu0/tsc_freq_khz": str(TSC // 1000)}
    for cpu in range(CPUS):
        files[f"cpu{cpu}/topology/core_cpus_list"] = str(cpu)
        files[f"cpu{cpu}/topology/package_cpus_list"] = "0-1" if cpu < 2 else "2-3"
    for name, text in files.items():
        path = root / "devices/system/cpu" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")


class Values:
    """Values of the names in a table's expressions, for one type of core."""

    def __init__(self, table, unit, events):
        self.metrics = {row["MetricName"]: row for row in table.metrics if row.get("Unit") == unit}
        self.unit, self.events = unit, events

    def event(self, token):
        """Return the count of an event, given its spelling in expressions."""
        if "@" in token:
            pmu, terms, modifier = token.split("@")
            return self.events.get(f"{pmu}/{terms}/{modifier}".lower(), math.nan)
        inside = f"{self.unit}/{token}/" if self.unit else token
        return self.events.get(inside.lower(), self.events.get(token.lower(), math.nan))

    def name(self, token):
        metric = self.metrics.get(token)
        return self.of(metric["MetricExpr"]) if metric else self.event(token)

    def of(self, expression, name=None):
        """Return the value of an expression. Division by 0 results in NaN."""
        def spelled(token):
            if token[2]:
                return f" {LITERALS[token[2]]} "
            if token[4] in ("&", "|"):  # operands are booleans; lower precedence than comparisons
                return " and " if token[4] == "&" else " or "
            return f" name({token[3]!r}) " if token[3] and token[3] not in tree.WORDS else token[0]
        text = re.sub(r"source_count\([^)]*\)", "1", expression)
        text = tree.TOKEN.sub(spelled, text).strip()
        try:
            return eval(text, {"__builtins__": {}, **FUNCTIONS, "nan": math.nan, "name": name or self.name})  # noqa: S307 - our own tables
        except ZeroDivisionError:
            return math.nan


def scale(row):
    return float(re.match(r"[\d.]*", row.get("ScaleUnit", "")).group() or 1)


def counted(directory, sysfs):
    """Return two lists for a table: (name, unit, value, quality, together, {event: count}) and (name, verdict, {metric:
    value})."""
    done = tap.run(METRIC_SIM, directory, sysfs)
    assert not done.returncode, f"{directory}: {done.stdout[-200:]} {done.stderr[-500:]}"
    metrics, thresholds = [], []
    for line in done.stdout.splitlines():
        word, name, value, *rest = line.split()
        if word == "metric":
            name, _, unit = name.partition("@")
            metrics.append((name, unit or None, float(value), rest[0], rest[1] == "together", {}))
        elif word == "event":
            metrics[-1][5][name.lower()] = float(value)
        elif word == "threshold":
            thresholds.append((name, value, {}))
        else:
            thresholds[-1][2][name] = float(value)
    return metrics, thresholds


def same(value, want, loose):
    if not math.isfinite(want) or not math.isfinite(value):
        return not math.isfinite(want) and not math.isfinite(value)
    return math.isclose(value, want, rel_tol=0.01 if loose else 1e-9, abs_tol=1e-12)


def check_metrics(table, metrics):
    """Check the metrics of a table. Return (number of scaled metrics, number of metrics without a value)."""
    rows = {(row["MetricName"], row.get("Unit")): row for row in table.metrics}
    tap.same(sorted(metric[0] for metric in metrics), sorted(name for name, _ in rows), f"{table.directory}: metrics counted")
    scaled = empty = 0
    for metric, unit, value, quality, together, events in metrics:
        row = rows.get((metric, unit)) or rows[metric, None]
        want = Values(table, row.get("Unit"), events).of(row["MetricExpr"]) * scale(row)
        loose = quality != "exact"
        scaled += loose
        empty += not math.isfinite(want)
        # The difference between two counts that were multiplexed can have any value.
        if not same(value, want, loose) and not (loose and "-" in row["MetricExpr"]):
            raise AssertionError(f"{table.directory}: {metric} is {value}, wanted {want} ({quality}, {events})")
        if together and loose and not unit:  # all core types share the simulated machine's counters
            raise AssertionError(f"{table.directory}: {metric} fits the counters and was scaled")
    return scaled, empty


def check_thresholds(table, thresholds):
    rows = {row["MetricName"]: row["MetricThreshold"] for row in table.metrics if "MetricThreshold" in row}
    tap.same(sorted({name for name, _, _ in thresholds}), sorted(rows), f"{table.directory}: thresholds")
    for name, verdict, values in thresholds:
        values_of = Values(table, None, {})
        seen = [values[word] for word in re.findall(r"[A-Za-z_]\w*", rows[name])]
        want = "unknown" if any(math.isnan(value) for value in seen) else \
            "passed" if values_of.of(rows[name], values.__getitem__) else "kept"
        tap.same(verdict, want, f"{table.directory}: {name}")


def check(table, sysfs):
    name = f"{table.arch}/{table.directory}"
    metrics, thresholds = counted(name, sysfs)
    scaled, empty = check_metrics(table, metrics)
    check_thresholds(table, thresholds)
    known = sum(verdict != "unknown" for _, verdict, _ in thresholds)
    print(f"# {name}: {len(metrics)} metrics, {scaled} scaled, {empty} without value; {known} of {len(thresholds)} "
          "thresholds judged")
    return len(metrics), empty, len(thresholds), known


def test_every_metric_has_the_known_value():
    with tempfile.TemporaryDirectory(prefix="tally-metrics-") as root:
        machine(Path(root))
        metrics, empty, thresholds, known = map(sum, zip(*(check(table, root) for table in tree.tables())))
    print(f"# {metrics} metrics, {empty} without value; {known} of {thresholds} thresholds")
    assert metrics >= 5000 and empty * 50 <= metrics and thresholds >= 2400 and known * 20 >= thresholds * 19


tap.main(__name__)
