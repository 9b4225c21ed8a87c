/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/path.h"
#include "cli/main/output_stream.h"
#include "cli/script/fields.h"
#include "cli/script/script_text.h"
#include "symbols/lines/symbols_lines.h"

enum { CACHE_LINE = 64, SLOT_SIZE = 2 * CACHE_LINE, LINE_MAX = 111 };

/* Length of a line that is kept elsewhere because it is too long for a slot, usually one with
 * inlined functions; and the most bytes of such lines that are kept. */
enum { LONG = UINT8_MAX, LONG_BYTES_MAX = 16 << 20 };

struct long_line {
	size_t at, len; /* in script_locations.longs */
};

/* Initial and maximum number of cache slots. The cache starts small because its memory must be
 * cleared and most recordings are small. */
enum { FIRST_SLOTS = 1 << 11, PLACE_SLOTS = 1 << 16 };

/* Length of the tab and the address at the start of a line. */
enum { LEAD = 1 + SCRIPT_HEX };

/* Cached line for a location in a callchain, with the key and the state that the line depends on.
 * The size is two cache lines, which processors fetch as a pair. */
struct script_place_slot {
	uint64_t key;
	uint64_t state; /* 0 if the slot is empty */
	uint8_t len;    /* or LONG: `line` starts with a struct long_line */
	char line[LINE_MAX];
};

_Static_assert(sizeof(struct script_place_slot) == SLOT_SIZE, "a slot must fill two cache lines");

/* Allocate the cache slots, an extra slot for unmapped addresses, and another for alignment. */
static int places_alloc(struct script_locations *places, size_t nr_slots)
{
	void *memory = calloc(nr_slots + 2, sizeof(*places->slots));

	if (!memory)
		return -ENOMEM;
	free(places->memory);
	places->memory = memory;
	places->slots = (void *)tally_round_up((uintptr_t)memory, SLOT_SIZE);
	places->nr_slots = nr_slots;
	places->longs.len = 0;
	return 0;
}

int script_places_init(struct script_locations *places, struct tally_machine *machine)
{
	*places = (struct script_locations){.machine = machine};
	return places_alloc(places, FIRST_SLOTS);
}

void script_places_grow(struct script_locations *places)
{
	/* If memory runs out, continue with the small cache. */
	if (places->nr_missed >= FIRST_SLOTS && places->nr_slots == FIRST_SLOTS)
		(void)places_alloc(places, PLACE_SLOTS);
}

void script_places_free(struct script_locations *places)
{
	free(places->memory);
	tally_vec_free(&places->held);
	tally_str_free(&places->filled);
	tally_str_free(&places->longs);
	*places = (struct script_locations){0};
}

/* Return a nonzero value that represents everything the text depends on, other than the
 * location. */
static uint64_t places_state(const struct script_locations *places,
			     const struct script_location *place, bool in_chain, uint64_t fields)
{
	enum {
		SRCLINE = 1 << 0,
		RETURN = 1 << 1,
		CHAIN = 1 << 2,
		OFFSET = 1 << 3
	}; /* bits not used by the SCRIPT_* flags below */
	uint64_t shown = fields & (SCRIPT_SYM | SCRIPT_DSO | SCRIPT_SYMOFF);

	shown |= fields & SCRIPT_DSOFF ? OFFSET : 0;
	shown |= fields & SCRIPT_SRCLINE ? SRCLINE : 0;
	shown |= place->is_return ? RETURN : 0;
	shown |= in_chain ? CHAIN : 0;
	return tally_machine_kernel(places->machine)->space << 12 | shown;
}

/* Return the cache slot of a location key that is mapped. */
static struct script_place_slot *slot_of(const struct script_locations *places, const uint64_t *key)
{
	return &places->slots[tally_hash_u64(key[0], 0) & (places->nr_slots - 1)];
}

