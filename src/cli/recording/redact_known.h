/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of mappings that tell nothing of a user. */
#ifndef TALLY_CLI_RECORDING_REDACT_KNOWN_H
#define TALLY_CLI_RECORDING_REDACT_KNOWN_H

#include <stdbool.h>

/* Whether a path or the name of a mapping is known to be the same for everybody: it lies below a
 * directory of the system, or is one of the names that the kernel and recorders give to memory.
 * What is not known is not harmless. */
bool tally_redact_is_known(const char *name);

#endif
