/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF expressions as call frame information uses them: a small machine with a stack. Hostile
 * bytes and memory: it ends after a bounded number of steps and says so.
 *
 * Source: DWARF 5, 2.5.1 and 6.4.2.
 *
 * It does not: operations that need a compilation unit, a frame base or an object's address.
 */
#ifndef TALLY_UNWIND_EXPRESSION_H
#define TALLY_UNWIND_EXPRESSION_H

#include "unwind/arch.h"
#include "unwind/memory.h"

struct tally_expression {
	const uint8_t *code;
	size_t len;
	bool swap;       /* numbers in it are of the other byte order */
	unsigned *steps; /* operations that may still be done, and count down; NULL: no matter */
};

/* The value of an expression, which begins with `*first` on the stack (NULL: with nothing). 0;
 * -EINVAL for what is no expression, or takes too long; -E2BIG where `*steps` are not enough;
 * -EFAULT for memory that is not there, at `*ret_missing`. */
int tally_expression_evaluate(const struct tally_expression *expression,
			      const struct tally_unwind_regs *regs,
			      const struct tally_unwind_memory *memory, const uint64_t *first,
			      uint64_t *ret_value, uint64_t *ret_missing);

#endif
