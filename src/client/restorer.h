/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A restorer restores files when its owner ends, however that happens. It is a separate process
 * that waits at the end of a socket until the owner finishes or dies. Each change is registered
 * with the restorer before it is made, and the changes are undone in reverse order. Files that are
 * busy then are retried for some seconds, as readers that died with the owner may not have closed
 * them yet.
 *
 * Signals from a terminal or to the owner's process group do not end a restorer. If the restorer
 * itself is killed, the owner restores the files when it finishes. Only if both are killed do the
 * changes stay.
 */
#ifndef TALLY_CLIENT_RESTORER_H
#define TALLY_CLIENT_RESTORER_H

#include <sys/types.h>

#include "base/str.h"

/* All zero: no restorer. Used by one thread at a time. */
struct tally_restorer {
	pid_t pid; /* 0: none */
	int fd;    /* the owner's end, close-on-exec; a child that does not exec keeps it open */
	struct tally_str journal;
};

/* Fork the restorer. The process must be single-threaded. Descriptors that the restorer inherits
 * stay open until it is done, so waiting for the end of one includes waiting for the restoring.
 * Returns 0 or -errno of socketpair(2) or fork(2). */
int tally_restorer_start(struct tally_restorer *restorer);

/* Register that `path` is to contain `value` in the end: it is opened, truncated, and written
 * unless `value` is "". Once this has returned 0 it is safe to change the file. Returns -EPIPE if
 * the restorer is gone, or -ENOMEM. */
int tally_restorer_add_file(struct tally_restorer *restorer, const char *path, const char *value);

/* Register that the directory `path` is to be removed in the end; it need not exist then. Errors as
 * above. */
int tally_restorer_add_directory(struct tally_restorer *restorer, const char *path);

/* Restore everything, and wait for that. Does nothing if there is no restorer. Returns 0, or the
 * error of the first file or directory that could not be restored. */
int tally_restorer_finish(struct tally_restorer *restorer);

#endif
