/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the data of a memory access came from, in perf's words. */
#ifndef TALLY_CLI_SCRIPT_DATA_SRC_H
#define TALLY_CLI_SCRIPT_DATA_SRC_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* "68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A", filled with blanks to
 * the longest one so far, which is kept in `width` (0 at first). */
void script_add_data_src(struct tally_str *out, uint64_t data_src, size_t *width);

#endif
