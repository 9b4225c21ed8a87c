/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OTLP profiles: the message ProfilesData of opentelemetry.proto.profiles.v1development, as of
 * version 1.11.0 of opentelemetry-proto. The request of the collector's service is encoded in the
 * same way. Each event is a profile. A message is preceded by its size, so that the dictionary is
 * built in memory and the sizes are computed before anything is written. Samples are not copied.
 */
#include <errno.h>
#include <string.h>

#include "base/varint.h"
#include "export/formats.h"
#include "export/otlp_samples.h"
#include "export/protobuf.h"

/* Field numbers. */
enum { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY };
enum { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES };
enum { SCOPE_NAME = 1, SCOPE_VERSION };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_TIME,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID,
	PROFILE_ATTRIBUTES = 11
};
enum { TYPE_NAME = 1, TYPE_UNIT };

/* Readers refuse larger messages. */
#define MESSAGE_MAX ((uint64_t)INT32_MAX)

struct otlp {
	const struct tally_export *export;
	struct otlp_dictionary dictionary;
	struct otlp_samples samples;
	struct tally_export_stream stream;
	struct tally_str head; /* buffer */
};

/* ---- resource and scope -------------------------------------------------------- */

/* The first attribute identifies the file as written by tally. */
static void add_resource(struct otlp *otlp)
{
	const struct tally_export_origin *origin = &otlp->export->origin;
	size_t resource = tally_protobuf_open(&otlp->head, RESOURCE_PROFILES_RESOURCE);

	otlp_add_key_value(&otlp->head, RESOURCE_ATTRIBUTES, "tally.recording",
			   otlp->export->title);
	for (size_t i = 0; i < origin->nr_attributes; i++)
		otlp_add_key_value(&otlp->head, RESOURCE_ATTRIBUTES, origin->attributes[i].key,
				   origin->attributes[i].value);
	tally_protobuf_close(&otlp->head, resource);
}

/* Add the name and version of this program, "tally 0.2.0". */
static void add_scope(struct otlp *otlp)
{
	const char *version = otlp->export->version;
	size_t name = strcspn(version, " "), scope;

	scope = tally_protobuf_open(&otlp->head, SCOPE_PROFILES_SCOPE);
	tally_protobuf_bytes(&otlp->head, SCOPE_NAME, version, name);
	version += name + (version[name] != '\0');
	tally_protobuf_bytes(&otlp->head, SCOPE_VERSION, version, strlen(version));
	tally_protobuf_close(&otlp->head, scope);
}

/* ---- profiles ------------------------------------------------------------------ */

static void add_type(struct otlp *otlp, unsigned field, const struct tally_export_event *event)
{
	uint32_t name = otlp_string(&otlp->dictionary, event->name);
	uint32_t unit = otlp_string(&otlp->dictionary, tally_export_unit_name(event));
	size_t type = tally_protobuf_open(&otlp->head, field);

	otlp_add_u64(&otlp->head, TYPE_NAME, name);
	otlp_add_u64(&otlp->head, TYPE_UNIT, unit);
	tally_protobuf_close(&otlp->head, type);
}

static void add_times(struct otlp *otlp, const struct otlp_times *times)
{
	uint64_t start = otlp->export->start;
	uint32_t clock;
	size_t packed;

	if (!times->are_known || times->first > times->last) {
		if (start)
			tally_protobuf_fixed64(&otlp->head, PROFILE_TIME, start);
		return;
	}
	tally_protobuf_fixed64(&otlp->head, PROFILE_TIME, times->first);
	/* The end of the interval is exclusive. */
	tally_protobuf_u64(&otlp->head, PROFILE_DURATION, times->last - times->first + 1);
	clock = otlp_text_attribute(&otlp->dictionary, "tally.clock", otlp->export->origin.clock);
	packed = tally_protobuf_open(&otlp->head, PROFILE_ATTRIBUTES);
	tally_str_add_varint(&otlp->head, clock);
	tally_protobuf_close(&otlp->head, packed);
}

/* The ID of a profile consists of those of the recording and of the event. */
static void add_id(struct otlp *otlp, const struct tally_export_event *event)
{
	uint64_t parts[] = {otlp->export->origin.id, event->number + UINT64_C(1)};
	uint8_t id[sizeof(parts)];

	if (!parts[0])
		return;
	for (size_t i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)(parts[i / 8] >> (56 - i % 8 * 8));
	tally_protobuf_bytes(&otlp->head, PROFILE_ID, id, sizeof(id));
}

