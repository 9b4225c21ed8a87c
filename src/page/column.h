/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of a page: numbers one behind the other, in few bytes each. */
#ifndef TALLY_PAGE_COLUMN_H
#define TALLY_PAGE_COLUMN_H

#include <stdint.h>

#include "base/str.h"

/* In the order in which they are written. */
enum page_column_number {
	PAGE_STRING_BYTES,
	PAGE_STRING_TEXT,
	PAGE_FRAME_NAME,
	PAGE_FRAME_FILE,
	PAGE_FRAME_FLAGS,
	PAGE_NODE_PARENT,
	PAGE_NODE_FRAME,
	PAGE_THREAD_PID,
	PAGE_THREAD_TID,
	PAGE_THREAD_NAME,
	PAGE_SAMPLE_RECORDING,
	PAGE_SAMPLE_TIME,
	PAGE_SAMPLE_NODE,
	PAGE_SAMPLE_THREAD,
	PAGE_SAMPLE_CPU,
	PAGE_SAMPLE_EVENT,
	PAGE_SAMPLE_WEIGHT,
	PAGE_LOSS_RECORDING,
	PAGE_LOSS_TIME,
	PAGE_LOSS_CPU,
	PAGE_LOSS_COUNT,
	PAGE_ANNOTATIONS,
	PAGE_NR_COLUMNS,
};

enum page_encoding { PAGE_VARINT, PAGE_DELTA, PAGE_U8, PAGE_TEXT, PAGE_JSON };

/* Largest value: a viewer's numbers are doubles. */
#define PAGE_VALUE_MAX ((UINT64_C(1) << 53) - 1)

/* All zero is an empty column. What could not be added is told by its builder. */
struct page_column {
	struct tally_str bytes;
	uint64_t count;
	uint64_t last; /* of deltas */
	bool is_used;  /* of one that may be missing: a value is no 0 */
};

struct page_column_kind {
	const char *name;
	enum page_encoding encoding;
	bool is_optional; /* left out while all of it is 0 */
};

extern const struct page_column_kind page_column_kinds[PAGE_NR_COLUMNS];

/* What the encoding is called. */
const char *page_encoding_name(enum page_encoding encoding);

/* Add a value to the column of this number, which PAGE_VALUE_MAX bounds; not of text. `columns` are
 * all of them. */
void page_column_put(struct page_column *columns, enum page_column_number number, uint64_t value);

/* Whether the column is written. */
bool page_column_is_written(const struct page_column *columns, enum page_column_number number);

#endif
