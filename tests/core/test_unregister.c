/* SPDX-License-Identifier: BSD-2-Clause */
/* Unregistering PMUs and tracepoints that are in use, large numbers of PMUs, and iterating over all
 * events. */
#include "scripts.h"

enum { MANY = 40 };

/* A PMU with one counter that never advances. Keeps track of how many of its events were created
 * and destroyed. */
struct idle_pmu {
	struct tally_core_pmu pmu;
	uint32_t taken, forgotten;
};

static int still_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct idle_pmu *still = pmu->driver;

	if (hw->attr->config)
		return -ENOENT;
	hw->width = 32;
	still->taken++;
	return 0;
}

static void still_inherit(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	((struct idle_pmu *)pmu->driver)->taken++;
}

static void still_forget(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	((struct idle_pmu *)pmu->driver)->forgotten++;
}

static int still_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->index = 0;
	return 0;
}

static void still_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->index = -1;
}

static void still_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->previous = 0;
	hw->running = true;
}

static void still_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->running = false;
}

static void still_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
}

static struct idle_pmu still_new(uint32_t type)
{
	return (struct idle_pmu){.pmu = {.name = "still",
					 .type = type,
					 .width = 32,
					 .init = still_init,
					 .inherit = still_inherit,
					 .forget = still_forget,
					 .add = still_add,
					 .del = still_del,
					 .start = still_start,
					 .stop = still_stop,
					 .read = still_read}};
}

static struct perf_event_attr attr_still(uint32_t type)
{
	struct perf_event_attr attr = attr_sw(0);

	attr.type = type;
	return attr;
}

/* Check the state of a revoked event. */
static void check_revoked(struct harness *harness, int fd)
{
	uint64_t words[8], id;
	void *memory;

	assert_int_equal(tally_sim_read(harness->sim, harness->observer, fd, words, sizeof(words)),
			 0);
	assert_int_equal(
		tally_sim_ioctl(harness->sim, harness->observer, fd, PERF_EVENT_IOC_ENABLE, 0),
		-ENODEV);
	assert_int_equal(tally_sim_ioctl(harness->sim, harness->observer, fd, PERF_EVENT_IOC_ID,
					 (uintptr_t)&id),
			 -ENODEV);
	assert_int_equal(
		tally_sim_mmap(harness->sim, harness->observer, fd, 8192, 0, true, &memory),
		-ENODEV);
	assert_int_equal(tally_sim_poll(harness->sim, harness->observer, fd),
			 TALLY_CORE_POLLERR | TALLY_CORE_POLLHUP);
}

static const struct tally_sim_step family[] = {SIM_FORK_TO(script_hog, 1), SIM_LOOP(0),
					       SIM_RUN(SIM_USER, MS, &harness_busy),
					       SIM_END_LOOP()};

/* Unregister a PMU that has events on a task, on its child and on a CPU, both single and in a
 * group. The other members of the group continue as single events. */
