/* SPDX-License-Identifier: BSD-2-Clause */
/* The examples of the design document as they are written: its attr, its reads, its record stream,
 * its calls, on the core by way of abi/classic.h. What comes out is compared with the truth. */
#include "abi/classic.h"
#include "base/arith.h"
#include "base/endian.h"
#include "harness.h"

enum { PAGE = 4096 };

static const struct tally_sim_step worker[] = {
	SIM_LOOP(0), SIM_RUN(SIM_USER, 31 * US, &harness_busy),
	SIM_RUN(SIM_KERNEL, 7 * US, &harness_calm), SIM_END_LOOP()};
static const struct tally_sim_step sleeper[] = {SIM_LOOP(0), SIM_SLEEP(SECOND), SIM_END_LOOP()};

/* An event that was opened with the document's attr. */
struct classic_event {
	struct tally_classic_attr classic;
	struct perf_event_attr attr;
	uint64_t id;
	int fd;
};

static struct classic_event classic_open(struct harness *harness, struct tally_classic_attr classic,
					 const struct tally_sim_task *task, int group_fd)
{
	struct classic_event event = {.classic = classic};

	assert_int_equal(tally_classic_attr_decode(&classic, PAGE, &event.attr, NULL), 0);
	event.fd = harness_open(harness, event.attr, task, -1, group_fd);
	event.id = harness_id(harness, event.fd);
	return event;
}

/* sys_read() of the document: how many u64 came. */
static size_t classic_read(struct harness *harness, const struct classic_event *event,
			   uint64_t ret_words[3])
{
	uint64_t bytes[32];
	int64_t len =
		tally_sim_read(harness->sim, harness->observer, event->fd, bytes, sizeof(bytes));

	assert_true(len >= 0);
	len = tally_classic_read(&event->classic, bytes, (size_t)len, event->id, ret_words,
				 3 * sizeof(uint64_t));
	assert_true(len >= 0);
	return (size_t)len / 8;
}

static uint64_t classic_value(struct harness *harness, const struct classic_event *event)
{
	uint64_t words[3];

	assert_true(classic_read(harness, event, words) >= 1);
	return words[0];
}

static void classic_ioctl(struct harness *harness, const struct classic_event *event,
			  unsigned long request, uintptr_t arg)
{
	assert_true(tally_classic_ioctl(request) >= 0);
	harness_ioctl(harness, event->fd, (unsigned long)tally_classic_ioctl(request), arg);
}

/* Each of the seven generalized events, and a raw one; all read formats. */
static void test_hardware(void **state)
{
	for (uint32_t i = 0; i < 8 * 4; i++) {
		uint64_t config = i / 4 < 7 ? i / 4 : TALLY_CLASSIC_RAW_MASK | SIM_EXTRA;
		unsigned signal = i / 4 < 7 ? i / 4 : SIM_EXTRA;
		struct classic_event event;
		struct harness harness;
		uint64_t words[3];
		size_t nr = 0;
		struct tally_sim_task *task;

		harness_begin(&harness, 1, NULL);
		task = harness_spawn(&harness, worker, 0);
		event = classic_open(
			&harness,
			(struct tally_classic_attr){.config = config, .read_format = i % 4}, task,
			-1);
		tally_sim_run(harness.sim, 3 * MS + 7);
		assert_int_equal(classic_read(&harness, &event, words),
				 1 + (i % 4 & 1) + (i % 4 >> 1));
		assert_int_equal(words[nr++], truth(&harness, task, 0, signal));
		while (nr < 1 + (i % 4 & 1) + (i % 4 >> 1))
			assert_int_equal(words[nr++], truth(&harness, task, 0, SIM_NS));
		harness_end(&harness);
	}
}

