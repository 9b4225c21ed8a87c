/* SPDX-License-Identifier: BSD-2-Clause */
/* The page and ring buffer of the design document (docs/classic.md), filled from their current
 * counterparts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "tally/abi.h"
#include "tally/classic.h"

#include <cmocka.h>

enum { RING_PAGE = 2048, RING_SIZE = 64 };

/* A current ring and a classic ring, for an event with comm records and instruction pointers. */
struct rings {
	_Alignas(8) uint8_t from[RING_PAGE + RING_SIZE], to[RING_PAGE + RING_SIZE];
	uint8_t scratch[TALLY_CLASSIC_SCRATCH];
	struct tally_classic_ring ring;
};

static struct tally_classic_ring *rings_init(struct rings *rings)
{
	memset(rings, 0, sizeof(*rings));
	rings->ring = (struct tally_classic_ring){
		.attr = {.irq_period = 1, .record_type = TALLY_CLASSIC_RECORD_IP, .comm = 1},
		.from = (struct perf_event_mmap_page *)(void *)rings->from,
		.to = (struct tally_classic_page *)(void *)rings->to,
		.page_size = RING_PAGE,
		.from_size = RING_SIZE,
		.size = RING_SIZE,
		.scratch = rings->scratch};
	assert_int_equal(tally_classic_ring_init(&rings->ring), 0);
	return &rings->ring;
}

/* Write a record as the kernel does. */
static void rings_write(struct rings *rings, uint32_t type, const void *body, size_t len)
{
	struct perf_event_mmap_page *page = rings->ring.from;
	const uint8_t *bytes = body;
	uint8_t record[RING_SIZE];

	tally_put_u32(record, type);
	tally_put_u16(record + 4, PERF_RECORD_MISC_USER);
	tally_put_u16(record + 6, (uint16_t)(8 + len));
	memcpy(record + 8, bytes, len);
	for (size_t i = 0; i < 8 + len; i++)
		rings->from[RING_PAGE + ((page->data_head + i) & (RING_SIZE - 1))] = record[i];
	page->data_head += 8 + len;
}

/* Return the u64 at offset `at` in the classic data. */
static uint64_t rings_word(const struct rings *rings, uint32_t at)
{
	return tally_get_u64(rings->to + RING_PAGE + (at & (RING_SIZE - 1)));
}

static void ring_has_each_record_translated(void **state)
{
	static struct rings rings;
	struct tally_classic_ring *ring = rings_init(&rings);

	for (uint64_t ip = 1; ip <= 100; ip++) {
		rings_write(&rings, PERF_RECORD_SAMPLE, &ip, sizeof(ip));
		tally_classic_ring_update(ring);
		assert_int_equal(ring->to->data_head, 16 * ip);
		assert_int_equal(ring->from->data_tail, 16 * ip);
		assert_int_equal(ring->records, ip);
		assert_int_equal((uint32_t)rings_word(&rings, 16 * (uint32_t)ip - 16),
				 TALLY_CLASSIC_RECORD_IP);
		assert_int_equal(rings_word(&rings, 16 * (uint32_t)ip - 8), ip);
	}
}

static void ring_wraps_at_its_end_and_head_at_2_32(void **state)
{
	static struct rings rings;
	struct tally_classic_ring *ring = rings_init(&rings);
	uint64_t ip = 0x1234;

	ring->head = UINT32_MAX - 7;
	rings_write(&rings, PERF_RECORD_SAMPLE, &ip, sizeof(ip));
	assert_true(tally_classic_ring_step(ring));
	assert_int_equal(ring->to->data_head, 8);
	assert_int_equal((uint32_t)rings_word(&rings, UINT32_MAX - 7), TALLY_CLASSIC_RECORD_IP);
	assert_int_equal(rings_word(&rings, 0), ip);
}

static void records_without_a_counterpart_are_skipped(void **state)
{
	static struct rings rings;
	struct tally_classic_ring *ring = rings_init(&rings);
	uint64_t ip = 7, lost[] = {1, 30}, other[] = {0, 0};

	rings_write(&rings, PERF_RECORD_FORK, other, sizeof(other));
	rings_write(&rings, PERF_RECORD_LOST, lost, sizeof(lost));
	rings_write(&rings, PERF_RECORD_SAMPLE, &ip, sizeof(ip));
	assert_true(tally_classic_ring_step(ring));
	assert_int_equal(rings_word(&rings, 8), ip);
	assert_int_equal(ring->lost, 30);
	assert_false(tally_classic_ring_step(ring));
	assert_int_equal(ring->from->data_tail, ring->from->data_head);
}

