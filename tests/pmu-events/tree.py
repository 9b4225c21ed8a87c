# SPDX-License-Identifier: BSD-2-Clause
"""The event tables as the tests see them: read with Python's JSON, turned into configs without tally's code."""
import csv
import json
import re
from pathlib import Path

ARCH = Path(__file__).resolve().parents[2] / "pmu-events" / "arch"


# What a metric's expression is made of: a number, a literal, an event or a metric - by its name, of a PMU, with modifiers
# - and an operator.
TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:e-?\d+)?(?![A-Za-z_]))|(#[A-Za-z_]+)|"
                   r"((?:\w+@[^@]+@|[A-Za-z_][\w.]*(?::(?=[ku]\b))?)[ku]?)|(==|[-+*/%(),<>|&^]))")
WORDS = {"if", "else", "min", "max", "d_ratio", "source_count"}


class Table:
    """A CPU's events by lower-case name, references filled in, and its metrics."""

    def __init__(self, arch, directory):
        self.arch, self.directory = arch, directory
        self.files = sorted((ARCH / arch / directory).glob("*.json"))
        self.rows = [row for path in self.files if path.name != "metricgroups.json" for row in load(path)]
        standard = standard_events(arch)
        self.references = [row["ArchStdEvent"] for row in self.rows if "ArchStdEvent" in row]
        full = [{**standard.get(row.get("ArchStdEvent", "").lower(), {}), **row} for row in self.rows]
        self.event_rows = [row for row in full if "EventName" in row]
        # Of a name that a hybrid CPU has twice, the first one counts; cores come before units outside them.
        self.events = {row["EventName"].lower(): row for row in sorted(self.event_rows, key=unit_order, reverse=True)}
        self.core_events = {name: row for name, row in self.events.items() if unit_order(row) < 3}
        self.metrics = [row for row in full if "MetricName" in row]
        self.groups = load(ARCH / arch / directory / "metricgroups.json")


def unit_order(row):
    """Cores first, the largest kind of them before the others."""
    return {"": 0, "cpu_core": 0, "cpu_atom": 1, "cpu_lowpower": 2}.get(row.get("Unit", ""), 3)


def event_of(token):
    """The event's name of an expression's token: "cpu@NAME,cmask=1@k" is NAME's."""
    return token.split("@")[1].split(",")[0] if "@" in token else token.split(":")[0]


def load(path):
    """A JSON file whose objects may not have a key twice."""
    def unique(pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) != len(names):
            raise AssertionError(f"{path}: a key stands twice in {names}")
        return dict(pairs)
    return json.loads(path.read_bytes().decode("ascii"), object_pairs_hook=unique)


def standard_events(arch):
    """Events of the architecture by lower-case name."""
    return {row["EventName"].lower(): row for path in sorted((ARCH / arch).glob("*.json")) for row in load(path)}


def map_rows(arch):
    """(CPU identifier's pattern, directory) in the map's order."""
    lines = (ARCH / arch / "mapfile.csv").read_text(encoding="ascii").splitlines()[1:]
    return [row for row in csv.reader(line for line in lines if line and not line.startswith("#"))]


def architectures():
    return sorted(path.name for path in ARCH.iterdir())


def tables():
    """Every CPU's table, of every architecture."""
    return [Table(arch, row[2]) for arch in architectures() for row in map_rows(arch)]


def python_pattern(pattern):
    """A POSIX extended regular expression as one of Python's."""
    return pattern.replace("[[:xdigit:]]", "[0-9A-Fa-f]").replace("[:xdigit:]", "0-9A-Fa-f")


def directory_of(arch, cpuid):
    """The directory of a CPU: a pattern matches it whole, with or without its stepping."""
    shorter = re.sub(r"-[0-9A-F]+$", "", cpuid) if arch == "x86" else cpuid
    for pattern, _, directory, _ in map_rows(arch):
        if any(re.fullmatch(python_pattern(pattern), text) for text in (cpuid, shorter)):
            return directory
    return None


def number(row, key):
    return int(row.get(key, "0"), 0)


def x86_config(row):
    """(config, config1) of an event: Intel's and AMD's event select register, and the MSR that goes with it."""
    code = number(row, "EventCode")
    config = (code & 0xff | (code >> 8 & 0xf) << 32 | number(row, "UMask") << 8 | number(row, "EdgeDetect") << 18 |
              number(row, "AnyThread") << 21 | number(row, "Invert") << 23 | number(row, "CounterMask") << 24)
    return config, number(row, "MSRValue")
