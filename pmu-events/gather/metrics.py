# SPDX-License-Identifier: BSD-2-Clause
"""Metrics, our own, by CPU. The same question has the same name on every CPU, so `-M ipc` works everywhere; what
differs is the expression. Names in expressions are events of the CPU's table; beyond that duration_time, and on
RISC-V, whose cycles and instructions have fixed counters but no event codes, the generic names of the two."""

GROUPS = {
    "TopdownL1": "Where the issue slots (or cycles) went: the four parts of top-down analysis, first level",
    "Pipeline": "The four parts of the first level by the same names on every CPU",
    "TopdownL2": "The parts of these parts: top-down analysis, second level",
    "TopdownL3": "Top-down analysis, third level",
    "TopdownL4": "Top-down analysis, fourth level",
    "TopdownL5": "Top-down analysis, fifth level",
    "Summary": "How fast the CPU runs the program",
    "Branches": "How well branches are predicted",
    "Caches": "How often caches miss, and what that costs",
    "TLB": "How often address translation misses, and what that costs",
    "Bandwidth": "How much data moves between the levels of memory",
}

# name: (groups, unit, description)
CONCEPTS = {
    "frontend_bound": ("TopdownL1", "100%", "Share lost because too few instructions were fetched and decoded"),
    "bad_speculation": ("TopdownL1", "100%", "Share lost to work that was thrown away"),
    "backend_bound": ("TopdownL1", "100%", "Share lost waiting for execution units or memory"),
    "retiring": ("TopdownL1", "100%", "Share that did useful work"),
    "smt_contention": ("TopdownL1", "100%", "Share the core gave to the other thread"),
    "ipc": ("Summary", "1per cycle", "Instructions per cycle"),
    "cpi": ("Summary", "1cycles", "Cycles per instruction"),
    "uops_per_instruction": ("Summary", "1uops", "Micro-operations per instruction"),
    "turbo": ("Summary", "1x", "Clock relative to the nominal one while not halted"),
    "branch_misprediction_rate": ("Branches", "100%", "Share of branches that were mispredicted"),
    "branch_mpki": ("Branches", "1MPKI", "Mispredicted branches per thousand instructions"),
    "branch_share": ("Branches", "100%", "Share of instructions that are branches"),
    "l1d_miss_rate": ("Caches", "100%", "Share of data accesses that miss the L1 data cache"),
    "l1d_mpki": ("Caches", "1MPKI", "L1 data cache misses per thousand instructions"),
    "l1i_miss_rate": ("Caches", "100%", "Share of instruction fetches that miss the L1 instruction cache"),
    "l1i_mpki": ("Caches", "1MPKI", "L1 instruction cache misses per thousand instructions"),
    "op_cache_miss_rate": ("Caches", "100%", "Share of op cache look-ups that miss"),
    "l2_miss_rate": ("Caches", "100%", "Share of requests to the L2 cache that miss"),
    "l2_mpki": ("Caches", "1MPKI", "L2 cache misses per thousand instructions"),
    "l3_miss_rate": ("Caches", "100%", "Share of requests to the L3 cache that miss"),
    "l3_mpki": ("Caches", "1MPKI", "L3 cache misses per thousand instructions"),
    "llc_miss_rate": ("Caches", "100%", "Share of requests to the last-level cache that miss"),
    "llc_mpki": ("Caches", "1MPKI", "Last-level cache misses per thousand instructions"),
    "load_miss_latency": ("Caches", "1cycles", "Cycles a load that misses the L1 data cache takes, on average"),
    "memory_parallelism": ("Caches", "1misses", "L1 data cache misses outstanding at a time, when there are any"),
    "dtlb_mpki": ("TLB", "1MPKI", "Data TLB misses that needed a page walk, per thousand instructions"),
    "dtlb_miss_rate": ("TLB", "100%", "Share of data TLB look-ups that miss its first level"),
    "itlb_mpki": ("TLB", "1MPKI", "Instruction TLB misses that needed a page walk, per thousand instructions"),
    "page_walk_cycles": ("TLB", "100%", "Share of cycles with a page walk under way"),
    "l1d_fill_bandwidth": ("Bandwidth", "1GB/s", "Data brought into the L1 data cache"),
    "l2_fill_bandwidth": ("Bandwidth", "1GB/s", "Data brought into the L2 cache"),
    "llc_miss_bandwidth": ("Bandwidth", "1GB/s", "Data the last-level cache had to fetch"),
    "memory_fill_bandwidth": ("Bandwidth", "1GB/s", "Data that came from memory into the core's caches"),
}


