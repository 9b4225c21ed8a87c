/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux_task.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum mailbox_state { BOX_IDLE, BOX_ORDERED, BOX_DONE };

/* Memory for page faults. Each page is touched only once, by the process that needs it first. */
enum { POOL_PAGES = 4096 };
static uint8_t *pool;
static size_t pool_used;

static int64_t as_errno(long result)
{
	return result < 0 ? -errno : result;
}

static void box_wait(struct task_mailbox *box, uint32_t while_state)
{
	while (atomic_load(&box->state) == while_state)
		syscall(SYS_futex, &box->state, FUTEX_WAIT, while_state, NULL, NULL, 0);
}

static void box_set(struct task_mailbox *box, uint32_t state)
{
	atomic_store(&box->state, state);
	syscall(SYS_futex, &box->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* ---- actions of tasks ------------------------------------------------------------- */

static int pool_make(void)
{
	size_t bytes = (size_t)POOL_PAGES * SYSTEM_PAGE;

	if (pool)
		return 0;
	pool = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pool == MAP_FAILED)
		return -errno;
	madvise(pool, bytes, MADV_NOHUGEPAGE);
	pool_used = 0;
	return 0;
}

/* Touch pages and do nothing else between enabling and disabling the event. Code added by a
 * sanitizer could cause page faults as well. */
__attribute__((no_sanitize("address", "undefined"))) static int64_t task_touch(int64_t pages,
									       int fd)
{
	int error = pool_make();
	volatile uint8_t *at = pool + pool_used * SYSTEM_PAGE;

	if (error || pool_used + (size_t)pages > POOL_PAGES)
		return error ? error : -ENOMEM;
	pool_used += (size_t)pages;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int64_t i = 0; i < pages; i++)
		at[i * SYSTEM_PAGE] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return 0;
}

/* Make a system call that nothing else makes, to hit its tracepoint for ACT_HIT. */
static int64_t task_hit(int64_t times, int64_t value)
{
	while (times-- > 0)
		syscall(SYS_sched_rr_get_interval, (pid_t)value, NULL);
	return 0;
}

static int64_t task_sleep(int64_t times)
{
	struct timespec sample_data = {.tv_nsec = 100000};

	while (times-- > 0)
		nanosleep(&sample_data, NULL);
	return 0;
}

static int64_t task_spin(int64_t us)
{
	struct timespec start, now;
	int64_t passed;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		passed = (now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec;
	} while (passed < us * 1000);
	return 0;
}

/* Execute a loop with two instructions per iteration. */
static int64_t task_work(int64_t thousands)
{
	uint64_t turns = (uint64_t)thousands * 500;

#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
	return 0;
#elif defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
	return 0;
#else
	return turns ? -ENOSYS : 0;
#endif
}

/* Memory watched by breakpoints and not accessed by anything else. */
static volatile _Alignas(64) uint64_t watched[8];

__attribute__((noinline, no_sanitize("address", "undefined"))) static void watched_code(void)
{
	__asm__ volatile("" : : : "memory");
}

uint64_t task_watched(void)
{
	return (uint64_t)(uintptr_t)watched;
}

uint64_t task_watched_code(void)
{
	return (uint64_t)(uintptr_t)watched_code;
}

__attribute__((no_sanitize("address", "undefined"))) static int64_t task_access(int what,
										int64_t times)
{
	uint64_t value;

	while (times-- > 0) {
		switch (what) {
		case ACT_STORE: watched[0] = (uint64_t)times; break;
		case ACT_LOAD:
			value = watched[0];
			(void)value;
			break;
		default: watched_code(); break;
		}
	}
	return 0;
}

static int64_t task_map(struct task_world *world, int64_t pages, bool executable)
{
	int prot = executable ? PROT_READ | PROT_EXEC : PROT_READ;

	return mmap(NULL, (size_t)pages * SYSTEM_PAGE, prot, MAP_PRIVATE, world->map_fd, 0) ==
			       MAP_FAILED
		       ? -errno
		       : 0;
}

static int64_t task_pin(int64_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)cpu, &set);
	return as_errno(sched_setaffinity(0, sizeof(set), &set));
}

/* ---- creation and exit of tasks ----------------------------------------------------- */

static void take_orders(struct task_world *world, int number);

static void introduce(struct task_world *world, int number)
{
	world->box[number].pid = getpid();
	world->box[number].tid = (int32_t)syscall(SYS_gettid);
	box_set(&world->box[number], BOX_DONE);
}

struct thread_start {
	struct task_world *world;
	int number;
};

static void *thread_main(void *arg)
{
	struct thread_start start = *(struct thread_start *)arg;

	free(arg);
	introduce(start.world, start.number);
	take_orders(start.world, start.number);
	return NULL;
}

static int64_t task_thread(struct task_world *world, int number)
{
	struct thread_start *start = malloc(sizeof(*start));
	pthread_t thread;

	if (!start)
		return -ENOMEM;
	*start = (struct thread_start){world, number};
	if (pthread_create(&thread, NULL, thread_main, start)) {
		free(start);
		return -EAGAIN;
	}
	pthread_detach(thread);
	return 0;
}

