/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions that programs counted with tally/region.h, read from the JSON documents that the library
 * writes (docs/library.md) and summed over processes and threads. Documents are not trusted.
 */
#ifndef TALLY_CLI_MAIN_REGION_TABLE_H
#define TALLY_CLI_MAIN_REGION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "tally/client.h"

enum { REGION_NO_ROW = UINT32_MAX };

/* An event that was counted. */
struct region_column {
	uint32_t name;
	bool is_time;     /* counts are in ns */
	uint32_t refused; /* why it was not counted, in words; empty if it was */
};

/* A region. Names are IDs in region_tables.names. */
struct region_row {
	uint32_t name, parent, depth;
	uint32_t child, last_child, next; /* REGION_NO_ROW at the end */
	uint64_t calls, time;             /* ns; 0 if the program did not measure the time */
};

/* The regions of programs that counted the same events. */
struct region_table {
	TALLY_VEC(struct region_column) events;
	TALLY_VEC(struct region_row) rows;
	TALLY_VEC(struct tally_count) counts; /* indexed by row * events + event */
	struct tally_map places;              /* (parent + 1) << 32 | name to row */
	uint32_t first, last;                 /* top-level rows */
};

/* All zero if empty. */
struct region_tables {
	struct tally_intern names;
	TALLY_VEC(struct region_table) tables;
	uint64_t unmeasured; /* starts of regions that were not counted */
	uint64_t documents;  /* one for each thread that wrote its regions */
};

/* Add a document, or an array of documents. Returns 0; -EINVAL if the text is not a document of
 * regions, or one of a newer version; -E2BIG beyond the library's limits; -ENOMEM. After an error,
 * the documents before the wrong one have been added. */
int region_tables_add(struct region_tables *tables, const char *text, size_t len);

void region_tables_free(struct region_tables *tables);

/* Return the next row in the order of the tree, starting with table->first, or REGION_NO_ROW. */
uint32_t region_table_next(const struct region_table *table, uint32_t row);

/* Append a section with a line for each region and for each of its counts. `prefix` begins each
 * line, `thousands` separates groups of digits. */
void region_tables_print(const struct region_tables *tables, const char *prefix,
			 const char *thousands, struct tally_str *out);

/* Append the array "regions" to a JSON object. */
void region_tables_json(const struct region_tables *tables, struct tally_str *out);

#endif
