/* SPDX-License-Identifier: BSD-2-Clause */
/* Host operations except memory and counters. */
#include <stdlib.h>
#include <string.h>

#include "core/least/least.h"

/* ---- locks ------------------------------------------------------------------------------ */

static void *op_lock_new(void *host)
{
	return least_alloc(host, sizeof(struct least_lock));
}

static void op_lock_free(void *host, void *memory)
{
	struct least_lock *lock = memory;

	if (lock->held)
		least_broken(host, "a lock is freed that is held");
	least_free(host, lock, sizeof(*lock));
}

static void op_lock(void *host, void *memory)
{
	struct least *least = host;
	struct least_lock *lock = memory;

	least_check(least, LEAST_OP_LOCK);
	least_at(least, LEAST_AT_LOCK, lock);
	if (lock->held || least->nr_held == LEAST_HELD)
		least_broken(least, "a lock is taken that is held");
	lock->held = true;
	least->held[least->nr_held++].lock = lock;
}

static void op_unlock(void *host, void *memory)
{
	struct least *least = host;
	struct least_lock *lock = memory;

	least_check(least, LEAST_OP_UNLOCK);
	if (!least->nr_held || least->held[least->nr_held - 1].lock != lock) {
		least_broken(least, "a lock is given back that is not the last that was taken");
		return;
	}
	lock->held = false;
	least->nr_held--;
}

/* ---- interrupts and CPUs ---------------------------------------------------------------- */

/* Run the deferred work once interrupts are on again. */
static void open_interrupts(struct least *least)
{
	if (!least->off && !least->nmi && !least->hold_deferred)
		least_deferred(least);
}

static uintptr_t op_irq_save(void *host)
{
	struct least *least = host;

	least_at(least, LEAST_AT_SAVE, NULL);
	return least->off++;
}

static void op_irq_restore(void *host, uintptr_t flags)
{
	struct least *least = host;

	if (!least->off || flags != least->off - 1)
		least_broken(least, "interrupts are restored to %zu from %zu", (size_t)flags,
			     (size_t)least->off);
	least->off = flags;
	open_interrupts(least);
	if (!least->off && !least->nmi)
		least_at(least, LEAST_AT_RESTORE, NULL);
}

static uint32_t op_this_cpu(void *host)
{
	return ((struct least *)host)->cpu;
}

static int op_call(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	struct least *least = host;
	uint32_t was = least->cpu;

	least_check(least, LEAST_OP_CALL);
	least_at(least, LEAST_AT_CALL, NULL);
	if (cpu >= least->nr_cpus)
		least_broken(least, "CPU %u, which is none, is called", cpu);
	if (!least->cpus[cpu].online)
		return -ENXIO;
	least->cpu = cpu;
	least->off = 1;
	fn(arg);
	if (least->off != 1)
		least_broken(least, "a function called on a CPU leaves interrupts %s",
			     least->off ? "off" : "on");
	least->off = 0;
	open_interrupts(least);
	least->cpu = was;
	return 0;
}

static void op_defer(void *host)
{
	struct least *least = host;

	least->cpus[least->cpu].deferred = true;
}

/* Spinning with interrupts on waits for other CPUs, so these run their deferred work. */
static void op_relax(void *host)
{
	struct least *least = host;
	uint32_t was = least->cpu;

	if (least->off || least->nmi)
		least_broken(least, "a spin lock is waited for that what was interrupted holds");
	if (++least->nr_relaxed > 1000)
		least_broken(least, "something is waited for that does not happen");
	for (uint32_t i = 0; i < least->nr_cpus; i++) {
		least->cpu = i;
		if (least->cpus[i].online)
			least_deferred(least);
	}
	least->cpu = was;
}

static uint64_t op_clock(void *host)
{
	struct least *least = host;
	uint64_t now = least->now;

	least_at(least, LEAST_AT_CLOCK, NULL);
	return now;
}

static void op_timer(void *host, uint64_t deadline)
{
	struct least *least = host;

	least_check(least, LEAST_OP_TIMER);
	least->cpus[least->cpu].deadline = deadline;
}

