# SPDX-License-Identifier: BSD-2-Clause
"""What the tree holds: architectures, their standard events, and CPUs with the sources of each."""
import arm
import arm_texts
import metrics
import texts
from event import coded, counters, topic_of


INTEL_ARCHITECTURAL = {
    "UNHALTED_CORE_CYCLES": (0x3c, 0x00), "INSTRUCTION_RETIRED": (0xc0, 0x00),
    "UNHALTED_REFERENCE_CYCLES": (0x3c, 0x01), "LLC_REFERENCES": (0x2e, 0x4f), "LLC_MISSES": (0x2e, 0x41),
    "BRANCH_INSTRUCTIONS_RETIRED": (0xc4, 0x00), "MISPREDICTED_BRANCH_RETIRED": (0xc5, 0x00),
    "TOPDOWN_SLOTS": (0xa4, 0x01), "TOPDOWN_BACKEND_BOUND": (0xa4, 0x02), "TOPDOWN_BAD_SPECULATION": (0x73, 0x00),
    "TOPDOWN_FRONTEND_BOUND": (0x9c, 0x01), "TOPDOWN_RETIRING": (0xc2, 0x02), "LBR_INSERTS": (0xe4, 0x01),
}

# Events that every Zen so far has with these codes.
AMD_CORE = {
    "ls_not_halted_cyc": (0x76, 0), "ls_int_taken": (0x2c, 0), "ls_smi_rx": (0x2b, 0),
    "ls_dispatch.ld_dispatch": (0x29, 1), "ls_dispatch.store_dispatch": (0x29, 2),
    "ls_dispatch.ld_st_dispatch": (0x29, 4), "ls_stlf": (0x35, 0),
    "ex_ret_instr": (0xc0, 0), "ex_ret_ops": (0xc1, 0), "ex_ret_brn": (0xc2, 0), "ex_ret_brn_misp": (0xc3, 0),
    "ex_ret_brn_tkn": (0xc4, 0), "ex_ret_brn_tkn_misp": (0xc5, 0), "ex_ret_brn_far": (0xc6, 0),
    "ex_ret_near_ret": (0xc8, 0), "ex_ret_near_ret_mispred": (0xc9, 0), "ex_ret_brn_ind_misp": (0xca, 0),
    "ex_ret_cond": (0xd1, 0), "ex_div_busy": (0xd3, 0), "ex_div_count": (0xd4, 0),
}

# Power ISA 2.07 and later: selectors that mean the same on every processor.
POWER_ISA = {
    "PM_CYC": 0x1e, "PM_INST_CMPL": 0x2, "PM_RUN_CYC": 0x200f4, "PM_RUN_INST_CMPL": 0x400fa,
    "PM_1PLUS_PPC_CMPL": 0x100f2, "PM_1PLUS_PPC_DISP": 0x400f2, "PM_IERAT_RELOAD": 0x100f6,
    "PM_ANY_THRD_RUN_CYC": 0x100fa, "PM_LD_REF_L1": 0x100fc, "PM_INST_DISP": 0x200f2, "PM_LSU_DERAT_MISS": 0x200f6,
    "PM_EXT_INT": 0x200f8, "PM_BR_TAKEN_CMPL": 0x200fa, "PM_L1_ICACHE_MISS": 0x200fd, "PM_DATA_FROM_L2MISS": 0x200fe,
    "PM_ST_MISS_L1": 0x300f0, "PM_THRD_CONC_RUN_INST": 0x300f4, "PM_L1_DCACHE_RELOAD_VALID": 0x300f6,
    "PM_TB_BIT_TRANS": 0x300f8, "PM_INST_FROM_L3MISS": 0x300fa, "PM_DTLB_MISS": 0x300fc,
    "PM_DATA_FROM_L3MISS": 0x300fe, "PM_LD_MISS_L1": 0x400f0, "PM_RUN_PURR": 0x400f4, "PM_BR_MPRED_CMPL": 0x400f6,
    "PM_FLUSH": 0x400f8, "PM_ITLB_MISS": 0x400fc, "PM_DATA_FROM_MEMORY": 0x400fe,
}

