/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of embedded symbols: encodes what is known of addresses as a section
 * (docs/internals/embedded-symbols-format.md). The same addresses and names give the same bytes in
 * any order, as long as the order of the objects is the same.
 */
#ifndef TALLY_SYMBOLS_STORED_WRITE_H
#define TALLY_SYMBOLS_STORED_WRITE_H

#include "base/str.h"
#include "symbols/symbols_lines.h"
#include "symbols/symbols.h"

struct tally_stored_writer;

/* Create a writer. Returns 0 or -ENOMEM. */
int tally_stored_writer_new(struct tally_stored_writer **ret_writer);
void tally_stored_writer_free(struct tally_stored_writer *writer);

/* Functions that replace names, for recordings that must not reveal them. Results are copied. */
struct tally_stored_renames {
	const char *(*path)(void *arg, const char *path); /* of objects and source files */
	const char *(*jit)(void *arg, const char *name); /* of functions that JIT compilers named */
	void *arg;
};

/* Set the functions that replace names. `renames` is copied; NULL writes names as they are. */
void tally_stored_writer_rename(struct tally_stored_writer *writer,
				const struct tally_stored_renames *renames);

/* Add the result of tally_dso_find() at `addr`: a symbol, or NULL. The DSO and the symbol must
 * outlive the writer. Memory without a file is ignored. Returns 0 or -ENOMEM. */
int tally_stored_writer_add(struct tally_stored_writer *writer, struct tally_dso *dso,
			    uint64_t addr, const struct tally_symbol *symbol);

/* Record that no return leads to `addr`. Returns 0 or -ENOMEM. */
int tally_stored_writer_add_non_return(struct tally_stored_writer *writer, struct tally_dso *dso,
				       uint64_t addr);

/* Add the `nr` lines of a span of addresses, innermost first. A span that overlaps one with a lower
 * start is left out. Lines are copied, but not their texts. Returns 0 or -ENOMEM. */
int tally_stored_writer_add_lines(struct tally_stored_writer *writer, struct tally_dso *dso,
				  struct tally_span span, const struct tally_line *lines,
				  size_t nr);

/* Append the section, with the lines of all addresses that were added (symbols_lines.h). To be called once.
 * Names that are longer than readers accept are left out. Returns 0 or -ENOMEM. */
int tally_stored_writer_finish(struct tally_stored_writer *writer, struct tally_str *out);

#endif