def ratios(cycles, instructions, branches, mispredicts):
    """The four numbers every CPU has."""
    return {
        "ipc": f"{instructions} / {cycles}",
        "cpi": f"{cycles} / {instructions}",
        "branch_misprediction_rate": f"{mispredicts} / {branches}",
        "branch_mpki": f"1000 * {mispredicts} / {instructions}",
        "branch_share": f"{branches} / {instructions}",
    }


def per_thousand(event, instructions):
    return f"1000 * {event} / {instructions}"


def gigabytes(line, lines):
    """Bandwidth of that many lines."""
    return f"{line} * {lines} / 1e9 / duration_time"


INTEL = ratios("CPU_CLK_UNHALTED.THREAD", "INST_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES",
               "BR_MISP_RETIRED.ALL_BRANCHES")
WALKS = "(DTLB_LOAD_MISSES.WALK_COMPLETED + DTLB_STORE_MISSES.WALK_COMPLETED)"

# What Skylake and its successors share.
CORE = {
    **INTEL,
    "turbo": "CPU_CLK_UNHALTED.THREAD / CPU_CLK_UNHALTED.REF_TSC",
    "l1d_miss_rate": "MEM_LOAD_RETIRED.L1_MISS / (MEM_LOAD_RETIRED.L1_HIT + MEM_LOAD_RETIRED.L1_MISS)",
    "l1d_mpki": per_thousand("MEM_LOAD_RETIRED.L1_MISS", "INST_RETIRED.ANY"),
    "l1i_mpki": per_thousand("L2_RQSTS.ALL_CODE_RD", "INST_RETIRED.ANY"),
    "l2_miss_rate": "L2_RQSTS.ALL_DEMAND_MISS / "
                    "(L2_RQSTS.ALL_DEMAND_DATA_RD + L2_RQSTS.ALL_RFO + L2_RQSTS.ALL_CODE_RD)",
    "l2_mpki": per_thousand("MEM_LOAD_RETIRED.L2_MISS", "INST_RETIRED.ANY"),
    "llc_miss_rate": "LONGEST_LAT_CACHE.MISS / LONGEST_LAT_CACHE.REFERENCE",
    "llc_mpki": per_thousand("LONGEST_LAT_CACHE.MISS", "INST_RETIRED.ANY"),
    "load_miss_latency": "L1D_PEND_MISS.PENDING / (MEM_LOAD_RETIRED.L1_MISS + MEM_LOAD_RETIRED.FB_HIT)",
    "memory_parallelism": "L1D_PEND_MISS.PENDING / L1D_PEND_MISS.PENDING_CYCLES",
    "dtlb_mpki": per_thousand(WALKS, "INST_RETIRED.ANY"),
    "itlb_mpki": per_thousand("ITLB_MISSES.WALK_COMPLETED", "INST_RETIRED.ANY"),
    "page_walk_cycles": "(DTLB_LOAD_MISSES.WALK_ACTIVE + DTLB_STORE_MISSES.WALK_ACTIVE + ITLB_MISSES.WALK_ACTIVE)"
                        " / CPU_CLK_UNHALTED.THREAD",
    "l1d_fill_bandwidth": gigabytes(64, "L1D.REPLACEMENT"),
    "l2_fill_bandwidth": gigabytes(64, "L2_LINES_IN.ALL"),
    "llc_miss_bandwidth": gigabytes(64, "LONGEST_LAT_CACHE.MISS"),
}

