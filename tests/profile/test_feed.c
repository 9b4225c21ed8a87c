/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "profile/process/feed.h"

#include <cmocka.h>

enum { PID = 70, TID = 71, ADDRESS = 0x1234, PERIOD = 4000 };

/* A copy of a sample that was passed on, and of its callchain and tag. */
struct passed {
	struct tally_feed_sample sample;
	uint64_t words[8], nr_words;
	int tag;
	char comm[16];
};

struct fixture {
	struct tally_symbols *symbols;
	struct tally_feed feed;
	struct perf_event_attr attr;
	struct tally_sample_layout layout;
	/* The samples passed on; `nr_taken` of them have been checked. */
	struct passed passed[8];
	size_t nr, nr_taken;
};

/* Keep the sample, because it is valid only during the call. */
static int on_sample(void *arg, struct tally_feed_sample *sample)
{
	struct fixture *f = arg;
	struct passed *passed = &f->passed[f->nr % TALLY_ARRAY_SIZE(f->passed)];

	f->nr++;
	passed->sample = *sample;
	passed->nr_words = sample->sample.callchain.nr;
	assert_true(passed->nr_words <= TALLY_ARRAY_SIZE(passed->words));
	for (uint64_t i = 0; i < passed->nr_words; i++)
		passed->words[i] = tally_words_get(sample->sample.callchain, i);
	passed->tag = sample->tag ? *(const int *)sample->tag : 0;
	snprintf(passed->comm, sizeof(passed->comm), "%s",
		 tally_machine_comm(f->feed.machine, sample->thread));
	return 0;
}

/* Return the next sample that was passed on, or NULL. */
static const struct passed *take(struct fixture *f)
{
	return f->nr_taken < f->nr ? &f->passed[f->nr_taken++ % TALLY_ARRAY_SIZE(f->passed)] : NULL;
}

static void setup_event(struct fixture *f, uint64_t more)
{
	f->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | more;
	assert_int_equal(tally_sample_layout_init(&f->layout, &f->attr), 0);
}

static int setup(void **state)
{
	static struct fixture f;
	struct tally_machine *machine;

	f = (struct fixture){0};
	assert_int_equal(tally_symbols_new(NULL, &f.symbols), 0);
	assert_int_equal(tally_machine_new(f.symbols, &machine), 0);
	tally_feed_init(&f.feed, machine, on_sample, &f);
	setup_event(&f, 0);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_feed_free(&f->feed);
	tally_machine_free(f->feed.machine);
	tally_symbols_free(f->symbols);
	return 0;
}

static int feed(struct fixture *f, uint32_t type, uint16_t misc, uint8_t *record, size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};
	struct tally_feed_event event = {&f->layout, &f->attr};

	memcpy(record, &header, sizeof(header));
	return tally_feed_record(&f->feed, &event, record, len);
}

/* Feed a sample of `len` bytes, with the period after the address and the thread. */
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
	const struct tally_feed_sample *sample = &f->passed[0].sample;

	assert_int_equal(feed_sample(f, PERF_RECORD_MISC_GUEST_USER | 1 << 14, 0, 24), 0);
	assert_int_equal(f->nr, 1);
	assert_int_equal(sample->sample.ip, ADDRESS);
	assert_int_equal(sample->cpumode, PERF_RECORD_MISC_GUEST_USER);
	assert_int_equal(sample->thread->pid, PID);
	assert_int_equal(sample->thread->tid, TID);
	assert_ptr_equal(sample->thread, tally_machine_thread(f->feed.machine, PID, TID));
	assert_ptr_equal(sample->attr, &f->attr);
	assert_int_equal(f->feed.counts.samples, 1);
	assert_int_equal(f->feed.counts.damaged, 0);
}

static void samples_have_a_period(void **state)
{
	static const struct {
		uint64_t in_sample;
		bool has_period, is_freq;
		uint64_t in_attr, period;
	} rows[] = {
		{.in_sample = 7, .has_period = true, .in_attr = PERIOD, .period = 7},
		{.in_sample = 0, .has_period = true, .in_attr = PERIOD, .period = 0},
		{.in_sample = 7, .has_period = true, .is_freq = true, .in_attr = 99, .period = 7},
		{.in_attr = PERIOD, .period = PERIOD},
		{.in_attr = 0, .period = 1},
		{.is_freq = true, .in_attr = 99, .period = 1},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		bool has_period = rows[i].has_period;

		f->attr.freq = rows[i].is_freq;
		f->attr.sample_period = rows[i].in_attr;
		setup_event(f, has_period ? PERF_SAMPLE_PERIOD : 0);
		assert_int_equal(feed_sample(f, 0, rows[i].in_sample, has_period ? 32 : 24), 0);
		assert_int_equal(take(f)->sample.period, rows[i].period);
	}
}

