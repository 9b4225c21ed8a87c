/* SPDX-License-Identifier: BSD-2-Clause */
/* tally ftrace: trace kernel functions and summarize their durations. */
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "cli/ftrace/ftrace.h"
#include "cli/ftrace/ftrace_loop.h"
#include "cli/ftrace/setup.h"
#include "cli/ftrace/ftrace_show.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/target_options.h"
#include "sampler/privileges.h"
#include "sampler/sampler_refuse.h"
#include "sampler/sampler_signals.h"

#define AT(member) offsetof(struct ftrace_config, member)

static const struct tally_option ftrace_options[] = {
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to trace:"},
	TALLY_OPTIONS_CPUS(AT(target)),
	TALLY_OPTIONS_TASKS(AT(target), 0),
	{0, "inherit", TALLY_OPTION_FLAG, AT(inherit), NULL, "also trace child tasks"},
	{'D', "delay", TALLY_OPTION_U64, AT(delay_ms), "ms",
	 "start tracing this long after the command starts"},

	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Which functions:"},
	{'F', "funcs", TALLY_OPTION_TEXT, AT(functions), "pattern",
	 "list the traceable functions that match, and exit", "*", .given = AT(list),
	 .next_word = true},
	{'t', "tracer", TALLY_OPTION_TEXT, AT(tracer), "tracer",
	 "select function_graph (default), function, or another tracer from available_tracers"},
	{'T', "trace-funcs", TALLY_OPTION_LIST, AT(trace), "func",
	 "trace only these functions, with the function tracer; accepts glob patterns"},
	{'N', "notrace-funcs", TALLY_OPTION_LIST, AT(notrace), "func",
	 "do not trace these functions, with the function tracer"},
	{'G', "graph-funcs", TALLY_OPTION_LIST, AT(graph), "func",
	 "trace only these functions and their callees, with function_graph"},
	{'g', "nograph-funcs", TALLY_OPTION_LIST, AT(nograph), "func",
	 "do not trace these functions and their callees, with function_graph"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "sys:name",
	 "trace this tracepoint; 'ftrace latency' measures the time between two tracepoints"},

	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "How:"},
	{0, "func-opts", TALLY_OPTION_LIST, AT(function_options), "options",
	 "set options of the function tracer: call-graph, irq-info"},
	{0, "graph-opts", TALLY_OPTION_LIST, AT(graph_options), "options",
	 "set options of function_graph: nosleep-time, noirqs, verbose, thresh=<us>, depth=<n>, "
	 "tail, args, retval, retval-hex, retaddr"},
	{0, "graph-depth", TALLY_OPTION_U64, AT(depth), "n", "alias for --graph-opts depth=<n>",
	 .given = AT(has_depth)},
	{'m', "buffer-size", TALLY_OPTION_TEXT, AT(buffer), "size",
	 "set the size of each CPU's buffer (e.g. 2M)"},
	{0, "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "use shared tracing settings even if another tracer is active"},

	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "ftrace latency:"},
	{'n', "use-nsec", TALLY_OPTION_FLAG, AT(nanoseconds), NULL,
	 "use nanoseconds instead of microseconds"},
	{0, "hide-empty", TALLY_OPTION_FLAG, AT(hide_empty), NULL, "hide rows without calls"},
	{0, "bucket-range", TALLY_OPTION_U64, AT(bucket_range), "n",
	 "use rows of n microseconds (or nanoseconds) instead of powers of two"},
	{0, "min-latency", TALLY_OPTION_U64, AT(min_latency), "n",
	 "with --bucket-range, start the second row here (default: 0)"},
	{0, "max-latency", TALLY_OPTION_U64, AT(max_latency), "n",
	 "with --bucket-range, start the last row here (at most 22 rows)"},
	{'b', "use-bpf", TALLY_OPTION_FLAG, AT(bpf), NULL,
	 "ignored; accepted for perf compatibility; function_graph is used"},

	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "ftrace profile:"},
	{'s', "sort", TALLY_OPTION_TEXT, AT(sort), "key",
	 "sort by total (default), avg, max, count or name"},
	TALLY_OPTION_END,
};

#undef AT

/* Print a usage error. Return an exit status. */
static __attribute__((format(printf, 1, 2))) int usage_error(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tally_print_error("%s", text);
	tally_print_hint("see 'tally ftrace --help'");
	return TALLY_EXIT_USAGE;
}

