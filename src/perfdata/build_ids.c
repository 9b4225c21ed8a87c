/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build IDs. Each entry is laid out like a record: header, s32 pid, 24 bytes, file name. In the
 * BUILD_ID feature, the entries follow one another; in a stream, each entry is a BUILD_ID record.
 * An entry's type field is meaningless.
 */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/reader.h"
#include "perfdata/reader_features.h"

enum { AT_PID = 8, AT_BYTES = 12, AT_SIZE = 32, AT_NAME = 36, BUILD_ID_MAX = 20 };

/* If the misc bit for the size is set, the size follows the bytes. Otherwise trailing zero bytes
 * are removed in groups of four, because shorter build IDs were zero-padded. */
static uint8_t build_id_size(const uint8_t *record, uint16_t misc)
{
	uint8_t size = BUILD_ID_MAX;

	if (misc & PERF_RECORD_MISC_BUILD_ID_SIZE)
		return TALLY_MIN(record[AT_SIZE], BUILD_ID_MAX);
	while (size && !tally_get_u32(record + AT_BYTES + size - 4))
		size -= 4;
	return size;
}

int tally_build_ids_add(struct tally_perfdata *data, const uint8_t *record, size_t len)
{
	bool swap = data->info.is_foreign;
	struct tally_perfdata_build_id *entry;
	const char *name;

	if (len < AT_NAME)
		return 0;
	entry = tally_arena_alloc(&data->texts, sizeof(*entry));
	name = tally_arena_strndup(&data->texts, (const char *)record + AT_NAME,
				   strnlen((const char *)record + AT_NAME, len - AT_NAME));
	if (!entry || !name)
		return -ENOMEM;
	*entry = (struct tally_perfdata_build_id){
		.pid = (int32_t)tally_load_u32(record + AT_PID, swap),
		.misc = tally_load_u16(record + 4, swap),
		.filename = name,
	};
	entry->size = build_id_size(record, entry->misc);
	memcpy(entry->bytes, record + AT_BYTES, entry->size);
	return tally_vec_push(&data->build_ids, entry);
}

int tally_build_ids_read(struct tally_perfdata *data, uint64_t offset,
			 struct tally_perfdata_slice bytes)
{
	uint64_t at = 0;
	int ret = 0;

	while (!ret && bytes.len - at >= AT_NAME) {
		uint16_t size = tally_load_u16(bytes.data + at + 6, data->info.is_foreign);

		if (size < AT_NAME || size > bytes.len - at)
			break;
		ret = tally_build_ids_add(data, bytes.data + at, size);
		at += size;
	}
	if (!ret && at < bytes.len)
		tally_reader_add_note(data, (struct tally_perfdata_note){
						    .kind = TALLY_NOTE_BAD_FEATURE,
						    .what = TALLY_FEATURE_BUILD_ID,
						    .offset = offset + at,
						    .bytes = bytes.len - at,
						    .text = "cannot parse the build-id table"});
	return ret;
}

const struct tally_perfdata_build_id *tally_perfdata_build_id(const struct tally_perfdata *data,
							      size_t i)
{
	return i < data->build_ids.len ? data->build_ids.data[i] : NULL;
}
