/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/code.h"

#include <elf.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"

/* ---- calls ----------------------------------------------------------------- */

/* Return the length of an instruction with a one-byte opcode and a ModR/M byte, including any SIB
 * byte and displacement. */
static size_t x86_length(uint8_t modrm, uint8_t sib)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	size_t len = 2;

	if (mod == 3)
		return len;
	len += rm == 4;
	if (mod == 1)
		return len + 1;
	if (mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5))
		len += 4;
	return len;
}

/* Return true if the code before `end` ends with FF /n in any addressing mode, where bit n is set
 * in `kinds`. */
static bool x86_group5_ends(const uint8_t *end, size_t before, unsigned kinds)
{
	static const uint8_t lengths[] = {2, 3, 4, 6, 7};

	for (size_t i = 0; i < sizeof(lengths) && lengths[i] <= before; i++) {
		const uint8_t *at = end - lengths[i];

		if (at[0] == 0xff && (kinds >> (at[1] >> 3 & 7) & 1) &&
		    x86_length(at[1], lengths[i] > 2 ? at[2] : 0) == lengths[i])
			return true;
	}
	return false;
}

/* Check for E8 with a displacement, or FF /2. Prefixes precede the opcode and do not matter. */
static bool x86_call_ends(const uint8_t *end, size_t before)
{
	return (before >= 5 && end[-5] == 0xe8) || x86_group5_ends(end, before, 1 << 2);
}

/* BL, or BLR with or without pointer authentication. */
static bool arm64_call_ends(const uint8_t *end, size_t before)
{
	static const struct {
		uint32_t mask, bits;
	} calls[] = {
		{0xfc000000, 0x94000000}, /* bl */
		{0xfffffc1f, 0xd63f0000}, /* blr */
		{0xfefff800, 0xd63f0800}, /* blraa, blrab, blraaz, blrabz */
	};
	uint32_t word;

	if (before < 4)
		return false;
	/* Instructions are little-endian, whatever the byte order of the data. */
	word = tally_load_u32(end - 4, TALLY_HOST_BIG_ENDIAN);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(calls); i++) {
		if ((word & calls[i].mask) == calls[i].bits)
			return true;
	}
	return false;
}

/* ---- return addresses without a call --------------------------------------- */

enum { LANDING_MAX = 10 };

/* Code around a return address that does not follow a call. The first `before` bytes precede the
 * address. Only the bits in `mask` are compared. */
struct callless_return {
	uint16_t machine;
	uint8_t before, len;
	uint8_t bytes[LANDING_MAX], mask[LANDING_MAX];
};

#define ALL "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static const struct callless_return landings[] = {
	/* End of a signal handler: rt_sigreturn, or sigreturn on i386. */
	{EM_X86_64, 0, 9, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", ALL},
	{EM_X86_64, 0, 7, "\xb8\x0f\0\0\0\x0f\x05", ALL},
	{EM_386, 0, 7, "\xb8\xad\0\0\0\xcd\x80", ALL},
	{EM_386, 0, 8, "\x58\xb8\x77\0\0\0\xcd\x80", ALL},
	{EM_AARCH64, 0, 8, "\x68\x11\x80\xd2\x01\0\0\xd4", ALL},
	/* glibc's makecontext(): mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi. */
	{EM_X86_64, 0, 10, "\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff", ALL},
	/* The first function of a goroutine returns to the address between a nop (arm64: mov x0,x0)
	 * and a call. */
	{EM_X86_64, 1, 7, "\x90\xe8\0\0\0\0\x90", "\xff\xff\0\0\0\0\xff"},
	{EM_AARCH64, 4, 8, "\xe0\x03\0\xaa\0\0\0\x94", "\xff\xff\xff\xff\0\0\0\xfc"},
};

static bool landing_fits(const struct callless_return *landing, const uint8_t *at)
{
	for (size_t i = 0; i < landing->len; i++) {
		if ((at[i] & landing->mask[i]) != landing->bytes[i])
			return false;
	}
	return true;
}

