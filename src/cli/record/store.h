/* SPDX-License-Identifier: BSD-2-Clause */
/* Embedded symbols: names for the recorded addresses, stored in the recording. */
#ifndef TALLY_CLI_RECORD_STORE_H
#define TALLY_CLI_RECORD_STORE_H

#include "cli/record/record.h"

/* Read back the finished recording and pass the symbols for its addresses to the writer, unless
 * --no-symbols was given. On failure, print a warning; the recording then has no embedded
 * symbols. */
void record_store(struct record *record);

/* With --regions, store the regions that the command has written. On failure, print a warning. */
void record_store_regions(struct record *record);

/* With --redact, replace names in the finished file `name` with placeholders. `code` is the result
 * of finishing the file; if it is not 0, print an error and leave the file unchanged. Returns
 * `code`, or -errno if redacting fails. */
int record_redact(const struct record *record, const char *name, int code);

#endif
