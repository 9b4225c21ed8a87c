/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look up lines in another process. With debug information from an untrusted file a decoder may
 * crash, loop, or exhaust memory. In a process of its own, with resource limits, only that process
 * is lost. Its replies are not trusted either.
 *
 * The process is forked: in a program with threads, no thread may hold a lock then that `open`
 * takes. The process ends with the thread that started it. SIGCHLD must not be ignored, because the
 * exit status of the process is needed.
 */
#ifndef TALLY_DWARF_WORKER_H
#define TALLY_DWARF_WORKER_H

#include <sys/types.h>

#include "dwarf/dwarf.h"

enum { TALLY_DWARF_THREADS_MAX = 4 };

/* Limits of the whole process. */
struct tally_dwarf_limits {
	unsigned seconds; /* of CPU time, and of waiting for replies */
	uint64_t bytes;   /* of memory, in addition to that of the program */
	uint64_t answer;  /* total size of the replies in bytes; 0: 256 MiB */
	unsigned threads; /* at most TALLY_DWARF_THREADS_MAX; 0: as many as useful */
};

/* Reasons for a missing reply. */
enum {
	TALLY_DWARF_ERROR_TIME = -ETIMEDOUT,
	TALLY_DWARF_ERROR_MEMORY = -ENOSPC,
	TALLY_DWARF_ERROR_CRASHED = -ECHILD,
};

/* A zeroed structure is a worker that is not running. */
struct tally_dwarf_worker {
	pid_t pid; /* 0: not running */
	int fd;
	int error; /* error that ended the process */
	/* Skipped addresses, with an empty span because their information is damaged or exceeds a
	 * limit, and dropped names, which are too long. */
	uint64_t nr_given_up;
	uint64_t nr_missing;            /* see tally_dwarf_missing() */
	uint64_t answered, answer_most; /* bytes received, and their limit */
	int64_t waited;                 /* total time of waiting, in ms */
	int64_t left;                   /* remaining time of waiting, in ms */
	struct {
		TALLY_VEC(const char *) texts; /* texts sent by a thread, by number */
	} threads[TALLY_DWARF_THREADS_MAX];
	TALLY_VEC(uint8_t) input; /* input buffer; unprocessed data begins at `at` */
	size_t at;
};

/* Called in the process to get the debug information of the file, and of the file that dwz moved
 * shared information to. Both are empty at first. Returns 0 or -errno. */
typedef int (*tally_dwarf_opener)(void *arg, struct tally_dwarf_file *file,
				  struct tally_dwarf_file *alt);

/* Start the process. Returns 0, or an error of socketpair(2) or fork(2): -EMFILE, -ENFILE, -EAGAIN,
 * -ENOMEM. */
int tally_dwarf_worker_start(struct tally_dwarf_worker *worker,
			     const struct tally_dwarf_limits *limits, tally_dwarf_opener open,
			     void *arg);

/* Add to `lines` the spans of the functions that contain the addresses. For an address without a
 * function a span of one byte without lines is added. Returns 0; TALLY_DWARF_ERROR_*, with MEMORY
 * also if the reply is too long; or the error of `open`. After an error the worker is unusable;
 * some spans may have been added. */
int tally_dwarf_worker_resolve(struct tally_dwarf_worker *worker, const uint64_t *addrs, size_t nr,
			       struct tally_lines *lines);

/* End the process and free the memory of the worker. */
void tally_dwarf_worker_stop(struct tally_dwarf_worker *worker);

#endif
