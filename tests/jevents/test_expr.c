/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "jevents/expr.h"

#include <cmocka.h>

#include "../random.h"

/* Return a value: 7 for "n7", 4 for #num_cpus, 1 for has_event() if the name begins with n, and the
 * length of the name for source_count(). */
static int value_of(void *context, enum tally_expr_op op, const char *text, size_t len,
		    double *ret_value)
{
	(void)context;
	switch (op) {
	case TALLY_EXPR_LITERAL: *ret_value = 4; return 0;
	case TALLY_EXPR_HAS_EVENT: *ret_value = text[0] == 'n'; return 0;
	case TALLY_EXPR_SOURCE_COUNT: *ret_value = len; return 0;
	case TALLY_EXPR_CPUID: *ret_value = !strncmp(text, "0x41", len); return 0;
	default:
		if (text[0] != 'n')
			return -ENOENT;
		*ret_value = atoi(text + 1);
		return 0;
	}
}

static const struct tally_expr_scope scope = {value_of, NULL};

static const struct {
	const char *text, *canonical; /* NULL if same as text */
	double value;
} good[] = {
	{"1", NULL, 1},
	{"1.5e3", NULL, 1500},
	{".5", NULL, 0.5},
	{"1e-3", NULL, 0.001},
	{"0x10", NULL, 16},
	{"1000", "1e3", 1000},
	{"1000000000", "1e9", 1e9},
	{"1050", NULL, 1050},
	{"100", NULL, 100},
	{"n2+n3*n4", "n2 + n3 * n4", 14},
	{"(n2+n3)*n4", "(n2 + n3) * n4", 20},
	{"((n2 / n4) * 100)", "n2 / n4 * 100", 50},
	{"n8 - (n3 - n2)", NULL, 7},
	{"n8 - n3 - n2", NULL, 3},
	{"n8 / (n4 * n2)", NULL, 1},
	{"-n8 + 2", NULL, -6},
	{"- (n8 + 2)", "-(n8 + 2)", -10},
	{"3 - -2", NULL, 5},
	{"7 % 4", NULL, 3},
	{"6 & 3 | 8", NULL, 10},
	{"6 ^ 3 & 1", NULL, 7},
	{"n3 > 2 & n2 < 1", NULL, 0},
	{"(n3 > 2) & (n2 < 3)", "n3 > 2 & n2 < 3", 1},
	{"1 if n3 > 2 else 2", "(1 if n3 > 2 else 2)", 1},
	{"1 if n1 > 2 else 2 if n1 > 0 else 3", "(1 if n1 > 2 else (2 if n1 > 0 else 3))", 2},
	{"(1 if 0 else 2) * 3", NULL, 6},
	{"min(n3,n2)", "min(n3, n2)", 2},
	{"max(n3, n2) + 1", NULL, 4},
	{"d_ratio(n3, n0)", NULL, 0},
	{"d_ratio(n3, n2)", NULL, 1.5},
	{"has_event(n1) + has_event(x)", NULL, 1},
	{"source_count(abc) * #num_cpus", NULL, 12},
	{"strcmp_cpuid_str(0x41) + strcmp_cpuid_str(0x42)", NULL, 1},
	{"n8@TERM\\,umask\\=0x3@ / n4", NULL, 2},
	{"n8@a,b=/+(@:k", NULL, 8},
	{"n5\\-odd\\-name", NULL, 5},
	{"min + max", "min + max", NAN}, /* names here, not functions */
	{"4k_pages", NULL, NAN},
};

static void parses_valid_expressions(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(good); i++) {
		const char *want = good[i].canonical ? good[i].canonical : good[i].text;
		struct tally_expr *expr;
		struct tally_str out = {0};
		double value = NAN;

		assert_int_equal(tally_expr_parse(good[i].text, strlen(good[i].text), &expr, NULL),
				 0);
		tally_expr_print(expr, &out);
		assert_string_equal(tally_str_text(&out), want);
		assert_int_equal(tally_expr_evaluate(expr, &scope, &value),
				 isnan(good[i].value) ? -ENOENT : 0);
		if (!isnan(good[i].value) && fabs(value - good[i].value) > 1e-12 * fabs(value))
			fail_msg("%s is %.17g, wanted %.17g", good[i].text, value, good[i].value);
		tally_str_free(&out);
		tally_expr_free(expr);
	}
}

static const struct {
	const char *text;
	int offset;
	const char *why;
} bad[] = {
	{"", 0, "a value"},
	{"1 +", 3, "a value"},
	{"1 2", 2, "an operator"},
	{"(1", 2, "closing parenthesis"},
	{"1)", 1, "an operator"},
	{"a if b", 6, "expected else after if"},
	{"min(1)", 5, "a comma"},
	{"min(1, 2, 3)", 8, "closing"},
	{"has_event(1 + 2)", 15, "takes a name"},
	{"cpu@event", 0, "expected a number or name"},
	{"a\\", 0, "expected a number or name"},
	{"a $ b", 2, "an operator"},
	{"#", 0, "expected a number or name"},
	{"a * * b", 4, "a value"},
};

