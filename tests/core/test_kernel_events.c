/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core used inside the kernel of a small machine: static memory, a few events, and 1 KB rings
 * in contiguous 512-byte pages, but no descriptors, user memory or users.
 */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "test.h"
#include "tally/core.h"

enum { BLOCKS = 2, BLOCK = 8192, SLOTS = 24, SLOT = 1024, PAGE = 512, PAGES = 32, TICK = 1000000 };

/* All of the core's memory: blocks for the core and its scratch memory, slots for other
 * allocations, and pages for rings. */
static struct {
	_Alignas(16) uint8_t blocks[BLOCKS][BLOCK];
	_Alignas(16) uint8_t slots[SLOTS][SLOT];
	_Alignas(16) uint8_t pages[PAGES][PAGE];
	bool block_used[BLOCKS], slot_used[SLOTS], page_used[PAGES];
	uint32_t nr_slots, nr_pages;
	uint64_t now, timer_at;
	bool deferred;
	struct tally_core *handle;
	struct tally_core_task tasks[2], *current;
	uint32_t notified;
} board;

static void *pool_alloc(uint8_t *memory, bool *used, size_t nr, size_t each)
{
	for (size_t i = 0; i < nr; i++) {
		if (used[i])
			continue;
		used[i] = true;
		return memset(memory + i * each, 0, each);
	}
	return NULL;
}

static void pool_free(const uint8_t *memory, bool *used, size_t nr, size_t each, const void *what)
{
	size_t at = (size_t)((const uint8_t *)what - memory);

	assert_true(at % each == 0 && at / each < nr && used[at / each]);
	used[at / each] = false;
}

static void *op_alloc(void *host, size_t size)
{
	void *memory;

	if (size > SLOT)
		return size > BLOCK ? NULL
				    : pool_alloc(board.blocks[0], board.block_used, BLOCKS, BLOCK);
	memory = pool_alloc(board.slots[0], board.slot_used, SLOTS, SLOT);
	board.nr_slots += memory != NULL;
	return memory;
}

static void op_free(void *host, void *memory, size_t size)
{
	if (size > SLOT) {
		pool_free(board.blocks[0], board.block_used, BLOCKS, BLOCK, memory);
		return;
	}
	pool_free(board.slots[0], board.slot_used, SLOTS, SLOT, memory);
	board.nr_slots--;
}

static void *op_pages_alloc(void *host, size_t nr)
{
	for (size_t i = 0, run = 0; i < PAGES; i++) {
		run = board.page_used[i] ? 0 : run + 1;
		if (run < nr)
			continue;
		memset(&board.page_used[i + 1 - nr], true, nr);
		board.nr_pages += (uint32_t)nr;
		return memset(board.pages[i + 1 - nr], 0, nr * PAGE);
	}
	return NULL;
}

static void op_pages_free(void *host, void *pages, size_t nr)
{
	size_t first = (size_t)((uint8_t *)pages - board.pages[0]) / PAGE;

	for (size_t i = first; i < first + nr; i++) {
		assert_true(i < PAGES && board.page_used[i]);
		board.page_used[i] = false;
	}
	board.nr_pages -= (uint32_t)nr;
}

/* There is one CPU and one thread, so locks are never contended. */
static void *op_lock_new(void *host)
{
	return &board;
}

static void op_lock(void *host, void *lock)
{
}

static uintptr_t op_irq_save(void *host)
{
	return 0;
}

static void op_irq_restore(void *host, uintptr_t flags)
{
}

static uint32_t op_this_cpu(void *host)
{
	return 0;
}

static int op_call(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	fn(arg);
	return 0;
}

static void op_defer(void *host)
{
	board.deferred = true;
}

static uint64_t op_clock(void *host)
{
	return board.now;
}

static void op_timer(void *host, uint64_t deadline)
{
	board.timer_at = deadline;
}

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	return NULL;
}

static void op_task_put(void *host, struct tally_core_task *task)
{
}

