# SPDX-License-Identifier: BSD-2-Clause
"""The tables of Arm's CPUs have the events of Arm's own lists, with the same names and codes, and no others. The lists
are read without the gatherer's code. They are not in the fixtures: TALLY_ARM_DATA names a clone."""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import external  # noqa: E402
import tap  # noqa: E402
import tree  # noqa: E402

CHAIN = "CHAIN"  # joins two counters; the kernel uses it itself
# CPUs with 64-bit instructions for which there is no table: R for real time, and a research CPU.
LEFT_OUT = {"cortex-r82", "rainier"}
NOT_64_BIT = {"cortex-a32", "cortex-r52"}
# Events that Arm's lists have no names for; ours are Linux'.
NAMED_BY_LINUX = {"cortex-a53": range(0xc0, 0x100)}
LEAST = {"cpus": 33, "events": 4290}


def lists():
    """Yield (CPU, MIDR without variant and revision, {code: name}) of 64-bit CPUs."""
    for path in sorted((external.arm_data() / "pmu").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.get("architecture", "").startswith(("armv8", "armv9")) and "cpuid" in data and path.stem not in NOT_64_BIT:
            yield path.stem, midr(data["cpuid"]), {event["code"]: event["name"] for event in data["events"]
                                                   if "code" in event and event.get("name", CHAIN) != CHAIN}


def midr(cpuid):
    """0x41d0c, the implementer and the part, as the kernel's number."""
    number = int(cpuid, 16)
    return f"0x{number >> 12 << 24 | 0xf << 16 | (number & 0xfff) << 4:016x}"


def test_events_are_those_of_arms_lists():
    cpus = events = 0
    for cpu, identity, wanted in lists():
        directory = tree.directory_of("arm64", identity)
        if cpu in LEFT_OUT:
            tap.same(directory, "generic", cpu)
            continue
        assert directory != "generic", f"{cpu} has no table"
        own = NAMED_BY_LINUX.get(cpu, ())
        rows = tree.Table("arm64", directory).event_rows
        found = {tree.number(row, "EventCode"): row["EventName"] for row in rows}
        tap.same(len(found), len(rows), f"{cpu}: codes")
        tap.same({code: name for code, name in found.items() if code not in own}, wanted, f"{cpu}: {directory}")
        cpus, events = cpus + 1, events + len(wanted)
    print(f"# {cpus} CPUs, {events} events")
    assert cpus >= LEAST["cpus"] and events >= LEAST["events"], LEAST


def test_standard_events_are_the_architectures():
    path = external.arm_data() / "pmu" / "common_armv9.json"
    wanted = {event["name"]: event["code"] for event in json.loads(path.read_text(encoding="utf-8"))["events"]}
    for row in tree.standard_events("arm64").values():
        tap.same(tree.number(row, "EventCode"), wanted[row["EventName"]], row["EventName"])


def test_every_core_for_linux_is_mapped():
    data = json.loads((external.arm_data() / "cpus.json").read_text(encoding="utf-8"))
    names = {cpu["name"]: midr(cpu["cpuid"]) for cpu in data["cpus"]
             if cpu["arch"].startswith(("armv8", "armv9")) and cpu["arch"].endswith("-a") and cpu["name"] != "Cortex-A32"}
    assert len(names) > 35, names
    tap.same([name for name, identity in names.items() if tree.directory_of("arm64", identity) == "generic"], ["Rainier"],
             "CPUs without a table")


tap.main(__name__)
