# SPDX-License-Identifier: BSD-2-Clause
"""Our tables against rows that Linux' own generators made, of 2018 and of 2024: the only oracle here for Arm, POWER and
RISC-V. The fixtures' directory is the argument."""
import csv
import gzip
import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import tap  # noqa: E402
import tree  # noqa: E402

GOLDEN = Path(sys.argv[1]) / "pmu" / "golden"
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
    """{name: event string} of one table of a golden file."""
    path = GOLDEN / (kind + ".events.tsv.gz")
    if not path.exists():
        raise tap.Skip(f"no {path}")
    text = io.StringIO(gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))
    return {row["name"]: row["event"] for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["table"] == table and row["name"] and not row.get("pmu")}


def theirs_of(text):
    """The numbers of an event string."""
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


def test_today():
    for table, arch, directory, least in (
            ("silvermont", "x86", "silvermont", 130), ("cascadelakex", "x86", "cascadelakex", 2343),
            ("amdzen3", "x86", "amdzen3", 223), ("arm_neoverse_n1", "arm64", "arm/neoverse-n1", 109),
            ("arm_neoverse_n1", "arm64", "arm/cortex-a76", 105), ("arm_neoverse_n1", "arm64", "arm/neoverse-n2", 100),
            ("ampere_emag", "arm64", "generic", 26),
            ("sifive_u74", "riscv", "sifive/u74", 56)):
        compare("jevents68", f"pmu_events__{table}_default_core", arch, directory, least)


def test_classic():
    for table, arch, directory, least in (
            ("silvermont", "x86", "silvermont", 128), ("skylakex", "x86", "skylakex", 443),
            ("power9", "powerpc", "generic", 28)):
        compare(f"classic418.{arch}", f"pme_{table}", arch, directory, least)


tap.main(__name__)
