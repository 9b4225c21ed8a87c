/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of rules under construction. Ranges of code are added in any order and may overlap. Where
 * two overlap, the one that begins first applies; if both begin at the same address, the one that
 * was added first.
 */
#ifndef TALLY_UNWIND_BUILD_H
#define TALLY_UNWIND_BUILD_H

#include "base/slots.h"
#include "base/vec.h"
#include "unwind/arch.h"
#include "unwind/unwind_table.h"

/* A range of code with its own rows. */
struct tally_unwind_range {
	uint32_t start, end;
	uint32_t first_row, nr_rows; /* in build->rows */
	uint32_t order;
	bool is_function; /* starts a function */
	bool is_weak;     /* ends where another range begins */
	bool may_be_trampoline;
};

struct tally_unwind_row {
	uint32_t start, rule;
};

/* Empty if all members are zero except the limit. */
struct tally_unwind_build {
	TALLY_VEC(struct tally_unwind_range) stretches;
	TALLY_VEC(struct tally_unwind_row) rows;
	TALLY_VEC(uint32_t) words;
	TALLY_VEC(uint32_t) rule_at; /* offsets of rules in `words`, by number */
	TALLY_VEC(uint8_t) bytes;
	struct tally_slots slots; /* index of rules */
	size_t max_words;         /* limit for `words` */
	uint32_t code_start, code_end;
	bool is_partial;
};

/* Begin a range; the rows added next belong to it. Return 0 or -ENOMEM. */
int tally_unwind_build_begin(struct tally_unwind_build *build,
			     const struct tally_unwind_range *stretch);

/* Add a row to the last range: the rule applies from `start` on; NULL: no rule. The registers of a
 * rule are sorted by number. Return 0, -ENOMEM, or -E2BIG if there are too many rows or the rules
 * take too much space. */
int tally_unwind_build_row(struct tally_unwind_build *build, uint32_t start,
			   const struct tally_unwind_rule *rule);

/* Store the bytes of an expression; rules refer to it by *ret_value. Return 0, -ENOMEM, or -E2BIG
 * if it or the sum of all is too large. */
int tally_unwind_build_expression(struct tally_unwind_build *build, const uint8_t *code, size_t len,
				  int32_t *ret_value);

/* Sort the ranges. */
void tally_unwind_build_sort(struct tally_unwind_build *build);

/* Sort the ranges, resolve overlaps, and lay out the table as one block, which the caller frees.
 * Return 0, -ENOMEM, or -E2BIG for more than 2^29 rows. */
int tally_unwind_build_finish(struct tally_unwind_build *build,
			      const struct tally_unwind_arch *arch, void **ret_bytes,
			      size_t *ret_len);

void tally_unwind_build_free(struct tally_unwind_build *build);

#endif
