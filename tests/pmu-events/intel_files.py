# SPDX-License-Identifier: BSD-2-Clause
"""The tables have every event of Intel's files, core and uncore, with the same encoding, and no others. The files are
read without the gatherer's code.

usage: intel_files.py SHARED
"""
import json
import os
import re
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
import tree  # noqa: E402

ARCHIVE = Path(sys.argv[1]) / "pmu" / "intel-perfmon-all.tar.xz"
KINDS = ("core", "hybridcore", "uncore", "uncore experimental")
PMUS = {"Core": "cpu_core", "Atom": "cpu_atom", "LowPower_Atom": "cpu_lowpower", "": ""}
# Events of fixed counters have another code in the tables, which the kernel accepts; see pmu-events/README.md.
FIXED = {"inst_retired.any", "cpu_clk_unhalted.thread", "cpu_clk_unhalted.thread_any", "cpu_clk_unhalted.core",
         "cpu_clk_unhalted.ref_tsc"}
NO_TERM = "0x3e0"  # a register without a term in any driver: the gatherer omits and reports these events
LEAST = {"core": 15000, "uncore": 26000}


def value(raw, key):
    """Return the first number of a list."""
    text = (raw.get(key) or "0").split(",")[0].strip()
    return int(text, 0) if text not in ("", "na", "None", "null") else 0


def files():
    if not ARCHIVE.exists():
        raise tap.Skip(f"{ARCHIVE} is not here")
    with tarfile.open(ARCHIVE) as tar:
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in tar if member.isfile()}


def cpus(found):
    """Return {CPU ID: [(path, PMU of a hybrid CPU's core)]}."""
    table = {}
    for line in found["mapfile.csv"].decode("ascii").splitlines()[1:]:
        identity, _, path, kind, _, _, role = (line.strip() + ",,").split(",")[:7]
        if kind in KINDS and (path[1:], PMUS[role]) not in table.setdefault(identity, []):
            table[identity].append((path[1:], PMUS[role]))
    return table


def core_facts(raw):
    """Return the encoding of a core event in Intel's file."""
    msr = value(raw, "MSRIndex") and value(raw, "MSRValue")
    return {"EventCode": value(raw, "EventCode"), "UMask": value(raw, "UMask") | value(raw, "UMaskExt") << 8, "MSRValue": msr,
            **{key: value(raw, key) for key in ("CounterMask", "Invert", "EdgeDetect", "AnyThread", "SampleAfterValue",
                                                "Deprecated", "Data_LA", "TakenAlone")}}


def uncore_facts(raw):
    umask = value(raw, "UMask") | (value(raw, "UMaskExt") << 8 if raw["Unit"] != "IIO" else 0)
    wide = value(raw, "UMaskExt") if raw["Unit"] == "IIO" else 0
    return {"EventCode": value(raw, "EventCode") | value(raw, "ExtSel") << 8, "UMask": umask,
            "PortMask": value(raw, "PortMask") | wide >> 4 & 0xfff, "FCMask": value(raw, "FCMask") | wide >> 16 & 7,
            **{key: value(raw, key) for key in ("CounterMask", "Invert", "EdgeDetect", "Deprecated")}}


def counters(text):
    """Return counter numbers; for fixed counters the number plus 32."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    return {number + 32 for number in numbers} if "ixed" in text else set(numbers)


def differs(raw, row, facts):
    """Return the fields of a row that differ from Intel's."""
    name = raw["EventName"].lower()
    found = {key for key, wanted in facts.items() if tree.number(row, key) != wanted}
    if name in FIXED or (name == "cpu_clk_unhalted.ref" and "ixed" in raw.get("Counter", "")):
        found -= {"EventCode", "UMask"}
    pseudo = facts["EventCode"] == 0 and facts["UMask"]
    if "Unit" not in raw and name not in FIXED and "ixed" not in raw.get("Counter", "") and not pseudo and counters(raw.get("Counter", "")) != counters(row.get("Counter", "")):
        found.add("Counter")
    return found


def check_event(raw, pmu, rows):
    """Return why an event in the table is wrong, or None."""
    name = re.sub(r":(request|response)=", ".", raw["EventName"].strip()).lower()
    row = rows.get((name, None if "Unit" in raw else pmu)) or rows.get((name, ""))
    if not row:
        return None if raw.get("MSRIndex", "").lower().startswith(NO_TERM) else "is missing"
    wrong = differs(raw, row, uncore_facts(raw) if "Unit" in raw else core_facts(raw))
    return f"differs in {sorted(wrong)}" if wrong else None


def check_cpu(identity, parts, found):
    """Return ({kind: events}, {(table, name)}, [errors]) of a CPU."""
    table = tree.Table("x86", tree.directory_of("x86", identity.replace("[01234]", "4").replace("[56789ABCDEF]", "7")))
    rows = {}
    for row in table.event_rows:
        rows[row["EventName"].lower(), None if tree.unit_order(row) == 3 else row.get("Unit", "")] = row
    names, nr, wrong = set(), {"core": 0, "uncore": 0}, []
    for path, pmu in parts:
        data = json.loads(found[path])
        for raw in data["Events"] if isinstance(data, dict) else data:
            why = check_event(raw, pmu, rows)
            wrong += [f"{table.directory}: {raw['EventName']} {why}"] if why else []
            nr["uncore" if "Unit" in raw else "core"] += 1
            names.add((table.directory, re.sub(r":(request|response)=", ".", raw["EventName"].strip()).lower()))
    return nr, names, wrong


def others(names):
    """Return events that are not in Intel's files. CPUs of one table may have different kinds of cores."""
    for directory in sorted({directory for directory, _ in names}):
        for name in tree.Table("x86", directory).events:
            if (directory, name) not in names and not name.startswith("perf_metrics."):
                yield f"{directory}: {name} is not Intel's"


def test_every_event_of_intel():
    found, seen, names, total, wrong = files(), set(), set(), {"core": 0, "uncore": 0}, []
    for identity, parts in cpus(found).items():
        if tuple(parts) in seen:
            continue
        seen.add(tuple(parts))
        nr, there, mistakes = check_cpu(identity, parts, found)
        names |= there
        total = {kind: total[kind] + nr[kind] for kind in total}
        wrong += mistakes
    print(f"# {len(seen)} CPUs, {total['core']} core events, {total['uncore']} of units outside the cores")
    wrong += others(names)
    tap.same(wrong[:20], [], f"{len(wrong)} events")
    for kind, least in LEAST.items():
        assert total[kind] >= least, f"{total[kind]} {kind} events, {least} wanted"


tap.main(__name__)
