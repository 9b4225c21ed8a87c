/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/event_groups.h"

#include <errno.h>
#include <string.h>

#include "base/map.h"

struct group_finder {
	const struct tally_session *session;
	const struct tally_event_groups_options *options;
	const struct tally_perfdata_env *env;
	struct tally_map by_leader; /* leader's event number -> index in env->groups */
	bool has_recorded;
	struct tally_event_groups groups;
};

static int read_names(struct group_finder *finder)
{
	const struct tally_perfdata_event *event;
	int ret = 0;

	for (size_t i = 0; !ret && (event = tally_perfdata_event(finder->session->data, i)); i++)
		ret = tally_vec_push(&finder->groups.names, event->name);
	return ret;
}

/* Append the name of an event, or "NAME { a, b }" for a group, as perf does. If `name` is NULL, the
 * group was not recorded as a group, and its name is "a, b". */
static void add_name(const struct group_finder *finder, const struct tally_event_group *group,
		     const char *name, struct tally_str *out)
{
	const uint32_t *events = finder->groups.events.data + group->first;
	bool is_named = name && group->nr > 1;

	if (is_named)
		tally_str_addf(out, "%s { ", name);
	for (uint32_t i = 0; i < group->nr; i++)
		tally_str_addf(out, "%s%s", i ? ", " : "", finder->groups.names.data[events[i]]);
	tally_str_add(out, is_named ? " }" : "");
}

/* Add a group of at most TALLY_EVENT_GROUP_MAX of the events in [*first, end) that have samples, if
 * there are any, and advance `*first` past them. */
static int add_group(struct group_finder *finder, uint32_t *first, uint32_t end, const char *name)
{
	const struct tally_event_groups_options *options = finder->options;
	struct tally_event_groups *groups = &finder->groups;
	struct tally_event_group group = {.first = (uint32_t)groups->events.len};
	int ret = 0;

	for (; *first < end && group.nr < TALLY_EVENT_GROUP_MAX && !ret; ++*first) {
		if (!options->has_samples(options->arg, *first))
			continue;
		ret = tally_vec_push(&groups->events, *first);
		group.nr++;
	}
	if (ret || !group.nr)
		return ret;
	add_name(finder, &group, name, &group.name);
	ret = tally_str_error(&group.name);
	if (!ret)
		ret = tally_vec_push(&groups->all, group);
	if (ret)
		tally_str_free(&group.name);
	return ret;
}

/* Index the recorded groups. If several have the same leader, the first one is used. */
static int index_groups(struct group_finder *finder)
{
	int ret = 0;

	for (uint32_t i = 0; i < finder->env->nr_groups && !ret; i++) {
		const struct tally_perfdata_group *group = &finder->env->groups[i];

		finder->has_recorded |= group->nr_members > 1;
		if (group->nr_members > 1 &&
		    tally_map_get(&finder->by_leader, group->leader) == TALLY_MAP_NONE)
			ret = tally_map_set(&finder->by_leader, group->leader, i);
	}
	return ret;
}

static const char *group_name(const struct tally_perfdata_group *group)
{
	return strcmp(group->name, "{anon_group}") ? group->name : "anon group";
}

static int add_groups(struct group_finder *finder)
{
	uint32_t nr_events = (uint32_t)finder->groups.names.len, i = 0, nr, end;
	int ret = 0;

	while (finder->options->joins_all && !finder->has_recorded && i < nr_events && !ret)
		ret = add_group(finder, &i, nr_events, NULL);
	while (i < nr_events && !ret) {
		uint64_t at = tally_map_get(&finder->by_leader, i);
		const struct tally_perfdata_group *group =
			at == TALLY_MAP_NONE ? NULL : &finder->env->groups[at];

		nr = group ? group->nr_members : 1;
		end = nr < nr_events - i ? i + nr : nr_events;
		while (i < end && !ret)
			ret = add_group(finder, &i, end, group ? group_name(group) : NULL);
	}
	return ret;
}

int tally_event_groups_find(struct tally_session *session,
			    const struct tally_event_groups_options *options,
			    struct tally_event_groups *ret_groups)
{
	struct group_finder finder = {.session = session, .options = options};
	int ret = tally_perfdata_env(session->data, &finder.env);

	if (!ret)
		ret = read_names(&finder);
	if (!ret && !options->joins_none)
		ret = index_groups(&finder);
	if (!ret)
		ret = add_groups(&finder);
	tally_map_free(&finder.by_leader);
	if (ret)
		tally_event_groups_free(&finder.groups);
	else
		*ret_groups = finder.groups;
	return ret;
}

void tally_event_groups_free(struct tally_event_groups *groups)
{
	tally_vec_for_each (group, &groups->all)
		tally_str_free(&group->name);
	tally_vec_free(&groups->all);
	tally_vec_free(&groups->events);
	tally_vec_free(&groups->names);
}
