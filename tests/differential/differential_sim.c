/* SPDX-License-Identifier: BSD-2-Clause */
/* Call-script system that runs the core on the simulated machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/sim_private.h"
#include "system.h"
#include "hosts/sim/sim_files.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_task.h"
#include "hosts/sim/truth.h"

enum { TRACEPOINT_ID = 400, RAW_BYTES = 32, RAW_PID = 16, FDS = 64 };
enum { WATCHED = 0x600000, WATCHED_CODE = 0x400100 };

/* A task that sleeps until it gets work, and then runs at one instruction per cycle and one cycle
 * per ns. A run segment must not be changed until the next one begins, so two segments are used
 * alternately. */
enum { WORKER_STEPS = 6 };
static const int worker_runs[2] = {2, 4};

struct worker {
	struct tally_sim_step steps[WORKER_STEPS];
	int turn;
};

struct sim_system {
	struct system base;
	struct worker workers[SYSTEM_TASKS];
	bool works; /* all tasks are workers */
	struct tally_sim *sim;
	struct tally_sim_task *init; /* PID 1 in scripts */
	struct tally_sim_task *tasks[SYSTEM_TASKS];
	int other_fd;
};

/* The tracepoint that ACT_HIT hits on Linux. */
static const struct tally_core_field fields[] = {
	{"common_type", 0, 2, false, false},
	{"common_flags", 2, 1, false, false},
	{"common_preempt_count", 3, 1, false, false},
	{"common_pid", 4, 4, true, false},
	{"__syscall_nr", 8, 4, true, false},
	{"pid", RAW_PID, 8, false, false},
	{"interval", 24, 8, false, false},
};

static struct tally_core_tracepoint tracepoint = {
	.system = "syscalls",
	.name = "sys_enter_sched_rr_get_interval",
	.id = TRACEPOINT_ID,
	.fields = fields,
	.nr_fields = TALLY_ARRAY_SIZE(fields),
	.about_own_task = true,
};

/* The main task never stops running; the other tasks wait for orders. */
static const struct tally_sim_step busy[] = {SIM_LOOP(0), SIM_RUN(SIM_USER, 1000000, NULL),
					     SIM_END_LOOP(), SIM_EXIT()};
static const struct tally_sim_step idle[] = {SIM_LOOP(0), SIM_SLEEP(1000000000), SIM_END_LOOP(),
					     SIM_EXIT()};

static struct sim_system *of(struct system *system)
{
	return (struct sim_system *)system;
}

/* Return the task that makes a call. Some time passes during every call, as on any system. For a
 * thread that has exited, return the main task, because the thread's descriptors remain available
 * to the other tasks. */
static struct tally_sim_task *at(struct system *system, int task)
{
	struct sim_system *self = of(system);

	tally_sim_run(self->sim, 200);
	return self->tasks[tally_sim_task_exited(self->tasks[task]) ? 0 : task];
}

/* ---- calls --------------------------------------------------------------------------- */

static int sim_system_open(struct system *system, int task, void *attr, int32_t pid, int32_t cpu,
			   int group_fd, unsigned long flags)
{
	if (pid == 1)
		pid = tally_sim_task_tid(of(system)->init);
	return tally_sim_open(of(system)->sim, at(system, task), attr, pid, cpu, group_fd, flags);
}

static int sim_system_close(struct system *system, int task, int fd)
{
	return tally_sim_close(of(system)->sim, at(system, task), fd);
}

static int64_t sim_system_read(struct system *system, int task, int fd, void *to, size_t len)
{
	return tally_sim_read(of(system)->sim, at(system, task), fd, to, len);
}

static int sim_system_ioctl(struct system *system, int task, int fd, unsigned long request,
			    uintptr_t arg)
{
	return tally_sim_ioctl(of(system)->sim, at(system, task), fd, request, arg);
}

static int sim_system_mmap(struct system *system, int task, int fd, size_t len, uint64_t offset,
			   bool writable, void **ret_memory)
{
	return tally_sim_mmap(of(system)->sim, at(system, task), fd, len, offset / SYSTEM_PAGE,
			      writable, ret_memory);
}

