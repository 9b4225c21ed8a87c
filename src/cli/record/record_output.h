/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of a recording: its files from the header to the messages at the end. */
#ifndef TALLY_CLI_RECORD_OUTPUT_H
#define TALLY_CLI_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "tally/perfdata.h"

struct record;

/* The current output. */
struct record_output {
	const char *path; /* NULL: standard output */
	char *saved;      /* new name of an existing file that was in the way; NULL: none */
	int fd;           /* -1: none */
	bool is_pipe;     /* written as a stream, to stdout or a FIFO */
	bool is_device;   /* for example /dev/null: nothing can be read back */
	bool may_block;   /* a stream that could not be made nonblocking */
	int failed;       /* -errno of the first failed write, or 0 */
	struct tally_perfdata_writer *writer;
	uint64_t opened;         /* ns, CLOCK_MONOTONIC */
	uint64_t bytes_total;    /* of files already finished */
	TALLY_VEC(char *) names; /* of finished files, with --switch-output */
};

/* Choose the output before any event is opened. Returns 0, or -EINVAL after an error message if
 * options contradict each other. */
int record_output_choose(struct record *record);

/* Return the descriptor for the command's stdout, which must not be mixed into the recording. */
int record_output_of_command(const struct record_output *output);

/* Open the chosen output and write the file header. Returns 0, or -errno after an error message;
 * then nothing is left open. */
int record_output_open(struct record *record);

/* Write features and sizes, and print the result, also after a failed write. `last`: no other file
 * follows. Returns 0 or -errno. */
int record_output_finish(struct record *record, bool last);

/* Print why the output could not be written; `code` is -errno. */
void record_output_explain(const struct record *record, int code);

/* Write out the rings, including overwrite rings, finish this file and open the next one. Returns 0
 * or -errno. */
int record_output_switch(struct record *record);

/* Nothing was recorded: remove the output file and restore the previous one. */
void record_output_discard(struct record *record);

/* Close the output and free its names. */
void record_output_free(struct record *record);

#endif
