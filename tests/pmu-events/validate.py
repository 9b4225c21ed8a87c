# SPDX-License-Identifier: BSD-2-Clause
"""Validate all files of pmu-events/arch: keys, values, names, references, map rows, metrics."""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
import tree  # noqa: E402

HEX = re.compile(r"0x(0|[1-9a-f][0-9a-f]*)")
VALUES = {
    "EventCode": HEX, "ConfigCode": HEX, "UMask": HEX, "MSRValue": HEX,
    "PortMask": HEX, "FCMask": HEX, "Filter": re.compile(r"config1=0x[0-9a-f]+"), "PerPkg": re.compile("1"),
    "Unit": re.compile(r"[A-Za-z][\w -]*"), "Data_LA": re.compile("1"), "TakenAlone": re.compile("1"),
    "MSRIndex": re.compile(r"0x1a6,0x1a7|0x3f6|0x3f7"),
    "CounterMask": re.compile(r"[1-9]\d{0,2}"), "SampleAfterValue": re.compile(r"[1-9]\d*"),
    "Invert": re.compile("1"), "EdgeDetect": re.compile("1"), "AnyThread": re.compile("1"),
    "Deprecated": re.compile("1"), "PEBS": re.compile("[12]"),
    "Counter": re.compile(r"Fixed counter \d|\d{1,2}(,\d{1,2})*"),
    "EventName": re.compile(r"[A-Za-z][A-Za-z0-9_.]*"),
    "ArchStdEvent": re.compile(r"[A-Za-z][A-Za-z0-9_.]*"),
    "BriefDescription": re.compile(r"[A-Z0-9][ -~]{1,110}[^. ]"),
}
METRIC = {
    "MetricName": re.compile(r"[a-z][a-z0-9_]*"), "MetricGroup": re.compile(r"\w+(;\w+)*"),
    "ScaleUnit": re.compile(r"1(00%|%|[A-Za-z][A-Za-z/ ]*)"), "Unit": re.compile("cpu_[a-z]+"), "MetricExpr": re.compile(r"[ -~]+"), "MetricThreshold": re.compile(r"[ -~]+"),
    "BriefDescription": VALUES["BriefDescription"],
}
LITERALS = {"#SMT_on", "#SYSTEM_TSC_FREQ", "#num_cpus_online", "#num_cores", "#num_packages", "#slots"}
# Names that a metric may use without a table: the clock, and RISC-V's fixed counters.
TOOLS = {"duration_time"}
FIXED = {"riscv": {"cycles", "instructions"}}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def names_in(expression):
    """Return the names in a metric expression. A syntax error is an error of the test."""
    names, offset = set(), 0
    while offset < len(expression.rstrip()):
        token = tree.TOKEN.match(expression, offset)
        check(token, f"{expression!r}: no token at {offset}")
        check(not token[2] or token[2] in LITERALS, f"{expression!r}: unknown literal {token[2]}")
        if token[3] and token[3] not in tree.WORDS:
            names.add(token[3])
        offset = token.end()
    return names


def value_of(expression, values):
    """Evaluate an expression with Python's own parser, which supports all operators that ours use."""
    def spelled(token):
        if token[3] in tree.WORDS:
            return {"source_count": " 8 + 0 * "}.get(token[3], token[0])
        return f" values[{token[3]!r}] " if token[3] else " literals[" + repr(token[2]) + "] " if token[2] else token[0]
    literals = {**dict.fromkeys(LITERALS, 8), "#SMT_on": values["smt"]}
    return eval(tree.TOKEN.sub(spelled, expression).strip(),  # noqa: S307 - our own data
                {"__builtins__": {"min": min, "max": max}, "values": values, "literals": literals})


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


def test_rows_are_complete():
    for table in tree.tables():
        for row in table.event_rows:
            name = f"{table.directory}: {row['EventName']}"
            check(("EventCode" in row) != ("ConfigCode" in row), f"{name}: needs one code")
            check(("MSRIndex" in row) == ("MSRValue" in row), f"{name}: half of an MSR")
            # Intel's files omit counters if the code is not that of a counter event.
            constrained = (table.arch in ("x86", "powerpc") and table.directory != "intel-generic" and
                           tree.unit_order(row) < 3 and row["EventCode"] != "0x0")
            check("Counter" in row or not constrained, f"{name}: no counters")
        for row in table.metrics:
            check({"MetricName", "MetricExpr"} <= set(row), f"{table.directory}: {row['MetricName']}: has {set(row)}")


