/* SPDX-License-Identifier: BSD-2-Clause */
/* Optional sample fields: registers, stacks, limited callchains, timestamps from other clocks, and
 * group reads. */
#include "scripts.h"

static const struct tally_sim_step deep[] = {
	SIM_LOOP(0),
	SIM_SEGMENT(.mode = SIM_USER, .ns = 40 * US, .rates = &harness_busy, .ip = 0x7000,
		    .ip_len = 4, .depth = 40),
	SIM_SEGMENT(.mode = SIM_KERNEL, .ns = 20 * US, .rates = &harness_busy,
		    .ip = 0xffffffff80001000, .ip_len = 4, .depth = 9),
	SIM_END_LOOP()};

/* Sample a task every 30,000 cycles and check each of 100 samples with `look`. */
static void play_samples(struct perf_event_attr attr, const struct tally_core_settings *settings,
			 void (*look)(const struct tally_sample *sample,
				      const struct tally_sim_task *task))
{
	struct tally_sim_config config = {.pmus = &harness_pmu, .nr_pmus = 1, .settings = settings};
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	unsigned n = 0;

	attr.sample_period = 30000;
	attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	harness_begin(&harness, 1, &config);
	task = harness_spawn(&harness, deep, 0);
	ring = harness_map(&harness, harness_open(&harness, attr, task, -1, -1), 128);
	tally_sim_run(harness.sim, MS);
	for (; harness_record(ring, &attr, &record); n++) {
		assert_int_equal(record.header->type, PERF_RECORD_SAMPLE);
		look(&record.sample, task);
	}
	assert_int_equal(n, 100);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Check the registers of the interrupted context and of user space. A sample contains the registers
 * selected by the mask, in ascending order of register number. */
static void check_regs(const struct tally_sample *sample, const struct tally_sim_task *task)
{
	const uint64_t mask = 0x10081;
	uint64_t tid = (uint64_t)tally_sim_task_tid(task) << 32;

	assert_int_equal(sample->regs_user.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(sample->regs_intr.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(sample->regs_user.values.nr, 3);
	assert_int_equal(sample->regs_intr.values.nr, 3);
	for (uint64_t bits = mask, i = 0; bits; bits &= bits - 1, i++) {
		uint64_t number = (uint64_t)__builtin_ctzll(bits);

		assert_int_equal(tally_words_get(sample->regs_user.values, i),
				 1ull << 63 | tid | number);
		assert_int_equal(tally_words_get(sample->regs_intr.values, i), tid | number);
	}
}

static void samples_have_the_masked_registers(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);

	attr.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_user = attr.sample_regs_intr = 0x10081;
	play_samples(attr, NULL, check_regs);
}

/* The dump contains as much of the stack as exists, up to the requested size. */
static void check_stack(const struct tally_sample *sample, const struct tally_sim_task *task)
{
	assert_int_equal(sample->stack_user.len, SIM_STACK_BYTES);
	assert_true(sample->stack_user_size >= SIM_STACK_BYTES);
	for (unsigned i = 0; i < SIM_STACK_BYTES; i++)
		assert_int_equal(sample->stack_user.data[i], i & 0xff);
}

static void samples_have_the_existing_stack(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);

	attr.sample_type = PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = 1024;
	play_samples(attr, NULL, check_stack);
}

/* Check a callchain with `kernel` and `user` entries after their context markers. */
static void check_chain(const struct tally_sample *sample, uint64_t kernel, uint64_t user)
{
	uint64_t at = 0;

	assert_int_equal(sample->callchain.nr, kernel + !!kernel + user + !!user);
	if (kernel)
		assert_int_equal(tally_words_get(sample->callchain, at++),
				 (uint64_t)PERF_CONTEXT_KERNEL);
	for (uint64_t i = 0; i < kernel; i++)
		assert_int_equal(tally_words_get(sample->callchain, at++), sample->ip + i * 0x1000);
	if (user)
		assert_int_equal(tally_words_get(sample->callchain, at++),
				 (uint64_t)PERF_CONTEXT_USER);
	for (uint64_t i = 0; i < user; i++)
		assert_int_equal(tally_words_get(sample->callchain, at++), 0x7000 + i * 0x1000);
}

static bool in_kernel(const struct tally_sample *sample)
{
	return sample->ip >> 63;
}

static void check_whole_chain(const struct tally_sample *sample, const struct tally_sim_task *task)
{
	check_chain(sample, in_kernel(sample) ? 9 : 0, 40);
}

static void check_chain_without_kernel(const struct tally_sample *sample,
				       const struct tally_sim_task *task)
{
	check_chain(sample, 0, 40);
}

static void check_chain_without_user(const struct tally_sample *sample,
				     const struct tally_sim_task *task)
{
	check_chain(sample, in_kernel(sample) ? 9 : 0, 0);
}

/* The limit applies to the sum of kernel and user entries. */
static void check_short_chain(const struct tally_sample *sample, const struct tally_sim_task *task)
{
	check_chain(sample, in_kernel(sample) ? 9 : 0, in_kernel(sample) ? 3 : 12);
}

static void callchains_respect_limits_and_exclusions(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES), option;
	struct tally_core_settings settings;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	play_samples(attr, NULL, check_whole_chain);
	option = attr;
	option.exclude_callchain_kernel = 1;
	play_samples(option, NULL, check_chain_without_kernel);
	option = attr;
	option.exclude_callchain_user = 1;
	play_samples(option, NULL, check_chain_without_user);
	option = attr;
	option.sample_max_stack = 12;
	play_samples(option, NULL, check_short_chain);
	tally_core_settings_init(&settings);
	settings.max_stack = 12;
	play_samples(attr, &settings, check_short_chain);
}

