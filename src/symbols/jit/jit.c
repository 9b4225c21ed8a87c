/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/jit/jit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "symbols/jit/jitdump.h"

enum { JIT_SLOTS = 1024 };

/* Slot of a direct-mapped cache. It contains the lookup result for an address, which is valid if at
 * least `first` and at most `last` pieces of code existed at the time of the lookup. */
struct tally_jit_slot {
	uint64_t addr;
	uint32_t first, last; /* `last` is 0 if the slot is empty */
	uint32_t number;      /* TALLY_LAYER_NONE if there is no code */
	bool has_below;
};

const struct tally_symbol *tally_jit_add(struct tally_jit *jit, uint64_t start, uint64_t size,
					 uint64_t time, uint64_t place, const char *name,
					 size_t len)
{
	struct tally_symbol *symbol = tally_arena_alloc(&jit->arena, sizeof(*symbol));
	char *copy = tally_arena_strndup(&jit->arena, name, len);
	struct tally_jit_code code = {{start, start + TALLY_MAX(size, (uint64_t)1)},
				      time,
				      symbol,
				      (uint32_t)jit->codes.len};

	if (!symbol || !copy)
		return NULL;
	*symbol = (struct tally_symbol){place, place + size, {copy}};
	return tally_vec_push(&jit->codes, code) ? NULL : symbol;
}

/* ---- finishing ----------------------------------------------------------------- */

static int compare_codes(const void *a, const void *b)
{
	const struct tally_jit_code *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->order < right->order ? -1 : left->order > right->order;
}

/* Sort the pieces of code by timestamp. They can be out of order, because threads write a record
 * some time after taking its timestamp. */
static void codes_sort(struct tally_jit *jit)
{
	for (size_t i = 1; i < jit->codes.len; i++) {
		if (jit->codes.data[i].time < jit->codes.data[i - 1].time) {
			qsort(jit->codes.data, jit->codes.len, sizeof(*jit->codes.data),
			      compare_codes);
			return;
		}
	}
}

static void lookups_reset(struct tally_jit *jit)
{
	tally_layers_free(&jit->layers);
	free(jit->slots);
	jit->slots = NULL;
	jit->memo.time = TALLY_JIT_ALWAYS;
	jit->memo.before = 0;
	jit->nr_finished = 0;
}

int tally_jit_finish(struct tally_jit *jit)
{
	int ret;

	if (jit->codes.len == jit->nr_finished)
		return 0;
	lookups_reset(jit);
	codes_sort(jit);
	ret = tally_layers_build(&jit->codes.data->where, sizeof(*jit->codes.data), jit->codes.len,
				 &jit->layers);
	if (ret)
		tally_jit_clear(jit);
	else
		jit->nr_finished = jit->codes.len;
	return ret;
}

/* ---- lookups ------------------------------------------------------------------- */

/* Return the number of pieces of code that existed at `time`. */
static uint32_t codes_until(struct tally_jit *jit, uint64_t time)
{
	size_t low = 0, high = jit->nr_finished;

	if (time == TALLY_JIT_ALWAYS)
		return (uint32_t)high;
	if (time == jit->memo.time)
		return jit->memo.before;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (jit->codes.data[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	jit->memo.time = time;
	jit->memo.before = (uint32_t)low;
	return (uint32_t)low;
}

/* Return the cached result for an address, after looking it up if necessary. If memory for slots
 * cannot be allocated, use `own`. */
static const struct tally_jit_slot *slot_find(struct tally_jit *jit, uint64_t addr, uint32_t before,
					      struct tally_jit_slot *own)
{
	struct tally_jit_slot *slot = own;
	struct tally_layers_found found;

	if (!jit->slots)
		jit->slots = calloc(JIT_SLOTS, sizeof(*jit->slots));
	if (jit->slots)
		slot = &jit->slots[tally_hash_u64(addr, 0) % JIT_SLOTS];
	if (slot->last && slot->addr == addr && before >= slot->first && before <= slot->last)
		return slot;
	found = tally_layers_find(&jit->layers, addr, before);
	*slot = (struct tally_jit_slot){
		.addr = addr,
		.first = found.number == TALLY_LAYER_NONE ? 0 : found.number + 1,
		.last = found.next,
		.number = found.number,
		.has_below = found.below != 0,
	};
	return slot;
}

const struct tally_jit_code *tally_jit_find(struct tally_jit *jit, uint64_t addr, uint64_t time)
{
	struct tally_jit_slot own = {0};
	const struct tally_jit_slot *slot;

	if (!jit->nr_finished)
		return NULL;
	slot = slot_find(jit, addr, codes_until(jit, time), &own);
	if (slot->number == TALLY_LAYER_NONE)
		return NULL;
	jit->nr_guesses += time == TALLY_JIT_ALWAYS && slot->has_below;
	return &jit->codes.data[slot->number];
}

/* Return the number of symbols that start at or before `place`. */
static size_t symbols_until(const struct tally_jit *jit, uint64_t place)
{
	size_t low = 0, high = jit->symbols.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (jit->symbols.data[mid]->start <= place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct tally_symbol *tally_jit_find_place(const struct tally_jit *jit, uint64_t place)
{
	size_t nr = symbols_until(jit, place);

	return nr && place < jit->symbols.data[nr - 1]->end ? jit->symbols.data[nr - 1] : NULL;
}

bool tally_jit_find_address(const struct tally_jit *jit, uint64_t place, uint64_t *ret_addr)
{
	size_t nr = symbols_until(jit, place);

	if (!nr || place >= jit->symbols.data[nr - 1]->end)
		return false;
	*ret_addr = jit->addresses.data[nr - 1] + (place - jit->symbols.data[nr - 1]->start);
	return true;
}

const struct tally_line *tally_jit_find_line(const struct tally_jit *jit, uint64_t place,
					     struct tally_span *ret_span)
{
	const struct tally_symbol *symbol = tally_jit_find_place(jit, place);
	size_t low = 0, high = jit->lines.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (jit->lines.data[mid].place <= place)
			low = mid + 1;
		else
			high = mid;
	}
	if (!symbol || !low || jit->lines.data[low - 1].place < symbol->start)
		return NULL;
	ret_span->start = jit->lines.data[low - 1].place;
	ret_span->end = low < jit->lines.len ? TALLY_MIN(jit->lines.data[low].place, symbol->end)
					     : symbol->end;
	return jit->lines.data[low - 1].line;
}

void tally_jit_clear(struct tally_jit *jit)
{
	lookups_reset(jit);
	tally_vec_free(&jit->codes);
	tally_vec_free(&jit->symbols);
	tally_vec_free(&jit->addresses);
	tally_vec_free(&jit->lines);
	tally_jitdump_end(jit);
	jit->nr_skipped = 0;
}

void tally_jit_free(struct tally_jit *jit)
{
	tally_jit_clear(jit);
	tally_arena_free(&jit->arena);
}
