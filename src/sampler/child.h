/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command that is measured. It is forked first and held before its exec, so that events can
 * be opened on it; with enable_on_exec they count from its first instruction to its last.
 */
#ifndef TALLY_SAMPLER_CHILD_H
#define TALLY_SAMPLER_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Exit statuses for a command that could not be run. Shells have the same. */
enum { TALLY_EXIT_NOT_EXECUTABLE = 126, TALLY_EXIT_NOT_FOUND = 127 };

/* Who waits for the child in our place, as nobody else can for one that it traces: what wait4(2)
 * returns, or 0 when the child has not ended and `block` is not set; -ECHILD: it is ours. */
struct tally_child_reaper {
	pid_t (*wait)(void *arg, pid_t pid, bool block, int *ret_status, struct rusage *ret_usage);
	void *arg;
};

/* All zero: no child. */
struct tally_child {
	pid_t pid;                               /* 0: none */
	bool gone;                               /* waited for; the members below are set then */
	int status;                              /* as wait(2) gives it */
	struct rusage usage;                     /* of it and the children it waited for */
	int error;                               /* of the exec, once `why` was read */
	const struct tally_child_reaper *reaper; /* NULL: wait4(2); to be set once it was started */
	int go, why; /* pipes: "go on", and the errno of an exec that failed; -1: closed */
};

/* Fork and hold. Signals are unblocked in the child. Its standard output goes to the descriptor
 * `output`: STDOUT_FILENO for ours, or another where ours is taken. 0 or -errno of pipe(2) or
 * fork(2). */
int tally_child_start(struct tally_child *child, char *const *argv, int output);

/* Let it exec. 0 or -errno of write(2). */
int tally_child_go(struct tally_child *child);

/* How its exec went: 0 or -errno. Waits until that is known. It is known when the child is gone, so
 * a caller that waits for the end anyway does better to ask afterwards: it is not woken twice. */
int tally_child_exec_error(struct tally_child *child);

/* Whether it runs, and is not about to end: its counters go before it can be waited for. */
bool tally_child_is_running(const struct tally_child *child);

/* Note in `child` whether it is gone; with `block` wait for that. */
void tally_child_wait(struct tally_child *child, bool block);

/* The exit status by which a shell would tell how it ended: its own exit status, or 128 plus the
 * signal; for an exec that failed 127 (not found) or 126. */
int tally_child_exit_status(const struct tally_child *child);

/* Let the child run on after we have ended: tally_child_free() will neither kill it nor wait for
 * it. */
void tally_child_leave(struct tally_child *child);

/* End it if it is still held or running, and wait for it. */
void tally_child_free(struct tally_child *child);

#endif