# The SBI specification's order; their numbers start at 0 with the top bit set.
SBI_FIRMWARE = (
    "MISALIGNED_LOAD", "MISALIGNED_STORE", "ACCESS_LOAD", "ACCESS_STORE", "ILLEGAL_INSN", "SET_TIMER", "IPI_SENT",
    "IPI_RECEIVED", "FENCE_I_SENT", "FENCE_I_RECEIVED", "SFENCE_VMA_SENT", "SFENCE_VMA_RECEIVED",
    "SFENCE_VMA_ASID_SENT", "SFENCE_VMA_ASID_RECEIVED", "HFENCE_GVMA_SENT", "HFENCE_GVMA_RECEIVED",
    "HFENCE_GVMA_VMID_SENT", "HFENCE_GVMA_VMID_RECEIVED", "HFENCE_VVMA_SENT", "HFENCE_VVMA_RECEIVED",
    "HFENCE_VVMA_ASID_SENT", "HFENCE_VVMA_ASID_RECEIVED",
)

# Names that start with a number: Linux' for the same codes.
ZEN_NAMES = {"32_BYTE_INSTRUCTION_CACHE_FETCH": "ic_fw32", "32_BYTE_INSTRUCTION_CACHE_MISSES": "ic_fw32_miss"}
# Zen 4: names of events whose code Zen 3 does not have, or has under another name.
ZEN4_NAMES = {
    0x02: "fp_ret_x87_fp_ops", 0x08: "fp_ops_retired_by_width", 0x0a: "fp_ops_retired_by_type",
    0x0b: "sse_avx_ops_retired", 0x0c: "fp_pack_ops_retired", 0x0d: "packed_int_op_type",
    0x96: "resyncs_or_nc_redirects", 0xa9: "de_op_queue_empty", 0xaa: "de_src_op_disp", 0xab: "de_dis_ops_from_decoder",
    0xae: "de_dispatch_stall_cycle_dynamic_tokens_part1", 0xaf: "de_dispatch_stall_cycle_dynamic_tokens_part2",
    0xd6: "ex_no_retire", 0x120: "ls_not_halted_p0_cyc", 0x1a0: "de_no_dispatch_per_slot",
    0x1a2: "de_additional_resource_stalls", 0x1c1: "ex_ret_ucode_instr", 0x1c2: "ex_ret_ucode_ops",
    0x1c8: "ex_ret_uncond_brnch_instr_mispred", 0x1c9: "ex_ret_uncond_brnch_instr",
}
# Events whose unit masks have other names than on Zen 3.
ZEN4_FILLS = (0x43, 0x44, 0x59, 0x5a)
ZEN4_UNITS = {
    "lcl_l2": "local_l2", "near_cache_near_far": "near_cache", "far_cache_near_far": "far_cache",
    "alt_mem_near_far": "alternate_memories", "any": "all", "decoder": "x86_decoder", "opcache": "op_cache",
    "p0_freq_cycles": "p0_freq_cyc", "not_complete_load_and_alu": "not_complete",
    "not_complete_missing_load": "load_not_complete", "be_stalls": "backend_stalls",
    "fp_dispatch": "any_fp_dispatch", "integer_dispatch": "any_integer_dispatch",
    "de_no_dispatch_per_slot.fe_no_ops": "no_ops_from_frontend",
    "de_additional_resource_stalls.fe_no_ops": "dispatch_stalls",
}
# Useful unions of unit masks.
ZEN4_UNIONS = {
    "ls_any_fills_from_sys.all": (0x44, 0xdf), "ls_any_fills_from_sys.local_all": (0x44, 0x03),
    "ls_any_fills_from_sys.remote_cache": (0x44, 0x14), "ls_any_fills_from_sys.dram_io_all": (0x44, 0x48),
    "ls_any_fills_from_sys.far_all": (0x44, 0x50), "ls_dmnd_fills_from_sys.all": (0x43, 0xdf),
    "de_src_op_disp.all": (0xaa, 0x07), "ls_l1_d_tlb_miss.all_l2_miss": (0x45, 0xf0),
    "bp_l1_tlb_miss_l2_tlb_miss.all": (0x85, 0x0f), "l2_pf_hit_l2.all": (0x70, 0xff),
    "l2_pf_miss_l2_hit_l3.all": (0x71, 0xff), "l2_pf_miss_l2_l3.all": (0x72, 0xff),
    "bp_l1_tlb_fetch_hit.all": (0x94, 0x07),
}
# Zen 5 has no loop buffer, and prefetches by other units.
ZEN5_UNIONS = {
    **{name: numbers for name, numbers in ZEN4_UNIONS.items() if not name.startswith("l2_pf_")},
    "de_src_op_disp.all": (0xaa, 0x03), "l2_fill_rsp_src.all": (0x165, 0xde), "bp_redirects.all": (0x9f, 0x03),
}
# libpfm4 has its name of 0x165 at 0x72, and that of 0x72 at 0x165.
ZEN5_NAMES = {0x50: "ls_wcb_close", 0x165: "l2_fill_rsp_src", 0x188: "ic_fetch_ibs_events"}
ZEN5_UNITS = {"near_far_cache_near": "near_cache", "near_far_cache_far": "far_cache"}
# An event that Linux' table leaves out.
ZEN3_MORE = {
    "de_src_op_disp.x86_decoder": (0xaa, 1), "de_src_op_disp.op_cache": (0xaa, 2), "de_src_op_disp.all": (0xaa, 3),
}

