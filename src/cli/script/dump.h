/* SPDX-License-Identifier: BSD-2-Clause */
/* Every record of a recording, in file order, with all its fields. */
#ifndef TALLY_CLI_SCRIPT_DUMP_H
#define TALLY_CLI_SCRIPT_DUMP_H

#include "cli/recording/session.h"

/* One JSON object a line on stdout: offset, type (number), name, misc, size, then the fields,
 * under quipper's names where it has one. 0 or -errno, said. */
int tally_dump_json(struct tally_session *session);

/* The same for people. */
int tally_dump_text(struct tally_session *session);

#endif
