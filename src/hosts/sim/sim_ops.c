/* SPDX-License-Identifier: BSD-2-Clause */
/* Implementation of the operations in host.h. Each operation checks that the core may call it in
 * this context. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/linked_list.h"
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/sim_files.h"
#include "hosts/sim/schedule.h"
#include "hosts/sim/sim_private.h"

static struct tally_sim_task *task_of(const struct tally_core_task *perf)
{
	return tally_container_of(perf, struct tally_sim_task, perf);
}

/* ---- locks, interrupts and CPUs ------------------------------------------------- */

/* Check the context of an operation that may sleep. */
void sim_check_may_sleep(struct tally_sim *sim, const char *off, const char *locked)
{
	if (sim_this(sim)->off)
		sim_violate(sim, off);
	if (sim->locked)
		sim_violate(sim, locked);
}

static void op_lock_free(void *host, void *lock)
{
	sim_check_may_sleep(host, "a lock freed with interrupts off",
			    "a lock freed while one is held");
	free(lock);
}

static void op_lock(void *host, void *lock)
{
	struct tally_sim *sim = host;

	sim_pass_time(sim);
	sim_check_may_sleep(sim, "a lock taken with interrupts off",
			    "a lock taken while another one is held");
	sim->locked = *(bool *)lock = true;
}

static void op_unlock(void *host, void *lock)
{
	struct tally_sim *sim = host;

	if (!*(bool *)lock)
		sim_violate(sim, "a lock released that was not held");
	sim->locked = *(bool *)lock = false;
	sim_pass_time(sim);
}

static uintptr_t op_irq_save(void *host)
{
	struct tally_sim *sim = host;

	sim_pass_time(sim);
	return sim_this(sim)->off++;
}

static void op_irq_restore(void *host, uintptr_t flags)
{
	struct tally_sim *sim = host;
	struct sim_cpu *cpu = sim_this(sim);

	if (cpu->off != flags + 1)
		sim_violate(sim, "irq_restore() with flags that its irq_save() did not return");
	cpu->off = (uint32_t)flags;
	sim_pass_time(sim);
	sim_run_deferred(sim);
}

static uint32_t op_this_cpu(void *host)
{
	struct tally_sim *sim = host;

	return sim->cpu;
}

static int op_call(void *host, uint32_t number, void (*fn)(void *arg), void *arg)
{
	struct tally_sim *sim = host;
	uint32_t before = sim->cpu;

	sim_pass_time(sim);
	if (sim_this(sim)->off)
		sim_violate(sim, "call() with interrupts off");
	if (number >= sim->config.nr_cpus || !sim->cpus[number].online)
		return -ENXIO;
	sim_hook_begin(sim, number);
	fn(arg);
	sim_hook_end(sim);
	sim->cpu = before;
	return 0;
}

static void op_defer(void *host)
{
	struct tally_sim *sim = host;

	sim_this(sim)->deferred = true;
}

void sim_run_deferred(struct tally_sim *sim)
{
	while (sim_this(sim)->deferred && !sim_this(sim)->off) {
		sim_this(sim)->deferred = false;
		sim_this(sim)->off = 1;
		tally_core_deferred(sim->core);
		if (sim_this(sim)->off != 1)
			sim_violate(sim, "tally_core_deferred() changed the interrupt state");
		sim_this(sim)->off = 0;
	}
}

/* ---- time ------------------------------------------------------------------------- */

static uint64_t op_clock(void *host)
{
	struct tally_sim *sim = host;

	sim_pass_time(sim);
	return sim->now;
}

/* Read a clock by its Linux ID. The clocks are seconds apart to make them distinguishable. */
static bool op_clock_of(void *host, int32_t clockid, uint64_t *ret_ns)
{
	static const int32_t clocks[] = {0 /* realtime */, 1 /* monotonic */, 4 /* raw */,
					 7 /* boottime */, 11 /* tai */};
	struct tally_sim *sim = host;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(clocks); i++)
		if (clockid == clocks[i]) {
			*ret_ns = sim->now + (uint64_t)(clockid + 1) * 1000000000;
			return true;
		}
	return false;
}

uint64_t tally_sim_tsc(const struct tally_sim *sim)
{
	return sim->now * 4;
}

static void op_clock_params(void *host, struct tally_core_clock_params *ret_params)
{
	*ret_params = (struct tally_core_clock_params){.valid = true, .mult = 1 << 8, .shift = 10};
}

