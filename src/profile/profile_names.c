/* SPDX-License-Identifier: BSD-2-Clause */
/* Short names of a profile's functions. */
#include <stdlib.h>

#include "base/map.h"
#include "profile/profile_model.h"
#include "profile/short_names.h"

struct tally_profile_names {
	struct tally_short_names names;
	TALLY_VEC(uint32_t) of_frame; /* index of each frame's function */
	size_t nr_frames;             /* state of the frames for which the names were made */
	uint64_t nr_sweeps;
};

struct tally_profile_names *tally_profile_names_new(void)
{
	return calloc(1, sizeof(struct tally_profile_names));
}

static void names_clear(struct tally_profile_names *names)
{
	tally_short_names_free(&names->names);
	tally_vec_free(&names->of_frame);
	*names = (struct tally_profile_names){0};
}

void tally_profile_names_free(struct tally_profile_names *names)
{
	if (names)
		names_clear(names);
	free(names);
}

/* Functions of a profile, and their indexes by symbol or, for copies of one function, by mangled
 * name. */
struct name_list {
	TALLY_VEC(struct tally_function_name) functions;
	struct tally_map indexes;
};

/* Return true if there can be several symbols of one function: it was inlined, or compiled again at
 * run time. */
static bool is_copied(const struct tally_frame *frame)
{
	enum tally_dso_kind kind = frame->dso ? tally_dso_kind(frame->dso) : TALLY_DSO_UNKNOWN;

	return kind == TALLY_DSO_UNKNOWN || kind == TALLY_DSO_PERF_MAP ||
	       kind == TALLY_DSO_JITDUMP || tally_symbol_is_inlined(frame->dso, frame->symbol);
}

static int add_function(struct name_list *all, const struct tally_frame *frame, uint32_t *ret_index)
{
	const char *raw = tally_symbol_raw_name(frame->dso, frame->symbol);
	uint64_t key = is_copied(frame) ? (uintptr_t)raw : (uintptr_t)frame->symbol;
	uint64_t known = tally_map_get(&all->indexes, key);
	struct tally_function_name function = {
		.raw = raw,
		.address = frame->symbol->start,
		.file = is_copied(frame) ? 0 : (uintptr_t)frame->dso,
		.source = frame->line ? frame->line->file : NULL,
	};

	if (known == TALLY_MAP_NONE) {
		known = all->functions.len;
		function.name = tally_symbol_name(frame->dso, frame->symbol);
		if (tally_vec_push(&all->functions, function) ||
		    tally_map_set(&all->indexes, key, known))
			return -ENOMEM;
	}
	*ret_index = (uint32_t)known;
	return 0;
}

static int names_make(struct tally_profile_names *names, const struct tally_frames *frames)
{
	struct name_list all = {0};
	int ret = tally_vec_reserve(&names->of_frame, frames->all.len + 1);

	for (size_t i = 0; i < frames->all.len && !ret; i++) {
		names->of_frame.data[i] = 0;
		if (frames->all.data[i].symbol)
			ret = add_function(&all, &frames->all.data[i], &names->of_frame.data[i]);
	}
	if (!ret)
		ret = tally_short_names_make(all.functions.data, all.functions.len, &names->names);
	tally_vec_free(&all.functions);
	tally_map_free(&all.indexes);
	return ret;
}

const char *tally_profile_short_name(const struct tally_profile *profile, uint32_t number)
{
	struct tally_profile_names *names = profile->names;
	const struct tally_frames *frames = &profile->frames;
	const struct tally_frame *frame = &frames->all.data[number];

	if (profile->options.whole_names)
		return tally_symbol_name(frame->dso, frame->symbol);
	if (names->nr_frames != frames->all.len || names->nr_sweeps != frames->nr_sweeps) {
		names_clear(names);
		if (names_make(names, frames)) {
			names_clear(names);
			return tally_symbol_name(frame->dso, frame->symbol);
		}
		names->nr_frames = frames->all.len;
		names->nr_sweeps = frames->nr_sweeps;
	}
	return names->names.texts.data[names->of_frame.data[number]];
}
