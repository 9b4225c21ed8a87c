/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/otlp_dictionary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/varint.h"
#include "export/protobuf.h"

/* Field numbers. */
enum { MAPPING_START = 1, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_ATTRIBUTES };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINES, LOCATION_ATTRIBUTES };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };
enum { LINK_TRACE = 1, LINK_SPAN };
enum { STACK_LOCATIONS = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };
enum { VALUE_TEXT = 1, VALUE_NUMBER = 3 };
enum { PAIR_KEY = 1, PAIR_VALUE };

/* Sizes of the IDs in a link. */
enum { TRACE_ID = 16, SPAN_ID = 8 };

/* ---- encoding ------------------------------------------------------------------ */

void otlp_add_u64(struct tally_str *out, unsigned field, uint64_t value)
{
	if (value)
		tally_protobuf_u64(out, field, value);
}

static void add_escaped(struct tally_str *out, unsigned field, const char *text)
{
	size_t opened = tally_protobuf_open(out, field);

	tally_str_add_escaped(out, text);
	tally_protobuf_close(out, opened);
}

void otlp_add_text_value(struct tally_str *out, unsigned field, const char *text)
{
	size_t value = tally_protobuf_open(out, field);

	add_escaped(out, VALUE_TEXT, text);
	tally_protobuf_close(out, value);
}

void otlp_add_key_value(struct tally_str *out, unsigned field, const char *key, const char *text)
{
	size_t pair = tally_protobuf_open(out, field);

	add_escaped(out, PAIR_KEY, key);
	otlp_add_text_value(out, PAIR_VALUE, text);
	tally_protobuf_close(out, pair);
}

/* Return the index of an entry. Clears `entry`. */
static uint32_t entry_add(struct otlp_dictionary *dictionary, enum otlp_table table,
			  struct tally_str *entry)
{
	uint32_t id = 0;
	int ret = tally_str_error(entry);

	if (!ret)
		ret = tally_intern(&dictionary->tables[table], tally_str_text(entry), entry->len,
				   &id);
	tally_str_clear(entry);
	dictionary->error = dictionary->error ? dictionary->error : ret;
	return id;
}

/* ---- strings and attributes ---------------------------------------------------- */

static uint32_t made_string(struct otlp_dictionary *dictionary)
{
	tally_str_escape(&dictionary->name, 0);
	return entry_add(dictionary, OTLP_STRINGS, &dictionary->name);
}

uint32_t otlp_string(struct otlp_dictionary *dictionary, const char *text)
{
	tally_str_add(&dictionary->name, text);
	return made_string(dictionary);
}

uint32_t otlp_text_attribute(struct otlp_dictionary *dictionary, const char *key, const char *text)
{
	otlp_add_u64(&dictionary->entry, ATTRIBUTE_KEY, otlp_string(dictionary, key));
	otlp_add_text_value(&dictionary->entry, ATTRIBUTE_VALUE, text);
	return entry_add(dictionary, OTLP_ATTRIBUTES, &dictionary->entry);
}

uint32_t otlp_number_attribute(struct otlp_dictionary *dictionary, const char *key, int64_t number)
{
	struct tally_str *entry = &dictionary->entry;
	size_t value;

	otlp_add_u64(entry, ATTRIBUTE_KEY, otlp_string(dictionary, key));
	value = tally_protobuf_open(entry, ATTRIBUTE_VALUE);
	tally_protobuf_u64(entry, VALUE_NUMBER, (uint64_t)number);
	tally_protobuf_close(entry, value);
	return entry_add(dictionary, OTLP_ATTRIBUTES, entry);
}

/* Append a list with a single attribute, unless it is 0. */
static void add_attribute(struct tally_str *out, unsigned field, uint32_t attribute)
{
	size_t packed;

	if (!attribute)
		return;
	packed = tally_protobuf_open(out, field);
	tally_str_add_varint(out, attribute);
	tally_protobuf_close(out, packed);
}

/* ---- functions, mappings, locations -------------------------------------------- */

static uint32_t function_add(struct otlp_dictionary *dictionary,
			     const struct tally_export_function *function)
{
	struct tally_str *entry = &dictionary->entry;
	uint32_t name;

	tally_export_add_function(function, &dictionary->name);
	name = made_string(dictionary);
	otlp_add_u64(entry, FUNCTION_NAME, name);
	if (function->symbol)
		name = otlp_string(dictionary,
				   tally_symbol_raw_name(function->dso, function->symbol));
	otlp_add_u64(entry, FUNCTION_SYSTEM_NAME, name);
	if (function->file)
		otlp_add_u64(entry, FUNCTION_FILE, otlp_string(dictionary, function->file));
	return entry_add(dictionary, OTLP_FUNCTIONS, entry);
}

