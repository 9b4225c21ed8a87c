/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's output: the files, from their headers to the final messages. */
#ifndef TALLY_CLI_RECORD_OUTPUT_H
#define TALLY_CLI_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "cli/main/recording_file.h"
#include "tally/perfdata.h"

struct record;

/* The current output. */
struct record_output {
	struct tally_recording_file file;
	bool may_block; /* a stream that could not be made nonblocking */
	int failed;     /* -errno of the first failed write, or 0 */
	struct tally_perfdata_writer *writer;
	uint64_t opened;      /* ns, CLOCK_MONOTONIC */
	uint64_t bytes_begin; /* size of the records at the beginning of this file */
	uint64_t bytes_total; /* total size of the finished files */
};

/* Choose the output before any event is opened. Returns 0, or prints an error and returns -EINVAL
 * if options conflict. */
int record_output_choose(struct record *record);

/* Return the descriptor for the command's stdout, which must not be mixed into the recording. */
int record_output_of_command(const struct record_output *output);

/* Open the chosen output and write the file header. Returns 0, or closes everything, prints an
 * error and returns -errno. */
int record_output_open(struct record *record);

/* Write features and sizes, and print the result, even after a failed write. `last` is set if no
 * further file follows. Returns 0 or -errno. */
int record_output_finish(struct record *record, bool last);

/* Print why the output could not be written. `code` is the error as -errno. */
void record_output_explain(const struct record *record, int code);

/* Write out all rings, including overwrite rings, then finish this file and open the next one.
 * Returns 0 or -errno. */
int record_output_switch(struct record *record);

/* Remove the output file and restore the previous one, because nothing was recorded. */
void record_output_discard(struct record *record);

/* Close the output and free its names. */
void record_output_free(struct record *record);

#endif
