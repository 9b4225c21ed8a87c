/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/arith.h"

/* Return true if the header has the times of the first and the last sample. */
static bool times_of(const struct tally_session *session, uint64_t *ret_first, uint64_t *ret_last)
{
	const struct tally_perfdata_env *env;

	if (tally_perfdata_env(session->data, &env) ||
	    !tally_perfdata_env_has(env, TALLY_FEATURE_SAMPLE_TIME))
		return false;
	*ret_first = env->sample_time_first;
	*ret_last = env->sample_time_last;
	return true;
}

/* Get the times that relative times depend on. */
static int filter_times(const struct tally_session *session, const char *option,
			uint64_t *ret_first, uint64_t *ret_last)
{
	if (times_of(session, ret_first, ret_last))
		return 0;
	tally_message_error(session->options.messages,
			    "%s does not contain the times of its first and last samples",
			    session->name);
	tally_message_hint(session->options.messages, "specify %s in seconds: start,end", option);
	return -ENODATA;
}

static bool is_outside(const struct tally_session *session, uint64_t first, uint64_t last)
{
	tally_vec_for_each (range, &session->time.all) {
		if (tally_time_range_overlaps(range, first, last))
			return false;
	}
	return true;
}

static void warn_outside(const struct tally_session *session, const char *option, uint64_t first,
			 uint64_t last)
{
	tally_message_warn(session->options.messages,
			   "option '%s': the samples of %s are from %" PRIu64 ".%06" PRIu64
			   " to %" PRIu64 ".%06" PRIu64 " s, outside the range",
			   option, session->name, first / 1000000000, first / 1000 % 1000000,
			   last / 1000000000, last / 1000 % 1000000);
	tally_message_hint(
		session->options.messages,
		"times are in seconds, as in 'tally script'; +2,+3 is since the first sample, and "
		"10%%-20%% a part of the recording");
}

static int invalid_time(const struct tally_session *session, const char *text)
{
	tally_message_error(session->options.messages, "option '--time': invalid range '%s'", text);
	tally_message_hint(session->options.messages,
			   "use start,end in seconds (either may be omitted), +start,+end since "
			   "the first sample, 10%%-20%%, or 10%%/2 for the second slice of 10%%");
	return -EINVAL;
}

static int filter_time(struct tally_session *session, const char *text)
{
	int ret = text ? tally_time_ranges_parse(text, &session->time) : 0;
	uint64_t first, last;

	if (ret == -EINVAL)
		return invalid_time(session, text);
	if (ret)
		return ret;
	if (tally_time_ranges_are_relative(&session->time)) {
		ret = filter_times(session, "--time", &first, &last);
		if (ret)
			return ret;
		tally_time_ranges_resolve(&session->time, first, last);
	}
	if (session->time.all.len && times_of(session, &first, &last) &&
	    is_outside(session, first, last))
		warn_outside(session, "--time", first, last);
	return 0;
}

static int filter_query(struct tally_session *session, const char *text)
{
	struct tally_error err;
	uint64_t first, last;
	int ret = text ? tally_query_parse(text, &session->query, &err) : 0;

	if (ret) {
		tally_message_error(session->options.messages,
				    "option '--query': error in '%s' at byte %" PRIu64 ": %s", text,
				    err.offset + 1, err.text);
		return ret;
	}
	if (text && tally_query_has_relative_times(session->query)) {
		ret = filter_times(session, "the times in --query", &first, &last);
		if (ret)
			return ret;
		tally_query_set_times(session->query, first, last);
	}
	if (text && times_of(session, &first, &last) &&
	    tally_query_is_outside(session->query, first, last))
		warn_outside(session, "--query", first, last);
	return 0;
}

static int filter_set(const struct tally_session *session, const char *option, const char *text,
		      struct tally_ranges *set)
{
	int ret = text ? tally_ranges_parse(text, set) : 0;

	if (ret == -EINVAL)
		tally_message_error(
			session->options.messages,
			"option '--%s' requires numbers and ranges like 0-3,5, not '%s'", option,
			text);
	return ret;
}

/* Sockets are known from the header. */
static int filter_sockets(struct tally_session *session, const char *text)
{
	const struct tally_perfdata_env *env;
	int ret = filter_set(session, "socket-filter", text, &session->sockets);

	if (ret || !text || tally_perfdata_info(session->data)->is_pipe)
		return ret;
	ret = tally_perfdata_env(session->data, &env);
	if (!ret && env->nr_cpus)
		return 0;
	tally_message_error(session->options.messages,
			    "option '--socket-filter': %s does not contain the CPU topology",
			    session->name);
	return -ENODATA;
}

/* Return true if the CPU is on one of the chosen sockets. */
static bool is_on_socket(const struct tally_session *session, uint32_t cpu)
{
	const struct tally_perfdata_env *env;

	return !session->sockets.all.len ||
	       (!tally_perfdata_env(session->data, &env) && cpu < env->nr_cpus &&
		env->cpus[cpu].socket_id >= 0 &&
		tally_ranges_have(&session->sockets, (uint32_t)env->cpus[cpu].socket_id));
}

/* Check the name of an event that switches samples on or off. The events of a stream are not known
 * yet. */
static int check_switch(const struct tally_session *session, const char *option, const char *name)
{
	const struct tally_perfdata_event *event;

	if (!name || tally_perfdata_info(session->data)->is_pipe)
		return 0;
	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++)
		if (!strcmp(event->name, name))
			return 0;
	tally_message_error(session->options.messages, "option '%s': %s has no event '%s'", option,
			    session->name, name);
	tally_message_hint(session->options.messages, "'tally evlist' shows the events");
	return -EINVAL;
}

