/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of NUL-terminated texts. Each text is stored once; a text that is a suffix of another one
 * is stored inside it. All texts must be added before the layout, which assigns their offsets.
 * Internal to jevents.
 */
#ifndef TALLY_JEVENTS_POOL_H
#define TALLY_JEVENTS_POOL_H

#include <stdbool.h>

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

/* A zeroed structure is an empty pool. */
struct tally_pool {
	struct tally_intern texts;
	TALLY_VEC(uint32_t) offsets; /* by ID, after the layout */
	TALLY_VEC(bool) near;        /* by ID: must be within the first 64 KiB */
	struct tally_str bytes;      /* after the layout */
};

/* Add a text of `len` bytes, followed by NUL, and get its ID. `near` requires an offset that fits
 * 16 bits. A text that contains NUL is a sequence of texts that are stored together. Returns 0 or
 * -ENOMEM. */
int tally_pool_add(struct tally_pool *pool, const char *text, size_t len, bool near,
		   uint32_t *ret_id);

/* Assign offsets to all texts; that of "" is 0. Returns 0, -ENOMEM, or -E2BIG if the near texts
 * exceed 64 KiB or all texts exceed the range of the offsets. */
int tally_pool_layout(struct tally_pool *pool);

void tally_pool_free(struct tally_pool *pool);

#endif
