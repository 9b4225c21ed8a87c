/* SPDX-License-Identifier: BSD-2-Clause */
/* Parquet's encodings of numbers. */
#ifndef TALLY_PARQUET_PARQUET_ENCODE_H
#define TALLY_PARQUET_PARQUET_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Return the number of bits needed for numbers up to `largest`. */
unsigned parquet_bits(uint64_t largest);

/* Append the lowest `bytes` bytes of `value`, lowest first. */
void parquet_add_bytes(struct tally_str *out, uint64_t value, size_t bytes);

/* RLE: runs of equal numbers, and groups of eight numbers of `bits` bits. */
void parquet_add_runs(struct tally_str *out, const uint32_t *values, size_t nr, unsigned bits);

/* DELTA_BINARY_PACKED: differences of successive numbers, which wrap at `bits` bits (32 or 64). */
void parquet_add_deltas(struct tally_str *out, const uint64_t *values, size_t nr, unsigned bits);

#endif
