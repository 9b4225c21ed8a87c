/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of an attr, and its negotiation between programs and kernels of different versions. */
#include "abi/attr.h"
#include "base/arith.h"
#include "base/endian.h"
#include "tally/errno.h"

/* The largest attr.size that Linux accepts (one page). */
enum { ATTR_SIZE_LIMIT = 4096 };

static bool all_zero(const uint8_t *bytes, size_t len)
{
	uint8_t any = 0;

	while (len--)
		any |= *bytes++;
	return !any;
}

int tally_attr_negotiate(const void *bytes, uint32_t limit, struct perf_event_attr *ret_attr,
			 uint32_t *ret_size)
{
	struct perf_event_attr attr = {0};
	uint32_t size = tally_get_u32((const uint8_t *)bytes + 4);

	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > ATTR_SIZE_LIMIT)
		goto refuse;
	if (size > limit && !all_zero((const uint8_t *)bytes + limit, size - limit))
		goto refuse;
	__builtin_memcpy(&attr, bytes, TALLY_MIN(TALLY_MIN(size, limit), sizeof(attr)));
	attr.size = size;
	*ret_attr = attr;
	return 0;
refuse:
	*ret_size = limit;
	return -E2BIG;
}

uint32_t tally_attr_min_size(const struct perf_event_attr *attr)
{
	static const uint32_t sizes[] = {
		PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1, PERF_ATTR_SIZE_VER2,  PERF_ATTR_SIZE_VER3,
		PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER6,  PERF_ATTR_SIZE_VER7,
		PERF_ATTR_SIZE_VER8, PERF_ATTR_SIZE_VER9, PERF_ATTR_SIZE_VER10,
	};
	size_t i = 0;

	while (!all_zero((const uint8_t *)attr + sizes[i], sizeof(*attr) - sizes[i]))
		i++;
	return sizes[i];
}
