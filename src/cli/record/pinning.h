/* SPDX-License-Identifier: BSD-2-Clause */
/* Pin files that are mapped during the recording, as soon as the recorder sees their mappings. */
#ifndef TALLY_CLI_RECORD_PINNING_H
#define TALLY_CLI_RECORD_PINNING_H

#include "cli/record/record.h"
#include "symbols/symbols.h"

/* Start pinning if files will be read for build IDs, symbols or unwinding. Also choose the index
 * directory. Returns 0 or -ENOMEM. */
int record_pins_start(struct record *record);

/* Pin a mapped file. `mmap` is an MMAP or MMAP2 record of `len` bytes. Returns 0 or -ENOMEM. */
int record_pins_add(struct record *record, const void *mmap, size_t len);

/* Return the options for reading files, or NULL if no files are read. */
const struct tally_symbols_options *record_pins_options(const struct record *record);

/* Stop pinning and free everything. */
void record_pins_stop(struct record *record);

/* Stop pinning without freeing anything, because another thread still uses the options. */
void record_pins_abandon(struct record *record);

#endif
