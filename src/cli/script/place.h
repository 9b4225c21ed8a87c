/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands behind an address: its symbol and its file, as text that is remembered. */
#ifndef TALLY_CLI_SCRIPT_PLACE_H
#define TALLY_CLI_SCRIPT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "profile/machine.h"

struct script_place_slot;

/* A place in the output whose text is not there yet. */
struct script_held_place {
	size_t at; /* in the output */
	struct tally_location where;
	uint64_t ip;
	uint32_t fields;
	bool is_return, in_chain;
};

struct script_places {
	struct tally_machine *machine;
	void *memory;
	struct script_place_slot *slots; /* in `memory`, at the start of a cache line */
	size_t nr_slots;
	uint64_t nr_missed; /* lines that were not remembered */
	bool is_inlined;    /* inlined functions have lines in callchains */
	bool has_paths;     /* files of source are shown with their directories */
	/* Places whose lines of source have to be read from debug information first, in the order
	 * of the output: reading them one by one takes many times as long. */
	TALLY_VEC(struct script_held_place) held;
	uint64_t held_since; /* when the first one was added, by tally_clock_now() */
};

/* An address of a sample. */
struct script_place {
	uint64_t key[TALLY_LOCATION_KEY_WORDS]; /* see tally_machine_location_key() */
	struct script_place_slot *slot;         /* of its text; NULL: that is not remembered */
	bool is_return; /* where a call returns to, for the caller to say: its line is the call's */
};

/* `machine` must outlive it. 0 or -ENOMEM. */
int script_places_init(struct script_places *places, struct tally_machine *machine);
/* Have more lines remembered once there are many, and forget those that are. Between samples: what
 * script_place_find() gave is not valid any more. */
void script_places_grow(struct script_places *places);
void script_places_free(struct script_places *places);

/* Find out where `ip` is, and prefetch the memory that the two below will look at: best called
 * a while before them. */
void script_place_find(const struct script_places *places, const struct tally_thread *thread,
		       uint8_t cpumode, uint64_t ip, struct script_place *ret_place);

/* Whether an output of `len` bytes is to be written: it is long, or holds places that are many, or
 * have been held for some time. */
bool script_places_are_due(const struct script_places *places, size_t len);

/* Put the texts of the places that are held where they belong in the output; to be called before it
 * is written. */
void script_places_fill(struct script_places *places, struct tally_str *out);

/* Append the place's line in a callchain, with its end: a tab, its address in its file, and symbol
 * and DSO, as `fields` has it. */
void script_add_line(struct script_places *places, struct tally_str *out,
		     const struct script_place *place, uint32_t fields);

/* Append symbol and DSO alone. Both may append nothing, and hold the place instead. */
void script_add_place(struct script_places *places, struct tally_str *out,
		      const struct script_place *place, uint32_t fields);

#endif
