/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/path.h"
#include "cli/script/fields.h"
#include "cli/script/text.h"
#include "symbols/lines.h"

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
static uint64_t places_state(const struct script_places *places, const struct script_place *place,
			     bool in_chain, uint32_t fields)
{
	enum { SRCLINE = 1 << 0, RETURN = 1 << 1, CHAIN = 1 << 2 }; /* no field has these */
	uint64_t shown = fields & (SCRIPT_SYM | SCRIPT_DSO | SCRIPT_SYMOFF);

	shown |= fields & SCRIPT_SRCLINE ? SRCLINE : 0;
	shown |= place->is_return ? RETURN : 0;
	shown |= in_chain ? CHAIN : 0;
	return tally_machine_kernel(places->machine)->space << 12 | shown;
}

void script_place_find(const struct script_places *places, const struct tally_thread *thread,
		       uint8_t cpumode, uint64_t ip, struct script_place *ret_place)
{
	int nr = tally_machine_location_key(places->machine, thread, cpumode, ip, ret_place->key);

	ret_place->slot = NULL;
	ret_place->is_return = false;
	if (nr == 1 && tally_location_key_is_mapped(ret_place->key)) {
		ret_place->slot = &places->slots[tally_hash_u64(ret_place->key[0], 0) &
						 (places->nr_slots - 1)];
		__builtin_prefetch(ret_place->slot);
		__builtin_prefetch(&ret_place->slot->line[CACHE_LINE]);
	}
}

/* `symbol` is an inlined function, or the location's; NULL, or an empty name:
 * it is not known. */
static void symbol_add(struct tally_str *out, const struct tally_location *where,
		       const struct tally_symbol *symbol, uint32_t fields)
{
	const char *name = symbol ? tally_symbol_name(where->dso, symbol) : "";

	tally_str_add_char(out, ' ');
	if (!*name) {
		tally_str_add(out, "[unknown]");
		return;
	}
	tally_str_add(out, name);
	/* As in perf, of inlined functions it is how far it is in the one that they are in. */
	if (fields & SCRIPT_SYMOFF && where->symbol) {
		tally_str_add_bytes(out, "+0x", 3);
		tally_str_add_hex(out, where->addr - where->symbol->start, 1);
	}
}

static void location_add(struct tally_str *out, const struct tally_location *where, uint32_t fields)
{
	if (fields & SCRIPT_SYM)
		symbol_add(out, where, where->symbol, fields);
	if (fields & SCRIPT_DSO) {
		tally_str_add_bytes(out, " (", 2);
		tally_str_add(out, where->dso ? tally_dso_name(where->dso) : "[unknown]");
		tally_str_add_char(out, ')');
	}
}

/* Where an address is in its file, for want of a line, as in perf: not of functions of files, which
 * addr2line knows, and nothing where nothing is mapped. */
static void address_add(struct tally_str *out, const struct tally_location *where)
{
	if (!where->dso || (where->symbol && tally_dso_kind(where->dso) == TALLY_DSO_USER))
		return;
	tally_str_addf(out, "\n  %s[%" PRIx64 "]", tally_mapped_name(tally_dso_name(where->dso)),
		       where->addr);
}