# Topics: rows of prefixes, the first that fits wins.
AMD_TOPICS = (
    ("ex_ret_brn ex_ret_near ex_ret_ind ex_ret_cond ex_ret_uncond ex_ret_msprd bp_l2_btb bp_dyn bp_de", "branch"),
    ("fp_ sse_avx packed_int", "floating-point"),
    ("ic_ op_cache l2_ ls_dmnd_fills ls_any_fills ls_mab ls_inef ls_sw_pf ls_hw_pf ls_pref ls_alloc_mab", "cache"),
    ("ex_ ls_not_halted ls_locks ls_ret ls_smi ls_int", "core"),
    ("ls_ bp_l1", "memory"),
    ("", "other"),
)
POWER_TOPICS = (
    ("PM_MRK PM_SYNC_MRK PM_GRP_MRK PM_MULT_MRK", "marked"),
    ("PM_PMC", "pmc"),
    ("PM_DTLB PM_ITLB PM_TLB PM_DERAT PM_IERAT PM_LSU_DERAT PM_DPTEG PM_IPTEG PM_TABLEWALK PM_DATA_TABLEWALK PM_ISLB "
     "PM_DSLB PM_SNOOP_TLBIE PM_PTE PM_SEC_ERAT", "translation"),
    ("PM_VSU PM_FPU PM_FLOP PM_DFU", "floating-point"),
    ("PM_BR_ PM_BRU PM_BACK_BR PM_IC_ PM_INST_FROM PM_INST_ALL PM_L1_ICACHE PM_IFU PM_IFETCH PM_LINK_STACK PM_EAT "
     "PM_IBUF", "frontend"),
    ("PM_DATA PM_L1 PM_L2 PM_L3 PM_LD_ PM_ST_ PM_DC_ PM_CO PM_RC PM_SN", "cache"),
    ("PM_MEM PM_PUMP PM_CHIP_PUMP PM_GRP_PUMP PM_SYS_PUMP PM_INST_PUMP PM_INST_CHIP PM_INST_GRP PM_INST_SYS", "memory"),
    ("PM_CMPLU PM_GCT PM_DISP PM_FLUSH PM_GRP PM_NTCG PM_LSU PM_LS PM_FXU PM_ISU PM_RUN PM_CYC PM_INST PM_1PLUS "
     "PM_THRD PM_IOPS PM_STALL", "pipeline"),
    ("", "other"),
)
Z_TOPICS = (("PROBLEM_STATE", "problem state"), ("PRNG SHA DEA AES ECC", "crypto"), ("MT_DIAG", "threads"),
            ("CPU_CYCLES INSTRUCTIONS L1 DTLB ITLB L2 L3 TLB2", "cache"), ("", "other"))


# Architecture-standard events: {architecture: {file: [event]}}.

def standard_x86(_):
    intel = [coded(name, *numbers) for name, numbers in INTEL_ARCHITECTURAL.items()]
    amd = [coded(name, *numbers, Counter=counters(0x3f)) for name, numbers in AMD_CORE.items()]
    return {"intel-architectural": intel, "amd-core": amd}


def standard_powerpc(_):
    return {"power-isa": [coded(name, code, Counter=power_counter(code)) for name, code in POWER_ISA.items()]}


def standard_riscv(_):
    return {"sbi-firmware": [{"EventName": "FW_" + name, "ConfigCode": hex(1 << 63 | number)}
                             for number, name in enumerate(SBI_FIRMWARE)]}


# CPUs: each returns (topic, event) pairs.

def amd_counters(events):
    """Six counters; floating-point operations can need a pair, which starts at an even one."""
    for _, event in events:
        event["Counter"] = "0,2,4" if event["EventCode"] == "0x3" else counters(0x3f)
    return events


