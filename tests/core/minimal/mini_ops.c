/* SPDX-License-Identifier: BSD-2-Clause */
/* Host operations, except those for memory and counters. */
#include <stdlib.h>
#include <string.h>

#include "core/minimal/mini.h"

/* ---- locks ------------------------------------------------------------------------------ */

static void *op_lock_new(void *host)
{
	return mini_alloc(host, sizeof(struct mini_lock));
}

static void op_lock_free(void *host, void *memory)
{
	struct mini_lock *lock = memory;

	if (lock->held)
		mini_broken(host, "a lock is freed that is held");
	mini_free(host, lock, sizeof(*lock));
}

static void op_lock(void *host, void *memory)
{
	struct mini *mini = host;
	struct mini_lock *lock = memory;

	mini_check(mini, MINI_OP_LOCK);
	mini_at(mini, MINI_AT_LOCK, lock);
	if (lock->held || mini->nr_held == MINI_HELD)
		mini_broken(mini, "a lock is taken that is held");
	lock->held = true;
	mini->held[mini->nr_held++].lock = lock;
}

static void op_unlock(void *host, void *memory)
{
	struct mini *mini = host;
	struct mini_lock *lock = memory;

	mini_check(mini, MINI_OP_UNLOCK);
	if (!mini->nr_held || mini->held[mini->nr_held - 1].lock != lock) {
		mini_broken(mini, "a lock is given back that is not the last that was taken");
		return;
	}
	lock->held = false;
	mini->nr_held--;
}

/* ---- interrupts and CPUs ---------------------------------------------------------------- */

/* Run deferred work if interrupts are on again. */
static void open_interrupts(struct mini *mini)
{
	if (!mini->off && !mini->nmi && !mini->hold_deferred)
		mini_deferred(mini);
}

static uintptr_t op_irq_save(void *host)
{
	struct mini *mini = host;

	mini_at(mini, MINI_AT_SAVE, NULL);
	return mini->off++;
}

static void op_irq_restore(void *host, uintptr_t flags)
{
	struct mini *mini = host;

	if (!mini->off || flags != mini->off - 1)
		mini_broken(mini, "interrupts are restored to %zu from %zu", (size_t)flags,
			    (size_t)mini->off);
	mini->off = flags;
	open_interrupts(mini);
	if (!mini->off && !mini->nmi)
		mini_at(mini, MINI_AT_RESTORE, NULL);
}

static uint32_t op_this_cpu(void *host)
{
	return ((struct mini *)host)->cpu;
}

static int op_call(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	struct mini *mini = host;
	uint32_t was = mini->cpu;

	mini_check(mini, MINI_OP_CALL);
	mini_at(mini, MINI_AT_CALL, NULL);
	if (cpu >= mini->nr_cpus)
		mini_broken(mini, "CPU %u, which is none, is called", cpu);
	if (!mini->cpus[cpu].online)
		return -ENXIO;
	mini->cpu = cpu;
	mini->off = 1;
	fn(arg);
	if (mini->off != 1)
		mini_broken(mini, "a function called on a CPU leaves interrupts %s",
			    mini->off ? "off" : "on");
	mini->off = 0;
	open_interrupts(mini);
	mini->cpu = was;
	return 0;
}

static void op_defer(void *host)
{
	struct mini *mini = host;

	mini->cpus[mini->cpu].deferred = true;
}

/* A spin loop with interrupts on waits for other CPUs, so run their deferred work. */
static void op_relax(void *host)
{
	struct mini *mini = host;
	uint32_t was = mini->cpu;

	if (mini->off || mini->nmi)
		mini_broken(mini, "a spin lock is waited for that what was interrupted holds");
	if (++mini->nr_relaxed > 1000)
		mini_broken(mini, "something is waited for that does not happen");
	for (uint32_t i = 0; i < mini->nr_cpus; i++) {
		mini->cpu = i;
		if (mini->cpus[i].online)
			mini_deferred(mini);
	}
	mini->cpu = was;
}

static uint64_t op_clock(void *host)
{
	struct mini *mini = host;
	uint64_t now = mini->now;

	mini_at(mini, MINI_AT_CLOCK, NULL);
	return now;
}

static void op_timer(void *host, uint64_t deadline)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_TIMER);
	mini->cpus[mini->cpu].deadline = deadline;
}

/* ---- tasks and descriptors -------------------------------------------------------------- */

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_TASK_GET);
	for (int i = 0; i < MINI_TASKS; i++) {
		if (mini->tasks[i] && !mini->tasks[i]->hidden && mini->tasks[i]->perf.tid == tid) {
			mini->tasks[i]->refs++;
			return &mini->tasks[i]->perf;
		}
	}
	return NULL;
}

static void op_task_put(void *host, struct tally_core_task *perf)
{
	struct mini *mini = host;
	struct mini_task *task = (struct mini_task *)perf;

	mini_check(mini, MINI_OP_TASK_PUT);
	if (!task->refs--)
		mini_broken(mini, "task_put of a task that nobody has");
	if (!task->refs && task->gone) {
		mini->nr_gone--;
		free(task);
	}
}

/* Check that the task belongs to this host. A real host would use the pointer to the embedded
 * structure to find its own task structure. */