static int sim_system_munmap(struct system *system, int task, void *memory, size_t len)
{
	return tally_sim_munmap(of(system)->sim, at(system, task), memory);
}

static int sim_system_poll(struct system *system, int task, int fd)
{
	return (int)tally_sim_poll(of(system)->sim, at(system, task), fd);
}

static int sim_system_prctl(struct system *system, int task, int option)
{
	return tally_sim_prctl(of(system)->sim, at(system, task), option);
}

/* ---- actions ------------------------------------------------------------------------- */

static int step(struct system *system, int task, struct tally_sim_step step)
{
	return tally_sim_execute(of(system)->sim, at(system, task), &step);
}

static int act_touch(struct system *system, int task, int64_t pages, int fd)
{
	int error = 0;

	if (fd >= 0)
		sim_system_ioctl(system, task, fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int64_t i = 0; !error && i < pages; i++) {
		struct tally_sim_step fault = SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1);

		fault.software.addr = 0x10000 + (uint64_t)i * SYSTEM_PAGE;
		error = step(system, task, fault);
		fault.software.id = PERF_COUNT_SW_PAGE_FAULTS_MIN;
		if (!error)
			error = step(system, task, fault);
	}
	if (fd >= 0)
		sim_system_ioctl(system, task, fd, PERF_EVENT_IOC_DISABLE, 0);
	return error;
}

/* Hit the tracepoint and pass the user registers, as system call tracepoints do. */
static void hit(struct tally_sim *sim, struct tally_sim_task *task, void *raw)
{
	struct tally_core_sample_data sample_data = {.ip = 0x401000, .mode = PERF_RECORD_MISC_USER};

	sim_hook_begin(sim, sim->cpu);
	tally_core_tracepoint_hit(sim->core, &tracepoint, raw, RAW_BYTES, &sample_data);
	sim_hook_end(sim);
}

static int act_hit(struct system *system, int task, int64_t times, int64_t value)
{
	uint8_t raw[RAW_BYTES] = {0};
	uint64_t pid = (uint64_t)value;
	int32_t common_pid = tally_sim_task_tid(of(system)->tasks[task]);
	int error = 0;

	memcpy(raw + 4, &common_pid, sizeof(common_pid));
	memcpy(raw + RAW_PID, &pid, sizeof(pid));
	while (!error && times-- > 0)
		error = step(system, task, (struct tally_sim_step)SIM_CALL(hit, raw));
	return error;
}

static int act_sleep(struct system *system, int task, int64_t times)
{
	int error = 0;

	while (!error && times-- > 0) {
		error = step(system, task, (struct tally_sim_step)SIM_SLEEP(1000));
		tally_sim_run(of(system)->sim, 5000);
	}
	return error;
}

static const struct tally_sim_step *worker_new(struct sim_system *system, int task)
{
	static const struct tally_sim_rates rates = {
		.per_ms = {[SIM_CYCLES] = 1000000, [SIM_INSTRUCTIONS] = 1000000}};
	static const struct tally_sim_step steps[WORKER_STEPS] = {
		SIM_LOOP(0),
		SIM_SLEEP(1000000000000),
		SIM_RUN(SIM_USER, 1, &rates),
		SIM_SLEEP(1000000000000),
		SIM_RUN(SIM_USER, 1, &rates),
		SIM_END_LOOP(),
	};

	memcpy(system->workers[task].steps, steps, sizeof(steps));
	return system->workers[task].steps;
}

static int act_work(struct system *system, int number, int64_t thousands)
{
	struct sim_system *self = of(system);
	struct worker *worker = &self->workers[number];
	struct tally_sim_task *task = at(system, number);
	struct tally_sim_filter filter = {.task = task, .modes = 1 << SIM_USER};
	uint64_t ns = (uint64_t)thousands * 1000;
	uint64_t end = tally_sim_truth(self->sim, filter, SIM_NS) + ns;

	worker->steps[worker_runs[worker->turn]].run.ns = ns;
	worker->turn = !worker->turn;
	tally_sim_wake(self->sim, task);
	while (tally_sim_truth(self->sim, filter, SIM_NS) < end)
		tally_sim_run(self->sim, 1000);
	return 0;
}

