/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for addresses, with symbol and DSO, and a cache of such texts. */
#ifndef TALLY_CLI_SCRIPT_PLACE_H
#define TALLY_CLI_SCRIPT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "profile/machine.h"

struct script_place_slot;

/* A gap in the output, to be filled when the text is available. */
struct script_pending_location {
	size_t at; /* offset in the output */
	struct tally_location where;
	uint64_t ip;
	uint32_t fields;
	bool is_return, in_chain;
};

struct script_locations {
	struct tally_machine *machine;
	void *memory;
	struct script_place_slot *slots; /* in `memory`, aligned */
	size_t nr_slots;
	uint64_t nr_missed; /* number of lines not found in the cache */
	bool is_inlined;    /* show inlined functions in callchains */
	bool has_paths;     /* show directories of source files */
	/* Locations whose source lines must first be read from debug information, in the order of
	 * the output. Reading them in batches is many times faster. */
	TALLY_VEC(struct script_pending_location) held;
	uint64_t held_since; /* time when the first one was added, from tally_clock_now() */
};

/* A location of a sample. */
struct script_location {
	uint64_t key[TALLY_LOCATION_KEY_WORDS]; /* from tally_machine_location_key() */
	struct script_place_slot *slot;         /* cache slot of its text; NULL: not cached */
	bool is_return; /* return address, set by the caller: shows the line of the call */
};

/* Initialise the cache. `machine` must outlive it. Returns 0 or -ENOMEM. */
int script_places_init(struct script_locations *places, struct tally_machine *machine);
/* Enlarge and clear the cache if there were many misses. To be called between samples: results of
 * script_place_find() become invalid. */
void script_places_grow(struct script_locations *places);
void script_places_free(struct script_locations *places);

/* Look up the location of `ip`, and prefetch its cache slot for the functions below. Works best if
 * called some time before them. */
void script_place_find(const struct script_locations *places, const struct tally_thread *thread,
		       uint8_t cpumode, uint64_t ip, struct script_location *ret_place);

/* True if output of `len` bytes should be written now: it is long, or locations have become too
 * many or have been held too long. */
bool script_places_are_due(const struct script_locations *places, size_t len);

/* Insert the texts of held locations into the output; to be called before writing it. */
void script_places_fill(struct script_locations *places, struct tally_str *out);

/* Append the complete callchain line of a location: a tab, its address in the file, and symbol and
 * DSO according to `fields`. */
void script_add_line(struct script_locations *places, struct tally_str *out,
		     const struct script_location *place, uint32_t fields);

/* Append only symbol and DSO. Both functions may hold the location and append nothing yet. */
void script_add_place(struct script_locations *places, struct tally_str *out,
		      const struct script_location *place, uint32_t fields);

#endif
