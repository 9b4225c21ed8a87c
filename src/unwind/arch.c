/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/arch.h"

#include <elf.h>
#include <string.h>

#include "base/arith.h"

#define BIT(n) (UINT64_C(1) << (n))

/* DWARF numbers in perf's order: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8..R15. 255 if
 * the register has no DWARF number. */
static const uint8_t x86_perf[] = {0,   3,   2,   1,   4, 5, 6,  7,  16, 255, 255, 255,
				   255, 255, 255, 255, 8, 9, 10, 11, 12, 13,  14,  15};

/* Offsets in struct ucontext, which is at the stack pointer after the handler has returned. The
 * registers in its sigcontext_64 start at offset 40. */
static const struct tally_unwind_saved x86_context[] = {
	{8, 40},  {9, 48},  {10, 56}, {11, 64}, {12, 72}, {13, 80}, {14, 88}, {15, 96},  {5, 104},
	{4, 112}, {6, 120}, {3, 128}, {1, 136}, {0, 144}, {2, 152}, {7, 160}, {16, 168},
};

static const struct tally_unwind_trampoline x86_trampolines[] = {
	{9, {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}}, /* mov $15,%rax; syscall */
	{7, {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}},             /* mov $15,%eax; syscall */
};

static const uint8_t arm64_perf[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				     22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

/* Offsets in struct rt_sigframe. The sigcontext follows 128 bytes of siginfo and 176 bytes of
 * ucontext, and its first word is the fault address. */
#define ARM64_SAVED(reg)               \
	{                              \
		(reg), 312 + 8 * (reg) \
	}
static const struct tally_unwind_saved arm64_context[] = {
	ARM64_SAVED(0),  ARM64_SAVED(1),  ARM64_SAVED(2),  ARM64_SAVED(3),  ARM64_SAVED(4),
	ARM64_SAVED(5),  ARM64_SAVED(6),  ARM64_SAVED(7),  ARM64_SAVED(8),  ARM64_SAVED(9),
	ARM64_SAVED(10), ARM64_SAVED(11), ARM64_SAVED(12), ARM64_SAVED(13), ARM64_SAVED(14),
	ARM64_SAVED(15), ARM64_SAVED(16), ARM64_SAVED(17), ARM64_SAVED(18), ARM64_SAVED(19),
	ARM64_SAVED(20), ARM64_SAVED(21), ARM64_SAVED(22), ARM64_SAVED(23), ARM64_SAVED(24),
	ARM64_SAVED(25), ARM64_SAVED(26), ARM64_SAVED(27), ARM64_SAVED(28), ARM64_SAVED(29),
	ARM64_SAVED(30), ARM64_SAVED(31), ARM64_SAVED(32),
};

static const struct tally_unwind_trampoline arm64_trampolines[] = {
	{8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}}, /* mov x8, #139; svc #0 */
};

static const struct tally_unwind_arch archs[] = {
	{
		.machine = EM_X86_64,
		.nr = 17,
		.ip = 16,
		.sp = 7,
		.fp = 6,
		.ra = 16,
		.kept = BIT(3) | BIT(6) | BIT(12) | BIT(13) | BIT(14) | BIT(15),
		.address_mask = UINT64_MAX,
		.nr_perf = sizeof(x86_perf),
		.perf = x86_perf,
		.context_sp = 160,
		.nr_context = TALLY_ARRAY_SIZE(x86_context),
		.context = x86_context,
		.trampolines = x86_trampolines,
		.nr_trampolines = TALLY_ARRAY_SIZE(x86_trampolines),
	},
	{
		.machine = EM_AARCH64,
		.nr = 32,
		.ip = 32,
		.sp = 31,
		.fp = 29,
		.ra = 30,
		.kept = 0x3ffull << 19 | BIT(29),
		.address_mask = BIT(48) - 1,
		.nr_perf = sizeof(arm64_perf),
		.perf = arm64_perf,
		.context_sp = 560,
		.nr_context = TALLY_ARRAY_SIZE(arm64_context),
		.context = arm64_context,
		.trampolines = arm64_trampolines,
		.nr_trampolines = TALLY_ARRAY_SIZE(arm64_trampolines),
	},
};

const struct tally_unwind_arch *tally_unwind_arch(uint16_t machine)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(archs); i++) {
		if (archs[i].machine == machine)
			return &archs[i];
	}
	return NULL;
}

const struct tally_unwind_arch *tally_unwind_arch_named(const char *name)
{
	static const struct {
		const char *name;
		uint16_t machine;
	} names[] = {
		{"x86_64", EM_X86_64},
		{"amd64", EM_X86_64},
		{"aarch64", EM_AARCH64},
		{"arm64", EM_AARCH64},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i].name))
			return tally_unwind_arch(names[i].machine);
	}
	return NULL;
}
