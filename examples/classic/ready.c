/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait for an overflow with poll(), select() and epoll(), with the descriptor in non-blocking mode.
 *
 *	cc -D_GNU_SOURCE ready.c $(pkg-config --cflags --libs tally) -o ready
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "example.h"

enum { TIMEOUT_MS = 1000 };

static int by_poll(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, TIMEOUT_MS);
}

static int by_select(int fd)
{
	struct timeval timeout = {.tv_sec = TIMEOUT_MS / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, &timeout);
}

/* Add the descriptor before the overflow, because adding a descriptor polls it, which consumes the
 * wakeup. */
static int epoll_with(int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	must("epoll_ctl", epoll < 0 ? -1 : epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	return epoll;
}

static int by_epoll(int fd)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, TIMEOUT_MS);
}

int main(void)
{
	struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK),
				       .irq_period = 1000000,
				       .record_type = PERF_RECORD_IP,
				       .disabled = 1,
				       .wakeup_events = 1};
	static int (*const ways[])(int) = {by_poll, by_select, by_epoll};
	static const char *const names[] = {"poll", "select", "epoll"};
	const struct perf_event_mmap_page *page;
	struct tally_classic *perf = classic_new();
	int fd = open_self(perf, &attr, -1);

	must("mmap", tally_classic_mmap(perf, fd, 5 * (size_t)sysconf(_SC_PAGESIZE), &page));
	must("fcntl", fcntl(fd, F_SETFL, O_NONBLOCK));
	printf("fcntl: %s\n", fcntl(fd, F_GETFL) & O_NONBLOCK ? "non-blocking" : "blocking");
	for (int i = 0; i < 3; i++) {
		int epoll = ways[i] == by_epoll ? epoll_with(fd) : -1;

		must("refresh", tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_REFRESH, 1));
		use_time(5);
		read_value(perf, fd);
		printf("%s: %d\n", names[i], ways[i](epoll < 0 ? fd : epoll));
	}
	tally_classic_free(perf);
	return 0;
}
