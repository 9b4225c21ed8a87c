# SPDX-License-Identifier: BSD-2-Clause
"""Descriptions of Arm's common and recommended events. Most names are built of parts, and so are their texts."""
import re

LEVELS = {"L1I": "level 1 instruction", "L1D": "level 1 data", "L2D": "level 2", "L2I": "level 2 instruction",
          "L3D": "level 3", "LL": "last-level"}
CACHE = {
    "": "{} cache accesses", "_RD": "{} cache reads", "_WR": "{} cache writes",
    "_REFILL": "{} cache refills",
    "_REFILL_RD": "{} cache refills by reads", "_REFILL_WR": "{} cache refills by writes",
    "_REFILL_INNER": "{} cache refills from inside the cluster",
    "_REFILL_OUTER": "{} cache refills from outside the cluster",
    "_WB": "{} cache lines written back", "_WB_VICTIM": "{} cache lines written back to make room",
    "_WB_CLEAN": "{} cache lines written back by cleaning or coherency",
    "_ALLOCATE": "{} cache lines allocated without a refill", "_INVAL": "{} cache lines invalidated",
    "_LMISS": "{} cache misses that take long", "_LMISS_RD": "{} cache reads that miss and take long",
    "_MISS_RD": "{} cache reads that miss",
    "_MISS": "{} cache accesses that miss", "_RW": "{} cache accesses on demand",
    "_PRFM": "{} cache accesses of prefetch instructions", "_HWPRF": "{} cache accesses of the hardware prefetcher",
    "_PRF": "{} cache accesses of prefetches",
    "_REFILL_PRFM": "{} cache refills by prefetch instructions",
    "_REFILL_HWPRF": "{} cache refills by the hardware prefetcher", "_REFILL_PRF": "{} cache refills by prefetches",
    "_REFILL_PREFETCH": "{} cache refills by the hardware prefetcher",
    "_HIT": "{} cache accesses that hit", "_HIT_RD": "{} cache reads that hit",
    "_HIT_PRFM": "{} cache accesses of prefetch instructions that hit",
    "_HIT_RD_FPRFM": "{} cache reads that hit a line for the first time after a prefetch instruction",
    "_HIT_RD_FHWPRF": "{} cache reads that hit a line for the first time after the hardware prefetcher",
}
TLB = {"": "{} TLB look-ups", "_RD": "{} TLB look-ups by reads", "_WR": "{} TLB look-ups by writes",
       "_REFILL": "{} TLB refills", "_REFILL_RD": "{} TLB refills by reads", "_REFILL_WR": "{} TLB refills by writes",
       "_RW": "{} TLB look-ups on demand", "_PRFM": "{} TLB look-ups of prefetch instructions"}
WALKS = {"WALK_LARGE": "Page walks for {} that end at a large page", "WALK_SMALL": "Page walks for {} that end at a small page",
         "WALK_RW": "Page walks for {} on demand", "WALK_RD": "Page walks for {} on demand",
         "WALK_PRFM": "Page walks for {} by prefetch instructions", "STEP": "Steps of page walks for {}",
         "HWUPD": "Page walks for {} that updated the access or dirty flag", "WALK_PERCYC": "Page walks for {} under way, per cycle",
         "WALK_HWPRF": "Page walks for {} by the hardware prefetcher"}
# What branches there are, and how they were predicted.
BRANCHES = {"": "Branches", "IMMED_": "Immediate branches", "IND_": "Indirect branches", "RETURN_": "Procedure returns",
            "INDNR_": "Indirect branches except returns", "TAKEN_": "Taken branches", "SKIP_": "Branches not taken"}
PREDICTED = {"": "{} retired", "PRED_": "{} retired, predicted correctly", "MIS_PRED_": "{} retired, mispredicted",
             "TAKEN_": "{} taken and retired"}