static uint32_t build_id_attribute(struct otlp_dictionary *dictionary, struct tally_dso *dso)
{
	struct tally_str id = {0};
	uint32_t attribute = 0;

	tally_export_add_build_id(dso, &id);
	if (id.len)
		attribute = otlp_text_attribute(dictionary, "process.executable.build_id.gnu",
						tally_str_text(&id));
	dictionary->error = dictionary->error ? dictionary->error : tally_str_error(&id);
	tally_str_free(&id);
	return attribute;
}

static uint32_t mapping_entry(struct otlp_dictionary *dictionary,
			      const struct tally_export_mapping *mapping)
{
	uint32_t file = otlp_string(dictionary, tally_dso_name(mapping->dso));
	uint32_t build_id = build_id_attribute(dictionary, mapping->dso);
	struct tally_str *entry = &dictionary->entry;

	otlp_add_u64(entry, MAPPING_START, mapping->start);
	otlp_add_u64(entry, MAPPING_LIMIT, mapping->end);
	otlp_add_u64(entry, MAPPING_OFFSET, mapping->start - mapping->distance);
	otlp_add_u64(entry, MAPPING_FILE, file);
	add_attribute(entry, MAPPING_ATTRIBUTES, build_id);
	return entry_add(dictionary, OTLP_MAPPINGS, entry);
}

/* Return the attribute with a frame's type, or 0 if the type is unknown, as for JIT code. */
static uint32_t frame_type(struct otlp_dictionary *dictionary, const struct tally_dso *dso)
{
	enum tally_dso_kind kind = dso ? tally_dso_kind(dso) : TALLY_DSO_UNKNOWN;
	bool is_kernel = kind == TALLY_DSO_KERNEL || kind == TALLY_DSO_MODULE;

	if (!is_kernel && kind != TALLY_DSO_USER && kind != TALLY_DSO_VDSO)
		return 0;
	return otlp_text_attribute(dictionary, "profile.frame.type",
				   is_kernel ? "kernel" : "native");
}

static void add_line(struct otlp_dictionary *dictionary, uint32_t number)
{
	const struct tally_frame *frame = &dictionary->model.profile->frames.all.data[number];
	uint32_t function = dictionary->model.function_of[number];
	struct tally_str *entry = &dictionary->entry;
	size_t message = tally_protobuf_open(entry, LOCATION_LINES);

	otlp_add_u64(entry, LINE_FUNCTION, dictionary->function_ids[function]);
	otlp_add_u64(entry, LINE_NUMBER, frame->line ? frame->line->line : 0);
	tally_protobuf_close(entry, message);
}

static uint32_t location_entry(struct otlp_dictionary *dictionary, uint32_t number)
{
	struct tally_export_location location =
		tally_export_location_get(&dictionary->locations, number);
	const struct tally_frame *frame =
		&dictionary->model.profile->frames.all.data[location.frames[0]];
	uint32_t mapping = tally_export_mapping_of(&dictionary->locations, number);
	uint32_t type = frame_type(dictionary, frame->dso);
	struct tally_str *entry = &dictionary->entry;

	otlp_add_u64(entry, LOCATION_MAPPING, mapping ? dictionary->mapping_ids[mapping - 1] : 0);
	otlp_add_u64(entry, LOCATION_ADDRESS,
		     tally_export_location_address(&dictionary->locations, number));
	for (uint32_t i = 0; i < location.nr; i++)
		add_line(dictionary, location.frames[i]);
	add_attribute(entry, LOCATION_ATTRIBUTES, type);
	return entry_add(dictionary, OTLP_LOCATIONS, entry);
}

/* ---- stacks -------------------------------------------------------------------- */

uint32_t otlp_stack(struct otlp_dictionary *dictionary, const struct tally_bucket_key *key)
{
	uint32_t depth = tally_export_depth(dictionary->model.profile, key), at = 0, location;
	struct tally_str *stack = &dictionary->stack;
	size_t packed = tally_protobuf_open(stack, STACK_LOCATIONS);

	while (at < depth && !dictionary->error) {
		dictionary->error =
			tally_export_location_next(&dictionary->locations, key, &at, &location);
		if (!dictionary->error)
			tally_str_add_varint(stack, dictionary->location_ids[location - 1]);
	}
	tally_protobuf_close(stack, packed);
	return entry_add(dictionary, OTLP_STACKS, stack);
}

