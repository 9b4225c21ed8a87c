/* SPDX-License-Identifier: BSD-2-Clause */
/* Print records as structured data. Names and nesting follow quipper, so that the output can be
 * compared with quipper's. */
#include "cli/main/dump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/json.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/main/dump_sample.h"

/* ---- record fields ------------------------------------------------------- */

static void dump_links(struct tally_str *out, const char *name, struct tally_bytes bytes)
{
	tally_json_open(out, name, '[');
	for (uint64_t i = 0; i + 16 <= bytes.len; i += 16) {
		tally_json_open(out, NULL, '{');
		tally_json_u64(out, "dev", tally_get_u64(bytes.data + i));
		tally_json_u64(out, "ino", tally_get_u64(bytes.data + i + 8));
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void dump_words(struct tally_str *out, const char *name, struct tally_bytes bytes)
{
	tally_json_open(out, name, '[');
	for (uint64_t i = 0; i + 8 <= bytes.len; i += 8)
		tally_json_u64(out, NULL, tally_get_u64(bytes.data + i));
	tally_json_close(out, ']');
}

static void dump_value(struct tally_str *out, const struct tally_record_value *value)
{
	const char *name = value->field->name;

	switch ((enum tally_field_kind)value->field->kind) {
	case TALLY_FIELD_U8:
	case TALLY_FIELD_U16:
	case TALLY_FIELD_U32:
	case TALLY_FIELD_U64: tally_json_u64(out, name, value->number); break;
	case TALLY_FIELD_S32: tally_json_s64(out, name, (int64_t)value->number); break;
	case TALLY_FIELD_STRING:
	case TALLY_FIELD_STRING_N:
		tally_json_bytes(out, name, value->bytes.data, value->bytes.len);
		break;
	case TALLY_FIELD_BYTES_N:
	case TALLY_FIELD_BYTES:
	case TALLY_FIELD_BUILD_ID:
		tally_json_hex(out, name, value->bytes.data, value->bytes.len);
		break;
	case TALLY_FIELD_SKIP: break;
	case TALLY_FIELD_WORDS: dump_words(out, name, value->bytes); break;
	case TALLY_FIELD_LINKS: dump_links(out, name, value->bytes); break;
	case TALLY_FIELD_READ: tally_dump_read(out, &value->read); break;
	}
}

/* Append the structures in a record's trailing array as an array of JSON objects. */
static void dump_array(struct tally_str *out, const struct tally_perfdata_array *array,
		       struct tally_bytes bytes)
{
	const struct tally_record_desc desc = {.fields = array->fields,
					       .nr_fields = array->nr_fields};
	struct tally_record_cursor cursor;
	struct tally_record_value value;

	tally_json_open(out, array->name, '[');
	for (uint64_t at = 0; at + array->stride <= bytes.len; at += array->stride) {
		bool is_object = array->fields[0].name;

		if (is_object)
			tally_json_open(out, NULL, '{');
		tally_record_walk(&cursor, &desc, bytes.data + at, array->stride, 0, 0);
		cursor.at = 0;
		cursor.end = array->stride;
		while (tally_record_next(&cursor, &value, NULL) > 0)
			dump_value(out, &value);
		if (is_object)
			tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

/* Append the flags that quipper derives from flag words and misc bits. */
static void dump_derived(struct tally_str *out, const struct tally_perfdata_record *record)
{
	const uint8_t *at = record->data;
	uint64_t flags;

	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		tally_json_bool(out, "is_out", record->misc & PERF_RECORD_MISC_SWITCH_OUT);
		break;
	case PERF_RECORD_AUX:
		flags = record->size >= 32 ? tally_get_u64(at + 24) : 0;
		tally_json_bool(out, "is_truncated", flags & PERF_AUX_FLAG_TRUNCATED);
		tally_json_bool(out, "is_overwrite", flags & PERF_AUX_FLAG_OVERWRITE);
		tally_json_bool(out, "is_partial", flags & PERF_AUX_FLAG_PARTIAL);
		break;
	}
}

/* Return true if the name is one of the fields that every record has. */
static bool is_common_name(const char *name)
{
	static const char *const common[] = {"offset", "type", "name", "misc", "size"};

	for (size_t i = 0; name && i < TALLY_ARRAY_SIZE(common); i++) {
		if (!strcmp(name, common[i]))
			return true;
	}
	return false;
}

/* HEADER_FEATURE records in pipe-mode data from perf 3.2 contain only the feature's bytes. */
static const struct tally_record_field old_feature_fields[] = {
	{"data", TALLY_FIELD_BYTES, 0, 0, 0},
};
static const struct tally_record_desc old_feature = {0, "HEADER_FEATURE", old_feature_fields, 1};

static const struct tally_record_desc *record_desc(const struct tally_perfdata_record *record)
{
	return record->flags & TALLY_PERFDATA_OLD_FEATURE ? &old_feature
							  : tally_perfdata_describe(record->type);
}

/* Append a record's fields. Fields with a common name go into a nested object. */
static void dump_fields(struct tally_str *out, const struct tally_perfdata_record *record,
			size_t trailer)
{
	struct tally_str hidden = {0};
	const struct tally_record_desc *desc = record_desc(record);
	const struct tally_perfdata_array *array =
		desc == &old_feature ? NULL : tally_perfdata_array(record->type);
	uint64_t read_format = record->event ? record->event->attr.read_format : 0;
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	int ret = 0;

	if (desc) {
		tally_record_walk(&cursor, desc, record->data, record->size, trailer, read_format);
		while ((ret = tally_record_next(&cursor, &value, NULL)) > 0) {
			if (array && value.field->kind == TALLY_FIELD_BYTES)
				dump_array(out, array, value.bytes);
			else
				dump_value(is_common_name(value.field->name) ? &hidden : out,
					   &value);
		}
	}
	if (hidden.len) {
		tally_json_open(out, "fields", '{');
		tally_str_add(out, tally_str_text(&hidden));
		tally_json_close(out, '}');
	}
	tally_str_free(&hidden);
	if (ret)
		tally_json_bool(out, "cut_short", true);
	dump_derived(out, record);
}

/* Append a record as JSON. Return false if the record is damaged. */
static bool dump_record(struct tally_str *out, const struct tally_perfdata_record *record)
{
	bool is_damaged = record->flags & TALLY_PERFDATA_DAMAGED;
	const struct tally_record_desc *desc = record_desc(record);
	const struct tally_sample_layout *layout = record->event ? record->event->layout : NULL;
	size_t trailer = layout && record->type < 64 ? tally_trailer_size(layout) : 0;

	tally_json_open(out, NULL, '{');
	if (record->offset != UINT64_MAX)
		tally_json_u64(out, "offset", record->offset);
	tally_json_u64(out, "type", record->type);
	tally_json_text(out, "name", desc ? desc->name : "UNKNOWN");
	tally_json_u64(out, "misc", record->misc);
	tally_json_u64(out, "size", record->size);
	if (is_damaged) {
		tally_json_bool(out, "damaged", true);
	} else if (record->type == PERF_RECORD_SAMPLE) {
		is_damaged = !tally_dump_sample(out, record);
	} else {
		dump_fields(out, record, trailer);
		if (trailer)
			tally_dump_sample_info(out, record);
	}
	if (record->payload_len)
		tally_json_u64(out, "payload_len", record->payload_len);
	tally_json_close(out, '}');
	tally_str_add_char(out, '\n');
	return !is_damaged;
}

/* ---- all records --------------------------------------------------------- */

struct dump {
	struct tally_str out;
	int failed; /* 0 or the -errno of a failed write */
};

/* Flush the output before the reader waits for more data from a stream. */
static void dump_idle(void *arg)
{
	struct dump *dump = arg;

	if (!dump->failed)
		dump->failed = tally_output_flush(&dump->out);
	if (!dump->failed && fflush(stdout))
		dump->failed = -errno;
}

static int dump_all(struct tally_session *session,
		    bool (*show)(struct tally_str *out, const struct tally_perfdata_record *record))
{
	struct tally_perfdata_record record;
	struct tally_error err = {0};
	struct dump dump = {0};
	int ret = 0;

	tally_perfdata_on_idle(session->data, dump_idle, &dump);
	while (!dump.failed && (ret = tally_perfdata_next(session->data, &record, &err)) > 0) {
		if (!show(&dump.out, &record))
			tally_feed_damaged(&session->feed, record.type);
		if (!dump.failed && dump.out.len >= TALLY_FLUSH_AT)
			dump.failed = tally_output_flush(&dump.out);
	}
	tally_perfdata_on_idle(session->data, NULL, NULL);
	if (!dump.failed)
		dump.failed = tally_output_flush(&dump.out);
	tally_str_free(&dump.out);
	tally_session_warn(session);
	if (ret < 0)
		tally_print_parse_error(session->name, ret, err.text ? &err : NULL);
	return ret < 0 ? ret : dump.failed; /* main() prints write errors */
}

int tally_dump_json(struct tally_session *session)
{
	return dump_all(session, dump_record);
}

/* ---- human-readable output ----------------------------------------------- */

/* Append `nr` bytes, at most 16, in hexadecimal and as characters. */
static void dump_hex_line(struct tally_str *out, size_t at, const uint8_t *bytes, size_t nr)
{
	enum { BYTES = 16, CHARS = 3 * BYTES + 2 };
	static const char digits[] = "0123456789abcdef";
	char line[CHARS + BYTES + 2];

	memset(line, ' ', CHARS);
	for (size_t i = 0; i < nr; i++) {
		bool is_shown = bytes[i] >= 0x20 && bytes[i] < 0x7f;

		line[3 * i + 1] = digits[bytes[i] >> 4];
		line[3 * i + 2] = digits[bytes[i] & 15];
		line[CHARS + i] = is_shown ? (char)bytes[i] : '.';
	}
	line[CHARS + nr] = '\n';
	line[CHARS + nr + 1] = '\0';
	tally_str_addf(out, ".  %04zx: ", at);
	tally_str_add(out, line);
}

static void dump_hex(struct tally_str *out, const uint8_t *bytes, size_t len)
{
	for (size_t at = 0; at < len; at += 16)
		dump_hex_line(out, at, bytes + at, TALLY_MIN(len - at, 16));
}

static bool dump_readable(struct tally_str *out, const struct tally_perfdata_record *record)
{
	const struct tally_record_desc *desc = record_desc(record);
	struct tally_str fields = {0};
	bool is_good;

	if (record->offset == UINT64_MAX)
		tally_str_add(out, "\n(compressed)");
	else
		tally_str_addf(out, "\n0x%llx", (unsigned long long)record->offset);
	tally_str_addf(out, " [0x%x]: PERF_RECORD_%s(%u, 0x%x)\n", record->size,
		       desc ? desc->name : "UNKNOWN", record->type, record->misc);
	dump_hex(out, record->data, record->size);
	is_good = dump_record(&fields, record);
	tally_str_add(out, tally_str_text(&fields));
	tally_str_free(&fields);
	return is_good;
}

int tally_dump_text(struct tally_session *session)
{
	return dump_all(session, dump_readable);
}
