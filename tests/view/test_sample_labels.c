/* SPDX-License-Identifier: BSD-2-Clause */
/* Test that labels which are not in use are freed, and the others are renumbered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "view/sample_labels.h"

#include <cmocka.h>

enum { MOST = 1000 };

static const struct tally_view_column *column(const char *name)
{
	return tally_view_column_find(name, strlen(name));
}

/* Add the label of a sample at address `ip`, in user space or in the kernel. */
static uint32_t add(struct tally_labels *labels, uint64_t ip, bool is_user)
{
	struct tally_feed_sample sample = {.sample.ip = ip,
					   .cpumode = is_user ? PERF_RECORD_MISC_USER
							      : PERF_RECORD_MISC_KERNEL};
	size_t added;

	assert_int_equal(tally_labels_set(labels, &sample, &added), 0);
	return sample.label;
}

static void is_address(const struct tally_labels *labels, uint32_t label, uint64_t ip)
{
	struct tally_str cell = {0}, wanted = {0};

	tally_labels_add_cell(labels, column("addr"), label, &cell);
	tally_str_addf(&wanted, "0x%llx", (unsigned long long)ip);
	assert_string_equal(tally_str_text(&cell), tally_str_text(&wanted));
	tally_str_free(&cell);
	tally_str_free(&wanted);
}

/* Keep every third label, several times. Both labels of an address belong to the same row. */
static void sweep(bool has_parts)
{
	const struct tally_view_column *columns[] = {column("addr"), column("overhead_us")};
	uint32_t numbers[MOST], marks[2 * MOST] = {0};
	struct tally_labels labels = {0};

	tally_labels_start(&labels, NULL, NULL, columns, has_parts ? 2 : 1);
	for (uint32_t i = 0; i < MOST; i++)
		numbers[i] = add(&labels, 0x1000 + i / 2, i % 2);
	for (uint32_t round = 3; round < MOST; round *= 3) {
		memset(marks, 0, sizeof(marks));
		for (uint32_t i = 0; i < MOST; i += round)
			marks[numbers[i]] = 1;
		assert_int_equal(tally_labels_sweep(&labels, marks), 0);
		for (uint32_t i = 0; i < MOST; i += round) {
			numbers[i] = marks[numbers[i]] - 1;
			is_address(&labels, numbers[i], 0x1000 + i / 2);
			is_address(&labels, tally_labels_row(&labels, numbers[i]), 0x1000 + i / 2);
			assert_int_equal(add(&labels, 0x1000 + i / 2, i % 2), numbers[i]);
		}
		assert_in_range(labels.strings.strings.len, 1, 2 * (MOST / round + 1));
	}
	assert_int_equal(tally_labels_row(&labels, add(&labels, 7, false)),
			 tally_labels_row(&labels, add(&labels, 7, has_parts)));
	tally_labels_free(&labels);
}

static void test_sweep(void **state)
{
	(void)state;
	sweep(false);
}

static void test_sweep_of_rows_with_parts(void **state)
{
	(void)state;
	sweep(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_sweep_of_rows_with_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
