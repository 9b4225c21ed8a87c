/* SPDX-License-Identifier: BSD-2-Clause */
/* tally stat: count events for a command, tasks or CPUs, and print the counts. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/cgroup_words.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/stat/stat_count.h"
#include "cli/stat/dry.h"
#include "cli/stat/explain.h"
#include "cli/stat/stat_events.h"
#include "cli/stat/stat_loop.h"
#include "cli/stat/stat_open.h"
#include "cli/stat/stat_options.h"
#include "cli/stat/stat_prometheus.h"
#include "cli/stat/plan.h"
#include "cli/stat/removed.h"
#include "cli/stat/smi.h"
#include "cli/stat/stat_record.h"
#include "cli/stat/stat_report.h"
#include "cli/stat/stat_show.h"
#include "sampler/sampler_refuse.h"
#include "sampler/sampler_signals.h"

/* ---- session -------------------------------------------------------------- */

static void add_command(struct tally_str *title, char **argv)
{
	tally_str_add_char(title, '\'');
	for (char **word = argv; *word; word++)
		tally_str_addf(title, "%s%s", word == argv ? "" : " ", *word);
	tally_str_add_char(title, '\'');
}

static int make_title(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	struct tally_str title = {0};
	int ret;

	if (config->target.pids)
		tally_str_addf(&title, "process id '%s'", config->target.pids);
	else if (config->target.tids)
		tally_str_addf(&title, "thread id '%s'", config->target.tids);
	else if (config->target.cpus)
		tally_str_addf(&title, "'CPU(s) %s'", config->target.cpus);
	else if (config->target.all_cpus || !session->argv)
		tally_str_add(&title, "'system wide'");
	else
		add_command(&title, session->argv);
	tally_str_escape(&title, 0);
	ret = tally_str_error(&title);
	session->title = title.data;
	return ret;
}

static int signals_open(struct stat_session *session)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

	session->signals = tally_signals_open(wanted, TALLY_ARRAY_SIZE(wanted));
	return TALLY_MIN(session->signals, 0);
}

static int session_init(struct stat_session *session, const struct stat_config *config, char **argv)
{
	bool tasks = tally_target_has_tasks(&config->target);
	int ret;

	*session = (struct stat_session){
		.config = config,
		.argv = argv,
		.system_wide =
			config->mode != STAT_AGGR_THREAD && tally_target_has_cpus(&config->target),
		.control = {.fd = -1, .ack = -1},
		.signals = -1,
		.output = -1,
	};
	session->by_command =
		argv && !tasks && !session->system_wide && config->mode != STAT_AGGR_THREAD;
	ret = make_title(session);
	if (!ret)
		ret = stat_events_parse(session);
	if (!ret)
		ret = stat_targets_resolve(session);
	if (ret || config->dry_run || config->plan)
		return ret;
	ret = tally_control_open(&session->control, config->control, &tally_print_messages);
	if (!ret)
		ret = stat_output_open(session);
	if (!ret)
		ret = stat_prometheus_open(session);
	if (!ret && config->regions)
		ret = region_files_begin(&session->regions);
	if (!ret)
		ret = signals_open(session);
	if (!ret)
		ret = stat_smi_freeze(session);
	return ret ? ret
		   : tally_via_open(&session->via, config->via, &config->target, false,
				    &tally_print_messages);
}

static void session_free(struct stat_session *session)
{
	stat_close(session);
	stat_smi_restore(session);
	tally_child_free(&session->child);
	tally_via_close(&session->via);
	stat_prometheus_close(session);
	stat_output_close(session);
	region_files_end(&session->regions);
	tally_control_close(&session->control);
	if (session->signals >= 0)
		close(session->signals);
	stat_count_free(session);
	tally_vec_for_each (set, &session->sets)
		stat_set_free(set);
	tally_vec_for_each (list, &session->lists)
		tally_event_list_free(*list);
	tally_vec_for_each (list, &session->metric_lists)
		tally_metric_list_free(*list);
	tally_vec_free(&session->metric_lists);
	tally_vec_free(&session->formulas);
	tally_vec_free(&session->sets);
	tally_vec_free(&session->lists);
	tally_vec_free(&session->rows);
	tally_events_free(session->events);
	tally_arena_free(&session->strings);
	free(session->cpus);
	free(session->threads);
	free(session->title);
}

