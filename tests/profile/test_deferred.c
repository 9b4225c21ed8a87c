/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples with deferred callchains: each sample is returned once, with the callers recorded for
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/process/deferred.h"
#include "random.h"

#include <cmocka.h>

enum { THREADS = 5, WORDS = 3 };

static struct tally_words words_of(const uint64_t *words, uint64_t nr)
{
	return (struct tally_words){(const uint8_t *)words, nr};
}

static void add(struct tally_deferred *deferred, int32_t tid, uint64_t cookie, uint64_t number,
		size_t size)
{
	uint8_t *record = calloc(1, size);
	struct tally_deferred_sample sample = {
		.record = record, .size = size, .tag = &number, .tag_size = sizeof(number)};

	memcpy(record, &number, size < 8 ? size : 8);
	assert_int_equal(tally_deferred_add(deferred, tid, cookie, &sample), 0);
	free(record); /* must not affect the queued copy */
}

static void join(struct tally_deferred *deferred, int32_t tid, uint64_t cookie)
{
	const uint64_t callers[WORDS] = {cookie, (uint64_t)tid, 7};

	assert_int_equal(tally_deferred_join(deferred, tid, cookie, words_of(callers, WORDS)), 0);
}

/* Expect this sample next, with the callers recorded for its cookie if `joined`. */
static void expect(struct tally_deferred *deferred, uint64_t number, uint64_t cookie, bool joined)
{
	struct tally_deferred_sample sample;

	assert_true(tally_deferred_next(deferred, &sample));
	assert_memory_equal(sample.tag, &number, sizeof(number));
	assert_memory_equal(sample.record, &number, sample.size < 8 ? sample.size : 8);
	assert_int_equal(sample.is_joined, joined);
	if (joined) {
		assert_int_equal(sample.callers.nr, WORDS);
		assert_int_equal(tally_words_get(sample.callers, 0), cookie);
	}
}

static void expect_none(struct tally_deferred *deferred)
{
	struct tally_deferred_sample sample;

	assert_false(tally_deferred_next(deferred, &sample));
}

/* ---- single cases ---------------------------------------------------------------- */

static void a_cookie_ends_a_callchain(void **state)
{
	const uint64_t marker = (uint64_t)PERF_CONTEXT_USER_DEFERRED;
	const uint64_t words[] = {(uint64_t)PERF_CONTEXT_KERNEL, 1, 2, marker, 99};
	uint64_t cookie = 0;

	assert_true(tally_deferred_cookie(words_of(words, 5), &cookie));
	assert_int_equal(cookie, 99);
	assert_true(tally_deferred_cookie(words_of(words + 3, 2), &cookie));
	assert_false(tally_deferred_cookie(words_of(words, 4), &cookie));
	assert_false(tally_deferred_cookie(words_of(words, 3), &cookie));
	assert_false(tally_deferred_cookie(words_of(words + 4, 1), &cookie));
	assert_false(tally_deferred_cookie(words_of(NULL, 0), &cookie));
}

static void samples_of_one_kernel_entry_share_callers(void **state)
{
	struct tally_deferred deferred = {0};

	add(&deferred, 7, 1, 100, 24);
	add(&deferred, 8, 1, 101, 5);
	add(&deferred, 7, 1, 102, 4000);
	expect_none(&deferred);
	join(&deferred, 7, 1);
	expect(&deferred, 100, 1, true);
	expect(&deferred, 102, 1, true);
	expect_none(&deferred);
	/* Add a sample after its callers have arrived. */
	add(&deferred, 7, 1, 103, 8);
	expect(&deferred, 103, 1, true);
	/* Add the same callers again, as another event would. */
	join(&deferred, 7, 1);
	expect_none(&deferred);
	join(&deferred, 8, 1);
	expect(&deferred, 101, 1, true);
	tally_deferred_free(&deferred);
}

static void ignores_callers_of_other_threads_and_cookies(void **state)
{
	struct tally_deferred deferred = {0};

	add(&deferred, 7, 1, 100, 24);
	join(&deferred, 7, 2);
	join(&deferred, 8, 1);
	expect_none(&deferred);
	join(&deferred, 7, 1);
	expect(&deferred, 100, 1, true);
	tally_deferred_free(&deferred);
}

static void joins_an_empty_list_of_callers(void **state)
{
	struct tally_deferred deferred = {0};
	struct tally_deferred_sample sample;

	add(&deferred, 7, 1, 100, 24);
	assert_int_equal(tally_deferred_join(&deferred, 7, 1, words_of(NULL, 0)), 0);
	assert_true(tally_deferred_next(&deferred, &sample));
	assert_true(sample.is_joined);
	assert_int_equal(sample.callers.nr, 0);
	tally_deferred_free(&deferred);
}

/* Samples without callers are returned in order of arrival when another cookie arrives, when the
 * thread exits or executes another program, and at the end. */
static void returns_samples_whose_callers_were_lost(void **state)
{
	struct tally_deferred deferred = {0};

	add(&deferred, 7, 1, 100, 24);
	add(&deferred, 8, 5, 101, 24);
	add(&deferred, 7, 2, 102, 24);
	expect(&deferred, 100, 1, false);
	expect_none(&deferred);
	join(&deferred, 7, 1); /* too late */
	expect_none(&deferred);
	tally_deferred_release(&deferred, 9);
	tally_deferred_release(&deferred, 8);
	expect(&deferred, 101, 5, false);
	add(&deferred, 9, 6, 103, 24);
	add(&deferred, 7, 2, 104, 24);
	tally_deferred_release_all(&deferred);
	expect(&deferred, 102, 2, false);
	expect(&deferred, 104, 2, false);
	expect(&deferred, 103, 6, false);
	expect_none(&deferred);
	assert_int_equal(deferred.used, 0);
	tally_deferred_free(&deferred);
}

