/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks: round-robin scheduling on all harts, with a single lock that is held during a switch. */
#include "ports/riscv/riscv_kernel.h"

static bool is_idle(const struct cpu *cpu, const struct kernel_task *task)
{
	return task == &cpu->idle;
}

static bool can_run(const struct kernel_task *task)
{
	return __atomic_load_n(&task->state, __ATOMIC_ACQUIRE) == TASK_READY && task->cpu < 0;
}

/* Pick the next task in the table that can run, the current task if no other task can run, or the
 * idle task. */
static struct kernel_task *pick(struct cpu *cpu)
{
	struct kernel_task *current = cpu->current;
	size_t from = is_idle(cpu, current) ? 0 : (size_t)(current - kernel.tasks) + 1;

	for (size_t i = 0; i < MAX_TASKS; i++) {
		struct kernel_task *task = &kernel.tasks[(from + i) % MAX_TASKS];

		if (can_run(task))
			return task;
	}
	return __atomic_load_n(&current->state, __ATOMIC_ACQUIRE) == TASK_READY ? current
										: &cpu->idle;
}

static void switch_to(struct cpu *cpu, struct kernel_task *prev, struct kernel_task *next,
		      bool preempt)
{
	struct tally_core_task *out = is_idle(cpu, prev) ? NULL : &prev->perf;
	struct tally_core_task *in = is_idle(cpu, next) ? NULL : &next->perf;

	cpu->current = next;
	prev->cpu = -1;
	next->cpu = (int32_t)cpu->number;
	tally_core_switch(kernel.core, out, in, preempt);
	switch_stacks(&prev->sp, next->sp);
}

void task_schedule(bool preempt)
{
	uint64_t flags = irq_save();
	struct cpu *cpu = this_cpu();
	struct kernel_task *prev = cpu->current, *next;

	cpu->resched = false;
	lock_acquire(&kernel.schedule);
	next = pick(cpu);
	if (next != prev)
		switch_to(cpu, prev, next, preempt);
	lock_release(&kernel.schedule);
	irq_restore(flags);
}

/* Begin to wait. A wakeup before the task is switched out makes the task ready again, so the wakeup
 * is not missed. */
void task_wait_begin(const void *what)
{
	struct kernel_task *task = this_cpu()->current;

	task->waits_for = what;
	__atomic_store_n(&task->state, TASK_WAITING, __ATOMIC_SEQ_CST);
}

void task_wake(const void *what)
{
	for (size_t i = 0; i < MAX_TASKS; i++) {
		struct kernel_task *task = &kernel.tasks[i];
		uint32_t waiting = TASK_WAITING;

		if (task->waits_for == what)
			__atomic_compare_exchange_n(&task->state, &waiting, TASK_READY, false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
}

void task_idle(void)
{
	struct cpu *cpu = this_cpu();

	cpu->idle.state = TASK_READY;
	cpu->idle.cpu = (int32_t)cpu->number;
	for (;;) {
		task_schedule(false);
		csr_set(sstatus, STATUS_SIE);
		__asm__ volatile("wfi");
		csr_clear(sstatus, STATUS_SIE);
	}
}

/* ---- start and end ------------------------------------------------------------------------ */

/* Entry point of a new task: the first switch to its kernel stack returns here. Its trap frame is
 * at the top of the stack. */
static void task_begin(void)
{
	struct kernel_task *task = this_cpu()->current;

	lock_release(&kernel.schedule);
	tally_core_comm(kernel.core, &task->perf, task->name, true);
	trap_return((struct trap_frame *)((char *)task->kernel_stack + STACK_PAGES * PAGE_SIZE) -
		    1);
}

/* Claim an unused slot. The slot keeps its stacks. */
static struct kernel_task *slot_claim(void)
{
	struct kernel_task *found = NULL;
	uint64_t flags = irq_save();

	lock_acquire(&kernel.schedule);
	for (size_t i = 0; i < MAX_TASKS && !found; i++) {
		struct kernel_task *task = &kernel.tasks[i];
		bool over = task->state == TASK_EXITED && task->cpu < 0 && !task->held;

		if (task->state == TASK_FREE || over)
			found = task;
	}
	if (found)
		*found = (struct kernel_task){.state = TASK_NEW,
					      .cpu = -1,
					      .kernel_stack = found->kernel_stack,
					      .user_stack = found->user_stack};
	lock_release(&kernel.schedule);
	irq_restore(flags);
	return found;
}

static bool stacks_get(struct kernel_task *task)
{
	if (!task->kernel_stack)
		task->kernel_stack = pages_get(false, STACK_PAGES);
	if (!task->user_stack)
		task->user_stack = pages_get(true, STACK_PAGES);
	return task->kernel_stack && task->user_stack;
}

static void first_frame(struct kernel_task *task, uintptr_t entry, uintptr_t arg)
{
	char *top = (char *)task->kernel_stack + STACK_PAGES * PAGE_SIZE;
	struct trap_frame *frame = (struct trap_frame *)top - 1;
	uintptr_t *saved = (uintptr_t *)frame - 13; /* saved by switch_stacks() */

	memset(saved, 0, (size_t)(top - (char *)saved));
	frame->x[0] = entry;
	frame->x[X_SP] = (uintptr_t)task->user_stack + STACK_PAGES * PAGE_SIZE;
	frame->x[X_A0] = arg;
	frame->status = STATUS_SPIE | STATUS_SUM;
	saved[0] = (uintptr_t)task_begin;
	task->sp = (uintptr_t)saved;
}

struct kernel_task *task_new(uintptr_t entry, uintptr_t arg, const char *name)
{
	struct kernel_task *task = slot_claim();
	int32_t tid;

	if (!task)
		return NULL;
	if (!stacks_get(task)) {
		task_free(task);
		return NULL;
	}
	first_frame(task, entry, arg);
	for (size_t i = 0; i + 1 < sizeof(task->name) && name[i]; i++)
		task->name[i] = name[i];
	tid = __atomic_add_fetch(&kernel.last_tid, 1, __ATOMIC_RELAXED);
	tally_core_task_init(&task->perf, tid, tid);
	return task;
}

void task_ready(struct kernel_task *task)
{
	__atomic_store_n(&task->state, TASK_READY, __ATOMIC_RELEASE);
}

void task_free(struct kernel_task *task)
{
	__atomic_store_n(&task->state, TASK_EXITED, __ATOMIC_RELEASE);
}

void task_exit(void)
{
	struct kernel_task *task = this_cpu()->current;

	tally_core_exit(kernel.core, &task->perf);
	call_close_all(task);
	task_free(task);
	task_wake(task);
	task_schedule(false);
	panic("a task runs after it has exited", 0, 0);
}

/* Find a task that has not exited. */
struct kernel_task *task_find(int32_t tid)
{
	for (size_t i = 0; i < MAX_TASKS; i++) {
		struct kernel_task *task = &kernel.tasks[i];
		bool lives = task->state == TASK_READY || task->state == TASK_WAITING;

		if (lives && task->perf.tid == tid)
			return task;
	}
	return NULL;
}