STALLS = {
    "FRONTEND": ("the front end gives nothing", {
        "MEMBOUND": "as it waits for memory", "L1I": "as it waits for the L1 instruction cache", "MEM": "as it waits for the last "
        "cache or memory", "TLB": "as it waits for a translation", "CPUBOUND": "for a reason other than memory",
        "FLOW": "as it follows branches", "FLUSH": "as it starts again after a flush", "CACHE": "as it waits for a cache",
        "PDERR": "as it corrects an error of predecoding"}),
    "BACKEND": ("the back end takes nothing", {
        "MEMBOUND": "as it waits for memory", "L1D": "as it waits for the L1 data cache", "L2D": "as it waits for the L2 cache",
        "TLB": "as it waits for a translation", "ST": "as it waits for stores", "CPUBOUND": "for a reason other than memory",
        "BUSY": "as its queues are full", "ILOCK": "as it waits for a result", "RENAME": "as registers have run out",
        "LD": "as it waits for loads", "LD_CACHE": "as loads wait for a cache", "LD_TLB": "as loads wait for a translation",
        "ST_TLB": "as stores wait for a translation", "ST_STB": "as the store buffer is full",
        "ILOCK_AGU": "as it waits for an address", "ILOCK_ADDR": "as it waits for an address",
        "ILOCK_FPU": "as it waits for a floating-point result", "ILOCK_VPU": "as it waits for a vector result"}),
}
WIDTHS = {"HP": "half-precision", "SP": "single-precision", "DP": "double-precision"}

