/* SPDX-License-Identifier: BSD-2-Clause */
/* Count loops of known length, with user-space reads, inheritance, multiplexing and excluded
 * modes. */
#include "riscv/riscv_user.h"

enum { TRIES = 8, LOOP = 100000, PAGES = 512 };
#define DTLB_READ_MISS (PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

/* Return the count of a loop with `length` instructions: the minimum of several tries, because
 * ticks occur in some of them. */
static uint64_t least(const void *page, uint64_t length)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = 0, after = 0;

		counter_now(page, &before);
		spin(length);
		counter_now(page, &after);
		best = after - before < best ? after - before : best;
	}
	return best;
}

static void count_loop(const char *name, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = {.config = config, .sample_period = period};
	int fd = event_open(&attr, 0, -1, -1);
	void *page = event_map(fd, 1);

	say(name, least(page, 2 + LOOP) - least(page, 2));
	call(CALL_MUNMAP, (uintptr_t)page, 0, 0, 0, 0);
	event_close(fd);
}

/* Count a long loop that spans many ticks. The count includes the system calls that enable and
 * disable the event. */
static void count_long(void)
{
	int fd = event_simple(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	event_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(20000000);
	event_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	say("count.long", event_read(fd).value);
	event_close(fd);
}

static void child(void *arg)
{
	spin(3000000);
	leave();
}

static void count_children(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_INSTRUCTIONS, .inherit = 1};
	int fd = event_open(&attr, 0, -1, -1);
	int64_t children[4];

	for (int i = 0; i < 4; i++)
		children[i] = fork(child, NULL, "child");
	for (int i = 0; i < 4; i++)
		wait_for(children[i]);
	say("inherit.count", event_read(fd).value);
	event_close(fd);
}

/* Multiplex three events on the two counters that support cycles. */
static void share(void)
{
	int fds[3];

	for (int i = 0; i < 3; i++)
		fds[i] = event_simple(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	for (int i = 0; i < 3; i++)
		event_ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
	spin(60000000);
	for (int i = 0; i < 3; i++) {
		struct reading reading = event_read(fds[i]);

		say("share.value", reading.value);
		say("share.enabled", reading.enabled);
		say("share.running", reading.running);
		event_close(fds[i]);
	}
}

static void filters(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HW_CACHE, .config = DTLB_READ_MISS};
	struct perf_event_attr kernel = attr;
	int user_fd, kernel_fd;
	volatile char *memory;

	attr.exclude_kernel = 1;
	kernel.exclude_user = 1;
	struct perf_event_attr cycles = {.config = PERF_COUNT_HW_CPU_CYCLES};
	int map_fd = event_open(&cycles, 0, -1, -1);

	memory = event_map(map_fd, PAGES);
	user_fd = event_open(&attr, 0, -1, -1);
	for (int i = 0; i < PAGES; i++)
		(void)memory[i * 4096];
	say("filter.user", event_read(user_fd).value);
	event_close(user_fd);
	kernel_fd = event_open(&kernel, 0, -1, -1);
	for (int i = 0; i < PAGES; i++)
		(void)memory[i * 4096];
	say("filter.kernel", event_read(kernel_fd).value);
	event_close(kernel_fd);
	call(CALL_MUNMAP, (uintptr_t)memory, 0, 0, 0, 0);
	event_close(map_fd);
}

/* Make requests that must be rejected. */
static void refusals(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CACHE_MISSES};
	struct perf_event_attr cycles = {.config = PERF_COUNT_HW_CPU_CYCLES};
	int a = event_open(&cycles, 0, -1, -1);
	int b = event_open(&cycles, 0, -1, a);

	say("refuse.event", (uintptr_t)-event_open(&attr, 0, -1, -1));
	say("refuse.group", (uintptr_t)-event_open(&cycles, 0, -1, a));
	say("refuse.kernel_memory", (uintptr_t)-call(CALL_READ, (uintptr_t)a, 0x80000000, 8, 0, 0));
	say("refuse.pid", (uintptr_t)-event_open(&cycles, 4711, -1, -1));
	event_close(b);
	event_close(a);
}

void test_count(void)
{
	count_loop("count.cycles_fixed", PERF_COUNT_HW_CPU_CYCLES, 0);
	count_loop("count.instructions_fixed", PERF_COUNT_HW_INSTRUCTIONS, 0);
	count_loop("count.cycles_programmable", PERF_COUNT_HW_CPU_CYCLES, 1000000007);
	count_loop("count.instructions_programmable", PERF_COUNT_HW_INSTRUCTIONS, 1000000007);
	count_long();
	count_children();
	share();
	filters();
	refusals();
}
