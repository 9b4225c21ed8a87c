/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte strings to small ids and back: the same string always has the same id, ids count
 * up from 0, so they index arrays. All zero is an empty table. Not thread-safe.
 */
#ifndef TALLY_BASE_INTERN_H
#define TALLY_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

struct tally_interned {
	const char *text; /* NUL-terminated copy, stable until the table is freed */
	uint32_t len;
	uint32_t hash;
};

struct tally_intern {
	struct tally_arena arena;
	TALLY_VEC(struct tally_interned) strings;
	uint32_t *slots; /* id + 1, 0 for empty */
	size_t nr_slots;
};

/* Id of the `len` bytes at `text`, adding a copy when new. 0, -ENOMEM, or -E2BIG for a
 * string over 4 GiB. */
int tally_intern(struct tally_intern *table, const char *text, size_t len, uint32_t *ret_id);

/* The string of `id`, NUL-terminated; the id must come from this table. */
const char *tally_intern_text(const struct tally_intern *table, uint32_t id);

void tally_intern_free(struct tally_intern *table);

#endif
