/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording that is being written, at `file->path`. */
#ifndef TALLY_CLI_MAIN_RECORDING_FILE_H
#define TALLY_CLI_MAIN_RECORDING_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_recording_file {
	const char *path;        /* NULL for standard output */
	char *saved;             /* new name of an existing file that was moved away, or NULL */
	int fd;                  /* -1 if not open */
	bool is_pipe;            /* written as a stream, to stdout or a FIFO */
	bool is_device;          /* for example /dev/null; cannot be read back */
	TALLY_VEC(char *) names; /* names of finished files, with --switch-output */
};

/* Return the name for messages. */
static inline const char *tally_recording_file_shown(const struct tally_recording_file *file)
{
	return file->path ? file->path : "standard output";
}

/* Choose where to write: to `output`, a path or "-" for standard output. As in perf, NULL selects
 * standard output if it is a pipe, and otherwise perf.data. Sets `path` and `is_pipe`. */
void tally_recording_file_choose(struct tally_recording_file *file, const char *output);

/* Return 0, or -EINVAL after printing an error if standard output is a terminal. */
int tally_recording_file_check_stdout(void);

/* Open the file, empty and locked. An existing file is kept as FILE.old. Returns 0, or prints an
 * error and returns -errno (-EBUSY if another recorder is writing the file). */
int tally_recording_file_open(struct tally_recording_file *file);

/* Remove the file and restore the previous one. Does nothing if another process has renamed or
 * replaced the file. */
void tally_recording_file_discard(struct tally_recording_file *file);

/* Rename the finished file to a name with a timestamp, and append that name to `file->names`. If
 * there are more than `most` names (0 for no limit), remove the oldest file. Returns 0; -ESTALE if
 * the file is no longer at its path; or -errno, which has been reported. */
int tally_recording_file_stamp(struct tally_recording_file *file, uint64_t most);

/* Return the file's current name, or NULL if out of memory. The caller frees the name. Warns if
 * another process has renamed the file. */
char *tally_recording_file_name(const struct tally_recording_file *file);

/* Close the file if it is open and not a standard stream, and free all names. */
void tally_recording_file_close(struct tally_recording_file *file);

#endif