/* Report the namespaces of a new task in the context of its parent, as Linux does. */
static void tell_namespaces(struct tally_sim *sim, struct tally_sim_task *task, void *child)
{
	static const struct perf_ns_link_info links[7] = {{4, 1}, {4, 2}, {4, 3}, {4, 4},
							  {4, 5}, {4, 6}, {4, 7}};

	sim_hook_begin(sim, sim->cpu);
	tally_core_namespaces(sim->core, tally_sim_task_perf(child), links,
			      TALLY_ARRAY_SIZE(links));
	sim_hook_end(sim);
}

/* Create a child. Close the descriptors that a new process inherits as copies, because on the Linux
 * system all tasks share one descriptor table. */
static int act_fork(struct system *system, int task, int number, bool process)
{
	struct sim_system *self = of(system);
	struct tally_sim_step fork = SIM_FORK(self->works ? worker_new(self, number) : idle);
	struct tally_sim_task *child;
	int error;

	fork.fork.process = process;
	error = step(system, task, fork);
	if (error)
		return error;
	for (size_t i = 0; (child = tally_sim_task_at(self->sim, i)); i++)
		self->tasks[number] = child;
	for (int fd = 0; process && fd < FDS; fd++)
		tally_sim_close(self->sim, self->tasks[number], fd);
	return step(system, task,
		    (struct tally_sim_step)SIM_CALL(tell_namespaces, self->tasks[number]));
}

static int act_exec(struct system *system, int task)
{
	return step(system, task, (struct tally_sim_step)SIM_EXEC("exe"));
}

static int act_map(struct system *system, int task, int64_t pages, bool executable)
{
	struct tally_core_mapping mapping = {
		.addr = 0x7f0000000000,
		.len = (uint64_t)pages * SYSTEM_PAGE,
		.maj = 1,
		.min = 2,
		.ino = 3,
		.ino_generation = 4,
		.prot = executable ? 5 : 1,
		.flags = 2,
		.executable = executable,
		.filename = "/dev/shm/mapped.123456 (deleted)",
	};

	return step(system, task, (struct tally_sim_step)SIM_MAP(&mapping));
}

static int act_access(struct system *system, int task, uint32_t type, int64_t times)
{
	struct tally_sim_step access =
		SIM_ACCESS(type, type == HW_BREAKPOINT_X ? WATCHED_CODE : WATCHED, 8);
	int error = 0;

	while (!error && times-- > 0)
		error = step(system, task, access);
	return error;
}

static int sim_system_act(struct system *system, int task, enum system_act act, int64_t a,
			  int64_t b, const char *text)
{
	switch (act) {
	case ACT_TOUCH: return act_touch(system, task, a, (int)b);
	case ACT_HIT: return act_hit(system, task, a, b);
	case ACT_SLEEP: return act_sleep(system, task, a);
	case ACT_SPIN: tally_sim_run(of(system)->sim, (uint64_t)a * 1000); return 0;
	case ACT_WORK: return act_work(system, task, a);
	case ACT_FORK: return act_fork(system, task, (int)a, true);
	case ACT_THREAD: return act_fork(system, task, (int)a, false);
	case ACT_EXIT: return step(system, task, (struct tally_sim_step)SIM_EXIT());
	case ACT_EXEC: return act_exec(system, task);
	case ACT_COMM: return step(system, task, (struct tally_sim_step)SIM_COMM(text));
	case ACT_MAP: return act_map(system, task, a, b);
	case ACT_PIN: return step(system, task, (struct tally_sim_step)SIM_MIGRATE((uint32_t)a));
	case ACT_STORE: return act_access(system, task, HW_BREAKPOINT_W, a);
	case ACT_LOAD: return act_access(system, task, HW_BREAKPOINT_R, a);
	case ACT_EXECUTE: return act_access(system, task, HW_BREAKPOINT_X, a);
	default: return -ENOSYS;
	}
}

