/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording that is made and read by one command, in the user's file or a temporary file. */
#ifndef TALLY_CLI_MAIN_TEMPORARY_RECORDING_H
#define TALLY_CLI_MAIN_TEMPORARY_RECORDING_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/str.h"

struct temporary_recording {
	struct tally_str path;
	struct tally_str open; /* path that the report opens */
	bool is_temporary;
	int fd;             /* descriptor of the unlinked temporary file, or -1 */
	struct stat before; /* state of the file before recording; size 0 if there was none */
};

/* Choose the file to record to: `output`, or if it is NULL, a new private file in $TMPDIR or /tmp.
 * Returns 0, or prints an error and returns -errno. */
int temporary_recording_begin(struct temporary_recording *recording, const char *output);

/* Finish the recording. A temporary file is unlinked here, so that it is removed no matter how the
 * process ends. Returns 0; -ENOENT if nothing was recorded and any previous file is unchanged; or
 * -errno, which has been reported. */
int temporary_recording_end(struct temporary_recording *recording);

/* Close and remove the temporary file, if there is one. */
void temporary_recording_free(struct temporary_recording *recording);

#endif
