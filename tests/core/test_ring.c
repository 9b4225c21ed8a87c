/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring buffers: no record is torn or out of order, and missing records are counted. Each test runs
 * with contiguous and with scattered pages. */
#include "base/arith.h"
#include "test_rings.h"

/* Return an event's number of lost samples, reading the event alone or with its group. */
static uint64_t lost_of(struct harness *harness, int fd, bool group)
{
	struct reading values[16];

	if (!group)
		return harness_read(harness, fd).lost;
	assert_int_equal(harness_read_group(harness, fd, values), 1);
	return values[0].lost;
}

/* If the reader is slow, the written and the lost samples add up to the samples that were due. */
static void check_lost(bool scattered, bool group)
{
	struct perf_event_attr attr = attr_ring(997);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};
	int fd;

	attr.read_format |= group ? PERF_FORMAT_GROUP : 0;
	ring_begin(&harness, 1, scattered);
	task = harness_spawn(&harness, script_worker, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 2);
	for (unsigned i = 0; i < 100; i++) {
		tally_sim_run(harness.sim, i * 10 * US);
		harness_drain(ring, &attr, &tale);
		assert_int_equal(tale.samples + lost_of(&harness, fd, group),
				 truth(&harness, task, 0, SIM_CYCLES) / 997);
	}
	assert_true(tale.lost > 0 && tale.lost_records > 50);
	/* The last lost samples are reported together with the next record that fits. */
	tally_sim_run(harness.sim, 100 * US);
	harness_drain(ring, &attr, &tale);
	assert_int_equal(tale.lost, lost_of(&harness, fd, group));
	assert_int_equal(tale.samples + tale.lost, truth(&harness, task, 0, SIM_CYCLES) / 997);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

static void lost_samples_are_counted(void **state)
{
	check_lost(*state, false);
	check_lost(*state, true);
}

/* Samples from children wake the reader of the parent's event. */
static void samples_of_children_wake_the_reader(void **state)
{
	static const struct tally_sim_step child[] = {SIM_RUN(SIM_USER, MS, &harness_busy),
						      SIM_EXIT()};
	static const struct tally_sim_step parent[] = {SIM_FORK(child), SIM_SLEEP(10 * MS),
						       SIM_EXIT()};
	struct perf_event_attr attr = attr_ring(30000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};
	int fd;

	attr.inherit = 1;
	attr.wakeup_events = 1;
	ring_begin(&harness, 1, *state);
	task = harness_spawn(&harness, parent, 0);
	fd = harness_open(&harness, attr, task, 0, -1);
	ring = harness_map(&harness, fd, 16);
	tally_sim_run(harness.sim, 5 * MS);
	harness_drain(ring, &attr, &tale);
	assert_int_equal(tale.samples, 100);
	assert_int_equal(tally_sim_notifications(harness.sim, harness.observer, fd).in, 100);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* With wakeup_events, there is exactly one wakeup per n samples. */
static void there_is_one_wakeup_per_n_samples(void **state)
{
	for (uint32_t every = 1; every <= 5; every++) {
		struct perf_event_attr attr = attr_ring(30000);
		struct harness harness;
		struct tally_sim_task *task;
		struct tally_ring *ring;
		struct ring_totals tale = {0};
		int fd;

		attr.wakeup_events = every;
		ring_begin(&harness, 1, *state);
		task = harness_spawn(&harness, script_hog, 0);
		fd = harness_open(&harness, attr, task, -1, -1);
		assert_int_equal(tally_sim_set_async(harness.sim, harness.observer, fd), 0);
		ring = harness_map(&harness, fd, 16);
		tally_sim_run(harness.sim, MS);
		harness_drain(ring, &attr, &tale);
		assert_int_equal(tally_sim_notifications(harness.sim, harness.observer, fd).in,
				 tale.samples / every);
		assert_int_equal(tally_sim_task_signals(harness.observer).async,
				 tale.samples / every);
		assert_true(tally_sim_poll(harness.sim, harness.observer, fd) & TALLY_CORE_POLLIN);
		assert_int_equal(tally_sim_poll(harness.sim, harness.observer, fd), 0);
		tally_ring_unmap(ring);
		harness_end(&harness);
	}
}

/* With wakeup_watermark, there is one wakeup each time that many bytes have been written. */
static void there_is_one_wakeup_per_watermark(void **state)
{
	enum { RECORD = 8 + 8 + 8 + 8 + 8 };
	struct perf_event_attr attr = attr_ring(30000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};
	int fd;

	attr.watermark = 1;
	attr.wakeup_watermark = 1000;
	ring_begin(&harness, 1, *state);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 16);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t bytes;

		tally_sim_run(harness.sim, 10 * US);
		harness_drain(ring, &attr, &tale);
		bytes = tale.samples * RECORD;
		/* The record that crosses the watermark causes the wakeup. */
		assert_in_range(tally_sim_notifications(harness.sim, harness.observer, fd).in,
				bytes / (1000 + RECORD), bytes / 1000);
	}
	assert_true(tale.samples == 300);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Return the header at an offset. Headers are aligned to 8 bytes and never wrap. */
