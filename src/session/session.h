/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read a recording. A session consists of the file, a model of the recorded machine, and a callback
 * for each sample. All commands that show samples use sessions.
 */
#ifndef TALLY_SESSION_SESSION_H
#define TALLY_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/map.h"
#include "base/messages.h"
#include "base/ranges.h"
#include "base/str.h"
#include "session/event_switch.h"
#include "session/traces.h"
#include "profile/process/feed.h"
#include "profile/process/group_reads.h"
#include "profile/process/machine.h"
#include "profile/query.h"
#include "profile/time_range.h"
#include "profile/process/user_chain.h"
#include "symbols/symbols.h"
#include "tally/perfdata.h"

/* Sample filter. An all-zero struct passes all samples. */
struct tally_session_filter {
	const char *cpus;        /* "0-3,5" */
	const char *time;        /* see tally_time_ranges_parse() */
	const char *sockets;     /* "0,1": samples on CPUs of these sockets */
	const char *pids, *tids; /* lists of IDs */
	const char *comms;       /* list of names */
	struct tally_event_switch switches;
	/* Query (profile/query.h). The session applies only the query's time terms; the caller
	 * applies the other terms. */
	const char *query;
};

struct tally_session_options {
	const char *input; /* path, or "-" for standard input */
	struct tally_symbols_options symbols;
	struct tally_session_filter filter;
	const struct tally_messages *messages; /* NULL for no messages */
	const struct tally_progress *progress; /* NULL for no progress */
	/* Number of threads that may be used; 0: one for a small recording or on a single CPU,
	 * otherwise as many as are useful. */
	uint64_t jobs;
	bool no_stored; /* ignore the symbols embedded in the recording */
	/* Space-separated list of servers to fetch debug information from; "" to use the servers
	 * from the environment; NULL to fetch nothing. */
	const char *debuginfod;
	int fd; /* borrowed descriptor to read instead of `input`, or 0 */
	/* `input` contains rows that another program wrote (import/import.h). Data sets and Parquet
	 * files are recognized without this. */
	bool imports;
	bool is_own; /* recorded by this process: do not warn about the file */
};

/* Problems that users must know about, in addition to the feed's counts. */
struct tally_session_health {
	uint64_t out_of_order;
	uint64_t long_samples; /* samples with extra data after their fields */
	uint64_t unjudged;     /* samples skipped because they lack a field needed by the filter */
	uint64_t branches;     /* samples with a branch stack that is not a call stack */
};

/* Lost records, each counted only once. */
struct tally_session_lost {
	uint64_t records; /* records of any type: samples, forks, exits, comms, mappings */
	uint64_t samples; /* additional lost samples */
};

struct tally_session;

/* Callback for every record, called in chronological order after the machine has processed the
 * record. `sample` is NULL for records of other types, for samples that were filtered out, and for
 * samples that are waiting for a deferred callchain (profile/process/deferred.h). A waiting sample
 * is passed again when the wait ends. sample->number is the record's number, and sample->event is
 * an index for tally_perfdata_event(). The callback may change the sample. A nonzero return value
 * ends reading and is returned to the caller. */
typedef int tally_session_fn(void *arg, struct tally_session *session,
			     const struct tally_perfdata_record *record,
			     struct tally_feed_sample *sample);

struct tally_session {
	struct tally_perfdata *data;
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_feed feed; /* feeds `machine` */
	/* While the recording is being read: the record that is fed, whether its sample was passed
	 * on, and the callback. */
	const struct tally_perfdata_record *current;
	bool was_passed;
	tally_session_fn *fn;
	void *arg;
	struct tally_session_options options;
	struct tally_session_health health;
	struct tally_traces traces; /* hardware traces found in the file */
	uint64_t written;           /* when the file was changed last, in ns since 1970, or 0 */
	const char *path, *name;    /* `name` is for messages */
	struct tally_str fetched;   /* directory of fetched debug files */
	struct tally_time_ranges time;
	struct tally_ranges cpus, pids, tids, sockets; /* empty if there is no filter */
	struct tally_group_reads reads;
	bool has_comms;
	bool is_switched_off; /* see tally_event_switch_passes() */
	/* PERF_SAMPLE_* fields that the filter needs, and the subset missing from some samples. */
	uint64_t filter_needs, filter_missed;
	struct tally_user_chains chains; /* initialized at the first stack dump, see has_chains */
	bool has_chains;
	int imported;             /* file in memory with the imported recording, or 0 */
	bool has_origin;          /* for a stream: the origin was found at the first sample */
	bool is_split;            /* a thread is set aside by tally_session_split() */
	bool is_again;            /* second pass: do not repeat warnings or counts */
	bool is_cut;              /* the file was truncated while being read; already reported */
	struct tally_error ended; /* why reading ended early (already reported), or all zero */
	struct tally_intern comms;
	struct tally_query *query; /* or NULL */
};

