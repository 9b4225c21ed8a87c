/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for addresses, with symbols and DSOs, and a cache for this text. */
#ifndef TALLY_CLI_SCRIPT_PLACE_H
#define TALLY_CLI_SCRIPT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "profile/process/machine.h"

struct script_place_slot;

/* A gap in the output, to be filled once the text is available. */
struct script_pending_location {
	size_t at; /* offset in the output */
	struct tally_location where;
	uint64_t ip;
	uint64_t fields;
	bool is_return, in_chain;
};

struct script_locations {
	struct tally_machine *machine;
	void *memory;
	struct script_place_slot *slots; /* in `memory`, aligned */
	size_t nr_slots;
	uint64_t nr_missed; /* number of lines not found in the cache */
	bool is_inlined;    /* show inlined functions in callchains */
	bool has_paths;     /* show the directories of source files */
	/* Locations for which source lines must first be read from debug information, in output
	 * order. Reading source lines in batches is many times faster. */
	TALLY_VEC(struct script_pending_location) held;
	struct tally_str filled; /* memory for script_places_fill() */
	struct tally_str longs;  /* cached lines that do not fit in slots */
	uint64_t held_since;     /* when the first location was deferred, from tally_clock_now() */
};

/* A location in a sample. */
struct script_location {
	const uint64_t *key; /* from tally_machine_location_key() */
	bool is_return;      /* set by the caller for a return address, to show the call's line */
};

/* Initialise the cache. `machine` must outlive the cache. Returns 0 or -ENOMEM. */
int script_places_init(struct script_locations *places, struct tally_machine *machine);
/* Enlarge and clear the cache if there were many misses. */
void script_places_grow(struct script_locations *places);
void script_places_free(struct script_locations *places);

/* Prefetch the text of a location key for the functions below. This is most effective if those
 * functions are called a little later. */
void script_place_prefetch(const struct script_locations *places, const uint64_t *key);

/* Return true if output of `len` bytes should be written now, because it is long, because too many
 * locations are deferred, or because they have been deferred for too long. */
bool script_places_are_due(const struct script_locations *places, size_t len);

/* Insert the text of deferred locations into the output, which may change its memory. Call this
 * before writing the output. */
void script_places_fill(struct script_locations *places, struct tally_str *out);

/* Append a location's complete callchain line: a tab, its address in the file, and its symbol and
 * DSO according to `fields`. */
void script_add_line(struct script_locations *places, struct tally_str *out,
		     const struct script_location *place, uint64_t fields);

/* Append only the symbol and DSO. This function and script_add_line() may defer the location and
 * append nothing yet. */
void script_add_place(struct script_locations *places, struct tally_str *out,
		      const struct script_location *place, uint64_t fields);

#endif
