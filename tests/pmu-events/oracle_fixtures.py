# SPDX-License-Identifier: BSD-2-Clause
"""Compare our tables with the numbers in architecture manuals and with the names that Linux has for an Arm PMU; and
with rows of Linux' own generators of 2018 and 2024, if the shared set exists.

usage: oracle_fixtures.py FIXTURES SHARED
"""
import csv
import gzip
import io
import os
import sys
from pathlib import Path

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import tap  # noqa: E402
import tree  # noqa: E402

SETS = fixtures.sets(*sys.argv[1:3])
OWN = Path(SETS[0].root) / "pmu" / "golden"
GOLDEN = Path(SETS[-1].root) / "pmu" / "golden"  # of the shared set, if it exists
TERMS = {"event": "EventCode", "config": "ConfigCode", "umask": "UMask", "cmask": "CounterMask", "inv": "Invert",
         "edge": "EdgeDetect", "any": "AnyThread"}
MSRS = ("offcore_rsp", "ldlat", "frontend")

BUS_CLOCK = "the generators take every event of this name for a fixed counter's; Silvermont's counts the bus clock"
HIT_BIT = "Intel added the mask's top bit later"
KNOWN = {
    ("jevents68", "silvermont"): {"cpu_clk_unhalted.ref": BUS_CLOCK},
    ("jevents68", "sifive/u74"): {"fw_sfence_vma_received": "Linux has this name twice; the SBI specification calls the "
                                                            "second one, number 12, fw_sfence_vma_asid_sent"},
    ("classic418", "silvermont"): {"cpu_clk_unhalted.ref": BUS_CLOCK,
                                   "cpu_clk_unhalted.core": "pseudo code of the fixed counter against a real event's"},
    ("classic418", "skylakex"): {"l2_rqsts.demand_data_rd_hit": HIT_BIT, "l2_rqsts.rfo_hit": HIT_BIT,
                                 "l2_rqsts.code_rd_hit": HIT_BIT,
                                 "uops_retired.total_cycles": "Intel changed the counter mask from 10 to 16"},
    ("classic418", "generic"): {"pm_ld_miss_l1": "POWER9 has an event of its own beside the architecture's 0x400f0"},
}


def rows(kind, table):
    """Return {name: event string} of a table in a golden file."""
    path = GOLDEN / (kind + ".events.tsv.gz")
    text = io.StringIO(gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))
    return {row["name"]: row["event"] for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["table"] == table and row["name"] and not row.get("pmu")}


def theirs_of(text):
    """Return the numbers of an event string."""
    terms = dict(term.split("=") for term in text.split(","))
    found = {key: int(terms.get(term, "0"), 0) for term, key in TERMS.items()}
    return {**found, "MSRValue": int(next((terms[term] for term in MSRS if term in terms), "0"), 0)}


def ours_of(row):
    return {key: tree.number(row, key) for key in (*TERMS.values(), "MSRValue")}


def compare(kind, table, arch, directory, least):
    ours = tree.Table(arch, directory).events
    theirs = rows(kind, table)
    common = [name for name in theirs if name in ours]
    different = [name for name in common if theirs_of(theirs[name]) != ours_of(ours[name])]
    print(f"# {directory}: {len(ours)} ours, {len(theirs)} theirs, {len(common)} in common, {len(different)} differ")
    for name in different[:20]:
        print(f"# {name}: {theirs[name]} is not {ours_of(ours[name])}")
    known = KNOWN.get((kind.partition(".")[0], directory), {})
    tap.same(sorted(different), sorted(known), f"{directory}: names that differ")
    if len(common) < least:
        raise AssertionError(f"{directory}: {len(common)} names in common, {least} wanted")


def facts(name):
    with open(OWN / name, encoding="ascii", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


# The first cores of this family need masks that later ones do not need.
FIRST = ("nehalem", "westmere")
MASKED = {"br_inst_retired.all_branches", "inst_retired.any_p", "br_misp_retired.all_branches"}

# Minimal number of comparisons with the manuals: names times tables that have them.
LEAST = {"arm64": 200, "riscv": 40, "x86": 25}


def compare_architecture(arch):
    wanted = {row["name"]: theirs_of(row["event"]) for row in facts("architecture.tsv") if row["arch"] == arch}
    compared, different = 0, []
    for table in (tree.Table(arch, row[2]) for row in tree.map_rows(arch)):
        common = [name for name in wanted if name in table.events]
        if table.directory.startswith(FIRST):
            common = [name for name in common if name not in MASKED]
        compared += len(common)
        different += [f"{table.directory}: {name}" for name in common if ours_of(table.events[name]) != wanted[name]]
    print(f"# {arch}: {len(wanted)} names, {compared} comparisons")
    tap.same(sorted(set(different)), [], "names that differ from the manual")
    if compared < LEAST[arch]:
        raise AssertionError(f"{compared} comparisons, {LEAST[arch]} wanted")


for _arch in LEAST:
    globals()[f"test_manual_of_{_arch}"] = lambda arch=_arch: compare_architecture(arch)


def test_names_of_linux_for_arm():
    rows, standard = facts("arm64-sysfs.tsv"), tree.standard_events("arm64")
    tap.same(len(rows) >= 4, True, f"{len(rows)} names")
    for row in rows:
        tap.same(ours_of(standard[row["name"]]), theirs_of(row["event"]), row["name"])


def check_today(_):
    for table, arch, directory, least in (
            ("silvermont", "x86", "silvermont", 130), ("cascadelakex", "x86", "cascadelakex", 2343),
            ("amdzen3", "x86", "amdzen3", 223), ("arm_neoverse_n1", "arm64", "arm/neoverse-n1", 109),
            ("arm_neoverse_n1", "arm64", "arm/cortex-a76", 105), ("arm_neoverse_n1", "arm64", "arm/neoverse-n2", 100),
            ("ampere_emag", "arm64", "generic", 26), ("ampere_emag", "arm64", "ampere/emag", 107),
            ("sifive_u74", "riscv", "sifive/u74", 56)):
        compare("jevents68", f"pmu_events__{table}_default_core", arch, directory, least)


def check_classic(_):
    for table, arch, directory, least in (
            ("silvermont", "x86", "silvermont", 128), ("skylakex", "x86", "skylakex", 443),
            ("power9", "powerpc", "generic", 28)):
        compare(f"classic418.{arch}", f"pme_{table}", arch, directory, least)


for _check in (check_today, check_classic):
    fixtures.add_tests(sys.modules[__name__], SETS[1:], _check)
tap.main(__name__)
