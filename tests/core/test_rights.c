/* SPDX-License-Identifier: BSD-2-Clause */
/* Permissions: perf_event_paranoid, capabilities, and tasks of the same user and of other users. */
#include "scripts.h"

#define PERFMON (1ull << TALLY_CORE_CAP_PERFMON)
#define ADMIN   (1ull << TALLY_CORE_CAP_SYS_ADMIN)
#define PTRACE  (1ull << TALLY_CORE_CAP_SYS_PTRACE)
#define LOCK    (1ull << TALLY_CORE_CAP_IPC_LOCK)
#define KILL    (1ull << TALLY_CORE_CAP_KILL)

enum whom { OWN, SAME_USER, FOREIGN, CPU };
enum what { USER_ONLY, KERNEL };

static const struct tally_core_field fields[] = {{"value", 0, 8, false, false}};
static struct tally_core_tracepoint point = {
	.system = "test", .name = "hit", .id = 77, .fields = fields, .nr_fields = 1};
static struct tally_core_tracepoint own_point = {.system = "test",
						 .name = "own",
						 .id = 78,
						 .fields = fields,
						 .nr_fields = 1,
						 .about_own_task = true};

static const struct {
	int paranoid;
	uint64_t caps;
	enum whom whom;
	enum what what;
	int expected;
} rows[] = {
	/* Level 3 allows nothing, not even the caller's own program. */
	{3, 0, OWN, USER_ONLY, -EACCES},
	{3, 0, SAME_USER, USER_ONLY, -EACCES},
	{3, PTRACE, OWN, USER_ONLY, -EACCES},
	{3, PERFMON, OWN, KERNEL, 0},
	{3, ADMIN, CPU, KERNEL, 0},
	/* Level 2 allows counting tasks of the same user in user space. */
	{2, 0, OWN, USER_ONLY, 0},
	{2, 0, OWN, KERNEL, -EACCES},
	{2, 0, SAME_USER, USER_ONLY, 0},
	{2, 0, FOREIGN, USER_ONLY, -EACCES},
	{2, 0, CPU, USER_ONLY, -EACCES},
	{2, PTRACE, FOREIGN, USER_ONLY, 0},
	{2, PTRACE, FOREIGN, KERNEL, -EACCES},
	{2, PERFMON, FOREIGN, KERNEL, 0},
	{2, PERFMON, CPU, KERNEL, 0},
	{2, ADMIN, FOREIGN, KERNEL, 0},
	{2, ADMIN, CPU, KERNEL, 0},
	{2, LOCK, CPU, USER_ONLY, -EACCES},
	/* Level 1 also allows counting in the kernel. */
	{1, 0, OWN, KERNEL, 0},
	{1, 0, FOREIGN, USER_ONLY, -EACCES},
	{1, 0, CPU, USER_ONLY, -EACCES},
	{1, PERFMON, CPU, USER_ONLY, 0},
	/* Level 0 also allows counting on CPUs. */
	{0, 0, CPU, KERNEL, 0},
	{0, 0, CPU, USER_ONLY, 0},
	{0, 0, FOREIGN, USER_ONLY, -EACCES},
	/* Level -1 still does not allow counting other users' tasks. */
	{-1, 0, CPU, KERNEL, 0},
	{-1, 0, OWN, KERNEL, 0},
	{-1, 0, FOREIGN, KERNEL, -EACCES},
	{-1, PERFMON, FOREIGN, KERNEL, 0},
};

