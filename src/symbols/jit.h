/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that the JIT compiler of one process made, as its map (perfmap.h) or dump (jitdump.h)
 * tells of it, in the order in which it was made: what is found at an address is what came last.
 *
 * A map has names alone, and an address is its own place. A dump also has the time from when on
 * code was there, and the code itself: the place of an address is where its byte is in the dump, so
 * it has one whenever the address was used again.
 */
#ifndef TALLY_SYMBOLS_JIT_H
#define TALLY_SYMBOLS_JIT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "symbols/layers.h"
#include "symbols/lines.h"
#include "symbols/table.h"

/* No time is known: as late as can be. */
#define TALLY_JIT_ALWAYS UINT64_MAX

struct tally_jit_code {
	struct tally_layer where;
	uint64_t time;                     /* from then on; 0 in a map */
	const struct tally_symbol *symbol; /* its range is one of places */
	uint32_t order;                    /* of coming, where times are the same */
};

/* From a place on, to the next line or the end of the symbol. */
struct tally_jit_line {
	uint64_t place;
	const struct tally_line *line; /* in the arena */
};

struct tally_jit_slot;

/* All zero is empty. Symbols and names live as long as it does, whatever is forgotten. */
struct tally_jit {
	TALLY_VEC(struct tally_jit_code) codes;         /* in order of time once finished */
	TALLY_VEC(const struct tally_symbol *) symbols; /* of a dump, by place */
	TALLY_VEC(uint64_t) addresses;                  /* by symbol: where it was at first */
	TALLY_VEC(struct tally_jit_line) lines;         /* of a dump, by place */
	struct tally_arena arena;                       /* symbols, names */
	struct tally_layers layers;                     /* of the finished codes */
	size_t nr_finished;
	size_t nr_skipped;            /* lines or records that are malformed */
	uint64_t nr_guesses;          /* look-ups without a time where several codes were */
	struct tally_jit_dump *dump;  /* what reading a dump goes on with; NULL: none was begun */
	struct tally_jit_slot *slots; /* looked up lately */
	struct {
		uint64_t time;
		uint32_t before;
	} memo; /* the last time, and how many codes there were by then */
};

/* Append code called `name` at [start, start + size), which begins at `place` of its file; code
 * without a size is one byte. Its symbol. NULL when out of memory. The sum does not wrap. */
const struct tally_symbol *tally_jit_add(struct tally_jit *jit, uint64_t start, uint64_t size,
					 uint64_t time, uint64_t place, const char *name,
					 size_t len);

/* Make what was added be found. 0, -ENOMEM, or -EFBIG of tally_layers_build(): then nothing is. */
int tally_jit_finish(struct tally_jit *jit);

/* The code that was at `addr` at `time`, NULL for none. Its place is that of the symbol, and as far
 * on as `addr` is behind the start. */
const struct tally_jit_code *tally_jit_find(struct tally_jit *jit, uint64_t addr, uint64_t time);

/* The symbol, or the line and the places that have it, at a place of a dump; NULL for none. */
const struct tally_symbol *tally_jit_find_place(const struct tally_jit *jit, uint64_t place);
/* Where in memory the code was at first that has a place of a dump. False: none has. */
bool tally_jit_find_address(const struct tally_jit *jit, uint64_t place, uint64_t *ret_addr);
const struct tally_line *tally_jit_find_line(const struct tally_jit *jit, uint64_t place,
					     struct tally_span *ret_span);

/* Have nothing be found any more: what comes next is of another file. */
void tally_jit_forget(struct tally_jit *jit);

void tally_jit_free(struct tally_jit *jit);

#endif
