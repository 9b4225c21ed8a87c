/* SPDX-License-Identifier: BSD-2-Clause */
/* Inlined functions with samples, and the functions that contain their code. */
#ifndef TALLY_PROFILE_ANNOTATE_INLINED_USES_H
#define TALLY_PROFILE_ANNOTATE_INLINED_USES_H

#include "base/map.h"
#include "base/vec.h"
#include "profile/annotate/profile_annotate.h"

/* The code of an inlined function in one function. */
struct tally_inlined_use {
	const struct tally_annotate_function *function;
	const struct tally_symbol *symbol; /* of the inlined function */
	uint64_t nr, weight;               /* samples at addresses in this code */
};

struct tally_inlined_uses {
	TALLY_VEC(struct tally_inlined_use) all; /* heaviest first */
	enum tally_symbol_match match;           /* of all uses */
};

/* Find inlined functions that match `word`, with samples of the given events. If whole names match,
 * functions that match in part are left out. The annotator must have kept the addresses of all
 * functions. Returns 0 or -ENOMEM. */
int tally_inlined_uses_find(const struct tally_annotate *annotate, const char *word,
			    const uint32_t *events, size_t nr_events,
			    struct tally_inlined_uses *ret_uses);

static inline void tally_inlined_uses_free(struct tally_inlined_uses *uses)
{
	tally_vec_free(&uses->all);
}

#endif
