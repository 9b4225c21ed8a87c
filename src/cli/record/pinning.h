/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that are mapped while it is recorded, pinned as soon as the recorder sees that. */
#ifndef TALLY_CLI_RECORD_PINNING_H
#define TALLY_CLI_RECORD_PINNING_H

#include "cli/record/record.h"
#include "symbols/symbols.h"

/* Begin, if files will be looked at: for their build ids, or to unwind. Also choose where indexes
 * are. 0 or -ENOMEM. */
int record_pins_start(struct record *record);

/* Pin the file of a mapping: a record MMAP or MMAP2 of `len` bytes. 0 or -ENOMEM. */
int record_pins_take(struct record *record, const void *mmap, size_t len);

/* How files are looked at; NULL: they are not. */
const struct tally_symbols_options *record_pins_options(const struct record *record);

void record_pins_stop(struct record *record);

/* Stop, but leave what there is to a thread that still looks at files by these options. */
void record_pins_leave(struct record *record);

#endif
