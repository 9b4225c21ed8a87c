/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of a recording, counted or listed: report --stats, --tasks and --mmaps. */
#ifndef TALLY_CLI_REPORT_RECORDS_H
#define TALLY_CLI_REPORT_RECORDS_H

#include "session/session.h"

/* Print how many records there are of each type, in total and for each event. Returns 0, or -errno
 * after printing an error. */
int report_stats(struct tally_session *session);

/* Print the tasks as a tree, with their mappings if `maps` is set. Returns 0, or -errno after
 * printing an error. */
int report_tasks(struct tally_session *session, bool maps);

#endif
