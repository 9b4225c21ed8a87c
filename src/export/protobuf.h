/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protocol buffers, written onto a string builder: fields are numbered by the caller, who knows the
 * schema. It does not: read; signed zigzag numbers; fixed-width numbers; groups.
 */
#ifndef TALLY_EXPORT_PROTOBUF_H
#define TALLY_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A field that is a number, also when that is 0. Negative ones are written as uint64_t. */
void tally_protobuf_u64(struct tally_str *out, unsigned field, uint64_t value);

/* A field that is bytes or text. */
void tally_protobuf_bytes(struct tally_str *out, unsigned field, const void *bytes, size_t len);

/* A field that is a message, or packed numbers (tally_str_add_varint()): what is written between
 * open and close. What open
 * returned is given to close; those inside close first. */
size_t tally_protobuf_open(struct tally_str *out, unsigned field);
void tally_protobuf_close(struct tally_str *out, size_t opened);

#endif
