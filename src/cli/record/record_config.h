/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration of tally record, filled from the command line. */
#ifndef TALLY_CLI_RECORD_CONFIG_H
#define TALLY_CLI_RECORD_CONFIG_H

#include "base/vec.h"
#include "cli/main/command.h"
#include "sampler/sampling.h"

/* Default time between writes. */
enum { RECORD_FLUSH_MS = 1000 };

/* A filter applies to the -e before it. */
struct record_filter {
	size_t event_option; /* number of -e options before it */
	const char *text;
};

struct record_config {
	struct tally_sampling sampling;
	struct tally_option_list events;
	TALLY_VEC(struct record_filter) filters;
	const char *via;
	const char *output, *mmap_size, *delay, *control;
	bool timestamp_name, no_buildid, no_buildid_cache, buildid_all, no_symbols, redact;
	bool dry_run, timestamp_boundary, keep_stacks;
	int verbose, realtime;
	int compress_level;
	uint64_t max_size;
	bool switch_signal;
	uint64_t switch_bytes, switch_ns, switch_files;
	bool progress;
	uint64_t duration_ns; /* after starting the events and the command; 0: no limit */
	uint64_t flush_ms;    /* maximum time between writes of the rings; 0: only when half full */
};

#endif