/* Open the recording. Returns 0, or -errno after emitting an error message. */
int tally_session_open(const struct tally_session_options *options, struct tally_session *session);

/* Read the recording to its end. `fn` may be NULL to read only the metadata. Warns about a
 * truncated or unfinished file. Returns 0, the value returned by `fn`, or -errno after emitting an
 * error message. Returns -EINVAL if `fn` is set and there are samples but none can be decoded. */
int tally_session_run(struct tally_session *session, tally_session_fn *fn, void *arg);

/* Read the recording again, up to the point where the first pass ended. Calls `fn` as in the first
 * pass, but skips unwanted samples (tally_perfdata_select()). Returns -ESPIPE for streams,
 * otherwise the same as tally_session_run(). */
int tally_session_rerun(struct tally_session *session, const uint64_t *wanted, uint64_t nr,
			tally_session_fn *fn, void *arg);

/* Return true if events count their losses (PERF_FORMAT_LOST). The recorder then writes their total
 * as LOST_SAMPLES records at the end, regardless of the lost records' types. LOST records report
 * the same losses a second time if the ring received further records. */
bool tally_session_sums_losses(const struct tally_session *session);

/* Return the losses recorded in the file, each counted only once. */
struct tally_session_lost tally_session_lost(const struct tally_session *session);

/* Emit warnings about the problems found in the file so far. tally_session_run() does this before
 * it returns. Commands that do not call tally_session_run() call this function after reading the
 * data they need. */
void tally_session_warn(const struct tally_session *session);

/* Emit only the warnings about damage to the file, which begin with its name. For commands that
 * read a recording without a session. `messages` may be NULL. */
void tally_notes_warn(const struct tally_perfdata *data, const char *name,
		      const struct tally_messages *messages);

void tally_session_close(struct tally_session *session);

/* Warn that symbols are missing because the files on this machine may differ from the recorded
 * ones. Used by commands that do not print a health summary. */
void tally_session_warn_foreign(const struct tally_session *session);

/* Warn that inlined functions are missing because reading the debug information failed or exceeded
 * a limit. Used by commands that do not print a health summary. */
void tally_session_warn_lines(const struct tally_session *session);

/* Emit the error message for -ENOMEM. */
void tally_session_out_of_memory(const struct tally_session *session);

/* Warn that the recording has no samples. */
void tally_session_warn_empty(const struct tally_session *session);

/* Return true if any event's samples have this PERF_SAMPLE_* field. */
bool tally_session_has(const struct tally_session *session, uint64_t field);

/* Return the number of threads to use, including the caller's. A small recording is read faster
 * than a thread starts. */
uint64_t tally_session_jobs(const struct tally_session *session);

/* Return true if one of the session's threads may process samples further while the caller's thread
 * goes on, and set that thread aside. Call this before tally_session_run(). Returns false for small
 * recordings, and if a sample's callchain must be unwound, which reads the same files as resolving
 * it. In pipe mode, returns false because events may change. */
bool tally_session_split(struct tally_session *session);

/* Return the size of the recorded machine's cache lines, or 64 if `env` (may be NULL) does not have
 * it. */
uint64_t tally_line_size(const struct tally_perfdata_env *env);

/* Check that the kernel symbol files specified by the user can be read. Returns 0, or -errno after
 * emitting an error message. */
int tally_session_check_files(const struct tally_symbols_options *options,
			      const struct tally_messages *to);

#endif
