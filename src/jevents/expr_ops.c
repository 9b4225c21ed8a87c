/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/arith.h"
#include "base/text.h"
#include "jevents/expr_ops.h"

static const struct tally_expr_binary binaries[] = {
	{'|', TALLY_EXPR_LEVEL_OR, TALLY_EXPR_OR},
	{'^', TALLY_EXPR_LEVEL_XOR, TALLY_EXPR_XOR},
	{'&', TALLY_EXPR_LEVEL_AND, TALLY_EXPR_AND},
	{'<', TALLY_EXPR_LEVEL_COMPARE, TALLY_EXPR_LESS},
	{'>', TALLY_EXPR_LEVEL_COMPARE, TALLY_EXPR_GREATER},
	{'+', TALLY_EXPR_LEVEL_ADD, TALLY_EXPR_ADD},
	{'-', TALLY_EXPR_LEVEL_ADD, TALLY_EXPR_SUB},
	{'*', TALLY_EXPR_LEVEL_MUL, TALLY_EXPR_MUL},
	{'/', TALLY_EXPR_LEVEL_MUL, TALLY_EXPR_DIV},
	{'%', TALLY_EXPR_LEVEL_MUL, TALLY_EXPR_MOD},
};

static const struct tally_expr_call calls[] = {
	{"min", TALLY_EXPR_MIN, 2, false},
	{"max", TALLY_EXPR_MAX, 2, false},
	{"d_ratio", TALLY_EXPR_D_RATIO, 2, false},
	{"has_event", TALLY_EXPR_HAS_EVENT, 1, true},
	{"source_count", TALLY_EXPR_SOURCE_COUNT, 1, true},
	{"strcmp_cpuid_str", TALLY_EXPR_CPUID, 1, true},
};

const struct tally_expr_binary *tally_expr_binary_find(char mark)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(binaries); i++)
		if (binaries[i].mark == mark)
			return &binaries[i];
	return NULL;
}

const struct tally_expr_binary *tally_expr_binary_of(enum tally_expr_op op)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(binaries); i++)
		if (binaries[i].op == op)
			return &binaries[i];
	return NULL;
}

const struct tally_expr_call *tally_expr_call_find(const char *name, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(calls); i++)
		if (tally_text_is(calls[i].name, name, len))
			return &calls[i];
	return NULL;
}

const struct tally_expr_call *tally_expr_call_of(enum tally_expr_op op)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(calls); i++)
		if (calls[i].op == op)
			return &calls[i];
	return NULL;
}
