/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/record.h"
#include "base/arith.h"
#include "profile/feed.h"

#include <cmocka.h>

enum { PID = 70, TID = 71, ADDRESS = 0x1234, PERIOD = 4000 };

struct fixture {
	struct tally_symbols *symbols;
	struct tally_feed feed;
	struct perf_event_attr attr;
	struct tally_sample_layout layout;
	struct tally_sample sample;
	struct tally_feed_sample facts;
};

static void setup_event(struct fixture *f, uint64_t more)
{
	f->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | more;
	assert_int_equal(tally_sample_layout_init(&f->layout, &f->attr), 0);
}

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){0};
	assert_int_equal(tally_symbols_new(NULL, &f.symbols), 0);
	assert_int_equal(tally_machine_new(f.symbols, &f.feed.machine), 0);
	setup_event(&f, 0);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_machine_free(f->feed.machine);
	tally_symbols_free(f->symbols);
	return 0;
}

static int feed(struct fixture *f, uint32_t type, uint16_t misc, uint8_t *record, size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};
	struct tally_feed_event event = {&f->layout, &f->attr};

	memcpy(record, &header, sizeof(header));
	return tally_feed_record(&f->feed, &event, record, len, &f->sample, &f->facts);
}

/* A sample of `len` bytes that has its period behind the address and the thread. */
static int feed_sample(struct fixture *f, uint16_t misc, uint64_t period, size_t len)
{
	uint8_t record[32];

	tally_put_u64(record + 8, ADDRESS);
	tally_put_u32(record + 16, PID);
	tally_put_u32(record + 20, TID);
	tally_put_u64(record + 24, period);
	return feed(f, PERF_RECORD_SAMPLE, misc, record, len);
}

static void samples_have_a_thread_and_a_mode(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(feed_sample(f, PERF_RECORD_MISC_GUEST_USER | 1 << 14, 0, 24), 1);
	assert_int_equal(f->sample.ip, ADDRESS);
	assert_int_equal(f->facts.cpumode, PERF_RECORD_MISC_GUEST_USER);
	assert_int_equal(f->facts.thread->pid, PID);
	assert_int_equal(f->facts.thread->tid, TID);
	assert_ptr_equal(f->facts.thread, tally_machine_thread(f->feed.machine, PID, TID));
	assert_int_equal(f->feed.counts.samples, 1);
	assert_int_equal(f->feed.counts.damaged, 0);
}

static void a_sample_weighs_its_period(void **state)
{
	static const struct {
		uint64_t in_sample;
		bool has_period, is_freq;
		uint64_t in_attr, weight;
	} rows[] = {
		{.in_sample = 7, .has_period = true, .in_attr = PERIOD, .weight = 7},
		{.in_sample = 0, .has_period = true, .in_attr = PERIOD, .weight = 0},
		{.in_sample = 7, .has_period = true, .is_freq = true, .in_attr = 99, .weight = 7},
		{.in_attr = PERIOD, .weight = PERIOD},
		{.in_attr = 0, .weight = 1},
		{.is_freq = true, .in_attr = 99, .weight = 1},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		bool has_period = rows[i].has_period;

		f->attr.freq = rows[i].is_freq;
		f->attr.sample_period = rows[i].in_attr;
		setup_event(f, has_period ? PERF_SAMPLE_PERIOD : 0);
		assert_int_equal(feed_sample(f, 0, rows[i].in_sample, has_period ? 32 : 24), 1);
		assert_int_equal(f->facts.weight, rows[i].weight);
	}
}

static void damaged_samples_are_counted(void **state)
{
	struct fixture *f = *state;
	struct tally_feed_event unknown = {0};
	uint8_t record[24] = {PERF_RECORD_SAMPLE};

	assert_int_equal(feed_sample(f, 0, 0, 16), 0);
	assert_int_equal(tally_feed_record(&f->feed, &unknown, record, sizeof(record), &f->sample,
					   &f->facts),
			 0);
	tally_feed_damaged(&f->feed, PERF_RECORD_SAMPLE);
	assert_int_equal(f->feed.counts.damaged_samples, 3);
	tally_feed_damaged(&f->feed, PERF_RECORD_COMM);
	assert_int_equal(tally_feed_record(&f->feed, &unknown, record, 7, &f->sample, &f->facts),
			 0);
	assert_int_equal(f->feed.counts.damaged, 5);
	assert_int_equal(f->feed.counts.damaged_samples, 3);
	assert_int_equal(f->feed.counts.samples, 0);
	assert_null(f->facts.thread);
}

static void what_was_lost_is_added_up(void **state)
{
	struct fixture *f = *state;
	uint8_t record[24] = {0};

	tally_put_u64(record + 8, 1000); /* LOST: the id */
	tally_put_u64(record + 16, 3);
	assert_int_equal(feed(f, PERF_RECORD_LOST, 0, record, 24), 0);
	assert_int_equal(feed(f, PERF_RECORD_LOST, 0, record, 24), 0);
	assert_int_equal(feed(f, PERF_RECORD_LOST, 0, record, 23), 0); /* too short to say */
	assert_int_equal(f->feed.counts.lost_records, 6);
	assert_int_equal(f->feed.counts.lost_samples, 0);
	tally_put_u64(record + 8, 5);
	assert_int_equal(feed(f, PERF_RECORD_LOST_SAMPLES, 0, record, 16), 0);
	assert_int_equal(feed(f, PERF_RECORD_LOST_SAMPLES, 0, record, 8), 0);
	assert_int_equal(f->feed.counts.lost_records, 6);
	assert_int_equal(f->feed.counts.lost_samples, 5);
	assert_int_equal(feed(f, PERF_RECORD_THROTTLE, 0, record, 24), 0);
	assert_int_equal(feed(f, PERF_RECORD_UNTHROTTLE, 0, record, 24), 0);
	assert_int_equal(f->feed.counts.throttled, 1);
}

static void other_records_reach_the_machine(void **state)
{
	struct fixture *f = *state;
	uint8_t record[24] = {0};

	tally_put_u32(record + 8, PID);
	tally_put_u32(record + 12, TID);
	strcpy((char *)record + 16, "make");
	assert_int_equal(feed(f, PERF_RECORD_COMM, 0, record, sizeof(record)), 0);
	assert_int_equal(feed_sample(f, PERF_RECORD_MISC_USER, 0, 24), 1);
	assert_string_equal(tally_machine_comm(f->feed.machine, f->facts.thread), "make");
	/* What is damaged of them the machine counts. */
	assert_int_equal(feed(f, PERF_RECORD_COMM, 0, record, 16), 0);
	assert_int_equal(tally_machine_stats(f->feed.machine)->damaged, 1);
	assert_int_equal(f->feed.counts.damaged, 0);
	/* Those of user space are nobody's. */
	assert_int_equal(feed(f, 79, 0, record, sizeof(record)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(samples_have_a_thread_and_a_mode, setup, teardown),
		cmocka_unit_test_setup_teardown(a_sample_weighs_its_period, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_samples_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_lost_is_added_up, setup, teardown),
		cmocka_unit_test_setup_teardown(other_records_reach_the_machine, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
