/* SPDX-License-Identifier: BSD-2-Clause */
/* Convert -e, -d, -M and cgroups to rows, and to sets of events that are opened together. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "sampler/cgroups.h"
#include "cli/stat/stat_events.h"
#include "sampler/counting.h"

/* A requested event. Indices in the spec refer to the list of all requested events. */
struct requested {
	struct tally_event_spec spec;
	const char *cgroup, *filter;
	size_t option; /* index of its -e option, or SIZE_MAX */
	bool of_metric;
};

struct requested_list {
	TALLY_VEC(struct requested) items;
	uint32_t nr_groups;
};

/* ---- event strings -------------------------------------------------------- */

/* Add all events from a list, which must live as long as the session. */
static int requested_adopt(struct requested_list *requested, const struct tally_event_list *list,
			   size_t option, bool of_metric)
{
	uint32_t base = (uint32_t)requested->items.len;
	int ret = 0;

	for (size_t i = 0; i < list->nr && !ret; i++) {
		struct requested one = {list->specs[i], NULL, NULL, option, of_metric};

		one.spec.leader += base;
		one.spec.merge_first += base;
		one.spec.group += requested->nr_groups;
		ret = tally_vec_push(&requested->items, one);
	}
	requested->nr_groups += list->nr_groups;
	return ret;
}

static int requested_add(struct stat_session *session, struct requested_list *requested,
			 const char *text, size_t option)
{
	struct tally_event_error err = {0};
	struct tally_event_list *list;
	int ret = tally_events_parse(session->events, text, strlen(text), &list, &err);

	if (ret) {
		tally_event_error_emit(text, &err, &tally_print_messages);
		return ret == -ENOENT || ret == -E2BIG || ret == -ENODEV ? -EINVAL : ret;
	}
	ret = tally_vec_push(&session->lists, list);
	if (ret) {
		tally_event_list_free(list);
		return ret;
	}
	return requested_adopt(requested, list, option, false);
}

/* ---- metrics -------------------------------------------------------------- */

static bool nmi_watchdog_is_on(void)
{
	char value = '0';
	int fd = open("/proc/sys/kernel/nmi_watchdog", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, &value, 1) != 1)
		value = '0';
	close(fd);
	return value == '1';
}

static unsigned metric_flags(const struct stat_config *config)
{
	return (config->metric_no_group ? TALLY_METRICS_NO_GROUP : 0) |
	       (config->metric_no_merge ? TALLY_METRICS_NO_MERGE : 0) |
	       (config->topdown ? TALLY_METRICS_THRESHOLDS : 0) |
	       (!config->source.cpuid && nmi_watchdog_is_on() ? TALLY_METRICS_NMI_WATCHDOG : 0);
}

static int requested_metric(struct stat_session *session, struct requested_list *requested,
			    const char *text)
{
	struct tally_event_error err = {0};
	struct tally_metric_list *list;
	size_t base = requested->items.len;
	int ret = tally_metrics_parse(session->events, text, strlen(text),
				      metric_flags(session->config), &list, &err);

	if (ret) {
		tally_event_error_emit(text, &err, &tally_print_messages);
		return ret == -ENOENT ? -EINVAL : ret;
	}
	ret = tally_vec_push(&session->metric_lists, list);
	if (ret) {
		tally_metric_list_free(list);
		return ret;
	}
	for (size_t i = 0; i < list->nr && !ret; i++)
		ret = tally_vec_push(&session->formulas,
				     (struct stat_formula){list, &list->metrics[i], base});
	return ret ? ret : requested_adopt(requested, list->events, SIZE_MAX, true);
}

/* Fail if no metric has an event on the PMU of --pmu-filter. */
static int check_metric_pmu(const struct stat_session *session,
			    const struct requested_list *requested)
{
	const char *pmu = session->config->metric_pmu;

	if (!pmu)
		return 0;
	tally_vec_for_each (one, &requested->items)
		if (one->of_metric && one->spec.pmu && !strcmp(one->spec.pmu, pmu))
			return 0;
	tally_print_error("--pmu-filter %s: no event of the metrics is counted on this PMU", pmu);
	tally_print_hint("use the name of a PMU in /sys/bus/event_source/devices");
	return -EINVAL;
}