def test_names_are_unique():
    for arch in tree.architectures():
        rows = [row["EventName"].lower() for path in (tree.ARCH / arch).glob("*.json") for row in tree.load(path)]
        check(len(set(rows)) == len(rows), f"{arch}: a standard event stands twice")
    for table in tree.tables():
        names = [(row["EventName"].lower(), row.get("Unit")) for row in table.event_rows]
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        check(not twice, f"{table.directory}: {twice} stand twice")
        metrics = [(row["MetricName"], row.get("Unit")) for row in table.metrics]
        check(len(set(metrics)) == len(metrics), f"{table.directory}: a metric stands twice")
        check(not {name for name, _ in metrics} & set(table.events), f"{table.directory}: a metric is named as an event")


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
            "GenuineIntel-6-37": "silvermont", "GenuineIntel-6-8E-9": "skylake", "GenuineIntel-6-B7-1": "alderlake", "GenuineIntel-6-BE-0": "alderlaken",
            "GenuineIntel-6-FE-9": "intel-generic", "GenuineIntel-19-1-0": "intel-generic",
            "AuthenticAMD-23-1-1": "amdzen1", "AuthenticAMD-23-31-0": "amdzen2", "AuthenticAMD-25-1-1": "amdzen3", "AuthenticAMD-25-21-0": "amdzen3", "AuthenticAMD-25-50-0": "amdzen3",
            "AuthenticAMD-25-11-1": "amdzen4", "AuthenticAMD-25-61-2": "amdzen4", "AuthenticAMD-25-A0-2": "amdzen4",
            "AuthenticAMD-26-2-1": "amdzen5", "AuthenticAMD-26-44-0": "amdzen5", "AuthenticAMD-26-50-0": "amd-generic", "HygonGenuine-24-0-1": "amd-generic", "Unknown-1-2-3": None},
    "s390": {"IBM,3906,704,M03,3.5,002f": None, "IBM.3931.704.A01.3.7.002f": "cf_z16"},
    "arm64": {**{f"0x00000000410fd{part}0": f"arm/{name}" for part, name in (
                  ("0c", "neoverse-n1"), ("49", "neoverse-n2"), ("8e", "neoverse-n3"), ("40", "neoverse-v1"), ("4f", "neoverse-v2"),
                  ("84", "neoverse-v3"), ("83", "neoverse-v3"), ("4a", "neoverse-e1"), ("06", "neoverse-e1"), ("43", "neoverse-e1"),
                  ("02", "cortex-a34"), ("03", "cortex-a53"), ("04", "cortex-a35"), ("05", "cortex-a55"), ("07", "cortex-a57"),
                  ("08", "cortex-a57"), ("09", "cortex-a73"), ("0a", "cortex-a75"), ("0b", "cortex-a76"), ("0d", "cortex-a76"),
                  ("0e", "cortex-a76"), ("41", "cortex-a78"), ("42", "cortex-a78"), ("4b", "cortex-a78"), ("4c", "cortex-a78"),
                  ("44", "cortex-x1"), ("46", "cortex-a510"), ("47", "cortex-a710"), ("48", "cortex-a710"), ("4d", "cortex-a715"),
                  ("4e", "cortex-x3"), ("80", "cortex-a520"), ("88", "cortex-a520"), ("81", "cortex-a720"), ("89", "cortex-a720"),
                  ("82", "cortex-x4"))},
              "0x00000000420f1000": "arm/cortex-a53", "0x00000000420f5160": "cavium/thunderx2",
              "0x00000000430f0af0": "cavium/thunderx2", "0x00000000460f0010": "fujitsu/a64fx",
              "0x00000000480fd010": "hisilicon/hip08", "0x00000000500f0000": "ampere/emag",
              "0x00000000410fd000": "generic", "0x00000000411fd990": "generic"},
    "powerpc": {"004b0000": "power8", "0x004d0200": "power8", "004e1202": "power9", "0x00800200": "power10", "00480200": "generic"},
    "riscv": {"0x489-0x8000000000000007-0x20181004": "sifive/u74", "0x489-0x8000000000000008-0x6220425": "sifive/p550",
              "0x5b7-0x0-0x0": "thead/c900-legacy"},
}


def test_cpus_find_their_tables():
    for arch, cpus in CPUS.items():
        tap.same({cpuid: tree.directory_of(arch, cpuid) for cpuid in cpus}, cpus, arch)
    check(tree.Table("powerpc", "power8").events["pm_1plus_ppc_cmpl"]["EventCode"] == "0x100f2", "the README's example")


EVENTS = {"x86/silvermont": 130, "x86/skylakex": 3700, "x86/cascadelakex": 5700, "x86/icelakex": 4300,
          "x86/sapphirerapids": 2690, "x86/amdzen3": 222, "x86/amdzen4": 300, "x86/amdzen5": 330, "arm64/arm/neoverse-n3": 200,
          "arm64/arm/neoverse-v3": 220, "arm64/arm/cortex-a55": 100, "arm64/arm/neoverse-n1": 109,
          "arm64/arm/cortex-x4": 240, "arm64/arm/cortex-a720": 190, "arm64/arm/cortex-a510": 140, "arm64/fujitsu/a64fx": 180,
          "arm64/arm/neoverse-n2": 154, "arm64/arm/cortex-a76": 105, "powerpc/power8": 960, "riscv/sifive/u74": 57,
          "riscv/sifive/p550": 57}


