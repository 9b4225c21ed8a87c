/* SPDX-License-Identifier: BSD-2-Clause */
/* The canonical form of a valid metric expression must have the same value as the expression, and
 * must be its own canonical form. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jevents/expr.h"

/* Return a value that depends on the name. */
static int value_of(void *context, enum tally_expr_op op, const char *text, size_t len,
		    double *ret_value)
{
	(void)context;
	*ret_value = op;
	for (size_t i = 0; i < len; i++)
		*ret_value = *ret_value * 3 - text[i];
	return 0;
}

static double evaluate(const struct tally_expr *expr)
{
	static const struct tally_expr_scope scope = {value_of, NULL};
	double value = NAN;

	if (tally_expr_evaluate(expr, &scope, &value) > 0)
		abort();
	return value;
}

static void check(const struct tally_expr *expr)
{
	struct tally_expr *again = NULL;
	struct tally_str once = {0}, twice = {0};
	double value = evaluate(expr), same;
	int ret;

	tally_expr_print(expr, &once);
	ret = tally_expr_parse(once.data, once.len, &again, NULL);
	if (ret == -E2BIG) /* text became longer because conditions were put in parentheses */
		goto out;
	if (ret)
		abort();
	tally_expr_print(again, &twice);
	same = evaluate(again);
	if (strcmp(once.data, twice.data) || (value != same && !(isnan(value) && isnan(same))))
		abort();
	tally_expr_free(again);
out:
	tally_str_free(&once);
	tally_str_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_expr *expr = NULL;
	struct tally_error err = {0};
	int ret = tally_expr_parse((const char *)data, size, &expr, &err);

	if (ret && (ret != err.code || !err.text || err.offset > size))
		abort();
	if (!ret)
		check(expr);
	tally_expr_free(expr);
	return 0;
}
