/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_VIEW_ATTR_TEXT_H
#define TALLY_VIEW_ATTR_TEXT_H

#include "base/str.h"
#include "tally/abi.h"

/* Append the attr to `out` as perf evlist -v prints it: "type: 1, size: 136, config: 0, {
 * sample_period, sample_freq }: 4000, ...". */
void tally_attr_text(const struct perf_event_attr *attr, struct tally_str *out);

/* Append the attr as in the header of a recording: "type = 1, size = 136, ...". */
void tally_attr_header(const struct perf_event_attr *attr, struct tally_str *out);

/* Append the attr with one field per line, as in perf stat -vv. */
void tally_attr_lines(const struct perf_event_attr *attr, struct tally_str *out);

#endif
