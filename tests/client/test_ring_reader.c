/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the ring reader on memory mapped by a fake transport. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally/rings.h"
#include "tally/client.h"

enum { PAGES = 2 };

/* The fake kernel: memory, and a head that only the fake advances. */
struct fake {
	struct tally_transport transport;
	uint8_t *memory;
	size_t len;
	bool writable;
	int refuse, unmapped;
};

static int fake_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		     void **ret_memory)
{
	struct fake *fake = transport->private_data;

	assert_int_equal(fd, 7);
	if (fake->refuse)
		return fake->refuse;
	fake->memory = calloc(1, len);
	fake->len = len;
	fake->writable = writable;
	*ret_memory = fake->memory;
	return 0;
}

static int fake_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	struct fake *fake = transport->private_data;

	assert_ptr_equal(memory, fake->memory);
	assert_int_equal(len, fake->len);
	free(memory);
	fake->unmapped++;
	return 0;
}

static void fake_init(struct fake *fake)
{
	*fake = (struct fake){
		.transport = {.name = "fake", .mmap = fake_mmap, .munmap = fake_munmap}};
	fake->transport.private_data = fake;
}

static struct perf_event_mmap_page *page_of(struct fake *fake)
{
	return (struct perf_event_mmap_page *)(void *)fake->memory;
}

static size_t data_size(void)
{
	return PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

/* Put a record of `size` bytes at position `at`. The bytes of its body are consecutive numbers
 * derived from `seed`. */
static void put_record(struct fake *fake, uint64_t at, uint16_t size, uint8_t seed)
{
	uint8_t *data = fake->memory + sysconf(_SC_PAGESIZE);
	uint8_t record[UINT16_MAX];
	struct perf_event_header header = {PERF_RECORD_SAMPLE, seed, size};

	memcpy(record, &header, sizeof(header));
	for (size_t i = sizeof(header); i < size; i++)
		record[i] = (uint8_t)(seed + i);
	for (size_t i = 0; i < size; i++)
		data[(at + i) & (data_size() - 1)] = record[i];
}

static void write_record(struct fake *fake, uint16_t size, uint8_t seed)
{
	struct perf_event_mmap_page *page = page_of(fake);

	assert_true(page->data_head + size - page->data_tail <= data_size());
	put_record(fake, page->data_head, size, seed);
	__atomic_store_n(&page->data_head, page->data_head + size, __ATOMIC_RELEASE);
}

static void check_record(const struct perf_event_header *record, uint16_t size, uint8_t seed)
{
	assert_non_null(record);
	assert_int_equal(record->size, size);
	assert_int_equal(record->misc, seed);
	for (size_t i = sizeof(*record); i < size; i++)
		assert_int_equal(((const uint8_t *)record)[i], (uint8_t)(seed + i));
}

static void test_map_and_unmap(void **state)
{
	struct tally_ring *ring;
	struct fake fake;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), 0);
	assert_int_equal(fake.len, data_size() + (size_t)sysconf(_SC_PAGESIZE));
	assert_true(fake.writable);
	assert_int_equal(tally_ring_fd(ring), 7);
	tally_ring_unmap(ring);
	assert_int_equal(fake.unmapped, 1);
	tally_ring_unmap(NULL);
}

static void test_map_refused(void **state)
{
	struct tally_ring *ring = NULL;
	struct fake fake;

	fake_init(&fake);
	fake.refuse = -EPERM;
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), -EPERM);
	assert_null(ring);
	assert_int_equal(fake.unmapped, 0);
}

/* Use record sizes that do not divide the ring size, and wrap many times. */
static void records_wrap_many_times(void **state)
{
	static const uint16_t sizes[] = {8, 24, 40, 1000, 4096, 72};
	struct tally_ring *ring;
	struct fake fake;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), 0);
	for (unsigned i = 0; i < 500; i++) {
		uint16_t size = sizes[i % 6], next = sizes[(i + 1) % 6];

		write_record(&fake, size, (uint8_t)i);
		write_record(&fake, next, (uint8_t)(i + 1));
		check_record(tally_ring_peek(ring), size, (uint8_t)i);
		check_record(tally_ring_next(ring), size, (uint8_t)i);
		check_record(tally_ring_peek(ring), next, (uint8_t)(i + 1));
		check_record(tally_ring_next(ring), next, (uint8_t)(i + 1));
		assert_null(tally_ring_peek(ring));
		assert_null(tally_ring_next(ring));
		tally_ring_consume(ring);
		assert_int_equal(page_of(&fake)->data_tail, page_of(&fake)->data_head);
	}
	tally_ring_unmap(ring);
}

