/* SPDX-License-Identifier: BSD-2-Clause */
/* --plan: show which groups fit on the counters, and how much of the time each group is counted. */
#include "cli/stat/plan.h"
#include "cli/stat/plan_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/json.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/stat/stat.h"

enum { SCHEMA_VERSION = 1, NAME_WIDTH = 40 };

/* All sets (one per cgroup) have the same events, so the plan covers only the first set. */
static int plan_fill(struct stat_session *session, struct stat_plan *plan)
{
	const struct stat_set *set = session->sets.len ? &session->sets.data[0] : NULL;
	int ret = tally_events_counters(session->events, &plan->all);

	plan->nr = set ? set->list.nr : 0;
	plan->events = calloc(plan->nr + 1, sizeof(*plan->events));
	if (ret || !plan->events)
		return ret ? ret : -ENOMEM;
	for (size_t i = 0; i < plan->nr; i++) {
		const struct tally_event_spec *spec = &set->list.specs[i];

		plan->events[i] = (struct stat_plan_event){
			.spec = spec,
			.can = tally_event_counters_of(session->events, spec, plan->all),
			.leader = spec->in_braces ? spec->leader : i,
		};
	}
	return 0;
}

static size_t group_end(const struct stat_plan *plan, size_t first)
{
	size_t end = first + 1;

	while (end < plan->nr && plan->events[end].leader == first)
		end++;
	return end;
}

static bool needs_counter(const struct stat_plan_event *event)
{
	return event->can.generic || event->can.fixed;
}

/* Return a message stating whether a group fits. */
static const char *group_verdict(const struct stat_plan *plan, size_t first, size_t end)
{
	bool counters = false;

	for (size_t i = first; i < end; i++) {
		if (plan->events[i].refused)
			return "does not fit: members cannot be opened";
		if (plan->events[i].alone)
			return "does not fit: some events are counted separately";
		counters |= needs_counter(&plan->events[i]);
	}
	if (!counters)
		return "needs no counter";
	return plan->events[first].share > 0 ? "fits" : "never gets a turn";
}

static void add_mask(struct tally_str *out, const char *word, unsigned mask)
{
	for (int i = 0; mask >> i; i++)
		if (mask >> i & 1)
			tally_str_addf(out, "%s%d", out->len ? "," : word, i);
}

static void counters_text(const struct stat_plan_event *event, struct tally_str *out)
{
	struct tally_str fixed = {0};

	add_mask(out, "", event->can.generic);
	add_mask(&fixed, "fixed ", event->can.fixed);
	tally_str_addf(out, "%s%s", out->len && fixed.len ? " or " : "", tally_str_text(&fixed));
	tally_str_free(&fixed);
}

/* ---- text ----------------------------------------------------------------------- */

static void text_event(const struct stat_plan_event *event, struct tally_str *out)
{
	struct tally_str counters = {0};

	counters_text(event, &counters);
	tally_str_addf(out, "    %-*s ", NAME_WIDTH, event->spec->name);
	if (event->refused)
		tally_str_addf(out, "rejected: %s", strerror(-event->refused));
	else if (needs_counter(event))
		tally_str_addf(out, "%6.2f%%  on %s%s", 100 * event->share,
			       tally_str_text(&counters), event->alone ? ", separately" : "");
	else
		tally_str_add(out, "100.00%  without a counter");
	tally_str_add_char(out, '\n');
	tally_str_free(&counters);
}

static void text_plan(const struct stat_plan *plan, const struct tally_events_table *table,
		      struct tally_str *out)
{
	size_t nr = 0;

	tally_str_addf(out, "Plan for %s: %d general-purpose and %d fixed counters\n\n",
		       *table->name ? table->name : table->arch,
		       __builtin_popcount(plan->all.generic), __builtin_popcount(plan->all.fixed));
	for (size_t first = 0, end; first < plan->nr; first = end) {
		end = group_end(plan, first);
		tally_str_addf(out, "  group %zu: %s\n", ++nr, group_verdict(plan, first, end));
		for (size_t i = first; i < end; i++)
			text_event(&plan->events[i], out);
	}
	tally_str_addf(out, "\n%zu group%s, %" PRIu32 " pass%s\n", nr, tally_plural(nr),
		       plan->passes, plan->passes == 1 ? "" : "es");
}

/* Print the metrics. A metric's share is the smallest share among its events. */
static void text_metrics(const struct stat_session *session, const struct stat_plan *plan,
			 struct tally_str *out)
{
	tally_vec_for_each (formula, &session->formulas) {
		const struct tally_metric *metric = formula->metric;
		double share = 1;

		if (metric->hidden)
			continue;
		for (size_t i = 0; i < metric->nr_events; i++) {
			const struct stat_row *row =
				&session->rows.data[formula->base + metric->events[i]];

			if (row->set == 0)
				share = TALLY_MIN(share, plan->events[row->event].share);
		}
		tally_str_addf(out, "  metric %-*s %6.2f%%%s\n", NAME_WIDTH - 5, metric->name,
			       100 * share,
			       metric->together ? "" : "  events counted at different times");
	}
}

/* ---- JSON ------------------------------------------------------------------------- */

static void json_event(const struct stat_plan_event *event, struct tally_str *out)
{
	struct tally_str counters = {0};

	counters_text(event, &counters);
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "event", event->spec->name);
	tally_json_text(out, "counters", tally_str_text(&counters));
	tally_json_bool(out, "alone", event->alone);
	if (event->refused)
		tally_json_s64(out, "errno", -event->refused);
	else
		tally_json_double(out, "share", event->share, 6);
	tally_json_close(out, '}');
	tally_str_free(&counters);
}

static void json_plan(const struct stat_plan *plan, const struct tally_events_table *table,
		      struct tally_str *out)
{
	tally_json_open(out, NULL, '{');
	tally_json_u64(out, "version", SCHEMA_VERSION);
	tally_json_text(out, "table", table->name);
	tally_json_u64(out, "counters", (uint64_t)__builtin_popcount(plan->all.generic));
	tally_json_u64(out, "fixed", (uint64_t)__builtin_popcount(plan->all.fixed));
	tally_json_u64(out, "passes", plan->passes);
	tally_json_open(out, "groups", '[');
	for (size_t first = 0, end; first < plan->nr; first = end) {
		end = group_end(plan, first);
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "verdict", group_verdict(plan, first, end));
		tally_json_open(out, "events", '[');
		for (size_t i = first; i < end; i++)
			json_event(&plan->events[i], out);
		tally_json_close(out, ']');
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
	tally_json_close(out, '}');
	tally_str_add_char(out, '\n');
}

int stat_plan(struct stat_session *session)
{
	struct stat_plan plan = {.events = NULL};
	struct tally_events_table table;
	struct tally_str out = {0};
	int ret = tally_events_table_get(session->events, &table);

	if (!ret)
		ret = plan_fill(session, &plan);
	if (!ret)
		ret = stat_plan_run(&plan);
	if (!ret && session->config->json) {
		json_plan(&plan, &table, &out);
	} else if (!ret) {
		text_plan(&plan, &table, &out);
		text_metrics(session, &plan, &out);
	}
	if (!ret)
		ret = tally_output_flush(&out);
	if (ret)
		tally_print_error("cannot create a plan: %s",
				  ret == -E2BIG ? "too many different counter constraints"
						: strerror(-ret));
	tally_str_free(&out);
	free(plan.events);
	return ret;
}
