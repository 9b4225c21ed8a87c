/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets, and their counters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/stat/explain.h"
#include "cli/stat/open.h"
#include "sampler/privileges.h"
#include "sampler/refuse.h"

/* ---- targets -------------------------------------------------------------- */

static int target_command(struct stat_session *session)
{
	session->threads = malloc(sizeof(*session->threads) + sizeof(session->threads->thread[0]));
	if (!session->threads)
		return -ENOMEM;
	/* Who it is is known when it has been started. */
	session->threads->nr = 1;
	return tally_cpus_any(&session->cpus);
}

int stat_targets(struct stat_session *session)
{
	struct tally_target target = session->config->target;

	if (session->by_command)
		return target_command(session);
	/* Tasks go before CPUs, and counters follow them. */
	target.all_cpus = session->system_wide;
	if (!session->system_wide)
		target.cpus = NULL;
	target.per_thread = !session->system_wide;
	target.each_thread = !session->system_wide && !tally_target_has_tasks(&target);
	return tally_resolve_target(&target, &session->cpus, &session->threads,
				    &tally_print_messages);
}

/* ---- counters ------------------------------------------------------------- */

/* A group whose leader was refused is led by its next member. True if there was one. */
static bool promote_members(struct stat_set *set)
{
	bool changed = false;

	for (size_t i = 0; i < set->list.nr; i++) {
		uint32_t next = 0;

		if (!tally_counters_refusal(set->counters, i) || set->list.specs[i].leader != i)
			continue;
		for (size_t member = i + 1; member < set->list.nr; member++) {
			struct tally_event_spec *spec = &set->list.specs[member];

			if (spec->leader != i || tally_counters_refusal(set->counters, member))
				continue;
			next = next ? next : (uint32_t)member;
			spec->leader = next;
			changed = true;
		}
	}
	return changed;
}

static int set_filters(struct stat_session *session, struct stat_set *set)
{
	for (size_t i = 0; i < set->list.nr; i++) {
		const struct stat_row *row = &session->rows.data[set->rows[i]];
		int ret = 0;

		if (row->filter)
			ret = tally_counters_filter(set->counters, i, row->filter);
		if (!ret)
			continue;
		tally_print_error("%s: the kernel does not take the filter '%s': %s", row->name,
				  row->filter, strerror(-ret));
		return ret;
	}
	return 0;
}

struct tally_open_options stat_open_options(const struct stat_session *session,
					    const struct stat_set *set)
{
	const struct stat_config *config = session->config;

	return (struct tally_open_options){
		.disabled = true,
		.enable_on_exec = session->by_command && !config->delay_ms,
		.inherit = !session->system_wide && !config->no_inherit,
		.read_group = session->has_groups,
		.skip_unsupported = true,
		.cgroup_fd = set->cgroup_fd,
	};
}

static int set_open(struct stat_session *session, struct stat_set *set)
{
	struct tally_open_options options = stat_open_options(session, set);
	struct tally_refusal why = {0};
	int ret;

	for (int attempt = 0; attempt < 2; attempt++) {
		ret = tally_counters_open(tally_transport_linux(), &set->list, session->cpus,
					  session->threads, &options, &set->counters, &why);
		if (ret) {
			why.code = why.code ? why.code : ret;
			stat_explain_refusal(set->list.specs[why.event].name, &why, true);
			return ret;
		}
		if (!session->has_groups || !promote_members(set))
			break;
		tally_counters_close(set->counters);
		set->counters = NULL;
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

int stat_open(struct stat_session *session, bool first, bool last)
{
	int ret, dropped = 0;

	if (session->by_command)
		session->threads->thread[0] =
			(struct tally_thread_id){session->child.pid, session->child.pid};
	tally_privileges_raise();
	ret = sets_open(session);
	/* The next run is counted by counters of its own. */
	if (last)
		dropped = tally_privileges_drop(&tally_print_messages);
	else
		tally_privileges_lower();
	ret = ret ? ret : dropped;
	return !ret && first ? stat_explain(session) : ret;
}

void stat_close(struct stat_session *session)
{
	tally_vec_for_each (set, &session->sets) {
		tally_counters_close(set->counters);
		set->counters = NULL;
	}
}
