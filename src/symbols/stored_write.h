/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names to be stored with a recording: what is known of addresses becomes the bytes of a section
 * (docs/stored-names-format.md). The same addresses and names, in whatever order, make the same
 * bytes as long as their objects come in the same order.
 */
#ifndef TALLY_SYMBOLS_STORED_WRITE_H
#define TALLY_SYMBOLS_STORED_WRITE_H

#include "base/str.h"
#include "symbols/lines.h"
#include "symbols/symbols.h"

struct tally_stored_writer;

/* 0 or -ENOMEM. */
int tally_stored_writer_new(struct tally_stored_writer **ret_writer);
void tally_stored_writer_free(struct tally_stored_writer *writer);

/* What is written in the place of names, for who may not know them. The answers are copied. */
struct tally_stored_renames {
	const char *(*path)(void *arg, const char *path); /* of objects and source files */
	const char *(*jit)(void *arg, const char *name); /* of functions that JIT compilers named */
	void *arg;
};

/* `renames` is copied; NULL: names are written as they are. */
void tally_stored_writer_rename(struct tally_stored_writer *writer,
				const struct tally_stored_renames *renames);

/* Say what tally_dso_find() found at `addr`: a symbol, or NULL. Both live as long as the writer.
 * Nothing is kept of memory without a file. 0 or -ENOMEM. */
int tally_stored_writer_add(struct tally_stored_writer *writer, struct tally_dso *dso,
			    uint64_t addr, const struct tally_symbol *symbol);

/* Say that no return leads to `addr`. 0 or -ENOMEM. */
int tally_stored_writer_add_astray(struct tally_stored_writer *writer, struct tally_dso *dso,
				   uint64_t addr);

/* Say which `nr` lines, innermost first, the addresses of a span have. What is in a span that came
 * before is left out. Lines are copied, their texts are not. 0 or -ENOMEM. */
int tally_stored_writer_add_lines(struct tally_stored_writer *writer, struct tally_dso *dso,
				  struct tally_span span, const struct tally_line *lines,
				  size_t nr);

/* Append the section, once, with the lines of all addresses that are known by then (lines.h). Names
 * that are longer than readers take are left out. 0 or -ENOMEM. */
int tally_stored_writer_finish(struct tally_stored_writer *writer, struct tally_str *out);

#endif
