/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the addresses that were recorded, which go into the file. */
#ifndef TALLY_CLI_RECORD_STORE_H
#define TALLY_CLI_RECORD_STORE_H

#include "cli/record/record.h"

/* Read the file that was just written, and hand the names of its addresses to the writer, unless
 * they are not wanted. What fails is said; the recording is one without names then. */
void record_store(struct record *record);

/* Put stand-ins into the file that was finished with `code`, and is called `name`, if they are
 * wanted. `code`, if it is not 0: such a file is left as it is, which is told; or -errno of this.
 */
int record_redact(const struct record *record, const char *name, int code);

#endif
