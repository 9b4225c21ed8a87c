/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and sorts records in another thread, ahead of the calls to tally_perfdata_next_ordered(),
 * which return the same records. Only records of mapped files that need no special treatment are
 * read ahead: other records may change the events and metadata that the caller uses.
 *
 * While the thread runs, the caller may use only what such records do not change: the events and
 * the header, but not the notes and counts of tally_perfdata_info().
 */
#ifndef TALLY_PERFDATA_AHEAD_H
#define TALLY_PERFDATA_AHEAD_H

#include <stdbool.h>

#include "tally/perfdata.h"

struct tally_ahead;

/* Read ahead from now on, where possible. Failures are ignored. */
void tally_perfdata_read_ahead(struct tally_perfdata *data);

/* End the thread. Records that were read ahead are lost unless reading is started again with
 * tally_perfdata_rewind(). */
void tally_perfdata_stop_ahead(struct tally_perfdata *data);

/* Get the next record from the thread, which is started or ended as needed. Returns false if it
 * must be read by the caller. */
bool tally_ahead_next(struct tally_perfdata *data, struct tally_perfdata_record *ret_record);

/* In the thread: get the next record in time order. Returns false if the next record needs special
 * treatment. */
bool tally_reader_next_plain(struct tally_perfdata *data, struct tally_perfdata_record *ret_record);

/* Return true if the next record may be read ahead. */
bool tally_reader_is_plain(const struct tally_perfdata *data);

#endif
