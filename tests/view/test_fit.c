/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the widths of columns on the same line, and the wrapping of comments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "random.h"
#include "view/fit.h"
#include "view/wrap.h"

#include <cmocka.h>

#define NR(array) ((int)(sizeof(array) / sizeof(*(array))))

enum { MOST = 4 };

/* Column names, required widths, screen width, and expected widths. */
static const struct row {
	const char *columns[MOST];
	int needed[MOST], columns_there, wanted[MOST];
} rows[] = {
	/* Columns that fit are not changed. */
	{{"self", "comm", "dso", "symbol"}, {8, 7, 13, 44}, 80, {8, 7, 13, 44}},
	/* Short names are shown completely. */
	{{"self", "comm", "dso", "symbol"}, {8, 7, 13, 45}, 80, {8, 7, 13, 44}},
	{{"self", "comm", "dso", "symbol"}, {8, 7, 13, 1 << 20}, 80, {8, 7, 13, 44}},
	{{"self", "symbol", "dso", "comm"}, {8, 600, 13, 7}, 80, {8, 44, 13, 7}},
	{{"self", "comm", "dso", "symbol"}, {8, 15, 20, 600}, 70, {8, 15, 19, 20}},
	/* Functions get twice as much of the remaining width as other columns. */
	{{"self", "comm", "dso", "symbol"}, {8, 15, 50, 600}, 80, {8, 15, 23, 26}},
	{{"self", "comm", "dso", "symbol"}, {8, 50, 15, 600}, 80, {8, 23, 15, 26}},
	{{"self", "comm", "dso", "symbol"}, {8, 600, 600, 600}, 80, {8, 21, 21, 22}},
	{{"self", "comm", "dso", "symbol"}, {8, 600, 600, 600}, 120, {8, 31, 31, 42}},
	{{"self", "comm", "dso", "symbol"}, {8, 600, 600, 600}, 50, {8, 10, 11, 13}},
	{{"self", "comm", "dso", "symbol"}, {8, 15, 52, 14}, 52, {8, 11, 11, 14}},
	{{"self", "comm", "dso", "symbol"}, {8, 600, 600, 25}, 120, {8, 39, 40, 25}},
	{{"symbol", "parent"}, {600, 600}, 80, {38, 38}},
	/* Metrics keep their width, and names get at least eight columns. */
	{{"self", "sample", "period", "symbol"}, {8, 12, 14, 600}, 50, {8, 12, 14, 8}},
	{{"self", "sample", "period", "symbol"}, {8, 12, 40, 600}, 50, {8, 12, 40, 8}},
	{{"self", "cpu", "comm", "symbol"}, {8, 3, 60, 600}, 20, {8, 3, 8, 8}},
	{{"self", "sample"}, {8, 12}, 10, {8, 12}},
};

static void view_make(const struct row *row, struct tally_view *view, int widths[])
{
	for (int n = 0; n < MOST && row->columns[n]; n++) {
		widths[n] = row->needed[n];
		view->columns[view->nr_columns++] =
			tally_view_column_find(row->columns[n], strlen(row->columns[n]));
	}
}

static void test_columns_share_a_line(void **state)
{
	(void)state;
	for (int i = 0; i < NR(rows); i++) {
		struct tally_view view = {0};
		int widths[TALLY_VIEW_MAX_COLUMNS] = {0};

		view_make(&rows[i], &view, widths);
		tally_view_fit(&view, rows[i].columns_there, widths);
		for (int n = 0; n < view.nr_columns; n++)
			assert_int_equal(widths[n], rows[i].wanted[n]);
	}
}

/* Check that columns never become wider than needed, and that the line fits if possible. */
static void columns_never_become_wider(void **state)
{
	struct random random = random_start();

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct tally_view view = {.nr_columns = 1 + (int)random_below(&random, 16)};
		int needed[TALLY_VIEW_MAX_COLUMNS], widths[TALLY_VIEW_MAX_COLUMNS];
		int columns = (int)random_below(&random, 300), sum = 0, least = 0;

		for (int n = 0; n < view.nr_columns; n++) {
			view.columns[n] = &tally_view_columns[random_below(&random, 15)];
			widths[n] = needed[n] = 1 + (int)random_below(&random, 1 << (i % 20));
			least += 2 + (view.columns[n]->width || needed[n] < 8 ? needed[n] : 8);
		}
		tally_view_fit(&view, columns, widths);
		for (int n = 0; n < view.nr_columns; n++) {
			assert_in_range(widths[n], 1, needed[n]);
			sum += 2 + widths[n];
		}
		assert_true(sum <= columns || sum == least);
	}
}

