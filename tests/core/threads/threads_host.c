/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/threads/threads_host.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/hook.h"

/* ---- this CPU: state shared with its signal handlers is volatile ------------------------ */

static _Thread_local struct host_cpu *this_cpu;
static _Thread_local volatile sig_atomic_t masked = 1, ipi_waits, overflow_waits, deferred;

#ifdef TALLY_CORE_IRQ_HEADER
#include TALLY_CORE_IRQ_HEADER
uint32_t host_sequences[HOST_SEQUENCES];
static const bool overflow_is_masked = true;
#else
static const bool overflow_is_masked = false;
#endif

/* The current call to another CPU. Calls are serialized by a lock that callers wait for with
 * interrupts on. */
static struct {
	void (*fn)(void *arg);
	void *arg;
	uint32_t waiting; /* number of the called CPU + 1, or 0 when done */
} mailbox;

struct host_cpu *host_cpu(void)
{
	return this_cpu;
}

uint64_t host_random(uint64_t below)
{
	uint64_t x = this_cpu->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	this_cpu->random = x;
	return (x >> 11) % below;
}

static void serve_mailbox(void)
{
	if (__atomic_load_n(&mailbox.waiting, __ATOMIC_ACQUIRE) != this_cpu->number + 1)
		return;
	this_cpu->calls++;
	mailbox.fn(mailbox.arg);
	__atomic_store_n(&mailbox.waiting, 0, __ATOMIC_RELEASE);
}

/* Handle all pending interrupts. Called with interrupts off. */
static void tick_event(void)
{
	while (ipi_waits || overflow_waits || deferred) {
		if (overflow_waits) {
			overflow_waits = 0;
			host_pmu_interrupt(this_cpu);
		}
		if (ipi_waits) {
			ipi_waits = 0;
			serve_mailbox();
		}
		if (deferred) {
			deferred = 0;
			tally_core_deferred(this_cpu->host->core);
		}
	}
}

uintptr_t host_irq_save(void *host)
{
	uintptr_t before = (uintptr_t)masked;

	masked = 1;
	return before;
}

void host_irq_restore(void *host, uintptr_t flags)
{
	if (flags)
		return;
	do {
		tick_event();
		masked = 0;
		/* Interrupts may have become pending after the last check. */
		if (!ipi_waits && !overflow_waits && !deferred)
			return;
		masked = 1;
	} while (true);
}

static void on_ipi(int signal)
{
	int error = errno;

	ipi_waits = 1;
	if (this_cpu && !masked) {
		masked = 1;
		host_irq_restore(this_cpu->host, 0);
	}
	errno = error;
}

/* Handle an overflow interrupt even though interrupts are masked. Other interrupts remain masked in
 * the meantime. Otherwise an IPI handled here could make its sender conclude that this CPU no
 * longer uses the data being modified. */
static void unmasked_overflow(void)
{
	uintptr_t flags = host_irq_save(this_cpu->host);

	host_pmu_interrupt(this_cpu);
	host_irq_restore(this_cpu->host, flags);
}

static void on_overflow(int signal)
{
	int error = errno;

	if (overflow_is_masked)
		overflow_waits = 1;
	else if (this_cpu)
		unmasked_overflow();
	if (this_cpu && !masked) {
		masked = 1;
		host_irq_restore(this_cpu->host, 0);
	}
	errno = error;
}

void host_boot(struct host_cpu *cpu)
{
	const struct sigaction ipi = {.sa_handler = on_ipi, .sa_flags = SA_RESTART};
	const struct sigaction overflow = {.sa_handler = on_overflow, .sa_flags = SA_RESTART};

	sigaction(SIGUSR1, &ipi, NULL);
	sigaction(SIGUSR2, &overflow, NULL);
	this_cpu = cpu;
	host_irq_restore(cpu->host, 0);
}

/* Raise overflow interrupts and yield at random between the core's atomic operations. Real signals
 * are not sufficient, because TSan delays them. */
void tally_core_debug_hook(const volatile void *word)
{
	uint64_t chance;

	if (!this_cpu)
		return;
	chance = host_random(1024);
	if (chance == 0)
		sched_yield();
	else if (chance < 8 && overflow_is_masked)
		overflow_waits = 1;
	else if (chance < 8)
		unmasked_overflow();
}

void host_kick(struct host_cpu *cpu)
{
	pthread_kill(cpu->thread, SIGUSR2);
}

/*
 * TSan runs a delayed signal handler with all signals blocked, and keeps the mask to restore in one
 * variable per thread. If a call in the handler runs another delayed handler, the variable is
 * overwritten and the thread's signals remain blocked (GCC 12 has this bug; llvm-project 138599
 * fixes it). A CPU that has sent an IPI to the thread would wait forever. Therefore threads unblock
 * their signals before waiting.
 */
void host_yield(void)
{
	sigset_t interrupts;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGUSR1);
	sigaddset(&interrupts, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &interrupts, NULL);
	sched_yield();
}

void host_lock(pthread_mutex_t *lock)
{
	while (pthread_mutex_trylock(lock))
		host_yield();
}

/* ---- descriptors ------------------------------------------------------------------------ */

struct tally_core_event *host_file_get(struct host *host, size_t fd)
{
	struct host_file *file = &host->files[fd];
	struct tally_core_event *event = NULL;

