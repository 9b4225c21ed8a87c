/* SPDX-License-Identifier: BSD-2-Clause */
/* tally evlist: the events of a recording. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/header.h"
#include "cli/say.h"
#include "cli/words.h"
#include "tally/events.h"

struct evlist_config {
	const char *input;
	bool verbose, freq, group, force, trace_fields;
};

#define AT(member) offsetof(struct evlist_config, member)

static const struct tally_option evlist_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(input), "file", "recording to read (perf.data)"},
	{'v', "verbose", TALLY_OPTION_FLAG, AT(verbose), NULL, "all of each attr"},
	{'F', "freq", TALLY_OPTION_FLAG, AT(freq), NULL, "the sample frequency or period"},
	{'g', "group", TALLY_OPTION_FLAG, AT(group), NULL, "events of a group together, in braces"},
	{0, "trace-fields", TALLY_OPTION_FLAG, AT(trace_fields), NULL, "the fields of tracepoints"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "accepted for perf's sake: ownership is not checked"},
	TALLY_OPTION_END,
};

static void add_trace_fields(struct tally_session *session,
			     const struct tally_perfdata_event *event, struct tally_str *out)
{
	const struct tally_perfdata_tracing *tracing;
	struct tally_tp_format *format;
	const char *joint = ": trace_fields: ";

	if (event->attr.type != PERF_TYPE_TRACEPOINT ||
	    tally_perfdata_tracing(session->data, &tracing, NULL))
		return;
	for (size_t i = 0; i < tracing->nr_formats; i++) {
		if (tally_tp_format_parse(tracing->formats[i].text.data,
					  tracing->formats[i].text.len, &format, NULL))
			continue;
		for (size_t f = format->nr_common;
		     format->id == event->attr.config && f < format->nr_fields; f++) {
			tally_str_addf(out, "%s%s", joint, format->fields[f].name);
			joint = ",";
		}
		tally_tp_format_free(format);
	}
}

static void add_event(const struct evlist_config *config, struct tally_session *session,
		      const struct tally_perfdata_event *event, struct tally_str *out)
{
	tally_str_add(out, event->name);
	if (config->verbose) {
		tally_str_add(out, ": ");
		tally_attr_text(&event->attr, out);
	} else if (config->freq) {
		tally_str_addf(out, ": %s=%" PRIu64,
			       event->attr.freq ? "sample_freq" : "sample_period",
			       event->attr.sample_period);
	}
	if (config->trace_fields)
		add_trace_fields(session, event, out);
}

/* The group that event `i` leads, NULL if it is alone. */
static const struct tally_perfdata_group *group_at(const struct tally_perfdata_env *env, size_t i)
{
	for (uint32_t g = 0; g < env->nr_groups; g++) {
		if (env->groups[g].leader == i && env->groups[g].nr_members > 1)
			return &env->groups[g];
	}
	return NULL;
}

static size_t add_group(const struct evlist_config *config, struct tally_session *session,
			const struct tally_perfdata_group *group, struct tally_str *out)
{
	size_t nr = tally_perfdata_nr_events(session->data), i = group->leader;

	/* perf's name for groups that were given none. */
	tally_str_addf(out, "%s{", strcmp(group->name, "{anon_group}") ? group->name : "");
	for (; i < nr && i < (size_t)group->leader + group->nr_members; i++) {
		tally_str_add(out, i == group->leader ? "" : ",");
		add_event(config, session, tally_perfdata_event(session->data, i), out);
	}
	tally_str_add(out, "}");
	return i;
}

static int evlist_print(const struct evlist_config *config, struct tally_session *session)
{
	const struct tally_perfdata_env *env;
	struct tally_str out = {0};
	size_t i = 0;
	int ret = tally_perfdata_env(session->data, &env);

	while (!ret && i < tally_perfdata_nr_events(session->data)) {
		const struct tally_perfdata_group *group = config->group ? group_at(env, i) : NULL;

		if (group)
			i = add_group(config, session, group, &out);
		else
			add_event(config, session, tally_perfdata_event(session->data, i++), &out);
		tally_str_add_char(&out, '\n');
	}
	if (!ret)
		ret = tally_str_error(&out);
	fputs(tally_str_text(&out), stdout);
	tally_str_free(&out);
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
	ret = tally_session_open(&(struct tally_session_options){.input = config.input}, &session);
	if (ret)
		return TALLY_EXIT_ERROR;
	/* The events of a stream are among its records. */
	if (tally_perfdata_info(session.data)->is_pipe)
		ret = tally_session_run(&session, NULL, NULL);
	if (!ret)
		ret = evlist_print(&config, &session);
	tally_session_close(&session);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_evlist = {
	.name = "evlist",
	.summary = "List the events of a recording",
	.usage = "[OPTIONS] [FILE]",
	.options = evlist_options,
	.run = evlist_run,
};
