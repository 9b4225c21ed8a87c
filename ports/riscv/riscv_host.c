/* SPDX-License-Identifier: BSD-2-Clause */
/* Implementation of the operations in riscv_host.h. */
#include "base/linked_list.h"
#include "ports/riscv/riscv_host.h"
#include "ports/riscv/riscv_kernel.h"

#ifdef TALLY_CORE_IRQ_HEADER
#include TALLY_CORE_IRQ_HEADER
uint32_t host_sequences[HOST_SEQUENCES];
#endif

static struct kernel_task *task_of(const struct tally_core_task *perf)
{
	return tally_container_of(perf, struct kernel_task, perf);
}

/* ---- memory ------------------------------------------------------------------------------- */

static void *op_alloc(void *host, size_t size)
{
	return heap_get(size);
}

static void op_free(void *host, void *memory, size_t size)
{
	heap_put(memory, size);
}

static void *op_pages_alloc(void *host, size_t nr)
{
	return pages_get(true, nr);
}

static void op_pages_free(void *host, void *pages, size_t nr)
{
	pages_put(pages, nr);
}

static int op_copy_from_user(void *host, void *to, const void *user, size_t len)
{
	if (!user_range((uintptr_t)user, len))
		return -EFAULT;
	memcpy(to, user, len);
	return 0;
}

static int op_copy_to_user(void *host, void *user, const void *from, size_t len)
{
	if (!user_range((uintptr_t)user, len))
		return -EFAULT;
	memcpy(user, from, len);
	return 0;
}

/* ---- locks, interrupts and harts ---------------------------------------------------------- */

static void *op_lock_new(void *host)
{
	return heap_get(sizeof(struct lock));
}

static void op_lock_free(void *host, void *lock)
{
	heap_put(lock, sizeof(struct lock));
}

/* Wait for the lock with interrupts on, so that call() works on this hart in the meantime. The
 * holder is not preempted. */
static void op_lock(void *host, void *lock)
{
	lock_acquire(lock);
}

static void op_unlock(void *host, void *lock)
{
	lock_release(lock);
}

static uintptr_t op_irq_save(void *host)
{
	return irq_save();
}

static void op_irq_restore(void *host, uintptr_t flags)
{
	irq_restore(flags);
}

static uint32_t op_this_cpu(void *host)
{
	return this_cpu()->number;
}

static int op_call(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	uint64_t flags = irq_save();

	if (cpu == this_cpu()->number) {
		fn(arg);
		irq_restore(flags);
		return 0;
	}
	irq_restore(flags);
	lock_acquire(&kernel.call.lock);
	kernel.call.fn = fn;
	kernel.call.arg = arg;
	kernel.call.cpu = cpu;
	__atomic_store_n(&kernel.call.pending, 1, __ATOMIC_RELEASE);
	ipi_send(cpu);
	while (__atomic_load_n(&kernel.call.pending, __ATOMIC_ACQUIRE))
		;
	lock_release(&kernel.call.lock);
	return 0;
}

/* Raise a software interrupt on this hart. It arrives when interrupts are turned on. */
static void op_defer(void *host)
{
	csr_set(sip, 1 << IRQ_SOFT);
}

/* Handle a software interrupt raised by call(), by op_defer(), or by both. */
void host_call_interrupt(void)
{
	csr_clear(sip, 1 << IRQ_SOFT);
	if (__atomic_load_n(&kernel.call.pending, __ATOMIC_ACQUIRE) &&
	    kernel.call.cpu == this_cpu()->number) {
		kernel.call.fn(kernel.call.arg);
		__atomic_store_n(&kernel.call.pending, 0, __ATOMIC_RELEASE);
	}
	tally_core_deferred(kernel.core);
}

/* ---- time --------------------------------------------------------------------------------- */

static uint64_t op_clock(void *host)
{
	return clock_ns();
}

static void op_clock_params(void *host, struct tally_core_clock_params *ret_params)
{
	*ret_params = (struct tally_core_clock_params){.valid = true, .mult = 100};
}

