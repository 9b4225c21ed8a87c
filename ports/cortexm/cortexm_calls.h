/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of perf_event_open(2), implemented as functions. They return the core's results,
 * or -errno on failure. Descriptors are indexes into a single table, as there is only one process.
 */
#ifndef CORTEXM_CALLS_H
#define CORTEXM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"

struct tally_core_refusal;

/* Open an event. Returns a descriptor or -errno. `ret_why` may be NULL. */
int perf_open(struct perf_event_attr *attr, int32_t tid, int32_t cpu, int group_fd,
	      unsigned long flags, struct tally_core_refusal *ret_why);
int64_t perf_read(int fd, void *buffer, size_t len);
int perf_ioctl(int fd, unsigned long request, uintptr_t arg);
int perf_poll(int fd, bool wait); /* returns POLLIN, POLLERR, POLLHUP */
int perf_prctl(int option);
int perf_close(int fd);

/* A ring buffer: the metadata page, and `data_len` bytes of data (a power of two). */
struct perf_mapping {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t data_len;
	struct open_file *file;
	struct tally_core_buffer *buffer;
};
int perf_map(int fd, size_t data_len, struct perf_mapping *ret_mapping);
void perf_unmap(struct perf_mapping *mapping);

#endif
