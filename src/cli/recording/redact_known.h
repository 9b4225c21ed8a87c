/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of mappings that do not identify a user. */
#ifndef TALLY_CLI_RECORDING_REDACT_KNOWN_H
#define TALLY_CLI_RECORDING_REDACT_KNOWN_H

#include <stdbool.h>

/* True if a path or mapping name is known to be the same for every user: it is below a system
 * directory, or is one of the names that the kernel and recorders give to memory. Unknown names are
 * not assumed to be harmless. */
bool tally_redact_is_known(const char *name);

#endif
