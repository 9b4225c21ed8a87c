/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of rules while it is made. Stretches of code come in any order and may overlap: of two
 * that do, the one that begins first keeps what it has, and of two that begin at the same place
 * the one that was added first.
 */
#ifndef TALLY_UNWIND_BUILD_H
#define TALLY_UNWIND_BUILD_H

#include "base/slots.h"
#include "base/vec.h"
#include "unwind/arch.h"
#include "unwind/table.h"

/* A stretch of code with rows of its own. */
struct tally_unwind_stretch {
	uint32_t start, end;
	uint32_t first_row, nr_rows; /* of the builder's */
	uint32_t order;
	bool is_function; /* begins one */
	bool is_weak;     /* ends where another one begins */
	bool may_be_trampoline;
};

struct tally_unwind_row {
	uint32_t start, rule;
};

/* All zero, but for the limit, is an empty one. */
struct tally_unwind_build {
	TALLY_VEC(struct tally_unwind_stretch) stretches;
	TALLY_VEC(struct tally_unwind_row) rows;
	TALLY_VEC(uint32_t) words;
	TALLY_VEC(uint32_t) rule_at; /* of rules, by number, their place in `words` */
	TALLY_VEC(uint8_t) bytes;
	struct tally_slots slots; /* of rules */
	size_t max_words;         /* what rules may take in all */
	uint32_t code_start, code_end;
	bool is_partial;
};

/* Begin a stretch; rows that are added next are its. 0 or -ENOMEM. */
int tally_unwind_build_begin(struct tally_unwind_build *build,
			     const struct tally_unwind_stretch *stretch);

/* A row of the last stretch: from `start` on this rule holds, NULL: none does. The registers of a
 * rule stand in the order of their numbers. 0; -ENOMEM; -E2BIG if rules take too much, or there are
 * too many rows. */
int tally_unwind_build_row(struct tally_unwind_build *build, uint32_t start,
			   const struct tally_unwind_rule *rule);

/* Keep the bytes of an expression; `*ret_value` stands for them. 0; -ENOMEM; -E2BIG. */
int tally_unwind_build_expression(struct tally_unwind_build *build, const uint8_t *code, size_t len,
				  int32_t *ret_value);

/* Sort the stretches. */
void tally_unwind_build_sort(struct tally_unwind_build *build);

/* Sort, choose, and lay the table out as one block, which the caller frees. 0 or -ENOMEM; -E2BIG
 * beyond 2^29 rows. */
int tally_unwind_build_finish(struct tally_unwind_build *build,
			      const struct tally_unwind_arch *arch, void **ret_bytes,
			      size_t *ret_len);

void tally_unwind_build_free(struct tally_unwind_build *build);

#endif