void script_place_prefetch(const struct script_locations *places, const uint64_t *key)
{
	const struct script_place_slot *slot = slot_of(places, key);

	if (!tally_location_key_is_mapped(key))
		return;
	__builtin_prefetch(slot);
	__builtin_prefetch(&slot->line[CACHE_LINE]);
}

/* Append a symbol with its offset. `symbol` is the location's function or an inlined function. The
 * function is unknown if `symbol` is NULL or has no name. */
static void symbol_add(struct tally_str *out, const struct tally_location *where,
		       const struct tally_symbol *symbol, uint64_t fields)
{
	const char *name = symbol ? tally_symbol_name(where->dso, symbol) : "";

	tally_str_add_char(out, ' ');
	if (!*name) {
		tally_str_add(out, "[unknown]");
		return;
	}
	tally_str_add(out, name);
	/* As in perf, the offset within an inlined function is relative to the start of the
	 * containing function. */
	if (fields & SCRIPT_SYMOFF && where->symbol) {
		tally_str_add_bytes(out, "+0x", 3);
		tally_str_add_hex(out, where->addr - where->symbol->start, 1);
	}
}

static void location_add(struct tally_str *out, const struct tally_location *where, uint64_t fields)
{
	if (fields & SCRIPT_SYM)
		symbol_add(out, where, where->symbol, fields);
	if (fields & SCRIPT_DSO) {
		tally_str_add_bytes(out, " (", 2);
		tally_str_add(out, where->dso ? tally_dso_name(where->dso) : "[unknown]");
		if (fields & SCRIPT_DSOFF && where->dso)
			tally_str_addf(out, "+0x%" PRIx64, where->addr);
		tally_str_add_char(out, ')');
	}
}

/* Append the address in the file, as perf does if there is no source line. Append nothing for known
 * functions in user files and for unmapped addresses. */
static void address_add(struct tally_str *out, const struct tally_location *where)
{
	if (!where->dso || (where->symbol && tally_dso_kind(where->dso) == TALLY_DSO_USER))
		return;
	tally_str_addf(out, "\n  %s[%" PRIx64 "]", tally_mapped_name(tally_dso_name(where->dso)),
		       where->addr);
}

/* Append the source line on a line of its own. */
static void source_add(const struct script_locations *places, struct tally_str *out,
		       const struct tally_location *where, const struct tally_line *line,
		       uint64_t fields)
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

/* Append a cached line. Copying a fixed-size block is much faster than copying the exact length. */
static void slot_add(const struct script_locations *places, const struct script_place_slot *slot,
		     struct tally_str *out)
{
	char *at = LINE_MAX < out->cap - out->len ? out->data + out->len
						  : tally_str_reserve(out, LINE_MAX);
	struct long_line line;

	if (!at)
		return;
	if (slot->len == LONG) {
		memcpy(&line, slot->line, sizeof(line));
		tally_str_add_bytes(out, places->longs.data + line.at, line.len);
		return;
	}
	memcpy(at, slot->line, LINE_MAX);
	at[slot->len] = '\0';
	out->len += slot->len;
}

/* Store a line that is too long for a slot. If too many are stored, forget all lines. Returns false
 * if the line cannot be stored. */
static bool long_add(struct script_locations *places, const char *text, size_t len,
		     struct script_place_slot *slot)
{
	struct long_line line = {.len = len};

	if (len > LONG_BYTES_MAX / 2)
		return false;
	if (places->longs.len + len > LONG_BYTES_MAX) {
		memset(places->slots, 0, (places->nr_slots + 1) * sizeof(*places->slots));
		places->longs.len = 0;
	}
	line.at = places->longs.len;
	tally_str_add_bytes(&places->longs, text, len);
	memcpy(slot->line, &line, sizeof(line));
	return !places->longs.failed;
}