def zen3(sources):
    events = sources.linux("linux68-arch", "x86/amdzen3")
    events += [("core", coded(name, *numbers)) for name, numbers in ZEN3_MORE.items()]
    return amd_counters(events)


def zen4_unit(prefix, unit, units=()):
    """The name of a unit mask: ours for the whole event, ours for the mask, or libpfm4's."""
    return dict(units).get(unit) or ZEN4_UNITS.get(f"{prefix}.{unit}") or ZEN4_UNITS.get(unit, unit)


def zen3_names(sources):
    """{code: {unit mask: name}} of Zen 3."""
    older = {}
    for topic, event in sources.linux("linux68-arch", "x86/amdzen3"):
        if topic != "recommended":
            older.setdefault(int(event["EventCode"], 16), {})[int(event.get("UMask", "0"), 16)] = event["EventName"]
    return older


def zen4_events(table, older, own, units_of_cpu=()):
    """{name: (code, unit mask)} of libpfm4's table. Names are Zen 3's where the code is the same, else made in the same
    way. The unit masks of the codes in `own` are not Zen 3's."""
    found = {}
    for event, code, units in table:
        names = {} if code in own or code in ZEN4_NAMES or code in ZEN4_FILLS else older.get(code, {})
        prefix = ZEN4_NAMES.get(code) or next(iter(older.get(code, {0: event.lower()}).values())).split(".")[0]
        for unit, umask in units or [("", 0)]:
            name = names.get(umask) or ".".join(filter(None, (prefix, zen4_unit(prefix, unit.lower(), units_of_cpu))))
            found[name] = (code, umask)
        bits = sum({umask for _, umask in units if umask & umask - 1 == 0})
        for umask, name in names.items():
            if "." in name and umask & umask - 1 and umask | bits == bits:
                found[name] = (code, umask)
    return found


def amd_pairs(found):
    return amd_counters([(topic_of(name, AMD_TOPICS), coded(name, *numbers)) for name, numbers in found.items()])


def zen4(sources):
    """Codes are libpfm4's; names are Zen 3's where the code is the same, else made in the same way."""
    table = sources.amd("amd64_events_fam19h_zen4.h")
    return amd_pairs({**ZEN4_UNIONS, **zen4_events(table, zen3_names(sources), ())})


def zen5_units(code, units):
    """Unit masks that count something. Types of floating-point operations are counted together with all operations."""
    if code == 0x3:
        return [(unit.removeprefix("FLOP_TYPE_"), umask | 0xf if unit.startswith("FLOP_TYPE_") else umask)
                for unit, umask in units if umask]
    return [(unit, umask) for unit, umask in units if umask]


def zen5(sources):
    """As Zen 4, but the names of events whose unit masks changed since are not Zen 3's."""
    before = {code: units for _, code, units in sources.amd("amd64_events_fam19h_zen4.h")}
    table = sources.amd("amd64_events_fam1ah_zen5.h")
    own = {code for _, code, units in table if units != before.get(code)}
    table = [(ZEN5_NAMES.get(code, name), code, zen5_units(code, units)) for name, code, units in table]
    return amd_pairs({**ZEN5_UNIONS, **zen4_events(table, zen3_names(sources), own, ZEN5_UNITS.items())})


def older_zen(header):
    """Zen 1 and 2 by libpfm4: events that all Zen have by those names, others by libpfm4's."""
    known = {numbers: name for name, numbers in AMD_CORE.items()}

    def events(sources):
        found = {}
        for name, code, units in sources.amd(header):
            for unit, umask in units or [("", 0)]:
                name = ZEN_NAMES.get(name, name)
                made = known.get((code, umask)) or ".".join(filter(None, (name.lower(), unit.lower())))
                found.setdefault(made, (code, umask))
        found.update(AMD_CORE)
        return amd_counters([(topic_of(name, AMD_TOPICS), coded(name, *numbers)) for name, numbers in found.items()])
    return events


def power_counter(code):
    """Bits 16 to 19 name the counter; without them, any of the four that can be programmed."""
    return str(code >> 16 & 0xf or "1,2,3,4")


def power(header):
    """POWER by libpfm4's codes."""
    def events(sources):
        rows = []
        for name, code in sources.names_and_codes(header, ".pme_name", ".pme_code"):
            event = coded(name, code, Counter=power_counter(code))
            rows.append((topic_of(name, POWER_TOPICS), {"ArchStdEvent": name} if POWER_ISA.get(name) == code else event))
        return rows
    return events