static void reports_the_offset_of_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(bad); i++) {
		struct tally_expr *expr;
		struct tally_error err = {0};

		assert_int_equal(tally_expr_parse(bad[i].text, strlen(bad[i].text), &expr, &err),
				 -EINVAL);
		assert_int_equal(err.code, -EINVAL);
		if (err.offset != bad[i].offset || !strstr(err.text, bad[i].why))
			fail_msg("'%s': byte %d, %s", bad[i].text, (int)err.offset, err.text);
	}
}

static void size_and_depth_are_bounded(void **state)
{
	enum { LONG = 200000 };
	char *text = malloc(LONG);
	struct tally_expr *expr;
	struct tally_error err;

	(void)state;
	assert_non_null(text);
	memset(text, '(', LONG);
	assert_int_equal(tally_expr_parse(text, LONG, &expr, &err), -E2BIG);
	assert_int_equal(tally_expr_parse(text, 60000, &expr, &err), -E2BIG);
	memset(text, '-', LONG);
	assert_int_equal(tally_expr_parse(text, 60000, &expr, &err), -E2BIG);
	for (int i = 0; i < 60001; i++)
		text[i] = i % 2 ? '+' : 'a';
	assert_int_equal(tally_expr_parse(text, 60001, &expr, &err), -E2BIG);
	assert_int_equal(tally_expr_parse(text, 1001, &expr, &err), 0);
	tally_expr_free(expr);
	free(text);
}

/* Check that bit operations on non-integers and division by zero have defined results. */
static void evaluates_unusual_numbers(void **state)
{
	static const struct {
		const char *text;
		double value;
	} odd[] = {
		{"1 / 0", INFINITY},    {"-1 / 0", -INFINITY},  {"0 / 0", NAN},
		{"1 % 0", NAN},         {"7 % -1", 0},          {"(0 / 0) | 2", 2},
		{"min(1, 0 / 0)", NAN}, {"max(0 / 0, 1)", NAN}, {"(0 / 0) > 1", 0},
		{"1e30 & 1", 1},        {"1e999", INFINITY},
	};

	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(odd); i++) {
		struct tally_expr *expr;
		double value = 0;

		assert_int_equal(tally_expr_parse(odd[i].text, strlen(odd[i].text), &expr, NULL),
				 0);
		assert_int_equal(tally_expr_evaluate(expr, &scope, &value), 0);
		if (value != odd[i].value && !(isnan(value) && isnan(odd[i].value)))
			fail_msg("%s is %g", odd[i].text, value);
		tally_expr_free(expr);
	}
}

/* Generate a random expression with more parentheses than necessary. */
static void random_write(struct random *random, int depth, struct tally_str *out)
{
	/* Strings before, between and after two operands. */
	static const char *const forms[][3] = {
		{"(", " + ", ")"},         {"(", " - ", ")"},          {"(", " * ", ")"},
		{"(", " / ", ")"},         {"(", " < ", ")"},          {"(", " > ", ")"},
		{"(", " & ", ")"},         {"(", " | ", ")"},          {"(", " ^ ", ")"},
		{"(", " % ", ")"},         {"-(", " + ", ")"},         {"(-", " - -", ")"},
		{"min(", ", ", ")"},       {"max(", ",", ")"},         {"d_ratio(", ",", ")"},
		{"(2 if ", " else ", ")"}, {"(", " if n3 else ", ")"},
	};
	const char *const *form = forms[random_below(random, TALLY_ARRAY_SIZE(forms))];

	if (!depth || !random_below(random, 5)) {
		tally_str_addf(out, "n%u", (unsigned)random_below(random, 9));
		return;
	}
	tally_str_add(out, form[0]);
	random_write(random, depth - 1, out);
	tally_str_add(out, form[1]);
	random_write(random, depth - 1, out);
	tally_str_add(out, form[2]);
}

/* Check that the canonical form of an expression has the same value and is its own canonical
 * form. */
static void canonical_form_means_the_same(void **state)
{
	struct random random = random_start();

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct tally_str text = {0}, once = {0}, twice = {0};
		struct tally_expr *expr, *again;
		double value, same;

		random_write(&random, 4, &text);
		assert_int_equal(tally_expr_parse(text.data, text.len, &expr, NULL), 0);
		tally_expr_print(expr, &once);
		assert_int_equal(tally_expr_parse(once.data, once.len, &again, NULL), 0);
		tally_expr_print(again, &twice);
		assert_string_equal(twice.data, once.data);
		assert_int_equal(tally_expr_evaluate(expr, &scope, &value), 0);
		assert_int_equal(tally_expr_evaluate(again, &scope, &same), 0);
		if (value != same && !(isnan(value) && isnan(same)))
			fail_msg("%s is %g, %s is %g", text.data, value, once.data, same);
		tally_expr_free(expr);
		tally_expr_free(again);
		tally_str_free(&text);
		tally_str_free(&once);
		tally_str_free(&twice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_valid_expressions),
		cmocka_unit_test(reports_the_offset_of_errors),
		cmocka_unit_test(size_and_depth_are_bounded),
		cmocka_unit_test(evaluates_unusual_numbers),
		cmocka_unit_test(canonical_form_means_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
