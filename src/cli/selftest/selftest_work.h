/* SPDX-License-Identifier: BSD-2-Clause */
/* Work that causes a known number of events. */
#ifndef TALLY_CLI_SELFTEST_WORK_H
#define TALLY_CLI_SELFTEST_WORK_H

#include <stddef.h>
#include <stdint.h>

/* Memory with pages that have not been touched. An all-zero structure has no pages. */
struct selftest_pages {
	unsigned char *data;
	size_t nr, size; /* number of pages, and bytes per page */
};

/* Map `nr` pages. Returns 0 or the error from mmap(2). */
int selftest_pages_map(size_t nr, struct selftest_pages *ret_pages);

/* Write to each page, which causes one page fault for each. */
void selftest_pages_touch(const struct selftest_pages *pages);

void selftest_pages_unmap(struct selftest_pages *pages);

/* Map SELFTEST_PAGES pages, touch them and unmap them. */
enum { SELFTEST_PAGES = 64 };
void selftest_faults(void);

/* Use CPU time in user space. */
void selftest_spin(void);

#endif