/* Replace the contents of the buffer by everything in a profile except its samples. */
static void head_make(struct otlp *otlp, uint32_t number)
{
	const struct tally_export_event *event = &otlp->export->events[number];

	tally_str_clear(&otlp->head);
	add_type(otlp, PROFILE_SAMPLE_TYPE, event);
	add_times(otlp, &otlp->samples.times[number]);
	if (tally_export_period(event)) {
		add_type(otlp, PROFILE_PERIOD_TYPE, event);
		tally_protobuf_u64(&otlp->head, PROFILE_PERIOD, tally_export_period(event));
	}
	add_id(otlp, event);
}

static uint64_t profile_size(struct otlp *otlp, uint32_t number)
{
	head_make(otlp, number);
	return otlp->head.len + otlp_samples_size(&otlp->samples, number, PROFILE_SAMPLES);
}

static int write_head(struct otlp *otlp)
{
	tally_str_add_bytes(&otlp->stream.text, tally_str_text(&otlp->head), otlp->head.len);
	return tally_str_error(&otlp->head);
}

static int write_profile(struct otlp *otlp, uint32_t number)
{
	uint64_t size = profile_size(otlp, number);
	int ret;

	tally_protobuf_head(&otlp->stream.text, SCOPE_PROFILES_PROFILES, size);
	ret = write_head(otlp);
	return ret ? ret
		   : otlp_samples_write(&otlp->samples, number, PROFILE_SAMPLES, &otlp->stream);
}

/* ---- the file ------------------------------------------------------------------ */

/* Return the size of all profiles of the scope. Adds the strings of their heads, so that the
 * dictionary is complete. */
static uint64_t profiles_size(struct otlp *otlp)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < otlp->export->nr_events; i++)
		size += tally_protobuf_size(SCOPE_PROFILES_PROFILES, profile_size(otlp, i));
	return size;
}

static int write_resource_profiles(struct otlp *otlp)
{
	uint64_t scope, resource, profiles = profiles_size(otlp), size;
	int ret = otlp->dictionary.error;

	tally_str_clear(&otlp->head);
	add_scope(otlp);
	scope = otlp->head.len;
	tally_str_clear(&otlp->head);
	add_resource(otlp);
	resource = otlp->head.len;
	size = resource + tally_protobuf_size(RESOURCE_PROFILES_SCOPES, scope + profiles);
	if (size > MESSAGE_MAX || otlp_dictionary_size(&otlp->dictionary) > MESSAGE_MAX - size)
		return -E2BIG;
	tally_protobuf_head(&otlp->stream.text, DATA_RESOURCE_PROFILES, size);
	ret = ret ? ret : write_head(otlp);
	tally_protobuf_head(&otlp->stream.text, RESOURCE_PROFILES_SCOPES, scope + profiles);
	tally_str_clear(&otlp->head);
	add_scope(otlp);
	ret = ret ? ret : write_head(otlp);
	for (uint32_t i = 0; i < otlp->export->nr_events && !ret; i++)
		ret = write_profile(otlp, i);
	return ret;
}

static int write_file(struct otlp *otlp)
{
	int ret = otlp_samples_build(&otlp->samples, otlp->export, &otlp->dictionary);

	if (!ret)
		ret = write_resource_profiles(otlp);
	if (ret)
		return ret;
	tally_protobuf_head(&otlp->stream.text, DATA_DICTIONARY,
			    otlp_dictionary_size(&otlp->dictionary));
	ret = otlp_dictionary_write(&otlp->dictionary, &otlp->stream);
	return ret ? ret : otlp->dictionary.error;
}

static int write_format(const struct tally_export *export)
{
	struct otlp otlp = {.export = export};
	int ret = tally_export_stream_start(&otlp.stream, export, export->packs);

	if (!ret)
		ret = otlp_dictionary_build(&otlp.dictionary, export);
	if (!ret)
		ret = write_file(&otlp);
	ret = tally_export_stream_end(&otlp.stream, ret);
	tally_str_free(&otlp.head);
	otlp_samples_free(&otlp.samples);
	otlp_dictionary_free(&otlp.dictionary);
	return ret;
}

const struct tally_export_format tally_export_otlp = {
	.name = "otlp",
	.help = "OpenTelemetry profiles: collectors and their back ends",
	.is_binary = true,
	.keeps_samples = true,
	.by = TALLY_BY_COMM | TALLY_BY_THREAD,
	.lines = TALLY_LINES_ALL | TALLY_LINES_APART,
	.write = write_format,
};
