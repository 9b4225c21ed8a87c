/* SPDX-License-Identifier: BSD-2-Clause */
/* The events to record: every -e, the default, and the one that follows tasks and maps. */
#include <errno.h>
#include <string.h>

#include "cli/record.h"
#include "cli/say.h"

/* Append the events of one string; indices inside of it move up behind those before. */
static int events_add(struct record *record, const char *text, const char *filter)
{
	size_t base = record->specs.len;
	struct tally_event_error err = {0};
	struct tally_event_list *list;
	int ret = tally_events_parse(record->events, text, strlen(text), &list, &err);

	if (ret) {
		tally_event_error_emit(text, &err, &tally_say_messages);
		return ret;
	}
	ret = tally_vec_push(&record->lists, list);
	if (ret) {
		tally_event_list_free(list);
		return ret;
	}
	for (size_t i = 0; !ret && i < list->nr; i++) {
		struct tally_event_spec spec = list->specs[i];

		spec.leader += (uint32_t)base;
		spec.merge_first += (uint32_t)base;
		if (spec.tool != TALLY_TOOL_NONE) {
			tally_say_error("%s is a time that is measured, not sampled", spec.name);
			return -EINVAL;
		}
		ret = tally_vec_push(&record->specs, spec);
		if (!ret)
			ret = tally_vec_push(&record->filters, filter);
	}
	return ret;
}

static const char *filter_of(const struct record_config *config, size_t option)
{
	const char *text = NULL;

	tally_vec_for_each (filter, &config->filters) {
		if (filter->event_option == option + 1)
			text = filter->text;
	}
	return text;
}

static int check_filters(const struct record *record)
{
	for (size_t i = 0; i < record->specs.len; i++) {
		if (record->filters.data[i] &&
		    record->specs.data[i].attr.type != PERF_TYPE_TRACEPOINT) {
			tally_say_error("--filter is for tracepoints, and '%s' is none",
					record->specs.data[i].name);
			return -EINVAL;
		}
	}
	tally_vec_for_each (filter, &record->config->filters) {
		if (!filter->event_option) {
			tally_say_error("--filter belongs behind the -e that it filters");
			return -EINVAL;
		}
	}
	return 0;
}

/* Where the events do not begin with the command itself, a dummy that does tells of maps and
 * names from the first moment. */
static bool wants_dummy(const struct record *record)
{
	return tally_target_has_cpus(&record->config->target) || record->delay_ns;
}

int record_events_parse(struct record *record)
{
	const struct record_config *config = record->config;
	int ret = tally_event_source_open(&config->source, &tally_say_messages, &record->events);

	for (size_t i = 0; !ret && i < config->events.nr; i++)
		ret = events_add(record, config->events.items[i], filter_of(config, i));
	if (!ret && !config->events.nr)
		ret = events_add(record, "cycles:P", NULL);
	if (!ret)
		ret = check_filters(record);
	if (!ret && wants_dummy(record)) {
		record->tracking = record->specs.len;
		ret = events_add(record, "dummy", NULL);
	}
	return ret;
}
