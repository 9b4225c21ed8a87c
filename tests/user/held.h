/* SPDX-License-Identifier: BSD-2-Clause */
/* A command that is held before its exec, so that the kernel and the user host count the same run.
 */
#ifndef TALLY_TESTS_USER_HELD_H
#define TALLY_TESTS_USER_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hosts/user/user.h"

struct held {
	pid_t pid;
	int go;
};

/* The program WORK_PROGRAM (see work.c), which does `work`: how often, or how long, says the
 * number. */
struct held held_start(const char *work, int nr);
void held_go(struct held *held);

/* An attr of a software event that waits for the exec, children included. */
struct perf_event_attr held_attr(uint64_t config);

/* perf_event_open(2) of the running kernel: the descriptor, or -errno. */
int held_kernel_open(const struct perf_event_attr *attr, pid_t pid);

/* The work of a name; its exit status. -1: no such work. */
int work_do(const char *work, int nr);

#endif
