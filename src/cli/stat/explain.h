/* SPDX-License-Identifier: BSD-2-Clause */
/* What was refused or done otherwise, told once. */
#ifndef TALLY_CLI_STAT_EXPLAIN_H
#define TALLY_CLI_STAT_EXPLAIN_H

#include "cli/stat/stat.h"

/* 0, or -EACCES when nothing could be opened for want of permission. */
int stat_explain(struct stat_session *session);

/* An event that cannot be counted: as an error when that is the end, else as a warning. */
void stat_explain_refusal(const char *name, const struct tally_refusal *why, bool fatal);

#endif
