/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof's profile.proto, compressed. Samples come first, followed by the tables they refer to, in
 * order of first use.
 */
#include <errno.h>
#include <string.h>

#include "base/escape.h"
#include "base/varint.h"
#include "export/formats.h"
#include "export/locations.h"
#include "export/protobuf.h"
#include "export/stream.h"

/* Field numbers. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_END,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINED
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

enum { FIRST_STRINGS = 2 };

struct pprof {
	const struct tally_export *export;
	const struct tally_profile *profile;
	struct tally_export_model model;
	struct tally_export_locations locations;
	struct tally_intern strings;
	struct tally_str name; /* buffer for a name */
	struct tally_export_stream stream;
	int error;
};

static uint64_t string(struct pprof *pprof, const char *text)
{
	uint32_t id = 0;
	int ret = tally_intern(&pprof->strings, text, strlen(text), &id);

	pprof->error = pprof->error ? pprof->error : ret;
	return id;
}

/* Intern the string in pprof->name, escaped because it must be valid UTF-8, and clear the
 * buffer. */
static uint64_t made_string(struct pprof *pprof)
{
	uint64_t id;

	tally_str_escape(&pprof->name, 0);
	id = string(pprof, tally_str_text(&pprof->name));
	tally_str_clear(&pprof->name);
	return id;
}

static uint64_t text_string(struct pprof *pprof, const char *text)
{
	tally_str_add(&pprof->name, text);
	return made_string(pprof);
}

/* ---- sample types -------------------------------------------------------------- */

static void add_type(struct pprof *pprof, unsigned field, uint64_t name, const char *unit)
{
	struct tally_str *out = &pprof->stream.text;
	uint64_t unit_id = string(pprof, unit);
	size_t type = tally_protobuf_open(out, field);

	tally_protobuf_u64(out, TYPE_NAME, name);
	tally_protobuf_u64(out, TYPE_UNIT, unit_id);
	tally_protobuf_close(out, type);
}

/* Return the name "samples" if there is one event, or "cycles:samples" if there are several. */
static uint64_t samples_name(struct pprof *pprof, const struct tally_export_event *event)
{
	if (pprof->export->nr_events > 1) {
		tally_str_add(&pprof->name, event->name);
		tally_str_add_char(&pprof->name, ':');
	}
	tally_str_add(&pprof->name, "samples");
	return made_string(pprof);
}

static void add_string(struct pprof *pprof, uint32_t number)
{
	const struct tally_interned *text = &pprof->strings.strings.data[number];

	tally_protobuf_bytes(&pprof->stream.text, PROFILE_STRING, text->text, text->len);
}

/* Begin the string table with the comment. The comment is the first text in the file, because it
 * identifies the file as written by tally. */
static void add_comment(struct pprof *pprof)
{
	uint64_t comment;

	tally_str_add(&pprof->name, "tally report --format pprof ");
	tally_str_add(&pprof->name, pprof->export->title);
	comment = made_string(pprof);
	for (uint32_t i = 0; i < FIRST_STRINGS && i < pprof->strings.strings.len; i++)
		add_string(pprof, i);
	tally_protobuf_u64(&pprof->stream.text, PROFILE_COMMENT, comment);
}

static void add_head(struct pprof *pprof)
{
	const struct tally_export *export = pprof->export;
	struct tally_str *out = &pprof->stream.text;

	string(pprof, ""); /* string 0 must be empty */
	add_comment(pprof);
	for (size_t i = 0; i < export->nr_events; i++) {
		const struct tally_export_event *event = &export->events[i];

		add_type(pprof, PROFILE_SAMPLE_TYPE, samples_name(pprof, event), "count");
		add_type(pprof, PROFILE_SAMPLE_TYPE, text_string(pprof, event->name),
			 tally_export_unit_name(event));
	}
	if (tally_export_period(&export->events[0])) {
		add_type(pprof, PROFILE_PERIOD_TYPE, text_string(pprof, export->events[0].name),
			 tally_export_unit_name(&export->events[0]));
		tally_protobuf_u64(out, PROFILE_PERIOD, tally_export_period(&export->events[0]));
	}
	if (export->start)
		tally_protobuf_u64(out, PROFILE_TIME, export->start);
	tally_protobuf_u64(out, PROFILE_DEFAULT_TYPE, text_string(pprof, export->events[0].name));
}

/* ---- samples ------------------------------------------------------------------- */

