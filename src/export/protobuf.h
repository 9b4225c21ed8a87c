/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write protocol buffers to a string builder. The caller knows the schema and passes field numbers.
 * Not supported: reading, zigzag numbers, 32-bit fixed-width numbers, groups.
 */
#ifndef TALLY_EXPORT_PROTOBUF_H
#define TALLY_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Write a number, even if it is 0. Negative numbers are passed as uint64_t. */
void tally_protobuf_u64(struct tally_str *out, unsigned field, uint64_t value);

/* Write a number of 8 bytes. */
void tally_protobuf_fixed64(struct tally_str *out, unsigned field, uint64_t value);

/* Write bytes or a string. */
void tally_protobuf_bytes(struct tally_str *out, unsigned field, const void *bytes, size_t len);

/* Write a message, or packed numbers (tally_str_add_varint()), which consist of the bytes added
 * between open and close. Pass the value returned by open to close. Nested messages must be closed
 * first. */
size_t tally_protobuf_open(struct tally_str *out, unsigned field);
void tally_protobuf_close(struct tally_str *out, size_t opened);

/* Write the tag and length of a message, bytes or packed numbers. The caller writes the `len` bytes
 * that follow. */
void tally_protobuf_head(struct tally_str *out, unsigned field, uint64_t len);

/* Return the size of a field of `len` bytes with its tag and length. */
uint64_t tally_protobuf_size(unsigned field, uint64_t len);

/* Append a packed number of 8 bytes. */
void tally_protobuf_add_fixed64(struct tally_str *out, uint64_t value);

#endif
