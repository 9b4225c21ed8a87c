/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of a recording, counted or listed: report --stats, --tasks, --mmaps and
 * --total-cycles. */
#ifndef TALLY_CLI_REPORT_RECORDS_H
#define TALLY_CLI_REPORT_RECORDS_H

#include "session/session.h"

/* Print how many records there are of each type, in total and for each event. Returns 0, or -errno
 * after printing an error. */
int report_stats(struct tally_session *session);

/* Print the tasks as a tree, with their mappings if `maps` is set. Returns 0, or -errno after
 * printing an error. */
int report_tasks(struct tally_session *session, bool maps);

/* Print the blocks of code between branches, most cycles first, that have at least this percentage
 * of the cycles; without headings if `quiet` is set. `event_number` is as in
 * tally_event_is_chosen(). Returns 0, or -errno after printing an error. */
int report_blocks(struct tally_session *session, uint64_t event_number, double min_percent,
		  bool quiet);

#endif
