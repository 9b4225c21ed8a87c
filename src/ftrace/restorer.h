/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A restorer restores files when its owner exits, no matter how. The restorer is a separate process
 * that waits for data from a socket until the owner finishes or dies. Each change is registered
 * with the restorer before it is made, and changes are undone in reverse order. If a file is busy
 * at that time, the restorer retries for several seconds, because readers that died with the owner
 * may not have closed the file yet.
 *
 * Signals from a terminal or to the owner's process group do not terminate a restorer. If the
 * restorer itself is killed, the owner restores the files when it finishes. The changes are
 * permanent only if both are killed.
 */
#ifndef TALLY_FTRACE_RESTORER_H
#define TALLY_FTRACE_RESTORER_H

#include <sys/types.h>

#include "base/str.h"

/* A restorer, for use by one thread at a time. An all-zero struct has no restorer process. */
struct tally_restorer {
	pid_t pid; /* or 0 */
	int fd;    /* owner's socket, close-on-exec; remains open in a child without exec */
	struct tally_str journal;
};

/* Fork the restorer. The process must be single-threaded. Inherited descriptors stay open in the
 * restorer until it exits, so waiting for end-of-file on such a descriptor includes waiting until
 * everything is restored. Returns 0 or the -errno from socketpair(2) or fork(2). */
int tally_restorer_start(struct tally_restorer *restorer);

/* Register `value` as the final contents of `path`: the file is opened, truncated, and written
 * unless `value` is "". The file may be changed after this function has returned 0. Returns -EPIPE
 * if the restorer is gone, or -ENOMEM. */
int tally_restorer_add_file(struct tally_restorer *restorer, const char *path, const char *value);

/* Register the directory `path` to be removed, if it exists, when everything is restored. Returns
 * the same errors as tally_restorer_add_file(). */
int tally_restorer_add_directory(struct tally_restorer *restorer, const char *path);

/* Restore everything and wait until that is done. Does nothing if there is no restorer. Returns 0,
 * or the error from the first file or directory that could not be restored. */
int tally_restorer_finish(struct tally_restorer *restorer);

#endif