/* If memory runs short, callers are dropped first, and then samples from the thread that has waited
 * longest. */
static void memory_is_bounded(void **state)
{
	enum { LIMIT = 64 << 10, SIZE = 1000, MANY = 5000 };
	struct tally_deferred deferred = {.limit = LIMIT};
	struct tally_deferred_sample sample;
	uint64_t next = 0;

	add(&deferred, -1, 3, MANY, SIZE);
	join(&deferred, -1, 3);
	expect(&deferred, MANY, 3, true);
	for (uint64_t i = 0; i < MANY; i++) {
		add(&deferred, (int32_t)i, i, i, SIZE);
		assert_true(deferred.used <= LIMIT);
		while (tally_deferred_next(&deferred, &sample)) {
			assert_memory_equal(sample.tag, &next, sizeof(next));
			assert_false(sample.is_joined);
			next++;
		}
	}
	assert_in_range(MANY - next, LIMIT / SIZE / 2, LIMIT / SIZE);
	/* The limit also applies to a single thread. A sample that exceeds the limit on its own is
	 * returned immediately. */
	for (uint64_t i = 0; i < 3; i++)
		add(&deferred, MANY, 1, MANY + i, LIMIT - 500);
	join(&deferred, MANY, 1);
	while (next < MANY)
		expect(&deferred, next++, 0, false);
	expect(&deferred, MANY, 1, false);
	expect(&deferred, MANY + 1, 1, false);
	expect(&deferred, MANY + 2, 1, true);
	expect_none(&deferred);
	tally_deferred_free(&deferred);
	assert_int_equal(deferred.used, 0);
}

static void frees_waiting_samples(void **state)
{
	struct tally_deferred deferred = {0};
	struct tally_deferred_sample sample;

	for (uint64_t i = 0; i < 40; i++)
		add(&deferred, (int32_t)(i % THREADS), 1, i, 24);
	join(&deferred, 1, 1);
	assert_true(tally_deferred_next(&deferred, &sample));
	tally_deferred_free(&deferred); /* ASan reports leaks */
	assert_int_equal(deferred.tasks.len, 0);
}

/* ---- random sequences -------------------------------------------------------------- */

/* A thread's stay in the kernel, with the samples taken during it. Callchain records may be lost,
 * arrive twice, or arrive before the last sample of the stay. */
struct kernel_stay {
	uint64_t cookie;
	uint64_t samples[8];
	size_t nr;
	bool is_joined;
};

static void stay_end(struct tally_deferred *deferred, const struct kernel_stay *stay,
		     uint64_t *nr_out)
{
	for (size_t i = 0; i < stay->nr; i++) {
		expect(deferred, stay->samples[i], stay->cookie, false);
		++*nr_out;
	}
}

static void returns_each_sample_of_random_sequences_once(void **state)
{
	enum { STEPS = 20000 };
	struct random random = random_start();
	struct tally_deferred deferred = {0};
	struct kernel_stay stays[THREADS] = {0};
	uint64_t number = 0, nr_out = 0, next_cookie = 1;

	for (int step = 0; step < STEPS; step++) {
		int32_t tid = (int32_t)random_below(&random, THREADS);
		struct kernel_stay *stay = &stays[tid];

		/* A new stay begins. The callchain record of the previous one was lost. */
		if (!stay->cookie || !random_below(&random, 8)) {
			if (stay->nr)
				tally_deferred_release(&deferred, tid);
			stay_end(&deferred, stay, &nr_out);
			*stay = (struct kernel_stay){.cookie = next_cookie++};
		}
		if (!random_below(&random, 4) && (stay->nr || stay->is_joined)) {
			join(&deferred, tid, stay->cookie);
			for (size_t i = 0; i < stay->nr; i++, nr_out++)
				expect(&deferred, stay->samples[i], stay->cookie, true);
			stay->nr = 0;
			stay->is_joined = true;
		} else if (stay->nr < 8) {
			add(&deferred, tid, stay->cookie, number, 8 + random_below(&random, 100));
			if (stay->is_joined) {
				expect(&deferred, number, stay->cookie, true);
				nr_out++;
			} else {
				stay->samples[stay->nr++] = number;
			}
			number++;
		}
		expect_none(&deferred);
	}
	for (int32_t tid = 0; tid < THREADS; tid++) {
		tally_deferred_release(&deferred, tid);
		stay_end(&deferred, &stays[tid], &nr_out);
	}
	assert_int_equal(nr_out, number);
	assert_int_equal(deferred.used, 0);
	tally_deferred_free(&deferred);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cookie_ends_a_callchain),
		cmocka_unit_test(samples_of_one_kernel_entry_share_callers),
		cmocka_unit_test(ignores_callers_of_other_threads_and_cookies),
		cmocka_unit_test(joins_an_empty_list_of_callers),
		cmocka_unit_test(returns_samples_whose_callers_were_lost),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(frees_waiting_samples),
		cmocka_unit_test(returns_each_sample_of_random_sequences_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
