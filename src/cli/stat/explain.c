/* SPDX-License-Identifier: BSD-2-Clause */
/* Report all deviations from the request before counting starts. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/stat/explain.h"
#include "cli/stat/stat_count.h"
#include "sampler/event_cpus.h"
#include "sampler/fallbacks.h"
#include "sampler/sampler_refuse.h"

/* Return an event's actual name, which reflects its fallbacks. */
static const char *opened_name(struct stat_session *session, const struct stat_row *row)
{
	struct tally_str text = {0};
	const char *kept;

	tally_fallbacks_name(row->name, row->fallback, &text);
	kept = tally_arena_strndup(&session->strings, tally_str_text(&text), text.len);
	tally_str_free(&text);
	return kept ? kept : row->name;
}

/* Copy the counters' fallbacks to the rows. Return the union of all fallbacks. */
static unsigned rows_set_fallbacks(struct stat_session *session)
{
	unsigned all = 0;

	tally_vec_for_each (row, &session->rows) {
		const struct tally_counters *counters;

		if (row->set == SIZE_MAX)
			continue;
		counters = session->sets.data[row->set].counters;
		row->fallback = tally_counters_fallback(counters, row->event);
		all |= row->fallback;
		if (row->fallback & TALLY_FALLBACK_NO_KERNEL)
			row->name = opened_name(session, row);
	}
	return all;
}

/* Return true if the machine does not have the event. As in perf, such events are only marked in
 * the table. */
static bool is_missing(const struct tally_refusal *refusal)
{
	return refusal->code == -ENOENT || refusal->code == -ENODEV || refusal->code == -ENXIO ||
	       refusal->code == -EOPNOTSUPP;
}

void stat_explain_refusal(const char *name, const struct tally_refusal *why, bool fatal)
{
	struct tally_str what = {0};

	tally_str_addf(&what, "cannot count %s", name);
	if (fatal)
		tally_refusal_report(tally_str_text(&what), why, &tally_print_messages);
	else
		tally_refuse_warning(tally_str_text(&what), why, &tally_print_messages);
	tally_str_free(&what);
}

/* Return true if no event could be opened and at least one failed because of missing
 * permissions. */
static bool all_forbidden(const struct stat_session *session)
{
	size_t forbidden = 0;

	tally_vec_for_each (row, &session->rows) {
		if (row->set == SIZE_MAX)
			continue;
		if (!row->refusal)
			return false;
		forbidden += tally_rule_is_permission(row->refusal->broken);
	}
	return forbidden > 0;
}

/* Report each violated rule once, with the first event that violated it. If `kernel_explained` is
 * set, the warning about fallbacks has already explained how to permit counting in the kernel; for
 * events that violate that rule, print just the rule. */
static void explain_refusals(const struct stat_session *session, bool fatal, bool kernel_explained)
{
	bool verbose = session->config->verbose > 0;

	for (size_t i = 0; i < session->rows.len; i++) {
		const struct stat_row *row = &session->rows.data[i];
		bool explained = false;

		if (!row->refusal || (is_missing(row->refusal) && !verbose))
			continue;
		for (size_t before = 0; before < i && !verbose; before++) {
			const struct tally_refusal *other = session->rows.data[before].refusal;

			explained |= other && !strcmp(other->rule, row->refusal->rule);
		}
		if (!explained && kernel_explained && row->refusal->broken == TALLY_RULE_KERNEL)
			tally_print_warning("cannot count %s: %s", row->name, row->refusal->rule);
		else if (!explained)
			stat_explain_refusal(row->name, row->refusal, fatal);
	}
}

/* Copy the refusals, which must outlive the counters of the first run. */
static int keep_refusals(struct stat_session *session)
{
	tally_vec_for_each (row, &session->rows) {
		const struct tally_refusal *refusal;
		struct tally_refusal *copy;

		if (row->set == SIZE_MAX)
			continue;
		refusal = tally_counters_refusal(session->sets.data[row->set].counters, row->event);
		if (!refusal)
			continue;
		copy = tally_arena_alloc(&session->strings, sizeof(*copy));
		if (!copy)
			return -ENOMEM;
		*copy = *refusal;
		row->refusal = copy;
	}
	return 0;
}

int stat_explain(struct stat_session *session)
{
	unsigned fallbacks = rows_set_fallbacks(session);
	int ret = keep_refusals(session);
	bool fatal;

	if (ret)
		return ret;
	fatal = all_forbidden(session);
	if (!session->config->quiet || fatal) {
		tally_fallbacks_warn(fallbacks, "counted", &tally_print_messages);
		tally_vec_for_each (set, &session->sets)
			tally_event_cpus_warn(set->counters, &set->list, "counted",
					      &tally_print_messages);
		explain_refusals(session, fatal, fallbacks & TALLY_FALLBACK_NO_KERNEL);
	}
	return fatal ? -EACCES : 0;
}

int stat_explain_prepare(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	int ret = stat_count_prepare(session);
	const char *where = session->env ? "the recorded machine" : "sysfs";

	if (ret == -E2BIG) {
		tally_print_error("too many counts to show: %zu events, each on %zu CPUs or groups "
				  "of CPUs",
				  session->rows.len, session->keys.len);
		tally_print_hint("show sums of all CPUs, or of nodes: --per-node");
	}
	if (ret != -ENODATA)
		return ret;
	if (config->mode == STAT_AGGR_CLUSTER)
		tally_print_error("--per-cluster: %s does not describe the clusters of the CPUs",
				  where);
	else if (config->cache_level)
		tally_print_error("--per-cache=L%d: %s does not describe an L%d cache of each CPU",
				  (int)config->cache_level, where, (int)config->cache_level);
	else
		tally_print_error("--per-cache: %s does not describe the caches of the CPUs",
				  where);
	tally_print_hint("use --per-die, or -A for a line per CPU");
	return ret;
}
