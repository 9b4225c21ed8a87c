/* SPDX-License-Identifier: BSD-2-Clause */
/* An iterator over record fields, and a byte swapper, driven by record descriptions. */
#include "abi/abi_record.h"

#include "tally/errno.h"

#include "base/arith.h"

enum { BUILD_ID_FIELD = 24 }; /* size, 3 reserved bytes, 20 bytes of build ID */

void tally_record_walk(struct tally_record_cursor *cursor, const struct tally_record_desc *desc,
		       const void *record, size_t len, size_t trailer, uint64_t read_format)
{
	size_t header = sizeof(struct perf_event_header);

	*cursor = (struct tally_record_cursor){
		.desc = desc,
		.record = record,
		.at = TALLY_MIN(header, len),
		.end = len >= header + trailer ? len - trailer : TALLY_MIN(header, len),
		.read_format = read_format,
		.misc = len >= header ? tally_record_header(record).misc : 0,
	};
}

/* Return the length of a string, up to its NUL or the end of its field. */
static uint64_t string_length(const uint8_t *text, uint64_t room)
{
	uint64_t len = 0;

	/* Skip eight bytes at a time, until one of them is 0 (or, rarely, above 0x80). */
	while (room - len >= 8 &&
	       !((tally_get_u64(text + len) - 0x0101010101010101) & 0x8080808080808080))
		len += 8;
	while (len < room && text[len])
		len++;
	return len;
}

static size_t integer_size(uint8_t kind)
{
	switch (kind) {
	case TALLY_FIELD_U8: return 1;
	case TALLY_FIELD_U16: return 2;
	case TALLY_FIELD_U32:
	case TALLY_FIELD_S32: return 4;
	case TALLY_FIELD_U64: return 8;
	default: return 0;
	}
}

/* Return the size of a field in the record. `left` is the number of bytes left in the record. */
static uint64_t field_room(const struct tally_record_cursor *cursor,
			   const struct tally_record_field *field, uint64_t left)
{
	uint64_t nr = TALLY_MIN(cursor->last, UINT64_MAX / 16);

	switch (field->kind) {
	case TALLY_FIELD_STRING:
	case TALLY_FIELD_BYTES: return left;
	case TALLY_FIELD_STRING_N:
	case TALLY_FIELD_BYTES_N:
	case TALLY_FIELD_SKIP: return field->count;
	case TALLY_FIELD_WORDS: return 8 * nr;
	case TALLY_FIELD_LINKS: return 16 * nr;
	case TALLY_FIELD_BUILD_ID: return BUILD_ID_FIELD;
	default: return integer_size(field->kind);
	}
}

static void value_set(struct tally_record_value *value, const uint8_t *at, uint64_t room)
{
	value->bytes = (struct tally_bytes){at, room};
	switch (value->field->kind) {
	case TALLY_FIELD_U8: value->number = *at; break;
	case TALLY_FIELD_U16: value->number = tally_get_u16(at); break;
	case TALLY_FIELD_U32: value->number = tally_get_u32(at); break;
	case TALLY_FIELD_S32: value->number = (uint64_t)(int64_t)(int32_t)tally_get_u32(at); break;
	case TALLY_FIELD_U64: value->number = tally_get_u64(at); break;
	case TALLY_FIELD_STRING:
	case TALLY_FIELD_STRING_N: value->bytes.len = string_length(at, room); break;
	case TALLY_FIELD_BUILD_ID:
		value->bytes.data = at + 4;
		value->bytes.len = TALLY_MIN(*at, 20);
		break;
	}
}

static bool field_exists(const struct tally_record_cursor *cursor,
			 const struct tally_record_field *field)
{
	return (cursor->misc & field->misc_set) == field->misc_set &&
	       !(cursor->misc & field->misc_clear);
}

static int cursor_read(struct tally_record_cursor *cursor, const struct tally_record_field *field,
		       struct tally_record_value *ret_value, struct tally_error *err)
{
	const uint8_t *at = cursor->record + cursor->at;
	uint64_t left = cursor->end - cursor->at, room;
	struct tally_record_value value = {.field = field};

	if (field->kind == TALLY_FIELD_READ) {
		size_t used;
		int ret = tally_read_decode(at, left, cursor->read_format, &value.read, &used, err);

		if (ret)
			return ret;
		room = used;
	} else {
		room = field_room(cursor, field, left);
		if (room > left)
			return tally_error_at(err, -EINVAL, "record is too short for its fields",
					      cursor->at);
		value_set(&value, at, room);
	}
	cursor->at += room;
	cursor->last = value.number;
	*ret_value = value;
	return 1;
}

int tally_record_next(struct tally_record_cursor *cursor, struct tally_record_value *ret_value,
		      struct tally_error *err)
{
	while (cursor->next < cursor->desc->nr_fields) {
		const struct tally_record_field *field = &cursor->desc->fields[cursor->next++];

		/* Records from older writers may be shorter, but a truncated field is an error. */
		if (cursor->at == cursor->end && integer_size(field->kind))
			return 0;
		if (field_exists(cursor, field))
			return cursor_read(cursor, field, ret_value, err);
	}
	return 0;
}

static void swap_integers(uint8_t *at, size_t size, uint64_t nr)
{
	for (; nr--; at += size) {
		switch (size) {
		case 2: tally_swap_u16(at); break;
		case 4: tally_swap_u32(at); break;
		case 8: tally_swap_u64(at); break;
		}
	}
}

