/* SPDX-License-Identifier: BSD-2-Clause */
/* Check the times, IDs and branches in samples, no matter where the interrupt occurs. */
#include "core/minimal/step.h"
#include "core/mini_test.h"
#include "probe.h"
#include "tier.h"

static const struct tally_core_sample_data in_kernel = {.mode = PERF_RECORD_MISC_KERNEL};

static struct mini mini;

static struct {
	struct tally_core_buffer *buffer;
	uint64_t began;  /* time when the event was opened */
	uint64_t points; /* number of instructions at which an interrupt was tried */
	uint64_t samples;
} scene;

static void scene_begin(void)
{
	struct perf_event_attr attr = attr_counter(100);
	struct tally_core_settings settings;

	memset(&scene, 0, sizeof(scene));
	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	mini_test_begin(&mini, 1, &settings);
	mini_switch(&mini, mini.tasks[0]);
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	scene.began = mini.now;
	must_map(&mini, must_open(&mini, attr, mini.tasks[0], -1, -1), 8, &scene.buffer);
}

static void overflow_here(void *arg)
{
	if (mini.paused || mini.nmi || !mini.cpus[0].counters[0].owner)
		return;
	mini_count(&mini, 0, 100);
	scene.samples += mini_overflow(&mini, 0, &in_kernel);
}

/* Check that the enabled and running times in each sample equal the age of the event, because the
 * task has been running all the time. */
static void check_samples(void)
{
	struct {
		struct perf_event_header header;
		uint64_t value, enabled, running;
	} sample;

	while (tally_core_buffer_read(scene.buffer, &sample, sizeof(sample)) > 0) {
		if (sample.header.type != PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(sample.enabled, mini.now - scene.began);
		assert_int_equal(sample.running, mini.now - scene.began);
	}
}

/* Run `call` repeatedly, each time with an interrupt `stride` instructions later than before. */
static void step_through(void (*call)(void), uint64_t stride)
{
	uint64_t taken, at = 1;

	if (!mini_can_step())
		probe_skip("this machine does not stop after each instruction");
	scene_begin();
	do {
		mini.now += 1000;
		mini_step_begin(overflow_here, NULL, at);
		call();
		taken = mini_step_end();
		check_samples();
		scene.points++;
	} while (taken >= at && (at += stride * tier_step(15)));
	assert_true(scene.points > (tier_step(15) > 1 ? 2 : 10));
	assert_true(scene.samples > 5 / tier_step(15));
	mini_end(&mini);
}

static void read_times(void)
{
	uint64_t words[3];

	assert_int_equal(mini_read(&mini, 0, words, sizeof(words)), sizeof(words));
}

static void tick(void)
{
	mini_tick(&mini);
}

/* Switch the task out and back in without advancing the clock. */
static void switch_away(void)
{
	mini_switch(&mini, NULL);
	mini_switch(&mini, mini.tasks[0]);
}

static void samples_during_a_read_have_true_times(void **state)
{
	step_through(read_times, MINI_STRIDE);
}

static void samples_during_a_tick_have_true_times(void **state)
{
	step_through(tick, 7 * MINI_WIDER);
}

static void samples_during_a_switch_have_true_times(void **state)
{
	step_through(switch_away, 17 * MINI_WIDER);
}

/* ---- IDs --------------------------------------------------------------------------------- */

static struct tally_core_buffer *open_on(const struct mini_task *task)
{
	struct perf_event_attr attr = attr_counter(100);
	struct tally_core_buffer *buffer;

	attr.sample_type = PERF_SAMPLE_TID;
	must_map(&mini, must_open(&mini, attr, task, -1, -1), 8, &buffer);
	return buffer;
}

static uint64_t check_ids(struct tally_core_buffer *buffer, const struct mini_task *task)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
	} sample;
	uint64_t samples = 0;

	while (tally_core_buffer_read(buffer, &sample, sizeof(sample)) > 0) {
		if (sample.header.type != PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(sample.tid, task->perf.tid);
		samples++;
	}
	return samples;
}

static void samples_during_a_switch_have_the_ids_of_their_task(void **state)
{
	struct tally_core_buffer *buffers[2];
	struct tally_core_settings settings;
	struct mini_task *tasks[2];
	uint64_t taken, at = 1, samples[2] = {0};

	if (!mini_can_step())
		probe_skip("this machine does not stop after each instruction");
	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	mini_test_begin(&mini, 1, &settings);
	tasks[0] = mini.tasks[0];
	tasks[1] = mini_task_new(&mini);
	for (int i = 0; i < 2; i++)
		buffers[i] = open_on(tasks[i]);
	do {
		mini_switch(&mini, tasks[0]);
		mini_step_begin(overflow_here, NULL, at);
		mini_switch(&mini, tasks[1]);
		taken = mini_step_end();
		for (int i = 0; i < 2; i++)
			samples[i] += check_ids(buffers[i], tasks[i]);
	} while (taken >= at && (at += 7 * MINI_WIDER * tier_step(15)));
	assert_true(samples[0] > 5 / tier_step(15) && samples[1] > 5 / tier_step(15));
	mini_end(&mini);
}

