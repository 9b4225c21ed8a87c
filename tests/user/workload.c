/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

struct workload workload_start(const char *work, int nr)
{
	struct workload held;
	int pair[2];
	char text[16], word;

	snprintf(text, sizeof(text), "%d", nr);
	if (pipe2(pair, O_CLOEXEC))
		return (struct workload){-1, -1};
	held = (struct workload){fork(), pair[1]};
	if (held.pid)
		return held;
	close(pair[1]);
	if (read(pair[0], &word, 1) == 1)
		execl(WORK_PROGRAM, "work", work, text, NULL);
	_exit(127);
}

void workload_go(struct workload *held)
{
	if (write(held->go, "", 1) != 1)
		perror("workload_go");
	close(held->go);
}

struct perf_event_attr workload_attr(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

int kernel_event_open(const struct perf_event_attr *attr, pid_t pid)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}
