/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for binary operators, which groups them as perf does. */
#include <errno.h>

#include "base/arith.h"
#include "printfmt/printfmt.h"
#include "printfmt/printfmt_compile.h"

enum { RANK_MINUS = 9 };

/* Table of operators. An operator precedes its prefixes, such as "<<" before "<". A higher rank
 * binds more tightly. */
static const struct {
	const char *text;
	uint8_t op, rank;
} operators[] = {
	{"<<", TP_SHL, 8},         {">>", TP_SHR, 8}, {"<=", TP_LE, 7},   {">=", TP_GE, 7},
	{"==", TP_EQ, 6},          {"!=", TP_NE, 6},  {"&&", TP_LAND, 2}, {"||", TP_LOR, 1},
	{"*", TP_MUL, 10},         {"/", TP_DIV, 10}, {"%", TP_MOD, 10},  {"+", TP_ADD, RANK_MINUS},
	{"-", TP_SUB, RANK_MINUS}, {"<", TP_LT, 7},   {">", TP_GT, 7},    {"&", TP_AND, 5},
	{"^", TP_XOR, 4},          {"|", TP_OR, 3},   {"?", TP_COND, 0},
};

static bool operator_accept(struct tally_tp_compiler *c, uint8_t *ret_op, unsigned *ret_rank)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(operators); i++) {
		if (!tally_tp_accept(c, operators[i].text))
			continue;
		*ret_op = operators[i].op;
		*ret_rank = operators[i].rank;
		return true;
	}
	return false;
}

/* Return the rank of a node's operator, or UINT32_MAX if the node is not an operator. */
static unsigned node_rank(const struct tally_tp_node *node)
{
	if (node->op == TP_NEGATE)
		return RANK_MINUS;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(operators); i++)
		if (operators[i].op == node->op)
			return operators[i].rank;
	return UINT32_MAX;
}

/* Create the node "left op right". If the operator of `right` has a lower rank, perf rotates the
 * tree even if `right` is in parentheses: a * (b + c) becomes (a * b) + c. */
static int operation_new(struct tally_tp_compiler *c, uint8_t op, unsigned rank,
			 const struct tally_tp_node *left, const struct tally_tp_node *right,
			 struct tally_tp_node **ret_node)
{
	struct tally_tp_node *node = tally_tp_node_new(c, op), *turned;

	if (!node)
		return tally_tp_no_memory(c);
	node->a = left;
	node->b = right;
	if (node_rank(right) >= rank) {
		*ret_node = node;
		return 0;
	}
	if (right->op == TP_NEGATE)
		return tally_tp_fail(c, -EOPNOTSUPP,
				     "unary minus after an operator that binds more tightly");
	turned = tally_tp_node_new(c, right->op);
	if (!turned)
		return tally_tp_no_memory(c);
	*turned = *right;
	node->b = right->a;
	turned->a = node;
	*ret_node = turned;
	return 0;
}

/* Parse the part after `test ?`. As in perf, the part after the colon is only one operand. */
static int choice_parse(struct tally_tp_compiler *c, const struct tally_tp_node **test)
{
	const struct tally_tp_node *yes = NULL;
	struct tally_tp_node *no = NULL, *node;
	int ret = tally_tp_expr_parse(c, &yes);

	if (!ret && !tally_tp_accept(c, ":"))
		ret = tally_tp_fail(c, -EOPNOTSUPP, "missing ':' after '?'");
	if (!ret)
		ret = tally_tp_operand_parse(c, &no);
	if (ret)
		return ret;
	node = tally_tp_node_new(c, TP_COND);
	if (!node)
		return tally_tp_no_memory(c);
	node->a = *test;
	node->b = yes;
	node->c = no;
	*test = node;
	return 0;
}

/*
 * Parse the operators that follow the operand in `*slot`, replacing `*slot` with each new
 * operation. perf's rules differ from C: an operator that binds more loosely than the previous one
 * takes the previous operation as its left side. Any other operator takes only the previous right
 * operand, regardless of operators further to the left. So 10 - 3 - 2 is 10 - (3 - 2).
 */
static int operators_parse(struct tally_tp_compiler *c, const struct tally_tp_node **slot)
{
	struct tally_tp_node *right = NULL, *node = NULL;
	unsigned rank, next;
	bool turned;
	uint8_t op;
	int ret;

	if (!operator_accept(c, &op, &rank))
		return 0;
	for (;;) {
		if (op == TP_COND)
			return choice_parse(c, slot);
		ret = tally_tp_operand_parse(c, &right);
		if (!ret)
			ret = operation_new(c, op, rank, *slot, right, &node);
		if (ret)
			return ret;
		*slot = node;
		turned = node->op != op;
		if (!operator_accept(c, &op, &next))
			return 0;
		if (turned && next > node_rank(node))
			return tally_tp_fail(c, -EOPNOTSUPP,
					     "operator after a group that binds less tightly");
		if (next >= rank)
			slot = &node->b;
		rank = next;
	}
}

int tally_tp_expr_parse(struct tally_tp_compiler *c, const struct tally_tp_node **ret_node)
{
	const struct tally_tp_node *root = NULL, *before;
	struct tally_tp_node *first = NULL;
	int ret;

	if (++c->depth > TALLY_TP_MAX_DEPTH)
		return tally_tp_fail(c, -EOPNOTSUPP, "expression nested too deeply");
	ret = tally_tp_operand_parse(c, &first);
	root = first;
	do {
		before = root;
		if (!ret)
			ret = operators_parse(c, &root);
	} while (!ret && root != before);
	c->depth--;
	if (!ret)
		*ret_node = root;
	return ret;
}

/* The cast is safe, because the compiler owns the nodes until the print fmt is executed. */
void tally_tp_fold(const struct tally_tp_node *constant)
{
	struct tally_tp_node *node = (struct tally_tp_node *)(uintptr_t)constant;

	if (!node)
		return;
	tally_tp_fold(node->a);
	tally_tp_fold(node->b);
	tally_tp_fold(node->c);
	if (node->op < TP_MUL || node->a->op != TP_NUM || node->b->op != TP_NUM)
		return;
	node->value = tally_tp_arith(node->op, node->a->value, node->b->value);
	node->op = TP_NUM;
	node->text = "";
	node->len = 0;
	node->a = node->b = NULL;
}
