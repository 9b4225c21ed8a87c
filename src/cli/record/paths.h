/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which files the paths of a recording led to. Its table of build ids knows a file by its path: of
 * a path that led to several, as one was replaced, or in containers, it speaks of the first one,
 * and the maps of the others get build ids of their own, as with --buildid-mmap.
 */
#ifndef TALLY_CLI_RECORD_PATHS_H
#define TALLY_CLI_RECORD_PATHS_H

#include "base/intern.h"
#include "base/vec.h"
#include "symbols/symbols.h"
#include "tally/perfdata.h"

struct record_path {
	const struct tally_dso *first;
	bool has_unknown; /* some other file whose maps could not be given a build id */
};

/* All zero, but for `fd`, the recording. */
struct record_paths {
	int fd;
	struct tally_intern names;
	TALLY_VEC(struct record_path) list; /* by number of a name */
};

/* `dso` is the file of the MMAP or MMAP2 record `map`. The record in the recording is given a build
 * id, if it needs one. 0 or -ENOMEM. */
int record_paths_add(struct record_paths *paths, const struct tally_dso *dso,
		     const struct tally_perfdata_record *map);

/* Whether the table of build ids may speak of `dso`. 1, 0, or -ENOMEM. */
int record_paths_allow(struct record_paths *paths, const struct tally_dso *dso);

void record_paths_free(struct record_paths *paths);

#endif
