# SPDX-License-Identifier: BSD-2-Clause
"""Arm's CPUs and others of that architecture: standard events, and CPUs with the sources of each."""
import metrics
from event import coded, topic_of

TOPICS = (
    ("SAMPLE", "spe"), ("TRB TRC CTI ETM_EXT", "trace"), ("EXC", "exception"), ("BUS BIU", "bus"),
    ("L1D_TLB L1I_TLB L2D_TLB L2I_TLB L1PLD_TLB L2PLD_TLB L2TLB PLDTLB DTLB ITLB DTB_ ITB_ L1_STAGE2_TLB PAGE_WALK MMU_ "
     "TLB_ UTLB PLD_UTLB CP15_UTLB PTW_ L2D_TLBI L2D_WALK_TLB L2D_LLWALK L2D_L2WALK L2D_S2", "tlb"),
    ("L1I_ I_TAG I_DATA", "l1i_cache"), ("L1D_ L1_ L1HWPF DCACHE", "l1d_cache"), ("L2D_ L2I_ L2_ L2HWPF", "l2_cache"),
    ("L3D_ L3_", "l3_cache"), ("LL_CACHE LL_WS", "ll_cache"),
    ("MEM REMOTE LDST_ALIGN LD_ALIGN ST_ALIGN", "memory"), ("STALL", "stall"), ("SVE ASE_SVE FP_", "sve"),
    ("CPU_CYCLES CNT_CYCLES", "general"),
)
CHAIN = 0x1e  # joins two counters, counts nothing
# Names that start with a number.
RENAMED = {f"{number}INST_COMMIT": f"INST_COMMIT_{number}" for number in range(5)}


def topic(name):
    by_suffix = "retired" if name.endswith("_RETIRED") or name == "SW_INCR" else "spec_operation"
    return topic_of(name, TOPICS, by_suffix)


def own_topic(name):
    """Events that the architecture does not define have names of any kind."""
    return topic(name) if name.endswith(("_RETIRED", "_SPEC")) else topic_of(name, TOPICS, "other")


def linux(sources):
    """Linux' files of standard events: {file: [event]}."""
    events = sources.linux("linux68-arch", "arm64")
    return {"pmuv3-common": [event for name, event in events if name == "common-and-microarch"],
            "pmuv3-recommended": [event for name, event in events if name == "recommended"]}


def standard(sources):
    """Linux' files, and the other events of ARMv9 that a CPU has."""
    found = linux(sources)
    known = {int(event["EventCode"], 16) for events in found.values() for event in events}
    used = {code for _, _, names in CPU_FILES for code in sources.arm(names[0])} | \
        {code for header in HEADERS for _, code in sources.names_and_codes(header)}
    newer = {code: name for code, name in sources.arm("common_armv9").items() if code in used - known - {CHAIN}}
    return {**found, "pmuv3-armv9": [coded(name, code) for code, name in sorted(newer.items())]}


def references(names):
    return [(topic(name), {"ArchStdEvent": name}) for name in names]


def generic(sources):
    return references(event["EventName"] for event in linux(sources)["pmuv3-common"]
                      if int(event["EventCode"], 16) < 0x4000)


def neoverse_n1(sources):
    return [(name, {"ArchStdEvent": event["ArchStdEvent"]})
            for name, event in sources.linux("linux68-arch", "arm64/arm/neoverse-n1")]


def named(sources, found):
    """Events of a table {code: name}: the code says which standard event is meant. Of others the name is taken."""
    codes = {int(event["EventCode"], 16): event["EventName"] for events in standard(sources).values() for event in events}
    own = [RENAMED.get(name, name) for code, name in sorted(found.items()) if code not in codes and code != CHAIN]
    numbers = {RENAMED.get(name, name): code for code, name in found.items() if code not in codes}
    return references(codes[code] for code in sorted(found) if code in codes) + \
        [(own_topic(name), coded(name, numbers[name])) for name in own]


def by_data(cpu, *more):
    """A CPU of Arm's data. The others have the same events."""
    def events(sources):
        found = sources.arm(cpu)
        for other in more:
            if sources.arm(other) != found:
                raise SystemExit(f"{other} has not the events of {cpu}")
        return named(sources, found)
    return events


def by_header(header):
    return lambda sources: named(sources, {code: name for name, code in sources.names_and_codes(header)})


def cortex_a53(sources):
    """Arm's data have no names for the core's own events."""
    return by_data("cortex-a53")(sources) + \
        [(name, event) for name, event in sources.linux("linux68-arch", "arm64/arm/cortex-a53") if "EventName" in event]


