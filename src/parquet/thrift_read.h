/* SPDX-License-Identifier: BSD-2-Clause */
/* Read structures in Thrift's compact protocol. After an error, all reads return 0. */
#ifndef TALLY_PARQUET_THRIFT_READ_H
#define TALLY_PARQUET_THRIFT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thrift_in {
	const uint8_t *at, *end;
	bool failed;
};

/* A position in a structure. Start with `id` 0. */
struct thrift_field {
	int64_t id;
	int type;
};

/* Go to the next field. Its value must then be read or skipped, unless `type` is TRUE or FALSE.
 * Returns false at the end of the structure and after an error. */
bool thrift_in_next(struct thrift_in *in, struct thrift_field *field);

enum { THRIFT_TRUE = 1, THRIFT_FALSE = 2, THRIFT_STRUCT_FIELD = 12 };

/* Skip the value of a field. */
void thrift_in_skip(struct thrift_in *in, const struct thrift_field *field);

/* Read an unsigned number, a number of type I16, I32 or I64, or a single byte. */
uint64_t thrift_in_varint(struct thrift_in *in);
int64_t thrift_in_number(struct thrift_in *in);
uint8_t thrift_in_byte(struct thrift_in *in);

/* Read a text, which is returned with its length. */
const char *thrift_in_text(struct thrift_in *in, size_t *ret_len);

/* Read the start of a list. Returns the number of its elements, which is not larger than the number
 * of bytes that are left. */
size_t thrift_in_list(struct thrift_in *in, int *ret_type);

#endif
