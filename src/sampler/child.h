/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command to be measured. The child is forked and then held before its exec, so that events can be
 * opened on it. With enable_on_exec, events count from the command's first instruction to its last.
 */
#ifndef TALLY_SAMPLER_CHILD_H
#define TALLY_SAMPLER_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Exit statuses for commands that cannot be run, as in shells. */
enum { TALLY_EXIT_NOT_EXECUTABLE = 126, TALLY_EXIT_NOT_FOUND = 127 };

/* Replacement for wait4(2), used if another thread is tracing the child, because only the tracer
 * can wait for it. Returns the result of wait4(2); 0 if the child has not exited and `block` is not
 * set; or -ECHILD if the caller should use wait4(2). */
struct tally_child_reaper {
	pid_t (*wait)(void *arg, pid_t pid, bool block, int *ret_status, struct rusage *ret_usage);
	void *arg;
};

/* An all-zero struct has no child. */
struct tally_child {
	pid_t pid;                               /* 0 if there is no child */
	bool gone;                               /* reaped; the following members are set */
	int status;                              /* wait status */
	struct rusage usage;                     /* includes children that the child waited for */
	int error;                               /* -errno from exec, once read from `why` */
	const struct tally_child_reaper *reaper; /* set after starting; NULL to use wait4(2) */
	int go, why; /* pipe ends to start the exec and to receive its errno; -1 if closed */
};

/* Fork the child and hold it before its exec. Signals are unblocked in the child. `output` becomes
 * its stdout; pass a descriptor other than STDOUT_FILENO if our stdout is used for something else.
 * Returns 0 or -errno from pipe(2) or fork(2). */
int tally_child_start(struct tally_child *child, char *const *argv, int output);

/* Let the child exec. Returns 0 or -errno from write(2). */
int tally_child_exec(struct tally_child *child);

/* Wait until the result of the exec is known, and return it (0 or -errno). The result is known by
 * the time the child has exited, so a caller that waits for the exit anyway should call this
 * afterwards to avoid another wakeup. */
int tally_child_exec_error(struct tally_child *child);

/* Return true if the child is running and not exiting. An exiting child's counters disappear before
 * the child can be waited for. */
bool tally_child_is_running(const struct tally_child *child);

/* Update child->gone. With `block`, wait until the child has exited. */
void tally_child_wait(struct tally_child *child, bool block);

/* Return the exit status that a shell would report: the child's exit status, or 128 plus the
 * signal. If the exec failed, this is 127 (not found) or 126. */
int tally_child_exit_status(const struct tally_child *child);

/* Let the child continue after we exit: tally_child_free() neither kills it nor waits for it. */
void tally_child_detach(struct tally_child *child);

/* Kill the child if it is still held or running, and wait for it. */
void tally_child_free(struct tally_child *child);

#endif