/* A line of source, on a line of its own. */
static void source_add(const struct script_places *places, struct tally_str *out,
		       const struct tally_location *where, const struct tally_line *line,
		       uint32_t fields)
{
	const char *name = tally_line_file_name(line);
	size_t start = out->len;

	if (!(fields & SCRIPT_SRCLINE))
		return;
	if (name)
		tally_str_addf(out, "\n  %s:%" PRIu32, places->has_paths ? line->file : name,
			       line->line);
	else
		address_add(out, where);
	if (out->len > start)
		tally_str_escape(out, start + 1);
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

/* The lines of an address, as far as they are shown. */
static size_t lines_find(const struct tally_location *where, const struct script_place *place,
			 uint32_t fields, bool is_inlined, const struct tally_line **ret_lines)
{
	if (!where->dso || !(fields & SCRIPT_SRCLINE || (is_inlined && fields & SCRIPT_SYM)))
		return 0;
	return tally_dso_lines(where->dso,
			       tally_line_address(where->symbol, where->addr, place->is_return),
			       ret_lines, NULL);
}

static void inlined_add(const struct script_places *places, struct tally_str *out, uint64_t ip,
			const struct tally_location *where, const struct tally_line *line,
			uint32_t fields)
{
	size_t start;

	tally_str_add_char(out, '\t');
	script_add_hex(out, ip);
	start = out->len;
	symbol_add(out, where, tally_line_symbol(where->dso, line), fields);
	tally_str_escape(out, start);
	source_add(places, out, where, line, fields);
	tally_str_add(out, " (inlined)\n");
}

/* Add a line that is not remembered, in a callchain those of inlined functions before it. Whether
 * it may be: what is in no file now may be in the kernel when its symbols were read. */
static bool line_make(const struct script_places *places, struct tally_str *out,
		      const struct script_place *place, bool in_chain, uint32_t fields)
{
	bool is_inlined = in_chain && places->is_inlined;
	const struct tally_line *lines;
	struct tally_location where;
	uint64_t ip = tally_location_key_addr(place->key);
	size_t start, nr, i = 0;

	(void)tally_machine_location_key_resolve(
		places->machine, tally_machine_kernel(places->machine), place->key, &where);
	nr = lines_find(&where, place, fields, is_inlined, &lines);
	for (; i + 1 < nr && is_inlined && fields & SCRIPT_SYM; i++)
		inlined_add(places, out, ip, &where, &lines[i], fields);
	tally_str_add_char(out, '\t');
	script_add_hex(out, ip);
	start = out->len;
	location_add(out, &where, fields);
	tally_str_escape(out, start);
	source_add(places, out, &where, nr ? &lines[i] : NULL, fields);
	tally_str_add_char(out, '\n');
	return where.dso != NULL;
}

/* Where nothing is mapped lines differ in their address only: the slot behind the others has one
 * of them. */
static void nowhere_add(const struct script_places *places, struct tally_str *out,
			const struct script_place *place, bool in_chain, uint32_t fields,
			uint64_t state)
{
	struct script_place_slot *slot = &places->slots[places->nr_slots];
	size_t start = out->len;

	if (slot->state == state) {
		slot_add(slot, out);
		if (!out->failed)
			script_hex(place->key[0], out->data + start + 1);
	} else {
		(void)line_make(places, out, place, in_chain, fields);
		slot_fill(slot, out, start, 0, state);
	}
}

static void place_add(struct script_places *places, struct tally_str *out,
		      const struct script_place *place, bool in_chain, uint32_t fields)
{
	uint64_t state = places_state(places, place, in_chain, fields);
	struct script_place_slot *slot = place->slot;
	size_t start = out->len;

	if (slot && slot->key == place->key[0] && slot->state == state) {
		slot_add(slot, out);
	} else if (!tally_location_key_is_mapped(place->key)) {
		nowhere_add(places, out, place, in_chain, fields, state);
	} else {
		places->nr_missed++;
		if (line_make(places, out, place, in_chain, fields) && slot)
			slot_fill(slot, out, start, place->key[0], state);
	}
}

void script_add_line(struct script_places *places, struct tally_str *out,
		     const struct script_place *place, uint32_t fields)
{
	place_add(places, out, place, true, fields);
}

void script_add_place(struct script_places *places, struct tally_str *out,
		      const struct script_place *place, uint32_t fields)
{
	size_t start = out->len, len;

	place_add(places, out, place, false, fields);
	if (out->failed)
		return;
	len = out->len - start - LEAD - 1;
	memmove(out->data + start, out->data + start + LEAD, len);
	out->len = start + len;
}
