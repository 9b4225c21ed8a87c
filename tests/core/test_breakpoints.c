/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints, which are a PMU without counters. tests/differential/breakpoints compares them with
 * Linux; these tests cover everything else. */
#include "scripts.h"

enum { WATCHED = 0x600000, CODE = 0x400100 };

static struct perf_event_attr attr_bp(uint32_t type, uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = attr_sw(0);

	attr.type = PERF_TYPE_BREAKPOINT;
	attr.bp_type = type;
	attr.bp_addr = addr;
	attr.bp_len = len;
	return attr;
}

static void start(struct harness *harness)
{
	harness_begin(harness, 2,
		      &(struct tally_sim_config){
			      .nr_breakpoints = 4, .pmus = &harness_pmu, .nr_pmus = 1});
}

static void access_by(struct harness *harness, struct tally_sim_task *task, uint32_t type,
		      uint64_t addr, enum tally_sim_mode mode)
{
	struct tally_sim_step step = SIM_ACCESS(type, addr, 8);

	step.access.mode = mode;
	assert_int_equal(tally_sim_execute(harness->sim, task, &step), 0);
}

/* Samples contain the breakpoint's address rather than the accessed address, and the mode of the
 * access. */
static void samples_have_the_address_of_the_breakpoint(void **state)
{
	struct perf_event_attr attr = attr_bp(HW_BREAKPOINT_W, WATCHED | 4, 4);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;

	start(&harness);
	task = harness_spawn(&harness, script_hog, 0);
	attr.sample_period = 2;
	attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	ring = harness_map(&harness, harness_open(&harness, attr, task, -1, -1), 2);
	for (int i = 0; i < 5; i++)
		access_by(&harness, task, HW_BREAKPOINT_W, WATCHED, i & 1 ? SIM_USER : SIM_KERNEL);
	for (int i = 0; i < 2; i++) {
		assert_true(harness_record(ring, &attr, &record));
		assert_int_equal(record.header->type, PERF_RECORD_SAMPLE);
		assert_int_equal(record.header->misc, PERF_RECORD_MISC_USER);
		assert_int_equal(record.sample.addr, WATCHED | 4);
		assert_int_equal(record.sample.period, 2);
		assert_int_equal(record.sample.tid, tally_sim_task_tid(task));
	}
	assert_false(harness_record(ring, &attr, &record));
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Accesses in excluded modes are not counted. */
static void accesses_in_excluded_modes_are_not_counted(void **state)
{
	struct perf_event_attr user = attr_bp(HW_BREAKPOINT_RW, WATCHED, 8), kernel = user;
	struct harness harness;
	struct tally_sim_task *task;
	int fds[2];

	start(&harness);
	task = harness_spawn(&harness, script_hog, 0);
	user.exclude_kernel = 1;
	kernel.exclude_user = 1;
	fds[0] = harness_open(&harness, user, task, -1, -1);
	fds[1] = harness_open(&harness, kernel, NULL, 0, -1);
	for (int i = 0; i < 7; i++)
		access_by(&harness, task, HW_BREAKPOINT_R, WATCHED, i < 3 ? SIM_USER : SIM_KERNEL);
	assert_int_equal(harness_value(&harness, fds[0]), 3);
	assert_int_equal(harness_value(&harness, fds[1]), 4);
	harness_end(&harness);
}

/* A group with a breakpoint and a hardware counter is either on the PMU as a whole or not at
 * all. */
static void a_breakpoint_is_scheduled_with_its_group(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading cycles, stores;
	int leader, fd;

	start(&harness);
	task = harness_spawn(&harness, script_hog, 0);
	leader = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	fd = harness_open(&harness, attr_bp(HW_BREAKPOINT_W, WATCHED, 8), task, -1, leader);
	tally_sim_run(harness.sim, MS);
	access_by(&harness, task, HW_BREAKPOINT_W, WATCHED, SIM_USER);
	cycles = harness_read(&harness, leader);
	stores = harness_read(&harness, fd);
	assert_int_equal(stores.value, 1);
	assert_int_equal(stores.running, stores.enabled);
	assert_int_equal(cycles.running, cycles.enabled);
	harness_end(&harness);
}

static const struct tally_sim_step stores[] = {
	SIM_RUN(SIM_USER, 100 * US, NULL), SIM_ACCESS(HW_BREAKPOINT_W, WATCHED, 1),
	SIM_RUN(SIM_USER, 100 * US, NULL), SIM_ACCESS(HW_BREAKPOINT_W, WATCHED, 1), SIM_EXIT()};
static const struct tally_sim_step forks[] = {
	SIM_FORK_TO(stores, 1), SIM_FORK(stores), SIM_ACCESS(HW_BREAKPOINT_W, WATCHED, 1),
	SIM_SLEEP(MS),          SIM_LOOP(0),      SIM_SLEEP(MS),
	SIM_END_LOOP()};

/* Children use their own breakpoint slots on any CPU, and release them on exit. */
static void children_use_slots_of_their_own(void **state)
{
	struct perf_event_attr attr = attr_bp(HW_BREAKPOINT_W, WATCHED, 1);
	struct harness harness;
	struct tally_sim_task *task;
	int fds[4];

	start(&harness);
	task = harness_spawn(&harness, forks, 0);
	attr.inherit = 1;
	for (int i = 0; i < 4; i++)
		fds[i] = harness_open(&harness, attr, task, -1, -1);
	assert_int_equal(
		harness_try(&harness, harness.observer, attr, tally_sim_task_tid(task), -1, -1),
		-ENOSPC);
	assert_string_equal(tally_sim_refusal(harness.sim)->rule,
			    "the PMU has no free counter for the event");
	tally_sim_run(harness.sim, 3 * MS);
	for (int i = 0; i < 4; i++)
		assert_int_equal(harness_value(&harness, fds[i]), 5);
	/* Slots released by the task are available to CPU events. */
	for (int i = 3; i >= 0; i--) {
		int fd;

		attr.inherit = 0;
		assert_int_equal(harness_try(&harness, harness.observer, attr, -1, 1, -1), -ENOSPC);
		harness_close(&harness, fds[i]);
		fd = harness_open(&harness, attr, NULL, 1, -1);
		assert_true(fd >= 0);
	}
	harness_end(&harness);
}

/* Modify a breakpoint while its task runs on another CPU, which must release the breakpoint
 * first. */
static void a_breakpoint_is_modified_while_its_task_runs(void **state)
{
	struct perf_event_attr attr = attr_bp(HW_BREAKPOINT_W, WATCHED, 8);
	struct harness harness;
	struct tally_sim_task *task;
	int fd;

	start(&harness);
	task = harness_spawn(&harness, script_hog, 1);
	fd = harness_open(&harness, attr, task, -1, -1);
	tally_sim_run(harness.sim, MS);
	access_by(&harness, task, HW_BREAKPOINT_W, WATCHED, SIM_USER);
	attr.bp_addr = CODE;
	attr.bp_type = HW_BREAKPOINT_X;
	harness_ioctl(&harness, fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (uintptr_t)&attr);
	access_by(&harness, task, HW_BREAKPOINT_W, WATCHED, SIM_USER);
	access_by(&harness, task, HW_BREAKPOINT_X, CODE, SIM_USER);
	access_by(&harness, task, HW_BREAKPOINT_X, CODE, SIM_USER);
	assert_int_equal(harness_value(&harness, fd), 3);
	tally_sim_fail_copy(harness.sim, &attr, sizeof(attr));
	assert_int_equal(tally_sim_ioctl(harness.sim, harness.observer, fd,
					 PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (uintptr_t)&attr),
			 -EFAULT);
	access_by(&harness, task, HW_BREAKPOINT_X, CODE, SIM_USER);
	assert_int_equal(harness_value(&harness, fd), 4);
	harness_end(&harness);
}

static int modify_by(struct harness *harness, struct tally_sim_task *task, int fd,
		     struct perf_event_attr attr)
{
	return tally_sim_ioctl(harness->sim, task, fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
			       (uintptr_t)&attr);
}

/* The caller's privileges matter, not those of the task running on the event's CPU. The kernel
 * itself is fully privileged. */
static void the_rights_of_the_caller_decide_about_modification(void **state)
{
	struct perf_event_attr attr = attr_bp(HW_BREAKPOINT_W, WATCHED, 8), kernel = attr;
	struct tally_core_event_setup setup = {.cpu = 1};
	struct tally_core_event *inside;
	struct harness harness;
	struct tally_sim_task *task, *root;
	uint64_t words[8];
	int fd;

	start(&harness);
	kernel.bp_addr = UINT64_C(0xffffffff81000000);
	task = harness_spawn(&harness, script_hog, 0);
	root = harness_spawn(&harness, script_hog, 1);
	tally_sim_task_set_caps(task, 1ull << TALLY_CORE_CAP_PERFMON);
	tally_sim_task_set_caps(root, 1ull << TALLY_CORE_CAP_SYS_ADMIN);
	tally_sim_run(harness.sim, MS);
	fd = harness_try(&harness, task, attr, -1, 1, -1);
	assert_true(fd >= 0);
	assert_int_equal(harness_try(&harness, task, kernel, -1, 1, -1), -EPERM);
	assert_int_equal(modify_by(&harness, task, fd, kernel), -EPERM);
	access_by(&harness, root, HW_BREAKPOINT_W, WATCHED, SIM_USER);
	assert_int_equal(tally_sim_read(harness.sim, task, fd, words, sizeof(words)), 40);
	assert_int_equal(words[0], 1);
	assert_int_equal(modify_by(&harness, task, fd, attr), 0);
	/* The task running on the event's CPU lacks the privilege. */
	fd = harness_try(&harness, root, attr, -1, 0, -1);
	assert_true(fd >= 0);
	assert_int_equal(modify_by(&harness, root, fd, kernel), 0);
	assert_int_equal(tally_core_event_create(tally_sim_core(harness.sim), &kernel, &setup,
						 &inside, NULL),
			 0);
	tally_core_close(tally_sim_core(harness.sim), inside);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_the_address_of_the_breakpoint),
		cmocka_unit_test(accesses_in_excluded_modes_are_not_counted),
		cmocka_unit_test(a_breakpoint_is_scheduled_with_its_group),
		cmocka_unit_test(children_use_slots_of_their_own),
		cmocka_unit_test(a_breakpoint_is_modified_while_its_task_runs),
		cmocka_unit_test(the_rights_of_the_caller_decide_about_modification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
