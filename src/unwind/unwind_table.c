/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/unwind_table.h"

#include <errno.h>

#include "base/arith.h"
#include "base/endian.h"
#include "unwind/rule_words.h"

int tally_unwind_table_open(const void *bytes, size_t len, struct tally_unwind_table *ret_table)
{
	const uint32_t *at =
		(const uint32_t *)((const uint8_t *)bytes + sizeof(struct tally_unwind_header));
	struct tally_unwind_table table;
	uint64_t size;

	if (len < sizeof(table.head))
		return -EINVAL;
	__builtin_memcpy(&table.head, bytes, sizeof(table.head));
	if (table.head.magic != TALLY_UNWIND_MAGIC || table.head.version != TALLY_UNWIND_VERSION)
		return -EINVAL;
	size = sizeof(table.head) + 8 * (uint64_t)table.head.nr_rows +
	       4 * (uint64_t)table.head.nr_functions + 4 * (uint64_t)table.head.nr_words +
	       table.head.nr_bytes;
	if (size > len)
		return -EINVAL;
	table.starts = at;
	table.rules = table.starts + table.head.nr_rows;
	table.functions = table.rules + table.head.nr_rows;
	table.words = table.functions + table.head.nr_functions;
	table.bytes = (const uint8_t *)(table.words + table.head.nr_words);
	*ret_table = table;
	return 0;
}

/* Find the index of the last of `nr` sorted numbers that are not above `addr`. The search is
 * branchless, because its comparisons are unpredictable. */
static bool last_find(const uint32_t *all, uint32_t nr, uint64_t addr, uint32_t *ret_place)
{
	const uint32_t *first = all;

	if (!nr || addr > UINT32_MAX || first[0] > addr)
		return false;
	while (nr > 1) {
		uint32_t half = nr / 2;

		first += first[half] <= addr ? half : 0;
		nr -= half;
	}
	*ret_place = (uint32_t)(first - all);
	return true;
}

bool tally_unwind_table_find(const struct tally_unwind_table *table, uint64_t addr,
			     struct tally_unwind_rule *ret_rule)
{
	struct tally_unwind_rule rule;
	uint32_t row, at;

	if (!last_find(table->starts, table->head.nr_rows, addr, &row))
		return false;
	at = table->rules[row];
	if (!at || !tally_range_ok(at, RULE_HEAD_WORDS, table->head.nr_words))
		return false;
	rule = rule_head_unpack(table->words + at);
	if (!tally_range_ok((uint64_t)at + RULE_HEAD_WORDS, rule.nr_regs, table->head.nr_words))
		return false;
	*ret_rule = rule;
	return true;
}

bool tally_unwind_table_function(const struct tally_unwind_table *table, uint64_t addr,
				 uint64_t *ret_start)
{
	uint32_t row, function;

	if (!last_find(table->starts, table->head.nr_rows, addr, &row) || !table->rules[row] ||
	    !last_find(table->functions, table->head.nr_functions, addr, &function))
		return false;
	*ret_start = table->functions[function];
	return true;
}

uint64_t tally_unwind_table_function_end(const struct tally_unwind_table *table, uint64_t start)
{
	uint64_t end = table->head.code_end;
	uint32_t row, function;

	if (last_find(table->functions, table->head.nr_functions, start, &function) &&
	    function + 1 < table->head.nr_functions)
		end = table->functions[function + 1];
	if (!last_find(table->starts, table->head.nr_rows, start, &row))
		return end;
	for (; row < table->head.nr_rows && table->starts[row] < end; row++) {
		if (!table->rules[row])
			return table->starts[row];
	}
	return end;
}

bool tally_unwind_table_expression(const struct tally_unwind_table *table, int32_t value,
				   const uint8_t **ret_code, size_t *ret_len)
{
	uint16_t len;

	if (value < 0 || !tally_range_ok((uint32_t)value, sizeof(len), table->head.nr_bytes))
		return false;
	len = tally_get_u16(table->bytes + value);
	if (!tally_range_ok((uint64_t)value + sizeof(len), len, table->head.nr_bytes))
		return false;
	*ret_code = table->bytes + value + sizeof(len);
	*ret_len = len;
	return true;
}
