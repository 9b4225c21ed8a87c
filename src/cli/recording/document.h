/* SPDX-License-Identifier: BSD-2-Clause */
/* A document made of a recording, as a file of its own. */
#ifndef TALLY_CLI_RECORDING_DOCUMENT_H
#define TALLY_CLI_RECORDING_DOCUMENT_H

#include "base/str.h"

/* Write it to a file, which has the mode that the user's new files have, or with "-" to stdout.
 * Whatever goes wrong, what was at `path` stays, and nothing else is left. `text` is empty
 * afterwards. 0 or -errno, told; -EINTR if a signal came, which then does what it does. */
int tally_document_write(const char *path, struct tally_str *text);

#endif
