/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/locations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"

enum { PAGE = 4096 };

/* ---- locations ----------------------------------------------------------------- */

int tally_export_locations_init(const struct tally_export *export,
				const struct tally_export_model *model,
				struct tally_export_locations *locations)
{
	size_t nr = model->profile->frames.all.len;

	*locations = (struct tally_export_locations){
		.model = model,
		.inlining = tally_export_inlining_build(export),
		.location_of = calloc(nr + 1, sizeof(*locations->location_of)),
	};
	return locations->inlining && locations->location_of ? 0 : -ENOMEM;
}

void tally_export_locations_free(struct tally_export_locations *locations)
{
	tally_slots_free(&locations->slots);
	tally_vec_free(&locations->mappings);
	tally_vec_free(&locations->starts);
	tally_vec_free(&locations->lines);
	free(locations->location_of);
	free(locations->inlining);
	*locations = (struct tally_export_locations){0};
}

int tally_export_location_next(struct tally_export_locations *locations,
			       const struct tally_bucket_key *key, uint32_t *at,
			       uint32_t *ret_number)
{
	const struct tally_profile *profile = locations->model->profile;
	uint32_t first = tally_export_frame(profile, key, *at);
	uint32_t nr = locations->inlining[first].depth + 1;
	int ret = 0;

	if (!locations->location_of[first]) {
		ret = tally_vec_push(&locations->starts, (uint32_t)locations->lines.len);
		for (uint32_t i = 0; i < nr && !ret; i++)
			ret = tally_vec_push(&locations->lines,
					     tally_export_frame(profile, key, *at + i));
		locations->location_of[first] = (uint32_t)locations->starts.len;
	}
	*ret_number = locations->location_of[first];
	*at += nr;
	return ret;
}

struct tally_export_location
tally_export_location_get(const struct tally_export_locations *locations, uint32_t number)
{
	uint32_t first = locations->starts.data[number - 1];
	uint32_t end = number < locations->starts.len ? locations->starts.data[number]
						      : (uint32_t)locations->lines.len;

	return (struct tally_export_location){&locations->lines.data[first], end - first};
}

/* ---- mappings ------------------------------------------------------------------ */

/* Return true for a program rather than a library. */
static bool is_program(const struct tally_dso *dso)
{
	return tally_dso_kind(dso) == TALLY_DSO_USER &&
	       !strstr(tally_path_name(tally_dso_name(dso)), ".so");
}

static uint64_t address_of(const struct tally_export_locations *locations, uint32_t frame)
{
	return locations->model->addresses[locations->model->place_of[frame]];
}

/* Return the index of a frame's mapping, or UINT32_MAX if there is none yet. */
static uint32_t mapping_find(const struct tally_export_locations *locations, uint32_t number,
			     uint32_t *ret_hash)
{
	const struct tally_frame *frame = &locations->model->profile->frames.all.data[number];
	uint64_t distance = address_of(locations, number) - frame->addr;
	uint32_t hash = (uint32_t)tally_hash_mix((uintptr_t)frame->dso, distance), found;

	*ret_hash = hash;
	for (size_t pos = hash; tally_slots_next(&locations->slots, hash, &pos, &found);) {
		const struct tally_export_mapping *mapping = &locations->mappings.data[found];

		if (mapping->dso == frame->dso && mapping->distance == distance)
			return found;
	}
	return UINT32_MAX;
}

static int mapping_add(struct tally_export_locations *locations, uint32_t number)
{
	const struct tally_frame *frame = &locations->model->profile->frames.all.data[number];
	uint64_t address = address_of(locations, number), start = address & ~(uint64_t)(PAGE - 1);
	uint32_t hash, found = mapping_find(locations, number, &hash);
	struct tally_export_mapping *mapping;
	int ret = 0;

	if (found == UINT32_MAX) {
		found = (uint32_t)locations->mappings.len;
		ret = tally_vec_push(&locations->mappings,
				     (struct tally_export_mapping){frame->dso,
								   address - frame->addr, start,
								   start + PAGE});
		if (!ret)
			ret = tally_slots_add(&locations->slots, hash, found);
		if (ret)
			return ret;
	}
	mapping = &locations->mappings.data[found];
	mapping->start = start < mapping->start ? start : mapping->start;
	/* The end of the topmost page wraps around to 0. */
	if (start + (PAGE - 1) > mapping->end - 1)
		mapping->end = start + PAGE;
	mapping->has_lines |= frame->line != NULL;
	return 0;
}

int tally_export_mappings_build(struct tally_export_locations *locations)
{
	int ret = 0;

	for (int pass = 0; pass < 2; pass++) {
		tally_vec_for_each (line, &locations->lines) {
			const struct tally_dso *dso =
				locations->model->profile->frames.all.data[*line].dso;

			if (dso && !ret && (pass || is_program(dso)))
				ret = mapping_add(locations, *line);
		}
	}
	return ret;
}

uint32_t tally_export_mapping_of(const struct tally_export_locations *locations, uint32_t number)
{
	uint32_t frame = tally_export_location_get(locations, number).frames[0], hash;

	return locations->model->profile->frames.all.data[frame].dso
		       ? mapping_find(locations, frame, &hash) + 1
		       : 0;
}

uint64_t tally_export_location_address(const struct tally_export_locations *locations,
				       uint32_t number)
{
	return address_of(locations, tally_export_location_get(locations, number).frames[0]);
}
