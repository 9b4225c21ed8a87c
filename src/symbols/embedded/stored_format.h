/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's embedded symbols, decoded. docs/internals/embedded-symbols-format.md describes the
 * encoding. */
#ifndef TALLY_SYMBOLS_EMBEDDED_STORED_FORMAT_H
#define TALLY_SYMBOLS_EMBEDDED_STORED_FORMAT_H

#include "base/error.h"
#include "symbols/elf/image.h"
#include "symbols/lines/symbols_lines.h"
#include "symbols/symbols.h"

#define TALLY_STORED_MAGIC "tallynam"

enum {
	TALLY_STORED_VERSION = 1,
	TALLY_STORED_HEADER = 32,
	/* Maximum length of a name in bytes, without the NUL. Longer names are treated as damage:
	 * any number of names may share a string or its tail, and each takes time in proportion to
	 * its length. */
	TALLY_STORED_OBJECT_NAME_MAX = 4096,
	TALLY_STORED_NAME_MAX = 32767, /* for symbols, functions and source files */
};

struct tally_stored_symbol {
	struct tally_symbol symbol;
	uint64_t end;  /* end address; for a bound, just after the last recorded address */
	bool is_bound; /* unnamed function; only its start is known */
};

/* Address that does not belong to the last symbol that starts at or before it. */
struct tally_stored_exception {
	uint64_t addr;
	const struct tally_stored_symbol *symbol; /* NULL if the address has no symbol */
};

struct tally_stored_span {
	struct tally_span at;
	const struct tally_line *lines;
	size_t nr;
};

/* An object's embedded data. All arrays are sorted by address. */
struct tally_stored_object {
	enum tally_dso_kind kind;
	enum tally_dso_state state;
	const char *name;
	struct tally_build_id build_id;
	pid_t pid; /* only for PERF_MAP */
	struct tally_dso_inode inode;
	struct tally_stored_symbol *symbols;
	struct tally_stored_exception *exceptions;
	uint64_t *astray; /* addresses that cannot be return addresses */
	struct tally_stored_span *spans;
	struct tally_line *lines;
	size_t nr_symbols, nr_exceptions, nr_astray, nr_spans, nr_lines;
};

struct tally_stored {
	struct tally_stored_object *objects;
	size_t nr;
};

/* Decode a section, which is borrowed: names point into it. Returns 0; -EINVAL with the offset in
 * `err` if it is damaged or not a section of embedded symbols; -ENOTSUP for a newer version; or
 * -ENOMEM. */
int tally_stored_parse(const void *bytes, size_t len, struct tally_stored **ret_stored,
		       struct tally_error *err);
void tally_stored_free(struct tally_stored *stored);

/* Convert kinds and states to their codes in a section, and back. Return -1 or false if the value
 * is unknown. */
int tally_stored_kind_code(enum tally_dso_kind kind);
bool tally_stored_kind(uint64_t code, enum tally_dso_kind *ret_kind);
int tally_stored_state_code(enum tally_dso_state state);
bool tally_stored_state(uint64_t code, enum tally_dso_state *ret_state);

/* Return the symbol at an address, including bounds, or NULL. */
const struct tally_stored_symbol *tally_stored_object_find(const struct tally_stored_object *object,
							   uint64_t addr);

/* Return the span of lines that contains an address, or NULL. */
const struct tally_stored_span *tally_stored_object_lines(const struct tally_stored_object *object,
							  uint64_t addr);

#endif