/* The rules are the same for hardware and software events. */
static void paranoid_level_and_capabilities_decide(void **state)
{
	const struct perf_event_attr attrs[] = {attr_hw(SIM_CYCLES),
						attr_sw(PERF_COUNT_SW_TASK_CLOCK),
						attr_sw(PERF_COUNT_SW_PAGE_FAULTS)};
	struct harness harness;
	struct tally_sim_task *tasks[3];

	harness_begin(&harness, 1, NULL);
	for (unsigned i = 0; i < 3; i++)
		tasks[i] = harness_spawn(&harness, script_worker, 0);
	tally_sim_task_set_uid(harness.sim, tasks[FOREIGN], 2000);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned j = 0; j < 3; j++) {
			struct perf_event_attr attr = attrs[j];
			bool on_cpu = rows[i].whom == CPU;
			int fd;

			attr.exclude_kernel = rows[i].what == USER_ONLY;
			tally_core_settings(tally_sim_core(harness.sim))->paranoid =
				rows[i].paranoid;
			tally_sim_task_set_caps(tasks[0], rows[i].caps);
			fd = harness_try(&harness, tasks[0], attr,
					 on_cpu ? -1 : tally_sim_task_tid(tasks[rows[i].whom]),
					 on_cpu ? 0 : -1, -1);
			if ((fd < 0 ? fd : 0) != rows[i].expected)
				fail_msg("row %u, attr %u: %d", i, j, fd);
			if (fd < 0)
				assert_string_not_equal(tally_sim_refusal(harness.sim)->rule, "");
			else
				assert_int_equal(tally_sim_close(harness.sim, tasks[0], fd), 0);
		}
	harness_end(&harness);
}

/* Counting tracepoints is allowed, but requesting their raw data is not, even without sampling.
 * Tracepoints that only describe the task's own actions are exempt. */
static void tracepoint_data_requires_privileges(void **state)
{
	static const struct {
		int paranoid;
		uint64_t caps;
		uint64_t sample_type;
		bool about_own, on_cpu;
		int expected;
	} points[] = {
		{2, 0, 0, false, false, 0},
		{2, 0, PERF_SAMPLE_RAW, false, false, -EPERM},
		{0, 0, PERF_SAMPLE_RAW, false, false, -EPERM},
		{-1, 0, PERF_SAMPLE_RAW, false, false, 0},
		{2, PERFMON, PERF_SAMPLE_RAW, false, false, 0},
		{2, ADMIN, PERF_SAMPLE_RAW, false, false, 0},
		{2, 0, PERF_SAMPLE_RAW, true, false, 0},
		{2, 0, PERF_SAMPLE_RAW, true, true, -EPERM},
		{2, 0, 0, true, true, -EACCES},
		{0, 0, 0, false, true, 0},
		{2, PERFMON, PERF_SAMPLE_RAW, true, true, 0},
	};
	struct harness harness;
	struct tally_sim_task *task;

	harness_begin(&harness, 1, NULL);
	assert_int_equal(tally_core_tracepoint_register(tally_sim_core(harness.sim), &point), 0);
	assert_int_equal(tally_core_tracepoint_register(tally_sim_core(harness.sim), &own_point),
			 0);
	task = harness_spawn(&harness, script_worker, 0);
	for (unsigned i = 0; i < 2 * sizeof(points) / sizeof(points[0]); i++) {
		unsigned row = i / 2;
		struct perf_event_attr attr =
			attr_hw(points[row].about_own ? own_point.id : point.id);
		bool on_cpu = points[row].on_cpu;
		int fd;

		attr.type = PERF_TYPE_TRACEPOINT;
		attr.sample_period = i & 1;
		attr.sample_type = points[row].sample_type;
		attr.exclude_kernel = 1;
		tally_core_settings(tally_sim_core(harness.sim))->paranoid = points[row].paranoid;
		tally_sim_task_set_caps(task, points[row].caps);
		fd = harness_try(&harness, task, attr, on_cpu ? -1 : 0, on_cpu ? 0 : -1, -1);
		if ((fd < 0 ? fd : 0) != points[row].expected)
			fail_msg("row %u, sampling %u: %d", row, i & 1, fd);
	}
	harness_end(&harness);
}