static int32_t op_task_cpu(void *host, const struct tally_core_task *task)
{
	return task == board.current ? 0 : -1;
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	return NULL;
}

static int op_copy_from(void *host, void *to, const void *user, size_t len)
{
	fail_msg("there is no user memory");
	return 0;
}

static int op_copy_to(void *host, void *user, const void *from, size_t len)
{
	fail_msg("there is no user memory");
	return 0;
}

static void op_notify(void *host, void *cookie, unsigned events)
{
	board.notified++;
}

static const struct tally_host_ops ops = {
	.alloc = op_alloc,
	.free = op_free,
	.pages_alloc = op_pages_alloc,
	.pages_free = op_pages_free,
	.lock_new = op_lock_new,
	.lock_free = op_lock,
	.lock = op_lock,
	.unlock = op_lock,
	.irq_save = op_irq_save,
	.irq_restore = op_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_defer,
	.clock = op_clock,
	.timer = op_timer,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.event_of_fd = op_event_of_fd,
	.copy_from_user = op_copy_from,
	.copy_to_user = op_copy_to,
	.notify = op_notify,
	.page_size = PAGE,
};

static void board_switch(struct tally_core_task *next)
{
	tally_core_switch(board.handle, board.current, next, false);
	board.current = next;
}

static void board_run(uint64_t ns)
{
	struct tally_core_sample_data where = {.ip = 0x8000, .mode = PERF_RECORD_MISC_KERNEL};
	uint64_t end = board.now + ns;

	while (board.timer_at <= end) {
		board.now = TALLY_MAX(board.now, board.timer_at);
		board.timer_at = UINT64_MAX;
		tally_core_timer(board.handle, &where);
		if (board.deferred) {
			board.deferred = false;
			tally_core_deferred(board.handle);
		}
	}
	board.now = end;
}

static void board_start(void)
{
	struct tally_core_settings settings;

	memset(&board, 0, sizeof(board));
	board.timer_at = UINT64_MAX;
	tally_core_settings_init(&settings);
	settings.record_max = 512;
	settings.contiguous = true;
	settings.max_sample_rate = 1000000;
	assert_int_equal(tally_core_create(&ops, NULL, 1, &settings, &board.handle), 0);
	assert_int_equal(tally_core_cpu_online(board.handle, 0), 0);
	for (int i = 0; i < 2; i++)
		tally_core_task_init(&board.tasks[i], i + 1, i + 1);
	board_switch(&board.tasks[0]);
}

static void board_end(void)
{
	for (int i = 0; i < 2; i++)
		tally_core_exit(board.handle, &board.tasks[i]);
	tally_core_cpu_offline(board.handle, 0);
	tally_core_destroy(board.handle);
	assert_int_equal(board.nr_slots, 0);
	assert_int_equal(board.nr_pages, 0);
	for (int i = 0; i < BLOCKS; i++)
		assert_false(board.block_used[i]);
}

static struct tally_core_event *create(struct perf_event_attr attr,
				       struct tally_core_event_setup setup)
{
	struct tally_core_event *event = NULL;
	struct tally_core_refusal why = {0};
	int ret;

	attr.size = sizeof(attr);
	ret = tally_core_event_create(board.handle, &attr, &setup, &event, &why);
	if (ret)
		fail_msg("%d: %s: %s", ret, why.field, why.rule);
	return event;
}

static const struct perf_event_attr task_clock = {.type = PERF_TYPE_SOFTWARE,
						  .config = PERF_COUNT_SW_TASK_CLOCK};

static struct perf_event_attr sampling(uint64_t period)
{
	struct perf_event_attr attr = task_clock;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.wakeup_events = 1;
	return attr;
}