/* "If a CPU is not able to count the selected event, then the system call will return -EINVAL." */
static void test_cannot_count(void **state)
{
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
	struct tally_classic_attr classic = {.config = PERF_COUNT_HW_BUS_CYCLES};
	struct perf_event_attr attr;
	struct harness harness;

	pmu.absent = 1u << SIM_BUS_CYCLES;
	harness_begin(&harness, 1, &config);
	assert_int_equal(tally_classic_attr_decode(&classic, PAGE, &attr, NULL), 0);
	assert_int_equal(harness_try(&harness, harness.observer, attr, 0, -1, -1), -EINVAL);
	classic.config = PERF_COUNT_HW_CPU_CYCLES;
	assert_int_equal(tally_classic_attr_decode(&classic, PAGE, &attr, NULL), 0);
	assert_true(harness_try(&harness, harness.observer, attr, 0, -1, -1) >= 0);
	harness_end(&harness);
}

/* "One can establish the overcommit ratio": five events on four counters, and the estimate that
 * enabled / running gives is within 2 % of the truth. */
static void test_overcommit(void **state)
{
	struct classic_event events[5];
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t words[3];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	for (unsigned i = 0; i < 5; i++)
		events[i] = classic_open(&harness,
					 (struct tally_classic_attr){.config = i, .read_format = 3},
					 task, -1);
	tally_sim_run(harness.sim, 2ull * SECOND);
	for (unsigned i = 0; i < 5; i++) {
		uint64_t wanted = truth(&harness, task, 0, i);

		assert_int_equal(classic_read(&harness, &events[i], words), 3);
		assert_true(words[2] < words[1]);
		assert_near(tally_mul_div(words[0], words[1], words[2]), wanted, wanted / 50);
	}
	harness_end(&harness);
}

/* The nine software events: what happened `id + 1` times is counted so often. */
static void test_software(void **state)
{
	for (uint32_t id = PERF_COUNT_SW_PAGE_FAULTS; id <= PERF_COUNT_SW_EMULATION_FAULTS; id++) {
		struct classic_event event;
		struct harness harness;
		struct tally_sim_task *task;

		if (id == PERF_COUNT_SW_CONTEXT_SWITCHES || id == PERF_COUNT_SW_CPU_MIGRATIONS)
			continue;
		harness_begin(&harness, 1, NULL);
		task = harness_spawn(&harness, worker, 0);
		tally_sim_run(harness.sim, US);
		event = classic_open(
			&harness, (struct tally_classic_attr){.config = 1ull << 56 | id}, task, -1);
		tally_sim_do(harness.sim, task, &(struct tally_sim_step)SIM_SOFTWARE(id, id + 1));
		assert_int_equal(classic_value(&harness, &event), id + 1);
		harness_end(&harness);
	}
}

/* cpu-clock, task-clock, context switches and migrations are the core's own to count. */
static void test_software_of_tasks(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_LOOP(0),    SIM_RUN(SIM_USER, 10 * US, NULL), SIM_SLEEP(10 * US),
		SIM_MIGRATE(1), SIM_RUN(SIM_USER, 10 * US, NULL), SIM_MIGRATE(0),
		SIM_END_LOOP()};
	static const uint32_t ids[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
				       PERF_COUNT_SW_CONTEXT_SWITCHES,
				       PERF_COUNT_SW_CPU_MIGRATIONS};
	struct classic_event events[4];
	struct harness harness;
	struct tally_sim_task *task;

	harness_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, script, 0);
	for (int i = 0; i < 4; i++)
		events[i] = classic_open(&harness,
					 (struct tally_classic_attr){.config = 1ull << 56 | ids[i]},
					 task, -1);
	tally_sim_run(harness.sim, 3 * MS);
	assert_int_equal(classic_value(&harness, &events[0]), truth(&harness, task, 0, SIM_NS));
	assert_int_equal(classic_value(&harness, &events[1]), truth(&harness, task, 0, SIM_NS));
	for (int i = 2; i < 4; i++)
		assert_int_equal(classic_value(&harness, &events[i]),
				 truth(&harness, task, 0, SIM_SW + ids[i]));
	harness_end(&harness);
}

/* ---- the record stream --------------------------------------------------------------------- */

/* The document's buffer: its page, and data behind it. */
struct classic_ring {
	struct tally_classic_page page;
	uint8_t data[1 << 16];
	uint32_t tail; /* the reader's own */
};

