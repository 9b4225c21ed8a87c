/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of a page: sequences of numbers in a compact encoding. */
#ifndef TALLY_PAGE_COLUMN_H
#define TALLY_PAGE_COLUMN_H

#include <stdint.h>

#include "base/str.h"

/* Columns, in the order in which they are written. */
enum page_column_number {
	PAGE_STRING_BYTES,
	PAGE_STRING_TEXT,
	PAGE_FRAME_NAME,
	PAGE_FRAME_FILE,
	PAGE_FRAME_FLAGS,
	PAGE_FRAME_SHORT,
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

/* Largest value that can be stored: JavaScript numbers are doubles. */
#define PAGE_VALUE_MAX ((UINT64_C(1) << 53) - 1)

/* A column. An all-zero structure is an empty column. Allocation failures are recorded in
 * `bytes`. */
struct page_column {
	struct tally_str bytes;
	uint64_t count;
	uint64_t last; /* last value added, for deltas */
	bool is_used;  /* contains a value other than 0 */
};

struct page_column_kind {
	const char *name;
	enum page_encoding encoding;
	bool is_optional; /* omitted if all values are 0 */
};

extern const struct page_column_kind page_column_kinds[PAGE_NR_COLUMNS];

/* Return the name of an encoding. */
const char *page_encoding_name(enum page_encoding encoding);

/* Append a value to column `number` of `columns`, which must not be a text column. Values are
 * clamped to PAGE_VALUE_MAX. */
void page_column_add(struct page_column *columns, enum page_column_number number, uint64_t value);

/* Return true if the column is written to the page. */
bool page_column_is_written(const struct page_column *columns, enum page_column_number number);

#endif
