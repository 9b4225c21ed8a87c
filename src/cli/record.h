/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally record share. */
#ifndef TALLY_CLI_RECORD_H
#define TALLY_CLI_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "abi/sample.h"
#include "base/vec.h"
#include "sampler/child.h"
#include "cli/command.h"
#include "sampler/control.h"
#include "sampler/event_source.h"
#include "sampler/synth.h"
#include "client/rings.h"
#include "sampler/target.h"
#include "tally/client.h"
#include "tally/events.h"
#include "tally/perfdata.h"

enum record_chain { RECORD_CHAIN_NONE, RECORD_CHAIN_FP, RECORD_CHAIN_DWARF, RECORD_CHAIN_LBR };

/* Unless told otherwise: samples a second, bytes of each ring, time between writes. */
enum { RECORD_FREQ = 4000, RECORD_RING = 512 << 10, RECORD_FLUSH_MS = 1000 };

/* What synthesized records are wanted: --synth. */
enum { RECORD_SYNTH_TASK = 1, RECORD_SYNTH_MMAP = 2, RECORD_SYNTH_CGROUP = 4 };

/* A filter belongs to the -e before it. */
struct record_filter {
	size_t event_option; /* how many -e stood before */
	const char *text;
};

/* The command line. */
struct record_config {
	struct tally_option_list events;
	struct tally_event_source source;
	TALLY_VEC(struct record_filter) filters;
	uint64_t period;
	const char *freq;
	bool has_period, raw, no_samples, strict_freq;
	enum record_chain chain;
	uint32_t stack_size;
	uint64_t max_stack, branch_type, regs_intr, regs_user;
	bool user_chains, kernel_chains, all_user, all_kernel;
	bool with_addr, with_time, with_period, with_weight, with_cpu, with_identifier;
	bool with_phys, with_data_page, with_code_page, with_transaction, inherit_stat;
	bool switch_events, namespaces, all_cgroups, buildid_mmap, no_bpf;
	bool use_clockid;
	int clockid;
	struct tally_target target;
	bool no_inherit;
	const char *output, *mmap_size, *delay, *control;
	bool overwrite, tail_synth, timestamp_name, no_buildid, no_buildid_cache, buildid_all;
	bool no_buffering, quiet, dry_run, timestamp_boundary;
	int verbose, realtime;
	unsigned synth; /* RECORD_SYNTH_* */
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
	char **argv; /* the whole command line, for the file */
	struct tally_events *events;
	TALLY_VEC(struct tally_event_list *) lists; /* one for each -e */
	TALLY_VEC(struct tally_event_spec) specs;   /* what is opened, in this order */
	TALLY_VEC(const char *) filters;            /* one for each spec; NULL: none */
	size_t tracking;                            /* the event that tells of tasks and maps */
	uint64_t freq;
	size_t ring_pages; /* -m; 0: ours to choose */
	uint64_t started;  /* ns, CLOCK_MONOTONIC */
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_counters *counters;
	struct tally_rings *rings;
	struct tally_sample_layout layout; /* of the tracking event: its trailer */
	struct tally_child child;
	bool is_going;  /* the child was let go */
	int exec_error; /* -errno of a command that could not be run */
	struct record_output output;
	struct tally_control control;
	struct tally_synth synth;
	struct tally_str before;   /* what was synthesized with our privileges */
	bool had_privileges;       /* it is kept: it cannot be had again */
	bool is_prepared_used;     /* it was written */
	int signals;               /* signalfd */
	bool stop, disabled, dump; /* asked to: end, pause, write out what overwrite rings hold */
	unsigned interrupts;       /* SIGINT, SIGTERM, SIGHUP so far: the end was asked for */
	bool is_ending_command;    /* it was sent SIGTERM */
	int64_t delay_ns;          /* until enabling; -1: never, 0: at once */
	uint64_t drained;          /* ns, CLOCK_MONOTONIC: when rings were written out last */
	uint64_t wakeups, lost;
};

/* record_events.c: the events to open. */
int record_events_parse(struct record *record);

/* record_attr.c: make attrs of the specs. */
int record_attrs(struct record *record);

/* The registers that --call-graph dwarf takes, and all there are for -I. */
uint64_t record_regs_all(void);
/* A list of register names to a mask. False if one is unknown; "?" lists them. */
bool record_regs_parse(const char *names, uint64_t *ret_mask);

/* record_open.c: targets, counters, rings. */
int record_targets(struct record *record);
int record_open(struct record *record);
/* Everything that was parsed, opened, mapped and synthesized, however far that came. */
void record_close(struct record *record);
/* The name of an event as it was opened, into an empty builder. */
void record_event_name(const struct record *record, size_t event, struct tally_str *out);
/* All events on stderr, a line each; `verbose` with their attrs. */
void record_say_events(const struct record *record, bool verbose);

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
/* Gather it for the first file, as far as that takes privileges and reads no user's files. What is
 * hidden from us is told. */
int record_synth_prepare(struct record *record);

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

uint64_t record_now(void);

#endif
