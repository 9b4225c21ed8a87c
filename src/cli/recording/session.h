/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read a recording: the file, the machine it was made on, and a callback for each sample. Shared by
 * all commands that show samples.
 */
#ifndef TALLY_CLI_RECORDING_SESSION_H
#define TALLY_CLI_RECORDING_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/abi_sample.h"
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

/* Filter for samples. All zero: no filter. */
struct tally_session_filter {
	const char *cpus;        /* "0-3,5" */
	const char *time;        /* "start,end" in seconds, either may be empty; or "10%-20%" */
	const char *pids, *tids; /* lists of numbers */
	const char *comms;       /* list of names */
	/* A query (profile/query.h). The session applies only its time terms; the caller applies
	 * the others. */
	const char *query;
};

struct tally_stored_renames;

struct tally_session_options {
	const char *input; /* NULL: perf.data, or stdin if that is a pipe */
	struct tally_symbols_options symbols;
	struct tally_session_filter filter;
	bool no_index;  /* do not use a symbol index */
	bool no_stored; /* ignore the symbols embedded in the recording */
	/* Servers to fetch debug information from, separated by spaces; "": those of the
	 * environment; NULL: do not fetch. */
	const char *debuginfod;
	int fd;              /* borrowed descriptor to read instead of `input`; 0: none */
	bool goes_elsewhere; /* the result goes to a file, not to stdout */
	bool is_own;         /* recorded by this process: print no warnings about the file */
};

/* Problems that users of the result must know, in addition to the counts of the feed. */
struct tally_session_health {
	uint64_t out_of_order;
	uint64_t long_samples; /* samples with extra data after their fields */
	uint64_t unjudged;     /* samples left out: they lack a field that the filter needs */
	uint64_t branches;     /* samples with a branch stack that is not a call stack */
};

/* Lost records; each is counted once. */
struct tally_session_lost {
	uint64_t records; /* of any type: samples, forks, exits, comms, mappings */
	uint64_t samples; /* additional lost samples */
};

struct tally_session_sample {
	const struct tally_perfdata_record *record;
	const struct tally_perfdata_event *event;
	struct tally_sample sample;
	uint64_t period; /* from the sample, or from the attr, or 1 */
	uint8_t cpumode;
	struct tally_thread *thread;
};

struct tally_session {
	struct tally_perfdata *data;
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_feed feed; /* feeds `machine` */
	struct tally_session_options options;
	struct tally_session_health health;
	struct tally_traces traces; /* hardware traces found in the file */
	const char *path;
	struct tally_str fetched; /* directory of fetched debug files */
	struct tally_time_range time;
	struct tally_ranges cpus, pids, tids; /* empty: no filter */
	struct tally_map counts;              /* counter ID -> value in its previous sample */
	bool has_comms;
	/* PERF_SAMPLE_* fields that the filter needs, and those of them that some samples lack. */
	uint64_t filter_needs, filter_missed;
	TALLY_VEC(uint64_t) chain;      /* see session_chain.h */
	struct tally_unwinder unwinder; /* valid if has_unwinder; see session_chain.h */
	uint8_t ip_register;
	bool has_unwinder;
	bool is_again; /* second pass: do not print warnings or count again */
	bool is_cut;   /* the file was truncated while being read; already reported */
	struct tally_error
		ended; /* why reading ended early; already reported; all zero if it did not */
	struct tally_intern comms;
	struct tally_query *query; /* NULL: none */
};

/* Called for every record in time order, after the machine has processed it. `sample` is NULL for
 * other records, for samples that were filtered out, and for samples that wait for their callers
 * (profile/deferred.h); the latter are passed again when the wait ends. A non-zero return value
 * ends reading and is returned to the caller. */
typedef int tally_session_fn(void *arg, struct tally_session *session,
			     const struct tally_perfdata_record *record,
			     const struct tally_session_sample *sample);

/* Open the recording. Returns 0, or -errno after printing an error. */
int tally_session_open(const struct tally_session_options *options, struct tally_session *session);

/* Read the recording to its end; `fn` may be NULL to read only the metadata. Returns 0, the value
 * returned by `fn`, or -errno after printing an error. Oddities of the file (truncated, unfinished)
 * cause warnings. Returns -EINVAL if `fn` is set and there are samples but none can be read. */
int tally_session_run(struct tally_session *session, tally_session_fn *fn, void *arg);

/* Read the recording again, up to the point where the first pass ended. `fn` is called as before,
 * except for samples that are not wanted (tally_perfdata_select()). Returns -ESPIPE for streams,
 * otherwise as tally_session_run(). */
int tally_session_rerun(struct tally_session *session, const uint64_t *wanted, uint64_t nr,
			tally_session_fn *fn, void *arg);

/* Return the losses recorded in the file. If events count their losses (PERF_FORMAT_LOST), the
 * recorder writes the total as LOST_SAMPLES, whatever the type of the lost records. LOST records
 * then report the same losses, if later records followed. */
struct tally_session_lost tally_session_lost(const struct tally_session *session);

/* Print warnings about the file so far. tally_session_run() does this at its end; commands that do
 * not call it do this after reading what they need. */
void tally_session_warn(const struct tally_session *session);

void tally_session_close(struct tally_session *session);

/* Read the recording to its end, resolve all its addresses, and append the section of embedded
 * symbols (symbols/stored.h) to `out`. The session must be opened with symbols.bounds. `renames`,
 * which may be NULL, is passed to tally_stored_writer_rename(). Returns 0, -ENOMEM, or another
 * -errno after printing an error. */
int tally_session_store(struct tally_session *session, const struct tally_stored_renames *renames,
			struct tally_str *out);

/* Warn that symbols are missing because files may differ from the recorded ones. For commands that
 * do not print a health summary. */
void tally_session_warn_foreign(const struct tally_session *session);

/* Return the displayed name of a recording: its path, or a text for the unnamed file of tally
 * profile. */
const char *tally_session_name(const char *path);

/* True if the samples of any event have the field PERF_SAMPLE_*. */
bool tally_session_has(const struct tally_session *session, uint64_t field);

/* Duplicate the kallsyms descriptor, for one of several sessions; the session closes it. `fd` is
 * from tally_privileges_kallsyms(), or 0. Returns 0 if `fd` is 0 or on failure. */
int tally_session_share_kallsyms(int fd);

/* Check that the kernel symbol files given by the user can be read. Returns 0, or -errno after
 * printing an error. */
int tally_session_check_files(const struct tally_symbols_options *options);

#endif
