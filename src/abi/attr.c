/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/attr.h"

#include "tally/errno.h"

#include "base/arith.h"
#include "base/endian.h"

enum { ATTR_BITS_OFFSET = 40 };

_Static_assert(sizeof(struct perf_event_attr) == PERF_ATTR_SIZE_VER10, "newest attr known");
_Static_assert(offsetof(struct perf_event_attr, wakeup_events) == ATTR_BITS_OFFSET + 8, "bits");

/* Byte order conversion for each part of the attr. */
struct attr_piece {
	uint16_t offset, count; /* count: bytes of bit fields to mirror, else 1 */
	uint8_t size;           /* size of the integer to swap, or 0 to mirror bits */
};

static const struct attr_piece attr_pieces[] = {
	{0, 1, 4},   {4, 1, 4},   {8, 1, 8},   {16, 1, 8},  {24, 1, 8},  {32, 1, 8},  {40, 8, 0},
	{48, 1, 4},  {52, 1, 4},  {56, 1, 8},  {64, 1, 8},  {72, 1, 8},  {80, 1, 8},  {88, 1, 4},
	{92, 1, 4},  {96, 1, 8},  {104, 1, 4}, {108, 1, 2}, {110, 1, 2}, {112, 1, 4}, {116, 4, 0},
	{120, 1, 8}, {128, 1, 8}, {136, 1, 8}, {144, 1, 2}, {146, 1, 2}, {148, 1, 2}, {150, 1, 2},
	{152, 1, 4}, {156, 1, 4}, {160, 1, 8}, {168, 1, 8},
};

/* Swap the two bits of precise_ip. Mirroring the bits of each byte moves single-bit fields to the
 * correct position, but reverses a two-bit field, because its upper bit comes first in the other
 * byte order. precise_ip is the only two-bit field: the last bit of one byte and the first bit of
 * the next. `bits` are in host order. */
static void swap_precise_ip(uint8_t *bits)
{
	const uint8_t last = TALLY_HOST_BIG_ENDIAN ? 0x01 : 0x80;
	const uint8_t first = TALLY_HOST_BIG_ENDIAN ? 0x80 : 0x01;

	if (!(bits[1] & last) != !(bits[2] & first)) {
		bits[1] ^= last;
		bits[2] ^= first;
	}
}

static void attr_swap_piece(const struct attr_piece *piece, uint8_t *at)
{
	switch (piece->size) {
	case 0:
		for (int i = 0; i < piece->count; i++)
			at[i] = tally_mirror_u8(at[i]);
		break;
	case 2: tally_swap_u16(at); break;
	case 4: tally_swap_u32(at); break;
	case 8: tally_swap_u64(at); break;
	}
}

/* Swap the pieces that are entirely within the first `len` bytes. */
static void attr_swap(uint8_t *attr, size_t len, bool from_host)
{
	if (from_host)
		swap_precise_ip(attr + ATTR_BITS_OFFSET);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(attr_pieces); i++) {
		const struct attr_piece *piece = &attr_pieces[i];
		size_t size = piece->size ? piece->size : piece->count;

		if (piece->offset + size <= len)
			attr_swap_piece(piece, attr + piece->offset);
	}
	if (!from_host)
		swap_precise_ip(attr + ATTR_BITS_OFFSET);
}

bool tally_attr_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool tally_attr_is_bpf_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

bool tally_attr_walks_user(const struct perf_event_attr *attr)
{
	bool has_calls = attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
			 attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;

	return attr->sample_type & PERF_SAMPLE_CALLCHAIN && !attr->exclude_callchain_user &&
	       !(attr->sample_type & PERF_SAMPLE_STACK_USER) && !has_calls;
}

int tally_attr_decode(const void *bytes, size_t len, bool swap, struct perf_event_attr *ret_attr,
		      struct tally_error *err)
{
	struct perf_event_attr attr = {0};
	uint32_t size;

	if (len < PERF_ATTR_SIZE_VER0)
		return tally_error_at(err, -EINVAL, "attr shorter than 64 bytes", len);
	size = tally_load_u32((const uint8_t *)bytes + 4, swap);
	if (size && size < PERF_ATTR_SIZE_VER0)
		return tally_error_at(err, -EINVAL, "attr.size is less than 64", 4);
	if (size > len)
		return tally_error_at(err, -EINVAL, "attr.size exceeds the available bytes", 4);
	len = TALLY_MIN(size ? size : PERF_ATTR_SIZE_VER0, sizeof(attr));
	__builtin_memcpy(&attr, bytes, len);
	if (swap)
		attr_swap((uint8_t *)&attr, len, false);
	attr.size = size;
	*ret_attr = attr;
	return 0;
}

void tally_attr_encode(const struct perf_event_attr *attr, uint32_t size, bool swap, void *out)
{
	struct perf_event_attr copy = *attr;

	copy.size = size;
	if (swap)
		attr_swap((uint8_t *)&copy, sizeof(copy), true);
	__builtin_memcpy(out, &copy, TALLY_MIN(size, sizeof(copy)));
}