COMMON = {
    "SW_INCR": "Writes of the software increment register",
    "LD_RETIRED": "Loads retired",
    "ST_RETIRED": "Stores retired",
    "INST_RETIRED": "Instructions retired",
    "EXC_TAKEN": "Exceptions taken",
    "EXC_RETURN": "Exception returns",
    "CID_WRITE_RETIRED": "Writes of the context identifier retired",
    "PC_WRITE_RETIRED": "Software changes of the program counter retired",
    "BR_IMMED_RETIRED": "Immediate branches retired",
    "BR_RETURN_RETIRED": "Procedure returns retired",
    "UNALIGNED_LDST_RETIRED": "Unaligned loads and stores retired",
    "BR_MIS_PRED": "Branches executed, mispredicted or without a prediction",
    "CPU_CYCLES": "Processor cycles",
    "BR_PRED": "Branches executed that the predictor could have known",
    "MEM_ACCESS": "Data memory accesses",
    "MEM_ACCESS_RD": "Data memory reads",
    "MEM_ACCESS_WR": "Data memory writes",
    "BUS_ACCESS": "Bus accesses",
    "BUS_ACCESS_RD": "Bus reads",
    "BUS_ACCESS_WR": "Bus writes",
    "BUS_ACCESS_SHARED": "Bus accesses to shareable memory",
    "BUS_ACCESS_NOT_SHARED": "Bus accesses to memory that is not shareable",
    "BUS_ACCESS_NORMAL": "Bus accesses to normal memory",
    "BUS_ACCESS_PERIPH": "Bus accesses to device memory",
    "BUS_CYCLES": "Bus cycles",
    "MEMORY_ERROR": "Memory errors found by ECC or parity",
    "INST_SPEC": "Operations executed, speculative ones included",
    "TTBR_WRITE_RETIRED": "Writes of the translation table base retired",
    "BR_RETIRED": "Branches retired",
    "BR_MIS_PRED_RETIRED": "Mispredicted branches retired",
    "STALL": "Cycles nothing is dispatched",
    "STALL_FRONTEND": "Cycles nothing is dispatched because the front end has nothing",
    "STALL_BACKEND": "Cycles nothing is dispatched because the back end takes nothing",
    "STALL_BACKEND_MEM": "Cycles nothing is dispatched while the back end waits for memory",
    "STALL_SLOT": "Dispatch slots left empty",
    "STALL_SLOT_FRONTEND": "Dispatch slots left empty because the front end has nothing",
    "STALL_SLOT_BACKEND": "Dispatch slots left empty because the back end takes nothing",
    "OP_RETIRED": "Micro-operations retired",
    "OP_SPEC": "Micro-operations executed, speculative ones included",
    "REMOTE_ACCESS": "Accesses to another socket",
    "REMOTE_ACCESS_RD": "Reads from another socket",
    "DTLB_WALK": "Page walks for data",
    "ITLB_WALK": "Page walks for instructions",
    "SAMPLE_POP": "Operations the profiling extension could have sampled",
    "SAMPLE_FEED": "Samples the profiling extension took",
    "SAMPLE_FILTRATE": "Samples that passed the profiling extension's filter",
    "SAMPLE_COLLISION": "Samples lost because the one before had not finished",
    "CNT_CYCLES": "Cycles of the constant-rate counter",
    "TRB_WRAP": "Wraps of the trace buffer",
    "TRB_TRIG": "Trigger events of the trace buffer",
    "PMU_OVFS": "Counter overflows at EL0 to EL2",
    "PMU_HOVFS": "Counter overflows of counters EL2 keeps",
    "LDST_ALIGN_LAT": "Loads and stores slowed by their alignment",
    "LD_ALIGN_LAT": "Loads slowed by their alignment",
    "ST_ALIGN_LAT": "Stores slowed by their alignment",
    "MEM_ACCESS_CHECKED": "Data memory accesses with tag check",
    "MEM_ACCESS_CHECKED_RD": "Data memory reads with tag check",
    "MEM_ACCESS_CHECKED_WR": "Data memory writes with tag check",
    "SIMD_INST_RETIRED": "SIMD instructions retired",
    "SVE_INST_RETIRED": "SVE instructions retired",
    "ASE_INST_SPEC": "Advanced SIMD operations executed",
    "SVE_INST_SPEC": "SVE operations executed",
    "UOP_SPEC": "Micro-operations executed",
    "SVE_MATH_SPEC": "SVE maths accelerator operations executed",
    "FP_SPEC": "Floating-point operations executed",
    "FP_FMA_SPEC": "Floating-point fused multiply-adds executed",
    "FP_RECPE_SPEC": "Floating-point reciprocal estimates executed",
    "FP_CVT_SPEC": "Floating-point conversions executed",
    "FP_SCALE_OPS_SPEC": "Floating-point element operations that grow with the vector length, per 128 bits",
    "FP_FIXED_OPS_SPEC": "Floating-point element operations that do not grow with the vector length",
    "ASE_SVE_INT_SPEC": "Integer SIMD operations executed",
    "SVE_PRED_SPEC": "SVE operations with a predicate executed",
    "SVE_PRED_EMPTY_SPEC": "SVE operations executed with no active element",
    "SVE_PRED_FULL_SPEC": "SVE operations executed with every element active",
    "SVE_PRED_PARTIAL_SPEC": "SVE operations executed with some elements active",
    "SVE_PRED_NOT_FULL_SPEC": "SVE operations executed with fewer than all elements active",
    "SVE_MOVPRFX_SPEC": "SVE prefix moves executed",
    "SVE_MOVPRFX_U_SPEC": "SVE prefix moves executed on their own",
    "ASE_SVE_LD_SPEC": "SIMD loads executed",
    "ASE_SVE_ST_SPEC": "SIMD stores executed",
    "PRF_SPEC": "Prefetch instructions executed",
    "BASE_LD_REG_SPEC": "Loads of general registers executed",
    "BASE_ST_REG_SPEC": "Stores of general registers executed",
    "SVE_LDR_REG_SPEC": "Loads of whole SVE registers executed",
    "SVE_STR_REG_SPEC": "Stores of whole SVE registers executed",
    "SVE_LDR_PREG_SPEC": "Loads of SVE predicates executed",
    "SVE_STR_PREG_SPEC": "Stores of SVE predicates executed",
    "SVE_PRF_CONTIG_SPEC": "SVE contiguous prefetches executed",
    "SVE_PRF_GATHER_SPEC": "SVE gather prefetches executed",
    "ASE_SVE_LD_MULTI_SPEC": "SIMD loads of several vectors executed",
    "ASE_SVE_ST_MULTI_SPEC": "SIMD stores of several vectors executed",
    "SVE_LD_GATHER_SPEC": "SVE gather loads executed",
    "SVE_ST_SCATTER_SPEC": "SVE scatter stores executed",
    "SVE_LDFF_SPEC": "SVE first-fault loads executed",
    "SVE_LDFF_FAULT_SPEC": "SVE first-fault loads that suppressed a fault",
    "UNALIGNED_LD_SPEC": "Unaligned loads executed",
    "UNALIGNED_ST_SPEC": "Unaligned stores executed",
    "UNALIGNED_LDST_SPEC": "Unaligned loads and stores executed",
    "LDREX_SPEC": "Exclusive loads executed",
    "STREX_PASS_SPEC": "Exclusive stores executed that succeeded",
    "STREX_FAIL_SPEC": "Exclusive stores executed that failed",
    "STREX_SPEC": "Exclusive stores executed",
    "LD_SPEC": "Loads executed",
    "ST_SPEC": "Stores executed",
    "LDST_SPEC": "Loads and stores executed",
    "DP_SPEC": "Integer data processing executed",
    "ASE_SPEC": "Advanced SIMD data processing executed",
    "VFP_SPEC": "Scalar floating-point executed",
    "PC_WRITE_SPEC": "Software changes of the program counter executed",
    "CRYPTO_SPEC": "Cryptographic instructions executed",
    "BR_IMMED_SPEC": "Immediate branches executed",
    "BR_RETURN_SPEC": "Procedure returns executed",
    "BR_INDIRECT_SPEC": "Indirect branches executed",
    "ISB_SPEC": "Instruction barriers executed",
    "DSB_SPEC": "Data synchronization barriers executed",
    "DMB_SPEC": "Data memory barriers executed",
    "EXC_UNDEF": "Undefined instruction exceptions taken at this level",
    "EXC_SVC": "Supervisor calls taken at this level",
    "EXC_PABORT": "Instruction aborts taken at this level",
    "EXC_DABORT": "Data aborts and system errors taken at this level",
    "EXC_IRQ": "Interrupts taken at this level",
    "EXC_FIQ": "Fast interrupts taken at this level",
    "EXC_SMC": "Secure monitor calls",
    "EXC_HVC": "Hypervisor calls",
    "EXC_TRAP_PABORT": "Instruction aborts taken at another level",
    "EXC_TRAP_DABORT": "Data aborts and system errors taken at another level",
    "EXC_TRAP_OTHER": "Other traps taken at another level",
    "EXC_TRAP_IRQ": "Interrupts taken at another level",
    "EXC_TRAP_FIQ": "Fast interrupts taken at another level",
    "SIMD_INST_SPEC": "SIMD operations executed",
    "INT_SPEC": "Integer operations executed",
    "CSDB_SPEC": "Speculation barriers executed",
    "CAS_NEAR_PASS": "Compare-and-swaps done in the own cache that succeeded",
    "CAS_NEAR_SPEC": "Compare-and-swaps executed in the own cache",
    "CAS_FAR_SPEC": "Compare-and-swaps executed outside the own cache",
    "INST_FETCH": "Instruction fetches",
    "INST_FETCH_PERCYC": "Instruction fetches under way, added up each cycle",
    "MEM_ACCESS_RD_PERCYC": "Data memory reads under way, added up each cycle",
    "SAMPLE_FEED_BR": "Samples of branches the profiling extension took",
    "SAMPLE_FEED_LD": "Samples of loads the profiling extension took",
    "SAMPLE_FEED_ST": "Samples of stores the profiling extension took",
    "SAMPLE_FEED_OP": "Samples of operations the profiling extension took",
    "SAMPLE_FEED_EVENT": "Samples the profiling extension took with the wanted events",
    "SAMPLE_FEED_LAT": "Samples the profiling extension took with the wanted latency",
    "BR_COND_PRED": "Conditional branches executed",
    "BR_COND_MIS_PRED": "Conditional branches mispredicted in direction",
    "BR_INDIRECT_MIS_PRED": "Indirect branches mispredicted",
    "BR_RETURN_ADDR_PRED": "Procedure returns executed with a predicted address",
    "BR_RETURN_ADDR_MIS_PRED": "Procedure returns mispredicted",
    "MMU_PTW": "Page walks",
    "MMU_PTW_LSU": "Page walks for loads and stores",
    "MMU_PTW_ISIDE": "Page walks for instructions",
    "FETCH_BUBBLE": "Slots the front end left empty",
    "EXE_STALL_CYCLE": "Cycles nothing is executed",
    "MEM_STALL_ANYLOAD": "Cycles nothing is executed while a load is under way",
    "MEM_STALL_L1MISS": "Cycles nothing is executed while a miss of the L1 data cache is under way",
    "MEM_STALL_L2MISS": "Cycles nothing is executed while a miss of the L2 cache is under way",
    "ROB_EMPTY": "Cycles with no instruction under way",
    "WFE_WFI_CYCLE": "Cycles the core waits for an event or interrupt",
    "WFIWFE_SLEEP": "Cycles the core waits for an event or interrupt",
    "BUS_READ_TOTAL_MEM": "Reads of a line from memory",
    "BUS_WRITE_TOTAL_MEM": "Writes of a line to memory",
    "DECODE_STALL": "Cycles nothing is decoded",
    "DISPATCH_STALL": "Cycles nothing is dispatched",
    "RC_LD_SPEC": "Load-acquires executed",
    "RC_ST_SPEC": "Store-releases executed",
}


