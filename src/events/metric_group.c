/* SPDX-License-Identifier: BSD-2-Clause */
/* Group the events used by metrics. Each group has as many events as the counters permit, and
 * events for the same metric are grouped first. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "events/metric.h"

struct metric_group {
	TALLY_VEC(uint32_t) events; /* indexes into the maker's events */
	bool alone;                 /* single event that is not grouped with others */
	uint32_t place;             /* index of the group's first event in the list */
};

struct grouping {
	struct tally_metric_maker *maker;
	struct tally_event_counters all;
	TALLY_VEC(struct metric_group) groups;
};

/* Events for different kinds of cores cannot be in the same group. */
static bool same_core(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool group_has(const struct metric_group *group, uint32_t event)
{
	for (size_t i = 0; i < group->events.len; i++)
		if (group->events.data[i] == event)
			return true;
	return false;
}

/* Return 1 if the events fit in the group, 0 if they do not, or -ENOMEM. */
static int group_fits(const struct grouping *grouping, const struct metric_group *group,
		      const uint32_t *events, size_t nr)
{
	const struct tally_metric_event *all = grouping->maker->events.data;
	struct tally_event_counters *needs = calloc(group->events.len + nr + 1, sizeof(*needs));
	size_t used = 0;
	bool fits = !group->events.len ||
		    same_core(all[group->events.data[0]].core, all[events[0]].core);

	if (!needs)
		return -ENOMEM;
	for (size_t i = 0; i < group->events.len; i++)
		needs[used++] = all[group->events.data[i]].needs;
	for (size_t i = 0; i < nr; i++)
		if (!group_has(group, events[i]))
			needs[used++] = all[events[i]].needs;
	fits = fits && tally_event_counters_fit(needs, used, grouping->all);
	free(needs);
	return fits;
}

static int group_add(struct metric_group *group, const uint32_t *events, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		if (!group_has(group, events[i]))
			ret = tally_vec_push(&group->events, events[i]);
	return ret;
}

/* Add the events to a group that has space for them: a group with an index from `first` on, or a
 * new group. Returns the group's index, -ENOMEM, or -ENOSPC if the events do not fit in any
 * group. */
static int group_find(struct grouping *grouping, size_t first, const uint32_t *events, size_t nr)
{
	struct metric_group empty = {.alone = false};
	int ret = group_fits(grouping, &empty, events, nr);

	if (ret <= 0)
		return ret ? ret : -ENOSPC;
	for (size_t i = first; i < grouping->groups.len; i++) {
		struct metric_group *group = &grouping->groups.data[i];

		if (group->alone)
			continue;
		ret = group_fits(grouping, group, events, nr);
		if (ret > 0)
			ret = group_add(group, events, nr) ? -ENOMEM : (int)i;
		else if (!ret)
			continue;
		return ret;
	}
	ret = tally_vec_push(&grouping->groups, empty);
	if (!ret)
		ret = group_add(&grouping->groups.data[grouping->groups.len - 1], events, nr);
	return ret ? ret : (int)grouping->groups.len - 1;
}

/* Return the group that contains only this event and is shared by all metrics. Add the group if
 * necessary. */
static int alone_find(struct grouping *grouping, uint32_t event)
{
	struct metric_group group = {.alone = true};
	int ret;

	for (size_t i = 0; i < grouping->groups.len; i++)
		if (grouping->groups.data[i].alone && group_has(&grouping->groups.data[i], event))
			return (int)i;
	ret = group_add(&group, &event, 1);
	if (!ret)
		ret = tally_vec_push(&grouping->groups, group);
	if (ret)
		tally_vec_free(&group.events);
	return ret ? ret : (int)grouping->groups.len - 1;
}

static bool wants_no_group(const struct grouping *grouping, const struct tally_metric_draft *draft)
{
	struct tally_metric_maker *maker = grouping->maker;

	if (maker->flags & TALLY_METRICS_NO_GROUP)
		return true;
	switch ((enum tally_metric_constraint)draft->row->constraint) {
	case TALLY_METRIC_NO_GROUP: return true;
	case TALLY_METRIC_NO_GROUP_NMI: return maker->flags & TALLY_METRICS_NMI_WATCHDOG;
	case TALLY_METRIC_NO_GROUP_SMT:
		return tally_literal_value(maker->events_of, "#smt_on", 7) != 0;
	default: return false;
	}
}

/* Return true for the slots event (Intel's pseudo event code 4). Topdown events are parts of it. */
static bool is_slots(const struct tally_metric_event *event)
{
	static const char name[] = "TOPDOWN.SLOTS";
	const char *found = strcasestr(event->text, name);

	return found && (!found[sizeof(name) - 1] || found[sizeof(name) - 1] == '/');
}

/* Find a group for an event if the metric's events do not fit in a single group. A topdown event
 * needs the slots event in its group. */
static int one_find(struct grouping *grouping, const struct tally_metric_draft *draft, size_t first,
		    uint32_t event)
{
	const struct tally_metric_event *all = grouping->maker->events.data;
	uint32_t both[2] = {event, event};

	for (size_t i = 0; i < draft->events.len && all[event].part; i++)
		if (is_slots(&all[draft->events.data[i]]))
			both[0] = draft->events.data[i];
	return group_find(grouping, first, both, both[0] == event ? 1 : 2);
}

/* Make the slots event the leader of its group. */
static void slots_first(struct grouping *grouping)
{
	tally_vec_for_each (group, &grouping->groups) {
		for (size_t i = 1; i < group->events.len; i++) {
			uint32_t event = group->events.data[i];

			if (!is_slots(&grouping->maker->events.data[event]))
				continue;
			memmove(group->events.data + 1, group->events.data, i * sizeof(event));
			group->events.data[0] = event;
		}
	}
}

/* Assign each event to a group. `group` is the group for the whole metric, or -ENOSPC to use as few
 * separate groups as possible. */
static int draft_place(struct grouping *grouping, struct tally_metric_draft *draft, bool alone,
		       int group)
{
	size_t first = grouping->groups.len;

	for (size_t i = 0; i < draft->events.len; i++) {
		uint32_t event = draft->events.data[i];
		int at = group;

		if ((alone && !grouping->maker->events.data[event].part) ||
		    !grouping->maker->events.data[event].grouped)
			at = alone_find(grouping, event);
		else if (alone || group == -ENOSPC)
			at = one_find(grouping, draft, first, event);
		if (at == -ENOSPC) /* does not fit known counters: let the kernel decide */
			at = alone_find(grouping, event);
		if (at < 0)
			return at;
		draft->places.data[draft->places.len++] = (uint32_t)at;
	}
	return 0;
}

static int draft_group(struct grouping *grouping, struct tally_metric_draft *draft)
{
	const struct tally_metric_maker *maker = grouping->maker;
	bool alone = wants_no_group(grouping, draft);
	size_t nr = draft->events.len, used = 0;
	uint32_t *together = calloc(nr + 1, sizeof(*together));
	int ret = together ? tally_vec_reserve(&draft->places, nr) : -ENOMEM;
	int group = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		if (!alone && maker->events.data[draft->events.data[i]].grouped)
			together[used++] = draft->events.data[i];
	if (!ret && used) {
		group = group_find(grouping,
				   maker->flags & TALLY_METRICS_NO_MERGE ? grouping->groups.len : 0,
				   together, used);
		ret = group == -ENOSPC ? 0 : TALLY_MIN(group, 0);
	}
	draft->together = !alone && group != -ENOSPC;
	ret = ret ? ret : draft_place(grouping, draft, alone, group);
	free(together);
	return ret;
}

static void groups_write(struct grouping *grouping, struct tally_str *out)
{
	const struct tally_metric_event *events = grouping->maker->events.data;
	uint32_t place = 0;

	tally_vec_for_each (group, &grouping->groups) {
		bool braces = group->events.len > 1;

		group->place = place;
		tally_str_add(out, out->len ? braces ? ",{" : "," : braces ? "{" : "");
		for (size_t i = 0; i < group->events.len; i++) {
			tally_str_addf(out, "%s%s", i ? "," : "",
				       events[group->events.data[i]].text);
			place += events[group->events.data[i]].nr_specs;
		}
		tally_str_add(out, braces ? "}:W" : "");
	}
}

/* Return the list index of an event in a group. */
static uint32_t place_of(const struct grouping *grouping, const struct metric_group *group,
			 uint32_t event)
{
	uint32_t place = group->place;

	for (size_t i = 0; group->events.data[i] != event; i++)
		place += grouping->maker->events.data[group->events.data[i]].nr_specs;
	return place;
}

int tally_metrics_group(struct tally_metric_maker *maker, struct tally_str *out)
{
	struct grouping grouping = {.maker = maker};
	int ret = tally_events_counters(maker->events_of, &grouping.all);

	/* The NMI watchdog occupies the fixed cycle counter. */
	if (maker->flags & TALLY_METRICS_NMI_WATCHDOG)
		grouping.all.fixed &= (uint8_t)~2;
	for (size_t i = 0; i < maker->drafts.len && !ret; i++)
		ret = draft_group(&grouping, &maker->drafts.data[i]);
	if (!ret) {
		slots_first(&grouping);
		groups_write(&grouping, out);
		ret = tally_str_error(out);
	}
	for (size_t i = 0; i < maker->drafts.len && !ret; i++) {
		struct tally_metric_draft *draft = &maker->drafts.data[i];

		for (size_t e = 0; e < draft->places.len; e++)
			draft->places.data[e] =
				place_of(&grouping, &grouping.groups.data[draft->places.data[e]],
					 draft->events.data[e]);
	}
	tally_vec_for_each (group, &grouping.groups)
		tally_vec_free(&group->events);
	tally_vec_free(&grouping.groups);
	return ret;
}
