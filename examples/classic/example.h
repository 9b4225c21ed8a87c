/* SPDX-License-Identifier: BSD-2-Clause */
/* Error handling, and workloads to count, shared by the examples in this directory. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#define TALLY_CLASSIC_NAMES
#include <tally/classic.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* `config` values for events. */
#define HARDWARE(id)   TALLY_CLASSIC_EVENT(PERF_TYPE_HARDWARE, id)
#define SOFTWARE(id)   TALLY_CLASSIC_EVENT(PERF_TYPE_SOFTWARE, id)
#define TRACEPOINT(id) TALLY_CLASSIC_EVENT(PERF_TYPE_TRACEPOINT, id)

/* Return the result of a library call; if it failed, print the error and exit. */
static inline int must(const char *what, int64_t ret)
{
	if (ret >= 0)
		return (int)ret;
	fprintf(stderr, "%s: %s\n", what, strerror((int)-ret));
	exit(1);
}

static inline struct tally_classic *classic_new(void)
{
	struct tally_classic *perf;

	must("tally_classic_new", tally_classic_new(NULL, &perf));
	return perf;
}

/* Open an event. If counting the kernel is not permitted, count user space only. Returns a file
 * descriptor or -errno. */
static inline int open_event(struct tally_classic *perf, const struct perf_event_attr *attr,
			     pid_t pid, int cpu, int group_fd)
{
	struct perf_event_attr user = *attr;
	int fd = tally_classic_open(perf, attr, pid, cpu, group_fd, 0);

	user.exclude_kernel = 1;
	return fd == -EACCES ? tally_classic_open(perf, &user, pid, cpu, group_fd, 0) : fd;
}

/* Open an event for the calling thread on any CPU. */
static inline int open_self(struct tally_classic *perf, const struct perf_event_attr *attr,
			    int group_fd)
{
	return must("open", open_event(perf, attr, 0, -1, group_fd));
}

/* Read the value of a counter. */
static inline uint64_t read_value(struct tally_classic *perf, int fd)
{
	uint64_t values[3] = {0};

	must("read", tally_classic_read(perf, fd, values, sizeof(values)));
	return values[0];
}

/* Use CPU time, mostly in user space. */
static inline void use_time(int ms)
{
	struct timespec now, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	end.tv_sec += (end.tv_nsec + ms * 1000000L) / 1000000000;
	end.tv_nsec = (end.tv_nsec + ms * 1000000L) % 1000000000;
	do {
		for (volatile int i = 0; i < 10000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

/* Touch new pages, causing one page fault each. */
static inline void fault(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = (volatile char *)mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
						      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == (volatile char *)MAP_FAILED)
		return;
	madvise((void *)memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * size] = 1;
	munmap((void *)memory, pages * size);
}

#endif