# Four slots a cycle, shared by the threads of a core.
SLOTS4 = "(4 * (CPU_CLK_UNHALTED.THREAD_ANY / 2 if #SMT_on else CPU_CLK_UNHALTED.THREAD))"
RECOVERY = "(INT_MISC.RECOVERY_CYCLES_ANY / 2 if #SMT_on else INT_MISC.RECOVERY_CYCLES)"
LOST = f"(UOPS_ISSUED.ANY - UOPS_RETIRED.RETIRE_SLOTS + 4 * {RECOVERY})"
SKYLAKE = {
    "frontend_bound": f"IDQ_UOPS_NOT_DELIVERED.CORE / {SLOTS4}",
    "bad_speculation": f"{LOST} / {SLOTS4}",
    "backend_bound": f"1 - (IDQ_UOPS_NOT_DELIVERED.CORE + UOPS_ISSUED.ANY + 4 * {RECOVERY}) / {SLOTS4}",
    "retiring": f"UOPS_RETIRED.RETIRE_SLOTS / {SLOTS4}",
    "uops_per_instruction": "UOPS_RETIRED.RETIRE_SLOTS / INST_RETIRED.ANY",
    **CORE,
}

DELIVERED = "(IDQ_UOPS_NOT_DELIVERED.CORE - INT_MISC.UOP_DROPPING)"
USED = f"(UOPS_RETIRED.SLOTS + TOPDOWN.BACKEND_BOUND_SLOTS + {DELIVERED})"
ICELAKE = {
    "frontend_bound": f"{DELIVERED} / TOPDOWN.SLOTS",
    "bad_speculation": f"max(1 - {USED} / TOPDOWN.SLOTS, 0)",
    "backend_bound": "TOPDOWN.BACKEND_BOUND_SLOTS / TOPDOWN.SLOTS",
    "retiring": "UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS",
    "uops_per_instruction": "UOPS_RETIRED.SLOTS / INST_RETIRED.ANY",
    **CORE,
}

SILVERMONT = {
    "frontend_bound": "NO_ALLOC_CYCLES.NOT_DELIVERED / CPU_CLK_UNHALTED.CORE",
    "bad_speculation": "NO_ALLOC_CYCLES.MISPREDICTS / CPU_CLK_UNHALTED.CORE",
    "backend_bound": "max(1 - (NO_ALLOC_CYCLES.NOT_DELIVERED + NO_ALLOC_CYCLES.MISPREDICTS + UOPS_RETIRED.ALL / 2)"
                     " / CPU_CLK_UNHALTED.CORE, 0)",
    "retiring": "UOPS_RETIRED.ALL / (2 * CPU_CLK_UNHALTED.CORE)",
    **ratios("CPU_CLK_UNHALTED.CORE", "INST_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES",
             "BR_MISP_RETIRED.ALL_BRANCHES"),
    "uops_per_instruction": "UOPS_RETIRED.ALL / INST_RETIRED.ANY",
    "turbo": "CPU_CLK_UNHALTED.CORE / CPU_CLK_UNHALTED.REF_TSC",
    "l1d_miss_rate": "MEM_UOPS_RETIRED.L1_MISS_LOADS / MEM_UOPS_RETIRED.ALL_LOADS",
    "l1d_mpki": per_thousand("MEM_UOPS_RETIRED.L1_MISS_LOADS", "INST_RETIRED.ANY"),
    "l1i_miss_rate": "ICACHE.MISSES / ICACHE.ACCESSES",
    "l1i_mpki": per_thousand("ICACHE.MISSES", "INST_RETIRED.ANY"),
    "llc_miss_rate": "LONGEST_LAT_CACHE.MISS / LONGEST_LAT_CACHE.REFERENCE",
    "llc_mpki": per_thousand("LONGEST_LAT_CACHE.MISS", "INST_RETIRED.ANY"),
    "dtlb_mpki": per_thousand("PAGE_WALKS.D_SIDE_WALKS", "INST_RETIRED.ANY"),
    "itlb_mpki": per_thousand("PAGE_WALKS.I_SIDE_WALKS", "INST_RETIRED.ANY"),
    "page_walk_cycles": "PAGE_WALKS.CYCLES / CPU_CLK_UNHALTED.CORE",
    "llc_miss_bandwidth": gigabytes(64, "LONGEST_LAT_CACHE.MISS"),
}



