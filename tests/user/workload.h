/* SPDX-License-Identifier: BSD-2-Clause */
/* A command that is stopped before its exec, so that the kernel and the user host count the same
 * run. */
#ifndef TALLY_TESTS_USER_WORKLOAD_H
#define TALLY_TESTS_USER_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hosts/user/user.h"

struct workload {
	pid_t pid;
	int go;
};

/* Start WORK_PROGRAM (see user_work.c) with this `work`; `nr` is the number of repetitions or the
 * duration. */
struct workload workload_start(const char *work, int nr);
void workload_go(struct workload *held);

/* Return the attr of a software event that is inherited and starts at the exec. */
struct perf_event_attr workload_attr(uint64_t config);

/* Call the running kernel's perf_event_open(2). Returns a descriptor or -errno. */
int kernel_event_open(const struct perf_event_attr *attr, pid_t pid);

/* Do the work with this name. Returns its exit status, or -1 if the name is unknown. */
int work_do(const char *work, int nr);

#endif
