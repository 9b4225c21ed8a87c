/* SPDX-License-Identifier: BSD-2-Clause */
/* Open every event on every CPU for every thread. On failure, nothing stays open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/counters_private.h"

static int copy_cpus(const struct tally_cpus *cpus, struct tally_cpus **ret_copy)
{
	size_t bytes = sizeof(*cpus) + cpus->nr * sizeof(cpus->cpu[0]);
	struct tally_cpus *copy = malloc(bytes);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, cpus, bytes);
	*ret_copy = copy;
	return 0;
}

/* Return the requested CPUs that the PMU covers, for a PMU that does not cover all CPUs. */
static int pmu_cpus(const struct tally_event_spec *spec, const struct tally_cpus *asked,
		    struct tally_cpus **ret_cpus)
{
	struct tally_cpus *cpus = malloc(sizeof(*cpus) + spec->nr_cpus * sizeof(cpus->cpu[0]));

	if (!cpus)
		return -ENOMEM;
	cpus->nr = 0;
	for (size_t i = 0; i < spec->nr_cpus; i++) {
		if (asked->cpu[0].number < 0 ||
		    tally_cpus_index(asked, (int32_t)spec->cpus[i]) >= 0)
			cpus->cpu[cpus->nr++].number = (int32_t)spec->cpus[i];
	}
	*ret_cpus = cpus;
	return 0;
}

static void event_attr(struct counter_event *event, const struct tally_event_spec *spec,
		       const struct tally_open_options *options)
{
	event->attr = spec->attr;
	event->attr.size = sizeof(event->attr);
	if (options->sampling)
		return;
	event->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (options->read_group)
		event->attr.read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	/* For group members, which follow their leader, event_init() clears `disabled` and
	 * `enable_on_exec`. A group starts when it is complete, because the kernel does not start
	 * a member of another PMU that joins a group while the group counts. */
	event->attr.disabled = options->disabled || spec->in_braces;
	event->attr.enable_on_exec = options->enable_on_exec;
	event->attr.inherit = options->inherit;
	event->attr.sample_period = 0;
	event->attr.freq = 0;
}

static bool same_cpus(const struct tally_cpus *a, const struct tally_cpus *b)
{
	return a->nr == b->nr && !memcmp(a->cpu, b->cpu, a->nr * sizeof(a->cpu[0]));
}

/* Choose the event's CPUs. */
static int event_set_cpus(struct tally_counters *counters, struct counter_event *event,
			  const struct tally_event_spec *spec, const struct tally_cpus *cpus)
{
	/* A task's event on a core PMU follows the task to any core, unless the user chose CPUs. */
	bool some = spec->nr_cpus && (spec->uncore || spec->terms.cpus || cpus->cpu[0].number >= 0);
	int ret = some ? pmu_cpus(spec, cpus, &event->cpus) : copy_cpus(cpus, &event->cpus);

	/* The members of a group are on the same CPUs. */
	if (!ret && event != &counters->events[event->leader] &&
	    !same_cpus(event->cpus, counters->events[event->leader].cpus))
		event->leader = (size_t)(event - counters->events);
	return ret;
}

static int event_init(struct tally_counters *counters, size_t index,
		      const struct tally_event_spec *spec, const struct tally_cpus *cpus)
{
	struct counter_event *event = &counters->events[index];
	size_t nr;
	int ret;

	event->leader = spec->in_braces ? spec->leader : index;
	event->weak_group = spec->weak_group;
	event->precise_max = spec->precise_max;
	event->all_threads = spec->uncore;
	event_attr(event, spec, &counters->options);
	ret = event_set_cpus(counters, event, spec, cpus);
	if (ret)
		return ret;
	if (event->leader != index && !counters->options.sampling)
		event->attr.disabled = event->attr.enable_on_exec = 0;
	nr = event->cpus->nr * counters->threads->nr;
	event->fds = malloc((nr ? nr : 1) * sizeof(*event->fds));
	if (!event->fds)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		event->fds[i] = -1;
	return 0;
}

static void event_close(struct tally_counters *counters, struct counter_event *event)
{
	for (size_t i = 0; event->fds && i < event->cpus->nr * counters->threads->nr; i++) {
		if (event->fds[i] >= 0)
			counters->transport->close(counters->transport, event->fds[i]);
		event->fds[i] = -1;
	}
	event->is_open = false;
}

