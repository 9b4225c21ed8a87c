/* SPDX-License-Identifier: BSD-2-Clause */
/* Format a rule as text: in "7+16 6@-16 16@-8", the CFA is register 7 + 16, and two registers are
 * in memory. */
#ifndef TALLY_TESTS_UNWIND_RULE_TEXT_H
#define TALLY_TESTS_UNWIND_RULE_TEXT_H

#include <stdio.h>

#include "unwind/unwind_table.h"

static inline int expression_text(const struct tally_unwind_table *table, int32_t value, char *text,
				  size_t size)
{
	const uint8_t *code;
	size_t len;
	int at = 0;

	if (!tally_unwind_table_expression(table, value, &code, &len))
		return snprintf(text, size, "{broken}");
	at += snprintf(text, size, "{");
	for (size_t i = 0; i < len && i < 16; i++)
		at += snprintf(text + at, size - (size_t)at, "%s%02x", i ? " " : "", code[i]);
	return at + snprintf(text + at, size - (size_t)at, "}");
}

static inline const char *rule_text(const struct tally_unwind_table *table, uint64_t addr)
{
	static char text[512];
	/* Prefixes of values, indexed by enum tally_unwind_reg_rule. */
	static const char *const signs[] = {"?", "@", "=cfa", "=r", "@", "=", "same"};
	struct tally_unwind_rule rule;
	int at = 0;

	if (!tally_unwind_table_find(table, addr, &rule))
		return "none";
	if (rule.cfa == TALLY_CFA_NONE)
		return "outermost";
	if (rule.cfa == TALLY_CFA_CONTEXT)
		return "context";
	if (rule.cfa == TALLY_CFA_EXPRESSION)
		at += expression_text(table, rule.cfa_value, text, sizeof(text));
	else
		at += snprintf(text, sizeof(text), "%u%+d", rule.cfa_reg, rule.cfa_value);
	for (unsigned i = 0; i < rule.nr_regs; i++) {
		struct tally_unwind_reg reg = tally_unwind_rule_reg(&rule, i);
		size_t left = sizeof(text) - (size_t)at;

		at += snprintf(text + at, left, " %u%s", reg.reg, signs[reg.how]);
		left = sizeof(text) - (size_t)at;
		if (reg.how == TALLY_REG_OFFSET || reg.how == TALLY_REG_VAL_OFFSET)
			at += snprintf(text + at, left, "%+d", reg.value);
		else if (reg.how == TALLY_REG_REGISTER)
			at += snprintf(text + at, left, "%d", reg.value);
		else if (reg.how == TALLY_REG_EXPRESSION || reg.how == TALLY_REG_VAL_EXPRESSION)
			at += expression_text(table, reg.value, text + at, left);
	}
	if (rule.is_signal)
		snprintf(text + at, sizeof(text) - (size_t)at, " signal");
	return text;
}

#endif
