/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the build IDs of the files that a recording maps. */
#ifndef TALLY_CLI_INJECT_BUILD_IDS_H
#define TALLY_CLI_INJECT_BUILD_IDS_H

#include "base/intern.h"
#include "cli/inject/inject_copy.h"

/* An all-zero structure has no names. */
struct inject_build_ids {
	struct tally_intern names; /* files that were looked up */
	uint32_t nr_seen;          /* number of names */
	uint64_t added, changed;   /* build IDs, and files that changed since the recording */
	bool is_elsewhere;         /* recorded on another machine or kernel */
};

/* Prepare for a recording: files in its table of build IDs are not looked up. Returns 0 or
 * -ENOMEM. */
int inject_build_ids_start(struct inject_build_ids *ids, struct tally_perfdata *data);

/* For the first mapping of each file, add the file's build ID to the copy. `arg` is a struct
 * inject_build_ids; suitable for inject_copy.before. */
int inject_build_ids_record(void *arg, struct inject_copy *copy,
			    const struct tally_perfdata_record *record);

void inject_build_ids_free(struct inject_build_ids *ids);

#endif