def test_tables_are_whole_and_the_events_people_use_are_described():
    found = {f"{table.arch}/{table.directory}": table for table in tree.tables()}
    for name, least in EVENTS.items():
        table = found.pop(name)
        check(len(table.events) >= least, f"{name}: {len(table.events)} events, {least} wanted")
        described = sum("BriefDescription" in row for row in table.event_rows)
        check(described >= 50, f"{name}: {described} descriptions")
    others = [table for name, table in found.items() if not name.endswith("generic")]
    check(all(len(table.events) >= 30 for table in others), "tables without a minimum")
    for name, table in found.items():
        check(name.endswith("generic") or any("BriefDescription" in row for row in table.event_rows), f"{name}: no text")
        check(not name.endswith("generic") or all("BriefDescription" in row for row in table.event_rows), f"{name}: an event without description")


def test_metrics_refer_to_events_of_their_table():
    for table in tree.tables():
        metrics = {row["MetricName"] for row in table.metrics}
        allowed = set(table.events) | TOOLS | FIXED.get(table.arch, set()) | metrics
        for row in table.metrics:
            names = {tree.event_of(name).lower() for name in names_in(row["MetricExpr"]) if not name.startswith("msr@")}
            check(names <= allowed, f"{table.directory}: {row['MetricName']}: no events {names - allowed}")
            names = set(names_in(row.get("MetricThreshold", "")))
            check(names <= metrics, f"{table.directory}: {row['MetricName']}: no metrics {names - metrics}")
        used = {group for row in table.metrics for group in row.get("MetricGroup", "").split(";")}
        check(set(table.groups) <= used, f"{table.directory}: groups without metrics {set(table.groups) - used}")


def test_every_cpu_has_the_usual_metrics():
    for table in tree.tables():
        names = {row["MetricName"] for row in table.metrics}
        check({"ipc", "cpi"} <= names, f"{table.directory}: no instructions per cycle")
        if not table.directory.endswith("generic") and "frontend_bound" in names:
            wanted = {"frontend_bound", "bad_speculation", "backend_bound", "retiring", "branch_misprediction_rate",
                      "branch_mpki", "l1d_miss_rate", "dtlb_mpki"}
            wanted -= {"l1d_miss_rate"} if table.arch == "x86" else set()  # some Intel cores do not count loads
            wanted -= {"dtlb_mpki"} if table.arch == "arm64" and "dtlb_walk" not in table.events else set()
            check(wanted <= names, f"{table.directory}: no {wanted - names}")
            groups = [row.get("MetricGroup", "").split(";")[0] for row in table.metrics]
            check(groups.count("TopdownL1") >= 4, f"{table.directory}: no first level")
            check(any(row.get("MetricGroup") == "Bandwidth" for row in table.metrics), f"{table.directory}: no bandwidth")


def test_metrics_have_finite_values():
    """No expression divides by zero, with or without SMT."""
    for table in tree.tables():
        for row in table.metrics:
            values = {name: 1000 + len(name) for name in names_in(row["MetricExpr"])}
            for smt in (0, 1):
                try:
                    value = value_of(row["MetricExpr"], {**values, "smt": smt})
                except ZeroDivisionError:
                    continue  # a difference that is 0 with these counts
                check(abs(value) < 1e13, f"{table.directory}: {row['MetricName']} is {value}")