def ibm_z(machine):
    """IBM Z: counters of the sets that machines share, and those of its own."""
    def events(sources):
        return [(topic_of(name, Z_TOPICS), {"EventName": name, "EventCode": hex(number), "Unit": "CPU-M-CF"})
                for name, number in sources.ibm_z("fvn3", "svn_generic", machine).items()]
    return events


def c900(sources):
    return [(topic, event) for topic, event in sources.linux("linux68-arch", "riscv/thead/c900-legacy")
            if "ArchStdEvent" not in event] + firmware(sources)


def p550(sources):
    """U74's events. We have no public source for its other events and the number of its counters."""
    return [(topic, event) for topic, event in sources.linux("linux68-arch", "riscv/sifive/u74")
            if "ArchStdEvent" not in event] + firmware(sources)


def u74(sources):
    events = p550(sources)
    for _, event in events:
        if "ArchStdEvent" not in event:
            event["Counter"] = "3,4"
    return events


def firmware(_):
    return [("firmware", {"ArchStdEvent": "FW_" + name}) for name in SBI_FIRMWARE]


def all_of(table):
    """References to a whole table of standard events."""
    return lambda sources: [("architectural", {"ArchStdEvent": name}) for name in table]


# (directory, pattern of CPU identifiers, events, metrics): rows of the mapfile behind those of intel_cpus, first match
# wins.
X86 = (
    ("amdzen1", "AuthenticAMD-23-([012][[:xdigit:]]|[[:xdigit:]])", older_zen("amd64_events_fam17h_zen1.h"), metrics.AMD),
    ("amdzen2", "AuthenticAMD-23-[[:xdigit:]]+", older_zen("amd64_events_fam17h_zen2.h"), metrics.AMD),
    ("amdzen3", "AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", zen3, metrics.ZEN3),
    ("amdzen4", "AuthenticAMD-25-([167A][[:xdigit:]])", zen4, metrics.ZEN4),
    ("amdzen5", "AuthenticAMD-26-([12467][[:xdigit:]]|[[:xdigit:]])", zen5, metrics.ZEN5),
    ("intel-generic", "GenuineIntel-.*", all_of(INTEL_ARCHITECTURAL), metrics.INTEL_GENERIC),
    ("amd-generic", "(AuthenticAMD|HygonGenuine)-.*", all_of(AMD_CORE), metrics.AMD),
)
POWERPC = (
    ("power8", "(0x)?004[bcd][[:xdigit:]]{4}", power("power8_events.h"), metrics.POWER8),
    ("power9", "(0x)?004e[[:xdigit:]]{4}", power("power9_events.h"), metrics.POWER_GENERIC),
    ("power10", "(0x)?0080[[:xdigit:]]{4}", power("power10_events.h"), metrics.POWER10),
    ("generic", "(0x)?[[:xdigit:]]{8}", all_of(POWER_ISA), metrics.POWER_GENERIC),
)
S390 = tuple(
    (f"cf_{machine}", f"IBM\\.{types}.*", ibm_z(machine), metrics.IBM_Z) for machine, types in
    (("z13", "296[45]"), ("z14", "390[67]"), ("z15", "856[12]"), ("z16", "393[12]")))
RISCV = (
    ("thead/c900-legacy", "0x5b7-0x0-0x0", c900, metrics.RISCV_GENERIC),
    ("sifive/u74", "0x489-0x8000000000000007-0x[[:xdigit:]]+", u74, metrics.U74),
    ("sifive/p550", "0x489-0x8000000000000008-0x[[:xdigit:]]+", p550, metrics.P550),
    ("generic", "0x[[:xdigit:]]+-0x[[:xdigit:]]+-0x[[:xdigit:]]+", firmware, metrics.RISCV_GENERIC),
)

# {architecture: (standard events, text of a name, CPUs)}
ARCHITECTURES = {
    "arm64": (arm.standard, arm_texts.arm, arm.CPUS),
    "powerpc": (standard_powerpc, texts.POWER.get, POWERPC),
    "riscv": (standard_riscv, lambda name: texts.U74.get(name) or texts.sbi(name), RISCV),
    "s390": (lambda _: {}, texts.Z.get, S390),
    "x86": (standard_x86, lambda name: texts.INTEL_ARCHITECTURAL.get(name) or texts.intel(name) or texts.amd(name), X86),
}