static void unregistering_a_pmu_revokes_its_events(void **state)
{
	struct idle_pmu still = still_new(50);
	struct harness harness;
	struct tally_core *core;
	struct tally_sim_task *task;
	struct perf_event_attr inherited = attr_still(50), cycles = attr_hw(SIM_CYCLES);
	int of_task, of_cpu, leader, member, other;
	uint64_t before;

	harness_begin(&harness, 2, NULL);
	core = tally_sim_core(harness.sim);
	still.pmu.driver = &still;
	assert_int_equal(tally_core_pmu_unregister(core, &still.pmu), -ENOENT);
	assert_int_equal(tally_core_pmu_register(core, &still.pmu), 0);
	task = harness_spawn(&harness, family, 0);
	inherited.inherit = 1;
	of_task = harness_open(&harness, inherited, task, -1, -1);
	of_cpu = harness_open(&harness, attr_still(50), NULL, 1, -1);
	leader = harness_open(&harness, attr_still(50), task, -1, -1);
	member = harness_open(&harness, attr_sw(PERF_COUNT_SW_TASK_CLOCK), task, -1, leader);
	other = harness_open(&harness, cycles, task, -1, -1);
	tally_sim_run(harness.sim, 3 * MS);
	assert_int_equal(still.taken, 4);
	assert_int_equal(tally_core_pmu_unregister(core, &still.pmu), 0);
	assert_int_equal(still.forgotten, 4);
	check_revoked(&harness, of_task);
	check_revoked(&harness, of_cpu);
	check_revoked(&harness, leader);
	before = harness_value(&harness, member);
	tally_sim_run(harness.sim, MS);
	assert_true(harness_value(&harness, member) > before);
	assert_int_equal(harness_value(&harness, other), truth(&harness, task, 0, SIM_CYCLES));
	assert_int_equal(harness_try(&harness, harness.observer, attr_still(50), 0, -1, -1),
			 -ENOENT);
	assert_int_equal(harness_try(&harness, harness.observer, cycles, 0, -1, leader), -ENODEV);
	/* The PMU's memory can be reused, and the PMU can be registered again. */
	memset(&still, 0x5a, sizeof(still));
	still = still_new(50);
	still.pmu.driver = &still;
	assert_int_equal(tally_core_pmu_register(core, &still.pmu), 0);
	harness_close(&harness, leader);
	harness_close(&harness, of_task);
	assert_int_equal(still.forgotten, 0);
	assert_true(harness_try(&harness, harness.observer, attr_still(50), 0, -1, -1) >= 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_core_pmu_unregister(core, &still.pmu), 0);
	harness_end(&harness);
}

/* Unregistering wakes pollers. */
static void unregistering_a_pmu_wakes_pollers(void **state)
{
	struct idle_pmu still = still_new(50);
	struct harness harness;
	struct tally_ring *ring;
	int fd;

	harness_begin(&harness, 1, NULL);
	still.pmu.driver = &still;
	assert_int_equal(tally_core_pmu_register(tally_sim_core(harness.sim), &still.pmu), 0);
	fd = harness_open(&harness, attr_still(50), NULL, 0, -1);
	ring = harness_map(&harness, fd, 2);
	assert_int_equal(tally_core_pmu_unregister(tally_sim_core(harness.sim), &still.pmu), 0);
	assert_int_equal(tally_sim_notifications(harness.sim, harness.observer, fd).hup, 1);
	assert_int_equal(tally_sim_poll(harness.sim, harness.observer, fd),
			 TALLY_CORE_POLLERR | TALLY_CORE_POLLHUP);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Unregistering fails with -EBUSY while an open is in progress. A later attempt revokes the new
 * event. */
static struct tally_core *busy_core;
static int busy_answer;

static int busy_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	busy_answer = tally_core_pmu_unregister(busy_core, pmu);
	return still_init(pmu, hw);
}

static void unregistering_during_an_open_is_ebusy(void **state)
{
	struct idle_pmu still = still_new(50);
	struct harness harness;
	int fd;

	harness_begin(&harness, 1, NULL);
	busy_core = tally_sim_core(harness.sim);
	still.pmu.driver = &still;
	still.pmu.init = busy_init;
	assert_int_equal(tally_core_pmu_register(busy_core, &still.pmu), 0);
	fd = harness_open(&harness, attr_still(50), NULL, 0, -1);
	assert_int_equal(busy_answer, -EBUSY);
	assert_int_equal(harness_try(&harness, harness.observer, attr_still(50), -1, 0, -1),
			 -ENOENT);
	assert_int_equal(tally_core_pmu_unregister(busy_core, &still.pmu), 0);
	assert_int_equal(still.forgotten, 1);
	check_revoked(&harness, fd);
	assert_int_equal(tally_core_pmu_unregister(busy_core, &still.pmu), -ENOENT);
	harness_end(&harness);
}

static const struct tally_core_field fields[] = {{"value", 0, 8, false, false}};