/* ---- the tables ---------------------------------------------------------------- */

/* Add entry 0 to each table. That of links has IDs, because readers may require their sizes. */
static void zero_entries_add(struct otlp_dictionary *dictionary)
{
	static const char zeros[TRACE_ID];

	for (int i = 1; i < OTLP_TABLES; i++) {
		if (i == OTLP_LINKS) {
			tally_protobuf_bytes(&dictionary->entry, LINK_TRACE, zeros, TRACE_ID);
			tally_protobuf_bytes(&dictionary->entry, LINK_SPAN, zeros, SPAN_ID);
		}
		entry_add(dictionary, (enum otlp_table)i, &dictionary->entry);
	}
}

/* Find all locations, so that the mappings are known. */
static int locations_find(struct otlp_dictionary *dictionary)
{
	const struct tally_profile *profile = dictionary->export->profile;
	uint32_t location;
	int ret = 0;

	tally_vec_for_each (bucket, &profile->buckets) {
		uint32_t depth = tally_export_depth(profile, &bucket->key), at = 0;

		if (!tally_export_has_bucket(dictionary->export, bucket))
			continue;
		while (at < depth && !ret)
			ret = tally_export_location_next(&dictionary->locations, &bucket->key, &at,
							 &location);
		if (ret)
			break;
	}
	return ret ? ret : tally_export_mappings_build(&dictionary->locations);
}

static int entries_add(struct otlp_dictionary *dictionary)
{
	size_t functions = dictionary->model.functions.len;
	size_t locations = dictionary->locations.starts.len;
	size_t mappings = dictionary->locations.mappings.len;

	dictionary->function_ids = calloc(functions + 1, sizeof(uint32_t));
	dictionary->location_ids = calloc(locations + 1, sizeof(uint32_t));
	dictionary->mapping_ids = calloc(mappings + 1, sizeof(uint32_t));
	if (!dictionary->function_ids || !dictionary->location_ids || !dictionary->mapping_ids)
		return -ENOMEM;
	zero_entries_add(dictionary);
	for (size_t i = 0; i < functions; i++)
		dictionary->function_ids[i] =
			function_add(dictionary, &dictionary->model.functions.data[i]);
	for (size_t i = 0; i < mappings; i++)
		dictionary->mapping_ids[i] =
			mapping_entry(dictionary, &dictionary->locations.mappings.data[i]);
	for (uint32_t i = 0; i < locations; i++)
		dictionary->location_ids[i] = location_entry(dictionary, i + 1);
	return dictionary->error;
}

int otlp_dictionary_build(struct otlp_dictionary *dictionary, const struct tally_export *export)
{
	int ret;

	*dictionary = (struct otlp_dictionary){.export = export};
	ret = tally_export_model_build(export, &dictionary->model);
	if (!ret)
		ret = tally_export_model_link(&dictionary->model, TALLY_EXPORT_FROM_ZERO);
	if (!ret)
		ret = tally_export_locations_init(export, &dictionary->model,
						  &dictionary->locations);
	if (!ret)
		ret = locations_find(dictionary);
	return ret ? ret : entries_add(dictionary);
}

void otlp_dictionary_free(struct otlp_dictionary *dictionary)
{
	for (int i = 0; i < OTLP_TABLES; i++)
		tally_intern_free(&dictionary->tables[i]);
	free(dictionary->function_ids);
	free(dictionary->location_ids);
	free(dictionary->mapping_ids);
	tally_str_free(&dictionary->name);
	tally_str_free(&dictionary->entry);
	tally_str_free(&dictionary->stack);
	tally_export_locations_free(&dictionary->locations);
	tally_export_model_free(&dictionary->model);
}

uint64_t otlp_dictionary_size(const struct otlp_dictionary *dictionary)
{
	uint64_t size = 0;

	for (unsigned i = 1; i < OTLP_TABLES; i++) {
		tally_vec_for_each (entry, &dictionary->tables[i].strings)
			size += tally_protobuf_size(i, entry->len);
	}
	return size;
}

int otlp_dictionary_write(const struct otlp_dictionary *dictionary,
			  struct tally_export_stream *stream)
{
	int ret = 0;

	for (unsigned i = 1; i < OTLP_TABLES && !ret; i++) {
		tally_vec_for_each (entry, &dictionary->tables[i].strings) {
			tally_protobuf_bytes(&stream->text, i, entry->text, entry->len);
			ret = tally_export_flush_some(stream);
			if (ret)
				break;
		}
	}
	return ret;
}
