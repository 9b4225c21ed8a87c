/* SPDX-License-Identifier: BSD-2-Clause */
/* One-time reports of events that were rejected or replaced by a fallback. */
#ifndef TALLY_CLI_STAT_EXPLAIN_H
#define TALLY_CLI_STAT_EXPLAIN_H

#include "cli/stat/stat.h"

/* Report fallbacks and rejected events. Returns 0, or -EACCES if no event could be opened because
 * of missing permissions. */
int stat_explain(struct stat_session *session);

/* Report an event that cannot be counted, as an error if `fatal` is set, otherwise as a warning. */
void stat_explain_refusal(const char *name, const struct tally_refusal *why, bool fatal);

/* Prepare the table as stat_count_prepare() does, and explain why it is not possible. */
int stat_explain_prepare(struct stat_session *session);

#endif
