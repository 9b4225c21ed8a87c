/* SPDX-License-Identifier: BSD-2-Clause */
/* Embedded symbols of a recording, decoded. docs/internals/embedded-symbols-format.md describes
 * the encoding. */
#ifndef TALLY_SYMBOLS_STORED_FORMAT_H
#define TALLY_SYMBOLS_STORED_FORMAT_H

#include "base/error.h"
#include "symbols/image.h"
#include "symbols/symbols_lines.h"
#include "symbols/symbols.h"

#define TALLY_STORED_MAGIC "tallynam"

enum {
	TALLY_STORED_VERSION = 1,
	TALLY_STORED_HEADER = 32,
	/* Maximum length of a name in bytes, without the NUL. Any number of names may share a text
	 * or its tail, and each takes time in proportion to its length, so longer ones are treated
	 * as damage. */
	TALLY_STORED_OBJECT_NAME_MAX = 4096,
	TALLY_STORED_NAME_MAX = 32767, /* of symbols, functions and source files */
};

struct tally_stored_symbol {
	struct tally_symbol symbol;
	uint64_t end;  /* end of the symbol's addresses; of a bound, of those that are known */
	bool is_bound; /* only the start of a function without a name is known */
};

/* An address whose symbol is not the last one that begins before it. */
struct tally_stored_exception {
	uint64_t addr;
	const struct tally_stored_symbol *symbol; /* NULL: none */
};

struct tally_stored_span {
	struct tally_span at;
	const struct tally_line *lines;
	size_t nr;
};

/* The embedded data of an object. All arrays are sorted by address. */
struct tally_stored_object {
	enum tally_dso_kind kind;
	enum tally_dso_state state;
	const char *name;
	struct tally_build_id build_id;
	pid_t pid; /* of a PERF_MAP */
	struct tally_dso_inode inode;
	struct tally_stored_symbol *symbols;
	struct tally_stored_exception *exceptions;
	uint64_t *astray; /* addresses to which no return can lead */
	struct tally_stored_span *spans;
	struct tally_line *lines;
	size_t nr_symbols, nr_exceptions, nr_astray, nr_spans, nr_lines;
};

struct tally_stored {
	struct tally_stored_object *objects;
	size_t nr;
};

/* Decode a section, which is borrowed: names point into it. Returns 0; -EINVAL with the offset in
 * `err` if it is damaged or not such a section; -ENOTSUP for a newer version; -ENOMEM. */
int tally_stored_parse(const void *bytes, size_t len, struct tally_stored **ret_stored,
		       struct tally_error *err);
void tally_stored_free(struct tally_stored *stored);

/* Convert kinds and states to their numbers in a section, and back. Return -1 or false if the value
 * is unknown. */
int tally_stored_kind_code(enum tally_dso_kind kind);
bool tally_stored_kind(uint64_t code, enum tally_dso_kind *ret_kind);
int tally_stored_state_code(enum tally_dso_state state);
bool tally_stored_state(uint64_t code, enum tally_dso_state *ret_state);

/* Return the symbol at an address, including bounds, or NULL. */
const struct tally_stored_symbol *tally_stored_object_find(const struct tally_stored_object *object,
							   uint64_t addr);

/* Return the span of lines with an address, or NULL. */
const struct tally_stored_span *tally_stored_object_lines(const struct tally_stored_object *object,
							  uint64_t addr);

#endif
