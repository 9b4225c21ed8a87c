/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of rules under construction. Code ranges are added in any order and may overlap. Where
 * ranges overlap, the one that starts first applies. If they start at the same address, the one
 * that was added first applies.
 */
#ifndef TALLY_UNWIND_BUILD_H
#define TALLY_UNWIND_BUILD_H

#include "base/slots.h"
#include "base/vec.h"
#include "unwind/arch.h"
#include "unwind/unwind_table.h"

/* Range of code with its own rows. */
struct tally_unwind_range {
	uint32_t start, end;
	uint32_t first_row, nr_rows; /* in build->rows */
	uint32_t order;
	bool is_function; /* starts a function */
	bool is_weak;     /* ends where the next range begins */
	bool may_be_trampoline;
};

struct tally_unwind_row {
	uint32_t start, rule;
};

/* Empty if all members except the limit are zero. */
struct tally_unwind_build {
	TALLY_VEC(struct tally_unwind_range) stretches;
	TALLY_VEC(struct tally_unwind_row) rows;
	TALLY_VEC(uint32_t) words;
	TALLY_VEC(uint32_t) rule_at; /* rule offsets in `words`, by rule number */
	TALLY_VEC(uint8_t) bytes;
	struct tally_slots slots; /* index of rules */
	size_t max_words;         /* maximum number of `words` */
	uint32_t code_start, code_end;
	bool is_partial;
};

/* Begin a range. The rows added next belong to it. Return 0 or -ENOMEM. */
int tally_unwind_build_begin(struct tally_unwind_build *build,
			     const struct tally_unwind_range *stretch);

/* Add a row to the last range. The rule applies from `start` on; NULL means that there is no rule.
 * A rule's registers must be sorted by number. Return 0, -ENOMEM, or -E2BIG if there are too many
 * rows or the rules take too much space. */
int tally_unwind_build_row(struct tally_unwind_build *build, uint32_t start,
			   const struct tally_unwind_rule *rule);

/* Store the bytes of an expression. Rules refer to it with *ret_value. Return 0, -ENOMEM, or -E2BIG
 * if this expression, or all expressions together, are too large. */
int tally_unwind_build_expression(struct tally_unwind_build *build, const uint8_t *code, size_t len,
				  int32_t *ret_value);

/* Sort the ranges. */
void tally_unwind_build_sort(struct tally_unwind_build *build);

/* Sort the ranges, resolve overlaps, and lay out the table as one block, which the caller frees.
 * Return 0, -ENOMEM, or -E2BIG if there are more than 2^29 rows. */
int tally_unwind_build_finish(struct tally_unwind_build *build,
			      const struct tally_unwind_arch *arch, void **ret_bytes,
			      size_t *ret_len);

void tally_unwind_build_free(struct tally_unwind_build *build);

#endif
