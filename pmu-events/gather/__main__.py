# SPDX-License-Identifier: BSD-2-Clause
"""Gather the event tables again from their sources: see ../README.md.

    python3 pmu-events/gather SHARED LIBPFM4-SOURCE ARM-DATA [OUTPUT] [--intel FILES]

SHARED holds fixtures/; ARM-DATA is Arm's repository of data; FILES is Intel's repository of event files, or an archive of it (SHARED's by default); OUTPUT is
pmu-events/arch by default. Prints what differs from the tables that were there, and which metrics of Intel's could not
be had."""
import argparse
import json
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import intel_cpus
from changes import Snapshot, changes
from cpus import ARCHITECTURES
from event import write
from intel import Perfmon
from intel_metrics import NAME, OURS
from metrics import GROUPS, metrics
from sources import Sources

MAPFILE_HEAD = """CPUID,Version,Directory,Type
# The CPUID is an extended regular expression that has to match the whole identifier; the first row that does wins.
# The last rows are for CPUs nobody has a table for: the events their architecture promises.
"""
# What metrics may name beside the events of a table: words, the clock, and RISC-V's fixed counters.
FIXED = OURS | {"cycles", "instructions"}


def described(event, text_of):
    """The event with our description, when there is one."""
    text = None if "ArchStdEvent" in event else text_of(event["EventName"])
    return {**event, "BriefDescription": text} if text else event


def name_of(event):
    return event.get("ArchStdEvent") or event["EventName"]


def refer(event, standard):
    """A reference, when a standard event says all there is to say."""
    return {"ArchStdEvent": name_of(event)} if event in standard else event


def write_cpu(path, pairs, items, standard, text_of):
    """A CPU's directory: a file per topic, its metrics, and what the groups of metrics are."""
    shutil.rmtree(path, ignore_errors=True)
    topics = {}
    for topic, event in pairs:
        topics.setdefault(topic, []).append(described(refer(event, standard), text_of))
    for topic, events in sorted(topics.items()):
        write(path / (topic + ".json"), sorted(events, key=lambda event: (name_of(event).lower(), event.get("Unit", ""))))
    write(path / "metrics.json", items)
    used = {group for item in items for group in item.get("MetricGroup", "").split(";")}
    groups = {group: text for group, text in GROUPS.items() if group in used}
    (path / "metricgroups.json").write_text(json.dumps(groups, indent="\t") + "\n", encoding="ascii")


def write_intel(path, perfmon):
    """Intel's CPUs: their rows of the map. What was left out is told."""
    rows = []
    for directory, pattern, pairs, items, left in intel_cpus.tables(perfmon):
        write_cpu(path / directory, pairs, items, [], intel_cpus.text_of)
        rows.append(f"{pattern},v1,{directory},core\n")
        for name, why in sorted(left.items()):
            print(f"{directory}: without {name}: {why}")
    return rows


def write_architecture(path, sources, rows, standard_of, text_of, cpus):
    """An architecture's directory: standard events, CPUs, the map between identifiers and CPUs."""
    standard = []
    for name, events in standard_of(sources).items():
        standard += events
        write(path / (name + ".json"), [described(event, text_of) for event in events])
    for directory, _, events_of, expressions in cpus:
        pairs = events_of(sources)
        names = {name_of(event).lower() for _, event in pairs} | FIXED
        own = expressions(names) if callable(expressions) else expressions
        items = [item for item in metrics(Path(directory).name, own)
                 if {word.lower() for word in NAME.findall(item["MetricExpr"])} <= names]
        write_cpu(path / directory, pairs, items, standard, text_of)
    rows = rows + [f"{pattern(sources) if callable(pattern) else pattern},v1,{directory},core\n"
                   for directory, pattern, _, _ in cpus]
    (path / "mapfile.csv").write_text(MAPFILE_HEAD + "".join(rows), encoding="ascii")


def main():
    parser = argparse.ArgumentParser(description="Gather the event tables again from their sources.")
    parser.add_argument("shared", type=Path, help="directory with fixtures/")
    parser.add_argument("libpfm", type=Path, help="libpfm4's source tree")
    parser.add_argument("arm", type=Path, help="Arm's data: github.com/ARM-software/data")
    parser.add_argument("output", type=Path, nargs="?", default=Path(__file__).parent.parent / "arch")
    parser.add_argument("--intel", type=Path, help="Intel's files: a directory or an archive")
    arguments = parser.parse_args()
    sources = Sources(arguments.shared, arguments.libpfm, arguments.arm)
    perfmon = Perfmon(arguments.intel or arguments.shared / "fixtures/pmu/intel-perfmon-all.tar.xz")
    before = Snapshot(arguments.output)
    for name, parts in ARCHITECTURES.items():
        rows = write_intel(arguments.output / name, perfmon) if name == "x86" else []
        write_architecture(arguments.output / name, sources, rows, *parts)
    print("\n".join(changes(before, Snapshot(arguments.output))))


if __name__ == "__main__":
    main()
