/* SPDX-License-Identifier: BSD-2-Clause */
/* The store of lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "dwarf/lines.h"

static const char *text(struct tally_lines *lines, const char *from)
{
	const char *made;

	assert_int_equal(tally_lines_text(lines, from, strlen(from), &made), 0);
	return made;
}

static void add(struct tally_lines *lines, uint64_t start, uint64_t end, uint32_t number)
{
	const struct tally_line line = {.file = text(lines, "a.c"), .line = number};
	const struct tally_line_span span = {start, end, &line, 1};

	assert_int_equal(tally_lines_add(lines, &span), 0);
}

static uint32_t find(struct tally_lines *lines, uint64_t addr)
{
	const struct tally_line_span *span = tally_lines_find(lines, addr);

	return span && span->nr ? span->lines[0].line : 0;
}

static void found_by_any_address(void **state)
{
	struct tally_lines lines = {0};

	(void)state;
	assert_null(tally_lines_find(&lines, 0));
	add(&lines, 10, 20, 1);
	add(&lines, 30, 31, 2);
	assert_int_equal(find(&lines, 9), 0);
	assert_int_equal(find(&lines, 10), 1);
	assert_int_equal(find(&lines, 19), 1);
	assert_int_equal(find(&lines, 20), 0);
	assert_int_equal(find(&lines, 30), 2);
	assert_int_equal(find(&lines, UINT64_MAX), 0);
	/* What was not there may come. */
	add(&lines, 20, 30, 3);
	assert_int_equal(find(&lines, 20), 3);
	assert_ptr_equal(text(&lines, "a.c"), tally_lines_find(&lines, 29)->lines[0].file);
	tally_lines_free(&lines);
}

/* Added in any order, in turns with looking. */
static void found_among_many(void **state)
{
	enum { NR = 5000 };
	struct tally_lines lines = {0};

	(void)state;
	for (uint64_t i = 0; i < NR; i++) {
		uint64_t at = i * 2654435761u % NR; /* each once: 5000 has no factor of it */

		add(&lines, at * 10, at * 10 + 5, (uint32_t)at + 1);
		assert_int_equal(find(&lines, at * 10 + 4), at + 1);
		assert_int_equal(find(&lines, at * 10 + 5), 0);
	}
	for (uint64_t i = 0; i < NR; i++)
		assert_int_equal(find(&lines, i * 10), i + 1);
	tally_lines_free(&lines);
}

static void empty_spans_are_none(void **state)
{
	const struct tally_line_span known = {5, 6, NULL, 0}, empty = {7, 7, NULL, 0};
	struct tally_lines lines = {0};

	(void)state;
	assert_int_equal(tally_lines_add(&lines, &known), 0);
	assert_int_equal(tally_lines_add(&lines, &empty), 0);
	assert_non_null(tally_lines_find(&lines, 5));
	assert_int_equal(tally_lines_find(&lines, 5)->nr, 0);
	assert_null(tally_lines_find(&lines, 7));
	tally_lines_free(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_by_any_address),
		cmocka_unit_test(found_among_many),
		cmocka_unit_test(empty_spans_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