static void op_timer(void *host, uint64_t deadline)
{
	this_cpu()->deadline = deadline;
	timer_program(this_cpu());
}

/* ---- tasks -------------------------------------------------------------------------------- */

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	uint64_t flags = irq_save();
	struct kernel_task *task;

	lock_acquire(&kernel.schedule);
	task = task_find(tid);
	if (task)
		task->held++;
	lock_release(&kernel.schedule);
	irq_restore(flags);
	return task ? &task->perf : NULL;
}

static void op_task_put(void *host, struct tally_core_task *perf)
{
	uint64_t flags = irq_save();

	lock_acquire(&kernel.schedule);
	task_of(perf)->held--;
	lock_release(&kernel.schedule);
	irq_restore(flags);
}

/* Return the task's CPU. The lock is also held throughout a switch, so the result is never from the
 * middle of a switch. */
static int32_t op_task_cpu(void *host, const struct tally_core_task *perf)
{
	uint64_t flags = irq_save();
	int32_t cpu;

	lock_acquire(&kernel.schedule);
	cpu = task_of(perf)->cpu;
	lock_release(&kernel.schedule);
	irq_restore(flags);
	return cpu;
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	struct file *file = fd >= 0 && fd < MAX_FILES ? task_of(current)->files[fd] : NULL;

	return file ? file->event : NULL;
}

/* All tasks have all capabilities. */
static bool op_capable(void *host, const struct tally_core_task *current, int capability)
{
	return true;
}

static bool op_may_observe(void *host, const struct tally_core_task *current,
			   const struct tally_core_task *target)
{
	return true;
}

static void op_notify(void *host, void *cookie, unsigned events)
{
	task_wake(cookie);
}

/* ---- samples ------------------------------------------------------------------------------ */

/* Get a callchain by walking frame pointers. The return address and the caller's frame pointer are
 * stored below the address in the frame pointer; the caller's frame is at a higher address. A leaf
 * function does not save its return address, which is still in its register. */
static uint32_t op_callchain(void *host, const struct tally_core_sample_data *sample_data,
			     bool user, uint64_t *ret_ips, uint32_t max)
{
	const struct trap_frame *frame = sample_data->regs;
	uintptr_t fp;
	uint32_t nr = 0;

	if (!frame || !max || user != (sample_data->mode == PERF_RECORD_MISC_USER))
		return 0;
	ret_ips[nr++] = sample_data->ip;
	fp = frame->x[X_FP];
	while (user && nr < max && !(fp & 7) && user_range(fp - 2 * WORD, 2 * WORD)) {
		const uintptr_t *below = (const uintptr_t *)fp;
		bool leaf = nr == 1 && below[-1] > fp && user_range(below[-1] - 2 * WORD, 2 * WORD);
		uintptr_t ra = leaf ? frame->x[X_RA] : below[-1], up = below[leaf ? -1 : -2];

		if (!ra)
			break;
		ret_ips[nr++] = ra;
		if (up <= fp)
			break;
		fp = up;
	}
	return nr;
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
	.clock_params = op_clock_params,
	.timer = op_timer,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.event_of_fd = op_event_of_fd,
	.capable = op_capable,
	.may_observe = op_may_observe,
	.copy_from_user = op_copy_from_user,
	.copy_to_user = op_copy_to_user,
	.notify = op_notify,
	.callchain = op_callchain,
	.page_size = PAGE_SIZE,
};

void host_start(void)
{
	struct tally_core_settings settings;
	int ret;

	tally_core_settings_init(&settings);
	settings.tick_ns = TICK_NS;
	settings.record_max = PAGE_SIZE;
	settings.mlock_kb = 1 << 20;
	ret = tally_core_create(&ops, NULL, kernel.nr_cpus, &settings, &kernel.core);
	if (ret)
		panic("no core", (uint64_t)-ret, 0);
}

void host_online(void)
{
	int ret = tally_core_cpu_online(kernel.core, this_cpu()->number);

	if (ret)
		panic("no CPU", (uint64_t)-ret, this_cpu()->number);
}
