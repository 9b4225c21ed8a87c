/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that the paths in a recording refer to. The table of build IDs identifies a file by its
 * path only. One path may refer to several files, if a file is replaced or in containers. In that
 * case the table describes the first one, and the maps of the others get build IDs of their own, as
 * with --buildid-mmap.
 */
#ifndef TALLY_CLI_RECORD_PATHS_H
#define TALLY_CLI_RECORD_PATHS_H

#include "base/intern.h"
#include "base/vec.h"
#include "symbols/symbols.h"
#include "tally/perfdata.h"

struct record_path {
	const struct tally_dso *first;
	bool has_unknown; /* another of its files has maps without a build ID */
};

/* Zeroed, except for `fd`, the recording. */
struct record_paths {
	int fd;
	struct tally_intern names;
	TALLY_VEC(struct record_path) list; /* by name number */
};

/* Add `dso`, the file of the MMAP or MMAP2 record `map`. If necessary, write a build ID into that
 * record of the recording. Returns 0 or -ENOMEM. */
int record_paths_add(struct record_paths *paths, const struct tally_dso *dso,
		     const struct tally_perfdata_record *map);

/* Return 1 if the table of build IDs may have an entry for `dso`, 0 if not, or -ENOMEM. */
int record_paths_allow(struct record_paths *paths, const struct tally_dso *dso);

/* Free the names and the list. */
void record_paths_free(struct record_paths *paths);

#endif
