# SPDX-License-Identifier: BSD-2-Clause
"""Intel's CPUs: its map of identities to files, and the events in these. The files are taken as they come, so that a
newer set of them may have CPUs that are not named here."""
import json
import re
import tarfile
from pathlib import Path

from event import canonical, fix_intel

# What a core of a hybrid CPU is called in the map, and its PMU.
ROLES = {"": None, "Core": "cpu_core", "Atom": "cpu_atom", "LowPower_Atom": "cpu_lowpower"}

# Prefixes of events' names behind the topic that they belong to; the first that fits.
TOPICS = (
    ("FP_ FP. ASSISTS.FP SIMD_ SSEX_ X87_ INT_VEC ARITH.FP", "floating-point"),
    ("DTLB ITLB PAGE_WALK PAGE_WALKS EPT TLB DATA_TLB MEM_UOPS_RETIRED.STLB MEM_UOPS_RETIRED.DTLB STLB LARGE_ITLB",
     "virtual-memory"),
    ("L1D L2_ LLC LONGEST_LAT CACHE MEM_LOAD MEM_STORE MEM_UOPS MEM_INST MEM_BOUND MEMORY_DISAMB MEM_SCHEDULER SQ_MISC "
     "OFFCORE_REQUESTS OFF_CORE REHABQ CORE_REJECT XQ L1_ SNOOP", "cache"),
    ("OFFCORE_RESPONSE OCR OFFMODULE", "offcore"),
    ("IDQ ICACHE DSB FRONTEND LSD ILD DECODE BACLEARS MS_DECODED L1I TOPDOWN_FE FETCH MACRO_INSTS DECODER IFETCH",
     "frontend"),
    ("HLE RTM TX_ MACHINE_CLEARS.MEMORY MISALIGN MEM_TRANS LOAD_HIT_PREFETCH MEMORY", "memory"),
)
UNITS = (
    ("CHA CHACMS CBO HA HAC_CBO SBO", "uncore-cache"), ("iMC IMC imc MCHBM iMC_DCLK iMC_UCLK EDC_UCLK EDC_ECLK M2HBM",
                                                        "uncore-memory"),
    ("IIO IRP M2PCIe R2PCIe B2HOT", "uncore-io"), ("PCU", "uncore-power"), ("CXLCM CXLDP B2CXL", "uncore-cxl"),
    ("", "uncore-interconnect"),
)


class Perfmon:
    """A set of Intel's files: an archive, or a directory as Intel's repository has it."""

    def __init__(self, path):
        path = Path(path)
        if path.is_dir():
            self.files = {str(file.relative_to(path)): file.read_bytes()
                          for file in path.rglob("*") if file.suffix in (".json", ".csv")}
            return
        with tarfile.open(path) as tar:
            self.files = {member.name.split("/", 1)[1]: tar.extractfile(member).read()
                          for member in tar.getmembers() if member.isfile() and "/" in member.name}

    def load(self, path):
        """The rows of a file in either form."""
        data = json.loads(self.files[path])
        return data if isinstance(data, list) else data.get("Events") or data.get("Metrics") or []

    def latency_files(self):
        """{table: file that says how long events take to retire}."""
        return {Path(path).stem.rsplit("_retire", 1)[0]: path for path in self.files if path.endswith("retire_latency.json")}

    def cpus(self):
        """{table: {"patterns": [identity], "parts": [(file, kind, PMU)]}} in the order of the map."""
        found, lines = {}, {}
        for line in self.files["mapfile.csv"].decode("ascii").splitlines()[1:]:
            identity, _, path, kind, _, _, role = (line.strip() + ",,,").split(",")[:7]
            part = (path.lstrip("/"), kind, ROLES[role])
            if kind not in ("offcore", "fp_arith_inst", "retire latency") and part not in lines.setdefault(identity, []):
                lines[identity].append(part)
        for identity, parts in lines.items():
            hybrid = any(pmu for _, _, pmu in parts)
            core = next(path for path, kind, _ in parts if kind in ("core", "hybridcore"))
            stem = Path(core).stem.lower().split("_")
            name = stem[0] if hybrid or len(stem) == 2 else stem[0] + "n"  # one kind of a hybrid's cores, by itself
            cpu = found.setdefault(name, {"patterns": [], "parts": []})
            cpu["patterns"].append(identity)
            cpu["parts"] += [part for part in parts if part not in cpu["parts"]]
        return found


