/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: scheduling, sleeping, starting and exiting. The scheduler runs in the processor's PendSV
 * exception, which has the lowest priority of all interrupts, so the scheduler never interrupts
 * another handler. */
#include "ports/cortexm/cortexm_kernel.h"

enum { ONLY_PROCESS = 1, STATUS_THUMB = 1 << 24, SAVED_BY_SOFTWARE = 8 };

static bool is_idle(const struct thread *thread)
{
	return thread == rtos.threads;
}

/* ---- scheduling ---------------------------------------------------------------------------- */

/* Pick a thread with the highest priority: the current thread if its time slice is not over, or the
 * next one. */
static struct thread *pick(void)
{
	struct thread *current = rtos.current, *best = rtos.threads;
	size_t from = (size_t)(current - rtos.threads) + !current->left;

	for (size_t i = 0; i < MAX_THREADS; i++) {
		struct thread *thread = &rtos.threads[(from + i) % MAX_THREADS];

		if (thread->state == THREAD_READY && thread->priority > best->priority)
			best = thread;
	}
	return best;
}

static void switch_threads(struct thread *prev, struct thread *next)
{
	uint64_t now = board_clock_ns();

	prev->ran_ns += now - rtos.switched_ns;
	rtos.switched_ns = now;
	rtos.current = next;
	rtos.switches++;
	rtos.preempted += prev->state == THREAD_READY && !is_idle(prev);
	tally_core_switch(rtos.core, is_idle(prev) ? NULL : &prev->perf,
			  is_idle(next) ? NULL : &next->perf, prev->state == THREAD_READY);
}

/* Called from start.S with the stack pointer of the interrupted thread. Returns the stack pointer
 * of the thread to run next. */
uint32_t *thread_switch_to(uint32_t *sp)
{
	uint32_t flags = irq_save();
	struct thread *prev = rtos.current, *next;
	struct measured from;

	measure_begin(&from);
	if (rtos.deferred) {
		rtos.deferred = false;
		tally_core_deferred(rtos.core);
	}
	prev->sp = sp;
	next = pick();
	if (!next->left)
		next->left = next->slice;
	if (next != prev)
		switch_threads(prev, next);
	sp = rtos.current->sp;
	measure_end(&from, OFF_SWITCH);
	irq_restore(flags);
	return sp;
}

/* Wake the threads that are due. */
static void wake_sleepers(void)
{
	uint64_t now = board_clock_ns();

	for (size_t i = 0; i < MAX_THREADS; i++) {
		struct thread *thread = &rtos.threads[i];

		if (!thread->sleeps || thread->wakes_at > now)
			continue;
		thread->sleeps = 0;
		thread_wake(&thread->sleeps);
	}
}

void thread_tick(void)
{
	struct thread *current = rtos.current;

	wake_sleepers();
	if (current->left && !--current->left)
		pend_switch();
}

void thread_yield(void)
{
	uint32_t flags = irq_save();

	rtos.current->left = 0;
	pend_switch();
	irq_restore(flags);
}

/* Return the thread's CPU time, including its current time slice. */
uint64_t thread_ran_ns(const struct thread *thread)
{
	uint32_t flags = irq_save();
	uint64_t ran = thread->ran_ns;

	if (thread == rtos.current)
		ran += board_clock_ns() - rtos.switched_ns;
	irq_restore(flags);
	return ran;
}

/* ---- sleeping ------------------------------------------------------------------------------ */

void thread_wait(const uint32_t *word, uint32_t value)
{
	uint32_t flags = irq_save();

	if (__atomic_load_n(word, __ATOMIC_RELAXED) == value) {
		rtos.current->waits_for = word;
		rtos.current->state = THREAD_WAITING;
		pend_switch();
	}
	irq_restore(flags);
}

void thread_wake(const uint32_t *word)
{
	uint32_t flags = irq_save();

	for (size_t i = 0; i < MAX_THREADS; i++) {
		struct thread *thread = &rtos.threads[i];

		if (thread->state != THREAD_WAITING || thread->waits_for != word)
			continue;
		thread->waits_for = NULL;
		thread->state = THREAD_READY;
		if (thread->priority > rtos.current->priority)
			pend_switch();
	}
	irq_restore(flags);
}

void mutex_lock(struct mutex *mutex)
{
	while (__atomic_exchange_n(&mutex->locked, 1, __ATOMIC_ACQUIRE))
		thread_wait(&mutex->locked, 1);
}

