/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pool of NUL-terminated texts: each once, and one that is the end of another inside that one.
 * Texts are added first and have their offsets after the layout. Internal to jevents.
 */
#ifndef TALLY_JEVENTS_POOL_H
#define TALLY_JEVENTS_POOL_H

#include <stdbool.h>

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

/* All zero is an empty pool. */
struct tally_pool {
	struct tally_intern texts;
	TALLY_VEC(uint32_t) offsets; /* by id, after the layout */
	TALLY_VEC(bool) near;        /* by id: must lie within 64 KiB */
	struct tally_str bytes;      /* after the layout */
};

/* Id of a text of `len` bytes, NUL behind them; `near` if its offset has to fit into 16 bits. Texts
 * with NUL among their bytes are several that stay together. 0 or -ENOMEM. */
int tally_pool_add(struct tally_pool *pool, const char *text, size_t len, bool near,
		   uint32_t *ret_id);

/* Place all texts, "" at 0. 0, -ENOMEM, or -E2BIG if the near ones exceed 64 KiB or all of them
 * 4 GiB. */
int tally_pool_layout(struct tally_pool *pool);

void tally_pool_free(struct tally_pool *pool);

#endif
