/* SPDX-License-Identifier: BSD-2-Clause */
/* Implementation of the operations in host.h. The host's lock is held whenever the core is called,
 * so the operations for locks and interrupts do nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "hosts/user/user_files.h"
#include "hosts/user/user_private.h"
#include "hosts/user/regs.h"
#include "hosts/user/user_signals.h"
#include "hosts/user/stack.h"

static void *op_alloc(void *host, size_t size)
{
	return calloc(1, size);
}

static void op_free(void *host, void *memory, size_t size)
{
	free(memory);
}

static void *op_lock_new(void *host)
{
	return host;
}

static void op_lock(void *host, void *lock)
{
}

static uintptr_t op_irq_save(void *host)
{
	return 0;
}

static void op_irq_restore(void *host, uintptr_t flags)
{
}

static uint32_t op_this_cpu(void *host)
{
	const struct tally_user *user = host;

	return user->cpu;
}

static int op_call(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	struct tally_user *user = host;
	uint32_t before = user->cpu;

	if (cpu >= user->nr_cpus)
		return -ENXIO;
	user->cpu = cpu;
	fn(arg);
	user->cpu = before;
	return 0;
}

static void op_defer(void *host)
{
	struct tally_user *user = host;

	user->cpus[user->cpu].deferred = true;
}

static uint64_t op_clock(void *host)
{
	const struct tally_user *user = host;

	return user->clock;
}

static bool is_clock_of_events(int32_t clockid)
{
	return clockid == CLOCK_MONOTONIC || clockid == CLOCK_MONOTONIC_RAW ||
	       clockid == CLOCK_REALTIME || clockid == CLOCK_BOOTTIME || clockid == CLOCK_TAI;
}

/* Return a clock's time at the moment being replayed, using the clock's current offset from
 * CLOCK_MONOTONIC. */
static bool op_clock_of(void *host, int32_t clockid, uint64_t *ret_ns)
{
	const struct tally_user *user = host;
	struct timespec time;
	uint64_t now;

	if (!is_clock_of_events(clockid) || clock_gettime(clockid, &time))
		return false;
	now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	*ret_ns = user->clock + (now - tally_clock_now());
	return true;
}

static void op_timer(void *host, uint64_t deadline)
{
	struct tally_user *user = host;

	user->cpus[user->cpu].timer_at = deadline;
}

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	struct tally_user *user = host;
	struct user_task *task =
		tid == user->self.perf.tid ? &user->self : user_task_find(user, tid);

	return task ? &task->perf : NULL;
}

static void op_task_put(void *host, struct tally_core_task *task)
{
}

/* Return -1, because a task is on a CPU only while it is being replayed. */
static int32_t op_task_cpu(void *host, const struct tally_core_task *task)
{
	return -1;
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	struct user_file *file = user_file_find(host, fd);

	return file ? file->event : NULL;
}

/* Return false, because anything that requires a capability here goes beyond what ptrace
 * permits. */
static bool op_capable(void *host, const struct tally_core_task *current, int capability)
{
	return false;
}

/* Return true, because every task of this host has been attached with ptrace and may therefore be
 * observed. */
static bool op_may_observe(void *host, const struct tally_core_task *current,
			   const struct tally_core_task *target)
{
	return true;
}

static int op_copy(void *host, void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return 0;
}

static void op_notify(void *host, void *cookie, unsigned events)
{
	struct user_file *file = cookie;

	if (!file)
		return;
	if (events & TALLY_CORE_POLLHUP)
		user_signals_used_up(host, file, true);
	eventfd_write(file->fd, 1);
}

static uint32_t op_callchain(void *host, const struct tally_core_sample_data *sample_data,
			     bool user_space, uint64_t *ret_ips, uint32_t max)
{
	return user_space && sample_data->regs ? user_stack_walk(sample_data->regs, ret_ips, max)
					       : 0;
}

static uint64_t op_registers(void *host, const struct tally_core_sample_data *sample_data,
			     bool user_space, uint64_t mask, uint64_t *ret_values)
{
	const struct user_stop *stop = sample_data->regs;

	if (!stop)
		return PERF_SAMPLE_REGS_ABI_NONE;
	for (; mask; mask &= mask - 1)
		*ret_values++ = user_regs_get(&stop->regs, (uint32_t)__builtin_ctzll(mask));
	return user_regs_abi(&stop->regs);
}

static uint32_t op_stack(void *host, const struct tally_core_sample_data *sample_data, void *to,
			 uint32_t len)
{
	const struct user_stop *stop = sample_data->regs;

	return stop ? user_stack_read(stop, user_regs_sp(&stop->regs), to, len) : 0;
}

const struct tally_host_ops user_ops = {
	.alloc = op_alloc,
	.free = op_free,
	.pages_alloc = user_pages_alloc,
	.pages_free = user_pages_free,
	.lock_new = op_lock_new,
	.lock_free = op_lock,
	.lock = op_lock,
	.unlock = op_lock,
	.irq_save = op_irq_save,
	.irq_restore = op_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_defer,
	.clock = op_clock,
	.clock_of = op_clock_of,
	.timer = op_timer,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.event_of_fd = op_event_of_fd,
	.capable = op_capable,
	.may_observe = op_may_observe,
	.copy_from_user = op_copy,
	.copy_to_user = op_copy,
	.notify = op_notify,
	.callchain = op_callchain,
	.registers = op_registers,
	.stack = op_stack,
	.offers = TALLY_HOST_REPORTS_SWITCHES,
};
