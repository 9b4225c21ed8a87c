/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that receives a signal for each overflow of an event enabled by REFRESH, like programs
 * that use libpfm4 or PAPI. Prints how often POLL_IN and POLL_HUP were signalled, and whether the
 * event stopped.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { OVERFLOWS = 3, PERIOD_NS = 10000000 };

static volatile sig_atomic_t readable, used_up, others;

static void signalled(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	readable += info->si_code == POLL_IN;
	used_up += info->si_code == POLL_HUP;
	others += info->si_code != POLL_IN && info->si_code != POLL_HUP;
}

static void use_time(int ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		;
}

static long long count_of(int fd)
{
	long long count = -1;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : -1;
}

int main(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = PERIOD_NS,
				       .sample_type = PERF_SAMPLE_IP,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .wakeup_events = 1};
	struct sigaction action = {.sa_sigaction = signalled, .sa_flags = SA_SIGINFO | SA_RESTART};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	long long stopped;

	if (fd < 0 || mmap(NULL, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0) == MAP_FAILED)
		return 1;
	sigaction(SIGIO, &action, NULL);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGIO);
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC);
	for (int round = 1; round <= 2; round++) {
		readable = used_up = others = 0;
		ioctl(fd, PERF_EVENT_IOC_REFRESH, OVERFLOWS);
		use_time(200);
		stopped = count_of(fd);
		use_time(20);
		printf("round %d: POLL_IN %d, POLL_HUP %d, others %d, %s\n", round, readable,
		       used_up, others, count_of(fd) == stopped ? "stopped" : "counts");
	}
	return 0;
}