/* ---- properties -------------------------------------------------------------------------- */

static int32_t sim_system_pid(struct system *system, int task)
{
	return tally_sim_task_pid(of(system)->tasks[task]);
}

static int32_t sim_system_tid(struct system *system, int task)
{
	return tally_sim_task_tid(of(system)->tasks[task]);
}

static int sim_system_other_fd(struct system *system)
{
	return of(system)->other_fd;
}

static uint64_t sim_system_tracepoint(struct system *system)
{
	return TRACEPOINT_ID;
}

static uint64_t sim_system_watched(struct system *system)
{
	return WATCHED;
}

static uint64_t sim_system_watched_code(struct system *system)
{
	return WATCHED_CODE;
}

static const struct system_ops sim_system_ops = {
	.name = "sim",
	.attr_size = PERF_ATTR_SIZE_VER9,
	.open = sim_system_open,
	.close = sim_system_close,
	.read = sim_system_read,
	.ioctl = sim_system_ioctl,
	.mmap = sim_system_mmap,
	.munmap = sim_system_munmap,
	.poll = sim_system_poll,
	.prctl = sim_system_prctl,
	.act = sim_system_act,
	.pid = sim_system_pid,
	.tid = sim_system_tid,
	.other_fd = sim_system_other_fd,
	.tracepoint = sim_system_tracepoint,
	.watched = sim_system_watched,
	.watched_code = sim_system_watched_code,
};

/* Create PID 1, which unprivileged tasks cannot observe, and the script's main task. */
static void make_tasks(struct sim_system *system, bool root)
{
	struct tally_sim_spawn init = {.script = idle, .cpu = 1};
	struct tally_sim_spawn main = {
		.script = system->works ? worker_new(system, 0) : busy,
		.uid = root ? 0 : 1000,
		.caps = root ? UINT64_MAX : 0,
		.memlock = SYSTEM_MEMLOCK,
	};

	system->init = tally_sim_task_new(system->sim, &init);
	system->tasks[0] = tally_sim_task_new(system->sim, &main);
	tally_sim_run(system->sim, 1000);
	system->other_fd = tally_sim_open_other(system->sim, system->tasks[0]);
}

static struct system *system_new(bool root, const struct tally_sim_pmu *pmu)
{
	struct sim_system *system = calloc(1, sizeof(*system));
	struct tally_core_settings settings;
	struct tally_sim_config config = {
		.nr_cpus = SYSTEM_CPUS,
		.settings = &settings,
		.op_cost_ns = 10,
		.nr_pages = 2048,
		.pmus = pmu,
		.nr_pmus = pmu ? 1 : 0,
		.nr_breakpoints = SIM_MAX_BREAKPOINTS,
	};

	tally_core_settings_init(&settings);
	settings.mlock_kb = SYSTEM_MLOCK_PAGES * 4 / SYSTEM_CPUS;
	if (!system || tally_sim_create(&config, &system->sim) ||
	    tally_core_tracepoint_register(tally_sim_core(system->sim), &tracepoint))
		return NULL;
	system->base.ops = &sim_system_ops;
	system->works = pmu != NULL;
	make_tasks(system, root);
	return &system->base;
}

struct system *sim_system_new(bool root)
{
	return system_new(root, NULL);
}

/* Create a system with six counters that support all events, and a cycle counter. */
struct system *sim_pmu_system_new(bool root)
{
	static const struct tally_sim_pmu pmu = {
		.name = "armv8_pmuv3",
		.type = 8,
		.core = true,
		.nr_generic = 6,
		.nr_fixed = 1,
		.fixed = {SIM_CYCLES},
		.width = 64,
		.max_precise = 3,
		.absent = ~(1U << SIM_CYCLES | 1U << SIM_INSTRUCTIONS |
			    1U << PERF_COUNT_HW_STALLED_CYCLES_FRONTEND |
			    1U << PERF_COUNT_HW_STALLED_CYCLES_BACKEND),
	};

	return system_new(root, &pmu);
}
