/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind a stack from arbitrary registers and memory with an unchecked rule table, such as one read
 * from an index. Each walk must end within its limit and return a reason.
 *
 * Input: flags, length of the table (2 bytes), registers (33 of 8 bytes), table, stack.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "unwind/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 3, REGS = 8 * TALLY_UNWIND_NR_REGS, MAX_STEPS = 128 };
enum { IS_ARM64 = 1, IS_SWAPPED = 2, HAS_POINTERS = 4, HAS_RETURNS = 8, HAS_WORDS = 16 };

static const uint64_t text_at = 0x400000, stack_at = 0x7fff0000;

struct subject {
	struct tally_unwind_table table;
	struct tally_unwind_code code;
	uint8_t flags;
};

static const struct tally_unwind_code *code_find(void *arg, uint64_t ip)
{
	struct subject *subject = arg;
	struct tally_unwind_code *code = &subject->code;
	bool is_mapped = ip - text_at < UINT64_C(1) << 33;

	*code = (struct tally_unwind_code){.why = TALLY_UNWIND_UNMAPPED};
	if (!is_mapped)
		return code;
	code->table = &subject->table;
	code->has_rule = tally_unwind_table_find(code->table, ip - text_at, &code->rule);
	code->may_have_pointer = subject->flags & HAS_POINTERS;
	return code;
}

static bool return_is(void *arg, uint64_t ip)
{
	return ip & 2;
}

static bool word_get(void *arg, uint64_t addr, uint64_t *ret_word)
{
	*ret_word = addr;
	return addr & 8;
}

static void require(bool is_so)
{
	if (!is_so)
		abort();
}

static void regs_take(struct tally_unwind_regs *regs, const uint8_t *data)
{
	for (uint8_t i = 0; i < TALLY_UNWIND_NR_REGS; i++)
		tally_unwind_reg_set(regs, i, tally_get_u64(data + 8 * i));
}

static void walk(struct subject *subject, const uint8_t *regs_from, const uint8_t *memory,
		 size_t len)
{
	uint8_t flags = subject->flags;
	struct tally_unwind_thread thread = {
		.arch = tally_unwind_arch(flags & IS_ARM64 ? EM_AARCH64 : EM_X86_64),
		.memory = {.stack = memory,
			   .start = stack_at,
			   .len = len,
			   .swap = flags & IS_SWAPPED,
			   .word = flags & HAS_WORDS ? word_get : NULL},
		.find = code_find,
		.is_return = flags & HAS_RETURNS ? return_is : NULL,
		.arg = subject,
	};
	struct tally_unwind_step *steps = malloc(MAX_STEPS * sizeof(*steps));
	struct tally_unwind_stack stack = {.steps = steps, .max = MAX_STEPS};
	struct tally_unwind_regs regs = {.known = 0};

	require(steps);
	regs_take(&regs, regs_from);
	tally_unwind_walk(&thread, &regs, &stack);
	require(stack.nr <= MAX_STEPS && stack.end < TALLY_UNWIND_NR_ENDS);
	require(tally_unwind_end_text(stack.end));
	for (size_t i = 0; i < stack.nr; i++)
		require(steps[i].ip - steps[i].call <= 1);
	free(steps);
}

/* Make a table with a valid magic; all other contents come from the input. */
static void *table_make(const uint8_t *data, size_t len)
{
	struct tally_unwind_header head;
	void *block = malloc(len);

	require(block);
	memcpy(block, data, len);
	memcpy(&head, block, sizeof(head));
	head.magic = TALLY_UNWIND_MAGIC;
	head.version = TALLY_UNWIND_VERSION;
	return memcpy(block, &head, sizeof(head));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct subject subject;
	size_t len, rest;
	uint8_t *memory;
	void *block;

	if (size < HEAD + REGS + sizeof(struct tally_unwind_header))
		return 0;
	subject.flags = data[0];
	rest = size - HEAD - REGS;
	len = TALLY_MIN(tally_load_u16(data + 1, TALLY_HOST_BIG_ENDIAN), rest);
	len = TALLY_MAX(len, sizeof(struct tally_unwind_header));
	block = table_make(data + HEAD + REGS, len);
	memory = malloc(rest - len + 1);
	require(memory);
	memcpy(memory, data + HEAD + REGS + len, rest - len);
	if (!tally_unwind_table_open(block, len, &subject.table))
		walk(&subject, data + HEAD, memory, rest - len);
	free(memory);
	free(block);
	return 0;
}