static int add_locations(struct pprof *pprof, const struct tally_bucket_key *key)
{
	uint32_t depth = tally_export_depth(pprof->profile, key), at = 0, location;
	struct tally_str *out = &pprof->stream.text;
	size_t packed = tally_protobuf_open(out, SAMPLE_LOCATION);
	int ret = 0;

	while (at < depth && !ret) {
		ret = tally_export_location_next(&pprof->locations, key, &at, &location);
		tally_str_add_varint(out, location);
	}
	tally_protobuf_close(out, packed);
	return ret;
}

static void add_label(struct pprof *pprof, const char *key, uint64_t text, uint64_t number)
{
	struct tally_str *out = &pprof->stream.text;
	uint64_t key_id = string(pprof, key);
	size_t label = tally_protobuf_open(out, SAMPLE_LABEL);

	tally_protobuf_u64(out, LABEL_KEY, key_id);
	if (text)
		tally_protobuf_u64(out, LABEL_TEXT, text);
	else
		tally_protobuf_u64(out, LABEL_NUMBER, number);
	tally_protobuf_close(out, label);
}

static void add_labels(struct pprof *pprof, const struct tally_bucket_key *key)
{
	const struct tally_thread *thread =
		tally_machine_thread_at(pprof->profile->machine, key->thread);
	uint64_t comm = text_string(pprof, tally_export_comm(pprof->profile, key));

	if (comm)
		add_label(pprof, "comm", comm, 0);
	add_label(pprof, "pid", 0, (uint64_t)(int64_t)thread->pid);
	add_label(pprof, "tid", 0, (uint64_t)(int64_t)thread->tid);
}

static void add_values(struct pprof *pprof, const struct tally_bucket *bucket)
{
	const struct tally_export *export = pprof->export;
	struct tally_str *out = &pprof->stream.text;
	size_t packed = tally_protobuf_open(out, SAMPLE_VALUE);

	for (size_t i = 0; i < export->nr_events; i++) {
		bool is_its = export->events[i].number == bucket->key.event;

		tally_str_add_varint(out, is_its ? bucket->nr : 0);
		tally_str_add_varint(out, is_its ? tally_export_sum(export, 0, bucket->period) : 0);
	}
	tally_protobuf_close(out, packed);
}

static int add_sample(struct pprof *pprof, const struct tally_bucket *bucket)
{
	struct tally_str *out = &pprof->stream.text;
	size_t sample = tally_protobuf_open(out, PROFILE_SAMPLE);
	int ret = add_locations(pprof, &bucket->key);

	add_values(pprof, bucket);
	add_labels(pprof, &bucket->key);
	tally_protobuf_close(out, sample);
	ret = ret ? ret : pprof->error;
	return ret ? ret : tally_export_flush_some(&pprof->stream);
}

static int add_samples(struct pprof *pprof)
{
	int ret = 0;

	tally_vec_for_each (bucket, &pprof->profile->buckets) {
		if (tally_export_has_bucket(pprof->export, bucket))
			ret = add_sample(pprof, bucket);
		if (ret)
			break;
	}
	return ret;
}

/* ---- mappings ------------------------------------------------------------------ */

static void add_mapping(struct pprof *pprof, uint64_t id)
{
	const struct tally_export_mapping *mapping = &pprof->locations.mappings.data[id - 1];
	struct tally_str *out = &pprof->stream.text;
	uint64_t file, build_id;
	size_t message;

	file = text_string(pprof, tally_dso_name(mapping->dso));
	tally_export_add_build_id(mapping->dso, &pprof->name);
	build_id = made_string(pprof);
	message = tally_protobuf_open(out, PROFILE_MAPPING);
	tally_protobuf_u64(out, MAPPING_ID, id);
	tally_protobuf_u64(out, MAPPING_START, mapping->start);
	tally_protobuf_u64(out, MAPPING_END, mapping->end);
	tally_protobuf_u64(out, MAPPING_OFFSET, mapping->start - mapping->distance);
	tally_protobuf_u64(out, MAPPING_FILE, file);
	tally_protobuf_u64(out, MAPPING_BUILD_ID, build_id);
	tally_protobuf_u64(out, MAPPING_HAS_FUNCTIONS, 1);
	tally_protobuf_u64(out, MAPPING_HAS_FILES, mapping->has_lines);
	tally_protobuf_u64(out, MAPPING_HAS_LINES, mapping->has_lines);
	tally_protobuf_u64(out, MAPPING_HAS_INLINED,
			   mapping->has_lines &&
				   pprof->profile->options.lines & TALLY_LINES_INLINED);
	tally_protobuf_close(out, message);
}

/* ---- locations and functions --------------------------------------------------- */

