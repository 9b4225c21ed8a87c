/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracing data: the recording machine's format files from tracefs.
 *
 * Layout: magic, version, byte order, size of a long, page size; header_page and header_event, each
 * with its name; the ftrace formats; the name and the formats of each system; kallsyms; printk
 * formats; since version 0.6, the saved command names. Numbers are in the byte order given at the
 * start. If a blob is truncated, the part before the truncation is used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "base/scan.h"
#include "base/vec.h"
#include "perfdata/feature_bytes.h"
#include "perfdata/reader.h"
#include "perfdata/reader_features.h"

static const char magic[] = "\x17\x08\x44tracing";

/* The parsed tracing data and the memory that it owns. */
struct tracing {
	struct tally_perfdata_tracing pub; /* must be first; the structure is freed through it */
	TALLY_VEC(struct tally_perfdata_trace_format) formats;
};

static bool tracing_is_here(const uint8_t *bytes, size_t len)
{
	return len >= sizeof(magic) - 1 && !memcmp(bytes, magic, sizeof(magic) - 1);
}

/* Return a NUL-terminated string in place, or NULL on failure. */
static const char *read_text(struct tally_feature_bytes *in)
{
	const char *text = (const char *)in->data + in->at;
	size_t len = strnlen(text, tally_feature_left(in));

	return tally_feature_read(in, (uint64_t)len + 1) ? text : NULL;
}

static struct tally_perfdata_slice read_slice(struct tally_feature_bytes *in, uint64_t len)
{
	const uint8_t *data = tally_feature_read(in, len);

	return (struct tally_perfdata_slice){data, data ? len : 0};
}

/* Read "header_page" or "header_event", a u64 size, and the text. */
static struct tally_perfdata_slice read_named(struct tally_feature_bytes *in)
{
	if (!read_text(in))
		return (struct tally_perfdata_slice){NULL, 0};
	return read_slice(in, tally_feature_u64(in));
}

static int read_formats(struct tracing *tracing, struct tally_feature_bytes *in, const char *system)
{
	uint32_t nr = tally_feature_u32(in);
	int ret = 0;

	for (uint32_t i = 0; !ret && !in->failed && i < nr; i++) {
		struct tally_perfdata_slice text = read_slice(in, tally_feature_u64(in));

		if (!in->failed)
			ret = tally_vec_push(&tracing->formats,
					     (struct tally_perfdata_trace_format){system, text});
	}
	return ret;
}

static int read_systems(struct tracing *tracing, struct tally_feature_bytes *in)
{
	uint32_t nr = tally_feature_u32(in);
	int ret = 0;

	for (uint32_t i = 0; !ret && !in->failed && i < nr; i++) {
		const char *name = read_text(in);

		if (name)
			ret = read_formats(tracing, in, name);
	}
	return ret;
}

static int parse_front(struct tracing *tracing, struct tally_feature_bytes *in,
		       struct tally_error *err)
{
	struct tally_perfdata_tracing *pub = &tracing->pub;
	const uint8_t *bytes = tally_feature_read(in, sizeof(magic) - 1);

	if (!bytes || !tracing_is_here(bytes, sizeof(magic) - 1))
		return tally_error_at(err, -EINVAL, "not tracing data", 0);
	pub->version = read_text(in);
	bytes = tally_feature_read(in, 2);
	if (!pub->version || !bytes)
		return tally_error_at(err, -EINVAL, "the tracing data ends inside its header",
				      in->at);
	pub->is_big_endian = bytes[0];
	pub->long_size = bytes[1];
	in->swap = pub->is_big_endian != TALLY_HOST_BIG_ENDIAN;
	pub->page_size = tally_feature_u32(in);
	return 0;
}

static int parse_body(struct tracing *tracing, struct tally_feature_bytes *in)
{
	struct tally_perfdata_tracing *pub = &tracing->pub;
	int ret;

	pub->header_page = read_named(in);
	pub->header_event = read_named(in);
	ret = read_formats(tracing, in, "ftrace");
	if (!ret)
		ret = read_systems(tracing, in);
	pub->kallsyms = read_slice(in, tally_feature_u32(in));
	pub->printk_formats = read_slice(in, tally_feature_u32(in));
	if (!in->failed && tally_feature_left(in) >= 8)
		pub->saved_cmdlines = read_slice(in, tally_feature_u64(in));
	pub->is_cut = in->failed;
	pub->formats = tracing->formats.data;
	pub->nr_formats = tracing->formats.len;
	return ret;
}

int tally_perfdata_tracing_parse(const void *bytes, size_t len,
				 struct tally_perfdata_tracing **ret_tracing,
				 struct tally_error *err)
{
	struct tally_feature_bytes in = {.data = bytes, .len = len};
	struct tracing *tracing = calloc(1, sizeof(*tracing));
	int ret;

	if (!tracing)
		return tally_error_at(err, -ENOMEM, "out of memory", 0);
	tracing->pub.bytes = (struct tally_perfdata_slice){bytes, len};
	ret = parse_front(tracing, &in, err);
	if (!ret) {
		ret = parse_body(tracing, &in);
		if (ret)
			tally_error_at(err, ret, "out of memory", in.at);
	}
	if (ret)
		tally_perfdata_tracing_free(&tracing->pub);
	else
		*ret_tracing = &tracing->pub;
	return ret;
}

void tally_perfdata_tracing_free(struct tally_perfdata_tracing *pub)
{
	struct tracing *tracing = (struct tracing *)pub;

	if (!tracing)
		return;
	tally_vec_free(&tracing->formats);
	free(tracing);
}

int tally_perfdata_tracing(struct tally_perfdata *data,
			   const struct tally_perfdata_tracing **ret_tracing,
			   struct tally_error *err)
{
	int ret;

