/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux_probe.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "tally/abi.h"

enum { NR_ACTIONS = 5 };

static volatile _Alignas(8) uint64_t watched;

static void store(void)
{
	watched++;
}

static void hit(void)
{
	syscall(SYS_sched_rr_get_interval, -1, NULL);
}

static int event_open(struct perf_event_attr *attr)
{
	attr->size = PERF_ATTR_SIZE_VER0;
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool counts(struct perf_event_attr *attr, void (*action)(void))
{
	int fd = event_open(attr);
	uint64_t count = 0;

	if (fd < 0)
		return false;
	for (int i = 0; i < NR_ACTIONS; i++)
		action();
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count = 0;
	close(fd);
	return count == NR_ACTIONS;
}

bool linux_probe_events(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
	int fd = event_open(&attr);

	return fd >= 0 && !close(fd);
}

bool linux_probe_tracepoint(uint64_t id)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = id};

	return counts(&attr, hit);
}

bool linux_probe_breakpoints(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .bp_type = HW_BREAKPOINT_W,
				       .bp_addr = (uint64_t)(uintptr_t)&watched,
				       .bp_len = sizeof(watched),
				       .exclude_kernel = 1};

	return counts(&attr, store);
}
