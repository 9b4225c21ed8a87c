/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of tally record. */
#ifndef TALLY_CLI_RECORD_CONFIG_H
#define TALLY_CLI_RECORD_CONFIG_H

#include "base/vec.h"
#include "cli/main/command.h"
#include "sampler/sampling.h"

/* Unless told otherwise: time between writes. */
enum { RECORD_FLUSH_MS = 1000 };

/* A filter belongs to the -e before it. */
struct record_filter {
	size_t event_option; /* how many -e stood before */
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
	uint64_t duration_ns; /* from when events and command were let go; 0: as long as they run */
	uint64_t flush_ms; /* rings are written out at least so often; 0: when they are half full */
};

#endif
