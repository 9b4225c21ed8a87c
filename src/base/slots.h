/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index of a hash table. The items are in an array that belongs to the caller. A slot contains
 * 32 bits of an item's hash and the item's number (its index in the array). Items are accessed only
 * if their hash matches, and not at all when the index grows. An all-zero index is empty. Not
 * thread-safe.
 *
 *	for (size_t pos = hash; tally_slots_next(&slots, hash, &pos, &number);)
 *		if (items[number] matches)
 *			...
 *	ret = tally_slots_add(&slots, hash, new_number);
 */
#ifndef TALLY_BASE_SLOTS_H
#define TALLY_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_slots {
	uint64_t *at; /* hash << 32 | number + 1, or 0 if empty */
	size_t nr;    /* a power of two, or 0 */
	size_t len;   /* used slots */
};

/* Get the next number that was added with `hash`; start with `*pos` equal to the hash. Return false
 * at the end. */
static inline bool tally_slots_next(const struct tally_slots *slots, uint32_t hash, size_t *pos,
				    uint32_t *ret_number)
{
	size_t mask = slots->nr - 1;

	if (!slots->nr)
		return false;
	for (size_t i = *pos & mask; slots->at[i]; i = (i + 1) & mask) {
		if (slots->at[i] >> 32 == hash) {
			*ret_number = (uint32_t)slots->at[i] - 1;
			*pos = i + 1;
			return true;
		}
	}
	return false;
}

/* Prefetch the slot at which a search for `hash` starts. */
static inline void tally_slots_prefetch(const struct tally_slots *slots, uint32_t hash)
{
	if (slots->nr)
		__builtin_prefetch(&slots->at[hash & (slots->nr - 1)]);
}

/* Add a number less than UINT32_MAX. Return 0, or -ENOMEM with the index unchanged. */
int tally_slots_add(struct tally_slots *slots, uint32_t hash, uint32_t number);

/* Free the index; it is empty afterwards. */
void tally_slots_free(struct tally_slots *slots);

#endif
