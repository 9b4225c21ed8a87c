/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of NUL-terminated strings. Each string is stored once; a string that is a suffix of
 * another is stored inside it. All strings must be added before tally_pool_layout() assigns their
 * offsets. Internal to jevents.
 */
#ifndef TALLY_JEVENTS_POOL_H
#define TALLY_JEVENTS_POOL_H

#include <stdbool.h>

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

/* An all-zero structure is an empty pool. */
struct tally_pool {
	struct tally_intern texts;
	TALLY_VEC(uint32_t) offsets; /* indexed by ID; set by tally_pool_layout() */
	TALLY_VEC(bool) near;        /* indexed by ID; the string must be in the first 64 KiB */
	struct tally_str bytes;      /* contents of the pool, set by tally_pool_layout() */
};

/* Add a string of `len` bytes, followed by NUL, and set `*ret_id` to its ID. `near` requires an
 * offset that fits in 16 bits. A string that contains NULs is a sequence of strings that are stored
 * together. Returns 0 or -ENOMEM. */
int tally_pool_add(struct tally_pool *pool, const char *text, size_t len, bool near,
		   uint32_t *ret_id);

/* Assign offsets to all strings; the offset of "" is 0. Returns 0, -ENOMEM, or -E2BIG if the near
 * strings exceed 64 KiB or all strings together exceed the range of the offsets. */
int tally_pool_layout(struct tally_pool *pool);

void tally_pool_free(struct tally_pool *pool);

#endif