/* The right to observe a task does not include sending signals to it. */
static void sigtrap_requires_the_right_to_signal(void **state)
{
	static const struct {
		uint64_t caps;
		enum whom whom;
		int expected, looking;
	} traps[] = {
		{0, OWN, 0, 0},
		{0, SAME_USER, 0, 0},
		{0, FOREIGN, -EACCES, -EACCES},
		{PERFMON, FOREIGN, -EACCES, 0},
		{ADMIN, FOREIGN, -EACCES, 0},
		{KILL, FOREIGN, -EACCES, -EACCES},
		{PERFMON | KILL, FOREIGN, 0, 0},
		{ADMIN | KILL, FOREIGN, 0, 0},
		{PTRACE, FOREIGN, 0, 0},
	};
	struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_TASK_CLOCK);
	struct harness harness;
	struct tally_sim_task *tasks[3];

	harness_begin(&harness, 1, NULL);
	for (unsigned i = 0; i < 3; i++)
		tasks[i] = harness_spawn(&harness, script_worker, 0);
	tally_sim_task_set_uid(harness.sim, tasks[FOREIGN], 2000);
	attr.exclude_kernel = attr.remove_on_exec = 1;
	attr.sample_period = MS;
	for (unsigned i = 0; i < 2 * sizeof(traps) / sizeof(traps[0]); i++) {
		int32_t tid = tally_sim_task_tid(tasks[traps[i / 2].whom]);
		int expected = i & 1 ? traps[i / 2].expected : traps[i / 2].looking;
		int fd;

		attr.sigtrap = i & 1;
		tally_sim_task_set_caps(tasks[0], traps[i / 2].caps);
		fd = harness_try(&harness, tasks[0], attr, tid, -1, -1);
		if ((fd < 0 ? fd : 0) != expected)
			fail_msg("row %u, sigtrap %u: %d", i / 2, i & 1, fd);
		if (fd < 0)
			assert_string_equal(tally_sim_refusal(harness.sim)->field,
					    i & 1 ? "sigtrap" : "pid");
	}
	harness_end(&harness);
}

/* On a machine without users, every task is allowed to do everything. */
static void without_users_everything_is_allowed(void **state)
{
	struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_TASK_CLOCK);
	struct harness harness;
	struct tally_sim_task *task;

	harness_begin(&harness, 1, &(struct tally_sim_config){.bare = true});
	task = harness_spawn(&harness, script_worker, 0);
	tally_core_settings(tally_sim_core(harness.sim))->paranoid = 3;
	assert_true(harness_try(&harness, task, attr, 0, -1, -1) >= 0);
	assert_true(harness_try(&harness, task, attr, -1, 0, -1) >= 0);
	assert_true(harness_try(&harness, task, attr, tally_sim_task_tid(harness.observer), -1,
				-1) >= 0);
	harness_end(&harness);
}

/* Namespaces and physical addresses require additional privileges. */
static void namespaces_and_physical_addresses_require_privileges(void **state)
{
	struct perf_event_attr names = attr_sw(PERF_COUNT_SW_DUMMY), physical = names;
	struct harness harness;
	struct tally_sim_task *task;

	names.exclude_kernel = physical.exclude_kernel = 1;
	names.namespaces = 1;
	physical.sample_type = PERF_SAMPLE_PHYS_ADDR;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_worker, 0);
	assert_int_equal(harness_try(&harness, task, names, 0, -1, -1), -EACCES);
	assert_int_equal(harness_try(&harness, task, physical, 0, -1, -1), -EACCES);
	tally_sim_task_set_caps(task, PERFMON);
	assert_true(harness_try(&harness, task, names, 0, -1, -1) >= 0);
	assert_true(harness_try(&harness, task, physical, 0, -1, -1) >= 0);
	harness_end(&harness);
}

/* An exec that gains privileges detaches unprivileged observers. */
static void a_privileged_exec_detaches_observers(void **state)
{
	const struct tally_sim_step exec = SIM_EXEC_PRIVILEGED("passwd");
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *watcher, *task;
	uint64_t words[5], again[5];
	int fd, own, cpu;

	attr.exclude_kernel = 1;
	harness_begin(&harness, 1, NULL);
	watcher = harness_spawn(&harness, NULL, 0);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_try(&harness, watcher, attr, tally_sim_task_tid(task), -1, -1);
	own = harness_try(&harness, task, attr, 0, -1, -1);
	cpu = harness_open(&harness, attr, NULL, 0, -1);
	assert_true(fd >= 0 && own >= 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_sim_execute(harness.sim, task, &exec), 0);
	assert_int_equal(tally_sim_read(harness.sim, watcher, fd, words, 40), 40);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_sim_read(harness.sim, watcher, fd, again, 40), 40);
	assert_int_equal(again[0], words[0]);
	assert_int_equal(
		harness_value(&harness, cpu),
		tally_sim_truth(harness.sim,
				(struct tally_sim_filter){.cpus = 1, .modes = 1 << SIM_USER},
				SIM_CYCLES));
	/* The observer cannot open an event on the task again, either. */
	assert_int_equal(harness_try(&harness, watcher, attr, tally_sim_task_tid(task), -1, -1),
			 -EACCES);
	harness_end(&harness);
}