void tally_counters_close(struct tally_counters *counters)
{
	if (!counters)
		return;
	/* Close members before their leaders. */
	for (size_t i = counters->nr_events; i-- > 0;) {
		struct counter_event *event = &counters->events[i];

		if (event->cpus)
			event_close(counters, event);
		free(event->fds);
		free(event->cpus);
	}
	free(counters->events);
	free(counters->threads);
	free(counters);
}

static int group_fd(const struct tally_counters *counters, size_t index, size_t cpu, size_t thread)
{
	const struct counter_event *event = &counters->events[index];

	if (event->leader == index || !counters->events[event->leader].is_open)
		return -1;
	return counters->events[event->leader].fds[counter_index(counters, cpu, thread)];
}

/* Dummy events are opened for all cgroups, because tasks have names and maps from before they
 * entered a cgroup. */
static bool is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

static int open_one(struct tally_counters *counters, size_t index, size_t cpu, size_t thread)
{
	struct counter_event *event = &counters->events[index];
	int32_t pid = event->all_threads ? -1 : counters->threads->thread[thread].tid;
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	int fd;

	if (counters->options.cgroup_fd > 0 && !is_dummy(&event->attr)) {
		pid = counters->options.cgroup_fd;
		flags |= PERF_FLAG_PID_CGROUP;
	}
	fd = counters->transport->open(counters->transport, &event->attr, pid,
				       event->cpus->cpu[cpu].number,
				       group_fd(counters, index, cpu, thread), flags);
	if (fd < 0)
		return fd;
	event->fds[counter_index(counters, cpu, thread)] = fd;
	return 0;
}

/* Return true if opening an event failed because the thread is gone. A thread may exit while its
 * events are being opened, or lose them by executing a privileged program. If another thread of its
 * process executes a program, this thread exits, and the other thread may take over its TID. The
 * kernel then rejects the group leader with ENODEV, or with EINVAL. Because EINVAL may have other
 * causes, check whether a new leader and member can still be opened together. */
static bool thread_is_gone(const struct tally_counters *counters, size_t index, size_t cpu,
			   size_t thread, int code)
{
	const struct tally_transport *transport = counters->transport;
	const struct counter_event *event = &counters->events[index];
	struct perf_event_attr attr = counters->events[event->leader].attr, own = event->attr;
	int32_t tid = counters->threads->thread[thread].tid, number = event->cpus->cpu[cpu].number;
	int leader, member;

	if (group_fd(counters, index, cpu, thread) < 0 || (code != -ENODEV && code != -EINVAL))
		return code == -ESRCH;
	if (code == -ENODEV)
		return true;
	attr.disabled = 1;
	leader = transport->open(transport, &attr, tid, number, -1, PERF_FLAG_FD_CLOEXEC);
	if (leader < 0)
		return leader == -ESRCH;
	member = transport->open(transport, &own, tid, number, leader, PERF_FLAG_FD_CLOEXEC);
	if (member >= 0)
		transport->close(transport, member);
	transport->close(transport, leader);
	return member >= 0 || member == -ESRCH;
}

/* Open one event on all CPUs and for all threads. Threads that are gone are skipped, provided that
 * at least one thread is left. */
static int open_everywhere(struct tally_counters *counters, size_t index, size_t *ret_cpu,
			   size_t *ret_thread)
{
	struct counter_event *event = &counters->events[index];
	size_t threads = event->all_threads ? 1 : counters->threads->nr, opened = 0;
	int ret = 0;

	for (size_t thread = 0; thread < threads; thread++) {
		for (size_t cpu = 0; cpu < event->cpus->nr; cpu++) {
			ret = open_one(counters, index, cpu, thread);
			if (ret && threads > 1 && thread_is_gone(counters, index, cpu, thread, ret))
				ret = -ESRCH;
			*ret_cpu = cpu;
			*ret_thread = thread;
			if (ret == -ESRCH && threads > 1)
				break;
			if (ret)
				return ret;
			opened++;
		}
	}
	return opened || !event->cpus->nr ? 0 : -ESRCH;
}

static bool is_permission(int code)
{
	return code == -EACCES || code == -EPERM;
}

/* Make an event a leader, which determines when its group counts. */
static void event_lead(const struct tally_counters *counters, size_t index)
{
	struct counter_event *event = &counters->events[index];

	event->leader = index;
	if (counters->options.sampling)
		return;
	event->attr.disabled = 1; /* until groups_start() */
	event->attr.enable_on_exec = counters->options.enable_on_exec;
}

