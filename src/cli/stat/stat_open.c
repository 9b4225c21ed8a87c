/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolve targets and open their counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/stat/dry.h"
#include "cli/stat/explain.h"
#include "cli/stat/stat_open.h"
#include "sampler/privileges.h"
#include "sampler/sampler_refuse.h"

/* ---- targets -------------------------------------------------------------- */

int stat_targets_resolve(struct stat_session *session)
{
	struct tally_target target = session->config->target;

	/* The command's threads are not known until the command starts; see stat_open(). If tasks
	 * are given, CPUs are ignored, because the counters follow the tasks to all CPUs. */
	target.all_cpus = session->system_wide;
	if (!session->system_wide)
		target.cpus = NULL;
	target.per_thread = !session->system_wide;
	target.each_thread =
		!session->system_wide && !session->by_command && !tally_target_has_tasks(&target);
	return tally_resolve_target(&target, &session->cpus, &session->threads,
				    &tally_print_messages);
}

/* ---- counters ------------------------------------------------------------- */

static int set_filters(struct stat_session *session, struct stat_set *set)
{
	for (size_t i = 0; i < set->list.nr; i++) {
		const struct stat_row *row = &session->rows.data[set->rows[i]];
		int ret = tally_set_filter(set->counters, i, row->name, row->filter,
					   &tally_print_messages);

		if (ret)
			return ret;
	}
	return 0;
}

struct tally_counting stat_counting(const struct stat_session *session, const struct stat_set *set)
{
	const struct stat_config *config = session->config;

	return (struct tally_counting){
		.transport = tally_via_transport(&session->via),
		.system_wide = session->system_wide,
		.on_exec = session->by_command && !config->delay_ms,
		.no_inherit = config->no_inherit,
		.read_group = session->has_groups,
		.cgroup_fd = set->cgroup_fd,
	};
}

static int set_open(struct stat_session *session, struct stat_set *set)
{
	const struct tally_counting counting = stat_counting(session, set);
	struct tally_refusal why = {0};
	int ret = tally_counting_open(&counting, &set->list, session->cpus, session->threads,
				      &set->counters, &why);

	if (ret) {
		stat_explain_refusal(set->list.specs[why.event].name, &why, true);
		return ret;
	}
	return set_filters(session, set);
}

static int sets_open(struct stat_session *session)
{
	int ret = 0;

	tally_vec_for_each (set, &session->sets) {
		ret = set_open(session, set);
		if (ret)
			break;
	}
	return ret;
}

/* Use the threads of the command, which is a new process in each run. */
static int find_command(struct stat_session *session)
{
	const struct tally_target target = {.per_thread = true, .command = session->child.pid};
	struct tally_threads *threads;
	int ret = tally_target_threads(&target, &threads, NULL);

	if (ret)
		return ret;
	free(session->threads);
	session->threads = threads;
	return 0;
}

/* Print the attributes, for -vv. */
static void print_attrs(const struct stat_session *session)
{
	struct tally_str out = {0};

	tally_vec_for_each (set, &session->sets)
		stat_attrs_add(set, set->counters, &out);
	fputs(tally_str_text(&out), stderr);
	tally_str_free(&out);
}

int stat_open(struct stat_session *session, bool first, bool last)
{
	int ret = session->by_command ? find_command(session) : 0, dropped = 0;

	if (ret)
		return ret;
	tally_privileges_raise();
	ret = sets_open(session);
	/* Keep privileges if another run follows, because that run opens new counters. */
	if (last)
		dropped = tally_privileges_drop(&tally_print_messages);
	else
		tally_privileges_lower();
	ret = ret ? ret : dropped;
	if (!ret && first && session->config->verbose > 1)
		print_attrs(session);
	return !ret && first ? stat_explain(session) : ret;
}

void stat_close(struct stat_session *session)
{
	tally_vec_for_each (set, &session->sets) {
		tally_counters_close(set->counters);
		set->counters = NULL;
	}
}
