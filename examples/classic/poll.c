/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notification: a wakeup every 2 overflows is reported by poll() and by a signal, and
 * PERF_EVENT_IOC_REFRESH enables a counter for 4 overflows.
 *
 *	cc -D_GNU_SOURCE poll.c $(pkg-config --cflags --libs tally) -o poll
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "example.h"

static volatile sig_atomic_t signals;

static void signalled(int number)
{
	(void)number;
	signals++;
}

int main(void)
{
	struct perf_event_attr attr = {
		.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK),
		.irq_period = 2000000,
		.record_type = PERF_RECORD_IP,
		.disabled = 1,
		.wakeup_events = 2,
	};
	const struct perf_event_mmap_page *page;
	struct tally_classic *perf = classic_new();
	struct pollfd poll_fd = {.events = POLLIN};
	unsigned packets = 0;
	int fd = open_self(perf, &attr, -1);

	must("mmap", tally_classic_mmap(perf, fd, 5 * (size_t)sysconf(_SC_PAGESIZE), &page));
	signal(SIGIO, signalled);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
	poll_fd.fd = fd;
	printf("before: poll %d\n", tally_classic_poll(perf, &poll_fd, 1, 0));
	must("refresh", tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_REFRESH, 4));
	use_time(30);
	printf("count: %s\n", read_value(perf, fd) >= 4 * attr.irq_period ? "4 periods" : "less");
	printf("after: poll %d, signals %s\n", tally_classic_poll(perf, &poll_fd, 1, 1000),
	       signals ? "came" : "did not come");
	while (tally_classic_next(perf, fd))
		packets++;
	printf("packets %u\n", packets);
	tally_classic_free(perf);
	return 0;
}
