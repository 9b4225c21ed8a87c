/* SPDX-License-Identifier: BSD-2-Clause */
/* The data source of a memory access, in perf script's format. */
#ifndef TALLY_CLI_SCRIPT_DATA_SRC_H
#define TALLY_CLI_SCRIPT_DATA_SRC_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Append "68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A", padded to the
 * length of the longest text so far. `*width` holds that length and must initially be 0. */
void script_add_data_src(struct tally_str *out, uint64_t data_src, size_t *width);

#endif