# Counts of a run of 1000 cycles with known parts: 20 % front end, 10 % bad speculation, 30 % back end, 40 % retiring.
KNOWN = {
    "x86/skylakex": {"CPU_CLK_UNHALTED.THREAD": 1000, "CPU_CLK_UNHALTED.THREAD_ANY": 2000, "UOPS_ISSUED.ANY": 1960,
                     "UOPS_RETIRED.RETIRE_SLOTS": 1600, "IDQ_UOPS_NOT_DELIVERED.CORE": 800, "INT_MISC.RECOVERY_CYCLES": 10,
                     "INT_MISC.RECOVERY_CYCLES_ANY": 20},
    "x86/icelakex": {"TOPDOWN.SLOTS": 5000, "UOPS_RETIRED.SLOTS": 2000, "TOPDOWN.BACKEND_BOUND_SLOTS": 1500,
                     "IDQ_UOPS_NOT_DELIVERED.CORE": 1100, "INT_MISC.UOP_DROPPING": 100},
    "x86/silvermont": {"CPU_CLK_UNHALTED.CORE": 1000, "NO_ALLOC_CYCLES.NOT_DELIVERED": 200,
                       "NO_ALLOC_CYCLES.MISPREDICTS": 100, "UOPS_RETIRED.ALL": 800},
    "x86/atom": {f"TOPDOWN_{part}.{suffix}": count for suffix in ("ALL", "ALL_P") for part, count in
                 (("FE_BOUND", 1000), ("BAD_SPECULATION", 500), ("BE_BOUND", 1500), ("RETIRING", 2000))},
    "x86/amdzen3": {"ls_not_halted_cyc": 1000, "de_dis_uop_queue_empty_di0": 200, "de_src_op_disp.all": 3000,
                    "ex_ret_ops": 2400},
    "x86/amdzen4": {"ls_not_halted_cyc": 1000, "de_no_dispatch_per_slot.no_ops_from_frontend": 1200,
                    "de_no_dispatch_per_slot.backend_stalls": 1800, "de_src_op_disp.all": 3000, "ex_ret_ops": 2400},
    "x86/amdzen5": {"ls_not_halted_cyc": 1000, "de_no_dispatch_per_slot.no_ops_from_frontend": 1600,
                    "de_no_dispatch_per_slot.backend_stalls": 2400, "de_src_op_disp.all": 4000, "ex_ret_ops": 3200},
    "x86/intel-generic": {"TOPDOWN_SLOTS": 4000, "TOPDOWN_FRONTEND_BOUND": 800, "TOPDOWN_BAD_SPECULATION": 400,
                          "TOPDOWN_BACKEND_BOUND": 1200, "TOPDOWN_RETIRING": 1600},
    "arm64/arm/neoverse-n1": {"CPU_CYCLES": 1000, "STALL_FRONTEND": 200, "STALL_BACKEND": 300, "INST_RETIRED": 800,
                              "INST_SPEC": 1000},
    "arm64/arm/neoverse-n2": {"CPU_CYCLES": 1000, "STALL_SLOT": 2500, "STALL_SLOT_FRONTEND": 1000,
                              "STALL_SLOT_BACKEND": 1500, "OP_RETIRED": 2000, "OP_SPEC": 2500},
    "arm64/arm/neoverse-v1": {"CPU_CYCLES": 1000, "STALL_SLOT": 4000, "STALL_SLOT_FRONTEND": 1600,
                              "STALL_SLOT_BACKEND": 2400, "OP_RETIRED": 2000, "OP_SPEC": 2500},
    "powerpc/power8": {"PM_RUN_CYC": 1000, "PM_GCT_NOSLOT_CYC": 300, "PM_GCT_NOSLOT_BR_MPRED": 100, "PM_GRP_CMPL": 400},
    "riscv/sifive/u74": {"cycles": 1000, "instructions": 800, "ICACHE_ITIM_BUSY": 200, "ADDRESSGEN_INTERLOCK": 50,
                         "LONGLAT_INTERLOCK": 50, "CSR_READ_INTERLOCK": 50, "INTEGER_MULTIPLICATION_INTERLOCK": 50,
                         "FP_INTERLOCK": 50, "DCACHE_DTIM_BUSY": 50},
}
SAME = {"arm64/arm/neoverse-v2": "arm64/arm/neoverse-v1"}
# Intel's and Arm's cores by what their top-down metrics use. Literals are 8, as the slots of V1.
FAMILIES = {"TOPDOWN.SLOTS": "x86/icelakex", "UOPS_ISSUED.ANY": "x86/skylakex", "NO_ALLOC_CYCLES": "x86/silvermont",
            "TOPDOWN_FE_BOUND": "x86/atom", "#slots": "arm64/arm/neoverse-v1",
            "STALL_FRONTEND / CPU_CYCLES": "arm64/arm/neoverse-n1"}
PARTS = {"frontend_bound": 0.2, "bad_speculation": 0.1, "backend_bound": 0.3, "retiring": 0.4}


def test_topdown_gives_the_known_parts():
    for table in tree.tables():
        name = f"{table.arch}/{table.directory}"
        expressions = {row["MetricName"]: row["MetricExpr"] for row in table.metrics if row["MetricName"] in PARTS}
        family = next((made for event, made in FAMILIES.items() if event in " ".join(expressions.values())), name)
        values = KNOWN.get(SAME.get(name, family))
        check(bool(values) or not expressions, f"{name}: known counts and expressions do not meet")
        for metric, expression in expressions.items():
            for smt in (0, 1):
                value = value_of(expression, {**values, "smt": smt})
                check(abs(value - PARTS[metric]) < 1e-9, f"{name}: {metric} is {value}, not {PARTS[metric]}")


tap.main(__name__)
