/* SPDX-License-Identifier: BSD-2-Clause */
/* Embedded symbols: the names of the recorded addresses, stored in the file. */
#ifndef TALLY_CLI_RECORD_STORE_H
#define TALLY_CLI_RECORD_STORE_H

#include "cli/record/record.h"

/* Read the file just written, and pass the names of its addresses to the writer, unless
 * --no-symbols was given. On failure, print a warning; the file then has no embedded symbols. */
void record_store(struct record *record);

/* With --redact, replace names in the finished file `name` by placeholders. `code` is the result of
 * finishing the file; if it is not 0, the file is left as it is, with an error message. Returns
 * `code`, or -errno if redacting fails. */
int record_redact(const struct record *record, const char *name, int code);

#endif
