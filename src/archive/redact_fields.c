/* SPDX-License-Identifier: BSD-2-Clause */
#include "archive/redact_fields.h"

#include <errno.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/endian.h"
#include "base/error.h"

/* ---- records -------------------------------------------------------------------- */

/* Zero the unused bytes after a value, up to `end`, the end of the value's field. */
static void value_blank(const struct tally_record_value *value, const uint8_t *record, size_t end,
			uint8_t *copy)
{
	size_t at = value->bytes.data ? (size_t)(value->bytes.data - record) : end;

	switch (value->field->kind) {
	case TALLY_FIELD_SKIP: memset(copy + at, 0, end - at); break;
	case TALLY_FIELD_STRING:
	case TALLY_FIELD_STRING_N:
		memset(copy + at + value->bytes.len, 0, end - at - value->bytes.len);
		break;
	case TALLY_FIELD_BUILD_ID:
		memset(copy + at - 3, 0, 3);
		memset(copy + at + value->bytes.len, 0, end - at - value->bytes.len);
		break;
	default: break;
	}
}

/* Each *_end() function returns the offset at which the data of an array or other variable-length
 * field ends, or 0 if unknown. `limit` is the offset of the trailer. */
static uint64_t array_end(const uint8_t *record, uint64_t limit)
{
	enum { FIRST = 16, MACHINE = 16 };
	uint32_t type = tally_record_header(record).type;
	uint64_t nr = limit < FIRST ? 0 : tally_get_u64(record + 8);
	uint64_t stride = tally_perfdata_array(type)->stride;

	if (limit < FIRST || nr > (limit - FIRST) / stride)
		return 0;
	/* For guests, the recorder appends an array with a machine PID and a virtual CPU for each
	 * entry. */
	if (type == TALLY_PERFDATA_ID_INDEX && limit - FIRST == nr * (stride + MACHINE))
		return limit;
	return FIRST + nr * stride;
}

static uint64_t poke_end(const uint8_t *record, uint64_t limit)
{
	enum { BYTES = 20 };

	return limit < BYTES
		       ? 0
		       : BYTES + (uint64_t)tally_get_u16(record + 16) + tally_get_u16(record + 18);
}

/* Return the end of a set of CPUs, which is stored as a list, a mask of longs, or a range. */
static uint64_t cpus_end(const uint8_t *record, uint64_t at, uint64_t limit)
{
	enum { LIST, MASK, RANGE, HEAD = 8 };
	uint64_t nr;

	if (limit < at + HEAD)
		return 0;
	nr = tally_get_u16(record + at + 2);
	switch (tally_get_u16(record + at)) {
	case LIST: return at + 4 + 2 * nr;
	case MASK: return at + HEAD + nr * tally_get_u16(record + at + 4);
	case RANGE: return at + HEAD;
	default: return 0;
	}
}

static uint64_t map_end(const uint8_t *record, uint64_t limit)
{
	return cpus_end(record, 8, limit);
}

static uint64_t update_end(const uint8_t *record, uint64_t limit)
{
	enum { KIND = 8, DATA = 24, SCALE = 8 };

	if (limit < DATA)
		return 0;
	switch (tally_get_u64(record + KIND)) {
	case TALLY_PERFDATA_UPDATE_UNIT:
	case TALLY_PERFDATA_UPDATE_NAME:
		return DATA + strnlen((const char *)record + DATA, limit - DATA);
	case TALLY_PERFDATA_UPDATE_SCALE: return DATA + SCALE;
	case TALLY_PERFDATA_UPDATE_CPUS: return cpus_end(record, DATA, limit);
	default: return 0;
	}
}

static const struct {
	uint32_t type;
	uint64_t (*end)(const uint8_t *record, uint64_t limit);
} ends[] = {
	{PERF_RECORD_TEXT_POKE, poke_end},         {TALLY_PERFDATA_ID_INDEX, array_end},
	{TALLY_PERFDATA_STAT_CONFIG, array_end},   {TALLY_PERFDATA_THREAD_MAP, array_end},
	{TALLY_PERFDATA_EVENT_UPDATE, update_end}, {TALLY_PERFDATA_CPU_MAP, map_end},
};

/* Zero the padding in all fields. Returns the end of the fields, or 0 if unknown; `*ret_limit` is
 * set to the start of the trailer. */
