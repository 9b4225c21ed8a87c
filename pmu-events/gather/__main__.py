# SPDX-License-Identifier: BSD-2-Clause
"""Gather the event tables again from their sources: see ../README.md.

    python3 pmu-events/gather SHARED LIBPFM4-SOURCE [OUTPUT]

SHARED holds fixtures/ and tools/; OUTPUT is pmu-events/arch by default. perf has to be installed, and the caller be
root."""
import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from cpus import ARCHITECTURES
from event import write
from metrics import GROUPS, metrics
from sources import Sources

MAPFILE_HEAD = """CPUID,Version,Directory,Type
# The CPUID is an extended regular expression that has to match the whole identifier; the first row that does wins.
# The last rows are for CPUs nobody has a table for: the events their architecture promises.
"""


def described(event, text_of):
    """The event with our description, when there is one."""
    text = None if "ArchStdEvent" in event else text_of(event["EventName"])
    return {**event, "BriefDescription": text} if text else event


def name_of(event):
    return event.get("ArchStdEvent") or event["EventName"]


def refer(event, standard):
    """A reference, when a standard event says all there is to say."""
    return {"ArchStdEvent": name_of(event)} if event in standard else event


def write_cpu(path, pairs, expressions, standard, text_of):
    """A CPU's directory: a file per topic, its metrics, and what the groups of metrics are."""
    topics = {}
    for topic, event in pairs:
        topics.setdefault(topic, []).append(described(refer(event, standard), text_of))
    for topic, events in sorted(topics.items()):
        write(path / (topic + ".json"), sorted(events, key=lambda event: name_of(event).lower()))
    items = metrics(path.name, expressions)
    write(path / "metrics.json", items)
    groups = {group: GROUPS[group] for group in GROUPS if any(item["MetricGroup"] == group for item in items)}
    (path / "metricgroups.json").write_text(json.dumps(groups, indent="\t") + "\n", encoding="ascii")


def write_architecture(path, sources, standard_of, text_of, cpus):
    """An architecture's directory: standard events, CPUs, the map between identifiers and CPUs."""
    standard = []
    for name, events in standard_of(sources).items():
        standard += events
        write(path / (name + ".json"), [described(event, text_of) for event in events])
    for directory, _, events_of, expressions in cpus:
        write_cpu(path / directory, events_of(sources), expressions, standard, text_of)
    rows = "".join(f"{pattern},v1,{directory},core\n" for directory, pattern, _, _ in cpus)
    (path / "mapfile.csv").write_text(MAPFILE_HEAD + rows, encoding="ascii")


def main():
    parser = argparse.ArgumentParser(description="Gather the event tables again from their sources.")
    parser.add_argument("shared", type=Path, help="directory with fixtures/ and tools/")
    parser.add_argument("libpfm", type=Path, help="libpfm4's source tree")
    parser.add_argument("output", type=Path, nargs="?", default=Path(__file__).parent.parent / "arch")
    arguments = parser.parse_args()
    sources = Sources(arguments.shared, arguments.libpfm)
    for name, parts in ARCHITECTURES.items():
        write_architecture(arguments.output / name, sources, *parts)


main()