/* ---- branches ---------------------------------------------------------------------------- */

__attribute__((noinline)) static void dirty_stack(void)
{
	volatile char junk[8192];

	memset((void *)junk, 0xa5, sizeof(junk));
}

static void branch_counters_without_values_are_zero(void **state)
{
	static const struct perf_branch_entry branches[4] = {{.from = 1}, {.from = 2}};
	const struct tally_core_sample_data data = {.ip = 0x1234,
						    .mode = PERF_RECORD_MISC_USER,
						    .branches = branches,
						    .nr_branches = 4};
	struct perf_event_attr attr = attr_counter(100);
	struct tally_core_buffer *buffer;
	const struct perf_event_header *header;
	uint64_t words[32] = {0};
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type =
		PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_COUNTERS;
	fd = mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), -1, 0, -1, 0);
	if (fd >= 0) {
		must_map(&mini, fd, 8, &buffer);
		dirty_stack();
		mini_count(&mini, 0, 100);
		assert_true(mini_overflow(&mini, 0, &data));
		header = tally_core_buffer_page(buffer, 1);
		assert_in_range(header->size, 24 + sizeof(branches), sizeof(words));
		memcpy(words, header, header->size);
		assert_memory_equal(&words[3], branches, sizeof(branches));
		for (size_t i = 3 + sizeof(branches) / 8; i < 32; i++)
			assert_int_equal(words[i], 0);
	}
	mini_end(&mini);
}

/* The driver passes more branches than fit into a record. */
static void a_sample_with_too_many_branches_is_counted_as_lost(void **state)
{
	static const struct perf_branch_entry branches[5000];
	const struct tally_core_sample_data data = {
		.mode = PERF_RECORD_MISC_USER, .branches = branches, .nr_branches = 5000};
	struct perf_event_attr attr = attr_counter(10);
	struct perf_event_mmap_page *page;
	uint64_t words[2];
	int fd;

	mini_test_begin_running(&mini);
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.read_format = PERF_FORMAT_LOST;
	fd = must_open(&mini, attr, NULL, 0, -1);
	page = must_map(&mini, fd, 32, NULL);
	mini_count(&mini, 0, 10);
	mini_overflow(&mini, 0, &data);
	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), 16);
	assert_true(page->data_head < 65536);
	assert_true(page->data_head || words[1] == 1);
	mini_end(&mini);
}

/* ---- groups ------------------------------------------------------------------------------ */

static void overflow_of_member(struct mini *where, enum mini_point point, const volatile void *what)
{
	const struct tally_core_hw *hw = where->cpus[0].counters[1].owner;

	if (point != MINI_AT_STOP || what != hw)
		return;
	where->now += 1000;
	mini_count(where, 1, 100);
	scene.samples += mini_overflow(where, 1, &in_kernel);
}

/* By the time the member is sampled, the leader has used up its limit and is disabled. */
static void the_time_of_a_member_ends_when_its_leader_is_disabled(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	struct tally_core_buffer *buffer;
	uint64_t words[3];
	int leader;

	scene.samples = 0;
	mini_test_begin(&mini, 1, NULL);
	attr.disabled = 1;
	leader = must_open(&mini, attr, NULL, 0, -1);
	attr.disabled = 0;
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	must_map(&mini, must_open(&mini, attr, NULL, 0, leader), 8, &buffer);
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_REFRESH, 1);
	mini.now += 1000;
	mini_count(&mini, 0, 100);
	mini.at = overflow_of_member;
	mini_overflow(&mini, 0, &in_kernel);
	mini.at = NULL;
	assert_int_equal(scene.samples, 1);
	assert_int_equal(tally_core_buffer_read(buffer, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[2], 1000);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_during_a_read_have_true_times),
		cmocka_unit_test(samples_during_a_tick_have_true_times),
		cmocka_unit_test(samples_during_a_switch_have_true_times),
		cmocka_unit_test(samples_during_a_switch_have_the_ids_of_their_task),
		cmocka_unit_test(branch_counters_without_values_are_zero),
		cmocka_unit_test(a_sample_with_too_many_branches_is_counted_as_lost),
		cmocka_unit_test(the_time_of_a_member_ends_when_its_leader_is_disabled),
	};

	return cmocka_run_group_tests_name("core/minimal_sample", tests, NULL, NULL);
}
