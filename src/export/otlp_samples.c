/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/otlp_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/varint.h"
#include "export/protobuf.h"

enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4, SAMPLE_TIMES };

/* Size of the event at the start of an identity. */
enum { EVENT_SIZE = sizeof(uint32_t), TIME_SIZE = 8 };

/* ---- identities ---------------------------------------------------------------- */

static uint32_t event_find(const struct tally_export *export, uint32_t number)
{
	uint32_t event = 0;

	while (export->events[event].number != number)
		event++;
	return event;
}

static void add_attributes(struct otlp_dictionary *dictionary, const struct tally_bucket_key *key,
			   struct tally_str *out)
{
	const struct tally_profile *profile = dictionary->export->profile;
	const struct tally_thread *thread = tally_machine_thread_at(profile->machine, key->thread);
	const char *comm = tally_export_comm(profile, key);
	const uint32_t attributes[] = {
		*comm ? otlp_text_attribute(dictionary, "thread.name", comm) : 0,
		otlp_number_attribute(dictionary, "process.pid", thread->pid),
		otlp_number_attribute(dictionary, "thread.id", thread->tid),
	};
	size_t packed = tally_protobuf_open(out, SAMPLE_ATTRIBUTES);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(attributes); i++) {
		if (attributes[i])
			tally_str_add_varint(out, attributes[i]);
	}
	tally_protobuf_close(out, packed);
}

/* Find or add the sample to which a bucket belongs. */
static int sample_find(struct otlp_samples *samples, struct otlp_dictionary *dictionary,
		       const struct tally_bucket *bucket, struct tally_str *identity,
		       uint32_t *ret_sample)
{
	uint32_t event = event_find(samples->export, bucket->key.event);
	struct otlp_sample *sample;
	int ret;

	tally_str_clear(identity);
	tally_str_add_bytes(identity, &event, EVENT_SIZE);
	otlp_add_u64(identity, SAMPLE_STACK, otlp_stack(dictionary, &bucket->key));
	add_attributes(dictionary, &bucket->key, identity);
	ret = dictionary->error ? dictionary->error : tally_str_error(identity);
	if (!ret)
		ret = tally_intern(&samples->identities, tally_str_text(identity), identity->len,
				   ret_sample);
	if (!ret && *ret_sample == samples->all.len)
		ret = tally_vec_push(&samples->all, (struct otlp_sample){.event = event});
	if (ret)
		return ret;
	sample = &samples->all.data[*ret_sample];
	sample->sum = tally_export_sum(samples->export, sample->sum, bucket->period);
	return 0;
}

static int samples_find(struct otlp_samples *samples, struct otlp_dictionary *dictionary)
{
	const struct tally_profile *profile = samples->export->profile;
	struct tally_str identity = {0};
	int ret = 0;

	for (size_t i = 0; i < profile->buckets.len && !ret; i++) {
		samples->sample_of[i] = UINT32_MAX;
		if (tally_export_has_bucket(samples->export, &profile->buckets.data[i]))
			ret = sample_find(samples, dictionary, &profile->buckets.data[i], &identity,
					  &samples->sample_of[i]);
	}
	tally_str_free(&identity);
	return ret;
}

/* ---- single samples ------------------------------------------------------------ */

static uint64_t weight_of(const struct tally_export *export, uint32_t kept)
{
	const struct tally_profile *profile = export->profile;

	return tally_export_sum(export, 0, tally_kept_weight(profile, &profile->kept.data[kept]));
}

static void times_add(struct otlp_times *times, const struct tally_export_origin *origin,
		      uint64_t recorded)
{
	uint64_t time = recorded + origin->clock_offset;

	times->are_known &= recorded != 0;
	times->first = TALLY_MIN(times->first, time);
	times->last = TALLY_MAX(times->last, time);
}

/* Count the weights of each sample, and find each event's range of times. */
static void samples_count(struct otlp_samples *samples)
{
	const struct tally_export *export = samples->export;

	for (uint32_t i = 0; i < export->profile->kept.len; i++) {
		const struct tally_kept *kept = &export->profile->kept.data[i];
		uint32_t number = samples->sample_of[kept->bucket];
		struct otlp_sample *sample;

		if (number == UINT32_MAX)
			continue;
		sample = &samples->all.data[number];
		sample->nr++;
		sample->weights_len += tally_varint_size(weight_of(export, i));
		times_add(&samples->times[sample->event], &export->origin, kept->time);
	}
}

/* Sort the kept samples by the sample that contains them. */
static void samples_sort(struct otlp_samples *samples)
{
	const struct tally_profile *profile = samples->export->profile;
	uint32_t first = 0;

	tally_vec_for_each (sample, &samples->all) {
		sample->first = first;
		first += sample->nr;
		sample->nr = 0;
	}
	for (uint32_t i = 0; i < profile->kept.len; i++) {
		uint32_t number = samples->sample_of[profile->kept.data[i].bucket];

		if (number != UINT32_MAX) {
			struct otlp_sample *sample = &samples->all.data[number];

			samples->order[sample->first + sample->nr++] = i;
		}
	}
}