/* ---- tasks and descriptors -------------------------------------------------------------- */

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	struct least *least = host;

	least_check(least, LEAST_OP_TASK_GET);
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least->tasks[i] && !least->tasks[i]->hidden &&
		    least->tasks[i]->perf.tid == tid) {
			least->tasks[i]->refs++;
			return &least->tasks[i]->perf;
		}
	}
	return NULL;
}

static void op_task_put(void *host, struct tally_core_task *perf)
{
	struct least *least = host;
	struct least_task *task = (struct least_task *)perf;

	least_check(least, LEAST_OP_TASK_PUT);
	if (!task->refs--)
		least_broken(least, "task_put of a task that nobody has");
	if (!task->refs && task->gone) {
		least->nr_gone--;
		free(task);
	}
}

/* Check that the task belongs to this host. Hosts find their own task around the embedded one. */
static void check_task(struct least *least, const struct tally_core_task *perf)
{
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least->tasks[i] && &least->tasks[i]->perf == perf)
			return;
	}
	if (perf && !((const struct least_task *)perf)->refs)
		least_broken(least, "a task that is none of the host's");
}

/* Namespaces number their tasks from different bases. */
static void op_ids(void *host, void *viewer, const struct tally_core_task *perf, bool parent,
		   int32_t *ret_pid, int32_t *ret_tid)
{
	const struct least *least = host;

	check_task(host, perf);
	if (viewer && viewer == least->gone_viewer)
		least_broken(host, "a namespace is asked that is gone");
	*ret_pid -= (int32_t)(uintptr_t)viewer;
	*ret_tid -= (int32_t)(uintptr_t)viewer;
}

static int32_t op_task_cpu(void *host, const struct tally_core_task *perf)
{
	check_task(host, perf);
	return ((const struct least_task *)perf)->cpu;
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	struct least *least = host;

	least_check(least, LEAST_OP_EVENT_OF_FD);
	if (fd < 0 || fd >= LEAST_FILES || !least->files[fd].event || least->files[fd].closing)
		return NULL;
	least_call_borrow(least, fd);
	return least->files[fd].event;
}

static bool op_capable(void *host, const struct tally_core_task *current, int capability)
{
	struct least *least = host;

	least_check(least, LEAST_OP_CAPABLE);
	check_task(least, current);
	return least->caps >> capability & 1;
}

static bool op_may_observe(void *host, const struct tally_core_task *current,
			   const struct tally_core_task *target)
{
	struct least *least = host;

	least_check(least, LEAST_OP_MAY_OBSERVE);
	check_task(least, current);
	check_task(least, target);
	return least->may_observe;
}

static uint64_t op_memlock_limit(void *host, const struct tally_core_task *current)
{
	struct least *least = host;

	least_check(least, LEAST_OP_MEMLOCK_LIMIT);
	check_task(least, current);
	return least->memlock;
}

static void op_notify(void *host, void *cookie, unsigned events)
{
	struct least *least = host;
	struct least_file *file = cookie;

	least_check(least, LEAST_OP_NOTIFY);
	if (file && !file->event && !file->users)
		least_broken(least, "notify for a descriptor that is closed");
	if (file)
		file->notices++;
}

static void op_sigtrap(void *host, struct tally_core_task *perf, uint64_t addr, uint32_t type,
		       uint64_t sig_data)
{
	struct least *least = host;
	const struct least_task *task = least->cpus[least->cpu].task;

	least_check(least, LEAST_OP_SIGTRAP);
	if (!task || &task->perf != perf)
		least_broken(least, "SIGTRAP for a task that does not run here");
	least->traps++;
	least->trapped = perf;
	least->trap_addr = addr;
	least->trap_data = sig_data;
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

const struct tally_host_ops least_ops = {
	.alloc = least_alloc,
	.free = least_free,
	.pages_alloc = least_pages_alloc,
	.pages_free = least_pages_free,
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
	.copy_from_user = least_copy_from_user,
	.copy_to_user = least_copy_to_user,
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
	.offers = ~(uint64_t)(TALLY_HOST_PMU_INIT | TALLY_HOST_TELLS_SWITCHES),
};