/* A record that does not wrap is returned in place. */
static void unwrapped_records_are_returned_in_place(void **state)
{
	struct tally_ring *ring;
	struct fake fake;
	const uint8_t *record;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), 0);
	write_record(&fake, 64, 3);
	record = (const uint8_t *)tally_ring_next(ring);
	assert_ptr_equal(record, fake.memory + sysconf(_SC_PAGESIZE));
	assert_int_equal(page_of(&fake)->data_tail, 0); /* advances when the record is consumed */
	tally_ring_consume(ring);
	assert_int_equal(page_of(&fake)->data_tail, 64);
	tally_ring_unmap(ring);
}

static void test_pieces(void **state)
{
	size_t size = data_size();
	struct tally_ring_data data;
	struct tally_ring *ring;
	struct fake fake;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), 0);
	assert_false(tally_ring_data(ring, &data));
	write_record(&fake, (uint16_t)(size - 16), 1);
	assert_true(tally_ring_data(ring, &data));
	assert_int_equal(data.first_len, size - 16);
	assert_int_equal(data.second_len, 0);
	assert_false(tally_ring_data(ring, &data)); /* already returned */
	tally_ring_consume(ring);
	write_record(&fake, 40, 2);
	assert_true(tally_ring_data(ring, &data));
	assert_int_equal(data.first_len, 16);
	assert_int_equal(data.second_len, 24);
	assert_ptr_equal(data.second, fake.memory + sysconf(_SC_PAGESIZE));
	tally_ring_consume(ring);
	tally_ring_unmap(ring);
}

/* tally_ring_peek_data() consumes nothing and returns each record once, even if tally_ring_data()
 * also returns the record. */
static void a_look_consumes_nothing(void **state)
{
	struct tally_ring_data data;
	struct tally_ring *ring;
	uint64_t position = 0;
	struct fake fake;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), 0);
	assert_false(tally_ring_peek_data(ring, &position, &data));
	write_record(&fake, 40, 1);
	assert_true(tally_ring_peek_data(ring, &position, &data));
	assert_int_equal(data.first_len, 40);
	assert_false(tally_ring_peek_data(ring, &position, &data));
	write_record(&fake, 64, 2);
	assert_true(tally_ring_data(ring, &data));
	assert_int_equal(data.first_len, 104);
	write_record(&fake, 16, 3);
	assert_true(tally_ring_peek_data(ring, &position, &data));
	assert_ptr_equal(data.first, fake.memory + sysconf(_SC_PAGESIZE) + 40);
	assert_int_equal(data.first_len, 80);
	tally_ring_consume(ring);
	assert_int_equal(page_of(&fake)->data_tail, 104);
	assert_false(tally_ring_peek_data(ring, &position, &data));
	assert_true(tally_ring_data(ring, &data));
	assert_int_equal(data.first_len, 16);
	tally_ring_unmap(ring);
}

/* In a full ring, every byte between tail and head is used. */
static void a_full_ring_is_read_completely(void **state)
{
	struct tally_ring_data data;
	struct tally_ring *ring;
	struct fake fake;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), 0);
	write_record(&fake, 24, 1);
	assert_non_null(tally_ring_next(ring));
	tally_ring_consume(ring);
	for (size_t at = 0; at < data_size(); at += 64)
		write_record(&fake, 64, (uint8_t)at);
	assert_true(tally_ring_data(ring, &data));
	assert_int_equal(data.first_len + data.second_len, data_size());
	tally_ring_unmap(ring);
}

/* Invalid record sizes end the iteration. */
static void invalid_record_sizes_end_the_iteration(void **state)
{
	struct tally_ring *ring;
	struct fake fake;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, false, &ring), 0);
	page_of(&fake)->data_head = 64; /* a record of size 0 */
	assert_null(tally_ring_next(ring));
	put_record(&fake, 0, 128, 1); /* longer than the written data */
	assert_null(tally_ring_next(ring));
	tally_ring_unmap(ring);
}

