/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table that maps byte strings to IDs and back. Equal strings have the same ID. IDs count up from
 * 0, so they can index arrays. An all-zero table is empty. A table that is moved can be read, but
 * not added to: the hashes depend on its address. Not thread-safe.
 */
#ifndef TALLY_BASE_INTERN_H
#define TALLY_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

struct tally_interned {
	const char *text; /* NUL-terminated copy, valid until the table is freed */
	uint32_t len;
	uint32_t hash;
};

struct tally_intern {
	struct tally_arena arena;
	TALLY_VEC(struct tally_interned) strings;
	uint32_t *slots; /* id + 1, or 0 if empty */
	size_t nr_slots;
};

/* Return the ID of the `len` bytes at `text`; a new string is copied to the table. Return 0;
 * -ENOMEM; or -E2BIG for a string over 4 GiB or too many strings. */
int tally_intern(struct tally_intern *table, const char *text, size_t len, uint32_t *ret_id);

/* Return the NUL-terminated string with this ID, which must be from this table. */
const char *tally_intern_text(const struct tally_intern *table, uint32_t id);

/* Free the table and its strings; the table is empty afterwards. */
void tally_intern_free(struct tally_intern *table);

#endif