def composed(name):
    """Texts of names that are built of parts."""
    parts = re.fullmatch(r"(L1I|L1D|L2D|L2I|L3D|LL)_(CACHE|TLB)(\w*)", name)
    if parts:
        table = CACHE if parts[2] == "CACHE" else TLB
        return table[parts[3]].format(LEVELS[parts[1]]) if parts[3] in table else None
    parts = re.fullmatch(r"([DI])TLB_(\w+)", name)
    if parts and parts[2] in WALKS:
        return WALKS[parts[2]].format({"D": "data", "I": "instructions"}[parts[1]])
    return built(name)


def branches(name):
    """Texts of branches by kind and prediction."""
    parts = re.fullmatch(r"BR_(IMMED_|IND_|RETURN_|INDNR_|TAKEN_|SKIP_|)(PRED_|MIS_PRED_|TAKEN_|)RETIRED", name)
    return parts and PREDICTED[parts[2]].format(BRANCHES[parts[1]])


def stalls(name):
    """Texts of stall cycles by their reason."""
    parts = re.fullmatch(r"STALL_(FRONTEND|BACKEND)_(\w+)", name)
    if not parts or parts[2] not in STALLS[parts[1]][1]:
        return None
    return f"Cycles {STALLS[parts[1]][0]} {STALLS[parts[1]][1][parts[2]]}"


def built(name):
    """Texts of other names that are built of parts."""
    parts = re.fullmatch(r"FP_(HP|SP|DP)(_SCALE_OPS|_FIXED_OPS)?_SPEC", name)
    if parts:
        whole = COMMON[f"FP{parts[2] or ''}_SPEC"]
        return whole.replace("Floating-point", WIDTHS[parts[1]] + " floating-point", 1)
    parts = re.fullmatch(r"ASE_SVE_INT(8|16|32|64)_SPEC", name)
    if parts:
        return f"{parts[1]}-bit integer SIMD operations executed"
    parts = re.fullmatch(r"(TRCEXTOUT|CTI_TRIGOUT)(\d)", name)
    if parts:
        what = {"TRCEXTOUT": "trace unit's external output", "CTI_TRIGOUT": "cross trigger output"}[parts[1]]
        return f"{what} {parts[2]}"
    return None


def arm(name):
    """The text of an event, its first letter a capital; None when there is none."""
    text = COMMON.get(name) or composed(name) or branches(name) or stalls(name)
    return text and text[0].upper() + text[1:]
