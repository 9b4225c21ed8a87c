/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbol table stored in index sections and used in place. */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_TABLE_H
#define TALLY_SYMBOLS_CACHE_INDEX_TABLE_H

#include "symbols/cache/index_write.h"
#include "symbols/symbols_table.h"

/* A table has six sections with consecutive IDs, starting with TALLY_INDEX_SHAPE or
 * TALLY_INDEX_STUBS. The first section is this structure, which describes the others. */
struct tally_index_shape {
	uint32_t index_shift; /* as in struct tally_symtab */
	uint32_t root;
};

/* Make a table from an index's sections. The table borrows from the index, which must outlive it.
 * Names and bounds are checked against the section sizes on each use, so arbitrary bytes are safe.
 * Returns 0, or -ENOENT if there are no symbols, if the sections are inconsistent, or if any of the
 * index's sections read so far is broken, because then no section can be trusted. */
int tally_index_table_open(struct tally_index *index, enum tally_index_id first,
			   struct tally_symtab *ret_table);

/* Return the approximate number of bytes that a finished table takes up in an index. */
uint64_t tally_index_table_size(const struct tally_symtab *table);

/* Add a finished table. It must not be a mapped table, and all its names must be in its arena.
 * Returns 0; -EINVAL if a name is not in the arena; or -ENOMEM. */
int tally_index_table_add(struct tally_index_writer *writer, enum tally_index_id first,
			  const struct tally_symtab *table);

#endif
