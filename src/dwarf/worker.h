/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines asked for in another process. Debug information of a stranger's file can make a decoder
 * crash, loop, or take all memory: there it takes nothing but the process with it, which has its
 * limits. What the process answers is not believed either.
 *
 * The process is forked: a program with threads must not hold locks then that `open` takes. It ends
 * with the thread that started it. SIGCHLD must not be ignored: how it ended is asked for.
 */
#ifndef TALLY_DWARF_WORKER_H
#define TALLY_DWARF_WORKER_H

#include <sys/types.h>

#include "dwarf/dwarf.h"

enum { TALLY_DWARF_THREADS_MAX = 4 };

/* What it may take in all. */
struct tally_dwarf_limits {
	unsigned seconds; /* of CPU time, and of waiting for it */
	uint64_t bytes;   /* of memory beyond what the program has */
	uint64_t answer;  /* bytes that it may answer, all in all; 0: 256 MiB */
	unsigned threads; /* at most TALLY_DWARF_THREADS_MAX; 0: as many as are of use */
};

/* Why there is no answer. */
enum {
	TALLY_DWARF_ERROR_TIME = -ETIMEDOUT,
	TALLY_DWARF_ERROR_MEMORY = -ENOSPC,
	TALLY_DWARF_ERROR_CRASHED = -ECHILD,
};

/* All zero is none. */
struct tally_dwarf_worker {
	pid_t pid; /* 0: none */
	int fd;
	int error; /* it is given up for this */
	/* Addresses whose information is damaged, or too much: they have an empty span. And names
	 * that are too long. */
	uint64_t nr_given_up;
	uint64_t nr_missing;            /* see tally_dwarf_missing() */
	uint64_t answered, answer_most; /* bytes */
	int64_t waited;                 /* for it, ms */
	int64_t left;                   /* milliseconds that it may still be waited for */
	struct {
		TALLY_VEC(const char *) texts; /* that one of its threads told, by number */
	} threads[TALLY_DWARF_THREADS_MAX];
	TALLY_VEC(uint8_t) input; /* what came and was not looked at yet: from */
	size_t at;
};

/* Gathers the debug information, in the process: of the file, and of what dwz moved to another one;
 * both are empty at first. 0 or -errno. */
typedef int (*tally_dwarf_opener)(void *arg, struct tally_dwarf_file *file,
				  struct tally_dwarf_file *alt);

/* Start the process. 0, or an error of socketpair(2) or fork(2): -EMFILE, -ENFILE, -EAGAIN,
 * -ENOMEM.
 */
int tally_dwarf_worker_start(struct tally_dwarf_worker *worker,
			     const struct tally_dwarf_limits *limits, tally_dwarf_opener open,
			     void *arg);

/* Add to `lines` the spans of the functions that the addresses are in; for those that have none a
 * span of one byte without lines. 0; TALLY_DWARF_ERROR_* (of MEMORY, too, if its answer is too
 * long), or what `open` returned: the worker is of no use any more, and some spans may have come.
 */
int tally_dwarf_worker_ask(struct tally_dwarf_worker *worker, const uint64_t *addrs, size_t nr,
			   struct tally_lines *lines);

/* End the process. */
void tally_dwarf_worker_stop(struct tally_dwarf_worker *worker);

#endif
