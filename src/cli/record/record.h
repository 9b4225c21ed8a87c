/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally record share. */
#ifndef TALLY_CLI_RECORD_RECORD_H
#define TALLY_CLI_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/vec.h"
#include "sampler/child.h"
#include "cli/main/command.h"
#include "sampler/control.h"
#include "sampler/sampler.h"
#include "tally/client.h"
#include "tally/events.h"
#include "tally/perfdata.h"

/* Unless told otherwise: time between writes. */
enum { RECORD_FLUSH_MS = 1000 };

/* A filter belongs to the -e before it. */
struct record_filter {
	size_t event_option; /* how many -e stood before */
	const char *text;
};

/* The command line. */
struct record_config {
	struct tally_sampling sampling;
	struct tally_option_list events;
	TALLY_VEC(struct record_filter) filters;
	const char *output, *mmap_size, *delay, *control;
	bool timestamp_name, no_buildid, no_buildid_cache, buildid_all;
	bool dry_run, timestamp_boundary;
	int verbose, realtime;
	int compress_level;
	uint64_t max_size;
	bool switch_signal;
	uint64_t switch_bytes, switch_ns, switch_files;
	uint64_t flush_ms; /* rings are written out at least so often; 0: when they are half full */
};

/* ---- record_options.c: options that take more than a number --------------- */

extern const struct tally_option record_options[];

int record_option_filter(void *config, const char *arg);
int record_option_chain(void *config, const char *arg);
int record_option_branch(void *config, const char *arg);
int record_option_any_branch(void *config, const char *arg);
int record_option_clock(void *config, const char *arg);
int record_option_regs_intr(void *config, const char *arg);
int record_option_regs_user(void *config, const char *arg);
int record_option_compress(void *config, const char *arg);
int record_option_max_size(void *config, const char *arg);
int record_option_switch(void *config, const char *arg);
int record_option_synth(void *config, const char *arg);

/* ---- the parts of a recording --------------------------------------------- */

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

struct record {
	const struct record_config *config;
	int argc;
	char **argv;    /* the whole command line, for the file */
	char **command; /* within it; NULL: none */
	struct tally_sampler sampler;
	uint64_t started; /* ns, CLOCK_MONOTONIC */
	struct tally_child child;
	bool is_going;  /* the child was let go */
	int exec_error; /* -errno of a command that could not be run */
	struct record_output output;
	struct tally_control control;
	int signals;               /* signalfd */
	bool stop, disabled, dump; /* asked to: end, pause, write out what overwrite rings hold */
	unsigned interrupts;       /* SIGINT, SIGTERM, SIGHUP so far: the end was asked for */
	bool is_ending_command;    /* it was sent SIGTERM */
	int64_t delay_ns;          /* until enabling; -1: never, 0: at once */
	uint64_t drained;          /* ns, CLOCK_MONOTONIC: when rings were written out last */
	uint64_t wakeups, lost;
};

/* record_output.c: what is recorded, from the header of a file to what is said about it. */

/* Where it goes to, before anything is opened: 0, or -EINVAL for what does not go together, which
 * was told. */
int record_output_choose(struct record *record);
/* Where the command's standard output goes: not into the recording. */
int record_output_of_command(const struct record_output *output);
/* Errors were told. */
int record_output_open(struct record *record);
/* Features and sizes, and what is said about it, also after a write that failed. `last`: no other
 * file follows. */
int record_output_finish(struct record *record, bool last);
/* Say why it could not be written. */
void record_output_explain(const struct record *record, int code);
/* Finish this file and begin the next one. */
int record_output_switch(struct record *record);
/* Nothing was recorded: put things back as they were. */
void record_output_discard(struct record *record);
void record_output_free(struct record *record);

/* record_file.c: the file at `output->path`. */

/* Open it, empty and locked, and keep what was there as FILE.old. 0 or -errno, which was told:
 * -EBUSY while another recorder writes it. */
int record_file_open(struct record_output *output);
/* Remove it, and put back what was there. Nothing if it is no longer at its path. */
void record_file_discard(struct record_output *output);
/* Give the finished file its own name, the last of `output->names`; of more than `most` (0: any
 * number) the oldest goes. 0; -ESTALE if it is no longer at its path; -errno, which was told. */
int record_file_stamp(struct record_output *output, uint64_t most);
/* What it is called now; the caller frees it. NULL when out of memory. That somebody else renamed
 * it is told. */
char *record_file_name(const struct record_output *output);

/* record_stream.c: pipes, and all writing. */

/* Take standard output. 0 or -errno; told if it is a terminal. */
int record_stream_open_stdout(struct record_output *output);
/* Open the FIFO at `output->path` once it has a reader. 0 or -errno, which was told: -EINTR if the
 * end was asked for first. */
int record_stream_open_fifo(struct record *record);
/* For the writer, `record` as data: writev(2) that sees signals while a reader is slow. How many
 * bytes were taken, or -errno, which is kept in `output.failed`: -ETIMEDOUT if the end was asked
 * for, and the reader takes nothing. */
int64_t record_writev(void *record, const struct iovec *iov, int nr);

/* record_synth.c: what existed before, at the beginning or (tail) the end of a file. */
int record_synthesize(struct record *record, bool tail);

/* record_loop.c */
int record_run(struct record *record);
/* Write out what the rings hold; of overwrite rings only with `overwrite`. */
int record_drain(struct record *record, bool overwrite);
/* Take the signals that came. */
void record_signals_read(struct record *record);

/* record_control.c */
int record_control_open(struct record *record);
int record_control_read(struct record *record);

/* record_hits.c: one pass over a written file: samples counted, build ids of the files that they
 * fell in handed to the writer. */
struct record_hits {
	uint64_t samples;
	uint64_t first_ns, last_ns; /* of samples with a time */
};
int record_hits(struct record *record, struct record_hits *ret_hits);

/* record_tracing.c: the tracing data of the tracepoints recorded. */
int record_tracing(struct record *record);

#endif
