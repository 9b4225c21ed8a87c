/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoding of a rule as table words: two words for the rule's head, and one word for each register.
 *
 * - word 0: number of registers (8 bits), register of the CFA (8), enum tally_unwind_cfa (4),
 *   is_signal (1)
 * - word 1: value of the CFA
 * - other words: register (6 bits), enum tally_unwind_reg_rule (3), value (23, signed)
 */
#ifndef TALLY_UNWIND_RULE_WORDS_H
#define TALLY_UNWIND_RULE_WORDS_H

#include "unwind/unwind_table.h"

enum { RULE_HEAD_WORDS = 2 };

static inline struct tally_unwind_rule rule_head_unpack(const uint32_t *words)
{
	return (struct tally_unwind_rule){
		.nr_regs = (uint8_t)words[0],
		.cfa_reg = (uint8_t)(words[0] >> 8),
		.cfa = words[0] >> 16 & 15,
		.is_signal = words[0] >> 20 & 1,
		.cfa_value = (int32_t)words[1],
		.regs = words + RULE_HEAD_WORDS,
	};
}

static inline uint32_t rule_head_pack(const struct tally_unwind_rule *rule)
{
	return rule->nr_regs | (uint32_t)rule->cfa_reg << 8 | (uint32_t)rule->cfa << 16 |
	       (uint32_t)rule->is_signal << 20;
}

static inline uint32_t rule_reg_pack(struct tally_unwind_reg reg)
{
	return reg.reg | (uint32_t)reg.how << 6 | (uint32_t)reg.value << 9;
}

#endif
