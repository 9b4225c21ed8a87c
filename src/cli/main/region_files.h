/* SPDX-License-Identifier: BSD-2-Clause */
/* Collect the regions that a command and its children count with tally/region.h: pass them a
 * directory in TALLY_REGIONS, and read the files that they write. */
#ifndef TALLY_CLI_MAIN_REGION_FILES_H
#define TALLY_CLI_MAIN_REGION_FILES_H

#include "cli/main/region_table.h"

/* All zero if there is no directory. */
struct region_files {
	struct tally_str dir;
	int fd; /* the directory, even if the command puts another one in its place */
	struct region_tables tables; /* what was read */
};

/* Make the directory, and set TALLY_REGIONS for commands that are started from now on. Returns 0 or
 * -errno, after printing an error. */
int region_files_begin(struct region_files *files);

/* Read all files that were written so far, and append them to `documents` (may be NULL) as a JSON
 * array. Files that cannot be read or that are not documents of regions are reported and left out.
 * If there are none, this is reported. Returns 0 or -ENOMEM. */
int region_files_read(struct region_files *files, struct tally_str *documents);

/* Remove the directory with its files, and free the tables. */
void region_files_end(struct region_files *files);

#endif
