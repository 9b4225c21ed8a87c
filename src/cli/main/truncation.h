/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that become shorter while they are mapped. What is behind their new end cannot be read any
 * more: it raises SIGBUS, which ends the program. Here it does not: the rest of the mapping becomes
 * zeros. Whoever mapped the file finds out by tally_file_map_check() or tally_perfdata_check() that
 * what was read is not what was there, and says so.
 */
#ifndef TALLY_CLI_MAIN_TRUNCATION_H
#define TALLY_CLI_MAIN_TRUNCATION_H

/* Survive SIGBUS in files that tally_file_map() mapped, and nowhere else. */
void tally_truncation_survive(void);

/* The last file that became shorter since the previous call; NULL if none did. */
const char *tally_truncation_pop(void);

#endif
