/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the bytes of a feature: unaligned, of either byte order, never beyond the end. */
#ifndef TALLY_PERFDATA_FEATURE_BYTES_H
#define TALLY_PERFDATA_FEATURE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tally/perfdata.h"

/* Once a read fails, all that follow give 0, "" or NULL; ask `failed` at the end. */
struct tally_feature_bytes {
	const uint8_t *data;
	uint64_t len, at;
	bool swap;
	bool failed; /* the bytes ended too early */
	bool no_memory;
	struct tally_arena *arena; /* of what is copied */
};

static inline uint64_t tally_feature_left(const struct tally_feature_bytes *in)
{
	return in->len - in->at;
}

/* `size` bytes in place, NULL on failure. */
const uint8_t *tally_feature_read(struct tally_feature_bytes *in, uint64_t size);
uint32_t tally_feature_u32(struct tally_feature_bytes *in);
uint64_t tally_feature_u64(struct tally_feature_bytes *in);

/* A copy of length-prefixed text up to its NUL; "" on failure. */
const char *tally_feature_string(struct tally_feature_bytes *in);

/* The same in place: no copy, no NUL behind it. */
struct tally_perfdata_slice tally_feature_text(struct tally_feature_bytes *in);

/* `size` zeroed bytes, NULL and failed when out of memory. The caller knows a bound. */
void *tally_feature_alloc(struct tally_feature_bytes *in, size_t size);

/* Zeroed array for `nr` elements of `size` bytes that take at least `least` bytes each in the
 * file: NULL and failed when that many cannot be there; NULL for none. */
void *tally_feature_array(struct tally_feature_bytes *in, uint64_t nr, size_t size, size_t least);

#endif
