/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples by the type of data that their instructions access, and by member. */
#ifndef TALLY_PROFILE_ANNOTATE_TYPE_COSTS_H
#define TALLY_PROFILE_ANNOTATE_TYPE_COSTS_H

#include "base/vec.h"
#include "profile/annotate/data_types.h"
#include "profile/annotate/profile_annotate.h"

struct tally_type_sum {
	uint64_t nr, weight; /* samples and the sum of their weights */
};

/* A type and the cost of its members. Types of different files with the same name and size are one
 * type. */
struct tally_typed {
	const struct tally_type *type;
	struct tally_type_sum sum;
	struct tally_type_sum *members; /* by member, `type->nr` of them; owned */
};

struct tally_type_costs {
	TALLY_VEC(struct tally_typed) all; /* heaviest first */
	struct tally_type_sum results[TALLY_DATA_RESULTS];
};

/* Find the types of an event's samples in the functions in `annotate`. Returns 0 or -ENOMEM. */
int tally_type_costs_find(struct tally_data_types *types, const struct tally_annotate *annotate,
			  uint32_t event, struct tally_type_costs *ret_costs);
void tally_type_costs_free(struct tally_type_costs *costs);

/* Return the number of samples with any result. */
uint64_t tally_type_costs_nr(const struct tally_type_costs *costs);

#endif
