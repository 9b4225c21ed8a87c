/* SPDX-License-Identifier: BSD-2-Clause */
/* Rule tables: construction from overlapping ranges, lookups, and damaged tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "random.h"
#include "rule_text.h"
#include "unwind/unwind_build.h"
#include "unwind/rule_words.h"

struct made {
	struct tally_unwind_build build;
	struct tally_unwind_table table;
	void *block;
	size_t len;
};

static struct made begin(void)
{
	return (struct made){
		.build = {.max_words = 1 << 16, .code_start = 0x100, .code_end = 0x900}};
}

static void end(struct made *made)
{
	assert_int_equal(tally_unwind_build_finish(&made->build, tally_unwind_arch(EM_X86_64),
						   &made->block, &made->len),
			 0);
	assert_int_equal(tally_unwind_table_open(made->block, made->len, &made->table), 0);
}

static void made_free(struct made *made)
{
	tally_unwind_build_free(&made->build);
	free(made->block);
}

static void stretch(struct made *made, uint32_t start, uint32_t stop, bool is_function,
		    bool is_weak)
{
	struct tally_unwind_range one = {.start = start, .end = stop};

	one.is_function = is_function;
	one.is_weak = is_weak;
	assert_int_equal(tally_unwind_build_begin(&made->build, &one), 0);
}

/* Add a rule with this CFA offset, which identifies the rule, or no rule if `cfa` is 0. */
static void row(struct made *made, uint32_t start, int32_t cfa)
{
	struct tally_unwind_rule rule = {.cfa_reg = 7, .cfa_value = cfa};

	assert_int_equal(tally_unwind_build_row(&made->build, start, cfa ? &rule : NULL), 0);
}

static int32_t cfa_at(const struct made *made, uint64_t addr)
{
	struct tally_unwind_rule rule;

	return tally_unwind_table_find(&made->table, addr, &rule) ? rule.cfa_value : 0;
}

static void an_empty_table_has_no_rules(void **state)
{
	struct made made = begin();

	end(&made);
	assert_int_equal(made.table.head.nr_rows, 0);
	assert_int_equal(cfa_at(&made, 0), 0);
	assert_int_equal(cfa_at(&made, UINT64_MAX), 0);
	made_free(&made);
}

static void finds_rows_and_gaps(void **state)
{
	struct made made = begin();

	stretch(&made, 0x200, 0x300, true, false);
	row(&made, 0x200, 8);
	row(&made, 0x210, 16);
	row(&made, 0x220, 16); /* no change */
	row(&made, 0x230, 8);
	stretch(&made, 0x300, 0x310, true, false);
	row(&made, 0x300, 8);
	stretch(&made, 0x400, 0x410, false, false);
	row(&made, 0x400, 24);
	row(&made, 0x400, 32); /* the last row at an offset takes effect */
	end(&made);
	for (uint64_t at = 0x1f0; at < 0x420; at++) {
		int32_t want = 0;

		if (at >= 0x200 && at < 0x310)
			want = at >= 0x210 && at < 0x230 ? 16 : 8;
		else if (at >= 0x400 && at < 0x410)
			want = 32;
		assert_int_equal(cfa_at(&made, at), want);
	}
	assert_int_equal(cfa_at(&made, 0x100000200), 0);
	assert_true(tally_unwind_table_is_code(&made.table, 0x100));
	assert_true(tally_unwind_table_is_code(&made.table, 0x8ff));
	assert_false(tally_unwind_table_is_code(&made.table, 0x900));
	assert_false(tally_unwind_table_is_code(&made.table, 0xff));
	made_free(&made);
}

