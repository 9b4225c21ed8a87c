/* SPDX-License-Identifier: BSD-2-Clause */
/* Test poll, prctl, changed periods, pinned and exclusive events, and yielding tasks. */
#include "riscv/riscv_user.h"

enum { PR_DISABLE = 31, PR_ENABLE = 32 }; /* PR_TASK_PERF_EVENTS_* */

static uint64_t nr_samples(const struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + page->data_offset;
	uint64_t nr = 0;

	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *header = (const void *)(data + at);

		nr += header->type == PERF_RECORD_SAMPLE;
		at += header->size;
	}
	return nr;
}

static struct perf_event_mmap_page *open_cycles(uint64_t period, int *ret_fd)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CPU_CYCLES,
				       .disabled = 1,
				       .sample_period = period,
				       .sample_type = PERF_SAMPLE_IP,
				       .wakeup_events = 5};

	*ret_fd = event_open(&attr, 0, -1, -1);
	return event_map(*ret_fd, 64);
}

static void close_ring(struct perf_event_mmap_page *page, int fd)
{
	call(CALL_MUNMAP, (uintptr_t)page, 0, 0, 0, 0);
	event_close(fd);
}

/* ---- poll --------------------------------------------------------------------------------- */

static uint64_t polled[4];

/* Sleep in poll until there is data. Record poll's return value and the number of samples at that
 * time. */
static void waiter(void *arg)
{
	struct perf_event_mmap_page *page = arg;

	for (int i = 0; i < 4; i += 2) {
		polled[i] = (uintptr_t)call(CALL_POLL, 0, 1, 0, 0, 0);
		polled[i + 1] = nr_samples(page);
	}
	leave();
}

/* Let a child wait in poll. The child inherits descriptor 0, the first event, from its parent. */
static void wait_in_poll(void)
{
	int fd;
	struct perf_event_mmap_page *page = open_cycles(100000, &fd);
	int64_t other = fork(waiter, page, "waiter");

	yield();
	event_ioctl(fd, PERF_EVENT_IOC_REFRESH, 10);
	for (int i = 0; i < 2; i++) {
		spin(550000);
		yield();
	}
	wait_for(other);
	say("poll.fd", (uintptr_t)fd);
	for (int i = 0; i < 4; i++)
		say(i % 2 ? "poll.samples" : "poll.events", polled[i]);
	close_ring(page, fd);
}

/* ---- prctl, IOC_PERIOD -------------------------------------------------------------------- */

static void all_of_a_task(void)
{
	int fd = event_simple(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t off, still, on;

	event_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	call(CALL_PRCTL, PR_DISABLE, 0, 0, 0, 0);
	off = event_read(fd).value;
	spin(1000000);
	still = event_read(fd).value;
	call(CALL_PRCTL, PR_ENABLE, 0, 0, 0, 0);
	spin(1000000);
	on = event_read(fd).value;
	say("prctl.off", still - off);
	say("prctl.on", on - still);
	event_close(fd);
}

static void new_period(void)
{
	int fd;
	struct perf_event_mmap_page *page = open_cycles(1000000, &fd);
	uint64_t period = 100000, before;

	event_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(2500000);
	before = nr_samples(page);
	event_ioctl(fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
	spin(2000000);
	event_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	say("period.before", before);
	say("period.after", nr_samples(page) - before);
	close_ring(page, fd);
}

/* ---- pinned, exclusive -------------------------------------------------------------------- */

static int open_kind(bool pinned, bool exclusive)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CPU_CYCLES,
				       .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						      PERF_FORMAT_TOTAL_TIME_RUNNING};

	attr.pinned = pinned;
	attr.exclusive = exclusive;
	return event_open(&attr, 0, -1, -1);
}

/* Open three pinned events on two counters that support cycles, so the third event fails: its reads
 * return end of file until it is enabled again and a counter is free. */
static void pinned(void)
{
	int fds[3];
	struct reading reading;

	for (int i = 0; i < 3; i++)
		fds[i] = open_kind(true, false);
	spin(100000);
	for (int i = 0; i < 3; i++)
		say("pinned.read", (uintptr_t)call(CALL_READ, (uintptr_t)fds[i],
						   (uintptr_t)&reading, sizeof(reading), 0, 0));
	event_close(fds[0]);
	event_ioctl(fds[2], PERF_EVENT_IOC_ENABLE, 0);
	spin(100000);
	say("pinned.again", event_read(fds[2]).value);
	event_close(fds[1]);
	event_close(fds[2]);
}

/* Count an exclusive and an ordinary event, which are never on the PMU at the same time, although
 * there are counters for both. */
static void exclusive(void)
{
	int alone = open_kind(false, true), other = open_kind(false, false);
	struct reading a, b;

	spin(60000000);
	/* One of the two events is counting at any time. Between two reads only that event would
	 * advance, so disable both before reading. */
	event_ioctl(other, PERF_EVENT_IOC_DISABLE, 0);
	event_ioctl(alone, PERF_EVENT_IOC_DISABLE, 0);
	a = event_read(alone);
	b = event_read(other);
	say("exclusive.enabled", a.enabled);
	say("exclusive.running", a.running);
	say("exclusive.other", b.running);
	event_close(alone);
	event_close(other);
}

/* ---- yielding ----------------------------------------------------------------------------- */

static bool stop;

static void yield_until_stopped(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		yield();
	leave();
}

/* Sample a task that yields, so that its counter is removed and restored between periods, within
 * periods and at the very end of periods. */
static void sample_across_yields(void)
{
	int fd;
	struct perf_event_mmap_page *page = open_cycles(10007, &fd);
	int64_t other;

	stop = false;
	other = fork(yield_until_stopped, NULL, "yield_until_stopped");
	event_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (uint32_t i = 0; i < 2000; i++) {
		spin(2000 + 2 * (i % 101));
		yield();
	}
	event_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	wait_for(other);
	say("yield.samples", nr_samples(page));
	say("yield.count", event_read(fd).value);
	close_ring(page, fd);
}

void test_control(void)
{
	wait_in_poll();
	all_of_a_task();
	new_period();
	pinned();
	exclusive();
	sample_across_yields();
}
