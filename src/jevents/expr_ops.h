/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators and functions in metric expressions. Internal to jevents. */
#ifndef TALLY_JEVENTS_EXPR_OPS_H
#define TALLY_JEVENTS_EXPR_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "jevents/expr.h"

/* Precedence of operators, loosest first. */
enum {
	TALLY_EXPR_LEVEL_IF = 1,
	TALLY_EXPR_LEVEL_OR,
	TALLY_EXPR_LEVEL_XOR,
	TALLY_EXPR_LEVEL_AND,
	TALLY_EXPR_LEVEL_COMPARE,
	TALLY_EXPR_LEVEL_ADD,
	TALLY_EXPR_LEVEL_MUL,
	TALLY_EXPR_LEVEL_UNARY,
	TALLY_EXPR_LEVEL_LEAF,
};

struct tally_expr_binary {
	char mark;
	int level;
	enum tally_expr_op op;
};

struct tally_expr_call {
	const char *name;
	enum tally_expr_op op;
	int operands;
	bool named; /* the operand is a name, not a value */
};

/* All functions return NULL if the operator or function does not exist. */
const struct tally_expr_binary *tally_expr_binary_find(char mark);
const struct tally_expr_binary *tally_expr_binary_of(enum tally_expr_op op);
const struct tally_expr_call *tally_expr_call_find(const char *name, size_t len);
const struct tally_expr_call *tally_expr_call_of(enum tally_expr_op op);

#endif
