/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for commands that build large tables. */
#ifndef TALLY_CLI_MAIN_HUGE_HEAP_H
#define TALLY_CLI_MAIN_HUGE_HEAP_H

/* Make malloc(3) allocate from a single address range that the kernel may back with huge pages.
 * Tables of many megabytes then cause far fewer page faults and TLB misses. The range takes up
 * memory only where it has been touched. If the range cannot be reserved, malloc(3) is left
 * unchanged. */
void tally_heap_prepare(void);

#endif
