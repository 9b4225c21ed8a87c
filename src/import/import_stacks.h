/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks that consist of the names of functions. */
#ifndef TALLY_IMPORT_IMPORT_STACKS_H
#define TALLY_IMPORT_IMPORT_STACKS_H

#include <inttypes.h>

#include "import/imported.h"

/* All functions belong to this module, because the stacks do not name any. */
#define IMPORT_MODULE "imported"

/* All zero except for the first three members. */
struct import_stacks {
	struct imported *imported;
	const char *path;
	const struct tally_messages *messages;
	uint64_t line;              /* number of the current line or row, for messages */
	TALLY_VEC(uint32_t) places; /* buffer */
};

/* Append a function to the stack's places. The suffixes of the stackcollapse scripts mark code of
 * the kernel (_[k]), and inlined (_[i]) and JIT code (_[j]); they are removed. Returns 0 or
 * -ENOMEM. */
int import_function_add(struct import_stacks *stacks, const char *name, size_t len);

/* Set the sample's stack to the one that `places` contains, and clear `places`. Returns 0 or
 * -ENOMEM. */
int import_stack_set(struct import_stacks *stacks, struct import_sample *sample);

/* Set the sample's stack to a folded one. Its first word is the comm if `has_comm`. Returns 0 or
 * -ENOMEM. */
int import_folded_set(struct import_stacks *stacks, const char *text, size_t len, bool has_comm,
		      struct import_sample *sample);

/* Add a sample. One with a weight of 0 is dropped. Returns 0 or -ENOMEM. */
int import_sample_add(struct import_stacks *stacks, const struct import_sample *sample);

/* Find an event or comm by its name. The thread of a comm is one of its own. Return 0 or
 * -ENOMEM. */
int import_event_named(struct import_stacks *stacks, const char *name, uint32_t *ret_event);
int import_comm_set(struct import_stacks *stacks, const char *name, size_t len,
		    struct import_sample *sample);

void import_stacks_free(struct import_stacks *stacks);

#endif
