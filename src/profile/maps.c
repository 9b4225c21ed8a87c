/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/maps.h"

#include <string.h>

struct tally_maps *tally_maps_new(uint64_t *next_space)
{
	struct tally_maps *maps = calloc(1, sizeof(*maps));

	if (maps) {
		maps->refs = 1;
		maps->space = (*next_space)++;
	}
	return maps;
}

struct tally_maps *tally_maps_get(struct tally_maps *maps)
{
	maps->refs++;
	return maps;
}

void tally_maps_put(struct tally_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	tally_vec_free(&maps->all);
	free(maps);
}

/* Index of the first map that ends behind `addr`. */
static size_t maps_first_behind(const struct tally_maps *maps, uint64_t addr)
{
	size_t low = 0, high = maps->all.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (maps->all.data[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct tally_mapping *tally_maps_search(struct tally_maps *maps, uint64_t addr)
{
	const struct tally_mapping *at = maps->all.data, *end = at + maps->all.len;
	uint16_t *hint = tally_maps_hint(maps, addr);

	if (addr < at->start)
		return NULL;
	/* Addresses between two maps come again as well. */
	if (at[*hint].start <= addr && (&at[*hint] + 1 == end || at[*hint + 1].start > addr)) {
		at += *hint;
	} else {
		/* Halved without branches, as nobody could foresee them. */
		for (size_t nr = maps->all.len; nr > 1; nr -= nr / 2)
			at += at[nr / 2].start <= addr ? nr / 2 : 0;
		*hint = (uint16_t)(at - maps->all.data);
	}
	return addr < at->end ? at : NULL;
}

/* A copy that nobody shares. */
static struct tally_maps *maps_clone(const struct tally_maps *maps, uint64_t *next_space)
{
	struct tally_maps *copy = tally_maps_new(next_space);

	if (!copy)
		return NULL;
	if (tally_vec_reserve(&copy->all, maps->all.len + 1)) {
		tally_maps_put(copy);
		return NULL;
	}
	if (maps->all.len)
		memcpy(copy->all.data, maps->all.data, maps->all.len * sizeof(*maps->all.data));
	copy->all.len = maps->all.len;
	return copy;
}

/* Make `*maps` ours alone and its number unused by any look-up. */
static int maps_make_writable(struct tally_maps **maps, uint64_t *next_space)
{
	struct tally_maps *copy;

	if ((*maps)->refs > 1) {
		copy = maps_clone(*maps, next_space);
		if (!copy)
			return -ENOMEM;
		tally_maps_put(*maps);
		*maps = copy;
	} else if ((*maps)->was_read) {
		(*maps)->space = (*next_space)++;
		(*maps)->was_read = false;
	}
	return 0;
}

/* Put `nr` maps in the place of those at [first, last). Room is there. */
static void maps_splice(struct tally_maps *maps, size_t first, size_t last,
			const struct tally_mapping *with, size_t nr)
{
	struct tally_mapping *data = maps->all.data;

	memmove(&data[first + nr], &data[last], (maps->all.len - last) * sizeof(*data));
	memcpy(&data[first], with, nr * sizeof(*data));
	maps->all.len = maps->all.len - (last - first) + nr;
	memset(maps->hints, 0, sizeof(maps->hints));
}

int tally_maps_insert(struct tally_maps **maps, const struct tally_mapping *map,
		      uint64_t *next_space)
{
	struct tally_mapping with[3];
	size_t first, last, nr = 0;
	struct tally_mapping *data;
	int ret;

	if (map->start >= map->end)
		return 0;
	ret = maps_make_writable(maps, next_space);
	if (!ret)
		ret = tally_vec_reserve(&(*maps)->all, (*maps)->all.len + 2);
	if (ret)
		return ret;
	data = (*maps)->all.data;
	first = last = maps_first_behind(*maps, map->start);
	while (last < (*maps)->all.len && data[last].start < map->end)
		last++;
	if (first < last && data[first].start < map->start) {
		with[nr] = data[first];
		with[nr++].end = map->start;
	}
	with[nr++] = *map;
	if (first < last && data[last - 1].end > map->end) {
		with[nr] = data[last - 1];
		with[nr++].start = map->end;
	}
	maps_splice(*maps, first, last, with, nr);
	return 0;
}