/* Count two tasks, with single events and with a group. */
static void kernel_events_count_tasks_and_groups(void **state)
{
	struct tally_core_event *leader, *member, *other;
	struct tally_core_counts counts;

	board_start();
	leader = create(task_clock,
			(struct tally_core_event_setup){.task = &board.tasks[0], .cpu = -1});
	member = create((struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
						 .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
			(struct tally_core_event_setup){
				.task = &board.tasks[0], .cpu = -1, .leader = leader});
	other = create(task_clock,
		       (struct tally_core_event_setup){.task = &board.tasks[1], .cpu = -1});
	for (int i = 0; i < 10; i++) {
		board_run(30000);
		board_switch(&board.tasks[1]);
		board_run(10000);
		board_switch(&board.tasks[0]);
	}
	assert_int_equal(tally_core_event_read(board.handle, leader, &counts), 0);
	assert_int_equal(counts.value, 300000);
	assert_int_equal(counts.running, 300000);
	assert_int_equal(tally_core_event_read(board.handle, member, &counts), 0);
	assert_int_equal(counts.value, 10);
	assert_int_equal(tally_core_event_read(board.handle, other, &counts), 0);
	assert_int_equal(counts.value, 100000);
	assert_int_equal(tally_core_ioctl(board.handle, NULL, other, PERF_EVENT_IOC_RESET, 0, NULL),
			 0);
	assert_int_equal(tally_core_event_read(board.handle, other, &counts), 0);
	assert_int_equal(counts.value, 0);
	assert_int_equal(tally_core_close_all(board.handle), 3);
	board_end();
}

/* A watchdog event, which calls back when it expires and writes no records. */
struct watched {
	struct tally_core_event *event;
	uint32_t calls;
	uint64_t ip, last;
};

static void watchdog_callback(struct tally_core_event *event,
			      const struct tally_core_sample_data *sample_data, void *arg)
{
	struct watched *watched = arg;

	assert_ptr_equal(event, watched->event);
	watched->ip = sample_data->ip;
	watched->last = board.now;
	watched->calls++;
}

static void overflows_call_back_and_write_no_records(void **state)
{
	struct watched watched = {0};
	struct perf_event_attr attr = sampling(100000);

	board_start();
	attr.disabled = 1;
	watched.event = create(attr, (struct tally_core_event_setup){.cpu = 0,
								     .overflow = watchdog_callback,
								     .overflow_arg = &watched});
	board_run(TICK);
	assert_int_equal(watched.calls, 0);
	assert_int_equal(
		tally_core_ioctl(board.handle, NULL, watched.event, PERF_EVENT_IOC_ENABLE, 0, NULL),
		0);
	board_run(TICK);
	assert_int_equal(watched.calls, 10);
	assert_int_equal(watched.ip, 0x8000);
	assert_int_equal(watched.last, 2 * TICK);
	/* REFRESH limits the number of callbacks. */
	assert_int_equal(tally_core_ioctl(board.handle, NULL, watched.event, PERF_EVENT_IOC_DISABLE,
					  0, NULL),
			 0);
	assert_int_equal(tally_core_ioctl(board.handle, NULL, watched.event, PERF_EVENT_IOC_REFRESH,
					  3, NULL),
			 0);
	board_run(TICK);
	assert_int_equal(watched.calls, 13);
	assert_int_equal(board.notified, 0);
	tally_core_close(board.handle, watched.event);
	board_end();
}

/* A 1 KB ring that receives samples of both tasks. */
struct ring {
	struct tally_core_event *event, *second;
	struct tally_core_buffer *buffer;
};

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time;
};

static struct ring ring_begin(void)
{
	struct tally_core_event_setup setup = {.task = &board.tasks[0], .cpu = 0};
	struct ring ring;

	board_start();
	ring.event = create(sampling(10000), setup);
	assert_int_equal(tally_core_mmap(board.handle, NULL, ring.event, 5 * PAGE, 0, true,
					 &ring.buffer, NULL),
			 0);
	setup.task = &board.tasks[1];
	setup.output = ring.event;
	ring.second = create(sampling(10000), setup);
	return ring;
}

static void ring_end(struct ring *ring)
{
	tally_core_munmap(board.handle, ring->event, ring->buffer);
	assert_int_equal(board.nr_pages, 0);
	tally_core_close(board.handle, ring->second);
	tally_core_close(board.handle, ring->event);
	board_end();
}