static uint64_t fields_blank(const struct tally_perfdata_record *record, uint8_t *copy,
			     uint64_t *ret_limit)
{
	const struct tally_sample_layout *layout = record->event ? record->event->layout : NULL;
	const struct tally_record_desc *desc = tally_perfdata_describe(record->type);
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	int ret;

	if (!desc)
		return 0;
	tally_record_walk(&cursor, desc, record->data, record->size,
			  layout ? tally_trailer_size(layout) : 0,
			  layout ? layout->read_format : 0);
	while ((ret = tally_record_next(&cursor, &value, NULL)) > 0)
		value_blank(&value, record->data, cursor.at, copy);
	*ret_limit = cursor.end;
	for (size_t i = 0; !ret && i < TALLY_ARRAY_SIZE(ends); i++) {
		if (ends[i].type == record->type)
			return ends[i].end(record->data, cursor.end);
	}
	return ret ? 0 : cursor.at;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

int tally_redact_fields(const struct tally_perfdata_record *record, uint8_t *copy,
			struct tally_error *err)
{
	uint64_t limit = 0, end = fields_blank(record, copy, &limit);

	if (!end || end > limit)
		return tally_error_at(err, -EOPNOTSUPP, "a record cannot be decoded",
				      record->offset);
	if (limit - end >= 8 && !is_zero(copy + end, limit - end))
		return tally_error_at(err, -EOPNOTSUPP,
				      "cannot redact records longer than their fields",
				      record->offset);
	memset(copy + end, 0, limit - end);
	return 0;
}

/* ---- features --------------------------------------------------------------------- */

/* Format strings for the features: "4" and "8" are numbers with that many bytes, "s" is a string,
 * "(...)" is repeated as many times as the preceding number specifies, "b" is a bitmap with as many
 * bits as the preceding number specifies, "c" and "d" are 8 and 4 bytes per CPU. The feature may
 * end at "?". */
static const char *const formats[TALLY_FEATURE_MAX] = {
	[TALLY_FEATURE_OSRELEASE] = "s",
	[TALLY_FEATURE_VERSION] = "s",
	[TALLY_FEATURE_ARCH] = "s",
	[TALLY_FEATURE_NRCPUS] = "44",
	[TALLY_FEATURE_CPUDESC] = "s",
	[TALLY_FEATURE_CPUID] = "s",
	[TALLY_FEATURE_TOTAL_MEM] = "8",
	[TALLY_FEATURE_CPU_TOPOLOGY] = "4(s)4(s)?c?4(s)d",
	[TALLY_FEATURE_NUMA_TOPOLOGY] = "4(488s)",
	[TALLY_FEATURE_PMU_MAPPINGS] = "4(4s)",
	[TALLY_FEATURE_GROUP_DESC] = "4(s44)",
	[TALLY_FEATURE_STAT] = "",
	[TALLY_FEATURE_CACHE] = "44(4444sss)",
	[TALLY_FEATURE_SAMPLE_TIME] = "88",
	[TALLY_FEATURE_MEM_TOPOLOGY] = "888(888b)",
	[TALLY_FEATURE_CLOCKID] = "8",
	[TALLY_FEATURE_CPU_PMU_CAPS] = "4(ss)",
	[TALLY_FEATURE_CLOCK_DATA] = "4488",
	[TALLY_FEATURE_HYBRID_TOPOLOGY] = "4(ss)",
	[TALLY_FEATURE_PMU_CAPS] = "4(4(ss)s)",
	[TALLY_FEATURE_E_MACHINE] = "44",
	[TALLY_FEATURE_CLN_SIZE] = "4",
};

struct feature_walk {
	uint8_t *bytes;
	uint64_t at, len, last; /* `last` is the most recent number */
	uint32_t nr_cpus;
	bool failed;
};

static uint8_t *feature_take(struct feature_walk *walk, uint64_t size)
{
	uint8_t *at = walk->bytes + walk->at;

	if (walk->failed || size > walk->len - walk->at) {
		walk->failed = true;
		return NULL;
	}
	walk->at += size;
	return at;
}

/* Zero a string's padding. The length before the string includes the padding. */
static void feature_text_blank(struct feature_walk *walk)
{
	const uint8_t *number = feature_take(walk, 4);
	uint64_t room = number ? tally_get_u32(number) : 0;
	uint8_t *text = feature_take(walk, room);
	size_t len = text ? strnlen((const char *)text, room) : 0;

	if (text)
		memset(text + len, 0, room - len);
}

/* Process one character of a format. */
static void feature_step(struct feature_walk *walk, char letter)
{
	const uint8_t *number;

	switch (letter) {
	case '4':
		number = feature_take(walk, 4);
		walk->last = number ? tally_get_u32(number) : 0;
		break;
	case '8':
		number = feature_take(walk, 8);
		walk->last = number ? tally_get_u64(number) : 0;
		break;
	case 's': feature_text_blank(walk); break;
	case 'b': (void)feature_take(walk, 8 * (walk->last / 64 + !!(walk->last % 64))); break;
	case 'c': (void)feature_take(walk, 8 * (uint64_t)walk->nr_cpus); break;
	case 'd': (void)feature_take(walk, 4 * (uint64_t)walk->nr_cpus); break;
	}
}

/* Process a format up to its end or the matching closing parenthesis. */
static void feature_walk(struct feature_walk *walk, const char *format)
{
	for (; *format && *format != ')'; format++) {
		if (*format == '(') {
			const char *inner = format + 1;
			int depth = 1;

			/* Each element consumes at least one byte, so if the count is bogus, the
			 * loop fails at the end of the data. */
			for (uint64_t left = walk->last; left && !walk->failed; left--)
				feature_walk(walk, inner);
			while (depth) {
				format++;
				depth += (*format == '(') - (*format == ')');
			}
		} else if (*format == '?' && walk->at == walk->len) {
			return;
		} else {
			feature_step(walk, *format);
		}
	}
}

int tally_redact_feature(uint32_t id, uint32_t nr_cpus, uint8_t *copy, uint64_t len,
			 uint64_t *ret_len)
{
	struct feature_walk walk = {.bytes = copy, .len = len, .nr_cpus = nr_cpus};

	if (id >= TALLY_FEATURE_MAX || !formats[id])
		return -EOPNOTSUPP;
	/* Empty lists and strings may have no content, not even a length. */
	if (len)
		feature_walk(&walk, formats[id]);
	if (walk.failed)
		return -EOPNOTSUPP;
	*ret_len = walk.at;
	return 0;
}
