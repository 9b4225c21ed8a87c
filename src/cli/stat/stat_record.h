/* SPDX-License-Identifier: BSD-2-Clause */
/* tally stat record: write the counts to a recording, for 'stat report' and 'perf stat report'. */
#ifndef TALLY_CLI_STAT_RECORD_H
#define TALLY_CLI_STAT_RECORD_H

#include "cli/stat/stat.h"

struct stat_recorder;

/* Open the file or the pipe that -o selects; see tally_recording_file_choose(). An existing
 * recording is kept as FILE.old. `argv` is the command line to store. Returns 0, or -errno after
 * printing an error. */
int stat_record_open(const char *output, int argc, char **argv,
		     struct stat_recorder **ret_recorder);

/* Return the descriptor for the command's stdout: stderr if our stdout receives the recording.
 * `recorder` may be NULL. */
int stat_record_output_of_command(const struct stat_recorder *recorder);

/* Write what precedes the counts, and set session->on_count, which adds counts to the round. Call
 * this once, after opening the counters. Returns 0, or -errno after printing an error. */
int stat_record_start(struct stat_session *session);

/* Write the current round, which ended at `time` ns since the start. Returns 0, or -errno after
 * printing an error. */
int stat_record_round(struct stat_session *session, bool is_last, uint64_t time);

/* Finish the file, or remove it if it has no counts, and free the recorder, which may be NULL.
 * Returns 0, or -errno after printing an error. */
int stat_record_close(struct stat_recorder *recorder);

#endif
