/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds-checked reads from a feature's bytes, unaligned and in either byte order. */
#ifndef TALLY_PERFDATA_FEATURE_BYTES_H
#define TALLY_PERFDATA_FEATURE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tally/perfdata.h"

/* Read position in a feature. After a read has failed, all further reads return 0, "" or NULL.
 * Check `failed` at the end. */
struct tally_feature_bytes {
	const uint8_t *data;
	uint64_t len, at;
	bool swap;
	bool failed; /* a read went beyond the end */
	bool no_memory;
	struct tally_arena *arena; /* memory for copies */
};

static inline uint64_t tally_feature_left(const struct tally_feature_bytes *in)
{
	return in->len - in->at;
}

/* Return a pointer to the next `size` bytes in place, or NULL on failure. */
const uint8_t *tally_feature_read(struct tally_feature_bytes *in, uint64_t size);
uint32_t tally_feature_u32(struct tally_feature_bytes *in);
uint64_t tally_feature_u64(struct tally_feature_bytes *in);

/* Return a copy of a length-prefixed string up to its NUL, or "" on failure. */
const char *tally_feature_string(struct tally_feature_bytes *in);

/* Return a length-prefixed string in place. The string is not copied and not NUL-terminated. */
struct tally_perfdata_slice tally_feature_text(struct tally_feature_bytes *in);

/* Allocate `size` zeroed bytes. When out of memory, returns NULL and sets `failed`. The caller must
 * bound `size`. */
void *tally_feature_alloc(struct tally_feature_bytes *in, size_t size);

/* Allocate a zeroed array of `nr` elements of `size` bytes. Each element occupies at least `least`
 * bytes in the file. Returns NULL and sets `failed` if the remaining bytes cannot hold that many
 * elements or when out of memory; returns NULL if `nr` is 0. */
void *tally_feature_array(struct tally_feature_bytes *in, uint64_t nr, size_t size, size_t least);

#endif
