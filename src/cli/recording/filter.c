/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"

/* Parse a list of numbers and ranges, "0-3,5", into a set. 0; -EINVAL when it is none or holds
 * more than 65,536 numbers; -ENOMEM. */
static int parse_numbers(const char *text, struct tally_map *set)
{
	enum { LIMIT = 65536 };

	while (*text) {
		char *end;
		unsigned long first, last;

		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		first = last = strtoul(text, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return -EINVAL;
			last = strtoul(end + 1, &end, 10);
		}
		if (last < first || last > UINT32_MAX || last - first >= LIMIT ||
		    (*end && *end != ','))
			return -EINVAL;
		for (; first <= last; first++) {
			if (tally_map_put(set, first, 1))
				return -ENOMEM;
		}
		if (*end && !end[1])
			return -EINVAL;
		text = *end ? end + 1 : end;
	}
	return set->len ? 0 : -EINVAL;
}

/* "1.5" seconds to ns. 0, or -EINVAL. `ret_end` (may be NULL) gets where it stopped. */
static int parse_seconds(const char *text, const char **ret_end, uint64_t *ret_ns)
{
	uint64_t seconds, scale = 100000000, ns = 0;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	seconds = strtoull(text, &end, 10);
	if (*end == '.') {
		for (end++; isdigit((unsigned char)*end); end++, scale /= 10)
			ns += (uint64_t)(*end - '0') * scale;
	}
	if (seconds > UINT64_MAX / 1000000000 - 1)
		return -EINVAL;
	if (ret_end)
		*ret_end = end;
	*ret_ns = seconds * 1000000000 + ns;
	return 0;
}

/* "10%-20%": part of the time from the first sample to the last, which the file must tell. */
static int filter_percent(struct tally_session *session, const char *text)
{
	const struct tally_perfdata_env *env;
	uint64_t span;
	double from, to;
	int used = 0;

	if (sscanf(text, "%lf%%-%lf%%%n", &from, &to, &used) != 2 || text[used] || from < 0 ||
	    to > 100 || from > to)
		return -EINVAL;
	if (tally_perfdata_env(session->data, &env) ||
	    !tally_perfdata_env_has(env, TALLY_FEATURE_SAMPLE_TIME)) {
		tally_print_error("%s does not tell when its first and last sample were",
				  session->path);
		tally_print_hint("give --time in seconds: start,end");
		return -ENODATA;
	}
	span = env->sample_time_last - env->sample_time_first;
	session->time_first = env->sample_time_first + (uint64_t)((double)span * from / 100);
	session->time_last = env->sample_time_first + (uint64_t)((double)span * to / 100);
	return 0;
}

static int filter_time(struct tally_session *session, const char *text)
{
	int ret;

	if (!text)
		return 0;
	if (strchr(text, '%')) {
		ret = filter_percent(session, text);
		if (ret != -EINVAL)
			return ret;
	} else {
		const char *comma = text;

		ret = *text == ',' ? 0 : parse_seconds(text, &comma, &session->time_first);
		if (!ret && *comma == ',' && comma[1])
			ret = parse_seconds(comma + 1, &comma, &session->time_last);
		else if (!ret && *comma == ',')
			comma++;
		if (!ret && !*comma && session->time_first <= session->time_last)
			return 0;
	}
	tally_print_error("cannot read --time '%s'", text);
	tally_print_hint("it is start,end in seconds (either may be left out), or 10%%-20%%");
	return -EINVAL;
}

static int filter_set(const char *option, const char *text, struct tally_map *set, bool *has)
{
	int ret;

	if (!text)
		return 0;
	*has = true;
	ret = parse_numbers(text, set);
	if (ret)
		tally_print_error("option '--%s' takes numbers and ranges like 0-3,5, not '%s'",
				  option, text);
	return ret;
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

/* What samples must have for an option to choose among them. */
static const struct {
	const char *option, *what, *fix;
	uint64_t field;
	size_t given; /* of the option's text in struct tally_session_filter */
} needs[] = {
	{"--cpu", "CPU", "record -a, -C or --sample-cpu keeps it", PERF_SAMPLE_CPU,
	 offsetof(struct tally_session_filter, cpus)},
	{"--time", "time", "record -T keeps it", PERF_SAMPLE_TIME,
	 offsetof(struct tally_session_filter, time)},
	{"--pid", "process", "it was recorded without PERF_SAMPLE_TID", PERF_SAMPLE_TID,
	 offsetof(struct tally_session_filter, pids)},
	{"--tid", "thread", "it was recorded without PERF_SAMPLE_TID", PERF_SAMPLE_TID,
	 offsetof(struct tally_session_filter, tids)},
};

static bool is_given(const struct tally_session *session, size_t need)
{
	const char *filter = (const char *)&session->options.filter;

	return *(const char *const *)(filter + needs[need].given) != NULL;
}

int session_filter_init(struct tally_session *session)
{
	const struct tally_session_filter *filter = &session->options.filter;
	int ret = filter_time(session, filter->time);

	if (!ret)
		ret = filter_set("cpu", filter->cpus, &session->cpus, &session->has_cpus);
	if (!ret)
		ret = filter_set("pid", filter->pids, &session->pids, &session->has_pids);
	if (!ret)
		ret = filter_set("tid", filter->tids, &session->tids, &session->has_tids);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(needs); i++)
		session->filter_needs |= is_given(session, i) ? needs[i].field : 0;
	return ret ? ret : filter_comms(session, filter->comms);
}

int session_filter_finish(const struct tally_session *session)
{
	uint64_t unjudged = session->health.unjudged, samples = session->feed.counts.samples;
	bool all = unjudged == samples;

	if (!unjudged)
		return 0;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(needs); i++) {
		if (!is_given(session, i) || !(session->filter_missed & needs[i].field))
			continue;
		(all ? tally_print_error : tally_print_warning)(
			"%s: %s cannot choose among %" PRIu64 " of %" PRIu64
			" samples: their %s was not recorded",
			session->path, needs[i].option, unjudged, samples, needs[i].what);
		tally_print_hint("%s", needs[i].fix);
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

bool session_filter_passes(struct tally_session *session, const struct tally_session_sample *sample)
{
	const struct tally_sample *s = &sample->sample;
	uint64_t missing = session->filter_needs & ~s->present;

	if (missing) {
		session->filter_missed |= missing;
		session->health.unjudged++;
		return false;
	}
	if (s->time < session->time_first || s->time > session->time_last)
		return false;
	if (session->has_cpus && tally_map_get(&session->cpus, s->cpu) == TALLY_MAP_NONE)
		return false;
	if (session->has_pids && tally_map_get(&session->pids, (uint32_t)s->pid) == TALLY_MAP_NONE)
		return false;
	if (session->has_tids && tally_map_get(&session->tids, (uint32_t)s->tid) == TALLY_MAP_NONE)
		return false;
	return !session->has_comms || comm_passes(session, sample->thread);
}
