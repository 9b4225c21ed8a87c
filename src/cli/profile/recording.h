/* SPDX-License-Identifier: BSD-2-Clause */
/* Where tally profile records to: the user's file, or one that goes with us. */
#ifndef TALLY_CLI_PROFILE_RECORDING_H
#define TALLY_CLI_PROFILE_RECORDING_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/str.h"

struct profile_recording {
	struct tally_str path; /* of the file */
	struct tally_str open; /* the path by which the report opens it */
	bool is_temporary;
	int fd;             /* of one without a name; -1: none */
	struct stat before; /* what was at the user's path; no size: nothing */
};

/* `output` is the user's file; NULL: a new one in $TMPDIR, or /tmp, for us alone. 0, or an error
 * that was told. */
int profile_recording_begin(struct profile_recording *recording, const char *output);

/* Nothing more will be written: a temporary file loses its name, and is gone when we are, however
 * we end. 0; -ENOENT: nothing was recorded, and what was there before still is; -errno, which was
 * told. */
int profile_recording_end(struct profile_recording *recording);

void profile_recording_free(struct profile_recording *recording);

#endif