static bool is_callless_return(uint16_t machine, const uint8_t *code, size_t len, size_t at)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(landings); i++) {
		const struct callless_return *landing = &landings[i];

		if (landing->machine == machine && at >= landing->before &&
		    len - at >= (size_t)landing->len - landing->before &&
		    landing_fits(landing, code + at - landing->before))
			return true;
	}
	return false;
}

/* ---- instructions that do not fall through ---------------------------------------- */

static bool x86_falls_through(const uint8_t *end, size_t before)
{
	enum { NEAR_CALL = 1 << 2, FAR_CALL = 1 << 3, NEAR_JMP = 1 << 4, FAR_JMP = 1 << 5 };
	/* The instruction matches if the byte at `end - back` is `first` and, if `mask` is nonzero,
	 * the next byte is `second` after masking. */
	static const struct {
		uint8_t back, first, mask, second;
	} last[] = {
		{1, 0x00},             /* padding */
		{1, 0x90},             /* nop */
		{1, 0xc3},             /* ret */
		{1, 0xcb},             /* far ret */
		{1, 0xcc},             /* int3 */
		{1, 0xcf},             /* iret */
		{1, 0xf4},             /* hlt */
		{2, 0x0f, 0xff, 0x05}, /* syscall: it may be exit, which does not return */
		{2, 0x0f, 0xff, 0x07}, /* sysret */
		{2, 0x0f, 0xff, 0x0b}, /* ud2 */
		{2, 0x0f, 0xfe, 0x34}, /* sysenter, sysexit */
		{2, 0xcd},             /* int */
		{2, 0xeb},             /* short jmp */
		{3, 0xc2},             /* ret that pops arguments */
		{3, 0xca},             /* far ret that pops arguments */
		{5, 0xe8},             /* call */
		{5, 0xe9},             /* jmp */
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(last); i++) {
		const uint8_t *at = end - last[i].back;

		if (last[i].back <= before && at[0] == last[i].first &&
		    (!last[i].mask || (at[1] & last[i].mask) == last[i].second))
			return false;
	}
	return !x86_group5_ends(end, before, NEAR_CALL | FAR_CALL | NEAR_JMP | FAR_JMP);
}

static bool arm64_falls_through(const uint8_t *end, size_t before)
{
	static const struct {
		uint32_t mask, bits;
	} last[] = {
		{0xffffffff, 0xd503201f}, /* nop */
		{0xffff0000, 0x00000000}, /* udf */
		{0xfe000000, 0xd6000000}, /* br, blr, ret */
		{0x7c000000, 0x14000000}, /* b, bl */
		{0xff000000, 0xd4000000}, /* svc, brk */
	};
	uint32_t word;

	if (before < 4)
		return false;
	word = tally_load_u32(end - 4, TALLY_HOST_BIG_ENDIAN);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(last); i++) {
		if ((word & last[i].mask) == last[i].bits)
			return false;
	}
	return true;
}

/* ---- dispatch by machine ----------------------------------------------------------- */

static const struct {
	uint16_t machine;
	bool (*call_ends)(const uint8_t *end, size_t before);
	bool (*runs_on)(const uint8_t *end, size_t before);
} machines[] = {
	{EM_X86_64, x86_call_ends, x86_falls_through},
	{EM_386, x86_call_ends, x86_falls_through},
	{EM_AARCH64, arm64_call_ends, arm64_falls_through},
};

bool tally_code_falls_through(uint16_t machine, const uint8_t *code, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(machines); i++) {
		if (machines[i].machine == machine)
			return len && machines[i].runs_on(code + len, len);
	}
	return false;
}

bool tally_code_is_known(uint16_t machine)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(machines); i++) {
		if (machines[i].machine == machine)
			return true;
	}
	return false;
}

bool tally_code_is_return_address(uint16_t machine, const uint8_t *code, size_t len, uint64_t at)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(machines); i++) {
		if (machines[i].machine != machine)
			continue;
		return at <= len && (machines[i].call_ends(code + at, at) ||
				     is_callless_return(machine, code, len, at));
	}
	return true;
}
