/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/intern.h"

#include <string.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 64 };

static uint32_t intern_hash(const struct tally_intern *table, const char *text, size_t len)
{
	return (uint32_t)tally_hash_bytes(text, len, (uintptr_t)table);
}

/* Return the slot of a string, or the empty slot for it. */
static uint32_t *intern_find(const struct tally_intern *table, const char *text, size_t len,
			     uint32_t hash)
{
	size_t mask = table->nr_slots - 1, i = hash & mask;

	for (; table->slots[i]; i = (i + 1) & mask) {
		const struct tally_interned *have = &table->strings.data[table->slots[i] - 1];

		if (have->hash == hash && have->len == len && !memcmp(have->text, text, len))
			break;
	}
	return &table->slots[i];
}

static int intern_grow(struct tally_intern *table)
{
	size_t nr_slots = table->nr_slots ? table->nr_slots * 2 : FIRST_SLOTS;
	uint32_t *slots = calloc(nr_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t id = 0; id < table->strings.len; id++) {
		size_t i = table->strings.data[id].hash & (nr_slots - 1);

		while (slots[i])
			i = (i + 1) & (nr_slots - 1);
		slots[i] = (uint32_t)id + 1;
	}
	free(table->slots);
	table->slots = slots;
	table->nr_slots = nr_slots;
	return 0;
}

int tally_intern(struct tally_intern *table, const char *text, size_t len, uint32_t *ret_id)
{
	struct tally_interned entry;
	uint32_t *slot;
	int ret;

	if (len >= UINT32_MAX || table->strings.len >= UINT32_MAX - 1)
		return -E2BIG;
	if ((table->strings.len + 1) * 4 > table->nr_slots * 3) {
		ret = intern_grow(table);
		if (ret)
			return ret;
	}
	entry.hash = intern_hash(table, text, len);
	slot = intern_find(table, text, len, entry.hash);
	if (!*slot) {
		entry.len = (uint32_t)len;
		entry.text = tally_arena_strndup(&table->arena, text, len);
		if (!entry.text)
			return -ENOMEM;
		ret = tally_vec_push(&table->strings, entry);
		if (ret)
			return ret;
		*slot = (uint32_t)table->strings.len;
	}
	*ret_id = *slot - 1;
	return 0;
}

const char *tally_intern_text(const struct tally_intern *table, uint32_t id)
{
	return table->strings.data[id].text;
}

void tally_intern_free(struct tally_intern *table)
{
	tally_arena_free(&table->arena);
	tally_vec_free(&table->strings);
	free(table->slots);
	*table = (struct tally_intern){0};
}