/* List the traceable functions that match the pattern. Return an exit status. */
static int list_functions(const char *pattern)
{
	enum { FUNCTIONS_MAX = 64 << 20 };
	struct tally_refusal why = {0};
	char path[256], *text = NULL, *name, *rest;
	const char *root;
	size_t len;
	int ret;

	tally_privileges_raise();
	ret = tally_tracefs_find(&root, &why);
	if (!ret) {
		snprintf(path, sizeof(path), "%s/available_filter_functions", root);
		ret = tally_file_read(path, FUNCTIONS_MAX, &text, &len);
		if (ret)
			tally_tracefs_explain(root, path, ret, &why);
	}
	if (tally_privileges_drop(&tally_print_messages))
		ret = -EPERM;
	else if (ret)
		tally_refusal_report("cannot list functions", &why, &tally_print_messages);
	for (rest = ret ? NULL : text; (name = strsep(&rest, "\n"));) {
		size_t word = strcspn(name, " \t");
		bool has_module = name[word];

		name[word] = '\0';
		if (*name && !fnmatch(pattern, name, 0))
			printf("%s%s%s\n", name, has_module ? " " : "",
			       has_module ? name + word + 1 : "");
	}
	free(text);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

/* ---- options -------------------------------------------------------------- */

/* Return the tracer that the options imply, or NULL for the default. */
static const char *tracer_of(const struct ftrace_config *config, enum ftrace_mode what)
{
	if (config->tracer)
		return config->tracer;
	if (what != FTRACE_TRACE)
		return config->events.nr ? "nop" : "function_graph";
	if (config->graph.nr || config->nograph.nr || config->graph_options.nr || config->has_depth)
		return "function_graph";
	if (config->trace.nr || config->notrace.nr || config->function_options.nr)
		return "function";
	return config->events.nr ? "nop" : NULL;
}

/* Limit on --bucket-range and --min-latency, so that the rows do not overflow. */
enum { MOST_UNITS = 1000000000 };

static int latency_check(const struct ftrace_config *config)
{
	if (config->events.nr && config->events.nr != 2)
		return usage_error("ftrace latency requires -e twice, for the start and the end");
	if (!config->events.nr && config->trace.nr != 1)
		return usage_error("ftrace latency requires one function (-T) or two events (-e)");
	if ((config->min_latency || config->max_latency) && !config->bucket_range)
		return usage_error("--min-latency and --max-latency require --bucket-range");
	if (config->max_latency && config->max_latency <= config->min_latency)
		return usage_error("--max-latency must be above --min-latency");
	if (config->bucket_range > MOST_UNITS || config->min_latency > MOST_UNITS)
		return usage_error("--bucket-range and --min-latency must be at most %d",
				   MOST_UNITS);
	return 0;
}

static int config_check(const struct ftrace_session *session)
{
	const struct ftrace_config *config = session->config;

	if (session->command && tally_target_has_tasks(&config->target))
		return usage_error("a command cannot be combined with -p or --tid");
	if (!session->command && tally_target_is_command(&config->target))
		return usage_error("nothing to trace: specify a command, -p, --tid, -a or -C");
	if (session->what == FTRACE_LATENCY && latency_check(config))
		return TALLY_EXIT_USAGE;
	if (session->what != FTRACE_TRACE && config->tracer)
		return usage_error("-t is only valid for 'ftrace trace', because durations are "
				   "measured with function_graph");
	if (session->what == FTRACE_PROFILE && config->events.nr)
		return usage_error("-e is only valid for 'ftrace trace' and 'ftrace latency'");
	if (session->what == FTRACE_PROFILE && config->sort && ftrace_sort_check(config->sort))
		return usage_error("--sort %s: must be total, avg, max, count or name",
				   config->sort);
	return 0;
}

/* Set the default tracer: function_graph, as in perf, or function if the kernel does not have
 * function_graph. */
static void default_tracer(struct ftrace_session *session)
{
	struct ftrace_config *config = session->config;
	struct tally_refusal why;
	const char *root;

	config->tracer = tracer_of(config, session->what);
	if (config->tracer)
		return;
	config->tracer = "function_graph";
	tally_privileges_raise();
	if (!tally_tracefs_find(&root, &why) && !tally_tracer_available(root, config->tracer) &&
	    tally_tracer_available(root, "function")) {
		tally_print_warning(
			"this kernel has no function_graph tracer (CONFIG_FUNCTION_GRAPH_TRACER): "
			"using the function tracer, without durations");
		config->tracer = "function";
	}
	tally_privileges_lower();
}

/* ---- run ------------------------------------------------------------------ */

static int signals_open(struct ftrace_session *session)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};

	session->signals = tally_signals_open(wanted, TALLY_ARRAY_SIZE(wanted));
	return TALLY_MIN(session->signals, 0);
}