/* ---- runs ----------------------------------------------------------------- */

/* Run the shell command given with --pre or --post. Return 0, or -ECANCELED if it failed. */
static int run_hook(const char *option, const char *command, int output)
{
	struct tally_child child = {0};
	int ret;

	if (!command)
		return 0;
	ret = tally_child_start(
		&child, (char *[]){(char *)"/bin/sh", (char *)"-c", (char *)command, NULL}, output);
	if (!ret)
		ret = tally_child_exec(&child);
	if (!ret) {
		tally_child_wait(&child, true);
		ret = child.status ? -ECANCELED : 0;
	}
	if (ret)
		tally_print_error("the %s command failed: %s", option, command);
	tally_child_free(&child);
	return ret;
}

static void print_signal(const struct stat_session *session)
{
	const struct tally_child *child = &session->child;

	if (!session->argv || !child->gone || !WIFSIGNALED(child->status))
		return;
	/* A command terminated by --interval-count is expected to be killed by SIGTERM. */
	if (!session->config->quiet && !(session->ended_child && session->config->interval_ms))
		fprintf(stderr, "%s: %s\n", session->argv[0], strsignal(WTERMSIG(child->status)));
}

static int read_counts(struct stat_session *session)
{
	int ret = stat_count_read(session, false);

	if (ret)
		tally_print_error("cannot read the counters: %s", strerror(-ret));
	else
		stat_removed_check(session);
	return ret;
}

/* Print the incomplete last interval and, with --summary, the total. */
static int show_intervals_end(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	uint64_t wall = session->times.wall;
	int ret = 0;

	if (!config->interval_count || session->intervals < config->interval_count)
		ret = stat_show_interval(session, wall);
	session->times.wall = wall;
	if (!ret)
		ret = read_counts(session);
	return ret || !config->summary ? ret : stat_show_total(session);
}

static int one_run(struct stat_session *session, bool first, bool last)
{
	const struct stat_config *config = session->config;
	int output = stat_record_output_of_command(session->recorder);
	int ret = run_hook("--pre", config->pre, output);

	if (!ret && config->sync)
		sync();
	if (!ret && session->argv)
		ret = tally_via_check_command(&session->via, session->argv[0],
					      &tally_print_messages);
	if (!ret && session->argv) {
		ret = tally_child_start(&session->child, session->argv, output);
		if (ret)
			tally_refuse_start(session->argv[0], ret, &tally_print_messages);
		tally_via_adopt(&session->via, &session->child);
	}
	if (!ret)
		ret = stat_open(session, first, last);
	if (!ret && first)
		ret = stat_explain_prepare(session);
	if (!ret && first)
		ret = stat_prometheus_prepare(session);
	if (!ret && session->recorder)
		ret = stat_record_start(session);
	if (!ret)
		ret = stat_run_once(session);
	print_signal(session);
	if (!ret)
		ret = run_hook("--post", config->post, output);
	return ret;
}

/* Add a run to the statistics. An interrupted run is dropped unless it is the first run. */
static int keep_run(struct stat_session *session, uint64_t nr)
{
	int ret;

	if (session->stop_signal && nr > 0)
		return 0;
	ret = read_counts(session);
	if (!ret && session->recorder)
		ret = stat_record_round(session, true, session->times.wall);
	if (ret)
		return ret;
	stat_count_add_run(session);
	return tally_vec_push(&session->walls, session->times.wall);
}

static int all_runs(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	uint64_t nr = 0;
	int ret = 0;

	do {
		stat_close(session);
		tally_child_free(&session->child);
		ret = one_run(session, !nr, config->runs == nr + 1);
		if (!ret && !config->interval_ms)
			ret = keep_run(session, nr);
		nr++;
	} while (!ret && !session->stop_signal && (!config->runs || nr < config->runs));
	if (ret)
		return ret;
	if (config->interval_ms)
		return show_intervals_end(session);
	stat_count_mean(session);
	if (config->regions)
		ret = region_files_read(&session->regions, NULL);
	if (!ret)
		ret = stat_prometheus_finish(session);
	return ret ? ret : stat_show_total(session);
}

