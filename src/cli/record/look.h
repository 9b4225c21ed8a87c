/* SPDX-License-Identifier: BSD-2-Clause */
/* What the recorder looks at on the way from the rings to the file: mappings, whose files are
 * pinned, and with --progress how many samples there are. */
#ifndef TALLY_CLI_RECORD_LOOK_H
#define TALLY_CLI_RECORD_LOOK_H

#include "cli/record/record.h"

/* Of what a ring holds, or of synthesized records. 0 or -ENOMEM. */
int record_look(struct record *record, const struct tally_ring_data *data);
int record_look_at(struct record *record, const char *records, size_t len);

#endif
