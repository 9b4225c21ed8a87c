/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "jevents/expr.h"

/* Convert to an integer for bitwise operators. Out-of-range values are clamped, and NaN becomes
 * 0. */
static int64_t integer(double value)
{
	if (isnan(value))
		return 0;
	if (value >= 0x1p63)
		return INT64_MAX;
	return value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

static double modulo(double a, double b)
{
	int64_t by = integer(b);

	return by == 0 ? NAN : by == -1 ? 0 : (double)(integer(a) % by);
}

static double compute(enum tally_expr_op op, double a, double b, double c)
{
	switch (op) {
	case TALLY_EXPR_NEG: return -a;
	case TALLY_EXPR_MUL: return a * b;
	case TALLY_EXPR_DIV: return a / b;
	case TALLY_EXPR_MOD: return modulo(a, b);
	case TALLY_EXPR_ADD: return a + b;
	case TALLY_EXPR_SUB: return a - b;
	case TALLY_EXPR_LESS: return a < b;
	case TALLY_EXPR_GREATER: return a > b;
	case TALLY_EXPR_AND: return (double)(integer(a) & integer(b));
	case TALLY_EXPR_XOR: return (double)(integer(a) ^ integer(b));
	case TALLY_EXPR_OR: return (double)(integer(a) | integer(b));
	case TALLY_EXPR_IF: return b != 0 ? a : c;
	case TALLY_EXPR_MIN: return isnan(a) || a < b ? a : b;
	case TALLY_EXPR_MAX: return isnan(a) || a > b ? a : b;
	default: return b == 0 ? 0 : a / b; /* D_RATIO */
	}
}

/* Evaluate a node. For a function that takes a name, pass the name itself to the scope instead of
 * evaluating it. */
static int node_value(const struct tally_expr *expr, const struct tally_expr_scope *scope,
		      const double *values, uint32_t index, double *ret_value)
{
	const struct tally_expr_node *node = &expr->nodes[index], *named = node;

	switch (node->op) {
	case TALLY_EXPR_NUMBER: *ret_value = node->number; return 0;
	case TALLY_EXPR_HAS_EVENT:
	case TALLY_EXPR_SOURCE_COUNT:
	case TALLY_EXPR_CPUID: named = &expr->nodes[node->operands[0]]; break;
	case TALLY_EXPR_NAME:
	case TALLY_EXPR_LITERAL: break;
	default:
		*ret_value = compute(node->op, values[node->operands[0]], values[node->operands[1]],
				     values[node->operands[2]]);
		return 0;
	}
	return scope->value(scope->context, node->op, expr->text + named->text, named->len,
			    ret_value);
}

bool tally_expr_is_argument(const struct tally_expr *expr, uint32_t index)
{
	enum tally_expr_op next =
		index + 1 < expr->nr ? expr->nodes[index + 1].op : TALLY_EXPR_NUMBER;

	return expr->nodes[index].op == TALLY_EXPR_NAME &&
	       (next == TALLY_EXPR_HAS_EVENT || next == TALLY_EXPR_SOURCE_COUNT ||
		next == TALLY_EXPR_CPUID);
}

int tally_expr_evaluate(const struct tally_expr *expr, const struct tally_expr_scope *scope,
			double *ret_value)
{
	double *values = calloc(expr->nr, sizeof(*values));
	int ret = values ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < expr->nr && !ret; i++)
		if (!tally_expr_is_argument(expr, i))
			ret = node_value(expr, scope, values, i, &values[i]);
	if (!ret)
		*ret_value = values[expr->nr - 1];
	free(values);
	return ret;
}

void tally_expr_name_decode(const char *text, size_t len, struct tally_str *out)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len)
			tally_str_add_char(out, text[++i]);
		else
			tally_str_add_char(out, text[i] == '@' ? '/' : text[i]);
	}
}
