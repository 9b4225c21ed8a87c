/* SPDX-License-Identifier: BSD-2-Clause */
/* The user page: a task reads its own counter with the algorithm given in perf_event_open(2). The
 * result is compared with the truth. */
#include "base/arith.h"
#include "scripts.h"
#include "tally/client.h"

/* A task that reads its own counter. */
struct player {
	struct harness *harness;
	int fd;
	volatile struct perf_event_mmap_page *page;
	struct perf_event_attr attr;
	unsigned checks, direct;
};

/* The processor that runs the task, as seen by the client library. */
struct processor {
	struct tally_sim *sim;
	struct tally_sim_task *task;
};

static uint64_t read_counter(void *arg, uint32_t number)
{
	const struct processor *processor = arg;

	return tally_sim_rdpmc(processor->sim, processor->task, number);
}

static uint64_t read_cycles(void *arg)
{
	const struct processor *processor = arg;

	return tally_sim_tsc(processor->sim);
}

/* Read the counter through the user page. Returns false if the page requires read(2). */
static bool self_read(struct tally_sim *sim, struct tally_sim_task *task,
		      const volatile struct perf_event_mmap_page *page, struct tally_count *count)
{
	struct processor processor = {sim, task};
	const struct tally_self_reader reader = {read_counter, read_cycles, &processor};

	return tally_self_read((const struct perf_event_mmap_page *)page, &reader, count);
}

static void open_self(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	struct player *player = arg;
	void *memory;

	player->fd = tally_sim_open(sim, task, &player->attr, 0, -1, -1, 0);
	assert_true(player->fd >= 0);
	assert_int_equal(tally_sim_mmap(sim, task, player->fd, 4096, 0, true, &memory), 0);
	player->page = memory;
	assert_int_equal(player->page->size, offsetof(struct perf_event_mmap_page, __reserved));
	assert_int_equal(player->page->cap_bit0_is_deprecated, 1);
}

/* Compare the results of the user page and read(2) with the truth. */
static void check_self(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	struct player *player = arg;
	struct tally_count self;
	bool direct = self_read(sim, task, player->page, &self);
	uint64_t words[5];

	assert_int_equal(tally_sim_read(sim, task, player->fd, words, sizeof(words)), 40);
	if (direct) {
		assert_int_equal(self.enabled, words[1]);
		assert_int_equal(self.value, words[0]);
		assert_int_equal(self.running, words[2]);
	}
	if (words[1] == words[2])
		assert_int_equal(words[0], truth(player->harness, task, 0, SIM_INSTRUCTIONS));
	player->checks++;
	player->direct += direct;
}

static void disable_self(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	struct player *player = arg;

	assert_int_equal(tally_sim_ioctl(sim, task, player->fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(player->page->index, 0);
	assert_int_equal((uint64_t)player->page->offset,
			 truth(player->harness, task, 0, SIM_INSTRUCTIONS));
}

static struct player player;

static const struct tally_sim_step script[] = {
	SIM_CALL(open_self, &player),
	SIM_LOOP(300),
	SIM_RUN(SIM_USER, 3001, &harness_busy),
	SIM_CALL(check_self, &player),
	SIM_RUN(SIM_KERNEL, 777, &harness_calm),
	SIM_MIGRATE(1),
	SIM_RUN(SIM_USER, 5003, &harness_busy),
	SIM_CALL(check_self, &player),
	SIM_SLEEP(1009),
	SIM_CALL(check_self, &player),
	SIM_MIGRATE(0),
	SIM_END_LOOP(),
	SIM_CALL(disable_self, &player),
	SIM_EXIT(),
};

/* Check that all of a task's self-reads use the counter, or that none do if this is not
 * possible. */
static void play(uint8_t width, bool cap, uint64_t period)
{
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1, .quantum_ns = 10 * US};
	struct harness harness;
	struct tally_sim_task *task;

	pmu.width = width;
	pmu.caps = cap ? TALLY_PMU_USER_READ : 0;
	harness_begin(&harness, 2, &config);
	tally_core_settings(tally_sim_core(harness.sim))->paranoid = 1;
	tally_core_settings(tally_sim_core(harness.sim))->tick_ns = 50 * US;
	tally_core_settings(tally_sim_core(harness.sim))->max_sample_rate = 1000000000;
	player = (struct player){.harness = &harness, .attr = attr_hw(SIM_INSTRUCTIONS)};
	player.attr.sample_period = period;
	harness_spawn(&harness, script_hog, 1);
	task = harness_spawn(&harness, script, 0);
	assert_true(tally_sim_run_until_exit(harness.sim, task, SECOND));
	assert_int_equal(player.checks, 900);
	assert_int_equal(player.direct, cap ? 900 : 0);
	harness_end(&harness);
}

static void self_reads_are_exact_at_all_widths(void **state)
{
	for (uint8_t width = 12; width <= 64; width += 4)
		play(width, true, 0);
}

static void self_reads_are_exact_while_sampling(void **state)
{
	play(48, true, 1009);
	play(20, true, 1000003);
}

static void self_reads_need_the_capability(void **state)
{
	play(48, false, 0);
}

/* With cap_user_time_zero, the parameters in the page convert values of the cycle counter to the
 * core's clock. */
static void the_page_converts_cycles_to_the_clock(void **state)
{
	struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_TASK_CLOCK);
	const volatile struct perf_event_mmap_page *page;
	struct harness harness;
	struct tally_sim_task *task;
	void *memory;
	int fd;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	assert_int_equal(tally_sim_mmap(harness.sim, harness.observer, fd, 4096, 0, false, &memory),
			 0);
	page = memory;
	assert_true(page->cap_user_time_zero && page->cap_user_time);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t tsc, ns;

		tally_sim_run(harness.sim, 12345);
		tsc = tally_sim_tsc(harness.sim);
		ns = page->time_zero + (tsc >> page->time_shift) * page->time_mult +
		     (((tsc & ((1ull << page->time_shift) - 1)) * page->time_mult) >>
		      page->time_shift);
		assert_int_equal(ns, tally_sim_now(harness.sim));
	}
	harness_end(&harness);
}

