/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classic ring buffer. Records are taken from a current ring, translated, and appended to a
 * ring that has a 32-bit head and no tail. A copy of the head is kept outside the page, because the
 * program that maps the page may overwrite the head.
 */
#include "abi/abi_record.h"
#include "base/arith.h"
#include "tally/abi.h"
#include "tally/classic.h"
#include "tally/errno.h"

enum { RECORD_MAX = 65536, HEADER = sizeof(struct perf_event_header) };

/* ---- positions in the current ring ---------------------------------------------------------- */

/* Positions have 64 bits. A 32-bit processor reads and writes only their lower half, in one access;
 * this is enough, because rings are smaller than 4 GiB. */
typedef size_t __attribute__((may_alias)) position_word;

enum { LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && sizeof(size_t) == 4 };

/* Return the number of bytes written but not yet taken. */
static size_t bytes_left(const struct tally_classic_ring *ring)
{
	const position_word *head = (const position_word *)&ring->from->data_head;

	return __atomic_load_n(head + LOW_WORD, __ATOMIC_ACQUIRE) - (size_t)ring->tail;
}

static void tail_move(struct tally_classic_ring *ring, size_t len)
{
	position_word *tail = (position_word *)&ring->from->data_tail;

	ring->tail += len;
	if (sizeof(size_t) < sizeof(ring->tail))
		tail[!LOW_WORD] = (size_t)(ring->tail >> 32);
	__atomic_store_n(tail + LOW_WORD, (size_t)ring->tail, __ATOMIC_RELEASE);
}

/* ---- the two rings --------------------------------------------------------------------------- */

/* Copy the fields common to both page layouts. `index` is always 0, because a copy cannot be used
 * to read the counter. */
static void page_copy_fields(const struct perf_event_mmap_page *page,
			     struct tally_classic_page *classic)
{
	classic->version = page->version;
	classic->compat_version = page->compat_version;
	classic->lock = page->lock;
	classic->index = 0;
	classic->offset = page->offset;
}

static bool is_ring_size(size_t size)
{
	return size >= HEADER && size <= 1u << 31 && !(size & (size - 1));
}

int tally_classic_ring_init(struct tally_classic_ring *ring)
{
	if (!is_ring_size(ring->size) || !is_ring_size(ring->from_size))
		return -EINVAL;
	ring->tail = ring->from->data_tail;
	ring->head = ring->oldest = 0;
	ring->records = ring->overwritten = ring->lost = 0;
	page_copy_fields(ring->from, ring->to);
	ring->to->data_head = 0;
	return 0;
}

/* Copy `len` bytes out of a ring's data, which may wrap. */
static void ring_take(const uint8_t *data, size_t size, uint64_t at, uint8_t *to, size_t len)
{
	size_t start = (size_t)(at & (size - 1)), first = TALLY_MIN(len, size - start);

	__builtin_memcpy(to, data + start, first);
	__builtin_memcpy(to + first, data, len - first);
}

/* Copy `len` bytes into a ring's data, which may wrap. */
static void ring_put(uint8_t *data, size_t size, uint64_t at, const uint8_t *from, size_t len)
{
	size_t start = (size_t)(at & (size - 1)), first = TALLY_MIN(len, size - start);

	__builtin_memcpy(data + start, from, first);
	__builtin_memcpy(data, from + first, len - first);
}

/* Copy the next current record to the scratch buffer. Return its size, or 0 if there is no record.
 * If the record is invalid, skip it and everything after it. */
static size_t record_take(struct tally_classic_ring *ring)
{
	const uint8_t *data = (const uint8_t *)ring->from + ring->page_size;
	size_t left = bytes_left(ring);
	struct perf_event_header header;

	if (left < HEADER)
		return 0;
	ring_take(data, ring->from_size, ring->tail, (uint8_t *)&header, HEADER);
	if (left > ring->from_size || header.size < HEADER || header.size > left) {
		ring->lost++;
		tail_move(ring, left);
		return 0;
	}
	ring_take(data, ring->from_size, ring->tail, ring->scratch, header.size);
	/* Use the header that was checked: the one in the ring may have changed in the meantime. */
	__builtin_memcpy(ring->scratch, &header, HEADER);
	return header.size;
}

/* Advance `oldest` past the records that the next `len` bytes will overwrite. If a record is
 * invalid because the program that maps the ring has overwritten it, drop all records. */
static void drop_overwritten(struct tally_classic_ring *ring, size_t len)
{
	const uint8_t *data = (const uint8_t *)ring->to + ring->page_size;

	while (ring->head - ring->oldest + len > ring->size) {
		uint32_t left = ring->head - ring->oldest;
		struct perf_event_header header;

		ring_take(data, ring->size, ring->oldest, (uint8_t *)&header, HEADER);
		if (header.size < HEADER || header.size % 8 || header.size > left) {
			ring->oldest = ring->head;
			ring->overwritten = ring->records;
			return;
		}
		ring->oldest += header.size;
		ring->overwritten++;
	}
}

static void record_append(struct tally_classic_ring *ring, const uint8_t *record, size_t len)
{
	drop_overwritten(ring, len);
	ring_put((uint8_t *)ring->to + ring->page_size, ring->size, ring->head, record, len);
	ring->head += (uint32_t)len;
	ring->records++;
	__atomic_store_n(&ring->to->data_head, ring->head, __ATOMIC_RELEASE);
}

/* Return the `lost` field of a LOST record, or 0 if the record is too short. */
static uint64_t records_lost(const uint8_t *record, size_t len)
{
	return len >= HEADER + 16 ? tally_get_u64(record + HEADER + 8) : 0;
}

/* Translate the record of `len` bytes in the scratch buffer. Return true if a record was
 * appended. */
static bool record_translate(struct tally_classic_ring *ring, size_t len)
{
	uint8_t *out = ring->scratch + RECORD_MAX;
	int64_t wrote =
		tally_classic_record(&ring->attr, ring->scratch, len, ring->config_of,
				     ring->config_arg, out, TALLY_CLASSIC_SCRATCH - RECORD_MAX);

	if (tally_record_header(ring->scratch).type == PERF_RECORD_LOST)
		ring->lost += records_lost(ring->scratch, len);
	if (wrote < 0 || (uint64_t)wrote > ring->size)
		ring->lost++;
	else if (wrote)
		record_append(ring, out, (size_t)wrote);
	return wrote > 0 && (uint64_t)wrote <= ring->size;
}

bool tally_classic_ring_step(struct tally_classic_ring *ring)
{
	bool appended = false;
	size_t len;

	while (!appended && (len = record_take(ring))) {
		appended = record_translate(ring, len);
		tail_move(ring, len);
	}
	return appended;
}

void tally_classic_ring_update(struct tally_classic_ring *ring)
{
	while (tally_classic_ring_step(ring))
		;
	page_copy_fields(ring->from, ring->to);
}