def atom(suffix):
    """Small cores since Tremont: parts of what their four counts are together, however wide the core is."""
    parts = {name: f"TOPDOWN_{event}.{suffix}" for name, event in
             (("frontend_bound", "FE_BOUND"), ("bad_speculation", "BAD_SPECULATION"), ("backend_bound", "BE_BOUND"),
              ("retiring", "RETIRING"))}
    return {
        **{name: f"{part} / ({' + '.join(parts.values())})" for name, part in parts.items()},
        **ratios("CPU_CLK_UNHALTED.CORE", "INST_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES",
                 "BR_MISP_RETIRED.ALL_BRANCHES"),
        "turbo": "CPU_CLK_UNHALTED.CORE / CPU_CLK_UNHALTED.REF_TSC",
        "l1i_miss_rate": "ICACHE.MISSES / ICACHE.ACCESSES",
        "l1i_mpki": per_thousand("ICACHE.MISSES", "INST_RETIRED.ANY"),
        "llc_miss_rate": "LONGEST_LAT_CACHE.MISS / LONGEST_LAT_CACHE.REFERENCE",
        "llc_mpki": per_thousand("LONGEST_LAT_CACHE.MISS", "INST_RETIRED.ANY"),
        "dtlb_mpki": per_thousand("DTLB_LOAD_MISSES.WALK_COMPLETED", "INST_RETIRED.ANY"),
        "itlb_mpki": per_thousand("ITLB_MISSES.WALK_COMPLETED", "INST_RETIRED.ANY"),
        "llc_miss_bandwidth": gigabytes(64, "LONGEST_LAT_CACHE.MISS"),
    }


INTEL_GENERIC = {
    "frontend_bound": "TOPDOWN_FRONTEND_BOUND / TOPDOWN_SLOTS",
    "bad_speculation": "TOPDOWN_BAD_SPECULATION / TOPDOWN_SLOTS",
    "backend_bound": "TOPDOWN_BACKEND_BOUND / TOPDOWN_SLOTS",
    "retiring": "TOPDOWN_RETIRING / TOPDOWN_SLOTS",
    **ratios("UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED", "BRANCH_INSTRUCTIONS_RETIRED",
             "MISPREDICTED_BRANCH_RETIRED"),
    "llc_miss_rate": "LLC_MISSES / LLC_REFERENCES",
    "llc_mpki": per_thousand("LLC_MISSES", "INSTRUCTION_RETIRED"),
    "llc_miss_bandwidth": gigabytes(64, "LLC_MISSES"),
}

