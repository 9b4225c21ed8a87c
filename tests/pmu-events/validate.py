# SPDX-License-Identifier: BSD-2-Clause
"""Every file of pmu-events/arch is what it should be: keys, values, names, references, map rows, metrics."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import tap  # noqa: E402
import tree  # noqa: E402

HEX = re.compile(r"0x(0|[1-9a-f][0-9a-f]*)")
VALUES = {
    "EventCode": HEX, "ConfigCode": HEX, "UMask": HEX, "MSRValue": HEX,
    "MSRIndex": re.compile(r"0x1a6,0x1a7|0x3f6|0x3f7"),
    "CounterMask": re.compile(r"[1-9]\d{0,2}"), "SampleAfterValue": re.compile(r"[1-9]\d*"),
    "Invert": re.compile("1"), "EdgeDetect": re.compile("1"), "AnyThread": re.compile("1"),
    "Deprecated": re.compile("1"), "PEBS": re.compile("[12]"),
    "Counter": re.compile(r"Fixed counter [0-3]|[0-7](,[0-7])*"),
    "EventName": re.compile(r"[A-Za-z][A-Za-z0-9_.]*"),
    "ArchStdEvent": re.compile(r"[A-Za-z][A-Za-z0-9_.]*"),
    "BriefDescription": re.compile(r"[A-Z0-9][ -~]{1,110}[^. ]"),
}
METRIC = {
    "MetricName": re.compile(r"[a-z][a-z0-9_]*"), "MetricGroup": re.compile(r"[A-Za-z0-9]+"),
    "ScaleUnit": re.compile(r"1(00%|[A-Za-z][A-Za-z/ ]*)"), "MetricExpr": re.compile(r"[ -~]+"),
    "BriefDescription": VALUES["BriefDescription"],
}
TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:e-?\d+)?(?![A-Za-z_]))|(#[A-Za-z_]+)|([A-Za-z_][A-Za-z0-9_.]*)|([-+*/%(),<>|&^]))")
WORDS = {"if", "else", "min", "max", "d_ratio"}
LITERALS = {"#SMT_on"}
# What a metric may name without a table: the clock, and RISC-V's fixed counters.
TOOLS = {"duration_time"}
FIXED = {"riscv": {"cycles", "instructions"}}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def names_in(expression):
    """The names a metric expression refers to; anything that is no expression is an error."""
    names, offset = set(), 0
    while offset < len(expression.rstrip()):
        token = TOKEN.match(expression, offset)
        check(token, f"{expression!r}: no token at {offset}")
        check(not token[2] or token[2] in LITERALS, f"{expression!r}: unknown literal {token[2]}")
        if token[3] and token[3] not in WORDS:
            names.add(token[3])
        offset = token.end()
    return names


def value_of(expression, values):
    """An expression's value, by Python's own parser: its grammar has what ours uses."""
    text = TOKEN.sub(lambda t: f" values[{t[3]!r}] " if t[3] and t[3] not in WORDS else t[0], expression)
    return eval(text.replace("#SMT_on", "smt"),  # noqa: S307 - our own data
                {"__builtins__": {"min": min, "max": max}, "values": values, "smt": values["smt"]})


def test_rows_have_known_keys_and_values():
    for arch in tree.architectures():
        paths = sorted((tree.ARCH / arch).rglob("*.json"))
        check(paths, f"{arch}: no file")
        for path in (path for path in paths if path.name != "metricgroups.json"):
            for row in tree.load(path):
                patterns = METRIC if "MetricName" in row else VALUES
                check(set(row) <= set(patterns), f"{path}: unknown keys {set(row) - set(patterns)}")
                for key, value in row.items():
                    check(patterns[key].fullmatch(value), f"{path}: {key} {value!r}")


def test_rows_are_whole():
    for table in tree.tables():
        for row in table.event_rows:
            name = f"{table.directory}: {row['EventName']}"
            check(("EventCode" in row) != ("ConfigCode" in row), f"{name}: needs one code")
            check(("MSRIndex" in row) == ("MSRValue" in row), f"{name}: half of an MSR")
            constrained = table.arch in ("x86", "powerpc") and table.directory != "intel-generic"
            check("Counter" in row or not constrained, f"{name}: no counters")
        for row in table.metrics:
            check(set(row) == set(METRIC), f"{table.directory}: {row['MetricName']}: keys {set(row) ^ set(METRIC)}")


def test_names_are_unique():
    for arch in tree.architectures():
        rows = [row["EventName"].lower() for path in (tree.ARCH / arch).glob("*.json") for row in tree.load(path)]
        check(len(set(rows)) == len(rows), f"{arch}: a standard event stands twice")
    for table in tree.tables():
        names = [row["EventName"].lower() for row in table.event_rows]
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        check(not twice, f"{table.directory}: {twice} stand twice")
        metrics = [row["MetricName"] for row in table.metrics]
        check(len(set(metrics)) == len(metrics), f"{table.directory}: a metric stands twice")
        check(not set(metrics) & set(names), f"{table.directory}: a metric is named as an event")


def test_references_exist():
    for table in tree.tables():
        missing = [name for name in table.references if name.lower() not in tree.standard_events(table.arch)]
        check(not missing, f"{table.directory}: no standard events {missing}")


def test_files_are_sorted_and_every_directory_is_mapped():
    for table in tree.tables():
        for path in table.files:
            rows = tree.load(path)
            if path.name not in ("metrics.json", "metricgroups.json"):
                names = [(row.get("ArchStdEvent") or row["EventName"]).lower() for row in rows]
                check(names == sorted(names), f"{path}: not sorted")
    for arch in tree.architectures():
        mapped = {row[2] for row in tree.map_rows(arch)}
        present = {str(path.parent.relative_to(tree.ARCH / arch)) for path in (tree.ARCH / arch).glob("*/**/*.json")}
        tap.same(sorted(present), sorted(mapped), f"{arch}: directories")


CPUS = {
    "x86": {"GenuineIntel-6-37-8": "silvermont", "GenuineIntel-6-4D-8": "silvermont", "GenuineIntel-6-55-4": "skylakex",
            "GenuineIntel-6-55-7": "cascadelakex", "GenuineIntel-6-55-B": "cascadelakex",
            "GenuineIntel-6-6A-6": "icelakex", "GenuineIntel-6-8F-8": "sapphirerapids",
            "GenuineIntel-6-37": "silvermont", "GenuineIntel-6-8E-9": "intel-generic", "GenuineIntel-19-1-0": "intel-generic",
            "AuthenticAMD-25-1-1": "amdzen3", "AuthenticAMD-25-21-0": "amdzen3", "AuthenticAMD-25-50-0": "amdzen3",
            "AuthenticAMD-25-11-1": "amdzen4", "AuthenticAMD-25-61-2": "amdzen4", "AuthenticAMD-25-A0-2": "amdzen4",
            "AuthenticAMD-26-2-1": "amd-generic", "HygonGenuine-24-0-1": "amd-generic", "Unknown-1-2-3": None},
    "arm64": {"0x00000000410fd0c0": "arm/neoverse-n1", "0x00000000410fd0b0": "arm/cortex-a76",
              "0x00000000410fd490": "arm/neoverse-n2", "0x00000000411fd400": "generic"},
    "powerpc": {"004b0000": "power8", "0x004d0200": "power8", "004e1202": "generic", "0x00800200": "generic"},
    "riscv": {"0x489-0x8000000000000007-0x20181004": "sifive/u74", "0x5b7-0x0-0x0": "generic"},
}


def test_cpus_find_their_tables():
    for arch, cpus in CPUS.items():
        tap.same({cpuid: tree.directory_of(arch, cpuid) for cpuid in cpus}, cpus, arch)
    check(tree.Table("powerpc", "power8").events["pm_1plus_ppc_cmpl"]["EventCode"] == "0x100f2", "the README's example")


EVENTS = {"x86/silvermont": 130, "x86/skylakex": 455, "x86/cascadelakex": 2343, "x86/icelakex": 351,
          "x86/sapphirerapids": 368, "x86/amdzen3": 222, "x86/amdzen4": 300, "arm64/arm/neoverse-n1": 109,
          "arm64/arm/neoverse-n2": 154, "arm64/arm/cortex-a76": 105, "powerpc/power8": 960, "riscv/sifive/u74": 57}


def test_tables_are_whole_and_the_events_people_use_are_described():
    found = {f"{table.arch}/{table.directory}": table for table in tree.tables()}
    for name, least in EVENTS.items():
        table = found.pop(name)
        check(len(table.events) >= least, f"{name}: {len(table.events)} events, {least} wanted")
        described = sum("BriefDescription" in row for row in table.event_rows)
        check(described >= 50, f"{name}: {described} descriptions")
    for name, table in found.items():
        check(name.endswith("generic"), f"{name}: no minimum is known")
        check(all("BriefDescription" in row for row in table.event_rows), f"{name}: an event without description")


def test_metrics_refer_to_events_of_their_table():
    for table in tree.tables():
        allowed = set(table.events) | TOOLS | FIXED.get(table.arch, set())
        for row in table.metrics:
            unknown = {name for name in names_in(row["MetricExpr"]) if name.lower() not in allowed}
            check(not unknown, f"{table.directory}: {row['MetricName']}: no events {unknown}")
        tap.same(sorted({row["MetricGroup"] for row in table.metrics}), sorted(table.groups), f"{table.directory}: groups")


def test_every_cpu_has_the_usual_metrics():
    for table in tree.tables():
        names = {row["MetricName"] for row in table.metrics}
        check({"ipc", "cpi"} <= names, f"{table.directory}: no instructions per cycle")
        if not table.directory.endswith("generic"):
            wanted = {"frontend_bound", "bad_speculation", "backend_bound", "retiring", "branch_misprediction_rate",
                      "branch_mpki", "l1d_miss_rate", "dtlb_mpki"}
            check(wanted <= names, f"{table.directory}: no {wanted - names}")
            check([row["MetricGroup"] for row in table.metrics].count("TopdownL1") >= 4, table.directory)
            check(any(row["MetricGroup"] == "Bandwidth" for row in table.metrics), f"{table.directory}: no bandwidth")


def test_metrics_have_finite_values():
    """No expression divides by nothing, with threads of a core and without."""
    for table in tree.tables():
        for row in table.metrics:
            values = {name: 1000 + len(name) for name in names_in(row["MetricExpr"])}
            for smt in (0, 1):
                value = value_of(row["MetricExpr"], {**values, "smt": smt})
                check(abs(value) < 1e12, f"{table.directory}: {row['MetricName']} is {value}")


# Counts of a run of 1000 cycles whose four parts are known: 20 % front end, 10 % thrown away, 30 % back end, 40 % work.
KNOWN = {
    "x86/skylakex": {"CPU_CLK_UNHALTED.THREAD": 1000, "CPU_CLK_UNHALTED.THREAD_ANY": 2000, "UOPS_ISSUED.ANY": 1960,
                     "UOPS_RETIRED.RETIRE_SLOTS": 1600, "IDQ_UOPS_NOT_DELIVERED.CORE": 800, "INT_MISC.RECOVERY_CYCLES": 10,
                     "INT_MISC.RECOVERY_CYCLES_ANY": 20},
    "x86/icelakex": {"TOPDOWN.SLOTS": 5000, "UOPS_RETIRED.SLOTS": 2000, "TOPDOWN.BACKEND_BOUND_SLOTS": 1500,
                     "IDQ_UOPS_NOT_DELIVERED.CORE": 1100, "INT_MISC.UOP_DROPPING": 100},
    "x86/silvermont": {"CPU_CLK_UNHALTED.CORE": 1000, "NO_ALLOC_CYCLES.NOT_DELIVERED": 200,
                       "NO_ALLOC_CYCLES.MISPREDICTS": 100, "UOPS_RETIRED.ALL": 800},
    "x86/amdzen3": {"ls_not_halted_cyc": 1000, "de_dis_uop_queue_empty_di0": 200, "de_src_op_disp.all": 3000,
                    "ex_ret_ops": 2400},
    "x86/amdzen4": {"ls_not_halted_cyc": 1000, "de_no_dispatch_per_slot.no_ops_from_frontend": 1200,
                    "de_no_dispatch_per_slot.backend_stalls": 1800, "de_src_op_disp.all": 3000, "ex_ret_ops": 2400},
    "x86/intel-generic": {"TOPDOWN_SLOTS": 4000, "TOPDOWN_FRONTEND_BOUND": 800, "TOPDOWN_BAD_SPECULATION": 400,
                          "TOPDOWN_BACKEND_BOUND": 1200, "TOPDOWN_RETIRING": 1600},
    "arm64/arm/neoverse-n1": {"CPU_CYCLES": 1000, "STALL_FRONTEND": 200, "STALL_BACKEND": 300, "INST_RETIRED": 800,
                              "INST_SPEC": 1000},
    "arm64/arm/neoverse-n2": {"CPU_CYCLES": 1000, "STALL_SLOT": 2500, "STALL_SLOT_FRONTEND": 1000,
                              "STALL_SLOT_BACKEND": 1500, "OP_RETIRED": 2000, "OP_SPEC": 2500},
    "powerpc/power8": {"PM_RUN_CYC": 1000, "PM_GCT_NOSLOT_CYC": 300, "PM_GCT_NOSLOT_BR_MPRED": 100, "PM_GRP_CMPL": 400},
    "riscv/sifive/u74": {"cycles": 1000, "instructions": 800, "ICACHE_ITIM_BUSY": 200, "ADDRESSGEN_INTERLOCK": 50,
                         "LONGLAT_INTERLOCK": 50, "CSR_READ_INTERLOCK": 50, "INTEGER_MULTIPLICATION_INTERLOCK": 50,
                         "FP_INTERLOCK": 50, "DCACHE_DTIM_BUSY": 50},
}
SAME = {"x86/cascadelakex": "x86/skylakex", "x86/sapphirerapids": "x86/icelakex",
        "arm64/arm/cortex-a76": "arm64/arm/neoverse-n1", "arm64/generic": "arm64/arm/neoverse-n1"}
PARTS = {"frontend_bound": 0.2, "bad_speculation": 0.1, "backend_bound": 0.3, "retiring": 0.4}


def test_topdown_gives_the_known_parts():
    for table in tree.tables():
        name = f"{table.arch}/{table.directory}"
        expressions = {row["MetricName"]: row["MetricExpr"] for row in table.metrics if row["MetricName"] in PARTS}
        values = KNOWN.get(SAME.get(name, name))
        check(bool(values) == bool(expressions), f"{name}: known counts and expressions do not meet")
        for metric, expression in expressions.items():
            for smt in (0, 1):
                value = value_of(expression, {**values, "smt": smt})
                check(abs(value - PARTS[metric]) < 1e-9, f"{name}: {metric} is {value}, not {PARTS[metric]}")


tap.main(__name__)
