/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording of tally profile: the user's file or a temporary one. */
#ifndef TALLY_CLI_PROFILE_RECORDING_H
#define TALLY_CLI_PROFILE_RECORDING_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/str.h"

struct profile_recording {
	struct tally_str path;
	struct tally_str open; /* the path by which the report opens it */
	bool is_temporary;
	int fd;             /* of the unlinked temporary file; -1: none */
	struct stat before; /* file at `path` before recording; size 0: none */
};

/* Choose the file to record to: `output`, or, if it is NULL, a new private file in $TMPDIR or /tmp.
 * Returns 0, or -errno after an error message. */
int profile_recording_begin(struct profile_recording *recording, const char *output);

/* Call this when the recording is complete. A temporary file is unlinked here, so that it is
 * removed however the process ends. Returns 0; -ENOENT if nothing was recorded and any previous
 * file is unchanged; or -errno, which has been reported. */
int profile_recording_end(struct profile_recording *recording);

/* Close and remove the temporary file, if there is one. */
void profile_recording_free(struct profile_recording *recording);

#endif