void mutex_unlock(struct mutex *mutex)
{
	__atomic_store_n(&mutex->locked, 0, __ATOMIC_RELEASE);
	thread_wake(&mutex->locked);
}

void thread_sleep(uint64_t ns)
{
	struct thread *thread = rtos.current;
	uint32_t flags = irq_save();

	thread->wakes_at = board_clock_ns() + ns;
	thread->sleeps = 1;
	irq_restore(flags);
	while (__atomic_load_n(&thread->sleeps, __ATOMIC_ACQUIRE))
		thread_wait(&thread->sleeps, 1);
}

/* ---- start and end ------------------------------------------------------------------------- */

static void thread_begin(void)
{
	struct thread *thread = rtos.current;
	uint32_t flags = irq_save();

	tally_core_comm(rtos.core, &thread->perf, thread->name, false);
	irq_restore(flags);
	thread->entry(thread->arg);
	thread_end();
}

/* Claim an unused slot that is not referenced. */
static struct thread *slot_claim(void)
{
	uint32_t flags = irq_save();
	struct thread *found = NULL;

	for (size_t i = 1; i < MAX_THREADS && !found; i++) {
		if (rtos.threads[i].state == THREAD_FREE)
			found = &rtos.threads[i];
	}
	if (found)
		*found = (struct thread){.state = THREAD_WAITING, .held = 1};
	irq_restore(flags);
	return found;
}

static bool first_frame(struct thread *thread)
{
	uint32_t *stack = heap_alloc(STACK_SIZE, 8);
	struct exception_frame *frame;

	if (!stack)
		return false;
	thread->stack = stack;
	for (size_t i = 0; i < STACK_SIZE / sizeof(*stack); i++)
		stack[i] = STACK_PAINT;
	frame = (struct exception_frame *)(stack + STACK_SIZE / sizeof(*stack)) - 1;
	*frame = (struct exception_frame){.pc = (uint32_t)thread_begin & ~1U,
					  .status = STATUS_THUMB};
	thread->sp = (uint32_t *)frame - SAVED_BY_SOFTWARE;
	return true;
}

struct thread *thread_new(void (*entry)(void *arg), void *arg, const char *name, uint32_t priority,
			  uint32_t slice)
{
	struct thread *thread = slot_claim();
	int32_t tid;

	if (!thread)
		return NULL;
	thread->entry = entry;
	thread->arg = arg;
	thread->name = name;
	thread->priority = priority;
	thread->slice = thread->left = slice;
	tid = __atomic_add_fetch(&rtos.last_tid, 1, __ATOMIC_RELAXED);
	tally_core_task_init(&thread->perf, ONLY_PROCESS, tid);
	if (first_frame(thread) &&
	    !tally_core_fork(rtos.core, &rtos.current->perf, &thread->perf, false))
		return thread;
	thread->state = THREAD_ENDED;
	thread_put(thread);
	return NULL;
}

void thread_start(struct thread *thread)
{
	uint32_t flags = irq_save();

	thread->state = THREAD_READY;
	if (thread->priority > rtos.current->priority)
		pend_switch();
	irq_restore(flags);
}

void thread_put(struct thread *thread)
{
	if (__atomic_sub_fetch(&thread->held, 1, __ATOMIC_ACQ_REL))
		return;
	if (thread->stack)
		heap_free(thread->stack, STACK_SIZE);
	thread->stack = NULL;
	__atomic_store_n(&thread->state, THREAD_FREE, __ATOMIC_RELEASE);
}

void thread_join(struct thread *thread)
{
	while (!__atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE))
		thread_wait(&thread->ended, 0);
	thread_put(thread);
}

void thread_discard(struct thread *thread)
{
	tally_core_exit(rtos.core, &thread->perf);
	thread->state = THREAD_ENDED;
	thread_put(thread);
}

void thread_end(void)
{
	struct thread *thread = rtos.current;

	tally_core_exit(rtos.core, &thread->perf);
	irq_save();
	thread->state = THREAD_ENDED;
	thread->ended = 1;
	thread_wake(&thread->ended);
	pend_switch();
	irq_restore(0);
	board_panic("a thread runs after it has exited", (uint32_t)thread->perf.tid, 0);
}

struct thread *thread_find(int32_t tid)
{
	for (size_t i = 1; i < MAX_THREADS; i++) {
		struct thread *thread = &rtos.threads[i];
		bool lives = thread->state == THREAD_READY || thread->state == THREAD_WAITING;

		if (lives && thread->perf.tid == tid)
			return thread;
	}
	return NULL;
}
