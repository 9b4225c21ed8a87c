/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of mappings, which forked processes share. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "sampler/system_private.h"

/* MAPS_MAX is the default of vm.max_map_count. Lists are compacted when they have doubled. */
enum { MAPS_MAX = 65536, MAPS_LEAST = 64 };

/* ---- records ------------------------------------------------------------------------------- */

struct system_record *system_record_new(struct tally_system *system, const void *record, size_t len)
{
	size_t size = len - system->trailer;
	struct system_record *copy = system_alloc(system, sizeof(*copy) + size);

	if (!copy)
		return NULL;
	copy->refs = 1;
	copy->size = (uint16_t)size;
	memcpy(copy->bytes, record, size);
	return copy;
}

void system_record_put(struct tally_system *system, struct system_record *record)
{
	if (record && !--record->refs)
		system_release(system, record, sizeof(*record) + record->size);
}

/* ---- lists --------------------------------------------------------------------------------- */

struct system_maps *system_maps_get(struct system_maps *maps)
{
	if (maps)
		maps->refs++;
	return maps;
}

void system_maps_put(struct tally_system *system, struct system_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	tally_vec_for_each (map, &maps->all)
		system_record_put(system, map->record);
	system->bytes -= maps->all.cap * sizeof(*maps->all.data);
	tally_vec_free(&maps->all);
	system_release(system, maps, sizeof(*maps));
}

/* Reserve space for `need` mappings, and charge the growth. */
static bool maps_reserve(struct tally_system *system, struct system_maps *maps, size_t need)
{
	size_t before = maps->all.cap, grown;

	/* A vector grows to at most twice the required size, or to 8 elements. */
	grown = need > before ? TALLY_MAX(2 * need, (size_t)8) * sizeof(*maps->all.data) : 0;
	if (system->bytes + grown > system->limit || tally_vec_reserve(&maps->all, need)) {
		system->dropped++;
		return false;
	}
	system->bytes += (maps->all.cap - before) * sizeof(*maps->all.data);
	return true;
}

/* Return a copy of a list, which may be NULL. */
static struct system_maps *maps_copy(struct tally_system *system, const struct system_maps *from)
{
	struct system_maps *copy = system_alloc(system, sizeof(*copy));

	if (!copy)
		return NULL;
	copy->refs = 1;
	if (!from)
		return copy;
	if (!maps_reserve(system, copy, from->all.len)) {
		system_release(system, copy, sizeof(*copy));
		return NULL;
	}
	tally_vec_for_each (map, &from->all) {
		map->record->refs++;
		copy->all.data[copy->all.len++] = *map;
	}
	copy->nr_compacted = from->nr_compacted;
	return copy;
}

/* Replace `*maps` with a list that has no other user. */
static bool maps_own(struct tally_system *system, struct system_maps **maps)
{
	struct system_maps *copy;

	if (*maps && (*maps)->refs == 1)
		return true;
	copy = maps_copy(system, *maps);
	if (!copy)
		return false;
	system_maps_put(system, *maps);
	*maps = copy;
	return true;
}

void system_maps_add(struct tally_system *system, struct system_maps **maps, const void *record,
		     size_t len)
{
	struct system_record *copy;
	struct tally_mmap mmap;

	if (tally_record_mmap(record, len, &mmap) || !mmap.len ||
	    mmap.start + mmap.len < mmap.start)
		return;
	if (!maps_own(system, maps) || !maps_reserve(system, *maps, (*maps)->all.len + 1))
		return;
	copy = system_record_new(system, record, len);
	if (!copy)
		return;
	(*maps)->all.data[(*maps)->all.len++] =
		(struct system_map){mmap.start, mmap.start + mmap.len, copy};
	if ((*maps)->all.len >= 2 * (*maps)->nr_compacted + MAPS_LEAST)
		system_maps_compact(system, *maps);
}

/* ---- covered mappings ---------------------------------------------------------------------- */

/* The ends of all mappings divide the addresses into pieces. next[i] is the first piece from i on
 * that no newer mapping contains. */
struct map_pieces {
	uint64_t *edges;
	uint32_t *next;
	size_t nr; /* number of edges */
};

static int edge_compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static bool pieces_init(struct map_pieces *pieces, const struct system_maps *maps)
{
	size_t nr = 0;

	pieces->edges = calloc(2 * maps->all.len + 1, sizeof(*pieces->edges));
	pieces->next = calloc(2 * maps->all.len + 1, sizeof(*pieces->next));
	if (!pieces->edges || !pieces->next)
		return false;
	tally_vec_for_each (map, &maps->all) {
		pieces->edges[nr++] = map->start;
		pieces->edges[nr++] = map->end;
	}
	qsort(pieces->edges, nr, sizeof(*pieces->edges), edge_compare);
	for (size_t i = 0; i <= nr; i++)
		pieces->next[i] = (uint32_t)i;
	pieces->nr = nr;
	return true;
}

/* Return the first edge that is not below `address`. */
static uint32_t piece_at(const struct map_pieces *pieces, uint64_t address)
{
	size_t low = 0, high = pieces->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (pieces->edges[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static uint32_t piece_free(struct map_pieces *pieces, uint32_t at)
{
	while (pieces->next[at] != at) {
		pieces->next[at] = pieces->next[pieces->next[at]];
		at = pieces->next[at];
	}
	return at;
}

/* Take all free pieces of a mapping. Return false if newer mappings contain all of them. */
static bool pieces_take(struct map_pieces *pieces, const struct system_map *map)
{
	uint32_t end = piece_at(pieces, map->end);
	uint32_t at = piece_free(pieces, piece_at(pieces, map->start));
	bool is_any = at < end;

	for (; at < end; at = piece_free(pieces, at))
		pieces->next[at] = at + 1;
	return is_any;
}

/* Remove the entries without a record, and the oldest ones if there are too many. */
static void maps_squeeze(struct tally_system *system, struct system_maps *maps)
{
	size_t nr = 0, skip = 0;

	tally_vec_for_each (map, &maps->all)
		nr += map->record != NULL;
	skip = nr > MAPS_MAX ? nr - MAPS_MAX : 0;
	nr = 0;
	tally_vec_for_each (map, &maps->all) {
		if (map->record && skip) {
			system_record_put(system, map->record);
			skip--;
		} else if (map->record) {
			maps->all.data[nr++] = *map;
		}
	}
	maps->all.len = maps->nr_compacted = nr;
}

void system_maps_compact(struct tally_system *system, struct system_maps *maps)
{
	struct map_pieces pieces = {0};

	if (maps->all.len > maps->nr_compacted && pieces_init(&pieces, maps)) {
		for (size_t i = maps->all.len; i-- > 0;) {
			struct system_map *map = &maps->all.data[i];

			if (pieces_take(&pieces, map))
				continue;
			system_record_put(system, map->record);
			map->record = NULL;
		}
		maps_squeeze(system, maps);
	}
	free(pieces.edges);
	free(pieces.next);
}