AMD = {
    **ratios("ls_not_halted_cyc", "ex_ret_instr", "ex_ret_brn", "ex_ret_brn_misp"),
    "uops_per_instruction": "ex_ret_ops / ex_ret_instr",
}
L2_ALL = "(l2_cache_req_stat.ic_dc_hit_in_l2 + l2_cache_req_stat.ic_dc_miss_in_l2)"
ZEN = {
    **AMD,
    "l1i_miss_rate": "ic_tag_hit_miss.instruction_cache_miss / ic_tag_hit_miss.all_instruction_cache_accesses",
    "l1i_mpki": per_thousand("ic_tag_hit_miss.instruction_cache_miss", "ex_ret_instr"),
    "op_cache_miss_rate": "op_cache_hit_miss.op_cache_miss / op_cache_hit_miss.all_op_cache_accesses",
    "l2_miss_rate": f"l2_cache_req_stat.ic_dc_miss_in_l2 / {L2_ALL}",
    "l2_mpki": per_thousand("l2_cache_req_stat.ic_dc_miss_in_l2", "ex_ret_instr"),
}
LOADS = "(ls_dispatch.ld_dispatch + ls_dispatch.store_dispatch + ls_dispatch.ld_st_dispatch)"
ZEN3 = {
    "frontend_bound": "de_dis_uop_queue_empty_di0 / ls_not_halted_cyc",
    "bad_speculation": "max(de_src_op_disp.all - ex_ret_ops, 0) / (6 * ls_not_halted_cyc)",
    "backend_bound": "max(1 - (de_dis_uop_queue_empty_di0 + max(de_src_op_disp.all, ex_ret_ops) / 6)"
                     " / ls_not_halted_cyc, 0)",
    "retiring": "ex_ret_ops / (6 * ls_not_halted_cyc)",
    **ZEN,
    "l1d_miss_rate": f"l1_data_cache_fills_all / {LOADS}",
    "l1d_mpki": per_thousand("l1_data_cache_fills_all", "ex_ret_instr"),
    "dtlb_miss_rate": f"ls_l1_d_tlb_miss.all / {LOADS}",
    "dtlb_mpki": per_thousand("l2_dtlb_misses", "ex_ret_instr"),
    "itlb_mpki": per_thousand("bp_l1_tlb_miss_l2_tlb_miss", "ex_ret_instr"),
    "l1d_fill_bandwidth": gigabytes(64, "l1_data_cache_fills_all"),
    "memory_fill_bandwidth": gigabytes(64, "l1_data_cache_fills_from_memory"),
}
ZEN4 = {
    "frontend_bound": "de_no_dispatch_per_slot.no_ops_from_frontend / (6 * ls_not_halted_cyc)",
    "bad_speculation": "max(de_src_op_disp.all - ex_ret_ops, 0) / (6 * ls_not_halted_cyc)",
    "backend_bound": "de_no_dispatch_per_slot.backend_stalls / (6 * ls_not_halted_cyc)",
    "retiring": "ex_ret_ops / (6 * ls_not_halted_cyc)",
    "smt_contention": "de_no_dispatch_per_slot.smt_contention / (6 * ls_not_halted_cyc)",
    **ZEN,
    "turbo": "ls_not_halted_cyc / ls_not_halted_p0_cyc.p0_freq_cyc",
    "l1d_miss_rate": f"ls_any_fills_from_sys.all / {LOADS}",
    "l1d_mpki": per_thousand("ls_any_fills_from_sys.all", "ex_ret_instr"),
    "dtlb_miss_rate": f"ls_l1_d_tlb_miss.all / {LOADS}",
    "dtlb_mpki": per_thousand("ls_l1_d_tlb_miss.all_l2_miss", "ex_ret_instr"),
    "itlb_mpki": per_thousand("bp_l1_tlb_miss_l2_tlb_miss.all", "ex_ret_instr"),
    "l1d_fill_bandwidth": gigabytes(64, "ls_any_fills_from_sys.all"),
    "memory_fill_bandwidth": gigabytes(64, "ls_any_fills_from_sys.dram_io_all"),
}

# Zen 5 dispatches 8 operations per cycle.
ZEN5 = {name: text.replace("(6 * ls_not_halted_cyc)", "(8 * ls_not_halted_cyc)") for name, text in ZEN4.items()}

BUSY = "(1 - (STALL_FRONTEND + STALL_BACKEND) / CPU_CYCLES)"
ARM_CYCLES = {
    "frontend_bound": "STALL_FRONTEND / CPU_CYCLES",
    "bad_speculation": f"{BUSY} * max(1 - INST_RETIRED / INST_SPEC, 0)",
    "backend_bound": "STALL_BACKEND / CPU_CYCLES",
    "retiring": f"{BUSY} * min(INST_RETIRED / INST_SPEC, 1)",
}
ARM_SLOTS = {
    "frontend_bound": "STALL_SLOT_FRONTEND / (5 * CPU_CYCLES)",
    "bad_speculation": "(1 - STALL_SLOT / (5 * CPU_CYCLES)) * (1 - OP_RETIRED / OP_SPEC)",
    "backend_bound": "STALL_SLOT_BACKEND / (5 * CPU_CYCLES)",
    "retiring": "(1 - STALL_SLOT / (5 * CPU_CYCLES)) * OP_RETIRED / OP_SPEC",
    "uops_per_instruction": "OP_RETIRED / INST_RETIRED",
}
ARM_COMMON = {
    **ratios("CPU_CYCLES", "INST_RETIRED", "BR_RETIRED", "BR_MIS_PRED_RETIRED"),
    "l1d_miss_rate": "L1D_CACHE_REFILL / L1D_CACHE",
    "l1d_mpki": per_thousand("L1D_CACHE_REFILL", "INST_RETIRED"),
    "l1i_miss_rate": "L1I_CACHE_REFILL / L1I_CACHE",
    "l1i_mpki": per_thousand("L1I_CACHE_REFILL", "INST_RETIRED"),
    "l2_miss_rate": "L2D_CACHE_REFILL / L2D_CACHE",
    "l2_mpki": per_thousand("L2D_CACHE_REFILL", "INST_RETIRED"),
    "dtlb_miss_rate": "L1D_TLB_REFILL / L1D_TLB",
    "dtlb_mpki": per_thousand("DTLB_WALK", "INST_RETIRED"),
    "itlb_mpki": per_thousand("ITLB_WALK", "INST_RETIRED"),
    "l1d_fill_bandwidth": gigabytes(64, "L1D_CACHE_REFILL"),
    "l2_fill_bandwidth": gigabytes(64, "L2D_CACHE_REFILL"),
}
ARM_CORES = {
    **ARM_COMMON,
    "l3_miss_rate": "L3D_CACHE_REFILL / L3D_CACHE",
    "l3_mpki": per_thousand("L3D_CACHE_REFILL", "INST_RETIRED"),
    "llc_miss_rate": "LL_CACHE_MISS_RD / LL_CACHE_RD",
    "llc_mpki": per_thousand("LL_CACHE_MISS_RD", "INST_RETIRED"),
    "llc_miss_bandwidth": gigabytes(64, "LL_CACHE_MISS_RD"),
}
ARM_GENERIC = {**ARM_CYCLES, **ARM_COMMON}
NEOVERSE_N1 = {**ARM_CYCLES, **ARM_CORES}
NEOVERSE_N2 = {**ARM_SLOTS, **ARM_CORES}

