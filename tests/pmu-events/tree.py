# SPDX-License-Identifier: BSD-2-Clause
"""The event tables for tests: read with Python's JSON parser, and encoded without tally's code."""
import csv
import json
import re
from pathlib import Path

ARCH = Path(__file__).resolve().parents[2] / "pmu-events" / "arch"


# Tokens of a metric's expression: a number, a literal, an event or a metric (by its name, of a PMU, with modifiers),
# and an operator.
TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:e-?\d+)?(?![A-Za-z_]))|(#[A-Za-z_]+)|"
                   r"((?:\w+@[^@]+@|[A-Za-z_][\w.]*(?::(?=[ku]\b))?)[ku]?)|(==|[-+*/%(),<>|&^]))")
WORDS = {"if", "else", "min", "max", "d_ratio", "source_count"}


class Table:
    """A CPU's events by lower-case name, with references resolved, and its metrics."""

    def __init__(self, arch, directory):
        self.arch, self.directory = arch, directory
        self.files = sorted((ARCH / arch / directory).glob("*.json"))
        self.rows = [row for path in self.files if path.name != "metricgroups.json" for row in load(path)]
        standard = standard_events(arch)
        self.references = [row["ArchStdEvent"] for row in self.rows if "ArchStdEvent" in row]
        full = [{**standard.get(row.get("ArchStdEvent", "").lower(), {}), **row} for row in self.rows]
        self.event_rows = [row for row in full if "EventName" in row]
        # If a hybrid CPU has a name twice, the first one is used; core events are before those of uncore units.
        self.events = {row["EventName"].lower(): row for row in sorted(self.event_rows, key=unit_order, reverse=True)}
        self.core_events = {name: row for name, row in self.events.items() if unit_order(row) < 3}
        self.metrics = [row for row in full if "MetricName" in row]
        self.groups = load(ARCH / arch / directory / "metricgroups.json")


def unit_order(row):
    """Cores are first, the largest kind before the others."""
    return {"": 0, "cpu_core": 0, "cpu_atom": 1, "cpu_lowpower": 2}.get(row.get("Unit", ""), 3)


def event_of(token):
    """Return the event name of a token of an expression: NAME for "cpu@NAME,cmask=1@k"."""
    return token.split("@")[1].split(",")[0] if "@" in token else token.split(":")[0]


def load(path):
    """Load a JSON file. Duplicate keys are an error."""
    def unique(pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) != len(names):
            raise AssertionError(f"{path}: a key stands twice in {names}")
        return dict(pairs)
    return json.loads(path.read_bytes().decode("ascii"), object_pairs_hook=unique)


def standard_events(arch):
    """Return the events of the architecture by lower-case name."""
    return {row["EventName"].lower(): row for path in sorted((ARCH / arch).glob("*.json")) for row in load(path)}


def map_rows(arch):
    """Return (pattern of CPU IDs, directory) in the order of the map."""
    lines = (ARCH / arch / "mapfile.csv").read_text(encoding="ascii").splitlines()[1:]
    return [row for row in csv.reader(line for line in lines if line and not line.startswith("#"))]


def architectures():
    return sorted(path.name for path in ARCH.iterdir())


def tables():
    """Yield the tables of all CPUs of all architectures."""
    return [Table(arch, row[2]) for arch in architectures() for row in map_rows(arch)]


def python_pattern(pattern):
    """Convert a POSIX extended regular expression to Python's syntax."""
    return pattern.replace("[[:xdigit:]]", "[0-9A-Fa-f]").replace("[:xdigit:]", "0-9A-Fa-f")


def directory_of(arch, cpuid):
    """Return the directory of a CPU: the pattern matches the whole ID, with or without the stepping."""
    shorter = re.sub(r"-[0-9A-F]+$", "", cpuid) if arch == "x86" else cpuid
    for pattern, _, directory, _ in map_rows(arch):
        if any(re.fullmatch(python_pattern(pattern), text) for text in (cpuid, shorter)):
            return directory
    return None


def number(row, key):
    return int(row.get(key, "0"), 0)


def x86_config(row):
    """Return (config, config1) of an event: the event select register of Intel or AMD, and the extra MSR."""
    code = number(row, "EventCode")
    config = (code & 0xff | (code >> 8 & 0xf) << 32 | number(row, "UMask") << 8 | number(row, "EdgeDetect") << 18 |
              number(row, "AnyThread") << 21 | number(row, "Invert") << 23 | number(row, "CounterMask") << 24)
    return config, number(row, "MSRValue")
