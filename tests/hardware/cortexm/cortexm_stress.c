/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that concurrently open, map, read and close events on each other and are preempted at any
 * point, while clocks and a counter sample them. Nothing may leak. */
#include "cortexm/app.h"

enum { NR_WORKERS = 4, ROUNDS = 60 };

struct worker {
	struct thread *thread;
	uint32_t random, opened, refused, stack;
	int fd; /* used as group leader or output by other threads, even while being closed */
};
static struct worker workers[NR_WORKERS];

static uint32_t next_random(struct worker *worker, uint32_t below)
{
	worker->random = worker->random * 1103515245 + 12345;
	return (worker->random >> 16) % below;
}

static void random_attr(struct worker *worker, struct perf_event_attr *attr)
{
	static const uint32_t clocks[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
					  PERF_COUNT_SW_CONTEXT_SWITCHES};

	*attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .size = sizeof(*attr)};
	attr->config = clocks[next_random(worker, 3)];
	if (!next_random(worker, 3)) {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = PERF_COUNT_HW_CPU_CYCLES;
	}
	if (next_random(worker, 2)) {
		attr->sample_period = attr->type ? 400000 + next_random(worker, 1000000) : 5003;
		attr->sample_type = SAMPLE_TYPE;
		attr->wakeup_events = 3;
	}
	attr->inherit = !next_random(worker, 4);
	attr->disabled = !next_random(worker, 4);
	attr->comm = attr->task = !next_random(worker, 3);
}

static int32_t random_tid(struct worker *worker)
{
	struct thread *other = workers[next_random(worker, NR_WORKERS)].thread;

	return next_random(worker, 4) ? other->perf.tid : -1;
}

static int random_fd(struct worker *worker)
{
	return workers[next_random(worker, NR_WORKERS)].fd;
}

/* Open an event alone, in the group of another thread's event, or only with its output redirected
 * to another thread's ring. */
static int open_random(struct worker *worker)
{
	static const unsigned long flags[] = {0, PERF_FLAG_FD_OUTPUT,
					      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP};
	int32_t tid = random_tid(worker);
	bool alone = next_random(worker, 2);
	struct perf_event_attr attr;

	random_attr(worker, &attr);
	return perf_open(&attr, tid, tid < 0 ? 0 : -1, alone ? -1 : random_fd(worker),
			 alone ? 0 : flags[next_random(worker, 3)], NULL);
}

static void use(struct worker *worker, int fd)
{
	struct perf_mapping map;
	uint64_t value;
	bool mapped = next_random(worker, 2) && !perf_map(fd, PAGE_SIZE, &map);

	for (uint32_t i = next_random(worker, 4); i--;) {
		spin(10000);
		perf_read(fd, &value, sizeof(value));
		if (mapped)
			ring_consume(&map, ring_head(&map));
		perf_poll(fd, false);
		if (!next_random(worker, 4))
			perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)random_fd(worker));
		if (!next_random(worker, 4))
			perf_prctl(next_random(worker, 2) ? TALLY_CORE_PRCTL_ENABLE
							  : TALLY_CORE_PRCTL_DISABLE);
		perf_ioctl(fd, i % 2 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
	if (mapped)
		perf_unmap(&map);
}

static void child(void *arg)
{
	(void)arg;
	spin(20000);
}

static void worker_run(void *arg)
{
	struct worker *worker = arg;

	for (int i = 0; i < ROUNDS; i++) {
		struct thread *thread = NULL;
		int fd = open_random(worker);

		worker->fd = fd;
		worker->opened += fd >= 0;
		worker->refused += fd < 0;
		if (!next_random(worker, 4))
			thread = thread_new(child, NULL, "child", 1, 1);
		if (thread)
			thread_start(thread);
		if (fd >= 0) {
			use(worker, fd);
			perf_close(fd);
		}
		if (thread)
			thread_join(thread);
	}
	worker->stack = stack_used(worker->thread->stack, STACK_SIZE);
}

void test_stress(void)
{
	uint32_t preempted = rtos.preempted;
	size_t most, before = heap_used(&most);

	for (int i = 0; i < NR_WORKERS; i++) {
		workers[i] = (struct worker){.random = (uint32_t)i + 1, .fd = -1};
		workers[i].thread = thread_new(worker_run, &workers[i], "worker", 1, 1);
		if (!workers[i].thread)
			board_panic("no worker", 0, 0);
	}
	for (int i = 0; i < NR_WORKERS; i++)
		thread_start(workers[i].thread);
	for (int i = 0; i < NR_WORKERS; i++)
		thread_join(workers[i].thread);
	for (int i = 0; i < NR_WORKERS; i++) {
		say("stress.opened", workers[i].opened);
		say("stress.refused", workers[i].refused);
		say("stress.stack", workers[i].stack);
	}
	say("stress.preempted", rtos.preempted - preempted);
	say("stress.heap_before", before);
	say("stress.heap_after", heap_used(&most));
}
