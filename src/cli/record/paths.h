/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that the paths in a recording refer to. The build ID table identifies a file by its
 * path only. One path may refer to several files if a file is replaced, or in containers. The table
 * then describes the first file, and the other files' MMAP2 records get build IDs of their own, as
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
	bool has_unknown; /* another file at this path has maps without a build ID */
};

/* Must be zeroed except for `fd`, the recording's descriptor. */
struct record_paths {
	int fd;
	struct tally_intern names;
	TALLY_VEC(struct record_path) list; /* indexed by name number */
};

/* Add `dso`, the file of the MMAP or MMAP2 record `map`. If necessary, write a build ID into that
 * record in the recording. Returns 0 or -ENOMEM. */
int record_paths_add(struct record_paths *paths, const struct tally_dso *dso,
		     const struct tally_perfdata_record *map);

/* Return 1 if the build ID table may have an entry for `dso`, 0 if not, or -ENOMEM. */
int record_paths_allow(struct record_paths *paths, const struct tally_dso *dso);

/* Free the names and the list of paths. */
void record_paths_free(struct record_paths *paths);

#endif