/* Cache the line that begins at `start` in `out`. */
static void slot_fill(struct script_locations *places, struct script_place_slot *slot,
		      const struct tally_str *out, size_t start, uint64_t key, uint64_t state)
{
	size_t len = out->len - start;

	slot->state = 0;
	if (out->failed || (len > LINE_MAX && !long_add(places, out->data + start, len, slot)))
		return;
	slot->key = key;
	slot->state = state;
	slot->len = len > LINE_MAX ? LONG : (uint8_t)len;
	if (len <= LINE_MAX)
		memcpy(slot->line, out->data + start, len);
}

/* Return true if source lines or inlined functions may be shown for a location. `*ret_addr` is the
 * address to use for the lookup. */
static bool wants_lines(const struct script_locations *places,
			const struct script_pending_location *held, uint64_t *ret_addr)
{
	bool is_inlined = held->in_chain && places->is_inlined && held->fields & SCRIPT_SYM;

	if (!held->where.dso || !(held->fields & SCRIPT_SRCLINE || is_inlined))
		return false;
	*ret_addr = tally_line_address(held->where.symbol, held->where.addr, held->is_return);
	return true;
}

static void inlined_add(const struct script_locations *places, struct tally_str *out, uint64_t ip,
			const struct tally_location *where, const struct tally_line *line,
			uint64_t fields)
{
	const struct tally_symbol *symbol = NULL;
	size_t start;

	if (tally_line_symbol(where->dso, line, &symbol))
		out->failed = true;
	tally_str_add_char(out, '\t');
	script_add_hex(out, ip);
	start = out->len;
	symbol_add(out, where, symbol, fields);
	tally_str_escape(out, start);
	source_add(places, out, where, line, fields);
	tally_str_add(out, " (inlined)\n");
}

/* Append the text for a location. In a callchain, this text is preceded by lines for inlined
 * functions. */
static void pending_add(const struct script_locations *places, struct tally_str *out,
			const struct script_pending_location *held)
{
	bool is_inlined = held->in_chain && places->is_inlined && held->fields & SCRIPT_SYM;
	const struct tally_line *lines;
	uint64_t addr;
	size_t start, i = 0;
	size_t nr = wants_lines(places, held, &addr)
			    ? tally_dso_lines(held->where.dso, addr, &lines, NULL)
			    : 0;

	for (; i + 1 < nr && is_inlined; i++)
		inlined_add(places, out, held->ip, &held->where, &lines[i], held->fields);
	tally_str_add_char(out, '\t');
	script_add_hex(out, held->ip);
	start = out->len;
	location_add(out, &held->where, held->fields);
	tally_str_escape(out, start);
	source_add(places, out, &held->where, nr ? &lines[i] : NULL, held->fields);
	tally_str_add_char(out, '\n');
}

/* Append a line that is not cached, or defer it if its source lines must be looked up. Return true
 * if the line may be cached. A line without a DSO must not be cached, because its address may turn
 * out to be in the kernel once the kernel's symbols are read. */
static bool line_make(struct script_locations *places, struct tally_str *out,
		      const struct script_location *place, bool in_chain, uint64_t fields)
{
	struct script_pending_location held = {.at = out->len,
					       .ip = tally_location_key_addr(place->key),
					       .fields = fields,
					       .is_return = place->is_return,
					       .in_chain = in_chain};
	uint64_t addr;

	(void)tally_machine_location_key_resolve(
		places->machine, tally_machine_kernel(places->machine), place->key, &held.where);
	/* If memory runs out, the line cannot be deferred, so look up its source lines
	 * immediately. */
	if (wants_lines(places, &held, &addr) &&
	    tally_dso_lines_need_worker(held.where.dso, addr) &&
	    !tally_vec_push(&places->held, held)) {
		if (places->held.len == 1)
			places->held_since = tally_clock_now();
		return false;
	}
	pending_add(places, out, &held);
	return held.where.dso != NULL;
}

/* Append a line for an unmapped address. Such lines differ only in the address, so they share a
 * template, which is kept in an extra slot after the regular slots. */
