/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "cli/script_fields.h"

enum { CACHE_LINE = 64, PLACE_SLOTS = 1 << 16, TEXT_FIRST = 47, TEXT_MAX = 111 };

/* The text of a place, remembered by what it depends on. Two cache lines, of which the first is
 * mostly enough. */
struct script_place_slot {
	uint64_t word;
	uint64_t state; /* 0: empty */
	uint8_t len;
	char text[TEXT_MAX];
};

_Static_assert(sizeof(struct script_place_slot) == 2 * CACHE_LINE, "slots begin with cache lines");

int script_places_init(struct script_places *places, struct tally_machine *machine)
{
	*places = (struct script_places){.machine = machine};
	places->memory = calloc(PLACE_SLOTS + 1, sizeof(*places->slots));
	if (!places->memory)
		return -ENOMEM;
	places->slots = (void *)tally_round_up((uintptr_t)places->memory, CACHE_LINE);
	return 0;
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

struct script_place script_place_at(const struct script_places *places,
				    const struct tally_thread *thread, uint8_t cpumode, uint64_t ip)
{
	struct script_place place = {0};

	if (tally_machine_words(places->machine, thread, cpumode, ip, place.words) == 1) {
		place.slot = &places->slots[tally_hash_u64(place.words[0], 0) % PLACE_SLOTS];
		__builtin_prefetch(place.slot);
	}
	return place;
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

/* Copied in blocks of one size, and more than is there: that takes a fraction of the time that
 * copying just so many bytes does. */
static void slot_add(const struct script_place_slot *slot, struct tally_str *out)
{
	char *at = TEXT_MAX < out->cap - out->len ? out->data + out->len
						  : tally_str_room(out, TEXT_MAX);

	if (!at)
		return;
	memcpy(at, slot->text, TEXT_FIRST);
	if (slot->len > TEXT_FIRST)
		memcpy(at + TEXT_FIRST, slot->text + TEXT_FIRST, TEXT_MAX - TEXT_FIRST);
	at[slot->len] = '\0';
	out->len += slot->len;
}

static void slot_set(struct script_place_slot *slot, uint64_t word, uint64_t state,
		     const char *text, size_t len)
{
	slot->word = word;
	slot->state = state;
	slot->len = (uint8_t)len;
	memcpy(slot->text, text, len);
}

void script_add_place(const struct script_places *places, struct tally_str *out,
		      const struct script_place *place, uint32_t fields)
{
	uint64_t state = places_state(places, fields);
	struct script_place_slot *slot = place->slot;
	struct tally_location where;
	size_t start = out->len;

	if (slot && slot->word == place->words[0] && slot->state == state) {
		slot_add(slot, out);
		return;
	}
	(void)tally_machine_words_resolve(places->machine, tally_machine_kernel(places->machine),
					  place->words, &where);
	location_add(out, &where, fields);
	/* What is in no file is called "[unknown]" sooner than that would be remembered. */
	if (slot && where.dso && out->len - start <= TEXT_MAX && !out->failed)
		slot_set(slot, place->words[0], state, out->data + start, out->len - start);
}
