/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says of itself: report --header, evlist -v. */
#ifndef TALLY_CLI_HEADER_H
#define TALLY_CLI_HEADER_H

#include "base/str.h"
#include "cli/session.h"

/* Comment lines for all features known. In pipe mode what came before the first sample.
 * 0 or -errno. */
int tally_header_text(struct tally_session *session, struct tally_str *out);

/* "type: 1, size: 136, config: 0, { sample_period, sample_freq }: 4000, ..." as perf evlist -v. */
void tally_attr_text(const struct perf_event_attr *attr, struct tally_str *out);

/* The same, one field a line, as perf stat -vv. */
void tally_attr_lines(const struct perf_event_attr *attr, struct tally_str *out);

#endif
