/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for commands that build large tables. */
#ifndef TALLY_CLI_MAIN_HEAP_H
#define TALLY_CLI_MAIN_HEAP_H

/* Make malloc(3) take its memory from a single address range that the kernel may back with huge
 * pages. Tables of many megabytes then cost a fraction of the page faults and TLB misses. Memory is
 * not used before it is touched. If the range is not available, malloc(3) is unchanged. */
void tally_heap_prepare(void);

#endif