static int64_t task_fork(struct task_world *world, int number)
{
	long pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);

	if (!pid) {
		introduce(world, number);
		take_orders(world, number);
	}
	return pid < 0 ? -errno : 0;
}

static int64_t task_exec(struct task_world *world, int number)
{
	char number_text[16], fd_text[16];
	char name[] = "differential", option[] = "--task";
	char *argv[] = {name, option, number_text, fd_text, NULL};

	snprintf(number_text, sizeof(number_text), "%d", number);
	snprintf(fd_text, sizeof(fd_text), "%d", world->memory_fd);
	execv("/proc/self/exe", argv);
	return -errno;
}

/* Exit without running the exit handlers inherited from the parent. */
static void task_exit(struct task_world *world, int number)
{
	struct task_mailbox *box = &world->box[number];
	bool thread = box->pid != box->tid;

	box_set(box, BOX_DONE);
	if (!thread)
		_exit(0);
	pthread_exit(NULL);
}

static int64_t task_open(struct task_order *order)
{
	return as_errno(syscall(SYS_perf_event_open, order->attr, (pid_t)order->a, (int)order->b,
				(int)order->c, order->flags));
}

static int64_t order_run(struct task_world *world, int number)
{
	struct task_order *order = &world->box[number].order;
	int64_t a = order->a, b = order->b;

	switch (order->what) {
	case ACT_TOUCH: return task_touch(a, (int)b);
	case ACT_HIT: return task_hit(a, b);
	case ACT_SLEEP: return task_sleep(a);
	case ACT_SPIN: return task_spin(a);
	case ACT_WORK: return task_work(a);
	case ACT_FORK: return task_fork(world, (int)a);
	case ACT_THREAD: return task_thread(world, (int)a);
	case ACT_EXIT: task_exit(world, number); return 0;
	case ACT_EXEC: return task_exec(world, number);
	case ACT_COMM: return as_errno(prctl(PR_SET_NAME, order->text));
	case ACT_MAP: return task_map(world, a, b);
	case ACT_PIN: return task_pin(a);
	case ACT_STORE:
	case ACT_LOAD:
	case ACT_EXECUTE: return task_access(order->what, a);
	case TASK_OPEN: return task_open(order);
	case TASK_PRCTL: return as_errno(prctl((int)a, 0, 0, 0, 0));
	case TASK_REAP: return as_errno(waitpid((pid_t)a, NULL, 0));
	default: return -ENOSYS;
	}
}

static void take_orders(struct task_world *world, int number)
{
	struct task_mailbox *box = &world->box[number];

	for (;;) {
		box_wait(box, BOX_IDLE);
		box_wait(box, BOX_DONE);
		box->order.result = order_run(world, number);
		box_set(box, BOX_DONE);
	}
}

/* ---- orders --------------------------------------------------------------------------- */

/* Wait until a task can no longer be found. By then, its counts have been added to its parent's. */
static void await_end(struct task_world *world, int number)
{
	struct task_mailbox *box = &world->box[number], *parent = &world->box[box->parent];

	box->alive = false;
	if (box->pid != box->tid) {
		while (!syscall(SYS_tgkill, box->pid, box->tid, 0))
			sched_yield();
	} else if (!parent->alive) {
		waitpid(box->pid, NULL, 0);
	} else {
		parent->order.what = TASK_REAP;
		parent->order.a = box->pid;
		task_do(world, box->parent);
	}
}

/* Wait until a new task is running and has set its IDs. */
static int64_t await_birth(struct task_world *world, int number, int64_t result)
{
	struct task_mailbox *child = &world->box[world->box[number].order.a];

	if (result < 0)
		return result;
	child->parent = number;
	child->alive = true;
	box_wait(child, BOX_IDLE);
	return 0;
}

int64_t task_do(struct task_world *world, int number)
{
	struct task_mailbox *box = &world->box[number];
	int what = box->order.what;
	int64_t result;

	if (!number) {
		result = order_run(world, 0);
	} else {
		box_set(box, BOX_ORDERED);
		box_wait(box, BOX_ORDERED);
		result = box->order.result;
	}
	if (what == ACT_FORK || what == ACT_THREAD)
		result = await_birth(world, number, result);
	else if (what == ACT_EXIT)
		await_end(world, number);
	return what == ACT_EXIT ? 0 : result;
}

struct task_world *task_world_new(void)
{
	struct task_world *world = MAP_FAILED;
	int fd = (int)syscall(SYS_memfd_create, "tasks", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*world)))
		return NULL;
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		     0);
	if (world == MAP_FAILED)
		return NULL;
	world->memory_fd = fd;
	world->box[0].pid = world->box[0].tid = getpid();
	world->box[0].alive = true;
	task_touch(1, -1); /* fault in task_touch()'s code and stack before faults are counted */
	task_hit(1, 0);
	return world;
}

void task_take_up(int argc, char **argv)
{
	struct task_world *world;
	int number;

	if (argc != 4 || strcmp(argv[1], "--task"))
		return;
	number = atoi(argv[2]);
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		     atoi(argv[3]), 0);
	if (world == MAP_FAILED || number <= 0 || number >= SYSTEM_TASKS)
		_exit(1);
	world->box[number].order.result = 0;
	box_set(&world->box[number], BOX_DONE);
	take_orders(world, number);
}