/* While a multiplexed event is not on a counter, its page contains its count. */
static void the_page_has_the_count_of_an_event_that_is_off(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	const volatile struct perf_event_mmap_page *page;
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
	struct harness harness;
	struct tally_sim_task *task;
	unsigned on = 0;
	void *memory;
	int fd;

	pmu.caps = TALLY_PMU_USER_READ;
	pmu.width = 32;
	harness_begin(&harness, 1, &config);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	for (unsigned i = 0; i < 6; i++)
		harness_open(&harness, attr_hw(SIM_BRANCHES), task, -1, -1);
	assert_int_equal(tally_sim_mmap(harness.sim, harness.observer, fd, 4096, 0, false, &memory),
			 0);
	page = memory;
	for (unsigned i = 0; i < 500; i++) {
		struct tally_count self;
		bool direct;
		struct reading reading;

		tally_sim_run(harness.sim, 2 * MS + 1);
		/* Read the page as the task itself would. The task is now running on CPU 0. */
		direct = self_read(harness.sim, task, page, &self);
		reading = harness_read(&harness, fd);
		on += direct;
		if (!direct) /* the page has the count from the last time the event was on */
			self = (struct tally_count){(uint64_t)page->offset, reading.enabled,
						    page->time_running, 0, 0};
		assert_int_equal(self.value, reading.value);
		assert_int_equal(self.enabled, reading.enabled);
		assert_int_equal(self.running, reading.running);
	}
	assert_in_range(on, 100, 450);
	harness_end(&harness);
}

/* The page of an inherited event includes the counts of exited children. */
static void the_page_includes_exited_children(void **state)
{
	static const struct tally_sim_step child[] = {SIM_RUN(SIM_USER, 20 * US, &harness_busy),
						      SIM_EXIT()};
	static const struct tally_sim_step parent[] = {SIM_RUN(SIM_USER, 10 * US, &harness_busy),
						       SIM_FORK(child),
						       SIM_CLONE(child),
						       SIM_SLEEP(100 * US),
						       SIM_LOOP(0),
						       SIM_RUN(SIM_USER, 7 * US, &harness_busy),
						       SIM_END_LOOP()};
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_count self;
	struct reading reading;
	void *memory;
	int fd;

	attr.inherit = 1;
	pmu.caps = TALLY_PMU_USER_READ;
	harness_begin(&harness, 1, &config);
	task = harness_spawn(&harness, parent, 0);
	fd = harness_open(&harness, attr, task, 0, -1);
	assert_int_equal(tally_sim_mmap(harness.sim, harness.observer, fd, 4096, 0, false, &memory),
			 0);
	tally_sim_run(harness.sim, 300 * US + 1);
	assert_true(self_read(harness.sim, task, memory, &self));
	reading = harness_read(&harness, fd);
	assert_int_equal(self.value, truth_tree(&harness, task, SIM_CYCLES));
	assert_int_equal(self.value, reading.value);
	assert_int_equal(self.enabled, reading.enabled);
	assert_int_equal(self.running, reading.running);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_reads_are_exact_at_all_widths),
		cmocka_unit_test(self_reads_are_exact_while_sampling),
		cmocka_unit_test(self_reads_need_the_capability),
		cmocka_unit_test(the_page_converts_cycles_to_the_clock),
		cmocka_unit_test(the_page_has_the_count_of_an_event_that_is_off),
		cmocka_unit_test(the_page_includes_exited_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
