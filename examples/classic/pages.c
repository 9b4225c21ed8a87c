/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notification without `wakeup_events`: a wakeup for each page of overflow packets, not for each
 * overflow.
 *
 *	cc -D_GNU_SOURCE pages.c $(pkg-config --cflags --libs tally) -o pages
 */
#include <poll.h>

#include "example.h"

static struct tally_classic *perf;

/* Let the counter overflow for a while, and print whether poll() finds the descriptor ready. */
static void overflow(const char *what, int fd, int ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	use_time(ms);
	for (int i = 0; i < ms / 10; i++)
		read_value(perf, fd);
	printf("%s: poll %d\n", what, tally_classic_poll(perf, &poll_fd, 1, 0));
}

int main(void)
{
	/* A packet of 16 bytes for every 100 us of CPU time. */
	struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK),
				       .irq_period = 100000,
				       .record_type = PERF_RECORD_IP,
				       .disabled = 1};
	const struct perf_event_mmap_page *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd;

	perf = classic_new();
	fd = open_self(perf, &attr, -1);
	must("mmap", tally_classic_mmap(perf, fd, (1 + 16) * size, &page));
	must("enable", tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_ENABLE, 0));
	overflow("a few packets", fd, 2);
	overflow("a page of packets", fd, (int)(size / 16) / 10 + 30);
	tally_classic_free(perf);
	return 0;
}
