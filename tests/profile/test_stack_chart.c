/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks in the order of time: which bins without samples are idle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile_model.h"
#include "profile/stack_chart.h"

#include "fed_machine.h"

enum { TID = 7, STEP = 10000000, FUNCTIONS = 3 };

/* main, and its callees. */
enum { MAIN, ODD, EVEN };

struct charted_profile {
	struct tally_profile profile;
	struct tally_symbol symbols[FUNCTIONS];
	struct tally_stack_chart chart;
};

static void start(struct charted_profile *p, struct fixture *f)
{
	struct tally_thread *thread = tally_machine_thread(f->machine, TID, TID);

	assert_non_null(thread);
	memset(p, 0, sizeof(*p));
	p->profile.machine = f->machine;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		assert_int_equal(tally_vec_push(&p->profile.frames.all,
						(struct tally_frame){.symbol = &p->symbols[i]}),
				 0);
	for (uint32_t leaf = ODD; leaf <= EVEN; leaf++) {
		struct tally_bucket bucket = {.key.leaf = leaf + 1, .nr = 1, .period = 1};
		uint32_t callers[] = {MAIN}, hash = tally_stacks_hash(callers, 1);

		bucket.key.thread = thread->index;
		assert_int_equal(tally_stacks_find(&p->profile.stacks, callers, 1, hash,
						   &bucket.key.callers),
				 0);
		assert_int_equal(tally_vec_push(&p->profile.buckets, bucket), 0);
	}
}

/* Add a sample with a duration of a step. */
static void sample(struct charted_profile *p, uint64_t step, uint32_t leaf)
{
	struct tally_kept kept = {
		.time = (1000 + step) * STEP, .bucket = leaf - ODD, .weight = STEP};

	assert_int_equal(tally_vec_push(&p->profile.kept, kept), 0);
}

/* Chart a number of steps, one bin for each. Return the bins as text: the depth of each. */
static const char *depths(struct charted_profile *p, uint32_t nr, const uint8_t *passes)
{
	static char text[128];
	struct tally_stack_chart_options options = {
		.selection.passes = passes,
		.tid = TID,
		.is_time = true,
		.first = 1000 * (uint64_t)STEP,
		.last = (1000 + (uint64_t)nr) * STEP - 1,
		.nr_bins = nr,
	};

	assert_true(nr < sizeof(text));
	tally_stack_chart_free(&p->chart);
	assert_int_equal(tally_stack_chart_build(&p->profile, &options, &p->chart), 0);
	for (uint32_t i = 0; i < nr; i++)
		text[i] = (char)(p->chart.bins.data[i].nr ? '0' + p->chart.bins.data[i].nr : ' ');
	text[nr] = '\0';
	return text;
}

static void end(struct charted_profile *p)
{
	tally_stack_chart_free(&p->chart);
	tally_profile_free(&p->profile);
}

/* The thread has a third of its CPU: equal functions continue. */
static void waiting_for_a_cpu_is_not_idle(void **state)
{
	struct charted_profile p;

	start(&p, *state);
	for (uint64_t step = 1; step < 20; step += 3)
		sample(&p, step, step < 10 || step == 19 ? ODD : EVEN);
	assert_string_equal(depths(&p, 21, NULL), "22222222122222222122 ");
	for (uint32_t i = 1; i < 20; i++)
		assert_true(p.chart.bins.data[i].shared >= 1);
	end(&p);
}

/* Gaps between samples are idle time if they are longer than five sampling intervals, or wider than
 * two bins. */
static void longer_gaps_are_idle(void **state)
{
	struct charted_profile p;

	start(&p, *state);
	for (uint64_t step = 1; step < 5; step++)
		sample(&p, step, ODD);
	sample(&p, 8, ODD);
	sample(&p, 13, ODD);
	sample(&p, 14, ODD);
	assert_string_equal(depths(&p, 16, NULL), "222222222   222 ");
	assert_int_equal(p.chart.bins.data[8].shared, 2);
	end(&p);
}

static void excluded_samples_leave_gaps(void **state)
{
	static const uint8_t passes[] = {1, 0};
	struct charted_profile p;

	start(&p, *state);
	for (uint64_t step = 2; step < 16; step += 2)
		sample(&p, step, step == 8 ? EVEN : ODD);
	assert_string_equal(depths(&p, 16, passes), " 222222  222222 ");
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(waiting_for_a_cpu_is_not_idle, setup, teardown),
		cmocka_unit_test_setup_teardown(longer_gaps_are_idle, setup, teardown),
		cmocka_unit_test_setup_teardown(excluded_samples_leave_gaps, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
