/* SPDX-License-Identifier: BSD-2-Clause */
/* The output file at `output->path`. */
#ifndef TALLY_CLI_RECORD_FILE_H
#define TALLY_CLI_RECORD_FILE_H

#include "cli/record/record.h"

/* Open the file, empty and locked. An existing file is kept as FILE.old. Returns 0, or prints an
 * error and returns -errno (-EBUSY if another recorder is writing the file). */
int record_file_open(struct record_output *output);

/* Remove the file and restore the previous one. Does nothing if another process has renamed or
 * replaced the file. */
void record_file_discard(struct record_output *output);

/* Rename the finished file to a name with a timestamp, and append that name to `output->names`. If
 * there are more than `most` names (0 for no limit), remove the oldest file. Returns 0; -ESTALE if
 * the file is no longer at its path; or -errno, which has been reported. */
int record_file_stamp(struct record_output *output, uint64_t most);

/* Return the file's current name, or NULL if out of memory. The caller frees the name. Warns if
 * another process has renamed the file. */
char *record_file_name(const struct record_output *output);

#endif