static uint64_t same_config(void *arg, uint64_t id)
{
	const struct classic_event *events = arg;

	return events[id == events[1].id].classic.config;
}

/* Move all that was written into the document's buffer. */
static void classic_follow(struct classic_ring *to, struct tally_ring *from,
			   struct classic_event *event)
{
	const struct perf_event_header *header;
	uint8_t record[4096];
	int64_t len;

	while ((header = tally_ring_next(from))) {
		len = tally_classic_record(&event->classic, header, header->size, same_config,
					   event, record, sizeof(record));
		assert_true(len >= 0);
		tally_classic_ring_write(&to->page, to->data, sizeof(to->data), record,
					 (uint32_t)len);
	}
	tally_ring_consume(from);
}

/* The next record as a reader of the document finds it; NULL at the head. */
static const uint8_t *classic_next(struct classic_ring *ring, struct perf_event_header *header)
{
	const uint8_t *record = ring->data + ring->tail;

	if (ring->tail == ring->page.data_head)
		return NULL;
	memcpy(header, record, sizeof(*header));
	ring->tail += header->size;
	return record;
}

/* "Interrupts every N events": each is in the buffer, with all six fields. */
static void test_overflows(void **state)
{
	static struct classic_ring ring;
	struct perf_event_header header;
	struct classic_event events[2];
	struct tally_ring *from;
	struct harness harness;
	struct tally_sim_task *task;
	const uint8_t *record;
	uint64_t nr = 0, last_time = 0;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	events[0] = classic_open(&harness,
				 (struct tally_classic_attr){.config = PERF_COUNT_HW_INSTRUCTIONS,
							     .irq_period = 10000,
							     .record_type = 63,
							     .wakeup_events = 1},
				 task, -1);
	events[1] = classic_open(&harness, (struct tally_classic_attr){.config = 0}, task,
				 events[0].fd);
	from = harness_map(&harness, events[0].fd, 16);
	tally_sim_run(harness.sim, MS);
	memset(&ring, 0, sizeof(ring));
	classic_follow(&ring, from, events);
	while ((record = classic_next(&ring, &header))) {
		assert_int_equal(header.type, 63);
		assert_true(header.misc & TALLY_CLASSIC_MISC_OVERFLOW);
		assert_int_equal(tally_get_u32(record + 16), tally_sim_task_pid(task));
		assert_int_equal(tally_get_u32(record + 20), tally_sim_task_tid(task));
		assert_true(tally_get_u64(record + 24) > last_time);
		last_time = tally_get_u64(record + 24);
		assert_int_equal(tally_get_u64(record + 40), 2);
		assert_int_equal(tally_get_u64(record + 48), PERF_COUNT_HW_INSTRUCTIONS);
		/* The count goes on until the interrupt is taken: some events of one nanosecond. */
		nr++;
		assert_in_range(tally_get_u64(record + 56), nr * 10000, nr * 10000 + 20);
		assert_int_equal(tally_get_u64(record + 64), PERF_COUNT_HW_CPU_CYCLES);
		assert_int_equal(header.size, 88 + 8 * tally_get_u16(record + 80));
	}
	assert_int_equal(nr, truth(&harness, task, 0, SIM_INSTRUCTIONS) / 10000);
	tally_ring_unmap(from);
	harness_end(&harness);
}

