/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command to be measured. It is forked and held before its exec, so that events can be opened
 * on it. With enable_on_exec, they count from its first instruction to its last.
 */
#ifndef TALLY_SAMPLER_CHILD_H
#define TALLY_SAMPLER_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Exit statuses for a command that could not be run, as in shells. */
enum { TALLY_EXIT_NOT_EXECUTABLE = 126, TALLY_EXIT_NOT_FOUND = 127 };

/* Replacement for wait4(2), used if another thread traces the child: only the tracer can wait for
 * it. Returns the result of wait4(2); 0 if the child has not exited and `block` is not set; or
 * -ECHILD if the caller should use wait4(2). */
struct tally_child_reaper {
	pid_t (*wait)(void *arg, pid_t pid, bool block, int *ret_status, struct rusage *ret_usage);
	void *arg;
};

/* Zeroed: no child. */
struct tally_child {
	pid_t pid;                               /* 0: none */
	bool gone;                               /* it has been waited for; then the following
	                                          * members are set */
	int status;                              /* wait status */
	struct rusage usage;                     /* of the child and the children it waited for */
	int error;                               /* -errno of its exec, after `why` has been read */
	const struct tally_child_reaper *reaper; /* NULL: wait4(2); set after the start */
	int go, why; /* pipes: start of the exec, and errno of a failed exec; -1: closed */
};

/* Fork the child and hold it before its exec. Signals are unblocked in the child. Its stdout is the
 * descriptor `output`: STDOUT_FILENO, or another one if our stdout is used for something else.
 * Returns 0 or -errno of pipe(2) or fork(2). */
int tally_child_start(struct tally_child *child, char *const *argv, int output);

/* Let the child exec. Returns 0 or -errno of write(2). */
int tally_child_exec(struct tally_child *child);

/* Return the result of the exec, 0 or -errno; waits until it is known. It is known once the child
 * is gone. A caller that waits for the exit anyway should call this afterwards, to avoid another
 * wakeup. */
int tally_child_exec_error(struct tally_child *child);

/* Return true if the child is running and not exiting. Its counters disappear before it can be
 * waited for. */
bool tally_child_is_running(const struct tally_child *child);

/* Update child->gone; with `block`, wait until the child is gone. */
void tally_child_wait(struct tally_child *child, bool block);

/* Return the exit status as a shell does: the child's exit status, or 128 plus the signal; if the
 * exec failed, 127 (not found) or 126. */
int tally_child_exit_status(const struct tally_child *child);

/* Let the child run on after we exit: tally_child_free() will neither kill it nor wait for it. */
void tally_child_detach(struct tally_child *child);

/* Kill the child if it is still held or running, and wait for it. */
void tally_child_free(struct tally_child *child);

#endif