/* Let the first of the other members lead the group of an event that cannot be opened. */
static void group_promote(const struct tally_counters *counters, size_t index)
{
	size_t first = index + 1;

	while (first < counters->nr_events && counters->events[first].leader != index)
		first++;
	if (first == counters->nr_events)
		return;
	event_lead(counters, first);
	for (size_t i = first + 1; i < counters->nr_events; i++)
		if (counters->events[i].leader == index)
			counters->events[i].leader = first;
}

static int event_open(struct tally_counters *counters, size_t index, struct tally_refusal *why)
{
	struct counter_event *event = &counters->events[index];
	struct perf_event_attr asked = event->attr;
	size_t cpu = 0, thread = 0;
	int ret, first = 0;

	for (;;) {
		ret = open_everywhere(counters, index, &cpu, &thread);
		if (!ret) {
			event->is_open = true;
			return 0;
		}
		first = first ? first : ret;
		event_close(counters, event);
		if (event->leader != index && event->weak_group) {
			event_lead(counters, index);
			event->fallback |= TALLY_FALLBACK_GROUP_BROKEN;
			continue;
		}
		if (!attr_relax(&event->attr, ret, &counters->options, &event->fallback))
			break;
		/* The modifier 'P' requests the highest precision available, so less precision is
		 * not a fallback. */
		if (event->precise_max)
			event->fallback &= ~(unsigned)TALLY_FALLBACK_PRECISE;
	}
	/* No fallback helped. Explain the error from the original request. However, if exactly one
	 * of the first and last errors is a permission error, explain the last attempt. */
	if (is_permission(first) != is_permission(ret) || ret == -ESRCH)
		first = ret;
	else
		event->attr = asked;
	event->fallback = TALLY_FALLBACK_NONE;
	why->event = index;
	counters_explain(counters, &event->attr,
			 event->all_threads ? -1 : counters->threads->thread[thread].tid,
			 event->cpus->nr ? event->cpus->cpu[cpu].number : -1, first, why);
	event->attr = asked;
	return first;
}

static int open_events(struct tally_counters *counters, struct tally_refusal *ret_why)
{
	size_t opened = 0;
	int ret = 0;

	for (size_t i = 0; i < counters->nr_events; i++) {
		struct tally_refusal why = {0};

		ret = event_open(counters, i, &why);
		opened += !ret;
		if (!ret)
			continue;
		counters->events[i].refusal = why;
		if (ret_why)
			*ret_why = why;
		if (!counters->options.skip_unsupported || ret == -ESRCH || ret == -EMFILE)
			return ret;
		group_promote(counters, i);
	}
	return opened || !counters->nr_events || counters->options.skip_unsupported ? 0 : ret;
}

/* Start the groups that are to count immediately. */
static int groups_start(struct tally_counters *counters)
{
	bool is_started = counters->options.disabled || counters->options.sampling;

	for (size_t i = 0; i < counters->nr_events && !is_started; i++)
		if (counters->events[i].is_open && counters->events[i].attr.disabled)
			return tally_counters_enable(counters);
	return 0;
}

int tally_counters_open(const struct tally_transport *transport,
			const struct tally_event_list *list, const struct tally_cpus *cpus,
			const struct tally_threads *threads,
			const struct tally_open_options *options,
			struct tally_counters **ret_counters, struct tally_refusal *ret_why)
{
	size_t bytes = sizeof(*threads) + threads->nr * sizeof(threads->thread[0]);
	struct tally_counters *counters = calloc(1, sizeof(*counters));
	int ret = -ENOMEM;

	if (!counters)
		goto out;
	counters->transport = transport;
	counters->options = options ? *options : (struct tally_open_options){0};
	counters->threads = malloc(bytes);
	counters->events = calloc(list->nr ? list->nr : 1, sizeof(*counters->events));
	if (!counters->threads || !counters->events)
		goto out;
	memcpy(counters->threads, threads, bytes);
	counters->nr_events = list->nr;
	for (size_t i = 0; i < list->nr; i++) {
		ret = event_init(counters, i, &list->specs[i], cpus);
		if (ret)
			goto out;
	}
	counters_raise_limit(list->nr * cpus->nr * threads->nr);
	ret = open_events(counters, ret_why);
	ret = ret ? ret : groups_start(counters);
out:
	if (!ret) {
		*ret_counters = counters;
		return 0;
	}
	/* A failure before any event was opened has an error code but no rule. */
	if (ret_why && !ret_why->code)
		ret_why->code = ret;
	tally_counters_close(counters);
	return ret;
}
