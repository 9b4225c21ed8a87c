/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metric expressions: the language of "MetricExpr" and "MetricThreshold".
 *
 *	a if c else b    | ^ &    < >    + -    * / %    - unary, from loosest to tightest
 *	min(a, b) max(a, b) d_ratio(a, b) has_event(e) source_count(e) strcmp_cpuid_str(0x41)
 *	numbers, #literals, names of events and metrics
 *
 * In a name, a backslash escapes the next byte. Two @ stand for the slashes of pmu/terms/; all
 * bytes between them belong to the name.
 */
#ifndef TALLY_JEVENTS_EXPR_H
#define TALLY_JEVENTS_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum tally_expr_op {
	TALLY_EXPR_NUMBER,
	TALLY_EXPR_NAME,    /* event or metric */
	TALLY_EXPR_LITERAL, /* #num_cpus */
	TALLY_EXPR_NEG,
	TALLY_EXPR_MUL,
	TALLY_EXPR_DIV,
	TALLY_EXPR_MOD,
	TALLY_EXPR_ADD,
	TALLY_EXPR_SUB,
	TALLY_EXPR_LESS,
	TALLY_EXPR_GREATER,
	TALLY_EXPR_AND, /* bitwise AND of integers; comparisons result in 0 or 1 */
	TALLY_EXPR_XOR,
	TALLY_EXPR_OR,
	TALLY_EXPR_IF,  /* a if b else c */
	TALLY_EXPR_MIN, /* NaN if an operand is NaN */
	TALLY_EXPR_MAX,
	TALLY_EXPR_D_RATIO,      /* a / b, or 0 if b is 0 */
	TALLY_EXPR_HAS_EVENT,    /* argument is a name; 1 if the event exists */
	TALLY_EXPR_SOURCE_COUNT, /* argument is a name; number of counters summed for it */
	TALLY_EXPR_CPUID,        /* strcmp_cpuid_str of a name or number; 1 if the CPU matches */
};

/* Operands precede their operators, so one pass over the nodes evaluates an expression. */
struct tally_expr_node {
	enum tally_expr_op op;
	uint32_t operands[3]; /* indexes of earlier nodes */
	double number;
	uint32_t text, len; /* number, name or literal, as written */
	uint32_t depth;     /* height of the operator tree below the node */
};

struct tally_expr {
	char *text;                    /* copy of the parsed text */
	struct tally_expr_node *nodes; /* the last node is the result */
	uint32_t nr;
};

/* Parse an expression of `len` bytes. The caller frees `*ret_expr` with tally_expr_free(). Returns
 * 0; -EINVAL if the expression is invalid; -E2BIG if it is longer than 64 KiB, or nested or chained
 * too deeply; -ENOMEM. `err` is filled in on error. */
int tally_expr_parse(const char *text, size_t len, struct tally_expr **ret_expr,
		     struct tally_error *err);
void tally_expr_free(struct tally_expr *expr); /* `expr` may be NULL */

/* Supplies values to an expression. The callback returns 0 and a value, or -errno, which aborts the
 * evaluation. */
struct tally_expr_scope {
	int (*value)(void *context, enum tally_expr_op op, const char *text, size_t len,
		     double *ret_value); /* op: NAME, LITERAL, HAS_EVENT, SOURCE_COUNT or CPUID */
	void *context;
};

/* Evaluate an expression. Division by zero follows IEEE 754: the result is infinity or NaN. Returns
 * 0, an error from the scope, or -ENOMEM. */
int tally_expr_evaluate(const struct tally_expr *expr, const struct tally_expr_scope *scope,
			double *ret_value);

/* Return true if node `index` is the argument of has_event() or a similar function, which needs
 * only the name, not the value. */
bool tally_expr_is_argument(const struct tally_expr *expr, uint32_t index);

/* Append a name with escapes resolved: backslashes are removed, and each @ becomes a slash. */
void tally_expr_name_decode(const char *text, size_t len, struct tally_str *out);

/* Append the canonical form of an expression, with single spaces around operators, no redundant
 * parentheses, and the shortest form of numbers. */
void tally_expr_print(const struct tally_expr *expr, struct tally_str *out);

#endif
