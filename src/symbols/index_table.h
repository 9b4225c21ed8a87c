/* SPDX-License-Identifier: BSD-2-Clause */
/* A symbol table in sections of an index, used in place. */
#ifndef TALLY_SYMBOLS_INDEX_TABLE_H
#define TALLY_SYMBOLS_INDEX_TABLE_H

#include "symbols/index_write.h"
#include "symbols/symbols_table.h"

/* A table has six sections with consecutive numbers from `first` on, which is TALLY_INDEX_SHAPE or
 * TALLY_INDEX_STUBS. The first section is this structure, which describes the others. */
struct tally_index_shape {
	uint32_t index_shift; /* as in struct tally_symtab */
	uint32_t root;
};

/* Make a table from the sections of an index. The table borrows from the index, which must outlive
 * it. Names and bounds are checked against the section sizes on each use, so any bytes are safe.
 * Returns 0; -ENOENT if there are no symbols, if the sections are inconsistent, or if any section
 * that was read so far is broken: then none is trusted. */
int tally_index_table_open(struct tally_index *index, enum tally_index_id first,
			   struct tally_symtab *ret_table);

/* Return the approximate number of bytes that a finished table takes in an index. */
uint64_t tally_index_table_size(const struct tally_symtab *table);

/* Add a finished table. It must not be a mapped one, and all its names must be in its arena.
 * Returns 0; -EINVAL if a name is not in the arena; -ENOMEM. */
int tally_index_table_add(struct tally_index_writer *writer, enum tally_index_id first,
			  const struct tally_symtab *table);

#endif
