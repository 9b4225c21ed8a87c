/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables out of sessions. */
#ifndef TALLY_CLI_STAT_SHOW_H
#define TALLY_CLI_STAT_SHOW_H

#include "cli/stat/stat.h"

int stat_output_open(struct stat_session *session);

int stat_show_interval(struct stat_session *session, uint64_t at);

int stat_show_total(struct stat_session *session);

int stat_output_close(struct stat_session *session);

#endif