static void damaged_samples_are_counted(void **state)
{
	struct fixture *f = *state;
	struct tally_feed_event unknown = {0};
	uint8_t record[24] = {PERF_RECORD_SAMPLE};

	assert_int_equal(feed_sample(f, 0, 0, 16), 0);
	assert_int_equal(tally_feed_record(&f->feed, &unknown, record, sizeof(record)), 0);
	tally_feed_damaged(&f->feed, PERF_RECORD_SAMPLE);
	assert_int_equal(f->feed.counts.damaged_samples, 3);
	tally_feed_damaged(&f->feed, PERF_RECORD_COMM);
	assert_int_equal(tally_feed_record(&f->feed, &unknown, record, 7), 0);
	assert_int_equal(f->feed.counts.damaged, 5);
	assert_int_equal(f->feed.counts.damaged_samples, 3);
	assert_int_equal(f->feed.counts.samples, 0);
	assert_null(take(f));
}

static void adds_up_lost_records(void **state)
{
	struct fixture *f = *state;
	uint8_t record[24] = {0};

	tally_put_u64(record + 8, 1000); /* event ID in PERF_RECORD_LOST */
	tally_put_u64(record + 16, 3);
	assert_int_equal(feed(f, PERF_RECORD_LOST, 0, record, 24), 0);
	assert_int_equal(feed(f, PERF_RECORD_LOST, 0, record, 24), 0);
	/* This record is too short to contain the number of lost records. */
	assert_int_equal(feed(f, PERF_RECORD_LOST, 0, record, 23), 0);
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
	assert_int_equal(feed_sample(f, PERF_RECORD_MISC_USER, 0, 24), 0);
	assert_string_equal(take(f)->comm, "make");
	/* The machine counts damaged records. */
	assert_int_equal(feed(f, PERF_RECORD_COMM, 0, record, 16), 0);
	assert_int_equal(tally_machine_stats(f->feed.machine)->damaged, 1);
	assert_int_equal(f->feed.counts.damaged, 0);
	/* Records of user-defined types are ignored. */
	assert_int_equal(feed(f, 79, 0, record, sizeof(record)), 0);
}

/* ---- deferred callchains -------------------------------------------------------- */

enum { COOKIE = 0x100000005, KERNEL_IP = 0x10, USER_IP = 0x20 };

static void setup_deferred(struct fixture *f)
{
	f->attr.sample_id_all = f->attr.defer_callchain = f->feed.joins = 1;
	setup_event(f, PERF_SAMPLE_CALLCHAIN);
}

static size_t put_words(uint8_t *record, size_t at, const uint64_t *words, uint64_t nr)
{
	tally_put_u64(record + at, nr);
	if (nr)
		memcpy(record + at + 8, words, 8 * nr);
	return at + 8 + 8 * nr;
}

static size_t put_thread(uint8_t *record, size_t at, int32_t tid)
{
	tally_put_u32(record + at, PID);
	tally_put_u32(record + at + 4, (uint32_t)tid);
	return at + 8;
}

/* Feed a sample taken in the kernel, with `tag`. */
static int feed_deferred_sample(struct fixture *f, int32_t tid, uint64_t cookie, int tag)
{
	const uint64_t words[] = {(uint64_t)PERF_CONTEXT_KERNEL, KERNEL_IP,
				  (uint64_t)PERF_CONTEXT_USER_DEFERRED, cookie};
	struct tally_feed_event event = {&f->layout, &f->attr, 0, &tag, sizeof(tag)};
	uint8_t record[64] = {0};
	struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 0};

	tally_put_u64(record + 8, KERNEL_IP);
	header.size = (uint16_t)put_words(record, put_thread(record, 16, tid), words, 4);
	memcpy(record, &header, sizeof(header));
	return tally_feed_record(&f->feed, &event, record, header.size);
}

static int feed_callers(struct fixture *f, int32_t tid, uint64_t cookie, const uint64_t *words,
			uint64_t nr)
{
	uint8_t record[128] = {0};

	tally_put_u64(record + 8, cookie);
	return feed(f, PERF_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER, record,
		    put_thread(record, put_words(record, 16, words, nr), tid));
}

/* Check that the next sample has this tag and callchain. */
static void expect_waited(struct fixture *f, int tag, const uint64_t *words, uint64_t nr)
{
	const struct passed *passed = take(f);

	assert_non_null(passed);
	assert_int_equal(passed->tag, tag);
	assert_int_equal(passed->nr_words, nr);
	assert_memory_equal(passed->words, words, nr * sizeof(*words));
	assert_int_equal(passed->sample.sample.ip, KERNEL_IP);
	assert_int_equal(passed->sample.sample.tid, passed->sample.thread->tid);
	assert_int_equal(passed->sample.cpumode, PERF_RECORD_MISC_KERNEL);
}

static void expect_no_more(struct fixture *f)
{
	assert_null(take(f));
}

static const uint64_t user_words[] = {(uint64_t)PERF_CONTEXT_USER, USER_IP, USER_IP + 1};
static const uint64_t joined_words[] = {(uint64_t)PERF_CONTEXT_KERNEL, KERNEL_IP,
					(uint64_t)PERF_CONTEXT_USER, USER_IP, USER_IP + 1};

