/* SPDX-License-Identifier: BSD-2-Clause */
#include "import/imported.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "symbols/embedded/stored_format.h"

int import_text(struct imported *imported, const char *text, size_t len, uint32_t *ret_text)
{
	/* Recordings cannot contain longer names. */
	len = TALLY_MIN(len, (size_t)TALLY_STORED_NAME_MAX);
	return tally_intern(&imported->texts, text, len, ret_text) ? -ENOMEM : 0;
}

int import_module(struct imported *imported, uint32_t name, bool is_kernel, uint32_t *ret_module)
{
	uint64_t key = (uint64_t)name << 1 | is_kernel;
	uint64_t number = tally_map_get(&imported->module_of, key);

	if (number == TALLY_MAP_NONE) {
		number = imported->modules.len;
		if (tally_vec_push(&imported->modules, (struct import_module){name, is_kernel}) ||
		    tally_map_set(&imported->module_of, key, number))
			return -ENOMEM;
	}
	*ret_module = (uint32_t)number;
	return 0;
}

/* ---- places ---------------------------------------------------------------------- */

static bool place_equal(const struct imported *imported, const struct import_place *a,
			const struct import_place *b, const struct import_row *rows, uint32_t nr)
{
	return a->module == b->module && a->recorded == b->recorded && a->nr == nr &&
	       !memcmp(&imported->rows.data[a->first], rows, nr * sizeof(*rows));
}

int import_place(struct imported *imported, const struct import_place *place,
		 const struct import_row *rows, uint32_t nr, uint32_t *ret_place)
{
	uint64_t seed = tally_hash_u64(place->recorded, place->module);
	uint32_t hash = (uint32_t)tally_hash_bytes(rows, nr * sizeof(*rows), seed), number;
	uint32_t first = (uint32_t)imported->rows.len;

	for (size_t pos = hash; tally_slots_next(&imported->slots, hash, &pos, &number);) {
		if (place_equal(imported, &imported->places.data[number], place, rows, nr)) {
			*ret_place = number;
			return 0;
		}
	}
	number = (uint32_t)imported->places.len;
	if (imported->rows.len + nr >= UINT32_MAX ||
	    tally_vec_reserve(&imported->rows, imported->rows.len + nr) ||
	    tally_vec_reserve(&imported->places, imported->places.len + 1) ||
	    tally_slots_add(&imported->slots, hash, number))
		return -ENOMEM;
	memcpy(&imported->rows.data[first], rows, nr * sizeof(*rows));
	imported->rows.len += nr;
	imported->places.data[imported->places.len++] = (struct import_place){
		.recorded = place->recorded, .module = place->module, .first = first, .nr = nr};
	*ret_place = number;
	return 0;
}

int import_stack(struct imported *imported, const uint32_t *places, uint32_t nr,
		 uint32_t *ret_stack)
{
	if (nr)
		return tally_stacks_find(&imported->stacks, places, nr,
					 tally_stacks_hash(places, nr), ret_stack);
	*ret_stack = TALLY_STACK_NONE;
	return 0;
}

/* ---- threads and events ---------------------------------------------------------- */

int import_thread(struct imported *imported, const struct import_thread *thread,
		  uint32_t *ret_thread)
{
	uint64_t ids = (uint64_t)(uint32_t)thread->pid << 32 | (uint32_t)thread->tid;
	uint32_t hash = (uint32_t)tally_hash_u64(ids, thread->host), number;

	for (size_t pos = hash; tally_slots_next(&imported->thread_slots, hash, &pos, &number);) {
		const struct import_thread *known = &imported->threads.data[number];

		if (known->host == thread->host && known->pid == thread->pid &&
		    known->tid == thread->tid) {
			*ret_thread = number;
			return 0;
		}
	}
	number = (uint32_t)imported->threads.len;
	if (tally_vec_reserve(&imported->threads, imported->threads.len + 1) ||
	    tally_slots_add(&imported->thread_slots, hash, number))
		return -ENOMEM;
	imported->threads.data[imported->threads.len++] = *thread;
	*ret_thread = number;
	return 0;
}

int import_event(struct imported *imported, uint32_t name, uint32_t *ret_event)
{
	uint64_t number = tally_map_get(&imported->event_of, name);

	if (number == TALLY_MAP_NONE) {
		number = imported->events.len;
		if (tally_vec_push(&imported->events, name) ||
		    tally_map_set(&imported->event_of, name, number))
			return -ENOMEM;
	}
	*ret_event = (uint32_t)number;
	return 0;
}

void imported_free(struct imported *imported)
{
	tally_intern_free(&imported->texts);
	tally_vec_free(&imported->modules);
	tally_map_free(&imported->module_of);
	tally_vec_free(&imported->rows);
	tally_vec_free(&imported->places);
	tally_slots_free(&imported->slots);
	tally_stacks_free(&imported->stacks);
	tally_vec_free(&imported->threads);
	tally_slots_free(&imported->thread_slots);
	tally_vec_free(&imported->events);
	tally_map_free(&imported->event_of);
	tally_vec_free(&imported->samples);
}