/* Names and PROT_EXEC mappings; nothing of what the document does not have. */
static void test_names_and_mappings(void **state)
{
	static const struct tally_core_mapping mapping = {.addr = 0x400000,
							  .len = 0x2000,
							  .pgoff = 3,
							  .executable = true,
							  .filename = "/bin/true"};
	static struct classic_ring ring;
	struct perf_event_header header = {0};
	struct classic_event event;
	struct tally_ring *from;
	struct harness harness;
	struct tally_sim_task *task;
	const uint8_t *record;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, sleeper, 0);
	tally_sim_run(harness.sim, US);
	event = classic_open(
		&harness, (struct tally_classic_attr){.config = 1ull << 56, .mmap = 1, .comm = 1},
		task, -1);
	from = harness_map(&harness, event.fd, 1);
	tally_sim_do(harness.sim, task, &(struct tally_sim_step)SIM_COMM("renamed"));
	tally_sim_do(harness.sim, task, &(struct tally_sim_step)SIM_FORK(sleeper));
	tally_sim_do(harness.sim, task, &(struct tally_sim_step)SIM_MAP(&mapping));
	memset(&ring, 0, sizeof(ring));
	classic_follow(&ring, from, &event);
	record = classic_next(&ring, &header);
	assert_non_null(record);
	assert_int_equal(header.type, TALLY_CLASSIC_COMM);
	assert_int_equal(tally_get_u32(record + 12), tally_sim_task_tid(task));
	assert_string_equal((const char *)record + 16, "renamed");
	record = classic_next(&ring, &header);
	assert_non_null(record);
	assert_int_equal(header.type, TALLY_CLASSIC_MMAP);
	assert_int_equal(tally_get_u64(record + 16), mapping.addr);
	assert_int_equal(tally_get_u64(record + 24), mapping.len);
	assert_int_equal(tally_get_u64(record + 32), mapping.pgoff);
	assert_string_equal((const char *)record + 40, mapping.filename);
	assert_null(classic_next(&ring, &header));
	tally_ring_unmap(from);
	harness_end(&harness);
}

static void tell_munmap(struct harness *harness, struct classic_event *event)
{
	tally_core_event_emit_munmap(tally_sim_core(harness->sim),
				     tally_sim_event(harness->sim, harness->observer, event->fd));
}

/* PROT_EXEC mappings that go; `munmap` without `mmap` hears of nothing else. */
static void test_munmap(void **state)
{
	static const struct tally_core_mapping mapping = {
		.addr = 0x500000, .len = 0x3000, .executable = true, .filename = "/lib/gone"};
	static struct classic_ring ring;
	struct tally_classic_attr classic = {.config = 1ull << 56, .munmap = 1};
	struct perf_event_header header = {0};
	struct classic_event event;
	struct tally_ring *from;
	struct harness harness;
	struct tally_sim_task *task;
	const uint8_t *record;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, sleeper, 0);
	tally_sim_run(harness.sim, US);
	event = classic_open(&harness, classic, task, -1);
	tell_munmap(&harness, &event);
	from = harness_map(&harness, event.fd, 1);
	tally_sim_do(harness.sim, task, &(struct tally_sim_step)SIM_MAP(&mapping));
	tally_sim_do(harness.sim, task, &(struct tally_sim_step)SIM_UNMAP(&mapping));
	memset(&ring, 0, sizeof(ring));
	classic_follow(&ring, from, &event);
	record = classic_next(&ring, &header);
	assert_non_null(record);
	assert_int_equal(header.type, TALLY_CLASSIC_MUNMAP);
	assert_int_equal(tally_get_u32(record + 12), tally_sim_task_tid(task));
	assert_int_equal(tally_get_u64(record + 16), mapping.addr);
	assert_int_equal(tally_get_u64(record + 24), mapping.len);
	assert_string_equal((const char *)record + 40, mapping.filename);
	assert_null(classic_next(&ring, &header));
	tally_ring_unmap(from);
	harness_end(&harness);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) and _DISABLE, alone and with PERF_IOC_FLAG_GROUP. */
static void test_enable_and_disable(void **state)
{
	struct classic_event leader, member;
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t before, counted;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	leader = classic_open(&harness, (struct tally_classic_attr){.disabled = 1}, task, -1);
	member = classic_open(&harness, (struct tally_classic_attr){.config = 1, .disabled = 1},
			      task, leader.fd);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(&harness, &leader), 0);
	before = truth(&harness, task, 0, SIM_CYCLES);
	classic_ioctl(&harness, &leader, PERF_EVENT_IOC_ENABLE, 0);
	tally_sim_run(harness.sim, MS);
	classic_ioctl(&harness, &leader, PERF_EVENT_IOC_DISABLE, 0);
	counted = truth(&harness, task, 0, SIM_CYCLES) - before;
	assert_int_equal(classic_value(&harness, &leader), counted);
	assert_int_equal(classic_value(&harness, &member), 0);
	before = truth(&harness, task, 0, SIM_INSTRUCTIONS);
	classic_ioctl(&harness, &leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(&harness, &member),
			 truth(&harness, task, 0, SIM_INSTRUCTIONS) - before);
	harness_end(&harness);
}