static int requested_metrics(struct stat_session *session, struct requested_list *requested)
{
	const struct stat_config *config = session->config;
	char topdown[32];
	int ret;

	snprintf(topdown, sizeof(topdown), "TopdownL%u",
		 (unsigned)TALLY_MAX(config->topdown_level, 1));
	if (config->metrics.nr || config->topdown)
		tally_event_source_warn(session->events, &tally_print_messages);
	ret = tally_events_set_metric_pmu(session->events, config->metric_pmu);
	for (size_t i = 0; i < config->metrics.nr && !ret; i++)
		ret = requested_metric(session, requested, config->metrics.items[i]);
	if (!ret && config->topdown)
		ret = requested_metric(session, requested, topdown);
	return ret ? ret : check_metric_pmu(session, requested);
}

/* ---- events added by default ----------------------------------------------- */

/* Return true if all the events exist. */
static bool events_exist(struct stat_session *session, const char *text)
{
	struct tally_event_error err;
	struct tally_event_list *list;
	int ret = tally_events_parse(session->events, text, strlen(text), &list, &err);

	if (!ret)
		tally_event_list_free(list);
	return !ret;
}

static int requested_transaction(struct stat_session *session, struct requested_list *requested)
{
	static const char *const sets[] = {
		"task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/,cpu/el-start/,"
		"cpu/cycles-ct/}",
		"task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}",
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(sets); i++)
		if (events_exist(session, sets[i]))
			return requested_add(session, requested, sets[i], SIZE_MAX);
	tally_print_error("-T: the PMU 'cpu' has no events cycles-t and tx-start");
	tally_print_hint("only Intel CPUs with TSX have them, unless TSX is disabled");
	return -EINVAL;
}

static int requested_smi(struct stat_session *session, struct requested_list *requested)
{
	static const char events[] = "{msr/aperf/,msr/smi/,cycles}";

	if (events_exist(session, events))
		return requested_add(session, requested, events, SIZE_MAX);
	tally_print_error("--smi-cost: the PMU 'msr' has no events aperf and smi");
	tally_print_hint("only Intel CPUs have the event smi, and only on real hardware");
	return -EINVAL;
}

static int requested_default(struct stat_session *session, struct requested_list *requested)
{
	struct tally_str events = {0};
	int ret;

	tally_counting_events(session->system_wide, &events);
	ret = tally_str_error(&events);
	if (!ret)
		ret = requested_add(session, requested, tally_str_text(&events), SIZE_MAX);
	tally_str_free(&events);
	return ret;
}

