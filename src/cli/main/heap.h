/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for commands that build large tables. */
#ifndef TALLY_CLI_MAIN_HEAP_H
#define TALLY_CLI_MAIN_HEAP_H

/* Have malloc(3) take its memory from one range of addresses that the kernel may back with huge
 * pages: tables of many megabytes then cost a fraction of the page faults and TLB misses.
 * Nothing is taken until it is used. Where it cannot be had, all stays as it was. */
void tally_heap_prepare(void);

#endif
