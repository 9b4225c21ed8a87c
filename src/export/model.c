/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/path.h"
#include "profile/functions.h"
#include "profile/short_names.h"
#include "symbols/lines/symbols_lines.h"

/* ---- functions ----------------------------------------------------------------- */

static int function_find(struct tally_export_model *model, struct tally_map *known, uint32_t number,
			 uint32_t *ret_function)
{
	const struct tally_frame *frame = &model->profile->frames.all.data[number];
	uint64_t key = tally_frame_function(frame), found = tally_map_get(known, key);
	const char *file = frame->line ? frame->line->file : NULL;
	int ret = 0;

	if (found == TALLY_MAP_NONE) {
		found = model->functions.len;
		ret = tally_vec_push(&model->functions,
				     (struct tally_export_function){
					     .dso = frame->dso,
					     .symbol = frame->symbol,
					     .short_name = frame->symbol
								   ? tally_profile_short_name(
									     model->profile, number)
								   : NULL,
					     .file = file});
		if (!ret)
			ret = tally_map_set(known, key, found);
		if (ret)
			return ret;
	}
	/* Prefer an absolute path. */
	if (!model->functions.data[found].file ||
	    (file && file[0] == '/' && model->functions.data[found].file[0] != '/'))
		model->functions.data[found].file = file;
	*ret_function = (uint32_t)found;
	return 0;
}

static int bucket_frames(struct tally_export_model *model, struct tally_map *known,
			 const struct tally_bucket_key *key)
{
	uint32_t depth = tally_export_depth(model->profile, key);
	int ret = 0;

	for (uint32_t at = 0; at < depth && !ret; at++) {
		uint32_t frame = tally_export_frame(model->profile, key, at);

		if (model->place_of[frame] != UINT32_MAX)
			continue;
		model->place_of[frame] = (uint32_t)model->frames.len;
		ret = tally_vec_push(&model->frames, frame);
		if (!ret)
			ret = function_find(model, known, frame, &model->function_of[frame]);
	}
	return ret;
}

int tally_export_model_build(const struct tally_export *export,
			     struct tally_export_model *ret_model)
{
	const struct tally_profile *profile = export->profile;
	size_t size = (profile->frames.all.len + 1) * sizeof(uint32_t);
	struct tally_export_model model = {
		.profile = profile,
		.function_of = malloc(size),
		.place_of = malloc(size),
	};
	struct tally_map known = {0};
	int ret = model.function_of && model.place_of ? 0 : -ENOMEM;

	if (!ret) {
		memset(model.function_of, 0xff, size);
		memset(model.place_of, 0xff, size);
	}
	for (size_t i = 0; i < profile->buckets.len && !ret; i++) {
		const struct tally_bucket *bucket = &profile->buckets.data[i];

		if (tally_export_has_bucket(export, bucket))
			ret = bucket_frames(&model, &known, &bucket->key);
	}
	tally_map_free(&known);
	if (ret)
		tally_export_model_free(&model);
	else
		*ret_model = model;
	return ret;
}

void tally_export_model_free(struct tally_export_model *model)
{
	free(model->function_of);
	free(model->place_of);
	free(model->addresses);
	tally_vec_free(&model->frames);
	tally_vec_free(&model->functions);
	*model = (struct tally_export_model){0};
}

bool tally_export_has_bucket(const struct tally_export *export, const struct tally_bucket *bucket)
{
	for (size_t i = 0; i < export->nr_events && bucket->nr; i++) {
		if (export->events[i].number == bucket->key.event)
			return true;
	}
	return false;
}

uint64_t tally_export_sum(const struct tally_export *export, uint64_t sum, uint64_t weight)
{
	uint64_t whole;

	if (!__builtin_add_overflow(sum, weight, &whole) && whole <= INT64_MAX)
		return whole;
	export->notes->is_capped = true;
	return INT64_MAX;
}

const char *tally_export_unit_name(const struct tally_export_event *event)
{
	return event->is_time ? "nanoseconds" : "count";
}

uint64_t tally_export_period(const struct tally_export_event *event)
{
	if (event->period || !event->is_time || !event->frequency)
		return event->period;
	return 1000000000 / event->frequency;
}

/* ---- names --------------------------------------------------------------------- */

void tally_export_add_dso(const struct tally_dso *dso, struct tally_str *out)
{
	tally_str_add(out, dso ? tally_dso_name(dso) : "[unknown]");
}

void tally_export_add_function(const struct tally_export_function *function, struct tally_str *out)
{
	const char *name = function->dso ? tally_dso_name(function->dso) : "[unknown]";

	if (function->symbol) {
		tally_str_add(out, function->short_name);
	} else if (name[0] == '[') {
		tally_str_add(out, name);
	} else {
		tally_str_add_char(out, '[');
		tally_str_add(out, tally_path_name(name));
		tally_str_add_char(out, ']');
	}
}