static void unregistering_a_tracepoint_revokes_its_events(void **state)
{
	struct tally_core_tracepoint point = {
		.system = "test", .name = "hit", .id = 77, .fields = fields, .nr_fields = 1};
	struct perf_event_attr attr = attr_still(PERF_TYPE_TRACEPOINT);
	struct harness harness;
	struct tally_core *core;
	struct tally_sim_task *task;
	uint64_t value = 3;
	struct tally_sim_step hit = SIM_HIT(&point, &value, sizeof(value));
	int fd;

	harness_begin(&harness, 1, NULL);
	core = tally_sim_core(harness.sim);
	assert_int_equal(tally_core_tracepoint_unregister(core, &point), -ENOENT);
	assert_int_equal(tally_core_tracepoint_register(core, &point), 0);
	task = harness_spawn(&harness, script_hog, 0);
	attr.config = 77;
	fd = harness_open(&harness, attr, task, -1, -1);
	harness_ioctl(&harness, fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t) "value == 3");
	assert_int_equal(tally_sim_execute(harness.sim, task, &hit), 0);
	assert_int_equal(harness_value(&harness, fd), 1);
	assert_int_equal(tally_core_tracepoint_unregister(core, &point), 0);
	check_revoked(&harness, fd);
	assert_null(tally_core_tracepoint_find(core, "test", "hit"));
	assert_int_equal(harness_try(&harness, harness.observer, attr, 0, -1, -1), -EINVAL);
	assert_int_equal(tally_core_tracepoint_register(core, &point), 0);
	assert_int_equal(tally_sim_execute(harness.sim, task, &hit), 0);
	assert_int_equal(tally_core_tracepoint_unregister(core, &point), 0);
	harness_end(&harness);
}

/* Register more PMUs than a mask has bits, and use events on all of them at the same time. */
static void more_pmus_than_mask_bits_are_scheduled(void **state)
{
	static struct idle_pmu many[MANY];
	struct harness harness;
	struct tally_sim_task *task;
	int fds[MANY];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = still_new(100 + i);
		many[i].pmu.driver = &many[i];
		assert_int_equal(tally_core_pmu_register(tally_sim_core(harness.sim), &many[i].pmu),
				 0);
		fds[i] = harness_open(&harness, attr_still(100 + i), task, -1, -1);
	}
	assert_int_equal(tally_core_pmu_register(tally_sim_core(harness.sim), &many[7].pmu),
			 -EEXIST);
	tally_sim_run(harness.sim, 10 * MS);
	for (unsigned i = 0; i < MANY; i++) {
		struct reading reading = harness_read(&harness, fds[i]);

		assert_true(reading.enabled && reading.running == reading.enabled);
	}
	harness_end(&harness);
}

/* Iteration follows the order in which events were opened, even if events, including the current
 * one, are closed in the meantime. */
static void iteration_continues_over_closed_events(void **state)
{
	struct harness harness;
	struct tally_core *core;
	struct tally_core_event *event;
	int fds[6], nr = 0;

	harness_begin(&harness, 1, NULL);
	core = tally_sim_core(harness.sim);
	assert_null(tally_core_event_next(core, NULL));
	for (unsigned i = 0; i < 6; i++)
		fds[i] = harness_open(&harness, attr_sw(i), NULL, 0, -1);
	for (event = tally_core_event_next(core, NULL); event;
	     event = tally_core_event_next(core, event)) {
		assert_int_equal(tally_core_event_attr(event)->config, nr);
		if (nr == 2) {
			harness_close(&harness, fds[2]);
			harness_close(&harness, fds[3]);
			nr++;
		}
		nr++;
	}
	assert_int_equal(nr, 6);
	event = tally_core_event_next(core, NULL);
	assert_int_equal(tally_core_event_attr(event)->config, 0);
	tally_core_event_put(event);
	tally_core_event_put(NULL);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unregistering_a_pmu_revokes_its_events),
		cmocka_unit_test(unregistering_a_pmu_wakes_pollers),
		cmocka_unit_test(unregistering_during_an_open_is_ebusy),
		cmocka_unit_test(unregistering_a_tracepoint_revokes_its_events),
		cmocka_unit_test(more_pmus_than_mask_bits_are_scheduled),
		cmocka_unit_test(iteration_continues_over_closed_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
