/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speedscope's native format. For each event and each thread, it has a profile that contains the
 * thread's stacks in time order. Consecutive equal stacks are merged.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/json.h"
#include "export/formats.h"
#include "export/model.h"
#include "export/stream.h"

struct speedscope {
	const struct tally_export *export;
	const struct tally_profile *profile;
	struct tally_export_model model;
	struct tally_export_tree tree;
	struct tally_export_stream stream;
	TALLY_VEC(uint64_t) weights; /* weights of the stacks written for this thread */
	TALLY_VEC(uint32_t) units;   /* functions on a stack, leaf first */
	uint64_t nr_profiles, heaviest, heaviest_weight;
};

static int add_frames(struct speedscope *speedscope)
{
	struct tally_str *out = &speedscope->stream.text, name = {0};
	int ret = 0;

	tally_json_open(out, "shared", '{');
	tally_json_open(out, "frames", '[');
	tally_vec_for_each (function, &speedscope->model.functions) {
		tally_str_clear(&name);
		tally_export_add_function(function, &name);
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", tally_str_text(&name));
		if (function->dso)
			tally_json_text(out, "file", tally_dso_name(function->dso));
		tally_json_close(out, '}');
		ret = tally_export_flush_some(&speedscope->stream);
		if (ret)
			break;
	}
	tally_json_close(out, ']');
	tally_json_close(out, '}');
	ret = ret ? ret : tally_str_error(&name);
	tally_str_free(&name);
	return ret;
}

/* Write a stack, outermost function first. */
static int add_stack(struct speedscope *speedscope, uint32_t path)
{
	const struct tally_path *paths = speedscope->tree.paths.all.data;
	struct tally_str *out = &speedscope->stream.text;
	int ret = 0;

	speedscope->units.len = 0;
	for (; path != TALLY_PATH_NONE && !ret; path = paths[path].parent)
		ret = tally_vec_push(&speedscope->units, paths[path].frame);
	tally_json_open(out, NULL, '[');
	for (size_t i = speedscope->units.len; i-- > 0;)
		tally_json_u64(out, NULL, speedscope->units.data[i]);
	tally_json_close(out, ']');
	return ret ? ret : tally_export_flush_some(&speedscope->stream);
}

/* Write all stacks of a thread, and collect their weights. */
static int add_stacks(struct speedscope *speedscope, const struct tally_export_strands *strands,
		      const struct tally_export_thread_samples *strand)
{
	const struct tally_profile *profile = speedscope->profile;
	uint32_t last = UINT32_MAX;
	int ret = 0;

	speedscope->weights.len = 0;
	tally_json_open(&speedscope->stream.text, "samples", '[');
	for (uint32_t i = 0; i < strand->nr && !ret; i++) {
		const struct tally_kept *kept =
			&profile->kept.data[strands->samples[strand->first + i]];
		uint64_t weight = tally_kept_weight(profile, kept);
		uint32_t path = speedscope->tree.path_of[kept->bucket];

		if (path == last) {
			uint64_t *sum = &speedscope->weights.data[speedscope->weights.len - 1];

			*sum = tally_export_sum(speedscope->export, *sum, weight);
			continue;
		}
		last = path;
		ret = tally_vec_push(&speedscope->weights,
				     tally_export_sum(speedscope->export, 0, weight));
		if (!ret)
			ret = add_stack(speedscope, path);
	}
	tally_json_close(&speedscope->stream.text, ']');
	return ret;
}

static int add_weights(struct speedscope *speedscope)
{
	struct tally_str *out = &speedscope->stream.text;
	uint64_t sum = 0;
	int ret = 0;

	tally_json_open(out, "weights", '[');
	tally_vec_for_each (weight, &speedscope->weights) {
		tally_json_u64(out, NULL, *weight);
		sum = tally_export_sum(speedscope->export, sum, *weight);
		ret = tally_export_flush_some(&speedscope->stream);
		if (ret)
			break;
	}
	tally_json_close(out, ']');
	tally_json_u64(out, "startValue", 0);
	tally_json_u64(out, "endValue", sum);
	if (sum > speedscope->heaviest_weight) {
		speedscope->heaviest_weight = sum;
		speedscope->heaviest = speedscope->nr_profiles;
	}
	speedscope->nr_profiles++;
	return ret;
}