# Slots a cycle are eight there.
NEOVERSE_V1 = {name: expression.replace("5 * CPU_CYCLES", "8 * CPU_CYCLES")
               for name, expression in {**ARM_SLOTS, **ARM_CORES}.items()}
# Cores that do not count retired branches.
ARM_EXECUTED = {"branch_misprediction_rate": "BR_MIS_PRED / BR_PRED", "branch_mpki": per_thousand("BR_MIS_PRED", "INST_RETIRED")}


def arm(names):
    """Metrics of a core with these events, in lower case. The number of slots is not known, except by the kernel for the
    first kind of cores: top-down analysis is by cycles."""
    topdown = ARM_CYCLES if {"stall_frontend", "stall_backend", "inst_spec", "inst_retired"} <= names else {}
    return {**topdown, **ARM_CORES, **({} if "br_mis_pred_retired" in names else ARM_EXECUTED)}


# The number of slots is the kernel's.
ARM_KERNEL = {name: expression.replace("5 * CPU_CYCLES", "#slots * CPU_CYCLES")
              for name, expression in {**ARM_SLOTS, **ARM_CORES}.items()}
IBM_Z = {"ipc": "INSTRUCTIONS / CPU_CYCLES", "cpi": "CPU_CYCLES / INSTRUCTIONS"}

POWER_GENERIC = {
    "ipc": "PM_RUN_INST_CMPL / PM_RUN_CYC",
    "cpi": "PM_RUN_CYC / PM_RUN_INST_CMPL",
    "branch_mpki": per_thousand("PM_BR_MPRED_CMPL", "PM_RUN_INST_CMPL"),
    "l1d_mpki": per_thousand("PM_LD_MISS_L1", "PM_RUN_INST_CMPL"),
    "l1d_miss_rate": "PM_LD_MISS_L1 / PM_LD_REF_L1",
    "l1i_mpki": per_thousand("PM_L1_ICACHE_MISS", "PM_RUN_INST_CMPL"),
    "l2_mpki": per_thousand("PM_DATA_FROM_L2MISS", "PM_RUN_INST_CMPL"),
    "l3_mpki": per_thousand("PM_DATA_FROM_L3MISS", "PM_RUN_INST_CMPL"),
    "dtlb_mpki": per_thousand("PM_DTLB_MISS", "PM_RUN_INST_CMPL"),
    "itlb_mpki": per_thousand("PM_ITLB_MISS", "PM_RUN_INST_CMPL"),
}
POWER10 = {name: expression for name, expression in POWER_GENERIC.items() if name in ("ipc", "cpi", "branch_mpki")}
POWER8 = {
    "frontend_bound": "(PM_GCT_NOSLOT_CYC - PM_GCT_NOSLOT_BR_MPRED) / PM_RUN_CYC",
    "bad_speculation": "PM_GCT_NOSLOT_BR_MPRED / PM_RUN_CYC",
    "backend_bound": "max(1 - (PM_GCT_NOSLOT_CYC + PM_GRP_CMPL) / PM_RUN_CYC, 0)",
    "retiring": "PM_GRP_CMPL / PM_RUN_CYC",
    **ratios("PM_RUN_CYC", "PM_RUN_INST_CMPL", "PM_BR_CMPL", "PM_BR_MPRED_CMPL"),
    **POWER_GENERIC,
    "l2_miss_rate": "PM_DATA_FROM_L2MISS / PM_L1_DCACHE_RELOAD_VALID",
    "l3_miss_rate": "PM_DATA_FROM_L3MISS / PM_DATA_FROM_L2MISS",
    "page_walk_cycles": "PM_TABLEWALK_CYC / PM_RUN_CYC",
    "l1d_fill_bandwidth": gigabytes(128, "PM_L1_DCACHE_RELOAD_VALID"),
    "memory_fill_bandwidth": gigabytes(128, "PM_DATA_ALL_FROM_MEMORY"),
}

