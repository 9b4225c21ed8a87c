/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes the byte order of whole records. Most records are swapped according to their
 * descriptions; some of perf.data's own record types have functions of their own here. */
#include "perfdata/swap.h"

#include <errno.h>
#include <string.h>

#include "abi/attr.h"
#include "abi/abi_record.h"
#include "base/arith.h"
#include "tally/perfdata.h"

enum { HEADER = sizeof(struct perf_event_header) };

/* Record types that cannot be swapped using only their description. */
struct user_swap {
	uint32_t type;
	int (*swap)(uint8_t *record, size_t len, bool from_host);
};

/* Swap an attr, which contains bit fields. Its IDs follow at the offset given by its size field. */
static int swap_attr(uint8_t *record, size_t len, bool from_host)
{
	struct perf_event_attr attr;
	uint32_t size;
	int ret;

	if (len < HEADER + PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	size = tally_load_u32(record + HEADER + 4, !from_host);
	size = size ? size : PERF_ATTR_SIZE_VER0;
	if (size > len - HEADER)
		return -EINVAL;
	ret = tally_attr_decode(record + HEADER, len - HEADER, !from_host, &attr, NULL);
	if (ret)
		return ret;
	tally_attr_encode(&attr, TALLY_MIN(size, sizeof(attr)), from_host, record + HEADER);
	tally_put_u32(record + HEADER + 4, from_host ? __builtin_bswap32(size) : size);
	tally_swap_u64s(record + HEADER + size, (len - HEADER - size) / 8);
	return 0;
}

/* Swap a CPU map. The type in its first field determines its layout. */
static int swap_cpus(uint8_t *map, size_t len, bool from_host)
{
	uint16_t type, nr;

	if (len < 4)
		return -EINVAL;
	type = tally_load_u16(map, !from_host);
	nr = tally_load_u16(map + 2, !from_host);
	tally_swap_u16(map);
	if (type == 2) { /* range: u8 any CPU, u8 padding, u16 first, u16 last */
		for (size_t at = 4; at + 2 <= TALLY_MIN(len, 8); at += 2)
			tally_swap_u16(map + at);
		return 0;
	}
	tally_swap_u16(map + 2);
	if (type == 0) { /* list of u16 CPU numbers */
		for (size_t i = 0; i < nr && 6 + 2 * i <= len; i++)
			tally_swap_u16(map + 4 + 2 * i);
	} else if (type == 1 && len >= 6) { /* mask: u16 bytes per long, then aligned longs */
		uint16_t size = tally_load_u16(map + 4, !from_host);

		tally_swap_u16(map + 4);
		for (size_t i = 0; size == 8 && i < nr && 16 + 8 * i <= len; i++)
			tally_swap_u64(map + 8 + 8 * i);
		for (size_t i = 0; size == 4 && i < nr && 12 + 4 * i <= len; i++)
			tally_swap_u32(map + 8 + 4 * i);
	}
	return 0;
}

static int swap_cpu_map(uint8_t *record, size_t len, bool from_host)
{
	return swap_cpus(record + HEADER, len - HEADER, from_host);
}

static int swap_event_update(uint8_t *record, size_t len, bool from_host)
{
	uint64_t type;

	if (len < 24)
		return -EINVAL;
	type = tally_load_u64(record + 8, !from_host);
	tally_swap_u64s(record + 8, 2);
	if (type == TALLY_PERFDATA_UPDATE_SCALE && len >= 32)
		tally_swap_u64(record + 24);
	if (type == TALLY_PERFDATA_UPDATE_CPUS)
		return swap_cpus(record + 24, len - 24, from_host);
	return 0;
}

/* Swap the first three words, and the two words that were added in newer records. The remaining
 * fields are single bytes. */
static int swap_time_conv(uint8_t *record, size_t len, bool from_host)
{
	tally_swap_u64s(record + HEADER, TALLY_MIN((len - HEADER) / 8, 5));
	return 0;
}

static int swap_auxtrace_error(uint8_t *record, size_t len, bool from_host)
{
	uint32_t fmt;

	if (len < 40)
		return -EINVAL;
	fmt = tally_load_u32(record + 28, !from_host);
	for (size_t at = HEADER; at < 32; at += 4)
		tally_swap_u32(record + at);
	tally_swap_u64(record + 32);
	if (fmt && len >= 48)
		tally_swap_u64(record + 40);
	for (size_t at = 112; fmt > 1 && at + 4 <= TALLY_MIN(len, 120); at += 4)
		tally_swap_u32(record + at);
	return 0;
}

static const struct user_swap user_swaps[] = {
	{TALLY_PERFDATA_HEADER_ATTR, swap_attr},
	{TALLY_PERFDATA_AUXTRACE_ERROR, swap_auxtrace_error},
	{TALLY_PERFDATA_CPU_MAP, swap_cpu_map},
	{TALLY_PERFDATA_EVENT_UPDATE, swap_event_update},
	{TALLY_PERFDATA_TIME_CONV, swap_time_conv},
};

static size_t field_size(const struct tally_record_field *field)
{
	return field->kind == TALLY_FIELD_U64 ? 8 : field->count;
}

/* Swap an array. All arrays begin at byte 16 and contain only u64 values and text. */
static void swap_array(const struct tally_perfdata_array *array, uint8_t *record, size_t len)
{
	for (size_t at = 16; at + array->stride <= len; at += array->stride) {
		uint8_t *field = record + at;

		for (size_t i = 0; i < array->nr_fields; i++) {
			if (array->fields[i].kind == TALLY_FIELD_U64)
				tally_swap_u64(field);
			field += field_size(&array->fields[i]);
		}
	}
}

static int swap_user(uint32_t type, uint8_t *record, size_t len, bool from_host,
		     struct tally_error *err)
{
	const struct tally_record_desc *desc = tally_perfdata_describe(type);
	const struct tally_perfdata_array *array = tally_perfdata_array(type);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(user_swaps); i++) {
		if (user_swaps[i].type == type)
			return user_swaps[i].swap(record, len, from_host)
				       ? tally_error_at(err, -EINVAL, "record too short", 0)
				       : 0;
	}
	if (array)
		swap_array(array, record, len);
	return desc ? tally_record_swap(desc, record, len, 0, 0, from_host, err) : 0;
}

int tally_perfdata_swap_body(const struct tally_sample_layout *layout, void *record, size_t len,
			     bool from_host, struct tally_error *err)
{
	uint32_t type = tally_record_header(record).type;
	const struct tally_record_desc *desc = tally_perfdata_describe(type);
	size_t trailer;
	int ret = 0;

	if (tally_record_is_user(type))
		return swap_user(type, record, len, from_host, err);
	if (!layout)
		return tally_error_at(err, -EINVAL, "record without an attr", 0);
	if (type == PERF_RECORD_SAMPLE)
		return tally_sample_swap(layout, record, len, from_host, err);
	trailer = tally_trailer_size(layout);
	if (desc)
		ret = tally_record_swap(desc, record, len, trailer, layout->read_format, from_host,
					err);
	tally_trailer_swap(layout, record, len);
	return ret;
}
