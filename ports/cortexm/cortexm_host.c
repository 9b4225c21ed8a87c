/* SPDX-License-Identifier: BSD-2-Clause */
/* Implementation of the operations in cortexm_host.h. */
#include "base/linked_list.h"
#include "ports/cortexm/cortexm_host.h"
#include "ports/cortexm/cortexm_kernel.h"

static struct thread *thread_of(const struct tally_core_task *perf)
{
	return tally_container_of(perf, struct thread, perf);
}

/* Check that the core calls an operation that may sleep only where sleeping is allowed. */
static void check_may_sleep(const char *operation)
{
	if (!may_sleep())
		board_panic(operation, 0, 0);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void *op_alloc(void *host, size_t size)
{
	check_may_sleep("alloc");
	return heap_alloc(size, 0);
}

static void op_free(void *host, void *memory, size_t size)
{
	check_may_sleep("free");
	heap_free(memory, size);
}

static void *op_pages_alloc(void *host, size_t nr)
{
	check_may_sleep("pages_alloc");
	return nr <= DATA_SIZE / PAGE_SIZE ? heap_alloc(nr * PAGE_SIZE, PAGE_SIZE) : NULL;
}

static void op_pages_free(void *host, void *pages, size_t nr)
{
	check_may_sleep("pages_free");
	heap_free(pages, nr * PAGE_SIZE);
}

static bool lies_in(uintptr_t address, size_t len, uintptr_t base, size_t size)
{
	return address >= base && address - base <= size && len <= size - (address - base);
}

/* There is only one address space. An access outside of memory would fault. */
static int op_copy_from_user(void *host, void *to, const void *user, size_t len)
{
	check_may_sleep("copy_from_user");
	if (!lies_in((uintptr_t)user, len, DATA_BASE, DATA_SIZE) &&
	    !lies_in((uintptr_t)user, len, CODE_BASE, DATA_SIZE))
		return -EFAULT;
	__builtin_memcpy(to, user, len);
	return 0;
}

static int op_copy_to_user(void *host, void *user, const void *from, size_t len)
{
	check_may_sleep("copy_to_user");
	if (!lies_in((uintptr_t)user, len, DATA_BASE, DATA_SIZE))
		return -EFAULT;
	__builtin_memcpy(user, from, len);
	return 0;
}

/* ---- locks, interrupts ---------------------------------------------------------------------- */

static void *op_lock_new(void *host)
{
	return op_alloc(host, sizeof(struct mutex));
}

static void op_lock_free(void *host, void *lock)
{
	op_free(host, lock, sizeof(struct mutex));
}

static void op_lock(void *host, void *lock)
{
	check_may_sleep("lock");
	mutex_lock(lock);
}

static void op_unlock(void *host, void *lock)
{
	mutex_unlock(lock);
}

/* A measurement of how long interrupts are off. It begins when the core turns interrupts off in a
 * thread that was running with interrupts on. */
static struct measured off;

static uintptr_t op_irq_save(void *host)
{
	bool first = may_sleep();
	uint32_t flags = irq_save();

	if (first)
		off.since = board_clock_low();
	return flags;
}

static void op_irq_restore(void *host, uintptr_t flags)
{
	if (!flags && !in_handler() && !rtos.measure_stacks)
		measure_end(&off, OFF_CALL);
	irq_restore(flags);
}

static uint32_t op_this_cpu(void *host)
{
	return 0;
}

static int op_call(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	uintptr_t flags;

	check_may_sleep("call");
	flags = op_irq_save(host);
	fn(arg);
	op_irq_restore(host, flags);
	return 0;
}

/* Request a call to tally_core_deferred(). May be called from the overflow interrupt, as setting
 * the flag twice is harmless. */
static void op_defer(void *host)
{
	rtos.deferred = true;
	pend_switch();
}

/* ---- time ----------------------------------------------------------------------------------- */

static uint64_t op_clock(void *host)
{
	return board_clock_ns();
}

static void op_timer(void *host, uint64_t deadline)
{
	rtos.deadline = deadline;
	board_timer_arm(deadline);
}

/* ---- threads and descriptors ----------------------------------------------------------------- */

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	uint32_t flags = irq_save();
	struct thread *thread = thread_find(tid);

	if (thread)
		thread->held++;
	irq_restore(flags);
	return thread ? &thread->perf : NULL;
}

static void op_task_put(void *host, struct tally_core_task *perf)
{
	thread_put(thread_of(perf));
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	return call_event_of_fd(thread_of(current), fd);
}

static void op_notify(void *host, void *cookie, unsigned events)
{
	if (cookie)
		call_notify(cookie);
}

static const struct tally_host_ops ops = {
	.alloc = op_alloc,
	.free = op_free,
	.pages_alloc = op_pages_alloc,
	.pages_free = op_pages_free,
	.lock_new = op_lock_new,
	.lock_free = op_lock_free,
	.lock = op_lock,
	.unlock = op_unlock,
	.irq_save = op_irq_save,
	.irq_restore = op_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_defer,
	.clock = op_clock,
	.timer = op_timer,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.event_of_fd = op_event_of_fd,
	.copy_from_user = op_copy_from_user,
	.copy_to_user = op_copy_to_user,
	.notify = op_notify,
	.pmu_init = dualtimer_register,
	.page_size = PAGE_SIZE,
};

void host_start(void)
{
	struct tally_core_settings settings;
	int ret;

	tally_core_settings_init(&settings);
	settings.tick_ns = TICK_NS;
	settings.record_max = 512;
	settings.contiguous = true;
	settings.max_sample_rate = 20000;
	ret = tally_core_create(&ops, NULL, 1, &settings, &rtos.core);
	if (!ret)
		ret = tally_core_cpu_online(rtos.core, 0);
	if (ret)
		board_panic("no core", (uint32_t)-ret, 0);
}