def pattern_of(identities):
    """One pattern of several identities that differ in their models."""
    families = {}
    for identity in identities:
        family, model = re.fullmatch(r"(GenuineIntel-\d+)-(.*)", identity).groups()
        families.setdefault(family, []).append(model)
    texts = []
    for family, models in families.items():
        texts.append(f"{family}-{models[0]}" if len(models) == 1 else f"{family}-({'|'.join(sorted(models))})")
    return texts[0] if len(texts) == 1 else f"({'|'.join(texts)})"


def first_of(table, text):
    """The topic of the first row that has the text's beginning, or the text itself."""
    return next(topic for words, topic in table if not words or text.startswith(tuple(words.split())))


def topic_of(raw):
    if "Unit" in raw:
        return next(topic for words, topic in UNITS if not words or raw["Unit"] in words.split() or
                    f"{raw['Unit']} " in words)
    return first_of(TOPICS + (("", "pipeline"),), raw["EventName"])


def unit_of(raw):
    """The unit by the name of the kernel's PMU, where that is another one's."""
    free = re.fullmatch(r"UNC_MC(\d)_.*_FREERUN", raw["EventName"])
    if free:
        return f"imc_free_running_{free[1]}"
    return {"NCU": "CLOCK"}.get(raw["Unit"], raw["Unit"])


def uncore(raw):
    """The facts of an event of a unit outside the cores. The wide mask is one number, and the extra bit of old units'
    codes belongs to the code."""
    number = {key: int(raw.get(key) or "0", 0) for key in ("EventCode", "ExtSel", "UMask", "UMaskExt", "FILTER_VALUE")}
    masks = {}
    if raw["Unit"] == "IIO":  # its wide mask is that of the ports and that of kinds of requests, which have fields
        wide, number["UMaskExt"] = number["UMaskExt"], 0
        masks = {"PortMask": hex(int(raw.get("PortMask") or "0", 0) | wide >> 4 & 0xfff),
                 "FCMask": hex(int(raw.get("FCMask") or "0", 0) | wide >> 16 & 7)}
    event = canonical({**raw, **masks, "EventCode": hex(number["EventCode"] | number["ExtSel"] << 8),
                       "UMask": hex(number["UMaskExt"] << 8 | number["UMask"]), "MSRIndex": "", "Counter": "",
                       "SampleAfterValue": ""})
    counters = re.sub(r"\s", "", raw.get("Counter", ""))
    if re.fullmatch(r"\d+(,\d+)*", counters):
        event["Counter"] = counters
    elif counters:
        event["Counter"] = "Fixed counter 0"
    if number["FILTER_VALUE"]:
        event["Filter"] = f"config1={number['FILTER_VALUE']:#x}"
    return {**event, "Unit": unit_of(raw), "PerPkg": "1"}


def core(raw, pmu):
    event = canonical({**raw, "EventName": re.sub(r":(request|response)=", ".", raw["EventName"]),
                       "PEBS": raw.get("PEBS") if raw.get("PEBS", "0") not in ("", "0") else raw.get("Precise", ""),
                       "UMask": hex(int(raw.get("UMaskExt") or "0", 0) << 8 |
                                    int((raw.get("UMask") or "0").split(",")[0], 0))})
    return {**fix_intel(event), **({"Unit": pmu} if pmu else {})}


def events(perfmon, parts):
    """(topic, event) pairs of a CPU's files."""
    found = []
    for path, kind, pmu in parts:
        if kind == "metrics":
            continue
        for raw in perfmon.load(path):
            found.append((topic_of(raw), uncore(raw) if "Unit" in raw else core(raw, pmu)))
    return found
