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
}
TLB = {"": "{} TLB look-ups", "_RD": "{} TLB look-ups by reads", "_WR": "{} TLB look-ups by writes",
       "_REFILL": "{} TLB refills", "_REFILL_RD": "{} TLB refills by reads", "_REFILL_WR": "{} TLB refills by writes"}
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
    "RC_LD_SPEC": "Load-acquires executed",
    "RC_ST_SPEC": "Store-releases executed",
}


def composed(name):
    """Texts of names that are built of parts."""
    parts = re.fullmatch(r"(L1I|L1D|L2D|L2I|L3D|LL)_(CACHE|TLB)(\w*)", name)
    if parts:
        table = CACHE if parts[2] == "CACHE" else TLB
        return table[parts[3]].format(LEVELS[parts[1]]) if parts[3] in table else None
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
    text = COMMON.get(name) or composed(name)
    return text and text[0].upper() + text[1:]
