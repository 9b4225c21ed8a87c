/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapping names that do not identify a user. */
#ifndef TALLY_ARCHIVE_REDACT_KNOWN_H
#define TALLY_ARCHIVE_REDACT_KNOWN_H

#include <stdbool.h>

/* Return true if a path or mapping name is known to be the same for every user: either it is below
 * a system directory, or it is a name that the kernel or a recorder uses for a memory region.
 * Unknown names are not assumed to be harmless. */
bool tally_redact_is_known(const char *name);

#endif
