/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters: parsing, evaluation on raw data, and the errors for invalid filters. */
#include <errno.h>
#include <string.h>

#include "core/filter.h"
#include "test.h"

static const struct tally_core_field fields[] = {
	{"count", 0, 4, true, false},
	{"bits", 4, 8, false, false},
	{"small", 12, 1, true, false},
	{"comm", 13, 8, false, true},
};

struct __attribute__((packed)) raw {
	int32_t count;
	uint64_t bits;
	int8_t small;
	char comm[8];
};

static const struct raw raw = {-5, 0x8000000000000010u, 7, "sshd"};

static int parse(const char *text, struct tally_core_filter *filter, struct tally_error *err)
{
	filter->text = text;
	return tally_filter_parse(fields, 4, text, strlen(text), filter->nodes, 64, &filter->nr,
				  err);
}

static void valid_filters_are_evaluated(void **state)
{
	static const struct {
		const char *text;
		bool passes;
	} rows[] = {
		{"count == -5", true},
		{"count != -5", false},
		{"count < 0", true},
		{"count >= -4", false},
		{"count<=-5", true},
		{"count > -6", true},
		{"bits > 1", true}, /* unsigned: the top bit is not a sign */
		{"bits < 0", false},
		{"bits & 0x10", true},
		{"bits & 0x20", false},
		{"bits == 0x8000000000000010", true},
		{"bits == 01000000000000000000020", true},
		{"small == 7", true},
		{"comm == \"sshd\"", true},
		{"comm == 'ssh'", false},
		{"comm != \"bash\"", true},
		{"comm ~ \"ss*\"", true},
		{"comm ~ \"*d\"", true},
		{"comm ~ \"s?hd\"", true},
		{"comm ~ \"*x*\"", false},
		{"comm ~ \"s*s*h*d\"", true},
		{"count == 0 || small == 7", true},
		{"count == 0 && small == 7", false},
		{"count == 0 || small == 7 && bits == 0", false},
		{"(count == 0 || small == 7) && bits > 0", true},
		{"count == -5 || small == 1 && bits == 0", true}, /* && binds more tightly */
		{"!(count == 0)", true},
		{"!count == -5", false},
		{"! (small == 7 || small == 8)", false},
		{" ( ( small == 7 ) ) ", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct {
			struct tally_core_filter filter;
			struct tally_filter_node nodes[64];
		} f = {0};

		if (parse(rows[i].text, &f.filter, NULL))
			fail_msg("'%s' does not parse", rows[i].text);
		if (tally_filter_passes(&f.filter, &raw, sizeof(raw)) != rows[i].passes)
			fail_msg("'%s' is %d", rows[i].text, !rows[i].passes);
	}
}

/* Fields beyond the end of the raw data are 0 or empty. */
static void fields_beyond_the_data_are_empty(void **state)
{
	struct {
		struct tally_core_filter filter;
		struct tally_filter_node nodes[64];
	} f = {0};

	assert_int_equal(parse("bits == 0 && comm == \"\" && count == -5", &f.filter, NULL), 0);
	assert_true(tally_filter_passes(&f.filter, &raw, 8));
	assert_int_equal(parse("comm == \"ss\"", &f.filter, NULL), 0);
	assert_true(tally_filter_passes(&f.filter, &raw, offsetof(struct raw, comm) + 2));
}

/* Each parenthesis needs two stack entries. Filters that exceed the stack are rejected; all others
 * are evaluated correctly. */
static void filters_of_any_depth_are_right_or_rejected(void **state)
{
	for (int depth = 1; depth < 40; depth++) {
		struct {
			struct tally_core_filter filter;
			struct tally_filter_node nodes[128];
		} f = {0};
		char text[2048] = "";
		int ret;

		for (int i = 0; i < depth; i++)
			strcat(text, "small == 7 || small == 7 && (");
		strcat(text, "small == 7 || small == 7 && count == 0");
		for (int i = 0; i < depth; i++)
			strcat(text, ")");
		f.filter.text = text;
		ret = tally_filter_parse(fields, 4, text, strlen(text), f.nodes, 128, &f.filter.nr,
					 NULL);
		assert_int_equal(ret, depth <= 30 ? 0 : -E2BIG);
		if (!ret)
			assert_true(tally_filter_passes(&f.filter, &raw, sizeof(raw)));
	}
}

static void invalid_filters_are_rejected(void **state)
{
	static const struct {
		const char *text;
		int code;
		size_t offset;
	} rows[] = {
		{"", -EINVAL, 0},
		{"nothing == 1", -EINVAL, 0},
		{"count", -EINVAL, 5},
		{"count == ", -EINVAL, 9},
		{"count == 08", -EINVAL, 10},
		{"count == 99999999999999999999", -EINVAL, 28},
		{"count ~ \"x\"", -EINVAL, 7},
		{"comm > \"x\"", -EINVAL, 6},
		{"comm == 1", -EINVAL, 8},
		{"comm == \"x", -ESRCH, 10},
		{"(count == 1", -ENOENT, 11},
		{"count == 1)", -EPERM, 10},
		{"count == 1 && ", -EINVAL, 14},
		{"((((((((((((((((((((((((((((((((((count == 1", -E2BIG, 32},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct {
			struct tally_core_filter filter;
			struct tally_filter_node nodes[64];
		} f = {0};
		struct tally_error err = {0};

		if (parse(rows[i].text, &f.filter, &err) != rows[i].code)
			fail_msg("'%s' gives %d", rows[i].text, err.code);
		if (err.offset != rows[i].offset)
			fail_msg("'%s' is wrong at %llu", rows[i].text,
				 (unsigned long long)err.offset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_filters_are_evaluated),
		cmocka_unit_test(fields_beyond_the_data_are_empty),
		cmocka_unit_test(filters_of_any_depth_are_right_or_rejected),
		cmocka_unit_test(invalid_filters_are_rejected),
	};

	return cmocka_run_group_tests_name("core/filter", tests, NULL, NULL);
}
