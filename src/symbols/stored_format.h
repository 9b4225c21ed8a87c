/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that are stored with a recording, decoded: docs/stored-names-format.md has the bytes. */
#ifndef TALLY_SYMBOLS_STORED_FORMAT_H
#define TALLY_SYMBOLS_STORED_FORMAT_H

#include "base/error.h"
#include "symbols/image.h"
#include "symbols/lines.h"
#include "symbols/symbols.h"

#define TALLY_STORED_MAGIC "tallynam"

enum {
	TALLY_STORED_VERSION = 1,
	TALLY_STORED_HEADER = 32,
	/* Bytes of a name without its NUL. Any number of names may share one text, or the ends of
	 * it: what is longer is damage, as each of them costs what it is long. */
	TALLY_STORED_OBJECT_NAME_MAX = 4096,
	TALLY_STORED_NAME_MAX = 32767, /* of symbols, functions and source files */
};

struct tally_stored_symbol {
	struct tally_symbol symbol;
	uint64_t end;  /* what lies before it is the symbol's: of a bound, as far as addresses are
			* known */
	bool is_bound; /* the start of a function without a name */
};

/* An address at which another symbol is found than the last one that begins before it. */
struct tally_stored_exception {
	uint64_t addr;
	const struct tally_stored_symbol *symbol; /* NULL: none */
};

struct tally_stored_span {
	struct tally_span at;
	const struct tally_line *lines;
	size_t nr;
};

/* What is known of one object. Everything is sorted by address. */
struct tally_stored_object {
	enum tally_dso_kind kind;
	enum tally_dso_state state;
	const char *name;
	struct tally_build_id build_id;
	pid_t pid; /* of a PERF_MAP */
	struct tally_dso_inode inode;
	struct tally_stored_symbol *symbols;
	struct tally_stored_exception *exceptions;
	uint64_t *astray; /* places that no return can lead to */
	struct tally_stored_span *spans;
	struct tally_line *lines;
	size_t nr_symbols, nr_exceptions, nr_astray, nr_spans, nr_lines;
};

struct tally_stored {
	struct tally_stored_object *objects;
	size_t nr;
};

/* Decode a section, which is borrowed: names point into it. 0; -EINVAL with the place where it is
 * no such section, or broken; -ENOTSUP of a newer version; -ENOMEM. */
int tally_stored_parse(const void *bytes, size_t len, struct tally_stored **ret_stored,
		       struct tally_error *err);
void tally_stored_free(struct tally_stored *stored);

/* The numbers of kinds and states in a section, and back; -1 or false: there is none. */
int tally_stored_kind_code(enum tally_dso_kind kind);
bool tally_stored_kind(uint64_t code, enum tally_dso_kind *ret_kind);
int tally_stored_state_code(enum tally_dso_state state);
bool tally_stored_state(uint64_t code, enum tally_dso_state *ret_state);

/* The symbol at an address, as the section has it, or NULL. */
const struct tally_stored_symbol *tally_stored_object_find(const struct tally_stored_object *object,
							   uint64_t addr);

/* The lines at an address, or NULL. */
const struct tally_stored_span *tally_stored_object_lines(const struct tally_stored_object *object,
							  uint64_t addr);

#endif
