/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the tables of samples and stacks. */
#include <errno.h>

#include "base/content_id.h"
#include "dataset/dataset_private.h"

enum { WAITING_MAX = 1 << 16 };

/* ---- stacks ---------------------------------------------------------------------- */

static int stack_row_add(struct dataset_recording *recording, struct tally_stack stack, uint64_t id)
{
	struct tally_parquet *writer = recording->dataset->files[TALLY_DATASET_STACKS].writer;
	int ret = 0;

	if (!dataset_is_new(&recording->dataset->stacks, id, &ret))
		return 0;
	tally_parquet_add(writer, STACK_ID, id);
	for (uint32_t i = 0; i < stack.nr; i++)
		tally_parquet_add(writer, STACK_FRAMES,
				  recording->places.frames.data[stack.frames[i]].id);
	return ret ? ret : tally_parquet_end_row(writer);
}

/* Make the ID of a stack from the IDs of its frames, and add its row unless the files have it. */
static int stack_add(struct dataset_recording *recording, uint32_t number, uint64_t *ret_id)
{
	struct tally_stack stack = tally_stacks_get(&recording->places.stacks, number);
	struct tally_str *bytes = &recording->dataset->bytes;
	uint64_t id;
	int ret;

	tally_str_clear(bytes);
	for (uint32_t i = 0; i < stack.nr; i++)
		tally_content_add(bytes, recording->places.frames.data[stack.frames[i]].id);
	id = tally_content_id(tally_str_text(bytes), bytes->len);
	ret = tally_str_error(bytes);
	ret = ret ? ret : tally_map_set(&recording->id_of_stack, number, id);
	ret = ret ? ret : stack_row_add(recording, stack, id);
	if (!ret)
		*ret_id = id;
	return ret;
}

/* ---- samples --------------------------------------------------------------------- */

/* Add a number, or null if the sample does not have the field. */
static void field_add(struct tally_parquet *writer, const struct dataset_sample *sample,
		      uint64_t field, size_t column, int64_t value)
{
	if (sample->present & field)
		tally_parquet_add(writer, column, (uint64_t)value);
	else
		tally_parquet_add_null(writer, column);
}

static int row_add(struct dataset_recording *recording, const struct dataset_sample *sample,
		   uint64_t stack)
{
	struct tally_dataset *dataset = recording->dataset;
	struct tally_parquet *writer = dataset->files[TALLY_DATASET_SAMPLES].writer;

	tally_parquet_add(writer, SAMPLE_RECORDING, recording->identity.id);
	tally_parquet_add(writer, SAMPLE_NUMBER, recording->samples++);
	field_add(writer, sample, PERF_SAMPLE_TIME, SAMPLE_TIME,
		  (int64_t)(sample->time + recording->identity.clock.offset));
	field_add(writer, sample, PERF_SAMPLE_TID, SAMPLE_PID, sample->pid);
	field_add(writer, sample, PERF_SAMPLE_TID, SAMPLE_TID, sample->tid);
	field_add(writer, sample, PERF_SAMPLE_CPU, SAMPLE_CPU, (int32_t)sample->cpu);
	dataset_add_text(dataset, TALLY_DATASET_SAMPLES, SAMPLE_COMM, sample->comm);
	dataset_add_text(dataset, TALLY_DATASET_SAMPLES, SAMPLE_EVENT,
			 tally_perfdata_event(recording->session->data, sample->event)->name);
	tally_parquet_add(writer, SAMPLE_PERIOD, sample->period);
	if (sample->stack == TALLY_STACK_NONE)
		tally_parquet_add_null(writer, SAMPLE_STACK);
	else
		tally_parquet_add(writer, SAMPLE_STACK, stack);
	return tally_parquet_end_row(writer);
}

/* Return true if a stack's innermost function is unknown. */
static bool is_unnamed(const struct dataset_places *places, uint32_t stack)
{
	return stack != TALLY_STACK_NONE &&
	       !places->frames.data[tally_stacks_get(&places->stacks, stack).frames[0]].symbol;
}

int dataset_samples_flush(struct dataset_recording *recording)
{
	struct dataset_places *places = &recording->places;
	int ret = dataset_frames_add(recording);

	tally_vec_for_each (sample, &recording->waiting) {
		uint64_t id = 0;

		if (!ret && sample->stack != TALLY_STACK_NONE)
			id = tally_map_get(&recording->id_of_stack, sample->stack);
		if (!ret && id == TALLY_MAP_NONE)
			ret = stack_add(recording, sample->stack, &id);
		ret = ret ? ret : row_add(recording, sample, id);
		if (ret)
			return ret;
		recording->unnamed += is_unnamed(places, sample->stack);
	}
	recording->waiting.len = 0;
	if (dataset_places_are_many(places)) {
		dataset_places_clear(places);
		tally_map_free(&recording->id_of_stack);
	}
	return ret;
}

static void times_set(struct dataset_recording *recording, const struct tally_sample *sample)
{
	if (!(sample->present & PERF_SAMPLE_TIME))
		return;
	if (!recording->has_times)
		recording->first = sample->time;
	recording->has_times = true;
	recording->last = sample->time;
}

int dataset_sample_add(struct dataset_recording *recording, const struct tally_feed_sample *from)
{
	const struct tally_sample *sample = &from->sample;
	struct dataset_sample made = {
		.present = sample->present,
		.time = sample->time,
		.period = from->period,
		.comm = tally_machine_comm(recording->session->machine, from->thread),
		.pid = sample->pid,
		.tid = sample->tid,
		.cpu = sample->cpu,
		.event = from->event,
	};
	int ret = dataset_places_find(&recording->places, from, &made.stack);

	ret = ret ? ret : tally_vec_push(&recording->waiting, made);
	if (ret)
		return ret;
	times_set(recording, sample);
	if (recording->waiting.len < WAITING_MAX && !dataset_places_are_many(&recording->places))
		return 0;
	return dataset_samples_flush(recording);
}