static void op_timer(void *host, uint64_t deadline)
{
	struct tally_sim *sim = host;

	if (!sim_this(sim)->off || sim_this(sim)->in_interrupt)
		sim_violate(sim, "timer() with interrupts on, or in the overflow interrupt");
	sim_this(sim)->timer_at = deadline;
}

/* ---- tasks -------------------------------------------------------------------------- */

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	struct tally_sim *sim = host;

	sim_check_may_sleep(sim, "task_get() with interrupts off", "task_get() under a lock");
	tally_vec_for_each (task, &sim->tasks)
		if ((*task)->perf.tid == tid && (*task)->state != SIM_EXITED) {
			(*task)->held++;
			return &(*task)->perf;
		}
	return NULL;
}

static void op_task_put(void *host, struct tally_core_task *perf)
{
	sim_check_may_sleep(host, "task_put() with interrupts off", "task_put() under a lock");
	if (!task_of(perf)->held)
		sim_violate(host, "task_put() without task_get()");
	else
		task_of(perf)->held--;
}

static int32_t op_task_cpu(void *host, const struct tally_core_task *perf)
{
	const struct tally_sim *sim = host;
	const struct tally_sim_task *task = task_of(perf);

	return sim->cpus[task->last_cpu].current == task ? (int32_t)task->last_cpu : -1;
}

struct tally_core_task *sim_op_running(void *host)
{
	struct tally_sim *sim = host;
	struct tally_sim_task *task = sim_this(sim)->current;

	if (!sim_this(sim)->off)
		sim_violate(sim, "running() with interrupts on");
	return task->is_idle ? NULL : &task->perf;
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	sim_check_may_sleep(host, "event_of_fd() with interrupts off",
			    "event_of_fd() under a lock");
	return tally_sim_event(host, task_of(current), fd);
}

static bool op_capable(void *host, const struct tally_core_task *current, int capability)
{
	sim_check_may_sleep(host, "capable() with interrupts off", "capable() under a lock");
	return task_of(current)->caps & 1ull << capability;
}

static bool op_may_observe(void *host, const struct tally_core_task *current,
			   const struct tally_core_task *target)
{
	return task_of(current)->process == task_of(target)->process ||
	       (task_of(current)->uid == task_of(target)->uid &&
		!task_of(target)->process->secret) ||
	       op_capable(host, current, TALLY_CORE_CAP_SYS_PTRACE);
}

/* The machine has no tracers, so permission to observe a task is permission to attach to it. */
static bool op_may_trap(void *host, const struct tally_core_task *current,
			const struct tally_core_task *target)
{
	return op_may_observe(host, current, target);
}

static uint64_t op_memlock_limit(void *host, const struct tally_core_task *current)
{
	sim_check_may_sleep(host, "memlock_limit() with interrupts off",
			    "memlock_limit() under a lock");
	return task_of(current)->memlock;
}

static void op_notify(void *host, void *cookie, unsigned events)
{
	struct tally_sim *sim = host;
	struct sim_file *file = cookie;

	if (!sim_this(sim)->off || sim_this(sim)->in_interrupt)
		sim_violate(sim, "notify() with interrupts on, or in the overflow interrupt");
	if (!file)
		return;
	file->notifications.in += !!(events & TALLY_CORE_POLLIN);
	file->notifications.hup += !!(events & TALLY_CORE_POLLHUP);
	if (file->async)
		file->async->signals.async++;
	if (file->owner && sim->config.notified)
		sim->config.notified(file->owner, events);
}

static void op_sigtrap(void *host, struct tally_core_task *perf, uint64_t addr, uint32_t type,
		       uint64_t sig_data)
{
	struct tally_sim *sim = host;
	struct tally_sim_task *task = task_of(perf);

	if (sim_this(sim)->current != task)
		sim_violate(sim, "sigtrap() for a task that is not running on this CPU");
	task->signals.traps++;
	task->signals.trap_addr = addr;
	task->signals.trap_type = type;
	task->signals.trap_data = sig_data;
}

/* ---- state of an interrupted task --------------------------------------------------- */

static uint32_t op_callchain(void *host, const struct tally_core_sample_data *sample_data,
			     bool user, uint64_t *ret_ips, uint32_t max)
{
	struct tally_sim *sim = host;

	return sim_chain(sim_this(sim), sample_data, user, ret_ips, max);
}

/* Return register values: register n of a thread contains tid << 32 | n, with the top bit set for
 * user space. */
