/* SPDX-License-Identifier: BSD-2-Clause */
/* The data source of a memory access (PERF_SAMPLE_DATA_SRC), in perf's words. All functions append
 * text. */
#ifndef TALLY_VIEW_DATA_SRC_TEXT_H
#define TALLY_VIEW_DATA_SRC_TEXT_H

#include "base/str.h"
#include "tally/abi.h"

/* The operation ("LOAD"), the level of the memory hierarchy ("L1 hit"), the snoop ("HitM"), the TLB
 * access ("L1 or L2 hit"), the lock ("Yes"), and why the access was blocked ("Data"). */
void tally_data_src_add_op(struct tally_str *out, const union perf_mem_data_src *src);
void tally_data_src_add_level(struct tally_str *out, const union perf_mem_data_src *src);
void tally_data_src_add_snoop(struct tally_str *out, const union perf_mem_data_src *src);
void tally_data_src_add_tlb(struct tally_str *out, const union perf_mem_data_src *src);
void tally_data_src_add_lock(struct tally_str *out, const union perf_mem_data_src *src);
void tally_data_src_add_block(struct tally_str *out, const union perf_mem_data_src *src);

/* All of these: " |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void tally_data_src_add_words(struct tally_str *out, const union perf_mem_data_src *src);

#endif
