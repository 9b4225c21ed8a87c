/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration of tally record, set from the command line. */
#ifndef TALLY_CLI_RECORD_CONFIG_H
#define TALLY_CLI_RECORD_CONFIG_H

#include "base/vec.h"
#include "cli/main/command.h"
#include "sampler/sampling.h"

/* Default for the maximum time between writes, in ms. */
enum { RECORD_FLUSH_MS = 1000 };

/* A filter for the event of the preceding -e option. */
struct record_filter {
	size_t event_option; /* number of -e options that precede this option */
	const char *text;    /* NULL for --exclude-perf */
};

struct record_config {
	struct tally_sampling sampling;
	struct tally_option_list events;
	TALLY_VEC(struct record_filter) filters;
	const char *via;
	const char *output, *mmap_size, *delay, *control;
	bool timestamp_name, no_buildid, no_buildid_cache, buildid_all, no_symbols, redact, regions;
	bool group, dry_run, timestamp_boundary, keep_stacks;
	int verbose, realtime;
	int compress_level;
	uint64_t max_size;
	bool switch_signal;
	uint64_t switch_bytes, switch_ns, switch_files;
	bool progress;
	uint64_t duration_ns; /* limit from the start of the events and command; 0 if unlimited */
	/* Maximum time between writes of the rings; 0 to write only when a ring is half full. */
	uint64_t flush_ms;
};

/* Return true if the output continues in another file at times, sizes or signals. */
static inline bool record_switches_output(const struct record_config *config)
{
	return config->switch_signal || config->switch_bytes || config->switch_ns;
}

#endif