static void finds_the_bounds_of_functions(void **state)
{
	struct made made = begin();
	uint64_t start;

	stretch(&made, 0x200, 0x300, true, false);
	row(&made, 0x200, 8);
	row(&made, 0x280, 16);
	stretch(&made, 0x300, 0x380, false, false);
	row(&made, 0x300, 8);
	stretch(&made, 0x400, 0x480, true, false);
	row(&made, 0x400, 8);
	end(&made);
	assert_true(tally_unwind_table_function(&made.table, 0x2ff, &start));
	assert_int_equal(start, 0x200);
	assert_true(tally_unwind_table_function(&made.table, 0x350, &start));
	assert_int_equal(start, 0x200);
	assert_true(tally_unwind_table_function(&made.table, 0x400, &start));
	assert_int_equal(start, 0x400);
	assert_false(tally_unwind_table_function(&made.table, 0x3ff, &start));
	assert_false(tally_unwind_table_function(&made.table, 0x480, &start));
	assert_false(tally_unwind_table_function(&made.table, 0x1ff, &start));
	made_free(&made);
}

/* Compare with an array that contains the rule at each offset. The range that starts first takes
 * precedence; among ranges with the same start, the range that was added first does. */
static void random_ranges_match_an_array(void **state)
{
	enum { PLACES = 256, ROUNDS = 2000 };
	struct random random = random_start();

	for (int round = 0; round < ROUNDS; round++) {
		struct made made = begin();
		struct {
			uint32_t start, end, change;
			int32_t first, then;
		} all[8];
		unsigned nr = 1 + (unsigned)random_below(&random, TALLY_ARRAY_SIZE(all));

		for (unsigned i = 0; i < nr; i++) {
			all[i].start = (uint32_t)random_below(&random, PLACES);
			all[i].end = all[i].start + 1 + (uint32_t)random_below(&random, 40);
			all[i].change = all[i].start + 1 + (uint32_t)random_below(&random, 20);
			all[i].first = 1 + (int32_t)random_below(&random, 4);
			all[i].then = (int32_t)random_below(&random, 4);
			stretch(&made, all[i].start, all[i].end, false, false);
			row(&made, all[i].start, all[i].first);
			if (all[i].change < all[i].end)
				row(&made, all[i].change, all[i].then);
		}
		end(&made);
		for (uint32_t at = 0; at < PLACES + 50; at++) {
			int32_t want = 0;
			uint32_t first = UINT32_MAX;

			for (unsigned i = 0; i < nr; i++) {
				if (at < all[i].start || at >= all[i].end || all[i].start >= first)
					continue;
				first = all[i].start;
				want = at < all[i].change ? all[i].first : all[i].then;
			}
			assert_int_equal(cfa_at(&made, at), want);
		}
		made_free(&made);
	}
}

static void weak_ranges_end_at_other_ranges(void **state)
{
	struct made made = begin();

	stretch(&made, 0x200, 0x300, true, true);
	row(&made, 0x200, 8);
	stretch(&made, 0x240, 0x250, true, false);
	row(&made, 0x240, 16);
	end(&made);
	assert_int_equal(cfa_at(&made, 0x23f), 8);
	assert_int_equal(cfa_at(&made, 0x24f), 16);
	assert_int_equal(cfa_at(&made, 0x250), 0);
	made_free(&made);
}

static void rules_are_shared(void **state)
{
	struct made made = begin();

	for (uint32_t i = 0; i < 100; i++) {
		stretch(&made, 0x1000 + 0x20 * i, 0x1010 + 0x20 * i, true, false);
		row(&made, 0x1000 + 0x20 * i, 8);
		row(&made, 0x1008 + 0x20 * i, 16);
	}
	end(&made);
	assert_int_equal(made.table.head.nr_words, 1 + 2 * RULE_HEAD_WORDS);
	assert_int_equal(made.table.head.nr_functions, 100);
	made_free(&made);
}

static void limits_the_size_of_rules(void **state)
{
	struct made made = begin();
	struct tally_unwind_rule rule = {.cfa_reg = 7, .cfa_value = 1000};

	made.build.max_words = 1 + 2 * RULE_HEAD_WORDS;
	stretch(&made, 0x200, 0x300, true, false);
	row(&made, 0x200, 8);
	row(&made, 0x210, 16);
	row(&made, 0x220, 8); /* an equal rule exists */
	assert_int_equal(tally_unwind_build_row(&made.build, 0x230, &rule), -E2BIG);
	end(&made);
	made_free(&made);
}

