/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks and frames of a recording, and their IDs. */
#ifndef TALLY_DATASET_PLACES_H
#define TALLY_DATASET_PLACES_H

#include "base/map.h"
#include "base/slots.h"
#include "base/vec.h"
#include "profile/process/feed.h"
#include "profile/stacks.h"

/* An address in a file, in the kernel, or in neither. */
struct dataset_frame {
	struct tally_dso *dso; /* NULL if not mapped */
	const struct tally_symbol *symbol;
	uint64_t id;      /* set by dataset_frames_add() */
	uint64_t addr;    /* in the DSO's space */
	uint64_t address; /* the same after each boot */
	uint8_t cpumode;
	bool is_return;
};

/* Frames and stacks are numbered in order of appearance. An all-zero structure has none. */
struct dataset_places {
	struct tally_machine *machine; /* borrowed */
	TALLY_VEC(struct dataset_frame) frames;
	size_t nr_added;              /* frames that have IDs; for dataset_frames_add() */
	struct tally_slots slots;     /* index of `frames` */
	struct tally_map frame_of[2]; /* frame by location key; [1]: for return addresses */
	uint64_t space, generation;   /* for which `frame_of` is valid */
	struct tally_stacks stacks;
	TALLY_VEC(uint32_t) list; /* frames of the current sample's stack */
};

/* Find or add a sample's stack: its callchain, or else its address, innermost first. The stack is
 * TALLY_STACK_NONE if the sample has neither. Returns 0 or -ENOMEM. */
int dataset_places_find(struct dataset_places *places, const struct tally_feed_sample *sample,
			uint32_t *ret_stack);

/* Return true if there are so many stacks and frames that they should be written and forgotten. */
bool dataset_places_are_many(const struct dataset_places *places);

/* Forget all stacks and frames. */
void dataset_places_clear(struct dataset_places *places);
void dataset_places_free(struct dataset_places *places);

#endif