static void open_profile(struct speedscope *speedscope, const struct tally_export_event *event,
			 const struct tally_export_thread_samples *strand)
{
	struct tally_str *out = &speedscope->stream.text, name = {0};

	if (strand->nr) {
		const struct tally_bucket_key *key =
			&speedscope->profile->buckets.data[strand->bucket].key;
		const struct tally_thread *thread =
			tally_machine_thread_at(speedscope->profile->machine, key->thread);

		tally_str_add(&name, tally_export_comm(speedscope->profile, key));
		tally_str_addf(&name, " %d/%d, ", thread->pid, thread->tid);
	}
	tally_str_add(&name, event->name);
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "type", "sampled");
	tally_json_text(out, "name", tally_str_text(&name));
	tally_json_text(out, "unit", event->is_time ? "nanoseconds" : "none");
	out->failed |= name.failed;
	tally_str_free(&name);
}

static int add_strands(struct speedscope *speedscope, const struct tally_export_event *event,
		       struct tally_export_strands *strands)
{
	int ret = 0;

	/* Add an empty profile, because speedscope rejects files without one. */
	if (!strands->all.len)
		ret = tally_vec_push(&strands->all, (struct tally_export_thread_samples){0});
	tally_vec_for_each (strand, &strands->all) {
		if (ret)
			break;
		open_profile(speedscope, event, strand);
		ret = add_stacks(speedscope, strands, strand);
		if (!ret)
			ret = add_weights(speedscope);
		tally_json_close(&speedscope->stream.text, '}');
	}
	return ret;
}

static int add_event(struct speedscope *speedscope, const struct tally_export_event *event)
{
	struct tally_export_strands strands;
	int ret = tally_export_tree_build(&speedscope->model, TALLY_EXPORT_FUNCTIONS, event->number,
					  &speedscope->tree);

	if (ret)
		return ret;
	ret = tally_export_strands_build(speedscope->profile, event->number, &strands);
	if (!ret) {
		ret = add_strands(speedscope, event, &strands);
		tally_export_strands_free(&strands);
	}
	tally_export_tree_free(&speedscope->tree);
	return ret;
}

static int speedscope_write(struct speedscope *speedscope)
{
	const struct tally_export *export = speedscope->export;
	struct tally_str *out = &speedscope->stream.text;
	int ret;

	tally_json_open(out, NULL, '{');
	tally_json_text(out, "$schema", "https://www.speedscope.app/file-format-schema.json");
	/* At the start, where cli/main/overwrite.c looks for it. */
	tally_json_text(out, "exporter", export->version);
	ret = add_frames(speedscope);
	tally_json_open(out, "profiles", '[');
	for (size_t i = 0; i < export->nr_events && !ret; i++)
		ret = add_event(speedscope, &export->events[i]);
	tally_json_close(out, ']');
	tally_json_text(out, "name", export->title);
	tally_json_u64(out, "activeProfileIndex", speedscope->heaviest);
	tally_json_close(out, '}');
	tally_str_add_char(out, '\n');
	return ret;
}

static int write_format(const struct tally_export *export)
{
	struct speedscope speedscope = {.export = export, .profile = export->profile};
	int ret = tally_export_model_build(export, &speedscope.model);

	if (!ret)
		ret = tally_export_stream_start(&speedscope.stream, export, export->packs);
	if (!ret)
		ret = speedscope_write(&speedscope);
	ret = tally_export_stream_end(&speedscope.stream, ret);
	tally_vec_free(&speedscope.weights);
	tally_vec_free(&speedscope.units);
	tally_export_model_free(&speedscope.model);
	return ret;
}

const struct tally_export_format tally_export_speedscope = {
	.name = "speedscope",
	.help = "speedscope.app",
	.keeps_samples = true,
	.by = TALLY_BY_COMM | TALLY_BY_THREAD,
	.lines = TALLY_LINES_APART,
	.write = write_format,
};