	host_lock(&host->table);
	if (file->refs && !file->closed)
		event = file->event;
	if (event)
		file->refs++;
	pthread_mutex_unlock(&host->table);
	return event;
}

void host_file_put(struct host *host, size_t fd)
{
	struct host_file *file = &host->files[fd];
	struct tally_core_event *event;
	bool last;

	host_lock(&host->table);
	event = file->event;
	last = file->refs == 1;
	if (!last)
		file->refs--;
	pthread_mutex_unlock(&host->table);
	if (!last)
		return;
	if (event)
		tally_core_close(host->core, event);
	host_lock(&host->table);
	file->event = NULL;
	file->closed = false;
	file->refs = 0;
	pthread_mutex_unlock(&host->table);
}

void host_files_return(struct host *host)
{
	while (this_cpu->nr_borrowed)
		host_file_put(host, this_cpu->borrowed[--this_cpu->nr_borrowed]);
}

/* ---- operations ------------------------------------------------------------------------- */

static void *op_alloc(void *host, size_t size)
{
	return calloc(1, size);
}

static void op_free(void *host, void *memory, size_t size)
{
	free(memory);
}

static void *op_pages_alloc(void *host, size_t nr)
{
	void *pages = aligned_alloc(4096, nr * 4096);

	if (pages)
		memset(pages, 0, nr * 4096);
	return pages;
}

static void op_pages_free(void *host, void *pages, size_t nr)
{
	free(pages);
}

static void *op_lock_new(void *host)
{
	pthread_mutex_t *lock = malloc(sizeof(*lock));

	if (lock)
		pthread_mutex_init(lock, NULL);
	return lock;
}

static void op_lock_free(void *host, void *lock)
{
	pthread_mutex_destroy(lock);
	free(lock);
}

static void op_lock(void *host, void *lock)
{
	host_lock(lock);
}

static void op_unlock(void *host, void *lock)
{
	pthread_mutex_unlock(lock);
}

static uint32_t op_this_cpu(void *host)
{
	return this_cpu->number;
}

static int op_call(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	struct host *m = host;

	if (cpu == this_cpu->number) {
		uintptr_t flags = host_irq_save(host);

		fn(arg);
		host_irq_restore(host, flags);
		return 0;
	}
	host_lock(&m->call);
	if (!__atomic_load_n(&m->cpus[cpu].online, __ATOMIC_ACQUIRE)) {
		pthread_mutex_unlock(&m->call);
		return -ENXIO;
	}
	mailbox.fn = fn;
	mailbox.arg = arg;
	__atomic_store_n(&mailbox.waiting, cpu + 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&mailbox.waiting, __ATOMIC_ACQUIRE)) {
		pthread_kill(m->cpus[cpu].thread, SIGUSR1);
		host_yield();
	}
	pthread_mutex_unlock(&m->call);
	return 0;
}

static void op_defer(void *host)
{
	deferred = 1;
}

static void op_relax(void *host)
{
	host_yield();
}

static uint64_t op_clock(void *host)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct tally_core_task *op_task_get(void *host, struct tally_core_task *current, int32_t tid)
{
	struct host *m = host;
	struct host_task *task = tid > 0 && tid <= HOST_TASKS ? &m->tasks[tid - 1] : NULL;

	host_lock(&m->table);
	if (task && task->alive)
		task->refs++;
	else
		task = NULL;
	pthread_mutex_unlock(&m->table);
	return task ? &task->perf : NULL;
}

static void op_task_put(void *host, struct tally_core_task *task)
{
	struct host *m = host;

	host_lock(&m->table);
	m->tasks[task->tid - 1].refs--;
	pthread_mutex_unlock(&m->table);
}

static int32_t op_task_cpu(void *host, const struct tally_core_task *task)
{
	struct host *m = host;
	int32_t cpu;

	pthread_mutex_lock(&m->sched);
	cpu = m->tasks[task->tid - 1].cpu;
	pthread_mutex_unlock(&m->sched);
	return cpu;
}

static struct tally_core_event *op_event_of_fd(void *host, struct tally_core_task *current, int fd)
{
	struct tally_core_event *event;

	if (fd < 0 || fd >= HOST_FILES || this_cpu->nr_borrowed == HOST_BORROWED)
		return NULL;
	event = host_file_get(host, (size_t)fd);
	if (event)
		this_cpu->borrowed[this_cpu->nr_borrowed++] = (size_t)fd;
	return event;
}

static bool op_capable(void *host, const struct tally_core_task *current, int capability)
{
	return true;
}

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
	__atomic_fetch_add(&((struct host *)host)->woken, 1, __ATOMIC_RELAXED);
}

const struct tally_host_ops host_ops = {
	.alloc = op_alloc,
	.free = op_free,
	.pages_alloc = op_pages_alloc,
	.pages_free = op_pages_free,
	.lock_new = op_lock_new,
	.lock_free = op_lock_free,
	.lock = op_lock,
	.unlock = op_unlock,
	.irq_save = host_irq_save,
	.irq_restore = host_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_defer,
	.relax = op_relax,
	.clock = op_clock,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.event_of_fd = op_event_of_fd,
	.capable = op_capable,
	.may_observe = op_may_observe,
	.copy_from_user = op_copy,
	.copy_to_user = op_copy,
	.notify = op_notify,
	.page_size = 4096,
};
