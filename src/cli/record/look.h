/* SPDX-License-Identifier: BSD-2-Clause */
/* What the recorder looks at on the way from the rings to the file: mappings, whose files are
 * pinned, and with --progress how many samples there are. */
#ifndef TALLY_CLI_RECORD_LOOK_H
#define TALLY_CLI_RECORD_LOOK_H

#include "cli/record/record.h"

/* At records of a ring before they are consumed: those that no look saw yet, or of a ring that is
 * overwritten all of `data`. 0 or -ENOMEM. */
int record_look(struct record *record, size_t ring, const struct tally_ring_data *data);

/* At synthesized records. 0 or -ENOMEM. */
int record_look_at(struct record *record, const char *records, size_t len);

/* At all rings but those that are overwritten, without draining them: a file may be removed, and
 * its process have ended, long before they are drained. Often after files were mapped, seldom when
 * nothing is. 0 or -ENOMEM. */
int record_look_around(struct record *record);

/* When that is due next: ns, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t record_look_next(const struct record *record);

void record_look_free(struct record *record);

#endif