void tally_export_add_build_id(struct tally_dso *dso, struct tally_str *out)
{
	size_t size = 0;
	const uint8_t *id = dso ? tally_dso_build_id(dso, &size) : NULL;

	tally_str_add_hex_bytes(out, id, size);
}

const char *tally_export_comm(const struct tally_profile *profile,
			      const struct tally_bucket_key *key)
{
	uint32_t comm = tally_machine_comm_of(profile->machine, key->comm);

	return tally_intern_text(tally_machine_comms(profile->machine), comm);
}

/* ---- inlined functions --------------------------------------------------------- */

/* Return true if the function of `frame` was inlined into the function of `caller`, the next outer
 * frame. */
static bool is_inlined(const struct tally_profile *profile, uint32_t frame, uint32_t caller)
{
	const struct tally_frame *inner = &profile->frames.all.data[frame],
				 *outer = &profile->frames.all.data[caller];

	return inner->is_exact && inner->symbol && outer->is_exact && inner->dso == outer->dso &&
	       inner->addr == outer->addr && tally_symbol_is_inlined(inner->dso, inner->symbol);
}

static void chain_inlining(const struct tally_profile *profile, const struct tally_bucket_key *key,
			   struct tally_export_inlining *inlining)
{
	uint32_t at = tally_export_depth(profile, key), caller, frame;

	/* The outermost frame cannot be inlined, so its entry keeps the initial value. */
	for (caller = tally_export_frame(profile, key, --at); at-- > 0; caller = frame) {
		frame = tally_export_frame(profile, key, at);
		if (is_inlined(profile, frame, caller))
			inlining[frame] = (struct tally_export_inlining){
				inlining[caller].outer, inlining[caller].depth + 1};
	}
}

struct tally_export_inlining *tally_export_inlining_build(const struct tally_export *export)
{
	const struct tally_profile *profile = export->profile;
	struct tally_export_inlining *inlining =
		calloc(profile->frames.all.len + 1, sizeof(*inlining));

	if (!inlining)
		return NULL;
	for (uint32_t i = 0; i < profile->frames.all.len; i++)
		inlining[i].outer = i;
	tally_vec_for_each (bucket, &profile->buckets) {
		if (tally_export_has_bucket(export, bucket))
			chain_inlining(profile, &bucket->key, inlining);
	}
	return inlining;
}

/* ---- the tree of callchains ---------------------------------------------------- */

static uint32_t unit_of(const struct tally_export_model *model, enum tally_export_unit unit,
			const struct tally_bucket_key *key, uint32_t at)
{
	uint32_t frame = tally_export_frame(model->profile, key, at);

	return unit == TALLY_EXPORT_FRAMES ? model->place_of[frame] : model->function_of[frame];
}

/* Find or add the path for a bucket, starting from its outermost frame. */
static int bucket_path(const struct tally_export_model *model, enum tally_export_unit unit,
		       struct tally_export_tree *tree, const struct tally_bucket_key *key,
		       uint32_t *ret_path)
{
	uint32_t path = TALLY_PATH_NONE;
	int ret = 0;

	if (unit == TALLY_EXPORT_COMMS_AND_FUNCTIONS)
		ret = tally_paths_child(
			&tree->paths, path,
			tree->nr_units + tally_machine_comm_of(model->profile->machine, key->comm),
			&path);
	for (uint32_t at = tally_export_depth(model->profile, key); at-- > 0 && !ret;)
		ret = tally_paths_child(&tree->paths, path, unit_of(model, unit, key, at), &path);
	*ret_path = path;
	return ret;
}

int tally_export_tree_build(const struct tally_export_model *model, enum tally_export_unit unit,
			    uint32_t event, struct tally_export_tree *ret_tree)
{
	const struct tally_profile *profile = model->profile;
	size_t nr_comms = tally_machine_comms(profile->machine)->strings.len;
	struct tally_export_tree tree = {
		.path_of = calloc(profile->buckets.len + 1, sizeof(*tree.path_of)),
		.nr_units = (uint32_t)(unit == TALLY_EXPORT_FRAMES ? model->frames.len
								   : model->functions.len),
	};
	int ret = tree.path_of ? tally_paths_init(&tree.paths, tree.nr_units + nr_comms) : -ENOMEM;

	for (size_t i = 0; i < profile->buckets.len && !ret; i++) {
		const struct tally_bucket *bucket = &profile->buckets.data[i];

		if (bucket->nr && (event == UINT32_MAX || bucket->key.event == event))
			ret = bucket_path(model, unit, &tree, &bucket->key, &tree.path_of[i]);
	}
	if (ret)
		tally_export_tree_free(&tree);
	else
		*ret_tree = tree;
	return ret;
}

void tally_export_tree_free(struct tally_export_tree *tree)
{
	tally_paths_free(&tree->paths);
	free(tree->path_of);
	*tree = (struct tally_export_tree){0};
}
