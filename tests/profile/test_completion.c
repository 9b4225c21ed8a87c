/* SPDX-License-Identifier: BSD-2-Clause */
/* Additions to samples on their way: the user part of callchains, and a group's members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "profile/process/group_reads.h"
#include "profile/process/user_chain.h"

#include <cmocka.h>

enum { LEADER = 5, MEMBER = 6, X86_IP = 8 };

static struct tally_words words_of(const uint64_t *words, size_t nr)
{
	return (struct tally_words){(const uint8_t *)words, nr};
}

static void expect_chain(const struct tally_sample *sample, const uint64_t *words, size_t nr)
{
	assert_int_equal(sample->callchain.nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(tally_words_get(sample->callchain, i), words[i]);
}

/* ---- callchains ------------------------------------------------------------------ */

static void hardware_stacks_become_callchains(void **state)
{
	static const uint64_t recorded[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0x99,
					    (uint64_t)PERF_CONTEXT_USER, 0x13};
	static const uint64_t calls[] = {0x20, 0x13, 0, 0x30, 0x18, 0}; /* from, to, flags */
	static const uint64_t made[] = {
		(uint64_t)PERF_CONTEXT_KERNEL, 0x99, (uint64_t)PERF_CONTEXT_USER, 0x13, 0x20, 0x30};
	struct perf_event_attr attr = {.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK};
	struct tally_sample sample = {.present = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK};
	struct tally_user_chains chains;

	sample.callchain = words_of(recorded, TALLY_ARRAY_SIZE(recorded));
	sample.branches = words_of(calls, TALLY_ARRAY_SIZE(calls));
	tally_user_chains_init(&chains, NULL, "x86_64");
	assert_int_equal(tally_user_chain(&chains, &attr, NULL, &sample), 0);
	expect_chain(&sample, made, TALLY_ARRAY_SIZE(made));
	/* A branch stack that is not a call stack does not change the callchain. */
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	sample.callchain = words_of(recorded, TALLY_ARRAY_SIZE(recorded));
	assert_int_equal(tally_user_chain(&chains, &attr, NULL, &sample), 0);
	expect_chain(&sample, recorded, TALLY_ARRAY_SIZE(recorded));
	tally_user_chains_free(&chains);
}

static void stacks_that_cannot_be_unwound_have_a_leaf(void **state)
{
	static const uint64_t recorded[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0x99};
	static const uint64_t made[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0x99,
					(uint64_t)PERF_CONTEXT_USER, 0x13};
	static const uint64_t ip = 0x13;
	static const uint8_t dump[16];
	struct perf_event_attr attr = {0};
	struct tally_sample sample = {.present = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER};
	struct tally_user_chains chains;

	sample.callchain = words_of(recorded, TALLY_ARRAY_SIZE(recorded));
	sample.regs_user.abi = PERF_SAMPLE_REGS_ABI_32; /* only 64-bit stacks are unwound */
	sample.regs_user.mask = 1 << X86_IP;
	sample.regs_user.values = words_of(&ip, 1);
	sample.stack_user = (struct tally_bytes){dump, sizeof(dump)};
	tally_user_chains_init(&chains, NULL, "x86_64");
	assert_int_equal(tally_user_chain(&chains, &attr, NULL, &sample), 0);
	expect_chain(&sample, made, TALLY_ARRAY_SIZE(made));
	assert_int_equal(chains.unwinder.counts.foreign, 1);
	tally_user_chains_free(&chains);
}

/* ---- members of a group ---------------------------------------------------------- */

struct passed {
	size_t nr;
	uint32_t events[4];
	uint64_t periods[4];
};

static int on_member(void *arg, struct tally_feed_sample *sample)
{
	struct passed *passed = arg;

	assert_true(passed->nr < TALLY_ARRAY_SIZE(passed->events));
	passed->events[passed->nr] = sample->event;
	passed->periods[passed->nr++] = sample->period;
	return 0;
}

static const struct perf_event_attr *find(void *arg, uint64_t id, uint32_t *ret_event)
{
	if (id != LEADER && id != MEMBER)
		return NULL;
	*ret_event = (uint32_t)id - LEADER;
	return arg;
}

/* Pass on a sample of thread `tid` with two counts. */
static struct passed pass_counts(struct tally_group_reads *reads, int32_t tid, uint64_t leader,
				 uint64_t member)
{
	const uint64_t values[] = {leader, LEADER, member, MEMBER};
	struct passed passed = {0};
	struct tally_feed_sample sample = {.attr = reads->arg, .period = 1};

	sample.sample.present = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
	sample.sample.tid = tid;
	sample.sample.read = (struct tally_read){.format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
						 .nr = 2,
						 .group = words_of(values, 4)};
	assert_int_equal(tally_group_reads_pass(reads, &sample, on_member, &passed), 0);
	return passed;
}

static void members_get_the_increase(void **state)
{
	struct perf_event_attr attr = {0};
	struct tally_group_reads reads = {.find = find, .arg = &attr};
	struct passed passed = pass_counts(&reads, 1, 100, 7);

	assert_int_equal(passed.nr, 2);
	assert_int_equal(passed.events[1], 1);
	assert_int_equal(passed.periods[0], 100);
	assert_int_equal(passed.periods[1], 7);
	/* The same counter in another thread; a member without an increase is left out. */
	passed = pass_counts(&reads, 2, 150, 7);
	assert_int_equal(passed.nr, 1);
	assert_int_equal(passed.periods[0], 50);
	tally_group_reads_free(&reads);
}

static void inherited_counters_are_counted_by_thread(void **state)
{
	struct perf_event_attr attr = {.inherit = 1};
	struct tally_group_reads reads = {.find = find, .arg = &attr};
	struct passed passed;

	pass_counts(&reads, 1, 100, 7);
	passed = pass_counts(&reads, 2, 30, 2); /* less than in thread 1 */
	assert_int_equal(passed.periods[0], 30);
	assert_int_equal(passed.periods[1], 2);
	passed = pass_counts(&reads, 1, 120, UINT64_MAX);
	assert_int_equal(passed.periods[0], 20);
	passed = pass_counts(&reads, 1, 121, UINT64_MAX);
	assert_int_equal(passed.nr, 1);
	tally_group_reads_free(&reads);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hardware_stacks_become_callchains),
		cmocka_unit_test(stacks_that_cannot_be_unwound_have_a_leaf),
		cmocka_unit_test(members_get_the_increase),
		cmocka_unit_test(inherited_counters_are_counted_by_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