/* ---- overwrite -------------------------------------------------------------- */

static void write_backward(struct fake *fake, uint16_t size, uint8_t seed)
{
	struct perf_event_mmap_page *page = page_of(fake);

	put_record(fake, page->data_head - size, size, seed);
	__atomic_store_n(&page->data_head, page->data_head - size, __ATOMIC_RELEASE);
}

/* Store the seeds of the unread records, newest record first, and return the number of records. The
 * ring may return the records in two pieces. */
static unsigned read_backward(struct tally_ring *ring, uint8_t *seeds, unsigned most)
{
	static uint8_t joined[1 << 20];
	struct tally_ring_data data;
	struct perf_event_header header;
	unsigned nr = 0;

	if (!tally_ring_data(ring, &data))
		return 0;
	memcpy(joined, data.first, data.first_len);
	memcpy(joined + data.first_len, data.second, data.second_len);
	for (size_t at = 0; at < data.first_len + data.second_len; at += header.size) {
		memcpy(&header, joined + at, sizeof(header));
		assert_true(header.size >= sizeof(header));
		assert_true(at + header.size <= data.first_len + data.second_len);
		check_record((const struct perf_event_header *)(const void *)(joined + at),
			     header.size, (uint8_t)header.misc);
		assert_true(nr < most);
		seeds[nr++] = (uint8_t)header.misc;
	}
	return nr;
}

static void test_overwrite(void **state)
{
	struct tally_ring *ring;
	uint8_t seeds[4096];
	struct fake fake;
	unsigned nr;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, true, &ring), 0);
	assert_false(fake.writable);
	assert_int_equal(read_backward(ring, seeds, 4096), 0);
	for (uint8_t i = 1; i <= 3; i++)
		write_backward(&fake, 48, i);
	nr = read_backward(ring, seeds, 4096);
	assert_int_equal(nr, 3);
	assert_int_equal(seeds[0], 3);
	assert_int_equal(seeds[2], 1);
	assert_null(tally_ring_next(ring));
	tally_ring_unmap(ring);
}

/* After the ring has wrapped many times, it holds the newest records, all complete, with less than
 * one record's worth of space unused. */
static void the_newest_records_remain_after_wrapping(void **state)
{
	struct tally_ring *ring;
	uint8_t seeds[4096];
	struct fake fake;
	unsigned nr;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, true, &ring), 0);
	for (unsigned i = 0; i < 1000; i++)
		write_backward(&fake, 104, (uint8_t)i);
	nr = read_backward(ring, seeds, 4096);
	assert_int_equal(nr, data_size() / 104);
	for (unsigned i = 0; i < nr; i++)
		assert_int_equal(seeds[i], (uint8_t)(999 - i));
	tally_ring_unmap(ring);
}

/* Consumed records are not returned again. */
static void consumed_records_are_not_returned_again(void **state)
{
	struct tally_ring *ring;
	uint8_t seeds[4096];
	struct fake fake;

	fake_init(&fake);
	assert_int_equal(tally_ring_map(&fake.transport, 7, PAGES, true, &ring), 0);
	write_backward(&fake, 64, 1);
	write_backward(&fake, 64, 2);
	assert_int_equal(read_backward(ring, seeds, 4096), 2);
	assert_int_equal(read_backward(ring, seeds, 4096), 2); /* not consumed yet */
	tally_ring_consume(ring);
	assert_int_equal(read_backward(ring, seeds, 4096), 0);
	write_backward(&fake, 64, 3);
	assert_int_equal(read_backward(ring, seeds, 4096), 1);
	assert_int_equal(seeds[0], 3);
	tally_ring_unmap(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map_and_unmap),
		cmocka_unit_test(test_map_refused),
		cmocka_unit_test(records_wrap_many_times),
		cmocka_unit_test(unwrapped_records_are_returned_in_place),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(a_full_ring_is_read_completely),
		cmocka_unit_test(a_look_consumes_nothing),
		cmocka_unit_test(invalid_record_sizes_end_the_iteration),
		cmocka_unit_test(test_overwrite),
		cmocka_unit_test(the_newest_records_remain_after_wrapping),
		cmocka_unit_test(consumed_records_are_not_returned_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
