/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evaluate DWARF expressions in call frame information, using a small stack machine. Bytes and
 * memory are untrusted, and the number of steps is limited.
 *
 * Source: DWARF 5, 2.5.1 and 6.4.2.
 *
 * Not supported: operations that need a compilation unit, a frame base or an object's address.
 */
#ifndef TALLY_UNWIND_EXPRESSION_H
#define TALLY_UNWIND_EXPRESSION_H

#include "unwind/arch.h"
#include "unwind/memory.h"

struct tally_expression {
	const uint8_t *code;
	size_t len;
	bool swap;       /* numbers are not in host byte order */
	unsigned *steps; /* operations left, counted down; NULL for no limit */
};

/* Evaluate an expression, starting with `*first` on the stack, or with an empty stack if `first` is
 * NULL. Return 0, -EINVAL if the expression is invalid or takes too long, -E2BIG if it needs more
 * than `*steps` operations, or -EFAULT if memory is not available, with its address in
 * *ret_missing. */
int tally_expression_evaluate(const struct tally_expression *expression,
			      const struct tally_unwind_regs *regs,
			      const struct tally_unwind_memory *memory, const uint64_t *first,
			      uint64_t *ret_value, uint64_t *ret_missing);

#endif