static int requested_detail(struct stat_session *session, struct requested_list *requested)
{
	static const char *const levels[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
		"iTLB-loads,iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	int ret = 0;

	for (int i = 0; i < session->config->detail && i < (int)TALLY_ARRAY_SIZE(levels) && !ret;
	     i++)
		ret = requested_add(session, requested, levels[i], SIZE_MAX);
	return ret;
}

/* Add the events of options that do not name events, and the default events. */
static int requested_sets(struct stat_session *session, struct requested_list *requested)
{
	const struct stat_config *config = session->config;
	int ret = 0;

	if (config->transaction)
		ret = requested_transaction(session, requested);
	if (!ret && config->smi_cost)
		ret = requested_smi(session, requested);
	if (!ret && !requested->items.len)
		ret = requested_default(session, requested);
	if (!ret && !config->transaction && !config->smi_cost)
		ret = requested_detail(session, requested);
	return ret;
}

static int requested_all(struct stat_session *session, struct requested_list *requested)
{
	const struct stat_config *config = session->config;
	int ret = 0;

	for (size_t i = 0; i < config->events.nr && !ret; i++)
		ret = requested_add(session, requested, config->events.items[i], i);
	if (!ret)
		ret = requested_metrics(session, requested);
	if (!ret && !config->null_run)
		ret = requested_sets(session, requested);
	if (!ret && config->group && requested->items.len)
		tally_event_specs_group(&requested->items.data[0].spec, requested->items.len,
					sizeof(requested->items.data[0]));
	tally_vec_for_each (one, &requested->items) {
		if (config->all_user)
			one->spec.attr.exclude_kernel = one->spec.attr.exclude_hv = 1;
		if (config->all_kernel)
			one->spec.attr.exclude_user = 1;
		session->has_groups |= one->spec.in_braces && one->spec.nr_members > 1;
	}
	return ret;
}

/* ---- cgroups -------------------------------------------------------------- */

/* Return the next name in a list, copied to the session's memory. Return "" for an omitted name, or
 * NULL if out of memory. */
static const char *next_name(struct stat_session *session, const char **list)
{
	size_t len = strcspn(*list, ",");
	const char *name = tally_arena_strndup(&session->strings, *list, len);

	*list += len + ((*list)[len] == ',');
	return name;
}

/* Apply the -G options. A single name applies to all events since the previous -G. With several
 * names, each name applies to one event. */
static int requested_cgroups(struct stat_session *session, struct requested_list *requested)
{
	size_t at = 0;

	tally_vec_for_each (option, &session->config->cgroups.items) {
		const char *rest = option->text, *name = next_name(session, &rest);
		bool one = !strchr(option->text, ',');

		for (; at < requested->items.len &&
		       requested->items.data[at].option < option->nr_events;
		     at++) {
			if (!name)
				return -ENOMEM;
			requested->items.data[at].cgroup = *name ? name : NULL;
			if (one)
				continue;
			name = *rest ? next_name(session, &rest) : "";
		}
		if (!one && (!name || *name || *rest)) {
			tally_print_error("-G %s: more cgroups than preceding events",
					  option->text);
			return -EINVAL;
		}
	}
	return 0;
}

/* The events to copy for each cgroup. */
struct copied {
	size_t nr, formulas;
	uint32_t copies; /* made so far */
};

/* Make copy number copied->copies of all events, for a cgroup; copy 0 is the events themselves. */
static int copy_for(struct stat_session *session, struct requested_list *requested,
		    struct copied *copied, const char *name)
{
	uint32_t copies = copied->copies++;
	int ret = name ? 0 : -ENOMEM;

	for (size_t i = 0; i < copied->nr && !ret; i++) {
		struct requested one = requested->items.data[i];

		one.cgroup = name;
		one.spec.leader += copies * (uint32_t)copied->nr;
		one.spec.merge_first += copies * (uint32_t)copied->nr;
		one.spec.group += copies * requested->nr_groups;
		if (copies)
			ret = tally_vec_push(&requested->items, one);
		else
			requested->items.data[i].cgroup = name;
	}
	for (size_t i = 0; i < copied->formulas && copies && !ret; i++) {
		struct stat_formula formula = session->formulas.data[i];

		formula.base += copies * copied->nr;
		ret = tally_vec_push(&session->formulas, formula);
	}
	return ret;
}

/* Copy the events for each cgroup that matches a pattern. */
static int copy_for_pattern(struct stat_session *session, struct requested_list *requested,
			    struct copied *copied, const char *pattern)
{
	struct tally_cgroup_names names;
	int ret = tally_cgroups_match(pattern, &names);

	if (ret) {
		tally_print_error("cgroups %s: %s", pattern, strerror(-ret));
		return ret;
	}
	if (!names.all.len) {
		tally_print_error("no cgroup matches '%s'", pattern);
		ret = -ENOENT;
	}
	tally_vec_for_each (name, &names.all)
		if (!ret)
			ret = copy_for(
				session, requested, copied,
				tally_arena_strndup(&session->strings, *name, strlen(*name)));
	tally_cgroup_names_free(&names);
	return ret;
}

/* Make a copy of all events for each cgroup in --for-each-cgroup. */
static int requested_each_cgroup(struct stat_session *session, struct requested_list *requested)
{
	struct copied copied = {requested->items.len, session->formulas.len, 0};
	const char *rest = session->config->each_cgroup;
	int ret = 0;

	while (rest && *rest && !ret) {
		const char *name = next_name(session, &rest);

		if (!name)
			return -ENOMEM;
		ret = tally_cgroup_is_pattern(name)
			      ? copy_for_pattern(session, requested, &copied, name)
			      : copy_for(session, requested, &copied, name);
	}
	return ret;
}

/* ---- filters -------------------------------------------------------------- */

static int requested_filters(struct stat_session *session, struct requested_list *requested)
{
	tally_vec_for_each (option, &session->config->filters.items) {
		size_t used = 0;

		tally_vec_for_each (one, &requested->items) {
			if (one->option + 1 != option->nr_events ||
			    one->spec.attr.type != PERF_TYPE_TRACEPOINT)
				continue;
			one->filter = option->text;
			used++;
		}
		if (!used) {
			tally_print_error("--filter '%s': the preceding -e has no tracepoint",
					  option->text);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- rows and sets -------------------------------------------------------- */

static int set_new(struct stat_session *session, const char *cgroup, size_t room)
{
	struct stat_set set = {.cgroup = cgroup, .cgroup_fd = -1};
	int ret = 0;

	set.list.specs = calloc(room, sizeof(*set.list.specs));
	set.now = calloc(room, sizeof(*set.now));
	set.rows = calloc(room, sizeof(*set.rows));
	if (!set.list.specs || !set.now || !set.rows)
		ret = -ENOMEM;
	if (!ret && cgroup)
		ret = tally_cgroup_open(cgroup, &set.cgroup_fd);
	if (ret && ret != -ENOMEM)
		tally_print_error("cgroup %s: %s", cgroup, strerror(-ret));
	if (!ret)
		ret = tally_vec_push(&session->sets, set);
	if (ret)
		stat_set_free(&set);
	return ret;
}

void stat_set_free(struct stat_set *set)
{
	if (set->cgroup_fd >= 0)
		close(set->cgroup_fd);
	free(set->list.specs);
	free(set->now);
	free(set->rows);
}

static bool same_cgroup(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Add an event to the newest set. Convert the event's `leader` to an index in that set. */
static void set_add(struct stat_session *session, struct stat_row *row,
		    const struct tally_event_spec *spec)
{
	struct stat_set *set = &session->sets.data[session->sets.len - 1];
	struct tally_event_spec *copy = &set->list.specs[set->list.nr];
	const struct stat_row *leader =
		spec->leader < session->rows.len ? &session->rows.data[spec->leader] : row;

	*copy = *spec;
	row->set = session->sets.len - 1;
	row->event = set->list.nr++;
	set->rows[row->event] = session->rows.len;
	row->spec = copy;
	copy->leader = (uint32_t)row->event;
	if (leader != row && leader->set == row->set && !leader->spec->tool)
		copy->leader = (uint32_t)leader->event;
}

/* Return the name of one of several events that --no-merge shows separately, as in perf:
 * "uncore_x_0/reads/" for "uncore_x/reads/", and "reads [uncore_x_0]" for "reads". Return NULL if
 * out of memory. */
static const char *name_apart(struct stat_session *session, const struct tally_event_spec *spec)
{
	const char *slash = strchr(spec->name, '/'), *kept;
	struct tally_str text = {0};

	if (slash)
		tally_str_addf(&text, "%s%s", spec->pmu, slash);
	else
		tally_str_addf(&text, "%s [%s]", spec->name, spec->pmu);
	kept = tally_str_error(&text) ? NULL
				      : tally_arena_strndup(&session->strings, text.data, text.len);
	tally_str_free(&text);
	return kept;
}

static int row_add(struct stat_session *session, const struct requested *one, size_t index,
		   size_t room)
{
	bool merge = one->spec.merge && (!session->config->no_merge || one->of_metric);
	size_t nr = session->sets.len;
	struct stat_row row = {
		.spec = &one->spec,
		.name = one->spec.name,
		.cgroup = one->cgroup,
		.filter = one->filter,
		.of_metric = one->of_metric,
		.apart = one->spec.merge && !merge,
		.merged = merge && one->spec.merge_first != index,
		.merged_into = merge ? one->spec.merge_first : index,
	};
	int ret = 0;

	if (row.apart && one->spec.pmu)
		row.name = name_apart(session, &one->spec);
	if (!row.name)
		return -ENOMEM;
	if (one->spec.tool) {
		/* The event is not opened, so its spec need not be in a set. */
		struct tally_event_spec *copy = tally_arena_alloc(&session->strings, sizeof(*copy));

		if (!copy)
			return -ENOMEM;
		*copy = one->spec;
		row.spec = copy;
		row.set = SIZE_MAX;
		return tally_vec_push(&session->rows, row);
	}
	if (!nr || !same_cgroup(session->sets.data[nr - 1].cgroup, one->cgroup))
		ret = set_new(session, one->cgroup, room);
	if (ret)
		return ret;
	set_add(session, &row, &one->spec);
	return tally_vec_push(&session->rows, row);
}

int stat_events_parse(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	struct requested_list requested = {0};
	int ret = 0;

	if (config->null_run && !config->events.nr && !config->metrics.nr)
		return 0;
	ret = tally_event_source_open(&config->source, &tally_print_messages, &session->events);
	if (!ret)
		ret = requested_all(session, &requested);
	if (!ret)
		ret = requested_filters(session, &requested);
	if (!ret)
		ret = requested_cgroups(session, &requested);
	if (!ret)
		ret = requested_each_cgroup(session, &requested);
	for (size_t i = 0; i < requested.items.len && !ret; i++)
		ret = row_add(session, &requested.items.data[i], i, requested.items.len - i);
	tally_vec_free(&requested.items);
	return ret;
}