int otlp_samples_build(struct otlp_samples *samples, const struct tally_export *export,
		       struct otlp_dictionary *dictionary)
{
	const struct tally_profile *profile = export->profile;
	int ret;

	*samples = (struct otlp_samples){
		.export = export,
		.sample_of = calloc(profile->buckets.len + 1, sizeof(*samples->sample_of)),
		.order = calloc(profile->kept.len + 1, sizeof(*samples->order)),
		.times = calloc(export->nr_events, sizeof(*samples->times)),
	};
	if (!samples->sample_of || !samples->order || !samples->times)
		return -ENOMEM;
	if (profile->kept.len >= UINT32_MAX)
		return -E2BIG;
	for (size_t i = 0; i < export->nr_events; i++)
		samples->times[i] =
			(struct otlp_times){export->origin.clock != NULL, UINT64_MAX, 0};
	ret = samples_find(samples, dictionary);
	if (!ret)
		samples_count(samples);
	if (!ret)
		samples_sort(samples);
	return ret;
}

void otlp_samples_free(struct otlp_samples *samples)
{
	tally_intern_free(&samples->identities);
	tally_vec_free(&samples->all);
	free(samples->sample_of);
	free(samples->order);
	free(samples->times);
}

/* ---- writing ------------------------------------------------------------------- */

static uint64_t sample_size(const struct otlp_samples *samples, uint32_t number)
{
	const struct otlp_sample *sample = &samples->all.data[number];
	uint64_t identity = samples->identities.strings.data[number].len - EVENT_SIZE;

	if (!samples->times[sample->event].are_known)
		return identity +
		       tally_protobuf_size(SAMPLE_VALUES, tally_varint_size(sample->sum));
	return identity + tally_protobuf_size(SAMPLE_VALUES, sample->weights_len) +
	       tally_protobuf_size(SAMPLE_TIMES, (uint64_t)sample->nr * TIME_SIZE);
}

uint64_t otlp_samples_size(const struct otlp_samples *samples, uint32_t event, unsigned field)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < samples->all.len; i++) {
		if (samples->all.data[i].event == event)
			size += tally_protobuf_size(field, sample_size(samples, i));
	}
	return size;
}

static int write_weights(const struct otlp_samples *samples, const struct otlp_sample *sample,
			 struct tally_export_stream *stream)
{
	int ret = 0;

	tally_protobuf_head(&stream->text, SAMPLE_VALUES, sample->weights_len);
	for (uint32_t i = 0; i < sample->nr && !ret; i++) {
		tally_str_add_varint(&stream->text,
				     weight_of(samples->export, samples->order[sample->first + i]));
		ret = tally_export_flush_some(stream);
	}
	return ret;
}

static int write_times(const struct otlp_samples *samples, const struct otlp_sample *sample,
		       struct tally_export_stream *stream)
{
	const struct tally_export *export = samples->export;
	int ret = 0;

	tally_protobuf_head(&stream->text, SAMPLE_TIMES, (uint64_t)sample->nr * TIME_SIZE);
	for (uint32_t i = 0; i < sample->nr && !ret; i++) {
		const struct tally_kept *kept =
			&export->profile->kept.data[samples->order[sample->first + i]];

		tally_protobuf_add_fixed64(&stream->text, kept->time + export->origin.clock_offset);
		ret = tally_export_flush_some(stream);
	}
	return ret;
}

static int write_sample(const struct otlp_samples *samples, uint32_t number, unsigned field,
			struct tally_export_stream *stream)
{
	const struct otlp_sample *sample = &samples->all.data[number];
	const struct tally_interned *identity = &samples->identities.strings.data[number];
	int ret;

	tally_protobuf_head(&stream->text, field, sample_size(samples, number));
	tally_str_add_bytes(&stream->text, identity->text + EVENT_SIZE, identity->len - EVENT_SIZE);
	if (samples->times[sample->event].are_known) {
		ret = write_weights(samples, sample, stream);
		return ret ? ret : write_times(samples, sample, stream);
	}
	tally_protobuf_head(&stream->text, SAMPLE_VALUES, tally_varint_size(sample->sum));
	tally_str_add_varint(&stream->text, sample->sum);
	return tally_export_flush_some(stream);
}

int otlp_samples_write(const struct otlp_samples *samples, uint32_t event, unsigned field,
		       struct tally_export_stream *stream)
{
	int ret = 0;

	for (uint32_t i = 0; i < samples->all.len && !ret; i++) {
		if (samples->all.data[i].event == event)
			ret = write_sample(samples, i, field, stream);
	}
	return ret;
}