static void add_line(struct pprof *pprof, uint32_t frame)
{
	const struct tally_line *line = pprof->profile->frames.all.data[frame].line;
	struct tally_str *out = &pprof->stream.text;
	size_t message = tally_protobuf_open(out, LOCATION_LINE);

	tally_protobuf_u64(out, LINE_FUNCTION, (uint64_t)pprof->model.function_of[frame] + 1);
	if (line && line->line)
		tally_protobuf_u64(out, LINE_NUMBER, line->line);
	tally_protobuf_close(out, message);
}

static void add_location(struct pprof *pprof, uint32_t id)
{
	struct tally_export_location location = tally_export_location_get(&pprof->locations, id);
	uint32_t mapping = tally_export_mapping_of(&pprof->locations, id);
	struct tally_str *out = &pprof->stream.text;
	size_t message = tally_protobuf_open(out, PROFILE_LOCATION);

	tally_protobuf_u64(out, LOCATION_ID, id);
	if (mapping)
		tally_protobuf_u64(out, LOCATION_MAPPING, mapping);
	tally_protobuf_u64(out, LOCATION_ADDRESS,
			   tally_export_location_address(&pprof->locations, id));
	for (uint32_t i = 0; i < location.nr; i++)
		add_line(pprof, location.frames[i]);
	tally_protobuf_close(out, message);
}

static void add_function(struct pprof *pprof, uint32_t number)
{
	const struct tally_export_function *function = &pprof->model.functions.data[number];
	struct tally_str *out = &pprof->stream.text;
	uint64_t name, system_name, file;
	size_t message;

	tally_export_add_function(function, &pprof->name);
	name = made_string(pprof);
	system_name =
		function->symbol
			? text_string(pprof, tally_symbol_raw_name(function->dso, function->symbol))
			: name;
	file = text_string(pprof, function->file ? function->file : "");
	message = tally_protobuf_open(out, PROFILE_FUNCTION);
	tally_protobuf_u64(out, FUNCTION_ID, (uint64_t)number + 1);
	tally_protobuf_u64(out, FUNCTION_NAME, name);
	tally_protobuf_u64(out, FUNCTION_SYSTEM_NAME, system_name);
	tally_protobuf_u64(out, FUNCTION_FILE, file);
	tally_protobuf_close(out, message);
}

static int add_tables(struct pprof *pprof)
{
	int ret = tally_export_mappings_build(&pprof->locations);

	for (uint32_t i = 0; i < pprof->locations.mappings.len && !ret; i++)
		add_mapping(pprof, i + 1);
	for (uint32_t i = 0; i < pprof->locations.starts.len && !ret; i++) {
		add_location(pprof, i + 1);
		ret = tally_export_flush_some(&pprof->stream);
	}
	for (uint32_t i = 0; i < pprof->model.functions.len && !ret; i++) {
		add_function(pprof, i);
		ret = pprof->error ? pprof->error : tally_export_flush_some(&pprof->stream);
	}
	/* Write the other strings last, when all of them are known. */
	for (uint32_t i = FIRST_STRINGS; i < pprof->strings.strings.len && !ret; i++) {
		add_string(pprof, i);
		ret = tally_export_flush_some(&pprof->stream);
	}
	return ret;
}

static int pprof_write(struct pprof *pprof)
{
	int ret = tally_export_locations_init(pprof->export, &pprof->model, &pprof->locations);

	if (!ret)
		ret = tally_export_model_link(&pprof->model, TALLY_EXPORT_FROM_ZERO);
	if (ret)
		return ret;
	add_head(pprof);
	ret = add_samples(pprof);
	if (!ret)
		ret = add_tables(pprof);
	return ret ? ret : pprof->error ? pprof->error : tally_str_error(&pprof->name);
}

static int write_format(const struct tally_export *export)
{
	struct pprof pprof = {.export = export, .profile = export->profile};
	int ret = tally_export_model_build(export, &pprof.model);

	if (!ret)
		ret = tally_export_stream_start(&pprof.stream, export, true);
	if (!ret)
		ret = pprof_write(&pprof);
	ret = tally_export_stream_end(&pprof.stream, ret);
	tally_str_free(&pprof.name);
	tally_intern_free(&pprof.strings);
	tally_export_locations_free(&pprof.locations);
	tally_export_model_free(&pprof.model);
	return ret;
}

const struct tally_export_format tally_export_pprof = {
	.name = "pprof",
	.help = "profile.proto, packed: go tool pprof, Pyroscope, Parca",
	.is_binary = true,
	.by = TALLY_BY_COMM | TALLY_BY_THREAD,
	.lines = TALLY_LINES_ALL | TALLY_LINES_APART,
	.write = write_format,
};
