/* SPDX-License-Identifier: BSD-2-Clause */
/* The output file at `output->path`. */
#ifndef TALLY_CLI_RECORD_FILE_H
#define TALLY_CLI_RECORD_FILE_H

#include "cli/record/record.h"

/* Open the file, empty and locked, and keep an existing file as FILE.old. Returns 0, or -errno
 * after an error message: -EBUSY if another recorder is writing the file. */
int record_file_open(struct record_output *output);

/* Remove the file and restore the previous one. Does nothing if the file has been renamed or
 * replaced by someone else. */
void record_file_discard(struct record_output *output);

/* Rename the finished file to a name with a timestamp, appended to `output->names`. If there are
 * more than `most` names (0: no limit), the oldest file is removed. Returns 0; -ESTALE if the file
 * is no longer at its path; or -errno, which has been reported. */
int record_file_stamp(struct record_output *output, uint64_t most);

/* Return the current name of the file, or NULL if out of memory. The caller frees it. Warns if
 * someone else has renamed the file. */
char *record_file_name(const struct record_output *output);

#endif
