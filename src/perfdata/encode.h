/* SPDX-License-Identifier: BSD-2-Clause */
/* Values, records and attrs into a string builder, in the byte order of the file. */
#ifndef TALLY_PERFDATA_ENCODE_H
#define TALLY_PERFDATA_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tally/abi.h"

void tally_put32(struct tally_str *out, bool swap, uint32_t value);
void tally_put64(struct tally_str *out, bool swap, uint64_t value);
void tally_put_zeros(struct tally_str *out, size_t nr);

/* u32 length and bytes, NUL-padded to a multiple of 64. */
void tally_put_string(struct tally_str *out, bool swap, const char *text);
void tally_put_record(struct tally_str *out, bool swap, uint32_t type, uint16_t misc, size_t size);
void tally_put_attr(struct tally_str *out, bool swap, const struct perf_event_attr *attr,
		    uint32_t size);

#endif
