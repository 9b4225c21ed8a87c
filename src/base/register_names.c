/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/register_names.h"

#include <string.h>

#include "base/arith.h"

/* Names by bit; "" if the bit has no register. The numbers are from each architecture's
 * asm/perf_regs.h. */
static const char *const x86[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
	"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15",
};
/* With PERF_SAMPLE_REGS_ABI_SIMD, from bit 24. */
static const char *const x86_extended[] = {
	"R16", "R17", "R18", "R19", "R20", "R21", "R22", "R23", "R24",
	"R25", "R26", "R27", "R28", "R29", "R30", "R31", "SSP",
};
/* Without it, from bit 32, two bits for each register. */
static const char *const x86_vectors[] = {
	"XMM0", "XMM1", "XMM2",  "XMM3",  "XMM4",  "XMM5",  "XMM6",  "XMM7",
	"XMM8", "XMM9", "XMM10", "XMM11", "XMM12", "XMM13", "XMM14", "XMM15",
};
static const char *const arm64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
};
static const char *const arm[] = {
	"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};
static const char *const riscv[] = {
	"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
static const char *const s390[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};
static const char *const powerpc[] = {
	"r0",   "r1",  "r2",  "r3",    "r4",   "r5",  "r6",    "r7",      "r8",
	"r9",   "r10", "r11", "r12",   "r13",  "r14", "r15",   "r16",     "r17",
	"r18",  "r19", "r20", "r21",   "r22",  "r23", "r24",   "r25",     "r26",
	"r27",  "r28", "r29", "r30",   "r31",  "nip", "msr",   "orig_r3", "ctr",
	"link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier",    "mmcra",
};

/* A machine matches a row if its name begins with `prefix`. */
static const struct {
	const char *prefix;
	const char *const *names;
	size_t nr;
} machines[] = {
#define MACHINE(prefix, names)                         \
	{                                              \
		prefix, names, TALLY_ARRAY_SIZE(names) \
	}
	MACHINE("x86", x86),     MACHINE("i386", x86),    MACHINE("i486", x86),
	MACHINE("i586", x86),    MACHINE("i686", x86),    MACHINE("aarch64", arm64),
	MACHINE("arm64", arm64), MACHINE("arm", arm),     MACHINE("riscv", riscv),
	MACHINE("s390", s390),   MACHINE("ppc", powerpc),
};

static const char *x86_other(bool is_simd, unsigned bit)
{
	if (is_simd)
		return bit - 24 < TALLY_ARRAY_SIZE(x86_extended) ? x86_extended[bit - 24] : NULL;
	return bit >= 32 ? x86_vectors[(bit - 32) / 2] : NULL;
}

const char *tally_register_name(const char *arch, bool is_simd, unsigned bit)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(machines); i++) {
		if (strncmp(arch, machines[i].prefix, strlen(machines[i].prefix)))
			continue;
		if (bit < machines[i].nr)
			return machines[i].names[bit];
		return machines[i].names == x86 && bit < 64 ? x86_other(is_simd, bit) : NULL;
	}
	return NULL;
}
