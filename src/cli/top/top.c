/* SPDX-License-Identifier: BSD-2-Clause */
/* tally top: show which code is being sampled. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "cli/browser/browser_signals.h"
#include "cli/main/cgroup_words.h"
#include "cli/main/commands.h"
#include "cli/main/print_events.h"
#include "cli/main/print.h"
#include "session/session.h"
#include "cli/top/end.h"
#include "cli/top/top_feed.h"
#include "cli/top/top_options.h"
#include "cli/top/top_reader.h"
#include "cli/top/top_screen.h"
#include "cli/top/stdio.h"
#include "sampler/privileges.h"
#include "sampler/sampler_refuse.h"
#include "sampler/sampler_signals.h"

/* With --group, enclose all events in braces to form a single group. */
static int group_events(struct top_config *config, struct tally_str *braces)
{
	struct tally_option_list *events = &config->events;

	if (!config->group || !events->nr)
		return 0;
	for (size_t i = 0; i < events->nr; i++)
		tally_str_addf(braces, "%c%s", i ? ',' : '{', events->items[i]);
	tally_str_add_char(braces, '}');
	if (tally_str_error(braces))
		return -ENOMEM;
	events->items[0] = tally_str_text(braces);
	events->nr = 1;
	return 0;
}

static int prepare_events(struct top *top)
{
	const struct tally_option_list *events = &top->config->events;
	int ret = 0;

	for (size_t i = 0; !ret && i < events->nr; i++)
		ret = tally_sampler_add(&top->sampler, events->items[i], NULL);
	return ret ? ret : tally_sampler_prepare(&top->sampler);
}

/* Check the name of an event that switches samples on or off. */
static int check_switch(const struct top *top, const char *option, const char *name)
{
	if (!name)
		return 0;
	tally_vec_for_each (spec, &top->sampler.specs)
		if (!strcmp(spec->name, name))
			return 0;
	tally_print_error("option '%s': '%s' is not one of the events", option, name);
	tally_print_hint("add it: -e EVENT -e %s", name);
	return -EINVAL;
}

/* Do everything that needs privileges: open events and ring buffers, and read existing tasks. */
static int open_all(struct top *top)
{
	int ret;

	tally_privileges_raise();
	ret = tally_sampler_resolve(&top->sampler, 0);
	if (!ret)
		ret = tally_sampler_open(&top->sampler);
	if (!ret && top->config->verbose)
		tally_events_print_verbose(&top->sampler);
	if (!ret)
		ret = top_feed_init(top);
	if (!ret)
		ret = tally_counters_enable(top->sampler.counters);
	top->interval_start = tally_clock_now();
	if (!ret)
		ret = top_feed_existing(top);
	tally_privileges_lower();
	return ret;
}

static int run_loop(struct top *top, int signals)
{
	bool text = top->config->stdio || top->config->rows.hierarchy || !isatty(STDIN_FILENO) ||
		    !isatty(STDOUT_FILENO);
	int ret;

	/* Use one heap for all threads, so that memory freed by one thread can be reused by
	 * another. */
	(void)mallopt(M_ARENA_MAX, 1);
	ret = top_feed_start_loader(top);
	if (ret)
		return ret;
	ret = top_reader_start(top);
	if (!ret)
		ret = text && !top->config->tui ? top_stdio_run(top, signals)
						: top_screen_run(top, signals);
	top_reader_stop(top);
	tally_refuse_new_cpus(&top->config->sampling.target, top->sampler.cpus,
			      &tally_print_messages);
	return ret;
}

static int top_all(struct top *top)
{
	struct tally_str braces = {0};
	int signals = tally_browser_signals_open(), ret = signals < 0 ? signals : 0;

	signal(SIGPIPE, SIG_IGN);
	if (!ret)
		ret = top_config_finish(top->config);
	if (!ret)
		ret = tally_ignore_callees_option(top->config->ignore_callees, &top->ignore);
	if (!ret)
		ret = group_events(top->config, &braces);
	if (!ret)
		ret = tally_via_open_sampling(&top->via, top->config->via, &top->config->sampling);
	if (!ret)
		ret = prepare_events(top);
	if (!ret)
		ret = check_switch(top, "--switch-on", top->config->switches.on);
	if (!ret)
		ret = check_switch(top, "--switch-off", top->config->switches.off);
	if (!ret)
		tally_sampler_raise_priority(top->config->realtime, &tally_print_messages);
	if (!ret)
		ret = open_all(top);
	if (!ret)
		ret = tally_privileges_drop(&tally_print_messages);
	if (!ret)
		ret = run_loop(top, signals);
	if (signals >= 0)
		close(signals);
	tally_str_free(&braces);
	return ret;
}

static void top_free(struct top *top)
{
	top_feed_free(top);
	tally_sampler_close(&top->sampler);
	tally_via_close(&top->via);
	tally_str_free(&top->event_name);
	pthread_mutex_destroy(&top->lock);
	pthread_mutex_destroy(&top->queue.lock);
	pthread_cond_destroy(&top->queue.more);
}

static int top_command(int argc, char **argv)
{
	struct top_config config = {.sampling.messages = &tally_print_messages};
	struct top top = {
		.config = &config,
		.sampler.sampling = &config.sampling,
		.wake_main = -1,
		.wake_drainer = -1,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER}};
	int first, ret;

	ret = tally_options_parse(&tally_command_top, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	if (first < argc) {
		tally_print_error("tally top does not run a command: '%s'", argv[first]);
		tally_print_hint("use -p PID to watch a process, or tally record COMMAND");
		ret = -EINVAL;
	}
	if (!ret)
		ret = tally_session_check_files(&config.symbols, &tally_print_messages);
	if (!ret)
		ret = top_all(&top);
	top_free(&top);
	tally_row_options_free(&config.rows);
	tally_options_free(&tally_command_top, &config);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

static const struct tally_command_words top_words[] = {
	{"sort", top_print_sort},
	{"fields", top_print_fields},
	{"cgroup", tally_print_cgroups},
	{NULL, NULL},
};

const struct tally_command tally_command_top = {
	.name = "top",
	.summary = "Show a live profile",
	.usage = "[OPTIONS] [-a | -C LIST | -p PID | -t TID | -u USER]",
	.about = " Interactive on a terminal (press h for help), otherwise text. Old samples "
		 "decay: each\n refresh multiplies their counts by 7/8.\n",
	.options = top_options,
	.words = top_words,
	.privileged = true,
	.run = top_command,
};