static bool ring_read(struct ring *ring, struct sample *ret_sample)
{
	int64_t len = tally_core_buffer_read(ring->buffer, ret_sample, sizeof(*ret_sample));

	assert_true(len >= 0);
	assert_true(!len || ret_sample->header.size == len);
	return len;
}

/* The ring and its three metadata pages are contiguous. */
static void a_ring_is_contiguous_with_its_metadata(void **state)
{
	struct ring ring = ring_begin();
	const struct perf_event_mmap_page *page = tally_core_buffer_page(ring.buffer, 0);
	struct tally_core_buffer *again;
	struct tally_core_refusal why;

	assert_int_equal(board.nr_pages, 5);
	assert_int_equal(page->data_size, 1024);
	assert_int_equal(page->data_offset, 3 * PAGE);
	for (size_t i = 0; i < 5; i++)
		assert_ptr_equal(tally_core_buffer_page(ring.buffer, i),
				 (const uint8_t *)page + i * PAGE);
	assert_null(tally_core_buffer_page(ring.buffer, 5));
	assert_int_equal(tally_core_mmap_size(board.handle, 2 * PAGE), 5 * PAGE);
	assert_int_equal(tally_core_mmap_size(board.handle, 0), 3 * PAGE);
	assert_int_equal(
		tally_core_mmap(board.handle, NULL, ring.event, 4 * PAGE, 0, true, &again, NULL),
		-EINVAL);
	assert_int_equal(
		tally_core_mmap(board.handle, NULL, ring.event, 2 * PAGE, 0, true, &again, &why),
		-EINVAL);
	assert_string_equal(why.field, "length");
	assert_int_equal(
		tally_core_mmap(board.handle, NULL, ring.event, 5 * PAGE, 0, true, &again, NULL),
		0);
	assert_ptr_equal(again, ring.buffer);
	tally_core_munmap(board.handle, ring.event, again);
	ring_end(&ring);
}

static void a_ring_is_read_record_by_record(void **state)
{
	struct ring ring = ring_begin();
	uint32_t by_task[2] = {0};
	struct sample sample;

	for (int i = 0; i < 50; i++) {
		board_run(30000);
		board_switch(&board.tasks[!(i & 1)]);
		if (i % 5)
			continue;
		assert_int_equal(tally_core_buffer_read(ring.buffer, &sample, 16), -ENOSPC);
		while (ring_read(&ring, &sample)) {
			assert_int_equal(sample.header.type, PERF_RECORD_SAMPLE);
			assert_int_equal(sample.ip, 0x8000);
			by_task[sample.tid - 1]++;
		}
	}
	assert_int_equal(by_task[0], 69);
	assert_int_equal(by_task[1], 69);
	ring_end(&ring);
}

/* Samples that do not fit are counted, and reported when there is space again. An invalid data_tail
 * discards the contents of the ring. */
static void records_that_do_not_fit_are_reported_later(void **state)
{
	struct ring ring = ring_begin();
	struct perf_event_mmap_page *page = tally_core_buffer_page(ring.buffer, 0);
	struct tally_core_refusal why;
	struct sample sample;
	uint32_t nr = 0, lost = 0;

	board_run(10 * TICK);
	while (ring_read(&ring, &sample))
		nr++;
	assert_int_equal(nr, 1024 / sizeof(sample) - !(1024 % sizeof(sample)));
	board_run(10000);
	while (ring_read(&ring, &sample))
		lost += sample.header.type == PERF_RECORD_LOST;
	assert_int_equal(lost, 1);
	board_run(20000);
	page->data_tail += 12345;
	assert_int_equal(tally_core_buffer_read(ring.buffer, &sample, sizeof(sample)), -EINVAL);
	assert_int_equal(tally_core_buffer_read(ring.buffer, &sample, sizeof(sample)), 0);
	board_run(20000);
	assert_true(ring_read(&ring, &sample));
	assert_int_equal(tally_core_event_set_output(board.handle, ring.second, NULL, NULL), 0);
	assert_int_equal(tally_core_event_set_output(board.handle, ring.second, ring.second, &why),
			 -EINVAL);
	ring_end(&ring);
}