static uint64_t op_registers(void *host, const struct tally_core_sample_data *sample_data,
			     bool user, uint64_t mask, uint64_t *ret_values)
{
	struct tally_sim *sim = host;
	const struct tally_sim_task *task = sim_this(sim)->current;

	if (user && task->is_idle)
		return PERF_SAMPLE_REGS_ABI_NONE;
	for (; mask; mask &= mask - 1)
		*ret_values++ = (uint64_t)user << 63 | (uint64_t)task->perf.tid << 32 |
				(uint64_t)__builtin_ctzll(mask);
	return PERF_SAMPLE_REGS_ABI_64;
}

/* Return the user stack, which is SIM_STACK_BYTES long. Byte n contains n. */
static uint32_t op_stack(void *host, const struct tally_core_sample_data *sample_data, void *to,
			 uint32_t len)
{
	struct tally_sim *sim = host;
	uint8_t *bytes = to;

	len = sim_this(sim)->current->is_idle ? 0 : TALLY_MIN(len, SIM_STACK_BYTES);
	for (uint32_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)i;
	return len;
}

static uint64_t op_physical(void *host, uint64_t addr)
{
	return addr ^ SIM_PHYSICAL;
}

/* All pages have the same size, but the first page is not mapped. */
static uint64_t op_page_size_of(void *host, uint64_t addr)
{
	return addr < sim_ops.page_size ? 0 : sim_ops.page_size;
}

/* Return the current task's cgroup. Each user has one cgroup. */
static uint64_t op_cgroup(void *host)
{
	struct tally_sim *sim = host;

	return SIM_CGROUP + sim_this(sim)->current->uid;
}

/* Return a task's IDs in the viewer's namespace. A namespace is just a number that is subtracted
 * from the IDs. */
static void op_ids(void *host, void *viewer, const struct tally_core_task *task, bool parent,
		   int32_t *ret_pid, int32_t *ret_tid)
{
	*ret_pid -= (int32_t)(uintptr_t)viewer;
	*ret_tid -= (int32_t)(uintptr_t)viewer;
}

static bool op_permit(void *host, enum tally_host_access access, const struct perf_event_attr *attr,
		      void *cookie)
{
	struct tally_sim *sim = host;

	if (sim_this(sim)->off)
		sim_violate(sim, "permit() with interrupts off");
	return !(sim->forbidden & 1u << access);
}

const struct tally_host_ops sim_ops = {
	.alloc = sim_alloc,
	.free = sim_free,
	.pages_alloc = sim_pages_alloc,
	.pages_free = sim_pages_free,
	.lock_new = sim_lock_new,
	.lock_free = op_lock_free,
	.lock = op_lock,
	.unlock = op_unlock,
	.irq_save = op_irq_save,
	.irq_restore = op_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_defer,
	.clock = op_clock,
	.clock_of = op_clock_of,
	.clock_params = op_clock_params,
	.timer = op_timer,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.event_of_fd = op_event_of_fd,
	.capable = op_capable,
	.may_observe = op_may_observe,
	.may_trap = op_may_trap,
	.permit = op_permit,
	.ids = op_ids,
	.memlock_limit = op_memlock_limit,
	.copy_from_user = sim_copy_from_user,
	.copy_to_user = sim_copy_to_user,
	.notify = op_notify,
	.sigtrap = op_sigtrap,
	.callchain = op_callchain,
	.registers = op_registers,
	.register_mask = 0xff0fff,
	.stack = op_stack,
	.physical = op_physical,
	.page_size_of = op_page_size_of,
	.cgroup = op_cgroup,
	.page_size = 4096,
	.offers = TALLY_HOST_TEXT_POKE | TALLY_HOST_BPF | TALLY_HOST_CGROUP | TALLY_HOST_EMPTY_AUX,
};

void sim_ops_strip(struct tally_host_ops *ops)
{
	ops->clock_of = NULL;
	ops->clock_params = NULL;
	ops->capable = NULL;
	ops->may_observe = NULL;
	ops->may_trap = NULL;
	ops->permit = NULL;
	ops->ids = NULL;
	ops->memlock_limit = NULL;
	ops->sigtrap = NULL;
	ops->here = NULL;
	ops->callchain = NULL;
	ops->registers = NULL;
	ops->stack = NULL;
	ops->physical = NULL;
	ops->page_size_of = NULL;
	ops->cgroup = NULL;
	ops->offers = 0;
}
