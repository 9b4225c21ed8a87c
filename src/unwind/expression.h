/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evaluation of DWARF expressions in call frame information, with a small stack machine. Bytes and
 * memory are untrusted; the number of steps is limited.
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
	bool swap;       /* its numbers are in the other byte order */
	unsigned *steps; /* operations left, counted down; NULL: not counted */
};

/* Evaluate an expression with `*first` on the stack (NULL: nothing). Return 0, -EINVAL if it is
 * invalid or takes too long, -E2BIG if it needs more than `*steps` operations, or -EFAULT if memory
 * is not available, with its address in *ret_missing. */
int tally_expression_evaluate(const struct tally_expression *expression,
			      const struct tally_unwind_regs *regs,
			      const struct tally_unwind_memory *memory, const uint64_t *first,
			      uint64_t *ret_value, uint64_t *ret_missing);

#endif