static int filter_switches(struct tally_session *session)
{
	const struct tally_session_filter *filter = &session->options.filter;
	int ret = check_switch(session, "--switch-on", filter->switches.on);

	session->is_switched_off = filter->switches.on != NULL;
	return ret ? ret : check_switch(session, "--switch-off", filter->switches.off);
}

static int filter_comms(struct tally_session *session, const char *list)
{
	int ret = 0;

	while (list && *list && !ret) {
		size_t len = strcspn(list, ",");
		uint32_t id;

		ret = tally_intern(&session->comms, list, len, &id);
		session->has_comms = true;
		list += len + (list[len] == ',');
	}
	return ret;
}

/* Sample fields that the filter options need. */
static const struct {
	const char *option, *what, *fix;
	uint64_t field;
	size_t given; /* offset of the option's string in struct tally_session_filter */
} needs[] = {
	{"--cpu", "CPU", "record with -a, -C or --sample-cpu", PERF_SAMPLE_CPU,
	 offsetof(struct tally_session_filter, cpus)},
	{"--socket-filter", "CPU", "record with -a, -C or --sample-cpu", PERF_SAMPLE_CPU,
	 offsetof(struct tally_session_filter, sockets)},
	{"--time", "time", "record with -T", PERF_SAMPLE_TIME,
	 offsetof(struct tally_session_filter, time)},
	{"--pid", "process", "record again with PERF_SAMPLE_TID", PERF_SAMPLE_TID,
	 offsetof(struct tally_session_filter, pids)},
	{"--tid", "thread", "record again with PERF_SAMPLE_TID", PERF_SAMPLE_TID,
	 offsetof(struct tally_session_filter, tids)},
};

/* Return the option that requires the field needs[need], or NULL. */
static const char *need_option(const struct tally_session *session, size_t need)
{
	const char *filter = (const char *)&session->options.filter;

	if (*(const char *const *)(filter + needs[need].given))
		return needs[need].option;
	return session->query && tally_query_needs(session->query) & needs[need].field ? "--query"
										       : NULL;
}

int session_filter_init(struct tally_session *session)
{
	const struct tally_session_filter *filter = &session->options.filter;
	int ret = filter_time(session, filter->time);

	if (!ret)
		ret = filter_set(session, "cpu", filter->cpus, &session->cpus);
	if (!ret)
		ret = filter_set(session, "pid", filter->pids, &session->pids);
	if (!ret)
		ret = filter_set(session, "tid", filter->tids, &session->tids);
	if (!ret)
		ret = filter_sockets(session, filter->sockets);
	if (!ret)
		ret = filter_switches(session);
	if (!ret)
		ret = filter_query(session, filter->query);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(needs); i++)
		session->filter_needs |= need_option(session, i) ? needs[i].field : 0;
	return ret ? ret : filter_comms(session, filter->comms);
}

int session_filter_finish(const struct tally_session *session)
{
	uint64_t unjudged = session->health.unjudged, samples = session->feed.counts.samples;
	const struct tally_messages *to = session->options.messages;
	bool all = unjudged == samples;

	if (!unjudged)
		return 0;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(needs); i++) {
		const char *option = need_option(session, i);

		if (!option || !(session->filter_missed & needs[i].field))
			continue;
		tally_message_emit(to, all ? TALLY_MESSAGE_ERROR : TALLY_MESSAGE_WARNING,
				   "%s: %s cannot be applied to %" PRIu64 " of %" PRIu64
				   " samples: their %s was not recorded",
				   session->name, option, unjudged, samples, needs[i].what);
		tally_message_hint(to, "%s", needs[i].fix);
	}
	return all ? -ENODATA : 0;
}

static bool comm_passes(const struct tally_session *session, const struct tally_thread *thread)
{
	const char *comm = tally_machine_comm(session->machine, thread);

	for (uint32_t i = 0; i < session->comms.strings.len; i++) {
		if (!strcmp(comm, tally_intern_text(&session->comms, i)))
			return true;
	}
	return false;
}

/* An empty set matches every number. */
static bool set_has(const struct tally_ranges *set, uint32_t number)
{
	return !set->all.len || tally_ranges_have(set, number);
}

bool session_switch_passes(struct tally_session *session, const struct tally_feed_sample *sample)
{
	const struct tally_event_switch *switches = &session->options.filter.switches;

	return (!switches->on && !switches->off) ||
	       tally_event_switch_passes(switches,
					 tally_perfdata_event(session->data, sample->event)->name,
					 &session->is_switched_off);
}

bool session_filter_passes(struct tally_session *session, const struct tally_feed_sample *sample)
{
	const struct tally_sample *s = &sample->sample;
	uint64_t missing = session->filter_needs & ~s->present;

	if (missing) {
		session->filter_missed |= missing;
		session->health.unjudged++;
		return false;
	}
	if (!tally_time_ranges_have(&session->time, s->time) || !set_has(&session->cpus, s->cpu) ||
	    !is_on_socket(session, s->cpu) || !set_has(&session->pids, (uint32_t)s->pid) ||
	    !set_has(&session->tids, (uint32_t)s->tid))
		return false;
	if (session->query && !tally_query_matches_time(session->query, s->time))
		return false;
	if (session->has_comms && !comm_passes(session, sample->thread))
		return false;
	return tally_group_reads_has(sample) || session_switch_passes(session, sample);
}
