/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are truncated while they are mapped. Reading past the new end raises SIGBUS, which
 * normally kills the program. The handler installed here replaces the rest of the mapping with
 * zeros instead. The code that mapped the file then uses tally_file_map_check() or
 * tally_perfdata_check() to detect and report that the data it read did not come from the file.
 */
#ifndef TALLY_CLI_MAIN_TRUNCATION_H
#define TALLY_CLI_MAIN_TRUNCATION_H

/* Make tally survive SIGBUS in files mapped by tally_file_map(), but nowhere else. */
void tally_truncation_survive(void);

/* Return the path of the last file found truncated since the previous call, or NULL if there was
 * none. */
const char *tally_truncation_pop(void);

#endif
