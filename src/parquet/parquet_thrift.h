/* SPDX-License-Identifier: BSD-2-Clause */
/* Write structures in Thrift's compact protocol, which Parquet uses for its metadata. */
#ifndef TALLY_PARQUET_PARQUET_THRIFT_H
#define TALLY_PARQUET_PARQUET_THRIFT_H

#include "base/str.h"

/* Types of list elements. */
enum { THRIFT_I32 = 5, THRIFT_BINARY = 8, THRIFT_STRUCT = 12 };

enum { THRIFT_DEPTH = 8 }; /* maximum nesting of structures */

/* A writer. Fields of a structure must be written in ascending order of their IDs. */
struct thrift {
	struct tally_str *out;
	unsigned depth;
	int last[THRIFT_DEPTH]; /* ID of the last field, by depth */
};

void thrift_bool(struct thrift *thrift, int field, bool value);
void thrift_byte(struct thrift *thrift, int field, int8_t value);
void thrift_i32(struct thrift *thrift, int field, int32_t value);
void thrift_i64(struct thrift *thrift, int field, int64_t value);
void thrift_binary(struct thrift *thrift, int field, const void *bytes, size_t len);
void thrift_text(struct thrift *thrift, int field, const char *text);

/* Begin a structure that is a field. Each structure ends with thrift_end(). */
void thrift_begin(struct thrift *thrift, int field);
void thrift_end(struct thrift *thrift);

/* Begin a list of `nr` elements of type THRIFT_*, which follow. */
void thrift_list(struct thrift *thrift, int field, int type, size_t nr);
void thrift_element_i32(struct thrift *thrift, int32_t value);
void thrift_element_text(struct thrift *thrift, const char *text);

/* Begin a structure that is an element of a list, or is not contained in anything. */
void thrift_begin_element(struct thrift *thrift);

#endif
