/* SPDX-License-Identifier: BSD-2-Clause */
/* Read several counters of the calling thread at one moment, without a system call. */
#ifndef TALLY_CLIENT_SELF_READ_H
#define TALLY_CLIENT_SELF_READ_H

#include "tally/client.h"

struct self_reading {
	uint64_t value, enabled, running;
};

/* Read the counters of `nr` pages; see tally_self_read(). The times of all readings are those of
 * one moment. Returns the number of pages that were read: it is less than `nr` if the counter of
 * the next page cannot be read without a system call. */
size_t self_read_pages(const struct perf_event_mmap_page *const *pages, size_t nr,
		       const struct tally_self_reader *reader, struct self_reading *readings);

#endif
