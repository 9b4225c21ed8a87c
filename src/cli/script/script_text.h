/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and names in perf script's columns, without printf on the hot path. */
#ifndef TALLY_CLI_SCRIPT_TEXT_H
#define TALLY_CLI_SCRIPT_TEXT_H

#include "abi/abi_sample.h"
#include "base/str.h"

/* Append a decimal number, right-aligned in `width` columns and padded with `fill`, like %*d or
 * %0*d. */
void script_add_s64(struct tally_str *out, int64_t value, int width, char fill);
void script_add_padded(struct tally_str *out, uint64_t value, int width, char fill);

/* Append a decimal number, left-aligned in `width` columns, like %-*d. */
void script_add_left(struct tally_str *out, int64_t value, int width);

enum { SCRIPT_HEX = 16 };

/* Store `value` at `at` in hexadecimal, right-aligned in 16 characters, like %16x. */
void script_hex(uint64_t value, char *at);

/* Append `value` in the format of script_hex(). */
void script_add_hex(struct tally_str *out, uint64_t value);

/* Append "68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A", padded to the
 * length of the longest text so far. `*width` holds that length and must initially be 0. */
void script_add_data_src(struct tally_str *out, uint64_t data_src, size_t *width);

/* Append an escaped name, right-aligned in `width` columns, like %*s. */
void script_add_right(struct tally_str *out, const char *text, size_t len, size_t width);

/* Append the letter of the CPU mode, and `flags`, which are those of other records than samples. */
void script_add_misc(struct tally_str *out, uint8_t cpumode, const char *flags);

/* Append the data of a BPF program: bytes in hexadecimal, and as a string if they are one. */
void script_add_bpf_output(struct tally_str *out, const uint8_t *data, size_t len);

void script_add_regs(struct tally_str *out, const char *arch, const struct tally_regs *regs);
void script_add_page_size(struct tally_str *out, uint64_t size);

#endif
