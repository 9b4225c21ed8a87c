/* SPDX-License-Identifier: BSD-2-Clause */
/* tally evlist: list a recording's events. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/map.h"
#include "view/attr_text.h"
#include "cli/main/commands.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/main/recordings.h"
#include "cli/main/arguments.h"
#include "session/session_tracing.h"
#include "tally/events.h"

struct evlist_config {
	const char *input;
	bool verbose, freq, group, force, trace_fields;
};

#define AT(member) offsetof(struct evlist_config, member)

static const struct tally_option evlist_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(input), "file",
	 "read this recording (default: perf.data)"},
	{'v', "verbose", TALLY_OPTION_FLAG, AT(verbose), NULL, "show all fields of each attr"},
	{'F', "freq", TALLY_OPTION_FLAG, AT(freq), NULL, "show the sample frequency or period"},
	{'g', "group", TALLY_OPTION_FLAG, AT(group), NULL,
	 "show the events of a group together, in braces"},
	{0, "trace-fields", TALLY_OPTION_FLAG, AT(trace_fields), NULL,
	 "show the fields of tracepoints"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL, "ignored; ownership is not checked"},
	TALLY_OPTION_END,
};

/* State of evlist, with indexes that are built once to make event lookups fast. */
struct evlist {
	const struct evlist_config *config;
	struct tally_session *session;
	const struct tally_perfdata_env *env;
	struct tally_map groups;       /* leader's event index -> index of its group */
	struct tally_tracing *tracing; /* NULL if the recording has no formats */
	struct tally_str out;
};

/* Limit on the output size, because formats are large and many events may share a format. */
enum { TRACE_FIELDS_MAX = 64 << 20 };

static void add_trace_fields(struct evlist *list, const struct tally_perfdata_event *event)
{
	const struct tally_tp_format *format =
		list->tracing ? tally_tracing_format(list->tracing, &event->attr) : NULL;
	const char *joint = ": trace_fields: ";

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		tally_str_add(&list->out, ": (not a tracepoint)");
	for (size_t f = format ? format->nr_common : 0; format && f < format->nr_fields; f++) {
		tally_str_addf(&list->out, "%s%s", joint, format->fields[f].name);
		joint = ",";
	}
}

/* Build the group index. If several groups have the same leader, the first one is used. */
static int index_groups(struct evlist *list)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < list->env->nr_groups; i++) {
		const struct tally_perfdata_group *group = &list->env->groups[i];

		if (group->nr_members > 1 &&
		    tally_map_get(&list->groups, group->leader) == TALLY_MAP_NONE)
			ret = tally_map_set(&list->groups, group->leader, i);
	}
	return ret;
}

static int evlist_index(struct evlist *list)
{
	int ret = tally_perfdata_env(list->session->data, &list->env);

	if (!ret && list->config->trace_fields &&
	    tally_tracing_new(list->session, &list->tracing) == -ENOMEM)
		ret = -ENOMEM;
	if (!ret && list->config->group)
		ret = index_groups(list);
	return ret;
}

static void add_event(struct evlist *list, size_t i)
{
	const struct tally_perfdata_event *event = tally_perfdata_event(list->session->data, i);
	struct tally_str *out = &list->out;

	tally_str_add(out, event->name);
	if (list->config->verbose) {
		tally_str_add(out, ": ");
		tally_attr_text(&event->attr, out);
	} else if (list->config->freq) {
		tally_str_addf(out, ": %s=%" PRIu64,
			       event->attr.freq ? "sample_freq" : "sample_period",
			       event->attr.sample_period);
	}
	if (list->config->trace_fields)
		add_trace_fields(list, event);
}

static size_t add_group(struct evlist *list, const struct tally_perfdata_group *group)
{
	size_t nr = tally_perfdata_nr_events(list->session->data), i = group->leader;

	/* "{anon_group}" is perf's name for unnamed groups. */
	tally_str_addf(&list->out, "%s{", strcmp(group->name, "{anon_group}") ? group->name : "");
	for (; i < nr && i < (size_t)group->leader + group->nr_members; i++) {
		tally_str_add(&list->out, i == group->leader ? "" : ",");
		add_event(list, i);
	}
	tally_str_add(&list->out, "}");
	return i;
}

static int evlist_add_all(struct evlist *list)
{
	size_t i = 0;

	while (i < tally_perfdata_nr_events(list->session->data)) {
		uint64_t group = tally_map_get(&list->groups, i);
		size_t start = list->out.len;

		if (group != TALLY_MAP_NONE)
			i = add_group(list, &list->env->groups[group]);
		else
			add_event(list, i++);
		tally_str_escape(&list->out, start);
		tally_str_add_char(&list->out, '\n');
		if (list->config->trace_fields && list->out.len > TRACE_FIELDS_MAX) {
			tally_print_error(
				"the output of --trace-fields exceeds the limit of 64 MiB");
			return -E2BIG;
		}
	}
	return tally_str_error(&list->out);
}

static int evlist_print(const struct evlist_config *config, struct tally_session *session)
{
	struct evlist list = {.config = config, .session = session};
	int ret = evlist_index(&list);

	if (!ret)
		ret = evlist_add_all(&list);
	if (!ret)
		ret = tally_output_flush(&list.out);
	tally_str_free(&list.out);
	tally_map_free(&list.groups);
	tally_tracing_free(list.tracing);
	return ret;
}

static int evlist_run(int argc, char **argv)
{
	struct evlist_config config = {0};
	struct tally_session session;
	int first, ret;

	ret = tally_options_parse(&tally_command_evlist, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (!ret)
		ret = tally_words_parse(&tally_command_evlist, argc - first, argv + first,
					&config.input, NULL);
	if (ret)
		return ret - 1;
	ret = tally_recording_open(&(struct tally_recording_options){.session.input = config.input},
				   &session);
	if (ret)
		return TALLY_EXIT_ERROR;
	/* In a stream, records describe the events. */
	if (tally_perfdata_info(session.data)->is_pipe)
		ret = tally_session_run(&session, NULL, NULL);
	/* If the file is damaged, still print what precedes the damage. */
	if (!ret || ret == -EINVAL) {
		int printed = evlist_print(&config, &session);

		ret = ret ? ret : printed;
	}
	if (!tally_perfdata_info(session.data)->is_pipe)
		tally_session_warn(&session);
	tally_recording_close(&session);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_evlist = {
	.name = "evlist",
	.summary = "List the events in a recording",
	.usage = "[OPTIONS] [FILE]",
	.options = evlist_options,
	.run = evlist_run,
};
