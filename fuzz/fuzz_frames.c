/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compile .eh_frame or .debug_frame sections, together with code and stubs. The resulting table
 * must be sorted and contain all rules that it refers to.
 *
 * Input: flags, length of the code (2 bytes), code, section.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "unwind/arch.h"
#include "unwind/compile.h"
#include "unwind/unwind_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 3, VADDR = 0x401000, OFFSET = 0x1000 };
enum { IS_ARM64 = 1, IS_DEBUG = 2, IS_OPEN = 4, IS_SWAPPED = 8, IS_TWICE = 16, HAS_STUBS = 32 };

static void require(bool is_so)
{
	if (!is_so)
		abort();
}

static void value_check(const struct tally_unwind_table *table, int32_t value)
{
	const uint8_t *code;
	volatile uint64_t sum = 0;
	size_t len;

	require(tally_unwind_table_expression(table, value, &code, &len));
	for (size_t i = 0; i < len; i++)
		sum += code[i];
}

static void rule_check(const struct tally_unwind_table *table, const struct tally_unwind_rule *rule)
{
	require(rule->cfa <= TALLY_CFA_NONE);
	if (rule->cfa == TALLY_CFA_EXPRESSION)
		value_check(table, rule->cfa_value);
	for (unsigned i = 0; i < rule->nr_regs; i++) {
		struct tally_unwind_reg reg = tally_unwind_rule_reg(rule, i);

		require(reg.reg < TALLY_UNWIND_NR_REGS && reg.how <= TALLY_REG_SAME);
		require(reg.how != TALLY_REG_REGISTER || reg.value < TALLY_UNWIND_NR_REGS);
		if (reg.how == TALLY_REG_EXPRESSION || reg.how == TALLY_REG_VAL_EXPRESSION)
			value_check(table, reg.value);
	}
}

static void table_check(const struct tally_unwind_table *table)
{
	const uint32_t *starts = table->starts, *functions = table->functions;
	struct tally_unwind_rule rule;
	uint64_t function;

	for (uint32_t i = 0; i < table->head.nr_rows; i++) {
		bool has_rule = tally_unwind_table_find(table, starts[i], &rule);

		require(!i || starts[i - 1] < starts[i]);
		require(has_rule == !!table->rules[i]);
		if (!has_rule)
			continue;
		rule_check(table, &rule);
		require(tally_unwind_table_is_code(table, starts[i]));
		(void)tally_unwind_table_function(table, starts[i], &function);
	}
	for (uint32_t i = 1; i < table->head.nr_functions; i++)
		require(functions[i - 1] < functions[i]);
}

static void compile(const struct tally_unwind_source *source)
{
	struct tally_unwind_table table;
	void *block;
	size_t len;

	if (tally_unwind_compile(source, &block, &len))
		return;
	require(!tally_unwind_table_open(block, len, &table));
	table_check(&table);
	free(block);
}

/* Make a copy of the exact size, so that the sanitizer detects reads beyond its end. */
static uint8_t *copy_make(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len + !len);

	require(copy);
	return len ? memcpy(copy, data, len) : copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_cfi_section sections[2] = {{.vaddr = VADDR + 0x10000}};
	struct tally_unwind_segment segment = {.vaddr = VADDR, .offset = OFFSET};
	struct tally_unwind_piece piece = {.offset = OFFSET};
	struct tally_unwind_stubs stubs = {VADDR, 0};
	struct tally_unwind_source source = {.segments = &segment,
					     .nr_segments = 1,
					     .code = &piece,
					     .nr_code = 1,
					     .sections = sections,
					     .stubs = &stubs};
	uint8_t *code, *section, flags = size ? data[0] : 0;

	if (size < HEAD)
		return 0;
	segment.size = TALLY_MIN(tally_load_u16(data + 1, TALLY_HOST_BIG_ENDIAN), size - HEAD);
	piece.size = segment.size;
	piece.data = code = copy_make(data + HEAD, segment.size);
	sections[0].len = size - HEAD - segment.size;
	sections[0].data = section = copy_make(data + HEAD + segment.size, sections[0].len);
	sections[0].is_debug = flags & IS_DEBUG;
	sections[0].is_open = flags & IS_OPEN;
	sections[0].swap = source.swap = flags & IS_SWAPPED;
	sections[1] = sections[0];
	sections[1].is_debug = !sections[0].is_debug;
	stubs.size = segment.size / 2;
	source.machine = flags & IS_ARM64 ? EM_AARCH64 : EM_X86_64;
	source.nr_sections = flags & IS_TWICE ? 2 : 1;
	source.nr_stubs = flags & HAS_STUBS ? 1 : 0;
	source.entry = VADDR + segment.size / 2;
	compile(&source);
	free(code);
	free(section);
	return 0;
}
