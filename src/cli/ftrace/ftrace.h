/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to ftrace*.c. */
#ifndef TALLY_CLI_FTRACE_FTRACE_H
#define TALLY_CLI_FTRACE_FTRACE_H

#include "base/arena.h"
#include "base/str.h"
#include "cli/main/command.h"
#include "client/ftrace_stats.h"
#include "client/tracer.h"
#include "sampler/child.h"
#include "sampler/target.h"
#include "tally/client.h"

enum ftrace_what { FTRACE_TRACE, FTRACE_LATENCY, FTRACE_PROFILE };

struct ftrace_config {
	struct tally_target target;
	const char *tracer, *functions, *buffer, *sort;
	struct tally_option_list trace, notrace, graph, nograph, events, graph_options,
		function_options;
	uint64_t delay_ms, depth;
	bool inherit, force, nanoseconds, bpf, hide_empty, list, has_depth;
};

struct ftrace_session {
	struct ftrace_config *config;
	enum ftrace_what what;
	char *const *command; /* NULL: none */
	struct tally_tracer *tracer;
	struct tally_child child;
	struct tally_threads *threads; /* of -p and --tid */
	struct tally_arena strings;
	int signals; /* signalfd */

	struct tally_str pending; /* the beginning of a line */
	struct tally_str shown;   /* what is being written */
	uint64_t lines, gaps, lost;
	bool failed;                             /* no memory, or nobody takes the output */
	bool asked_to_end;                       /* by a signal */
	struct tally_ftrace_stats stats;         /* profile */
	struct tally_ftrace_histogram histogram; /* latency */
	struct tally_ftrace_pair pair;           /* latency between events */
};

/* Open the tracer and set it up; the child is forked and held. 0 or -errno, told. */
int ftrace_setup(struct ftrace_session *session);

/* Trace until the command or the tasks end, or a signal comes, and take in all that was recorded.
 * 0 or -errno, told. */
int ftrace_loop(struct ftrace_session *session);

/* List the functions that can be traced, of those that match the pattern. An exit status. */
int ftrace_list(const char *pattern);

/* What a bad option says: the exit status. */
int ftrace_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A refusal in words: what, the rule, what would help. */
void ftrace_explain_refusal(const struct tally_refusal *why);

void ftrace_show_latency(const struct ftrace_session *session);

/* 0, or -EINVAL for a sort key that is none. */
int ftrace_sort_check(const char *key);
void ftrace_show_profile(struct ftrace_session *session);

#endif