static void unmapped_add(struct script_locations *places, struct tally_str *out,
			 const struct script_location *place, bool in_chain, uint64_t fields,
			 uint64_t state)
{
	struct script_place_slot *slot = &places->slots[places->nr_slots];
	size_t start = out->len;

	if (slot->state == state) {
		slot_add(places, slot, out);
		if (!out->failed)
			script_hex(place->key[0], out->data + start + 1);
	} else {
		(void)line_make(places, out, place, in_chain, fields);
		slot_fill(places, slot, out, start, 0, state);
	}
}

static void place_add(struct script_locations *places, struct tally_str *out,
		      const struct script_location *place, bool in_chain, uint64_t fields)
{
	uint64_t state = places_state(places, place, in_chain, fields);
	struct script_place_slot *slot = slot_of(places, place->key);
	bool is_odd = tally_location_key_is_odd(place->key);
	size_t start = out->len;

	if (slot->key == place->key[0] && slot->state == state && !is_odd) {
		slot_add(places, slot, out);
	} else if (!tally_location_key_is_mapped(place->key)) {
		unmapped_add(places, out, place, in_chain, fields, state);
	} else {
		places->nr_missed++;
		if (line_make(places, out, place, in_chain, fields) && !is_odd)
			slot_fill(places, slot, out, start, place->key[0], state);
	}
}

void script_add_line(struct script_locations *places, struct tally_str *out,
		     const struct script_location *place, uint64_t fields)
{
	place_add(places, out, place, true, fields);
}

/* Remove the tab and address that precede the symbol and DSO, and the newline that follows them. */
static void lead_cut(struct tally_str *out, size_t start)
{
	size_t len;

	if (out->failed || out->len == start)
		return;
	len = out->len - start - LEAD - 1;
	memmove(out->data + start, out->data + start + LEAD, len);
	out->len = start + len;
}

void script_add_place(struct script_locations *places, struct tally_str *out,
		      const struct script_location *place, uint64_t fields)
{
	size_t start = out->len;

	place_add(places, out, place, false, fields);
	lead_cut(out, start);
}

/* ---- held locations ------------------------------------------------------- */

/* Limits on deferred output: its total size, and the time since the first deferral. With the time
 * limit, readers of a live stream see the output within a second. */
enum { HELD_MAX = 64 << 20, HELD_NS = 1000000000 };

bool script_places_are_due(const struct script_locations *places, size_t len)
{
	if (!places->held.len)
		return len >= TALLY_FLUSH_AT;
	return len + places->held.len * sizeof(*places->held.data) >= HELD_MAX ||
	       tally_clock_now() - places->held_since >= HELD_NS;
}

/* Look up the source lines of all deferred locations together. */
static void pending_look_up(const struct script_locations *places)
{
	struct tally_dso_address *asked = calloc(places->held.len, sizeof(*asked));
	size_t nr = 0;

	/* If memory runs out, each line will be looked up separately. */
	tally_vec_for_each (held, &places->held) {
		if (asked && wants_lines(places, held, &asked[nr].addr))
			asked[nr++].dso = held->where.dso;
	}
	tally_lines_prepare(asked, nr);
	free(asked);
}

void script_places_fill(struct script_locations *places, struct tally_str *out)
{
	struct tally_str *filled = &places->filled, swapped;
	size_t at = 0, start;

	if (!places->held.len || out->failed)
		return;
	pending_look_up(places);
	tally_vec_for_each (held, &places->held) {
		tally_str_add_bytes(filled, out->data + at, held->at - at);
		at = held->at;
		start = filled->len;
		pending_add(places, filled, held);
		if (!held->in_chain)
			lead_cut(filled, start);
	}
	tally_str_add_bytes(filled, out->data + at, out->len - at);
	places->held.len = 0;
	swapped = *out;
	*out = *filled;
	*filled = swapped;
	tally_str_clear(filled);
}