/* Invalid combinations of pid and cpu are rejected, as are nonexistent tasks and CPUs. */
static void invalid_targets_are_rejected(void **state)
{
	static const struct tally_sim_step brief[] = {SIM_RUN(SIM_USER, 10, NULL), SIM_EXIT()};
	struct harness harness;
	struct tally_sim_task *task;

	harness_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, brief, 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_try(&harness, harness.observer, attr_hw(0), -1, -1, -1), -EINVAL);
	assert_int_equal(harness_try(&harness, harness.observer, attr_hw(0), 99999, -1, -1),
			 -ESRCH);
	assert_int_equal(harness_try(&harness, harness.observer, attr_hw(0),
				     tally_sim_task_tid(task), -1, -1),
			 -ESRCH);
	assert_int_equal(harness_try(&harness, harness.observer, attr_hw(0), -1, 64, -1), -EINVAL);
	assert_int_equal(tally_sim_cpu_offline(harness.sim, 1), 0);
	assert_int_equal(harness_try(&harness, harness.observer, attr_hw(0), -1, 1, -1), -ENODEV);
	assert_int_equal(harness_try(&harness, harness.observer, attr_hw(0), 0, -1, 99), -EBADF);
	assert_int_equal(harness_try(&harness, harness.observer, attr_hw(0), 0, -1,
				     tally_sim_open_other(harness.sim, harness.observer)),
			 -EBADF);
	harness_end(&harness);
}

/* A security module can deny access even to a caller with all capabilities. */
static void a_security_module_can_deny_access(void **state)
{
	static const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};
	struct harness harness;
	uint64_t words[5];
	void *memory;
	int fd;

	harness_begin(&harness, 1, NULL);
	fd = harness_open(&harness, attr, NULL, 0, -1);
	for (unsigned access = 0; access < 3; access++) {
		int open = access == TALLY_HOST_OPEN ? -EACCES : 0;
		int read = access == TALLY_HOST_READ ? -EACCES : 0;
		int write = access == TALLY_HOST_WRITE ? -EACCES : 0;
		int ret;

		tally_sim_forbid(harness.sim, 1u << access);
		ret = harness_try(&harness, harness.observer, attr, -1, 0, -1);
		assert_int_equal(ret < 0 ? ret : 0, open);
		assert_int_equal(
			tally_sim_read(harness.sim, harness.observer, fd, words, sizeof(words)),
			read ? read : 8);
		assert_int_equal(
			tally_sim_mmap(harness.sim, harness.observer, fd, 8192, 0, true, &memory),
			read);
		if (!read)
			assert_int_equal(tally_sim_munmap(harness.sim, harness.observer, memory),
					 0);
		assert_int_equal(
			tally_sim_ioctl(harness.sim, harness.observer, fd, PERF_EVENT_IOC_RESET, 0),
			write);
		assert_string_equal(tally_sim_refusal(harness.sim)->rule,
				    "denied by a security module");
	}
	tally_sim_forbid(harness.sim, 0);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paranoid_level_and_capabilities_decide),
		cmocka_unit_test(tracepoint_data_requires_privileges),
		cmocka_unit_test(namespaces_and_physical_addresses_require_privileges),
		cmocka_unit_test(a_privileged_exec_detaches_observers),
		cmocka_unit_test(invalid_targets_are_rejected),
		cmocka_unit_test(a_security_module_can_deny_access),
		cmocka_unit_test(sigtrap_requires_the_right_to_signal),
		cmocka_unit_test(without_users_everything_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