static void check_task(struct mini *mini, const struct tally_core_task *perf)
{
	for (int i = 0; i < MINI_TASKS; i++) {
		if (mini->tasks[i] && &mini->tasks[i]->perf == perf)
			return;
	}
	if (perf && !((const struct mini_task *)perf)->refs)
		mini_broken(mini, "a task that is none of the host's");
}

/* Each namespace numbers its tasks from a different base. */
static void op_ids(void *host, void *viewer, const struct tally_core_task *perf, bool parent,
		   int32_t *ret_pid, int32_t *ret_tid)
{
	const struct mini *mini = host;

	check_task(host, perf);
	if (viewer && viewer == mini->gone_viewer)
		mini_broken(host, "a namespace is asked that is gone");
	*ret_pid -= (int32_t)(uintptr_t)viewer;
	*ret_tid -= (int32_t)(uintptr_t)viewer;
}

static int32_t op_task_cpu(void *host, const struct tally_core_task *perf)
{
	check_task(host, perf);
	return ((const struct mini_task *)perf)->cpu;
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_EVENT_OF_FD);
	if (fd < 0 || fd >= MINI_FILES || !mini->files[fd].event || mini->files[fd].closing)
		return NULL;
	mini_call_borrow(mini, fd);
	return mini->files[fd].event;
}

static bool op_capable(void *host, const struct tally_core_task *current, int capability)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_CAPABLE);
	check_task(mini, current);
	return mini->caps >> capability & 1;
}

static bool op_may_observe(void *host, const struct tally_core_task *current,
			   const struct tally_core_task *target)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_MAY_OBSERVE);
	check_task(mini, current);
	check_task(mini, target);
	return mini->may_observe;
}

static uint64_t op_memlock_limit(void *host, const struct tally_core_task *current)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_MEMLOCK_LIMIT);
	check_task(mini, current);
	return mini->memlock;
}

static void op_notify(void *host, void *cookie, unsigned events)
{
	struct mini *mini = host;
	struct mini_file *file = cookie;

	mini_check(mini, MINI_OP_NOTIFY);
	if (file && !file->event && !file->users)
		mini_broken(mini, "notify for a descriptor that is closed");
	if (file)
		file->notices++;
}

static void op_sigtrap(void *host, struct tally_core_task *perf, uint64_t addr, uint32_t type,
		       uint64_t sig_data)
{
	struct mini *mini = host;
	const struct mini_task *task = mini->cpus[mini->cpu].task;

	mini_check(mini, MINI_OP_SIGTRAP);
	if (!task || &task->perf != perf)
		mini_broken(mini, "SIGTRAP for a task that does not run here");
	mini->traps++;
	mini->trapped = perf;
	mini->trap_addr = addr;
	mini->trap_data = sig_data;
}

/* ---- the interrupted context ------------------------------------------------------------ */

static uint32_t op_callchain(void *host, const struct tally_core_sample_data *sample_data,
			     bool user, uint64_t *ret_ips, uint32_t max)
{
	uint32_t nr = 0;

	while (nr < max && nr < 3)
		ret_ips[nr++] = sample_data->ip + user;
	return nr;
}

static uint64_t op_registers(void *host, const struct tally_core_sample_data *sample_data,
			     bool user, uint64_t mask, uint64_t *ret_values)
{
	for (; mask; mask &= mask - 1)
		*ret_values++ = mask;
	return PERF_SAMPLE_REGS_ABI_64;
}

static uint32_t op_stack(void *host, const struct tally_core_sample_data *sample_data, void *to,
			 uint32_t len)
{
	memset(to, 0x5a, len / 2);
	return len / 2;
}

static uint64_t op_physical(void *host, uint64_t addr)
{
	return addr;
}

static uint64_t op_cgroup(void *host)
{
	return 1;
}

static uint64_t op_page_size_of(void *host, uint64_t addr)
{
	return 4096;
}

const struct tally_host_ops mini_ops = {
	.alloc = mini_alloc,
	.free = mini_free,
	.pages_alloc = mini_pages_alloc,
	.pages_free = mini_pages_free,
	.lock_new = op_lock_new,
	.lock_free = op_lock_free,
	.lock = op_lock,
	.unlock = op_unlock,
	.irq_save = op_irq_save,
	.irq_restore = op_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_defer,
	.relax = op_relax,
	.clock = op_clock,
	.timer = op_timer,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.ids = op_ids,
	.event_of_fd = op_event_of_fd,
	.capable = op_capable,
	.may_observe = op_may_observe,
	.may_trap = op_may_observe,
	.memlock_limit = op_memlock_limit,
	.copy_from_user = mini_copy_from_user,
	.copy_to_user = mini_copy_to_user,
	.notify = op_notify,
	.sigtrap = op_sigtrap,
	.callchain = op_callchain,
	.registers = op_registers,
	.register_mask = 0xff,
	.stack = op_stack,
	.physical = op_physical,
	.cgroup = op_cgroup,
	.page_size_of = op_page_size_of,
	.page_size = 4096,
	.offers = ~(uint64_t)(TALLY_HOST_PMU_INIT | TALLY_HOST_REPORTS_SWITCHES),
};
