/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of symbols as sections of an index, used where it is mapped. */
#ifndef TALLY_SYMBOLS_INDEX_TABLE_H
#define TALLY_SYMBOLS_INDEX_TABLE_H

#include "symbols/index_write.h"
#include "symbols/table.h"

/* A table is six sections, whose numbers follow each other from `first` on: TALLY_INDEX_SHAPE or
 * TALLY_INDEX_STUBS. This is in the first one: how the others make a table. */
struct tally_index_shape {
	uint32_t index_shift; /* as in struct tally_symtab */
	uint32_t root;
};

/* Make a table of what the index has. It borrows: the index has to outlive it. Names and bounds are
 * held against the sections' sizes whenever they are used, so that a table can be of any bytes. 0;
 * -ENOENT without symbols, where the sections do not fit each other, or where any section that was
 * asked for is broken: none of it is relied on then. */
int tally_index_table_open(struct tally_index *index, enum tally_index_id first,
			   struct tally_symtab *ret_table);

/* About how many bytes a finished table takes in an index. */
uint64_t tally_index_table_size(const struct tally_symtab *table);

/* Add a finished table, which is not a mapped one itself, and whose names are all in its arena. 0,
 * -EINVAL if one is not, or -ENOMEM. */
int tally_index_table_add(struct tally_index_writer *writer, enum tally_index_id first,
			  const struct tally_symtab *table);

#endif
