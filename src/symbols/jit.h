/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of the JIT compiler of one process, as listed in its map (perfmap.h) or dump (jitdump.h), in
 * the order in which it was created. A lookup finds the newest code at an address.
 *
 * A map only has names, and the `place` of code is its address. A dump also has the time from which
 * code was valid, and the code itself: its `place` is the offset of its bytes in the dump, so code
 * keeps its own place when its address is used again.
 */
#ifndef TALLY_SYMBOLS_JIT_H
#define TALLY_SYMBOLS_JIT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "symbols/layers.h"
#include "symbols/symbols_lines.h"
#include "symbols/symbols_table.h"

/* The time is unknown: find the newest code. */
#define TALLY_JIT_ALWAYS UINT64_MAX

struct tally_jit_code {
	struct tally_layer where;
	uint64_t time;                     /* of creation; 0 in a map */
	const struct tally_symbol *symbol; /* its range is in places */
	uint32_t order;                    /* order of addition, if times are equal */
};

/* A source line, from a place up to the next line or the end of the symbol. */
struct tally_jit_line {
	uint64_t place;
	const struct tally_line *line; /* in the arena */
};

struct tally_jit_slot;

/* All zero is empty. Symbols and names live until tally_jit_free(), even if forgotten. */
struct tally_jit {
	TALLY_VEC(struct tally_jit_code) codes;         /* sorted by time once finished */
	TALLY_VEC(const struct tally_symbol *) symbols; /* of a dump, sorted by place */
	TALLY_VEC(uint64_t) addresses;                  /* first address of each symbol */
	TALLY_VEC(struct tally_jit_line) lines;         /* of a dump, sorted by place */
	struct tally_arena arena;                       /* for symbols and names */
	struct tally_layers layers;                     /* of the finished codes */
	size_t nr_finished;
	size_t nr_skipped;            /* malformed lines or records */
	uint64_t nr_guesses;          /* lookups without a time, where several codes were */
	struct tally_jit_dump *dump;  /* parser state of a dump; NULL: none was begun */
	struct tally_jit_slot *slots; /* cache of recent lookups */
	struct {
		uint64_t time;
		uint32_t before;
	} memo; /* time of the last lookup, and the number of codes by then */
};

/* Append code called `name` at [start, start + size), which is at `place` of its file. Size 0
 * counts as one byte. start + size must not wrap. Returns the symbol, or NULL if memory is out. */
const struct tally_symbol *tally_jit_add(struct tally_jit *jit, uint64_t start, uint64_t size,
					 uint64_t time, uint64_t place, const char *name,
					 size_t len);

/* Prepare lookups of the code that was added. Returns 0, -ENOMEM, or -EFBIG as for
 * tally_layers_build(): then all code is forgotten. */
int tally_jit_finish(struct tally_jit *jit);

/* Return the code that was at `addr` at `time`, or NULL. The place of `addr` is the start of the
 * symbol, plus the distance of `addr` from the start of the code. */
const struct tally_jit_code *tally_jit_find(struct tally_jit *jit, uint64_t addr, uint64_t time);

/* Return the symbol at a place of a dump, or NULL. */
const struct tally_symbol *tally_jit_find_place(const struct tally_jit *jit, uint64_t place);
/* Get the first address of the code at a place of a dump. Returns false if there is no code. */
bool tally_jit_find_address(const struct tally_jit *jit, uint64_t place, uint64_t *ret_addr);
/* Return the line at a place of a dump, or NULL. Also get the range of places that have it. */
const struct tally_line *tally_jit_find_line(const struct tally_jit *jit, uint64_t place,
					     struct tally_span *ret_span);

/* Forget all code: what is added next comes from another file. */
void tally_jit_clear(struct tally_jit *jit);

void tally_jit_free(struct tally_jit *jit);

#endif