/* ioctl(fd, PERF_EVENT_IOC_REFRESH, nr): enabled for nr events, then disabled again. */
static void test_refresh(void **state)
{
	struct classic_event event;
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t stopped;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	event = classic_open(&harness,
			     (struct tally_classic_attr){
				     .config = 1ull << 56 | 2, .irq_period = 3, .disabled = 1},
			     task, -1);
	classic_ioctl(&harness, &event, PERF_EVENT_IOC_REFRESH, 2);
	for (int i = 0; i < 10; i++)
		tally_sim_do(harness.sim, task,
			     &(struct tally_sim_step)SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1));
	stopped = classic_value(&harness, &event);
	assert_int_equal(stopped, 6);
	harness_end(&harness);
}

static void call_prctl(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	assert_int_equal(tally_core_prctl_attached(tally_sim_core(sim), tally_sim_task_perf(task),
						   tally_classic_prctl(*(int *)arg)),
			 0);
}

static void classic_prctl(struct harness *harness, struct tally_sim_task *task, int option)
{
	assert_int_equal(tally_sim_do(harness->sim, task,
				      &(struct tally_sim_step)SIM_CALL(call_prctl, &option)),
			 0);
}

/* prctl(): "all counters on the current process, whether created by this process or by another, and
 * doesn't affect any counters that this process has created on other processes. It only enables or
 * disables the group leaders, not any other members." */
static void test_prctl(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct classic_event leader, member;
	struct harness harness;
	struct tally_sim_task *task, *other;
	uint64_t before, stopped, elsewhere;
	int fd;

	harness_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, worker, 0);
	other = harness_spawn(&harness, worker, 1);
	tally_sim_run(harness.sim, US);
	attr.read_format = 0;
	/* The observer's, on the task; and the task's own, on another. */
	leader = classic_open(&harness, (struct tally_classic_attr){.config = 0}, task, -1);
	member = classic_open(&harness, (struct tally_classic_attr){.config = 1, .disabled = 1},
			      task, leader.fd);
	tally_sim_task_set_caps(task, ALL_CAPS);
	fd = harness_try(&harness, task, attr, tally_sim_task_tid(other), -1, -1);
	assert_true(fd >= 0);
	elsewhere = truth(&harness, other, 0, SIM_CYCLES);
	classic_prctl(&harness, task, TALLY_CLASSIC_PRCTL_DISABLE);
	stopped = classic_value(&harness, &leader);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(&harness, &leader), stopped);
	before = truth(&harness, task, 0, SIM_CYCLES);
	classic_prctl(&harness, task, TALLY_CLASSIC_PRCTL_ENABLE);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(&harness, &leader),
			 stopped + truth(&harness, task, 0, SIM_CYCLES) - before);
	assert_int_equal(classic_value(&harness, &member), 0);
	assert_int_equal(tally_sim_read(harness.sim, task, fd, &before, sizeof(before)),
			 sizeof(before));
	assert_int_equal(before, truth(&harness, other, 0, SIM_CYCLES) - elsewhere);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hardware),
		cmocka_unit_test(test_cannot_count),
		cmocka_unit_test(test_overcommit),
		cmocka_unit_test(test_software),
		cmocka_unit_test(test_software_of_tasks),
		cmocka_unit_test(test_overflows),
		cmocka_unit_test(test_names_and_mappings),
		cmocka_unit_test(test_munmap),
		cmocka_unit_test(test_enable_and_disable),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_prctl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