/* Return the value of a length field, which applies to the array after it. */
static uint64_t swapped_number(const uint8_t *at, size_t size, bool swap)
{
	switch (size) {
	case 2: return tally_load_u16(at, swap);
	case 4: return tally_load_u32(at, swap);
	case 8: return tally_load_u64(at, swap);
	default: return 0;
	}
}

static uint64_t read_words(const struct tally_record_cursor *cursor, const uint8_t *at,
			   uint64_t left, bool swap)
{
	uint64_t nr = 1;

	if (cursor->read_format & PERF_FORMAT_GROUP)
		nr = left >= 8 ? TALLY_MIN(tally_load_u64(at, swap), UINT16_MAX) : 0;
	return tally_read_size(cursor->read_format, nr) / 8;
}

int tally_record_swap(const struct tally_record_desc *desc, void *record, size_t len,
		      size_t trailer, uint64_t read_format, bool from_host, struct tally_error *err)
{
	struct tally_record_cursor cursor;

	tally_record_walk(&cursor, desc, record, len, trailer, read_format);
	for (; cursor.next < desc->nr_fields; cursor.next++) {
		const struct tally_record_field *field = &desc->fields[cursor.next];
		uint8_t *at = (uint8_t *)record + cursor.at;
		uint64_t left = cursor.end - cursor.at, words = 0, room;
		size_t size = integer_size(field->kind);

		if (!left && size)
			break;
		if (!field_exists(&cursor, field))
			continue;
		if (field->kind == TALLY_FIELD_READ)
			words = read_words(&cursor, at, left, !from_host);
		room = words ? 8 * words : field_room(&cursor, field, left);
		if (room > left)
			return tally_error_at(err, -EINVAL, "record is too short for its fields",
					      cursor.at);
		if (field->kind == TALLY_FIELD_WORDS || field->kind == TALLY_FIELD_LINKS)
			words = room / 8;
		cursor.last = swapped_number(at, size, !from_host);
		swap_integers(at, words ? 8 : size, words ? words : 1);
		cursor.at += room;
	}
	return 0;
}

/* ---- commonly used records ---------------------------------------------- */

static bool text_ends(const void *record, size_t len, size_t at)
{
	return at < len && string_length((const uint8_t *)record + at, len - at) < len - at;
}

int tally_record_mmap(const void *record, size_t len, struct tally_mmap *ret_mmap)
{
	const uint8_t *at = record;
	bool is_mmap2 = len >= 8 && tally_record_header(record).type == PERF_RECORD_MMAP2;
	size_t filename = is_mmap2 ? 72 : 40;
	struct tally_mmap mmap = {0};
	uint16_t misc;

	if (!text_ends(record, len, filename))
		return -EINVAL;
	misc = tally_record_header(record).misc;
	mmap.pid = (int32_t)tally_get_u32(at + 8);
	mmap.tid = (int32_t)tally_get_u32(at + 12);
	mmap.start = tally_get_u64(at + 16);
	mmap.len = tally_get_u64(at + 24);
	mmap.pgoff = tally_get_u64(at + 32);
	mmap.is_data = misc & PERF_RECORD_MISC_MMAP_DATA;
	mmap.prot = mmap.is_data ? 0 : 4;
	mmap.filename = (const char *)at + filename;
	if (is_mmap2 && misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		mmap.build_id_size = TALLY_MIN(at[40], sizeof(mmap.build_id));
		__builtin_memcpy(mmap.build_id, at + 44, sizeof(mmap.build_id));
	} else if (is_mmap2) {
		mmap.maj = tally_get_u32(at + 40);
		mmap.min = tally_get_u32(at + 44);
		mmap.ino = tally_get_u64(at + 48);
		mmap.ino_generation = tally_get_u64(at + 56);
	}
	if (is_mmap2) {
		mmap.prot = tally_get_u32(at + 64);
		mmap.flags = tally_get_u32(at + 68);
	}
	*ret_mmap = mmap;
	return 0;
}

int tally_record_comm(const void *record, size_t len, struct tally_comm *ret_comm)
{
	const uint8_t *at = record;

	if (!text_ends(record, len, 16))
		return -EINVAL;
	*ret_comm = (struct tally_comm){
		.pid = (int32_t)tally_get_u32(at + 8),
		.tid = (int32_t)tally_get_u32(at + 12),
		.exec = tally_record_header(record).misc & PERF_RECORD_MISC_COMM_EXEC,
		.comm = (const char *)at + 16,
	};
	return 0;
}

int tally_record_callers_deferred(const void *record, size_t len, size_t trailer,
				  struct tally_callers_deferred *ret_deferred)
{
	enum { COOKIE = 8, NR = 16, CALLERS = 24 };
	const uint8_t *at = record;
	uint64_t nr;

	if (len < CALLERS || len - CALLERS < trailer)
		return -EINVAL;
	nr = tally_get_u64(at + NR);
	if (nr > (len - CALLERS - trailer) / 8)
		return -EINVAL;
	*ret_deferred = (struct tally_callers_deferred){
		.cookie = tally_get_u64(at + COOKIE),
		.callers = {at + CALLERS, nr},
	};
	return 0;
}

int tally_record_task(const void *record, size_t len, struct tally_task *ret_task)
{
	const uint8_t *at = record;

	if (len < 32)
		return -EINVAL;
	*ret_task = (struct tally_task){
		.pid = (int32_t)tally_get_u32(at + 8),
		.ppid = (int32_t)tally_get_u32(at + 12),
		.tid = (int32_t)tally_get_u32(at + 16),
		.ptid = (int32_t)tally_get_u32(at + 20),
		.time = tally_get_u64(at + 24),
	};
	return 0;
}
