/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read ring buffers; see "MMAP layout" in perf_event_open(2). The kernel writes data_head after the
 * records, so data_head is loaded with acquire semantics. data_tail is the limit up to which the
 * kernel may overwrite records, so data_tail is stored with release semantics after the records
 * have been used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tally/rings.h"
#include "tally/client.h"

enum { RECORD_MAX = 65536 };

struct tally_ring {
	const struct tally_transport *transport;
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size; /* data size, a power of two */
	uint64_t tail; /* end of returned records (overwrite ring: head at the last consume) */
	uint64_t seen; /* overwrite ring: head when data was last returned */
	size_t mapped;
	int fd;
	bool overwrite;
	uint8_t *scratch; /* RECORD_MAX bytes, allocated for the first record that wraps */
};

int tally_ring_map(const struct tally_transport *transport, int fd, size_t pages, bool overwrite,
		   struct tally_ring **ret_ring)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct tally_ring *ring = calloc(1, sizeof(*ring));
	void *memory = NULL;
	int ret;

	if (!ring)
		return -ENOMEM;
	ring->transport = transport;
	ring->fd = fd;
	ring->overwrite = overwrite;
	ring->mapped = (pages + 1) * page_size;
	ret = transport->mmap(transport, fd, ring->mapped, !overwrite, &memory);
	if (ret) {
		free(ring);
		return ret;
	}
	ring->page = memory;
	ring->data = (const uint8_t *)memory + page_size;
	ring->size = pages * page_size;
	*ret_ring = ring;
	return 0;
}

void tally_ring_unmap(struct tally_ring *ring)
{
	if (!ring)
		return;
	ring->transport->munmap(ring->transport, ring->page, ring->mapped);
	free(ring->scratch);
	free(ring);
}

int tally_ring_fd(const struct tally_ring *ring)
{
	return ring->fd;
}

/* The page's lock is odd, or changes, while the kernel writes the page. Stop trying after a while,
 * in case a program other than the kernel left it odd. */
bool tally_ring_clock(const struct tally_ring *ring, struct tally_ring_clock *ret_clock)
{
	enum { TRIES = 1000 };

	for (int i = 0; i < TRIES; i++) {
		uint32_t lock = __atomic_load_n(&ring->page->lock, __ATOMIC_ACQUIRE);
		struct perf_event_mmap_page page;

		memcpy(&page, ring->page, sizeof(page));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (lock & 1 || __atomic_load_n(&ring->page->lock, __ATOMIC_RELAXED) != lock)
			continue;
		if (page.cap_user_time_zero)
			*ret_clock = (struct tally_ring_clock){
				.shift = page.time_shift,
				.mult = page.time_mult,
				.zero = page.time_zero,
				.cycles = page.time_cycles,
				.mask = page.time_mask,
				.is_short = page.cap_user_time_short,
			};
		return page.cap_user_time_zero;
	}
	return false;
}

static uint64_t ring_head(const struct tally_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* Return the data between two positions, in one or two pieces. */
static struct tally_ring_data ring_pieces(const struct tally_ring *ring, uint64_t from, uint64_t to)
{
	uint64_t at = from & (ring->size - 1), len = to - from;
	uint64_t first = ring->size - at < len ? ring->size - at : len;

	return (struct tally_ring_data){
		.first = ring->data + at,
		.first_len = (size_t)first,
		.second = ring->data,
		.second_len = (size_t)(len - first),
	};
}

static uint16_t size_at(const struct tally_ring *ring, uint64_t position)
{
	struct perf_event_header header;

	/* Record sizes are multiples of 8, so a header never wraps. */
	memcpy(&header, ring->data + (position & (ring->size - 1)), sizeof(header));
	return header.size;
}

/* Return the new records in an overwrite ring. The kernel writes the ring downwards, so the new
 * records start at the head. They end at a record that was returned before, at a record that was
 * partly overwritten by the newest one, or at memory that was never written. */
static bool overwrite_data(struct tally_ring *ring, struct tally_ring_data *ret_data)
{
	uint64_t head = ring_head(ring), end = head;
	uint64_t left = ring->tail - head < ring->size ? ring->tail - head : ring->size;

	while (end - head < left) {
		uint16_t size = size_at(ring, end);

		if (size < sizeof(struct perf_event_header) || size > left - (end - head))
			break;
		end += size;
	}
	ring->seen = head;
	*ret_data = ring_pieces(ring, head, end);
	return end != head;
}

bool tally_ring_data(struct tally_ring *ring, struct tally_ring_data *ret_data)
{
	uint64_t head;

	if (ring->overwrite)
		return overwrite_data(ring, ret_data);
	head = ring_head(ring);
	if (head == ring->tail)
		return false;
	*ret_data = ring_pieces(ring, ring->tail, head);
	ring->tail = head;
	return true;
}

bool tally_ring_peek_data(const struct tally_ring *ring, uint64_t *position,
			  struct tally_ring_data *ret_data)
{
	uint64_t from = *position;

	*position = ring_head(ring);
	*ret_data = ring_pieces(ring, from, *position);
	return from != *position;
}

/* Return a record as one piece, copied to `scratch` if it wraps. */
static const struct perf_event_header *ring_join(struct tally_ring *ring, uint64_t at,
						 uint16_t size)
{
	struct tally_ring_data pieces = ring_pieces(ring, at, at + size);

	if (!pieces.second_len)
		return (const struct perf_event_header *)(const void *)pieces.first;
	if (!ring->scratch)
		ring->scratch = malloc(RECORD_MAX);
	if (!ring->scratch)
		return NULL;
	memcpy(ring->scratch, pieces.first, pieces.first_len);
	memcpy(ring->scratch + pieces.first_len, pieces.second, pieces.second_len);
	return (const struct perf_event_header *)(const void *)ring->scratch;
}

const struct perf_event_header *tally_ring_peek(struct tally_ring *ring)
{
	uint64_t head = ring_head(ring);
	uint16_t size;

	if (ring->overwrite || head - ring->tail < sizeof(struct perf_event_header))
		return NULL;
	size = size_at(ring, ring->tail);
	if (size < sizeof(struct perf_event_header) || size > head - ring->tail)
		return NULL;
	return ring_join(ring, ring->tail, size);
}

const struct perf_event_header *tally_ring_next(struct tally_ring *ring)
{
	const struct perf_event_header *record = tally_ring_peek(ring);

	if (record)
		ring->tail += record->size;
	return record;
}

void tally_ring_consume(struct tally_ring *ring)
{
	if (ring->overwrite)
		ring->tail = ring->seen;
	else
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
