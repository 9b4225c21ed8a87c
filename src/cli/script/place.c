/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/hash.h"
#include "cli/script/fields.h"
#include "cli/script/text.h"

enum { CACHE_LINE = 64, SLOT_SIZE = 2 * CACHE_LINE, LINE_MAX = 111 };

/* At first, as most recordings are small and memory is cleared before it is used; and for a large
 * one. */
enum { FIRST_SLOTS = 1 << 11, PLACE_SLOTS = 1 << 16 };

/* What stands before symbol and DSO in a line: a tab and the address. */
enum { LEAD = 1 + SCRIPT_HEX };

/* The line of a place in a callchain, remembered by what it depends on. Two cache lines, which
 * processors fetch as a pair. */
struct script_place_slot {
	uint64_t key;
	uint64_t state; /* 0: empty */
	uint8_t len;
	char line[LINE_MAX];
};

_Static_assert(sizeof(struct script_place_slot) == SLOT_SIZE, "slots begin with pairs of lines");

/* One slot more for what is mapped nowhere, and one for where the first begins. */
static int places_alloc(struct script_places *places, size_t nr_slots)
{
	void *memory = calloc(nr_slots + 2, sizeof(*places->slots));

	if (!memory)
		return -ENOMEM;
	free(places->memory);
	places->memory = memory;
	places->slots = (void *)tally_round_up((uintptr_t)memory, SLOT_SIZE);
	places->nr_slots = nr_slots;
	return 0;
}

int script_places_init(struct script_places *places, struct tally_machine *machine)
{
	*places = (struct script_places){.machine = machine};
	return places_alloc(places, FIRST_SLOTS);
}

void script_places_grow(struct script_places *places)
{
	/* Without memory it goes on more slowly. */
	if (places->nr_missed >= FIRST_SLOTS && places->nr_slots == FIRST_SLOTS)
		(void)places_alloc(places, PLACE_SLOTS);
}

void script_places_free(struct script_places *places)
{
	free(places->memory);
	*places = (struct script_places){0};
}

/* What the text of a place depends on besides the place; never 0. */
static uint64_t places_state(const struct script_places *places, uint32_t fields)
{
	uint64_t shown = fields & (SCRIPT_SYM | SCRIPT_DSO | SCRIPT_SYMOFF);

	return tally_machine_kernel(places->machine)->space << 12 | shown;
}

void script_place_find(const struct script_places *places, const struct tally_thread *thread,
		       uint8_t cpumode, uint64_t ip, struct script_place *ret_place)
{
	int nr = tally_machine_location_key(places->machine, thread, cpumode, ip, ret_place->key);

	ret_place->slot = NULL;
	if (nr == 1 && tally_location_key_is_mapped(ret_place->key)) {
		ret_place->slot = &places->slots[tally_hash_u64(ret_place->key[0], 0) &
						 (places->nr_slots - 1)];
		__builtin_prefetch(ret_place->slot);
		__builtin_prefetch(&ret_place->slot->line[CACHE_LINE]);
	}
}

static void location_add(struct tally_str *out, const struct tally_location *where, uint32_t fields)
{
	if (fields & SCRIPT_SYM) {
		tally_str_add_char(out, ' ');
		if (!where->symbol) {
			tally_str_add(out, "[unknown]");
		} else {
			tally_str_add(out, tally_symbol_name(where->dso, where->symbol));
			if (fields & SCRIPT_SYMOFF) {
				tally_str_add_bytes(out, "+0x", 3);
				tally_str_add_hex(out, where->addr - where->symbol->start, 1);
			}
		}
	}
	if (fields & SCRIPT_DSO) {
		tally_str_add_bytes(out, " (", 2);
		tally_str_add(out, where->dso ? tally_dso_name(where->dso) : "[unknown]");
		tally_str_add_char(out, ')');
	}
}

/* Copied as a block of one size: that takes a fraction of the time that copying just so many bytes
 * does. */
static void slot_add(const struct script_place_slot *slot, struct tally_str *out)
{
	char *at = LINE_MAX < out->cap - out->len ? out->data + out->len
						  : tally_str_room(out, LINE_MAX);

	if (!at)
		return;
	memcpy(at, slot->line, LINE_MAX);
	at[slot->len] = '\0';
	out->len += slot->len;
}

/* Remember the line that was added to `out` from `start` on, if it is not too long. */
static void slot_fill(struct script_place_slot *slot, const struct tally_str *out, size_t start,
		      uint64_t key, uint64_t state)
{
	size_t len = out->len - start;

	if (len > LINE_MAX || out->failed)
		return;
	slot->key = key;
	slot->state = state;
	slot->len = (uint8_t)len;
	memcpy(slot->line, out->data + start, len);
}

/* Add a line that is not remembered. Whether it may be: what is in no file now may be in the kernel
 * when its symbols were read. */
static bool line_make(const struct script_places *places, struct tally_str *out,
		      const uint64_t *key, uint32_t fields)
{
	struct tally_location where;
	size_t start;

	(void)tally_machine_location_key_resolve(
		places->machine, tally_machine_kernel(places->machine), key, &where);
	tally_str_add_char(out, '\t');
	script_add_hex(out, tally_location_key_addr(key));
	start = out->len;
	location_add(out, &where, fields);
	tally_str_escape(out, start);
	tally_str_add_char(out, '\n');
	return where.dso != NULL;
}

/* Where nothing is mapped lines differ in their address only: the slot behind the others has one
 * of them. */
static void nowhere_add(const struct script_places *places, struct tally_str *out,
			const struct script_place *place, uint32_t fields, uint64_t state)
{
	struct script_place_slot *slot = &places->slots[places->nr_slots];
	size_t start = out->len;

	if (slot->state == state) {
		slot_add(slot, out);
		if (!out->failed)
			script_hex(place->key[0], out->data + start + 1);
	} else {
		(void)line_make(places, out, place->key, fields);
		slot_fill(slot, out, start, 0, state);
	}
}

void script_add_line(struct script_places *places, struct tally_str *out,
		     const struct script_place *place, uint32_t fields)
{
	uint64_t state = places_state(places, fields);
	struct script_place_slot *slot = place->slot;
	size_t start = out->len;

	if (slot && slot->key == place->key[0] && slot->state == state) {
		slot_add(slot, out);
	} else if (!tally_location_key_is_mapped(place->key)) {
		nowhere_add(places, out, place, fields, state);
	} else {
		places->nr_missed++;
		if (line_make(places, out, place->key, fields) && slot)
			slot_fill(slot, out, start, place->key[0], state);
	}
}

void script_add_place(struct script_places *places, struct tally_str *out,
		      const struct script_place *place, uint32_t fields)
{
	size_t start = out->len, len;

	script_add_line(places, out, place, fields);
	if (out->failed)
		return;
	len = out->len - start - LEAD - 1;
	memmove(out->data + start, out->data + start + LEAD, len);
	out->len = start + len;
}
