/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_MAIN_ATTR_TEXT_H
#define TALLY_CLI_MAIN_ATTR_TEXT_H

#include "base/str.h"
#include "tally/abi.h"

/* "type: 1, size: 136, config: 0, { sample_period, sample_freq }: 4000, ..." as perf evlist -v. */
void tally_attr_text(const struct perf_event_attr *attr, struct tally_str *out);

/* The same, one field a line, as perf stat -vv. */
void tally_attr_lines(const struct perf_event_attr *attr, struct tally_str *out);

#endif