static void callers_replace_their_cookie(void **state)
{
	struct fixture *f = *state;

	setup_deferred(f);
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE, 1), 0);
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE, 2), 0);
	assert_int_equal(f->feed.counts.samples, 2);
	assert_int_equal(feed_callers(f, TID, COOKIE + 2, user_words, 3), 0);
	assert_int_equal(feed_callers(f, TID + 1, COOKIE, user_words, 3), 0);
	expect_no_more(f);
	assert_int_equal(feed_callers(f, TID, COOKIE, user_words, 3), 0);
	expect_waited(f, 1, joined_words, 5);
	expect_waited(f, 2, joined_words, 5);
	expect_no_more(f);
	/* Callers without a context marker are treated as user-space addresses as well. */
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE + 4, 3), 0);
	assert_int_equal(feed_callers(f, TID, COOKIE + 4, user_words + 1, 2), 0);
	expect_waited(f, 3, joined_words, 5);
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE + 6, 4), 0);
	assert_int_equal(feed_callers(f, TID, COOKIE + 6, NULL, 0), 0);
	expect_waited(f, 4, joined_words, 2);
	assert_int_equal(f->feed.counts.unjoined, 0);
	assert_int_equal(f->feed.counts.damaged, 0);
}

/* A record that is too short for its number of words is ignored. */
static void ignores_damaged_callchain_records(void **state)
{
	struct fixture *f = *state;
	uint8_t record[64] = {0};
	uint64_t huge[] = {6, 7, 1ull << 61, UINT64_MAX};

	setup_deferred(f);
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE, 1), 0);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(huge); i++) {
		tally_put_u64(record + 8, COOKIE);
		tally_put_u64(record + 16, huge[i]);
		put_thread(record, 56, TID); /* space for four words and a trailer */
		assert_int_equal(feed(f, PERF_RECORD_CALLCHAIN_DEFERRED, 0, record, 64), 0);
	}
	assert_int_equal(feed(f, PERF_RECORD_CALLCHAIN_DEFERRED, 0, record, 24), 0);
	assert_int_equal(feed(f, PERF_RECORD_CALLCHAIN_DEFERRED, 0, record, 8), 0);
	assert_int_equal(f->feed.counts.damaged, TALLY_ARRAY_SIZE(huge) + 2);
	expect_no_more(f);
	assert_int_equal(tally_feed_end(&f->feed), 0);
	expect_waited(f, 1, joined_words, 2);
	assert_int_equal(f->feed.counts.unjoined, 1);
}

/* When a thread calls exec or exits, its pending samples are returned first, because their callers
 * can no longer be determined. */
static void releases_samples_when_their_thread_ends(void **state)
{
	struct fixture *f = *state;
	uint8_t comm[32] = {0}, task[40] = {0};

	setup_deferred(f);
	put_thread(comm, 8, TID);
	strcpy((char *)comm + 16, "sh");
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE, 1), 0);
	assert_int_equal(feed(f, PERF_RECORD_COMM, 0, comm, sizeof(comm)), 0);
	expect_no_more(f); /* only the thread's name changed */
	strcpy((char *)comm + 16, "cc1");
	assert_int_equal(feed(f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, comm, sizeof(comm)),
			 0);
	assert_string_equal(f->passed[0].comm, "sh");
	expect_waited(f, 1, joined_words, 2);
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE, 2), 0);
	assert_int_equal(feed_deferred_sample(f, TID + 1, COOKIE + 2, 3), 0);
	tally_put_u32(task + 16, TID);
	assert_int_equal(feed(f, PERF_RECORD_EXIT, 0, task, sizeof(task)), 0);
	expect_waited(f, 2, joined_words, 2);
	expect_no_more(f);
	/* Another cookie ends the wait, too; the next record passes the sample on. */
	assert_int_equal(feed_deferred_sample(f, TID + 1, COOKIE + 4, 4), 0);
	expect_no_more(f);
	assert_int_equal(feed(f, PERF_RECORD_COMM, 0, comm, sizeof(comm)), 0);
	expect_waited(f, 3, joined_words, 2);
	expect_no_more(f);
	assert_int_equal(f->feed.counts.unjoined, 3);
}

/* Samples wait only if the caller requests it and the event was recorded with defer_callchain. */
static void samples_wait_only_on_request(void **state)
{
	struct fixture *f = *state;

	setup_deferred(f);
	f->feed.joins = false;
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE, 1), 0);
	assert_int_equal(take(f)->nr_words, 4);
	f->feed.joins = true;
	f->attr.defer_callchain = 0;
	assert_int_equal(feed_deferred_sample(f, TID, COOKIE, 1), 0);
	assert_int_equal(take(f)->nr_words, 4);
	assert_int_equal(tally_feed_end(&f->feed), 0);
	expect_no_more(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(samples_have_a_thread_and_a_mode, setup, teardown),
		cmocka_unit_test_setup_teardown(samples_have_a_period, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_samples_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(adds_up_lost_records, setup, teardown),
		cmocka_unit_test_setup_teardown(other_records_reach_the_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(callers_replace_their_cookie, setup, teardown),
		cmocka_unit_test_setup_teardown(ignores_damaged_callchain_records, setup, teardown),
		cmocka_unit_test_setup_teardown(releases_samples_when_their_thread_ends, setup,
						teardown),
		cmocka_unit_test_setup_teardown(samples_wait_only_on_request, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
