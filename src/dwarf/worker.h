/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lookup of lines and variables in another process. Debug information from an untrusted file can
 * make the decoder crash, loop, or exhaust memory. The decoder runs in a separate process with
 * resource limits, so only that process is affected. Its replies are not trusted either.
 *
 * The process is forked. In a multithreaded program, no other thread may be holding a lock that
 * `open` takes when the fork happens. The worker process is killed when the thread that started it
 * exits. SIGCHLD must not be ignored, because the exit status of the process is needed.
 */
#ifndef TALLY_DWARF_WORKER_H
#define TALLY_DWARF_WORKER_H

#include <sys/types.h>

#include "base/arena.h"
#include "dwarf/dwarf.h"
#include "dwarf/types.h"

enum { TALLY_DWARF_THREADS_MAX = 4 };

/* Limits for the whole process. */
struct tally_dwarf_limits {
	unsigned seconds; /* CPU time, and total time spent waiting for replies */
	uint64_t bytes;   /* memory in bytes, in addition to the program's */
	uint64_t answer;  /* total size of the replies in bytes; 0 for 256 MiB */
	unsigned threads; /* at most TALLY_DWARF_THREADS_MAX; 0 for as many as useful */
};

/* Reasons why a reply is missing. */
enum {
	TALLY_DWARF_ERROR_TIME = -ETIMEDOUT,
	TALLY_DWARF_ERROR_MEMORY = -ENOSPC,
	TALLY_DWARF_ERROR_CRASHED = -ECHILD,
};

/* An all-zero struct is a worker that is not running. */
struct tally_dwarf_worker {
	pid_t pid; /* 0 if not running */
	int fd;
	int error; /* error that made the worker unusable */
	/* Number of skipped addresses plus dropped names. An address is skipped, and gets an empty
	 * span, if its information is damaged or exceeds a limit. A name is dropped if it is too
	 * long. */
	uint64_t nr_given_up;
	uint64_t nr_missing;            /* see tally_dwarf_missing() */
	uint64_t answered, answer_most; /* bytes received, and their limit */
	int64_t waited;                 /* total time spent waiting, in ms */
	int64_t left;                   /* remaining waiting time, in ms */
	struct {
		TALLY_VEC(const char *) texts; /* strings a thread has sent, indexed by number */
	} threads[TALLY_DWARF_THREADS_MAX];
	TALLY_VEC(const struct tally_type *) types; /* types sent, indexed by number */
	TALLY_VEC(uint8_t) input; /* input buffer; unprocessed data begins at `at` */
	size_t at;
};

/* Called in the worker process to get the debug information in the file, and in the file that dwz
 * moved shared information to. Both structures are empty at first. Returns 0 or -errno. */
typedef int (*tally_dwarf_opener)(void *arg, struct tally_dwarf_file *file,
				  struct tally_dwarf_file *alt);

/* Start the process. Returns 0, or an error from socketpair(2) or fork(2): -EMFILE, -ENFILE,
 * -EAGAIN, -ENOMEM. */
int tally_dwarf_worker_start(struct tally_dwarf_worker *worker,
			     const struct tally_dwarf_limits *limits, tally_dwarf_opener open,
			     void *arg);

/* Add to `lines` the spans of the functions that contain the addresses. For an address without a
 * function, a one-byte span without lines is added. Returns 0, an error from `open`, or
 * TALLY_DWARF_ERROR_*; a reply that is too long also results in TALLY_DWARF_ERROR_MEMORY. After an
 * error the worker is unusable; some spans may have been added. */
int tally_dwarf_worker_resolve(struct tally_dwarf_worker *worker, const uint64_t *addrs, size_t nr,
			       struct tally_lines *lines);

/* Look up variables. The types are stored in `memory`, and their strings in `texts`, which must be
 * the same in all requests to a worker. Returns the same errors as
 * tally_dwarf_worker_resolve(). */
int tally_dwarf_worker_variables(struct tally_dwarf_worker *worker,
				 const struct tally_variable_question *questions, size_t nr,
				 struct tally_lines *texts, struct tally_arena *memory,
				 struct tally_variable *ret_variables);

/* Terminate the process and free the worker's memory. */
void tally_dwarf_worker_stop(struct tally_dwarf_worker *worker);

#endif
