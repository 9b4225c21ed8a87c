/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/inject/inject_copy.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"

enum { BATCH = 256 << 10, NAME_MAX_BYTES = 4096 };

/* ---- records ----------------------------------------------------------------- */

/* Records that describe the recording. The writer creates them again. */
static bool is_description(const struct tally_perfdata_record *record)
{
	static const uint32_t types[] = {TALLY_PERFDATA_HEADER_ATTR, TALLY_PERFDATA_HEADER_FEATURE,
					 TALLY_PERFDATA_TRACING_DATA, TALLY_PERFDATA_EVENT_TYPE};

	if (record->flags & TALLY_PERFDATA_CONTAINER)
		return true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(types); i++)
		if (record->type == types[i])
			return true;
	return false;
}

/* Return true for a record that may precede the description of an event. */
static bool may_precede_events(const struct tally_perfdata_record *record)
{
	return is_description(record) || record->type == TALLY_PERFDATA_EVENT_UPDATE ||
	       record->type == TALLY_PERFDATA_BUILD_ID;
}

static int batch_write(struct inject_copy *copy)
{
	int ret = tally_str_error(&copy->batch);

	if (!ret && copy->batch.len)
		ret = tally_perfdata_writer_write(copy->writer, copy->batch.data, copy->batch.len);
	tally_str_clear(&copy->batch);
	/* All records up to here are in order. */
	if (!ret && copy->is_ordered)
		ret = tally_perfdata_writer_finish_round(copy->writer);
	if (!ret && copy->between)
		ret = copy->between(copy->between_arg);
	return ret;
}

/* A file's build IDs are in its table instead of records. The writer writes the names of events. */
static bool is_dropped(const struct inject_copy *copy, const struct tally_perfdata_record *record)
{
	uint64_t update;

	if (is_description(record) || (record->type == TALLY_PERFDATA_BUILD_ID && !copy->is_stream))
		return true;
	if (record->type != TALLY_PERFDATA_EVENT_UPDATE || record->size < 16)
		return false;
	memcpy(&update, (const uint8_t *)record->data + 8, sizeof(update));
	return update == TALLY_PERFDATA_UPDATE_NAME;
}

/* ---- build IDs ---------------------------------------------------------------- */

/* Append a BUILD_ID record: header, PID, 20 bytes, their number, the padded name. */
static void add_record(struct tally_str *out, const struct tally_perfdata_build_id *build_id)
{
	size_t len = strlen(build_id->filename), room = tally_round_up(len + 1, 64);
	uint8_t head[36] = {0};
	static const char zeros[64];

	tally_put_u32(head, TALLY_PERFDATA_BUILD_ID);
	tally_put_u16(head + 4, build_id->misc | PERF_RECORD_MISC_BUILD_ID_SIZE);
	tally_put_u16(head + 6, (uint16_t)(sizeof(head) + room));
	tally_put_u32(head + 8, (uint32_t)build_id->pid);
	memcpy(head + 12, build_id->bytes, sizeof(build_id->bytes));
	head[32] = build_id->size;
	tally_str_add_bytes(out, head, sizeof(head));
	tally_str_add_bytes(out, build_id->filename, len);
	tally_str_add_bytes(out, zeros, room - len);
}

int inject_copy_build_id(struct inject_copy *copy, const struct tally_perfdata_build_id *build_id)
{
	if (strlen(build_id->filename) >= NAME_MAX_BYTES)
		return -EINVAL;
	if (!copy->is_stream)
		return tally_perfdata_writer_build_id(copy->writer, build_id);
	add_record(&copy->batch, build_id);
	return 0;
}

static int build_ids_keep(struct inject_copy *copy)
{
	const struct tally_perfdata_build_id *id;
	int ret = 0;

	for (size_t i = 0; !ret && (id = tally_perfdata_build_id(copy->data, i)); i++)
		ret = tally_perfdata_writer_build_id(copy->writer, id);
	return ret;
}

/* ---- features ------------------------------------------------------------------ */

/* Set the features that have been read since the last call. Build IDs and tracing data are set
 * separately, and records are not compressed in the output. */
