/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and names in perf's columns, without printf on the hot path. */
#ifndef TALLY_CLI_SCRIPT_TEXT_H
#define TALLY_CLI_SCRIPT_TEXT_H

#include "abi/sample.h"
#include "base/str.h"

/* Decimal, filled from the left to `width`; %*d and %0*d. */
void script_add_s64(struct tally_str *out, int64_t value, int width, char fill);
void script_add_padded(struct tally_str *out, uint64_t value, int width, char fill);

/* Decimal, filled with blanks on the right; %-*d. */
void script_add_left(struct tally_str *out, int64_t value, int width);

enum { SCRIPT_HEX = 16 };

/* Put `value` at `at` in hexadecimal, filled with blanks from the left to 16 characters: %16x. */
void script_hex(uint64_t value, char *at);

/* Append it. */
void script_add_hex(struct tally_str *out, uint64_t value);

/* A name of the recording, escaped, filled with blanks from the left; %*s. */
void script_add_right(struct tally_str *out, const char *text, size_t len, size_t width);

void script_add_misc(struct tally_str *out, uint8_t cpumode);
void script_add_regs(struct tally_str *out, const struct tally_regs *regs);
void script_add_page_size(struct tally_str *out, uint64_t size);

#endif