	if (!data->tracing_bytes.data)
		return tally_error_at(err, -ENOENT, "no tracing data", 0);
	if (!data->tracing) {
		ret = tally_perfdata_tracing_parse(data->tracing_bytes.data,
						   data->tracing_bytes.len, &data->tracing, err);
		if (ret)
			return ret;
	}
	*ret_tracing = data->tracing;
	return 0;
}

/* ---- formats by ID, and names of tracepoints ----------------------------- */

/* Return the remainder of the line that starts with `key`. The result is empty if there is no such
 * line. */
static struct tally_perfdata_slice format_value(struct tally_perfdata_slice text, const char *key)
{
	const char *at = (const char *)text.data, *end = at + text.len;
	size_t key_len = strlen(key);

	while (at && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		if ((size_t)(stop - at) > key_len && !memcmp(at, key, key_len))
			return (struct tally_perfdata_slice){(const uint8_t *)at + key_len,
							     (uint64_t)(stop - at) - key_len};
		at = newline ? newline + 1 : end;
	}
	return (struct tally_perfdata_slice){NULL, 0};
}

/* Return the number at the start of a text, or 0 if there is none or it exceeds 64 bits. */
static uint64_t decimal(struct tally_perfdata_slice text)
{
	struct tally_scan scan = tally_scan_of((const char *)text.data, text.len);
	uint64_t value = 0;

	(void)tally_scan_number(&scan, 10, &value);
	return value;
}

/* Build "system:name" for a format. `*ret_name` is NULL if the format has no printable name. */
static int name_format(struct tally_perfdata *data,
		       const struct tally_perfdata_trace_format *format, const char **ret_name)
{
	struct tally_perfdata_slice name = format_value(format->text, "name: ");
	char text[256];
	int len;

	*ret_name = NULL;
	if (!name.len || name.len > 128)
		return 0;
	len = snprintf(text, sizeof(text), "%.100s:%.*s", format->system, (int)name.len,
		       (const char *)name.data);
	*ret_name = tally_arena_strndup(&data->events.texts, text, (size_t)len);
	return *ret_name ? 0 : -ENOMEM;
}

/* Index a format. If several formats have the same ID, the first provides the name, fields and
 * text. */
static int index_format(struct tally_perfdata *data,
			const struct tally_perfdata_trace_format *format)
{
	struct tally_perfdata_slice number = format_value(format->text, "ID: ");
	struct tally_trace_entry entry = {.format = format};
	struct tally_names *names = &data->names;
	uint64_t id = decimal(number);
	int ret;

	if (!number.len || tally_map_get(&names->formats, id) != TALLY_MAP_NONE)
		return 0;
	ret = name_format(data, format, &entry.name);
	if (!ret)
		ret = tally_vec_push(&names->tracepoints, entry);
	return ret ? ret : tally_map_set(&names->formats, id, names->tracepoints.len - 1);
}

/* Index all formats when a tracepoint is looked up for the first time. */
static int index_formats(struct tally_perfdata *data)
{
	const struct tally_perfdata_tracing *tracing;
	int ret = tally_perfdata_tracing(data, &tracing, NULL);

	data->names.has_formats = true;
	if (ret == -EINVAL) {
		tally_reader_add_note(data, (struct tally_perfdata_note){
						    .kind = TALLY_NOTE_BAD_FEATURE,
						    .what = TALLY_FEATURE_TRACING_DATA,
						    .text = "cannot parse the tracing data"});
		return 0;
	}
	if (!ret && tracing->is_cut)
		tally_reader_add_note(data,
				      (struct tally_perfdata_note){
					      .kind = TALLY_NOTE_BAD_FEATURE,
					      .what = TALLY_FEATURE_TRACING_DATA,
					      .text = "the tracing data is truncated: "
						      "tracepoints may lack names and fields"});
	for (size_t i = 0; !ret && i < tracing->nr_formats; i++)
		ret = index_format(data, &tracing->formats[i]);
	return ret;
}

/* Find the entry with this ID. `*ret_entry` is NULL if no format has the ID. Return 0 or
 * -ENOMEM. */
static int find_entry(struct tally_perfdata *data, uint64_t id,
		      const struct tally_trace_entry **ret_entry)
{
	struct tally_names *names = &data->names;
	int ret = names->has_formats ? 0 : index_formats(data);
	uint64_t at = ret ? TALLY_MAP_NONE : tally_map_get(&names->formats, id);

	*ret_entry = at == TALLY_MAP_NONE ? NULL : &names->tracepoints.data[at];
	return ret;
}

int tally_perfdata_trace_format(struct tally_perfdata *data, uint64_t id,
				const struct tally_perfdata_trace_format **ret_format)
{
	const struct tally_trace_entry *entry;
	int ret;

	if (!data->tracing_bytes.data)
		return -ENOENT;
	ret = find_entry(data, id, &entry);
	if (!ret && !entry)
		ret = -ENOENT;
	if (!ret)
		*ret_format = entry->format;
	return ret;
}

int tally_tracing_name(struct tally_perfdata *data, struct tally_event *event)
{
	const struct tally_trace_entry *entry;
	int ret;

	if (!data->tracing_bytes.data || event->pub.is_named ||
	    event->pub.attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	ret = find_entry(data, event->pub.attr.config, &entry);
	if (!ret && entry && entry->name)
		tally_perfdata_events_name(event, TALLY_NAME_TRACING, entry->name);
	return ret;
}

int tally_tracing_apply(struct tally_perfdata *data)
{
	int ret = data->names.has_formats ? 0 : index_formats(data);

	for (size_t i = 0; !ret && i < data->events.list.len; i++)
		ret = tally_tracing_name(data, data->events.list.data[i]);
	return ret;
}
