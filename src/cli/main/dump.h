/* SPDX-License-Identifier: BSD-2-Clause */
/* Print every record in a recording, in file order, with all its fields. */
#ifndef TALLY_CLI_SCRIPT_DUMP_H
#define TALLY_CLI_SCRIPT_DUMP_H

#include "session/session.h"

/* Print one JSON object per line to stdout: offset, type (numeric), name, misc and size, followed
 * by the record's fields, with quipper's names where they exist. Returns 0, or -errno after
 * printing an error. */
int tally_dump_json(struct tally_session *session);

/* Print the records in human-readable form, with a hex dump. */
int tally_dump_text(struct tally_session *session);

#endif
