/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer for embedded symbols. It encodes the symbols and lines of the added addresses as a section
 * (docs/internals/embedded-symbols-format.md). The order in which addresses are added does not
 * matter, but the order of the objects does.
 */
#ifndef TALLY_SYMBOLS_EMBEDDED_STORED_WRITE_H
#define TALLY_SYMBOLS_EMBEDDED_STORED_WRITE_H

#include "base/str.h"
#include "symbols/lines/symbols_lines.h"
#include "symbols/symbols.h"

struct tally_stored_writer;

/* Create a writer. Returns 0 or -ENOMEM. */
int tally_stored_writer_new(struct tally_stored_writer **ret_writer);
void tally_stored_writer_free(struct tally_stored_writer *writer);

/* Functions that replace names, for recordings that must not reveal them. Results are copied. */
struct tally_stored_renames {
	const char *(*path)(void *arg, const char *path); /* for objects and source files */
	const char *(*jit)(void *arg, const char *name);  /* for functions named by JIT compilers */
	void *arg;
};

/* Set the functions that replace names. `renames` is copied. If it is NULL, names are written
 * unchanged. */
void tally_stored_writer_rename(struct tally_stored_writer *writer,
				const struct tally_stored_renames *renames);

/* Add the result of tally_dso_find() at `addr`: a symbol, or NULL. The DSO and the symbol must
 * outlive the writer. Memory without a file is ignored. Returns 0 or -ENOMEM. */
int tally_stored_writer_add(struct tally_stored_writer *writer, struct tally_dso *dso,
			    uint64_t addr, const struct tally_symbol *symbol);

/* Add a symbol for the addresses [start, end) of a DSO without files. The name is not copied; it
 * must outlive the writer. Returns 0 or -ENOMEM. */
int tally_stored_writer_add_symbol(struct tally_stored_writer *writer, struct tally_dso *dso,
				   uint64_t start, uint64_t end, const char *name);

/* Record that `addr` is not a return address. Returns 0 or -ENOMEM. */
int tally_stored_writer_add_non_return(struct tally_stored_writer *writer, struct tally_dso *dso,
				       uint64_t addr);

/* Add the `nr` lines of a span of addresses, innermost first. A span is left out if it overlaps a
 * span with a lower start. Lines are copied, but not their strings. Returns 0 or -ENOMEM. */
int tally_stored_writer_add_lines(struct tally_stored_writer *writer, struct tally_dso *dso,
				  struct tally_span span, const struct tally_line *lines,
				  size_t nr);

/* Append the section, including the lines of all added addresses (symbols_lines.h). May be called
 * only once. Names that are too long for readers are left out. Returns 0 or -ENOMEM. */
int tally_stored_writer_finish(struct tally_stored_writer *writer, struct tally_str *out);

#endif
