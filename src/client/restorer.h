/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A restorer puts files back when its owner is gone, however that went: it is a process of its own,
 * which waits at the end of a socket for the owner to finish or to die. What has to be put back is
 * noted with it before it is changed, and undone backwards. What is busy then, as readers that died
 * with the owner may not have let go yet, is tried again for some seconds.
 *
 * A restorer is ended by no signal of a terminal and by no signal to the owner's process group.
 * Where it is killed itself, the owner does its work when it finishes; only both at once leave
 * things as they are.
 */
#ifndef TALLY_CLIENT_RESTORER_H
#define TALLY_CLIENT_RESTORER_H

#include <sys/types.h>

#include "base/str.h"

/* All zero: none. One thread at a time. */
struct tally_restorer {
	pid_t pid; /* 0: none */
	int fd;    /* the owner's end, close-on-exec: a child that does not exec keeps it alive */
	struct tally_str journal;
};

/* Fork the restorer. The process must have one thread only, and descriptors that are inherited by
 * the restorer stay open until it is done: who waits for the end of one waits for the undoing. 0 or
 * -errno of socketpair(2) or fork(2). */
int tally_restorer_start(struct tally_restorer *restorer);

/* Note that `path` is to hold `value` in the end: it is opened, truncated, and written unless
 * `value` is "". Once this has returned 0 it is safe to change the file. -EPIPE when the restorer
 * is gone, -ENOMEM. */
int tally_restorer_add_file(struct tally_restorer *restorer, const char *path, const char *value);

/* Note that the directory `path` is to be removed in the end; it need not be there then. Errors as
 * above. */
int tally_restorer_add_directory(struct tally_restorer *restorer, const char *path);

/* Have everything put back, and wait for that. Does nothing for none. 0, or the error of the first
 * file or directory that could not be put back. */
int tally_restorer_finish(struct tally_restorer *restorer);

#endif
