/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the store of line spans, which is indexed by address. */
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

static void spans_are_found_by_any_address(void **state)
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
	/* Spans can be added at addresses that an earlier lookup did not find. */
	add(&lines, 20, 30, 3);
	assert_int_equal(find(&lines, 20), 3);
	assert_ptr_equal(text(&lines, "a.c"), tally_lines_find(&lines, 29)->lines[0].file);
	tally_lines_free(&lines);
}

/* Add spans in scattered order, and do a lookup after each one. */
static void spans_are_found_among_many(void **state)
{
	enum { NR = 5000 };
	struct tally_lines lines = {0};

	(void)state;
	for (uint64_t i = 0; i < NR; i++) {
		uint64_t at = i * 2654435761u % NR; /* each once: 5000 and the factor are coprime */

		add(&lines, at * 10, at * 10 + 5, (uint32_t)at + 1);
		assert_int_equal(find(&lines, at * 10 + 4), at + 1);
		assert_int_equal(find(&lines, at * 10 + 5), 0);
	}
	for (uint64_t i = 0; i < NR; i++)
		assert_int_equal(find(&lines, i * 10), i + 1);
	tally_lines_free(&lines);
}

/* Add a function after some of its spans, as the index does. */
static void a_function_is_found_around_known_spans(void **state)
{
	enum { NR = 100 };
	struct tally_lines lines = {0};

	(void)state;
	for (uint64_t i = 1; i <= NR; i++)
		add(&lines, 1000 + i * 10, 1001 + i * 10, 1);
	add(&lines, 1000, 3000, 2);
	assert_int_equal(find(&lines, 1000), 2);
	assert_int_equal(find(&lines, 1009), 2);
	assert_int_equal(find(&lines, 1010), 1);
	assert_int_equal(find(&lines, 1011), 2);
	assert_int_equal(find(&lines, 2000), 1);
	assert_int_equal(find(&lines, 2001), 2);
	assert_int_equal(find(&lines, 2999), 2);
	assert_int_equal(find(&lines, 3000), 0);
	tally_lines_free(&lines);
}

static void equal_spans_are_stored_once(void **state)
{
	struct tally_lines lines = {0};

	(void)state;
	for (uint32_t i = 1; i <= 124; i++) {
		add(&lines, 10, 20, i);
		add(&lines, 15 + i % 5, 20, i);
	}
	assert_int_equal(lines.spans.len, 1);
	add(&lines, 5, 25, 2);
	assert_int_equal(lines.spans.len, 3);
	assert_int_equal(find(&lines, 9), 2);
	assert_int_equal(find(&lines, 19), 1);
	assert_int_equal(find(&lines, 20), 2);
	add(&lines, 0, UINT64_MAX, 3);
	assert_int_equal(find(&lines, UINT64_MAX - 1), 3);
	assert_int_equal(find(&lines, 5), 2);
	tally_lines_free(&lines);
}

/* Compare with an array indexed by address, in which spans that were added earlier take
 * precedence. */
static void random_spans_are_found_as_they_were_first_added(void **state)
{
	enum { SPACE = 20000, SPANS = 4000 };
	static uint32_t known[SPACE];
	struct tally_lines lines = {0};
	uint64_t seed = 1;

	(void)state;
	for (uint32_t i = 1; i <= SPANS; i++) {
		uint64_t start, end;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		start = (seed >> 33) % SPACE;
		end = start + (seed >> 20) % (i % 50 ? 8 : 300);
		end = end < SPACE ? end : SPACE;
		add(&lines, start, end, i);
		for (uint64_t at = start; at < end; at++)
			known[at] = known[at] ? known[at] : i;
	}
	for (uint64_t at = 0; at < SPACE; at++)
		assert_int_equal(find(&lines, at), known[at]);
	tally_lines_free(&lines);
}

static void empty_spans_are_ignored(void **state)
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
		cmocka_unit_test(spans_are_found_by_any_address),
		cmocka_unit_test(spans_are_found_among_many),
		cmocka_unit_test(a_function_is_found_around_known_spans),
		cmocka_unit_test(equal_spans_are_stored_once),
		cmocka_unit_test(random_spans_are_found_as_they_were_first_added),
		cmocka_unit_test(empty_spans_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