static int exit_status(struct stat_session *session, int ret)
{
	struct tally_child *child = &session->child;

	if (child->gone && tally_child_exec_error(child))
		return tally_child_exit_status(child);
	if (ret)
		return ret == -EINVAL ? TALLY_EXIT_USAGE : TALLY_EXIT_ERROR;
	if (!session->argv) /* a signal is the usual end of a service */
		return session->stop_signal && !session->config->prometheus
			       ? 128 + session->stop_signal
			       : TALLY_EXIT_OK;
	/* --timeout or --interval-count killed the command. */
	if (session->ended_child && WIFSIGNALED(child->status) &&
	    WTERMSIG(child->status) == SIGTERM)
		return TALLY_EXIT_OK;
	return tally_child_exit_status(child);
}

static int stat_command(const struct stat_config *config, int argc, char **argv, char **command)
{
	struct stat_session session;
	int ret = session_init(&session, config, command);
	int status;

	if (config->dry_run || config->plan) {
		if (!ret)
			ret = config->plan ? stat_plan(&session) : stat_dry_run(&session);
		session_free(&session);
		return ret == -EINVAL ? TALLY_EXIT_USAGE : ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
	}
	if (!ret && config->record)
		ret = stat_record_open(config->record_output, argc, argv, &session.recorder);
	if (!ret) {
		ret = all_runs(&session);
		/* The command line was valid, so this is not a usage error. */
		ret = ret == -EINVAL ? -EIO : ret;
	}
	if (stat_record_close(session.recorder) && !ret)
		ret = -EIO;
	status = exit_status(&session, ret);
	session_free(&session);
	return status;
}

/* Parse the options after the word "record" of 'stat record'. -o is the file for the counts. */
static int parse_record(struct stat_config *config, int argc, char **argv, int *ret_first)
{
	int ret = tally_options_parse(&tally_command_stat, config, argc, argv, TALLY_PARSE_STOP,
				      ret_first);

	config->record = true;
	config->record_output = config->output;
	config->output = NULL;
	return ret;
}

/* Run 'stat report', which has options of its own, after the word argv[first]. */
static int run_report(struct stat_config *config, int argc, char **argv, int first)
{
	stat_config_free(config);
	tally_options_free(&tally_command_stat, config);
	if (first == 1)
		return stat_report_run(argc - first, argv + first);
	tally_print_error("the options of 'stat report' must follow the word 'report'");
	tally_print_hint("to run a command with that name: tally stat %s ... -- report", argv[1]);
	return TALLY_EXIT_USAGE;
}

static int stat_run(int argc, char **argv)
{
	struct stat_config config = {0};
	int first, more = 0, status, ret;
	const char *word;
	char **command;

	ret = tally_options_parse(&tally_command_stat, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	/* A command with the name of a subcommand must follow "--". */
	word = first < argc && strcmp(argv[first - 1], "--") ? argv[first] : "";
	if (!strcmp(word, "report"))
		return run_report(&config, argc, argv, first);
	if (!strcmp(word, "record"))
		ret = parse_record(&config, argc - first, argv + first, &more);
	if (ret)
		return ret - 1;
	first += more;
	command = first < argc ? argv + first : NULL;
	if (stat_config_check(&config, command))
		status = TALLY_EXIT_USAGE;
	else
		status = stat_command(&config, argc, argv, command);
	stat_config_free(&config);
	tally_options_free(&tally_command_stat, &config);
	return status;
}

static const struct tally_command_words stat_words[] = {
	{"cgroup", tally_print_cgroups},
	{"for-each-cgroup", tally_print_cgroups},
	{NULL, NULL},
};

const struct tally_command tally_command_stat = {
	.name = "stat",
	.summary = "Count events for a command, for tasks or for the whole machine",
	.usage = "[OPTIONS] COMMAND [ARGS]\n[OPTIONS] -p PID | -t TID | -a | -C CPUS\n"
		 "record [-o FILE] [OPTIONS] COMMAND [ARGS]\nreport [-i FILE] [OPTIONS]",
	.about = " The counts are printed to stderr. The exit status is that of the command, 128 "
		 "plus the number\n of the signal that killed it, 127 or 126 if it could not be "
		 "run, or 0 if --timeout or\n --interval-count stopped it.\n",
	.options = stat_options,
	.words = stat_words,
	.privileged = true,
	.run = stat_run,
};
