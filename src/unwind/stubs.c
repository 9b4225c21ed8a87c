/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/stubs.h"

#include <elf.h>
#include <string.h>

#include "base/arith.h"
#include "unwind/rule_words.h"

/* A stub instruction's effect on the stack. */
enum effect {
	EFFECT_NONE,
	EFFECT_PUSH,     /* pushes one word */
	EFFECT_PUSH_GOT, /* PUSH in PLT0, to which other stubs jump after pushing a word */
	EFFECT_STORE,    /* stores two words (AArch64's first stub) */
	EFFECT_LEAVE,    /* jumps away; resets the depth to its value at the start of a stub */
};

struct stub_code {
	uint16_t machine;
	uint8_t nr; /* number of bytes to compare */
	uint8_t code[4];
	uint8_t len; /* length of the instruction */
	uint8_t effect;
};

static const struct stub_code stub_codes[] = {
	{EM_X86_64, 4, {0xf3, 0x0f, 0x1e, 0xfa}, 4, EFFECT_NONE}, /* endbr64 */
	{EM_X86_64, 2, {0xff, 0x25}, 6, EFFECT_LEAVE},            /* jmp *n(%rip) */
	{EM_X86_64, 3, {0xf2, 0xff, 0x25}, 7, EFFECT_LEAVE},      /* bnd jmp *n(%rip) */
	{EM_X86_64, 1, {0x68}, 5, EFFECT_PUSH},                   /* push $n */
	{EM_X86_64, 1, {0xe9}, 5, EFFECT_LEAVE},                  /* jmp */
	{EM_X86_64, 2, {0xf2, 0xe9}, 6, EFFECT_LEAVE},            /* bnd jmp */
	{EM_X86_64, 2, {0xff, 0x35}, 6, EFFECT_PUSH_GOT},         /* push n(%rip) */
	{EM_X86_64, 2, {0x41, 0x53}, 2, EFFECT_PUSH},             /* push %r11 (mold) */
	{EM_X86_64, 2, {0x41, 0xbb}, 6, EFFECT_NONE},             /* mov $n,%r11d (mold) */
	{EM_X86_64, 3, {0x4c, 0x8d, 0x1d}, 7, EFFECT_NONE},       /* lea n(%rip),%r11 */
	{EM_X86_64, 1, {0x90}, 1, EFFECT_NONE},                   /* nop, and its longer forms */
	{EM_X86_64, 2, {0x66, 0x90}, 2, EFFECT_NONE},
	{EM_X86_64, 3, {0x0f, 0x1f, 0x00}, 3, EFFECT_NONE},
	{EM_X86_64, 3, {0x0f, 0x1f, 0x40}, 4, EFFECT_NONE},
	{EM_X86_64, 3, {0x0f, 0x1f, 0x44}, 5, EFFECT_NONE},
	{EM_X86_64, 4, {0x66, 0x0f, 0x1f, 0x44}, 6, EFFECT_NONE},
	{EM_X86_64, 3, {0x0f, 0x1f, 0x80}, 7, EFFECT_NONE},
	{EM_X86_64, 3, {0x0f, 0x1f, 0x84}, 8, EFFECT_NONE},
	{EM_X86_64, 4, {0x66, 0x0f, 0x1f, 0x84}, 9, EFFECT_NONE},
	{EM_X86_64, 1, {0xcc}, 1, EFFECT_NONE},                     /* int3 (lld's padding) */
	{EM_AARCH64, 4, {0xf0, 0x7b, 0xbf, 0xa9}, 4, EFFECT_STORE}, /* stp x16, x30, [sp, #-16]! */
	{EM_AARCH64, 4, {0x20, 0x02, 0x1f, 0xd6}, 4, EFFECT_LEAVE}, /* br x17 */
	{EM_AARCH64, 0, {0}, 4, EFFECT_NONE},                       /* computes the address */
};

static const struct stub_code *stub_code_find(uint16_t machine, const uint8_t *code, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(stub_codes); i++) {
		const struct stub_code *known = &stub_codes[i];

		if (known->machine == machine && known->len <= len &&
		    !memcmp(known->code, code, known->nr))
			return known;
	}
	return NULL;
}

/* Add a row. From `start` on, the caller's frame begins `depth` bytes above the stack pointer. If
 * the return address is in memory, it is the word below the caller's frame. */
static int depth_add(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		     uint32_t start, int32_t depth)
{
	struct tally_unwind_reg ra = {arch->ra, TALLY_REG_OFFSET, -8};
	uint32_t word = rule_reg_pack(ra);
	struct tally_unwind_rule rule = {.cfa = TALLY_CFA_REGISTER,
					 .cfa_reg = arch->sp,
					 .cfa_value = depth,
					 .nr_regs = depth ? 1 : 0,
					 .regs = &word};

	return tally_unwind_build_row(build, start, &rule);
}

int stubs_add_rows(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		   uint32_t start, const uint8_t *code, size_t len)
{
	int32_t at_entry = arch->ra == arch->ip ? 8 : 0, depth = at_entry;
	const struct stub_code *known;
	int ret = depth_add(build, arch, start, depth);

	for (size_t at = 0; at < len && !ret; at += known->len) {
		known = stub_code_find(arch->machine, code + at, len - at);
		if (!known)
			return tally_unwind_build_row(build, start + (uint32_t)at, NULL);
		if (known->effect == EFFECT_PUSH_GOT && depth == at_entry) {
			depth += 8;
			ret = depth_add(build, arch, start + (uint32_t)at, depth);
		}
		depth += known->effect == EFFECT_PUSH || known->effect == EFFECT_PUSH_GOT ? 8 : 0;
		depth += known->effect == EFFECT_STORE ? 16 : 0;
		depth = known->effect == EFFECT_LEAVE ? at_entry : depth;
		if (!ret && known->effect != EFFECT_NONE && at + known->len < len)
			ret = depth_add(build, arch, start + (uint32_t)at + known->len, depth);
	}
	return ret;
}
