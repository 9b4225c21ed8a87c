/* SPDX-License-Identifier: BSD-2-Clause */
/* Check a page's columns byte by byte, and check that facts contain no markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arith.h"
#include "page/meta.h"
#include "page/xml.h"
#include "page/page_table.h"

#include <cmocka.h>

static void columns_free(struct page_column *columns)
{
	for (int i = 0; i < PAGE_NR_COLUMNS; i++)
		tally_str_free(&columns[i].bytes);
}

static void bytes_are(const struct page_column *column, const char *bytes, size_t len)
{
	assert_int_equal(column->bytes.len, len);
	assert_memory_equal(column->bytes.data, bytes, len);
}

static void numbers_take_seven_bits_a_byte(void **state)
{
	static const uint64_t values[] = {0, 1, 127, 128, 300, PAGE_VALUE_MAX, UINT64_MAX};
	static const char bytes[] = "\x00\x01\x7f\x80\x01\xac\x02"
				    "\xff\xff\xff\xff\xff\xff\xff\x0f"
				    "\xff\xff\xff\xff\xff\xff\xff\x0f";
	struct page_column columns[PAGE_NR_COLUMNS] = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(values); i++)
		page_column_add(columns, PAGE_SAMPLE_WEIGHT, values[i]);
	bytes_are(&columns[PAGE_SAMPLE_WEIGHT], bytes, sizeof(bytes) - 1);
	assert_int_equal(columns[PAGE_SAMPLE_WEIGHT].count, TALLY_ARRAY_SIZE(values));
	columns_free(columns);
}

static void deltas_have_either_sign(void **state)
{
	static const uint64_t values[] = {5, 5, 4, 6, 1000, 0};
	static const char bytes[] = "\x0a\x00\x01\x04\xc4\x0f\xcf\x0f";
	struct page_column columns[PAGE_NR_COLUMNS] = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(values); i++)
		page_column_add(columns, PAGE_SAMPLE_TIME, values[i]);
	bytes_are(&columns[PAGE_SAMPLE_TIME], bytes, sizeof(bytes) - 1);
	columns_free(columns);
}

static void columns_of_zeros_are_optional(void **state)
{
	struct page_column columns[PAGE_NR_COLUMNS] = {0};

	page_column_add(columns, PAGE_SAMPLE_RECORDING, 0);
	assert_false(page_column_is_written(columns, PAGE_SAMPLE_RECORDING));
	page_column_add(columns, PAGE_SAMPLE_RECORDING, 1);
	assert_true(page_column_is_written(columns, PAGE_SAMPLE_RECORDING));
	assert_true(page_column_is_written(columns, PAGE_LOSS_TIME));
	columns_free(columns);
}

static struct tally_html *page_make(void)
{
	static const struct tally_html_options options = {0};
	struct tally_html *page = NULL;

	assert_int_equal(tally_html_new(&options, &page), 0);
	return page;
}

static void strings_are_utf8_and_bounded(void **state)
{
	struct tally_html *page = page_make();
	const struct tally_str *text = &page->columns[PAGE_STRING_TEXT].bytes;
	char *longer = malloc(PAGE_STRING_MAX + 3);
	uint32_t first, again, other;

	assert_non_null(longer);
	assert_int_equal(page_string(page, "", &first), 0);
	assert_int_equal(first, 0);
	assert_int_equal(page_string(page, "a\xff\x62", &first), 0);
	assert_int_equal(page_string(page, "a\xff\x62", &again), 0);
	assert_int_equal(page_string(page, "b", &other), 0);
	assert_int_equal(first, again);
	assert_int_equal(other, first + 1);
	assert_string_equal(tally_str_text(text), "a\xef\xbf\xbd"
						  "bb");
	/* A character that crosses the limit is omitted entirely. */
	memset(longer, 'x', PAGE_STRING_MAX + 2);
	memcpy(longer + PAGE_STRING_MAX - 1, "\xc3\xa4", 3);
	assert_int_equal(page_string(page, longer, &first), 0);
	assert_int_equal(text->len, 6 + PAGE_STRING_MAX - 1);
	assert_int_equal(page->nr_cut_strings, 1);
	free(longer);
	tally_html_free(page);
}

static void facts_contain_no_markup(void **state)
{
	struct tally_html *page = page_make();
	struct tally_str out = {0};

	tally_html_add_note(page, "</script><!-- & \xe2\x80\xa8%s", "\x1b[2J");
	page_meta_add(page, &out);
	assert_int_equal(tally_str_error(&out), 0);
	assert_null(strpbrk(out.data, "<>&\n\x1b"));
	assert_null(strstr(out.data, "\xe2\x80\xa8"));
	assert_non_null(strstr(out.data, "\\u003c/script\\u003e\\u003c!-- \\u0026 "));
	tally_str_free(&out);
	tally_xml_add(&out, "<b title=\"'&");
	assert_string_equal(out.data, "&lt;b title=&quot;&#39;&amp;");
	tally_str_free(&out);
	tally_html_free(page);
}

struct sink {
	struct tally_str bytes;
	size_t longest;
	int fails_after; /* number of successful writes before a failure */
};

static int sink_write(void *arg, const void *bytes, size_t len)
{
	struct sink *sink = arg;

	if (!sink->fails_after--)
		return -28;
	sink->longest = TALLY_MAX(sink->longest, len);
	tally_str_add_bytes(&sink->bytes, bytes, len);
	return 0;
}

static void pages_come_in_pieces(void **state)
{
	struct sink sink = {.fails_after = -1};
	struct tally_html *page = page_make();
	int pieces;

	for (int i = 0; i < 100000; i++)
		page_column_add(page->columns, PAGE_SAMPLE_WEIGHT,
				(uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 11);
	assert_int_equal(tally_html_write(page, 2, sink_write, &sink), 0);
	assert_in_range(sink.longest, 1, 1 << 16);
	assert_in_range(sink.bytes.len, 800000, 2000000);
	pieces = -1 - sink.fails_after;
	assert_in_range(pieces, 10, 1000);
	tally_str_free(&sink.bytes);
	for (int i = 0; i < pieces; i++) {
		sink = (struct sink){.fails_after = i};
		assert_int_equal(tally_html_write(page, 2, sink_write, &sink), -28);
		tally_str_free(&sink.bytes);
	}
	tally_html_free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_take_seven_bits_a_byte),
		cmocka_unit_test(deltas_have_either_sign),
		cmocka_unit_test(columns_of_zeros_are_optional),
		cmocka_unit_test(strings_are_utf8_and_bounded),
		cmocka_unit_test(facts_contain_no_markup),
		cmocka_unit_test(pages_come_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