/* When all memory is in use, the next open fails without affecting anything else. */
static void opens_without_memory_fail_without_side_effects(void **state)
{
	struct tally_core_event_setup setup = {.task = &board.tasks[0], .cpu = -1};
	struct perf_event_attr attr = task_clock;
	struct tally_core_event *event, *first = NULL;
	struct tally_core_counts counts;
	struct tally_core_buffer *buffers[2];
	uint32_t nr = 0;
	int ret;

	board_start();
	attr.size = sizeof(attr);
	while (!(ret = tally_core_event_create(board.handle, &attr, &setup, &event, NULL))) {
		first = first ? first : event;
		nr++;
	}
	assert_int_equal(ret, -ENOMEM);
	assert_true(nr >= 10 && nr < SLOTS);
	board_run(5000);
	assert_int_equal(tally_core_event_read(board.handle, first, &counts), 0);
	assert_int_equal(counts.value, 5000);
	assert_int_equal(tally_core_close_all(board.handle), nr);
	/* When all pages are in use, mapping a ring fails in the same way. */
	for (int i = 0; i < 2; i++) {
		event = create(sampling(TICK), setup);
		ret = tally_core_mmap(board.handle, NULL, event, 19 * PAGE, 0, true, &buffers[i],
				      NULL);
		assert_int_equal(ret, i ? -ENOMEM : 0);
		if (!i)
			first = event;
	}
	tally_core_munmap(board.handle, first, buffers[0]);
	assert_int_equal(tally_core_close_all(board.handle), 2);
	board_end();
}

/* The kernel itself is fully privileged, but its invalid requests are rejected like any other
 * caller's. */
static void invalid_requests_of_the_kernel_are_rejected(void **state)
{
	struct tally_core_event *event = NULL, *leader;
	struct perf_event_attr attr = task_clock;
	struct tally_core_refusal why;

	board_start();
	tally_core_settings(board.handle)->paranoid = 3;
	leader = create(attr, (struct tally_core_event_setup){.cpu = 0});
	attr.size = sizeof(attr);
	assert_int_equal(tally_core_event_create(
				 board.handle, &attr,
				 &(struct tally_core_event_setup){
					 .task = &board.tasks[0], .cpu = -1, .leader = leader},
				 &event, &why),
			 -EINVAL);
	assert_int_equal(tally_core_event_create(board.handle, &attr,
						 &(struct tally_core_event_setup){.cpu = -1},
						 &event, &why),
			 -EINVAL);
	assert_int_equal(tally_core_event_create(board.handle, &attr,
						 &(struct tally_core_event_setup){.cpu = 1}, &event,
						 &why),
			 -EINVAL);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = 0;
	assert_int_equal(tally_core_event_create(board.handle, &attr,
						 &(struct tally_core_event_setup){.cpu = 0}, &event,
						 &why),
			 -ENOENT);
	assert_string_equal(why.rule, "the host has registered no PMU");
	attr.type = PERF_TYPE_SOFTWARE;
	attr.cgroup = 1;
	assert_int_equal(tally_core_event_create(board.handle, &attr,
						 &(struct tally_core_event_setup){.cpu = 0}, &event,
						 &why),
			 -EINVAL);
	assert_string_equal(why.field, "cgroup");
	assert_null(event);
	assert_int_equal(tally_core_close_all(board.handle), 1);
	board_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_events_count_tasks_and_groups),
		cmocka_unit_test(overflows_call_back_and_write_no_records),
		cmocka_unit_test(a_ring_is_contiguous_with_its_metadata),
		cmocka_unit_test(a_ring_is_read_record_by_record),
		cmocka_unit_test(records_that_do_not_fit_are_reported_later),
		cmocka_unit_test(opens_without_memory_fail_without_side_effects),
		cmocka_unit_test(invalid_requests_of_the_kernel_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