static int exit_status(struct ftrace_session *session, int ret)
{
	int error;

	if (ret || session->failed)
		return TALLY_EXIT_ERROR;
	if (!session->command)
		return TALLY_EXIT_OK;
	error = tally_child_exec_error(&session->child);
	if (error)
		tally_print_error("cannot run '%s': %s", session->command[0], strerror(-error));
	return session->child.gone ? tally_child_exit_status(&session->child) : TALLY_EXIT_OK;
}

static void warn_lost(const struct ftrace_session *session)
{
	if (!session->gaps)
		return;
	tally_print_warning("%llu events were lost in %llu gaps, because a CPU's buffer was full",
			    (unsigned long long)session->lost, (unsigned long long)session->gaps);
	tally_print_hint("use larger buffers (-m) or trace fewer functions (-T, -G, --graph-opts "
			 "depth=<n>)");
}

static void session_free(struct ftrace_session *session)
{
	tally_child_free(&session->child);
	free(session->threads);
	tally_str_free(&session->pending);
	tally_str_free(&session->shown);
	tally_ftrace_stats_free(&session->stats);
	tally_map_free(&session->pair.since);
	tally_arena_free(&session->strings);
	if (session->signals >= 0)
		close(session->signals);
}

/* Run the session. tracefs is restored before results are printed. */
static int session_run(struct ftrace_session *session)
{
	int ret = signals_open(session), put_back, status;

	default_tracer(session);
	if (!ret)
		ret = ftrace_setup(session);
	if (!ret)
		ret = ftrace_loop(session);
	put_back = tally_tracer_close(session->tracer);
	if (put_back)
		tally_print_error("cannot restore tracefs completely: %s", strerror(-put_back));
	if (!ret && session->what == FTRACE_LATENCY)
		ftrace_show_latency(session);
	if (!ret && session->what == FTRACE_PROFILE)
		ftrace_show_profile(session);
	warn_lost(session);
	status = exit_status(session, ret ? ret : put_back);
	session_free(session);
	return status;
}

/* Return the mode. If the first argument is "trace", "latency" or "profile", it is removed. */
static enum ftrace_mode parse_mode(int *argc, char ***argv)
{
	static const char *const words[] = {"trace", "latency", "profile"};

	for (size_t i = 0; *argc > 1 && i < TALLY_ARRAY_SIZE(words); i++) {
		if (!strcmp((*argv)[1], words[i])) {
			(*argc)--;
			(*argv)++;
			return (enum ftrace_mode)i;
		}
	}
	return FTRACE_TRACE;
}

static const char *event_name(const char *event)
{
	const char *colon = strchr(event, ':');

	return colon ? colon + 1 : event;
}

static int ftrace_run(int argc, char **argv)
{
	struct ftrace_config config = {0};
	struct ftrace_session session = {.config = &config, .signals = -1};
	int first, status;

	session.what = parse_mode(&argc, &argv);
	status = tally_options_parse(&tally_command_ftrace, &config, argc, argv, TALLY_PARSE_STOP,
				     &first);
	if (status)
		return status - 1;
	session.command = first < argc ? argv + first : NULL;
	if (session.what == FTRACE_LATENCY && config.events.nr == 2) {
		session.pair.from = event_name(config.events.items[0]);
		session.pair.to = event_name(config.events.items[1]);
	}
	if (config.list)
		status = list_functions(config.functions);
	else
		status = config_check(&session);
	if (!status && !config.list)
		status = session_run(&session);
	tally_options_free(&tally_command_ftrace, &config);
	return status;
}

static const struct tally_command_words ftrace_words[] = {
	{"sort", ftrace_sort_print},
	{NULL, NULL},
};

const struct tally_command tally_command_ftrace = {
	.name = "ftrace",
	.summary = "Trace kernel functions, or profile how long they take",
	.usage = "[trace] [OPTIONS] [--] COMMAND [ARGS]\n"
		 "latency -T FUNC | -e EVENT -e EVENT [OPTIONS] [--] COMMAND [ARGS]\n"
		 "profile [OPTIONS] [--] COMMAND [ARGS]\n"
		 "[trace|latency|profile] [OPTIONS] -p PID | --tid TID | -a | -C CPUS\n"
		 "-F [PATTERN]",
	.about = " All settings in tracefs are restored at the end, even if tally is killed. The "
		 "exit\n status is that of the command.\n",
	.options = ftrace_options,
	.words = ftrace_words,
	.privileged = true,
	.run = ftrace_run,
};
