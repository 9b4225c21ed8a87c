/* SPDX-License-Identifier: BSD-2-Clause */
/* What is recorded, from the header of a file to what is told about it. */
#ifndef TALLY_CLI_RECORD_OUTPUT_H
#define TALLY_CLI_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "tally/perfdata.h"

struct record;

/* Where records go. */
struct record_output {
	const char *path; /* NULL: standard output */
	char *saved;      /* where a file that was in the way went; NULL: there was none */
	int fd;           /* -1: none */
	bool is_pipe;     /* written as a stream: standard output or a FIFO */
	bool is_device;   /* /dev/null: nothing is read back from it */
	bool may_block;   /* a stream whose descriptor could not be made not to */
	int failed;       /* -errno of the first write that failed; 0 */
	struct tally_perfdata_writer *writer;
	uint64_t opened;         /* ns, CLOCK_MONOTONIC */
	uint64_t bytes_total;    /* of files that were finished before */
	TALLY_VEC(char *) names; /* of finished files, with --switch-output */
};

/* Where it goes to, before anything is opened: 0, or -EINVAL for what does not go together, which
 * was told. */
int record_output_choose(struct record *record);

/* Where the command's standard output goes: not into the recording. */
int record_output_of_command(const struct record_output *output);

/* Open the output that was chosen and write its header. 0 or -errno, which was told; nothing is
 * left open then. */
int record_output_open(struct record *record);

/* Features and sizes, and what is said about it, also after a write that failed. `last`: no other
 * file follows. */
int record_output_finish(struct record *record, bool last);

/* Say why it could not be written. */
void record_output_explain(const struct record *record, int code);

/* Write out what the rings hold, overwrite rings too, finish this file and begin the next one. 0 or
 * -errno. */
int record_output_switch(struct record *record);

/* Nothing was recorded: put things back as they were. */
void record_output_discard(struct record *record);

void record_output_free(struct record *record);

#endif
