/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metric expressions: the language of "MetricExpr" and "MetricThreshold".
 *
 *	a if c else b    | ^ &    < >    + -    * / %    - unary, from loosest to tightest
 *	min(a, b) max(a, b) d_ratio(a, b) has_event(e) source_count(e) strcmp_cpuid_str(0x41)
 *	numbers, #literals, names of events and metrics
 *
 * In a name a backslash takes the next byte as it is, and between two @ (where they stand for the
 * slashes of pmu/terms/) so does everything.
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
	TALLY_EXPR_AND, /* of integers, bit by bit; 0 and 1 come out of comparisons */
	TALLY_EXPR_XOR,
	TALLY_EXPR_OR,
	TALLY_EXPR_IF,  /* a if b else c */
	TALLY_EXPR_MIN, /* of no number and a number: no number */
	TALLY_EXPR_MAX,
	TALLY_EXPR_D_RATIO,      /* a / b, and 0 where b is 0 */
	TALLY_EXPR_HAS_EVENT,    /* of a name: 1 if there is such an event here */
	TALLY_EXPR_SOURCE_COUNT, /* of a name: how many counters its value was summed over */
	TALLY_EXPR_CPUID,        /* strcmp_cpuid_str of a name or number: 1 on that CPU */
};

/* Operands come before their operators, so one pass over the nodes evaluates. */
struct tally_expr_node {
	enum tally_expr_op op;
	uint32_t operands[3]; /* indices of earlier nodes */
	double number;
	uint32_t text, len; /* number, name, literal: as it was written */
	uint32_t depth;     /* operators below each other, from here down */
};

struct tally_expr {
	char *text;                    /* what was parsed */
	struct tally_expr_node *nodes; /* the last one is the result */
	uint32_t nr;
};

/* Parse `len` bytes. The caller frees `*ret_expr`. 0; -EINVAL for what is no expression, -E2BIG for
 * one of more than 64 KiB, or nested or chained too deeply, all with `err` filled; -ENOMEM. */
int tally_expr_parse(const char *text, size_t len, struct tally_expr **ret_expr,
		     struct tally_error *err);
void tally_expr_free(struct tally_expr *expr); /* NULL is allowed */

/* Where values come from. Each gives 0 and a value, or -errno, which ends the evaluation. */
struct tally_expr_scope {
	int (*value)(void *context, enum tally_expr_op op, const char *text, size_t len,
		     double *ret_value); /* NAME, LITERAL, HAS_EVENT, SOURCE_COUNT, CPUID */
	void *context;
};

/* The value. Division by zero gives what IEEE 754 says, an infinity or no number. 0, an error of
 * the scope, or -ENOMEM. */
int tally_expr_evaluate(const struct tally_expr *expr, const struct tally_expr_scope *scope,
			double *ret_value);

/* Whether node `index` is a name that has_event() and its like take as a name: its value is not
 * wanted. */
bool tally_expr_is_argument(const struct tally_expr *expr, uint32_t index);

/* Append what a name in an expression stands for: backslashes gone, every @ a slash. */
void tally_expr_name_decode(const char *text, size_t len, struct tally_str *out);

/* Append in canonical form: single blanks around operators, no parentheses that change nothing,
 * numbers as short as they can be written. */
void tally_expr_print(const struct tally_expr *expr, struct tally_str *out);

#endif