/* Invalid page contents cannot make the translator access other memory. */
static void damaged_rings_lose_records_and_nothing_else(void **state)
{
	static const uint16_t sizes[] = {0, 7, 65, 0xffff};
	static struct rings rings;
	uint64_t ip = 7;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(sizes); i++) {
		struct tally_classic_ring *ring = rings_init(&rings);

		rings_write(&rings, PERF_RECORD_SAMPLE, &ip, sizeof(ip));
		tally_put_u16(rings.from + RING_PAGE + 6, sizes[i]);
		ring->to->data_head = 0x777;
		assert_false(tally_classic_ring_step(ring));
		assert_int_equal(ring->lost, 1);
		ring->from->data_head += 1ull << 40;
		assert_false(tally_classic_ring_step(ring));
		assert_int_equal(ring->lost, 2);
		rings_write(&rings, PERF_RECORD_SAMPLE, &ip, sizeof(ip));
		assert_true(tally_classic_ring_step(ring));
		assert_int_equal(ring->to->data_head, 16);
	}
}

/* Overwritten records are counted, and the offset of the oldest complete record is known. */
static void oldest_record_is_known(void **state)
{
	static struct rings rings;
	struct tally_classic_ring *ring = rings_init(&rings);

	for (uint64_t ip = 1; ip <= 10; ip++) {
		rings_write(&rings, PERF_RECORD_SAMPLE, &ip, sizeof(ip));
		assert_true(tally_classic_ring_step(ring));
		assert_int_equal(ring->overwritten, ip > 4 ? ip - 4 : 0);
		assert_int_equal(rings_word(&rings, ring->oldest + 8), ip > 4 ? ip - 3 : 1);
	}
	/* If the program writes to the ring, it loses the overwritten records, but nothing else. */
	memset(rings.to + RING_PAGE, 0xff, RING_SIZE);
	rings_write(&rings, PERF_RECORD_SAMPLE, "12345678", 8);
	assert_true(tally_classic_ring_step(ring));
	assert_int_equal(ring->overwritten, 10);
	assert_int_equal(ring->records, 11);
}

/* Everything is copied except the index, because a counter cannot be read through a copy of the
 * page. */
static void the_page_is_copied_except_the_index(void **state)
{
	static struct rings rings;
	struct tally_classic_ring *ring = rings_init(&rings);

	ring->from->version = 1;
	ring->from->compat_version = 2;
	ring->from->lock = 4;
	ring->from->index = 5;
	ring->from->offset = -6;
	ring->to->data_head = 77;
	tally_classic_ring_update(ring);
	assert_int_equal(ring->to->version, 1);
	assert_int_equal(ring->to->compat_version, 2);
	assert_int_equal(ring->to->lock, 4);
	assert_int_equal(ring->to->index, 0);
	assert_int_equal(ring->to->offset, -6);
	assert_int_equal(ring->to->data_head, 77);
}

static void rings_have_a_power_of_two_of_bytes(void **state)
{
	static const uint64_t bad[] = {0, 4, 24, 48, 1ull << 32};
	static struct rings rings;
	struct tally_classic_ring *ring = rings_init(&rings);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(bad); i++) {
		ring->size = (size_t)bad[i];
		assert_int_equal(tally_classic_ring_init(ring), -EINVAL);
		ring->size = RING_SIZE;
		ring->from_size = (size_t)bad[i];
		assert_int_equal(tally_classic_ring_init(ring), -EINVAL);
		ring->from_size = RING_SIZE;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_is_copied_except_the_index),
		cmocka_unit_test(ring_has_each_record_translated),
		cmocka_unit_test(ring_wraps_at_its_end_and_head_at_2_32),
		cmocka_unit_test(records_without_a_counterpart_are_skipped),
		cmocka_unit_test(damaged_rings_lose_records_and_nothing_else),
		cmocka_unit_test(oldest_record_is_known),
		cmocka_unit_test(rings_have_a_power_of_two_of_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