static int features_keep(struct inject_copy *copy)
{
	struct tally_perfdata_feature feature;
	int ret = 0;

	for (; !ret && tally_perfdata_feature(copy->data, copy->nr_features, &feature);
	     copy->nr_features++) {
		if (feature.id == TALLY_FEATURE_BUILD_ID ||
		    feature.id == TALLY_FEATURE_TRACING_DATA ||
		    feature.id == TALLY_FEATURE_COMPRESSED || feature.id >= TALLY_FEATURE_LIMIT)
			continue;
		ret = tally_perfdata_writer_feature(copy->writer, feature.id, feature.bytes.data,
						    feature.bytes.len);
	}
	return ret;
}

/* In a stream, tracing data is a record. */
static int tracing_keep(struct inject_copy *copy)
{
	const struct tally_perfdata_tracing *tracing;
	int ret = tally_perfdata_tracing(copy->data, &tracing, NULL);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	return tally_perfdata_writer_tracing(copy->writer, tracing->bytes.data, tracing->bytes.len);
}

/* ---- the copy -------------------------------------------------------------------- */

/* Start the output, when the events are known. The features of a stream precede its records. */
static int writer_start(struct inject_copy *copy)
{
	const struct tally_perfdata_info *info = tally_perfdata_info(copy->data);
	const struct tally_perfdata_writer_options options = {.pipe = copy->is_stream,
							      .foreign = info->is_foreign};
	const struct tally_perfdata_event *event;
	int ret = tally_perfdata_writer_new(copy->to, &options, &copy->writer);

	for (size_t i = 0; !ret && (event = tally_perfdata_event(copy->data, i)); i++)
		ret = tally_perfdata_writer_add_event(copy->writer, &event->attr,
						      event->is_named ? event->name : NULL,
						      event->ids, event->nr_ids);
	if (!ret)
		ret = tracing_keep(copy);
	if (!ret)
		ret = features_keep(copy);
	if (!ret && copy->is_stream && !info->is_pipe)
		ret = build_ids_keep(copy);
	return ret ? ret : tally_perfdata_writer_start(copy->writer);
}

static int record_copy(struct inject_copy *copy, const struct tally_perfdata_record *record,
		       struct tally_error *err)
{
	int ret = 0;

	if (record->type == TALLY_PERFDATA_AUXTRACE || record->type == TALLY_PERFDATA_AUXTRACE_INFO)
		return tally_error_at(err, -EOPNOTSUPP,
				      "the recording has AUX data, which only 'perf inject' copies",
				      record->offset);
	/* Records that precede the events wait in the batch. */
	if (!copy->writer && !may_precede_events(record))
		ret = writer_start(copy);
	if (!ret && copy->before && copy->writer)
		ret = copy->before(copy->arg, copy, record);
	if (ret > 0)
		return 0;
	if (!ret && !is_dropped(copy, record))
		tally_str_add_bytes(&copy->batch, record->data, record->size);
	if (!ret && copy->writer && copy->batch.len >= BATCH)
		ret = batch_write(copy);
	return ret;
}

static int copy_finish(struct inject_copy *copy)
{
	int ret = copy->writer ? 0 : writer_start(copy);

	if (!ret)
		ret = batch_write(copy);
	if (!ret)
		ret = features_keep(copy);
	if (!ret && !copy->is_stream)
		ret = build_ids_keep(copy);
	return ret ? ret : tally_perfdata_writer_finish(copy->writer);
}

static int next_record(struct inject_copy *copy, struct tally_perfdata_record *record,
		       struct tally_error *err)
{
	return copy->is_ordered ? tally_perfdata_next_ordered(copy->data, record, err)
				: tally_perfdata_next(copy->data, record, err);
}

int inject_copy_run(struct inject_copy *copy, struct tally_error *err)
{
	const struct tally_perfdata_info *info = tally_perfdata_info(copy->data);
	struct tally_perfdata_record record;
	int ret = info->is_dir ? tally_error_at(err, -EOPNOTSUPP,
						"the recording is a directory of several files", 0)
			       : 0;

	if (!ret && !info->is_pipe)
		ret = writer_start(copy);
	while (!ret && (ret = next_record(copy, &record, err)) > 0)
		ret = record_copy(copy, &record, err);
	if (!ret)
		ret = copy_finish(copy);
	tally_perfdata_writer_free(copy->writer);
	tally_str_free(&copy->batch);
	return ret;
}
