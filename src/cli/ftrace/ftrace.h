/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the source files of tally ftrace: its configuration and its session. */
#ifndef TALLY_CLI_FTRACE_FTRACE_H
#define TALLY_CLI_FTRACE_FTRACE_H

#include "base/arena.h"
#include "base/str.h"
#include "cli/main/command.h"
#include "ftrace/ftrace_stats.h"
#include "ftrace/tracer.h"
#include "sampler/child.h"
#include "sampler/target.h"
#include "tally/client.h"

enum ftrace_mode { FTRACE_TRACE, FTRACE_LATENCY, FTRACE_PROFILE };

struct ftrace_config {
	struct tally_target target;
	const char *tracer, *functions, *buffer, *sort;
	struct tally_option_list trace, notrace, graph, nograph, events, graph_options,
		function_options;
	uint64_t delay_ms, depth;
	uint64_t bucket_range, min_latency, max_latency; /* us, or ns with -n; 0 if not given */
	bool inherit, force, nanoseconds, bpf, hide_empty, list, has_depth;
};

struct ftrace_session {
	struct ftrace_config *config;
	enum ftrace_mode what;
	char *const *command; /* NULL if there is no command */
	struct tally_tracer *tracer;
	struct tally_child child;
	struct tally_threads *threads; /* threads selected by -p and --tid */
	struct tally_arena strings;
	int signals; /* signalfd */

	struct tally_str pending; /* start of an incomplete line */
	struct tally_str shown;   /* output buffer */
	uint64_t lines, gaps, lost;
	bool failed;                             /* out of memory, or a write failed */
	bool asked_to_end;                       /* a signal requested termination */
	struct tally_ftrace_stats stats;         /* used by `ftrace profile` */
	struct tally_ftrace_histogram histogram; /* used by `ftrace latency` */
	struct tally_ftrace_pair pair;           /* used by `ftrace latency` between events */
};

#endif
