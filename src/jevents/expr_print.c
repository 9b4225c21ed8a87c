/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "jevents/expr.h"
#include "jevents/expr_ops.h"

/* Return the precedence of a node. */
static int node_level(const struct tally_expr_node *node)
{
	const struct tally_expr_binary *binary = tally_expr_binary_of(node->op);

	if (binary)
		return binary->level;
	return node->op == TALLY_EXPR_IF    ? TALLY_EXPR_LEVEL_IF
	       : node->op == TALLY_EXPR_NEG ? TALLY_EXPR_LEVEL_UNARY
					    : TALLY_EXPR_LEVEL_LEAF;
}

/* Shorten numbers with three or more trailing zeros: "1000000" becomes "1e6". */
static void number_print(const char *text, size_t len, struct tally_str *out)
{
	size_t digits = len;

	while (digits > 1 && text[digits - 1] == '0')
		digits--;
	if (len - digits < 3 || memchr(text, '.', len) || memchr(text, 'e', len) ||
	    memchr(text, 'x', len) || memchr(text, 'E', len) || memchr(text, 'X', len)) {
		tally_str_add_bytes(out, text, len);
		return;
	}
	tally_str_add_bytes(out, text, digits);
	tally_str_addf(out, "e%zu", len - digits);
}

static void node_print(const struct tally_expr *expr, uint32_t index, int level,
		       struct tally_str *out);

static void call_print(const struct tally_expr *expr, const struct tally_expr_node *node,
		       const struct tally_expr_call *call, struct tally_str *out)
{
	tally_str_addf(out, "%s(", call->name);
	for (int i = 0; i < call->operands; i++) {
		tally_str_add(out, i ? ", " : "");
		node_print(expr, node->operands[i], 0, out);
	}
	tally_str_add_char(out, ')');
}

static void operator_print(const struct tally_expr *expr, const struct tally_expr_node *node,
			   struct tally_str *out)
{
	const struct tally_expr_binary *binary = tally_expr_binary_of(node->op);
	const struct tally_expr_call *call = tally_expr_call_of(node->op);
	const char *text = expr->text + node->text;

	if (binary) {
		node_print(expr, node->operands[0], binary->level, out);
		tally_str_addf(out, " %c ", binary->mark);
		node_print(expr, node->operands[1], binary->level + 1, out);
	} else if (call) {
		call_print(expr, node, call, out);
	} else if (node->op == TALLY_EXPR_IF) {
		node_print(expr, node->operands[0], TALLY_EXPR_LEVEL_IF + 1, out);
		tally_str_add(out, " if ");
		node_print(expr, node->operands[1], TALLY_EXPR_LEVEL_IF + 1, out);
		tally_str_add(out, " else ");
		node_print(expr, node->operands[2], TALLY_EXPR_LEVEL_IF, out);
	} else if (node->op == TALLY_EXPR_NEG) {
		tally_str_add_char(out, '-');
		node_print(expr, node->operands[0], TALLY_EXPR_LEVEL_UNARY, out);
	} else if (node->op == TALLY_EXPR_NUMBER) {
		number_print(text, node->len, out);
	} else {
		tally_str_add_bytes(out, text, node->len);
	}
}

/* Print a node, in parentheses if its context binds more tightly. Conditions are always
 * parenthesized for readability. */
static void node_print(const struct tally_expr *expr, uint32_t index, int level,
		       struct tally_str *out)
{
	const struct tally_expr_node *node = &expr->nodes[index];
	bool parentheses = node_level(node) < level || node->op == TALLY_EXPR_IF;

	if (parentheses)
		tally_str_add_char(out, '(');
	operator_print(expr, node, out);
	if (parentheses)
		tally_str_add_char(out, ')');
}

void tally_expr_print(const struct tally_expr *expr, struct tally_str *out)
{
	node_print(expr, expr->nr - 1, 0, out);
}
