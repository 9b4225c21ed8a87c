/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording being read: the file, the machine it was made on, and what to do with each
 * sample. Shared by the commands that show samples.
 */
#ifndef TALLY_CLI_RECORDING_SESSION_H
#define TALLY_CLI_RECORDING_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/map.h"
#include "base/ranges.h"
#include "base/str.h"
#include "cli/recording/traces.h"
#include "profile/feed.h"
#include "profile/machine.h"
#include "profile/query.h"
#include "profile/time_range.h"
#include "profile/unwind.h"
#include "symbols/symbols.h"
#include "tally/perfdata.h"

/* Which samples are looked at. All zero: all of them. */
struct tally_session_filter {
	const char *cpus;        /* "0-3,5" */
	const char *time;        /* "start,end" in seconds, either may be empty; or "10%-20%" */
	const char *pids, *tids; /* lists of numbers */
	const char *comms;       /* list of names */
	/* Words (profile/query.h), of which those with times choose among the samples that are
	 * handed out; the others are the caller's job. */
	const char *query;
};

struct tally_stored_renames;

struct tally_session_options {
	const char *input; /* NULL: perf.data, or stdin if that is a pipe */
	struct tally_symbols_options symbols;
	struct tally_session_filter filter;
	bool no_index;  /* neither read nor write indexes of symbols */
	bool no_stored; /* take no notice of names that came with the recording */
	/* Servers to fetch debug information from, separated by spaces; "": those of the
	 * environment; NULL: none. */
	const char *debuginfod;
	int fd;              /* borrowed: what is open at `input`, or in its place; 0: nothing */
	bool goes_elsewhere; /* the result goes to a file, not to stdout */
	bool is_own;         /* we recorded it just now: nothing that is odd about it is said */
};

/* What was met on the way that a reader of the result must know, besides the feed's counts. */
struct tally_session_health {
	uint64_t out_of_order;
	uint64_t long_samples; /* with room for more than their fields behind them */
	uint64_t unjudged;     /* samples without what a filter looks at: left out */
	uint64_t branches;     /* samples with a stack of branches other than calls */
};

/* What was lost, each once. */
struct tally_session_lost {
	uint64_t records; /* of any kind: samples, or who started, ended, was named, mapped what */
	uint64_t samples; /* besides them */
};

struct tally_session_sample {
	const struct tally_perfdata_record *record;
	const struct tally_perfdata_event *event;
	struct tally_sample sample;
	uint64_t period; /* sample's, else the attr's, else 1 */
	uint8_t cpumode;
	struct tally_thread *thread;
};

struct tally_session {
	struct tally_perfdata *data;
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_feed feed; /* into the machine */
	struct tally_session_options options;
	struct tally_session_health health;
	struct tally_traces traces; /* that it holds */
	const char *path;
	struct tally_str fetched; /* the directory of what was fetched */
	struct tally_time_range time;
	struct tally_ranges cpus, pids, tids; /* empty: all */
	struct tally_map counts;              /* by id: what a counter read in its last sample */
	bool has_comms;
	/* PERF_SAMPLE_* that the filter looks at, and those of them that samples were without. */
	uint64_t filter_needs, filter_missed;
	TALLY_VEC(uint64_t) chain;      /* see session_chain.h */
	struct tally_unwinder unwinder; /* the same; once has_unwinder */
	uint8_t ip_register;
	bool has_unwinder;
	bool is_again; /* this is a second reading: nothing is printed or counted again */
	bool is_cut;   /* the file became shorter while it was read, which was said */
	struct tally_error
		ended; /* why reading ended early, which was said; all zero: it did not */
	struct tally_intern comms;
	struct tally_query *query; /* NULL: none */
};

/* Told of every record, in time order, after the machine has taken it in; `sample` is NULL for
 * other records than samples and for samples that were filtered out, or wait for their callers
 * (profile/deferred.h): of those it is told again, when the waiting ends. Non-zero ends the
 * reading with that result. */
typedef int tally_session_fn(void *arg, struct tally_session *session,
			     const struct tally_perfdata_record *record,
			     const struct tally_session_sample *sample);

/* Open the recording; says what is wrong and returns -errno if it cannot be read. */
int tally_session_open(const struct tally_session_options *options, struct tally_session *session);

/* Read it to its end; without `fn` only for what the file says of itself. 0, what `fn` returned, or
 * -errno after having said why. What is odd about the file (cut short, unfinished) is said as a
 * warning. With `fn`, and samples of which none can be read: -EINVAL. */
int tally_session_run(struct tally_session *session, tally_session_fn *fn, void *arg);

/* Read it once more, from its start to where it ended the first time: `fn` is told the same again,
 * but for samples that are not wanted (tally_perfdata_want()). -ESPIPE of streams; else as
 * tally_session_run(). */
int tally_session_again(struct tally_session *session, const uint64_t *wanted, uint64_t nr,
			tally_session_fn *fn, void *arg);

/* What the file says was lost. Where events count what they lost (PERF_FORMAT_LOST) the recorder
 * tells their sums as LOST_SAMPLES, whatever the records were, and LOST tells of the same ones, as
 * far as others came after them. */
struct tally_session_lost tally_session_lost(const struct tally_session *session);

/* Warn of what was odd about the file so far. tally_session_run() does so at its end; commands that
 * do not run it call this when they have read what they need. */
void tally_session_warn(const struct tally_session *session);

void tally_session_close(struct tally_session *session);

/* Read it to its end, look up all addresses that it holds, and append the section of stored names
 * (symbols/stored.h) to `out`. The session is opened with symbols.bounds. `renames`, which
 * may be NULL, is for tally_stored_writer_rename(). 0, -ENOMEM, or an error that was said. */
int tally_session_store(struct tally_session *session, const struct tally_stored_renames *renames,
			struct tally_str *out);

/* Say that names were left out because the files they are in are not known to be those that were
 * recorded; for commands that have no line of health. */
void tally_session_warn_foreign(const struct tally_session *session);

/* What a recording is called: the path, but for that of tally profile, which has no name. */
const char *tally_session_name(const char *path);

/* Whether samples of any event have a field of PERF_SAMPLE_*. */
bool tally_session_has(const struct tally_session *session, uint64_t field);

/* A descriptor of the kernel's symbols for one session of several, which closes it; `fd` is that
 * of tally_privileges_kallsyms(), or 0. */
int tally_session_share_kallsyms(int fd);

/* Whether the files that the user named for the kernel's symbols can be read; says why not. 0 or
 * -errno. */
int tally_session_check_files(const struct tally_symbols_options *options);

#endif