STALLS = ("(ADDRESSGEN_INTERLOCK + LONGLAT_INTERLOCK + CSR_READ_INTERLOCK + INTEGER_MULTIPLICATION_INTERLOCK + "
          "FP_INTERLOCK + DCACHE_DTIM_BUSY)")
JUMPS = "(CONDITIONAL_BRANCH_RETIRED + JAL_INSTRUCTION_RETIRED + JALR_INSTRUCTION_RETIRED)"
MISSED = "(BRANCH_DIRECTION_MISPREDICTION + BRANCH_TARGET_MISPREDICTION)"
MEMORY = ("(INTEGER_LOAD_RETIRED + INTEGER_STORE_RETIRED + FP_LOAD_RETIRED + FP_STORE_RETIRED + "
          "ATOMIC_MEMORY_RETIRED)")
# An out-of-order core: interlocks are not shares of its cycles.
P550 = {
    **ratios("cycles", "instructions", JUMPS, MISSED),
    "l1d_miss_rate": f"DCACHE_MISS_MMIO_ACCESSES / {MEMORY}",
    "l1d_mpki": per_thousand("DCACHE_MISS_MMIO_ACCESSES", "instructions"),
    "l1i_mpki": per_thousand("ICACHE_RETIRED", "instructions"),
    "dtlb_mpki": per_thousand("DATA_TLB_MISS", "instructions"),
    "itlb_mpki": per_thousand("INST_TLB_MISS", "instructions"),
    "l1d_fill_bandwidth": gigabytes(64, "DCACHE_MISS_MMIO_ACCESSES"),
}
U74 = {
    "frontend_bound": "ICACHE_ITIM_BUSY / cycles",
    "bad_speculation": f"max(1 - (ICACHE_ITIM_BUSY + {STALLS} + instructions / 2) / cycles, 0)",
    "backend_bound": f"{STALLS} / cycles",
    "retiring": "instructions / (2 * cycles)",
    **P550,
}
RISCV_GENERIC = {"ipc": "instructions / cycles", "cpi": "cycles / instructions"}

# Where a number means something else than the concept's description says.
NOTES = {
    ("silvermont", "backend_bound"): "Share of cycles lost waiting for execution units or memory, estimated as the rest",
    ("amdzen3", "frontend_bound"): "Share of cycles with nothing to dispatch, an estimate: Zen 3 has no events per slot",
    ("amdzen3", "backend_bound"): "Share lost waiting for execution units or memory, estimated as the rest",
    ("power8", "backend_bound"): "Share of cycles a group waits to complete, other threads' turns included",
    ("u74", "frontend_bound"): "Share of cycles fetch waits for instruction memory",
    ("u74", "bad_speculation"): "Share that no other part explains: flushes, and instructions that could not pair",
}


def metrics(model, expressions):
    """The objects of a CPU's metrics.json."""
    items = []
    for name, expression in expressions.items():
        group, unit, text = CONCEPTS[name]
        items.append({"MetricName": name, "MetricGroup": group, "ScaleUnit": unit, "MetricExpr": expression,
                      "BriefDescription": NOTES.get((model, name), text)})
    return items