def emag(sources):
    return [(own_topic(event["EventName"]), event) if "EventName" in event else (topic(event["ArchStdEvent"]),
            {"ArchStdEvent": event["ArchStdEvent"]}) for _, event in sources.linux("linux68-arch", "arm64/ampere/emag")]


def midr(*cpus):
    """The pattern of Arm's CPUs of these names: the main ID register without variant and revision."""
    def pattern(sources):
        parts = [f"{sources.arm_parts()[cpu] & 0xfff:03x}" for cpu in cpus]
        return f"0x00000000410f{parts[0] if len(parts) == 1 else '(' + '|'.join(parts) + ')'}0"
    return pattern


# (directory, metrics, CPUs that Arm's data has the same events for)
CPU_FILES = (
    ("arm/neoverse-n2", metrics.NEOVERSE_N2, ("neoverse-n2",)),
    ("arm/neoverse-v1", metrics.NEOVERSE_V1, ("neoverse-v1",)),
    ("arm/neoverse-v2", metrics.NEOVERSE_V1, ("neoverse-v2",)),
    ("arm/neoverse-n3", metrics.ARM_KERNEL, ("neoverse-n3",)),
    ("arm/neoverse-v3", metrics.ARM_KERNEL, ("neoverse-v3", "neoverse-v3ae")),
    ("arm/neoverse-e1", metrics.arm, ("neoverse-e1", "cortex-a65", "cortex-a65ae")),
    ("arm/cortex-a34", metrics.arm, ("cortex-a34",)),
    ("arm/cortex-a35", metrics.arm, ("cortex-a35",)),
    ("arm/cortex-a55", metrics.arm, ("cortex-a55",)),
    ("arm/cortex-a57", metrics.arm, ("cortex-a57", "cortex-a72")),
    ("arm/cortex-a73", metrics.arm, ("cortex-a73",)),
    ("arm/cortex-a75", metrics.arm, ("cortex-a75",)),
    ("arm/cortex-a76", metrics.arm, ("cortex-a76", "cortex-a76ae", "cortex-a77")),
    ("arm/cortex-a78", metrics.arm, ("cortex-a78", "cortex-a78c", "cortex-x1c")),
    ("arm/cortex-x1", metrics.arm, ("cortex-x1",)),
    ("arm/cortex-a510", metrics.arm, ("cortex-a510",)),
    ("arm/cortex-a520", metrics.arm, ("cortex-a520",)),
    ("arm/cortex-a710", metrics.arm, ("cortex-a710", "cortex-x2")),
    ("arm/cortex-a715", metrics.arm, ("cortex-a715",)),
    ("arm/cortex-a720", metrics.arm, ("cortex-a720",)),
    ("arm/cortex-x3", metrics.arm, ("cortex-x3",)),
    ("arm/cortex-x4", metrics.arm, ("cortex-x4",)),
)
# Versions with split and lock that Arm's data has no events for: A65AE, A76AE and V3AE have those of the plain core.
TWINS = {"cortex-a78": "cortex-a78ae", "cortex-a520": "cortex-a520ae", "cortex-a720": "cortex-a720ae"}
# Other vendors' CPUs in libpfm4: {header: (directory, pattern)}
HEADERS = {
    "arm_cavium_tx2_events.h": ("cavium/thunderx2", "0x00000000(420f516|430f0af)0"),
    "arm_fujitsu_a64fx_events.h": ("fujitsu/a64fx", "0x00000000460f0010"),
    "arm_hisilicon_kunpeng_events.h": ("hisilicon/hip08", "0x00000000480fd010"),
}

# As in cpus.py. A53 is also Broadcom's Brahma B53, by Linux' map.
CPUS = (
    ("arm/neoverse-n1", midr("neoverse-n1"), neoverse_n1, metrics.NEOVERSE_N1),
    ("arm/cortex-a53", "0x00000000(410fd03|420f100)0", cortex_a53, metrics.arm),
    *((directory, midr(*cpus, *(TWINS[cpu] for cpu in cpus if cpu in TWINS)), by_data(*cpus), expressions)
      for directory, expressions, cpus in CPU_FILES),
    *((directory, pattern, by_header(header), metrics.arm) for header, (directory, pattern) in HEADERS.items()),
    ("ampere/emag", "0x00000000500f0000", emag, metrics.arm),
    ("generic", "0x[[:xdigit:]]+", generic, metrics.ARM_GENERIC),
)
