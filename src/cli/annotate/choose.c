/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/annotate/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ------------------------------------------------------------------------- */

static int names_read(const struct tally_session *session, struct annotate_groups *groups)
{
	const struct tally_perfdata_event *event;
	int ret = 0;

	for (size_t i = 0; !ret && (event = tally_perfdata_event(session->data, i)); i++)
		ret = tally_vec_push(&groups->names, event->name);
	return ret;
}

/* Append the name of an event, or "anon group { a, b }" for a group, as perf does. */
static void add_name(const struct annotate_groups *groups, const struct annotate_group *group,
		     const char *name, struct tally_str *out)
{
	const uint32_t *events = groups->events.data + group->first;

	if (group->nr == 1) {
		tally_str_add(out, groups->names.data[events[0]]);
		return;
	}
	tally_str_add(out, name);
	for (uint32_t i = 0; i < group->nr; i++)
		tally_str_addf(out, "%s%s", i ? ", " : " { ", groups->names.data[events[i]]);
	tally_str_add(out, " }");
}

/* Add a group of the events in [first, first + nr) that have samples. Do nothing if none of them
 * has samples. */
static int group_add(struct annotate_groups *groups, const struct tally_annotate *annotate,
		     uint32_t first, uint32_t nr, const char *name)
{
	struct annotate_group group = {.first = (uint32_t)groups->events.len};
	int ret = 0;

	for (uint32_t i = first; i < first + nr && i < groups->names.len && !ret; i++) {
		if (!tally_annotate_total(annotate, i).nr)
			continue;
		ret = tally_vec_push(&groups->events, i);
		group.nr++;
	}
	if (ret || !group.nr)
		return ret;
	add_name(groups, &group, name, &group.name);
	ret = tally_str_error(&group.name);
	if (!ret)
		ret = tally_vec_push(&groups->all, group);
	if (ret)
		tally_str_free(&group.name);
	return ret;
}

/* Return the group that an event leads, or NULL. */
static const struct tally_perfdata_group *group_of(const struct tally_perfdata_env *env,
						   uint32_t leader)
{
	for (uint32_t i = 0; i < env->nr_groups; i++) {
		if (env->groups[i].leader == leader && env->groups[i].nr_members > 1)
			return &env->groups[i];
	}
	return NULL;
}

static int groups_fill(const struct annotate_config *config, const struct tally_perfdata_env *env,
		       const struct tally_annotate *annotate, struct annotate_groups *groups)
{
	uint32_t nr_events = (uint32_t)groups->names.len, nr = 1;
	int ret = 0;

	if (config->is_grouped)
		return group_add(groups, annotate, 0, nr_events, "group");
	for (uint32_t i = 0; i < nr_events && !ret; i += nr) {
		const struct tally_perfdata_group *group = group_of(env, i);

		nr = group ? group->nr_members : 1;
		nr = nr < nr_events - i ? nr : nr_events - i;
		ret = group_add(groups, annotate, i, nr,
				group && strcmp(group->name, "{anon_group}") ? group->name
									     : "anon group");
	}
	return ret;
}

int annotate_groups_find(const struct annotate_config *config, struct tally_session *session,
			 const struct tally_annotate *annotate, struct annotate_groups *ret_groups)
{
	struct annotate_groups groups = {0};
	const struct tally_perfdata_env *env;
	int ret = tally_perfdata_env(session->data, &env);

	if (!ret)
		ret = names_read(session, &groups);
	if (!ret)
		ret = groups_fill(config, env, annotate, &groups);
	if (ret)
		annotate_groups_free(&groups);
	else
		*ret_groups = groups;
	return ret;
}

void annotate_groups_free(struct annotate_groups *groups)
{
	tally_vec_for_each (group, &groups->all)
		tally_str_free(&group->name);
	tally_vec_free(&groups->all);
	tally_vec_free(&groups->events);
	tally_vec_free(&groups->names);
}

/* ---- functions ---------------------------------------------------------------------- */

struct weighed_function {
	const struct tally_annotate_function *function;
	uint64_t weight, nr, total_nr;
	double share; /* percentage of the event's samples; maximum over the group */
};

static struct weighed_function function_weigh(const struct tally_annotate *annotate,
					      const struct tally_annotate_function *function,
					      const uint32_t *events, size_t nr)
{
	struct weighed_function weighed = {.function = function};

	for (size_t i = 0; i < nr; i++) {
		struct tally_annotate_cost sum = tally_annotate_sum(annotate, function, events[i]);
		uint64_t all = tally_annotate_total(annotate, events[i]).weight;
		double share = all ? 100.0 * (double)sum.weight / (double)all : 0;

		weighed.nr += sum.nr;
		weighed.weight += sum.weight;
		weighed.total_nr += sum.total_nr;
		weighed.share = share > weighed.share ? share : weighed.share;
	}
	return weighed;
}

static int compare_weighed(const void *a, const void *b)
{
	const struct weighed_function *left = a, *right = b;
	uint32_t left_dso = tally_dso_number(left->function->dso);
	uint32_t right_dso = tally_dso_number(right->function->dso);

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	if (left_dso != right_dso)
		return left_dso < right_dso ? -1 : 1;
	return left->function->symbol->start < right->function->symbol->start ? -1 : 1;
}

int annotate_functions_find(const struct annotate_config *config,
			    const struct tally_annotate *annotate,
			    const struct annotate_groups *groups,
			    const struct annotate_group *group,
			    struct annotate_functions *ret_functions)
{
	TALLY_VEC(struct weighed_function) found = {0};
	int ret = 0;

	for (size_t i = 0; i < tally_annotate_nr_functions(annotate) && !ret; i++) {
		const struct tally_annotate_function *function =
			tally_annotate_function(annotate, i);
		struct weighed_function weighed = function_weigh(
			annotate, function, groups->events.data + group->first, group->nr);

		if (function->is_wanted && weighed.share >= config->limit &&
		    (config->symbol ? weighed.total_nr : weighed.nr))
			ret = tally_vec_push(&found, weighed);
	}
	if (found.len)
		qsort(found.data, found.len, sizeof(*found.data), compare_weighed);
	ret_functions->all.len = 0;
	tally_vec_for_each (weighed, &found) {
		if (!ret)
			ret = tally_vec_push(&ret_functions->all, weighed->function);
	}
	tally_vec_free(&found);
	return ret;
}
