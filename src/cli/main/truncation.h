/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that become shorter while they are mapped. Reading past the new end raises SIGBUS, which
 * normally kills the program. The handler here replaces the rest of the mapping with zeros instead.
 * The code that mapped the file then uses tally_file_map_check() or tally_perfdata_check() to
 * detect that the data it read was not the file's, and reports it.
 */
#ifndef TALLY_CLI_MAIN_TRUNCATION_H
#define TALLY_CLI_MAIN_TRUNCATION_H

/* Survive SIGBUS in files mapped by tally_file_map(), but nowhere else. */
void tally_truncation_survive(void);

/* Return the last file that became shorter since the previous call; NULL if none did. */
const char *tally_truncation_pop(void);

#endif