/* With clockid, timestamps are from another clock. An unknown clock is rejected. */
static void check_clock(const struct tally_sample *sample, const struct tally_sim_task *task)
{
	/* The machine's CLOCK_TAI is 12 seconds ahead. */
	assert_in_range(sample->time, 12ull * SECOND, 12ull * SECOND + MS);
}

static void samples_use_the_clock_of_clockid(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;

	attr.use_clockid = 1;
	attr.clockid = 11;
	play_samples(attr, NULL, check_clock);
	attr.clockid = 3;
	harness_begin(&harness, 1, NULL);
	assert_int_equal(harness_try(&harness, harness.observer, attr, 0, -1, -1), -EINVAL);
	assert_string_equal(tally_sim_refusal(harness.sim)->field, "clockid");
	harness_end(&harness);
}

/* A leader's samples contain the counts of the whole group, all read at the same time. */
static void samples_read_the_group_at_one_time(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	uint64_t ids[3], n = 0;
	int fds[3];

	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TIME;
	attr.read_format |= PERF_FORMAT_GROUP;
	attr.sample_period = 30000;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < 3; i++) {
		attr.config = i;
		fds[i] = harness_open(&harness, attr, task, -1, i ? fds[0] : -1);
		ids[i] = harness_id(&harness, fds[i]);
		attr.sample_period = 0;
		attr.sample_type = 0;
	}
	attr = *tally_core_event_attr(tally_sim_event(harness.sim, harness.observer, fds[0]));
	ring = harness_map(&harness, fds[0], 64);
	tally_sim_run(harness.sim, MS);
	for (; harness_record(ring, &attr, &record); n++) {
		const struct tally_read *read = &record.sample.read;

		assert_int_equal(read->nr, 3);
		assert_int_equal(read->time_running, record.sample.time);
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(tally_read_get(read, i).id, ids[i]);
			assert_int_equal(tally_read_get(read, i).value,
					 record.sample.time * harness_busy.per_ms[i] / MS);
		}
	}
	assert_int_equal(n, 100);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* If a group does not fit into the largest record, the sample omits the counts, but remains
 * valid. */
static void a_sample_omits_the_counts_of_a_too_large_group(void **state)
{
	struct tally_core_settings settings;
	struct tally_sim_config config = {
		.pmus = &harness_pmu, .nr_pmus = 1, .settings = &settings};
	struct perf_event_attr attr = attr_hw(SIM_CYCLES), member = {.size = sizeof(member)};
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	unsigned n = 0;
	int leader;

	tally_core_settings_init(&settings);
	settings.paranoid = -1;
	settings.record_max = 0; /* raised to the minimum */
	attr.sample_period = 30000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	member.type = PERF_TYPE_SOFTWARE;
	member.config = PERF_COUNT_SW_DUMMY;
	harness_begin(&harness, 1, &config);
	task = harness_spawn(&harness, deep, 0);
	leader = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, leader, 16);
	for (int i = 0; i < 40; i++)
		harness_open(&harness, member, task, -1, leader);
	tally_sim_run(harness.sim, MS);
	for (; harness_record(ring, &attr, &record); n++) {
		assert_int_equal(record.header->size, 24);
		assert_int_equal(record.sample.read.nr, 0);
	}
	assert_int_equal(n, 100);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_omits_the_counts_of_a_too_large_group),
		cmocka_unit_test(samples_have_the_masked_registers),
		cmocka_unit_test(samples_have_the_existing_stack),
		cmocka_unit_test(callchains_respect_limits_and_exclusions),
		cmocka_unit_test(samples_use_the_clock_of_clockid),
		cmocka_unit_test(samples_read_the_group_at_one_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