static void stores_expressions(void **state)
{
	struct made made = begin();
	struct tally_unwind_rule rule = {.cfa = TALLY_CFA_EXPRESSION};

	stretch(&made, 0x200, 0x300, true, false);
	assert_int_equal(tally_unwind_build_expression(&made.build, (uint8_t[]){0x77, 8}, 2,
						       &rule.cfa_value),
			 0);
	assert_int_equal(tally_unwind_build_row(&made.build, 0x200, &rule), 0);
	assert_int_equal(tally_unwind_build_expression(&made.build, (uint8_t[]){0x30}, 70000,
						       &rule.cfa_value),
			 -E2BIG);
	end(&made);
	assert_string_equal(rule_text(&made.table, 0x200), "{77 08}");
	made_free(&made);
}

/* Check that register words can store typical, minimum and maximum values. */
static void register_words_store_all_values(void **state)
{
	static const int32_t values[] = {0, 1, -1, -8, 4194303, -4194304};

	for (uint8_t reg = 0; reg < TALLY_UNWIND_NR_REGS; reg++) {
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(values); i++) {
			uint32_t word = rule_reg_pack(
				(struct tally_unwind_reg){reg, TALLY_REG_SAME, values[i]});
			struct tally_unwind_rule rule = {.nr_regs = 1, .regs = &word};
			struct tally_unwind_reg found = tally_unwind_rule_reg(&rule, 0);

			assert_int_equal(found.reg, reg);
			assert_int_equal(found.how, TALLY_REG_SAME);
			assert_int_equal(found.value, values[i]);
		}
	}
}

/* Check that a result is within the table, no matter what bytes the table contains. ASan reports
 * reads outside the table. */
static void check_within(const struct tally_unwind_table *table, uint64_t at)
{
	struct tally_unwind_rule rule;
	const uint8_t *code;
	uint64_t start;
	size_t len;

	if (tally_unwind_table_find(table, at, &rule) && rule.nr_regs) {
		assert_true(rule.regs >= table->words);
		assert_true(rule.regs + rule.nr_regs <= table->words + table->head.nr_words);
		(void)tally_unwind_rule_reg(&rule, rule.nr_regs - 1u);
	}
	if (tally_unwind_table_function(table, at, &start))
		assert_true(start <= at);
	if (tally_unwind_table_expression(table, (int32_t)at, &code, &len)) {
		assert_true(code >= table->bytes);
		assert_true(code + len <= table->bytes + table->head.nr_bytes);
	}
}

static void looks_up_safely_in_damaged_tables(void **state)
{
	struct random random = random_start();
	struct made made = begin();
	struct tally_unwind_table table;

	for (uint32_t i = 0; i < 20; i++) {
		stretch(&made, 0x100 * i, 0x100 * i + 0x80, true, false);
		row(&made, 0x100 * i, 8);
		row(&made, 0x100 * i + 0x10, 8 + (int32_t)i);
	}
	end(&made);
	for (int round = 0; round < 20000; round++) {
		size_t cut = random_below(&random, 4) ? made.len : random_below(&random, made.len);
		uint8_t *copy = malloc(cut ? cut : 1);

		memcpy(copy, made.block, cut);
		for (int i = 0; i < 3 && cut; i++)
			copy[random_below(&random, cut)] = (uint8_t)random_below(&random, 256);
		if (!tally_unwind_table_open(copy, cut, &table)) {
			for (uint64_t at = 0; at < 0x1500; at += 0x1f)
				check_within(&table, at);
		}
		free(copy);
	}
	made_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_table_has_no_rules),
		cmocka_unit_test(finds_rows_and_gaps),
		cmocka_unit_test(finds_the_bounds_of_functions),
		cmocka_unit_test(random_ranges_match_an_array),
		cmocka_unit_test(weak_ranges_end_at_other_ranges),
		cmocka_unit_test(rules_are_shared),
		cmocka_unit_test(limits_the_size_of_rules),
		cmocka_unit_test(stores_expressions),
		cmocka_unit_test(register_words_store_all_values),
		cmocka_unit_test(looks_up_safely_in_damaged_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