static const struct perf_event_header *header_at(const struct tally_ring_data *data, size_t at)
{
	return (const void *)(at < data->first_len ? data->first + at
						   : data->second + at - data->first_len);
}

/* Return a 40-byte sample, which may wrap. */
static struct tally_sample sample_at(const struct tally_ring_data *data, size_t at,
				     const struct tally_sample_layout *layout)
{
	struct tally_sample sample;
	struct tally_error err;
	uint64_t words[5];

	for (size_t i = 0; i < 5; i++)
		memcpy(&words[i], header_at(data, at + 8 * i), 8);
	assert_int_equal(tally_sample_decode(layout, words, sizeof(words), &sample, &err), 0);
	return sample;
}

/* After a pause, an overwritable ring contains the newest records, complete and newest first. */
static void an_overwritable_ring_keeps_the_newest_records(void **state)
{
	struct perf_event_attr attr = attr_ring(3001);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_sample_layout layout;
	struct tally_ring_data data;
	struct tally_ring *ring;
	int fd;

	attr.write_backward = 1;
	ring_begin(&harness, 1, *state);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	assert_int_equal(tally_ring_map(&harness.transport.transport, fd, 2, true, &ring), 0);
	assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
	for (unsigned i = 1; i < 10; i++) {
		uint64_t time = UINT64_MAX, nr = 0;
		struct tally_sample sample;

		tally_sim_run(harness.sim, i * 77 * US);
		harness_ioctl(&harness, fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		tally_sim_run(harness.sim, 10 * US);
		assert_true(tally_ring_data(ring, &data));
		for (size_t at = 0; at < data.first_len + data.second_len;
		     at += header_at(&data, at)->size) {
			const struct perf_event_header *header = header_at(&data, at);

			/* LOST reports records that were not written during the pause. */
			if (header->type == PERF_RECORD_LOST)
				continue;
			assert_int_equal(header->type, PERF_RECORD_SAMPLE);
			assert_int_equal(header->size, 40);
			sample = sample_at(&data, at, &layout);
			assert_true(sample.time < time);
			time = sample.time;
			nr++;
		}
		assert_in_range(nr, TALLY_MIN(i * 70, 8192 / 40 - 2), 8192 / 40);
		tally_ring_consume(ring);
		harness_ioctl(&harness, fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	}
	tally_ring_unmap(ring);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(lost_samples_are_counted),
		BOTH(samples_of_children_wake_the_reader),
		BOTH(there_is_one_wakeup_per_n_samples),
		BOTH(there_is_one_wakeup_per_watermark),
		BOTH(an_overwritable_ring_keeps_the_newest_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
