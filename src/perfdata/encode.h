/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes values, records and attrs into a string builder, in the file's byte order. */
#ifndef TALLY_PERFDATA_ENCODE_H
#define TALLY_PERFDATA_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tally/abi.h"
#include "tally/perfdata.h"

void tally_put32(struct tally_str *out, bool swap, uint32_t value);
void tally_put64(struct tally_str *out, bool swap, uint64_t value);

/* tally's own features have no bit in the header, because perf inject looks up unknown feature
 * numbers in a table that is too short for them, and crashes. Instead, their entries are the last
 * in the feature table, in the order of the feature numbers, and begin with 16 bytes that identify
 * the feature, so they are twice as long as other entries. */
enum { TALLY_UNLISTED_MAGIC_SIZE = 16 };

/* Return the bytes that identify one of tally's own features, or NULL for other features. */
const char *tally_unlisted_magic(uint32_t id);

static inline bool tally_feature_is_listed(uint32_t id)
{
	return !tally_unlisted_magic(id);
}

/* Return the size in bytes of a feature's table entry. */
static inline uint64_t tally_feature_entry_size(uint32_t id)
{
	return tally_feature_is_listed(id) ? 16 : 32;
}

/* Append the table entry for a feature that has `len` bytes at `offset`. */
void tally_write_feature_entry(struct tally_str *out, bool swap, uint32_t id, uint64_t offset,
			       uint64_t len);
void tally_write_zeros(struct tally_str *out, size_t nr);

/* Append a u32 length and the string, NUL-padded to a multiple of 64 bytes. */
void tally_write_string(struct tally_str *out, bool swap, const char *text);
void tally_write_record(struct tally_str *out, bool swap, uint32_t type, uint16_t misc,
			size_t size);
void tally_write_attr(struct tally_str *out, bool swap, const struct perf_event_attr *attr,
		      uint32_t size);

#endif