/* Columns that are dropped, shortened or kept on a narrow screen. */
static const struct row narrow_rows[] = {
	{{"self", "comm", "dso", "symbol"}, {8, 15, 52, 14}, 80, {8, 15, 35, 14}},
	{{"self", "comm", "dso", "symbol"}, {8, 600, 600, 600}, 50, {8, 0, 16, 20}},
	{{"self", "comm", "dso", "symbol"}, {8, 600, 600, 600}, 40, {8, 0, 0, 28}},
	{{"self", "comm", "dso", "symbol"}, {8, 600, 600, 600}, 30, {8, 0, 0, 18}},
	{{"self", "comm", "dso", "symbol"}, {8, 15, 20, 8}, 38, {8, 0, 16, 8}},
	/* All metrics except the first one are dropped. */
	{{"self", "sample", "period", "symbol"}, {8, 12, 14, 600}, 60, {8, 12, 14, 18}},
	{{"self", "sample", "period", "symbol"}, {8, 12, 14, 600}, 50, {8, 12, 0, 24}},
	{{"self", "sample", "period", "symbol"}, {8, 12, 14, 600}, 20, {8, 0, 0, 8}},
	{{"self", "sample", "period", "symbol"}, {8, 12, 14, 5}, 30, {8, 0, 0, 5}},
	/* If there is no function column, the last name is kept. */
	{{"self", "comm", "dso"}, {8, 30, 30}, 30, {8, 0, 18}},
	{{"self", "sample"}, {8, 12}, 10, {8, 12}},
};

static void narrow_screens_drop_columns(void **state)
{
	(void)state;
	for (int i = 0; i < NR(narrow_rows); i++) {
		struct tally_view view = {0};
		int widths[TALLY_VIEW_MAX_COLUMNS] = {0};

		view_make(&narrow_rows[i], &view, widths);
		tally_view_fit_columns(&view, narrow_rows[i].columns_there, 16, widths);
		for (int n = 0; n < view.nr_columns; n++)
			assert_int_equal(widths[n], narrow_rows[i].wanted[n]);
	}
}

static void check_wrapped(const char *text, size_t columns, const char *wanted)
{
	struct tally_str str = {0};

	tally_str_add(&str, "# a line that was there before\n");
	tally_str_add(&str, text);
	tally_wrap_comments(&str, 31, columns);
	assert_int_equal(tally_str_error(&str), 0);
	assert_memory_equal(tally_str_text(&str), "# a line that was there before\n", 31);
	assert_string_equal(tally_str_text(&str) + 31, wanted);
	tally_str_free(&str);
}

static void test_comments_are_wrapped(void **state)
{
	(void)state;
	check_wrapped("# one two three\n", 15, "# one two three\n");
	check_wrapped("# one two three\n", 14, "# one two\n#   three\n");
	check_wrapped("# one two three\n#\n# four\nfive six seven\n", 9,
		      "# one two\n#   three\n#\n# four\nfive six seven\n");
	check_wrapped("# one two three four", 11, "# one two\n#   three\n#   four");
	check_wrapped("# one  two   three\n", 13, "# one  two\n#   three\n");
	check_wrapped("# /a/long/path: is long\n", 10, "# /a/long/path:\n#   is\n#   long\n");
	check_wrapped("# No: /a/long/path\n", 10, "# No:\n#   /a/long/path\n");
	check_wrapped("# \xe6\xbc\xa2\xe6\xbc\xa2 x\n", 7, "# \xe6\xbc\xa2\xe6\xbc\xa2\n#   x\n");
	check_wrapped("# one two three\n", 0, "# one two three\n");
	check_wrapped("#      \n", 3, "#      \n");
	check_wrapped("", 3, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_share_a_line),
		cmocka_unit_test(columns_never_become_wider),
		cmocka_unit_test(narrow_screens_drop_columns),
		cmocka_unit_test(test_comments_are_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
