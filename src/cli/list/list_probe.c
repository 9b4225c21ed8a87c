/* SPDX-License-Identifier: BSD-2-Clause */
/* Check whether this machine can count an event: open the event, disabled, for the current
 * thread. */
#include "cli/list/list_probe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/main/print.h"
#include "client/client_probe.h"
#include "sampler/target.h"

int list_prober_init(struct list_prober *prober, struct tally_events *events, bool off)
{
	const struct tally_target target = {.command = gettid(), .per_thread = true};

	*prober = (struct list_prober){.events = events, .off = off};
	if (!off && tally_probe_kills(tally_transport_linux())) {
		tally_print_warning(
			"not probing: a seccomp filter kills callers of perf_event_open");
		prober->off = true;
	}
	return tally_target_resolve(&target, &prober->cpus, &prober->threads, NULL);
}

void list_prober_free(struct list_prober *prober)
{
	free(prober->cpus);
	free(prober->threads);
	tally_vec_free(&prober->probes);
	tally_arena_free(&prober->arena);
}

/* Return the reason why the events cannot be opened, or NULL. */
static const char *open_why_not(struct list_prober *prober, const struct tally_event_list *list)
{
	const struct tally_open_options options = {.disabled = true};
	struct tally_counters *counters;
	struct tally_refusal why = {0};
	struct tally_str text = {0};
	const char *kept;

	if (!list->nr || list->specs[0].tool)
		return NULL;
	if (!tally_counters_open(tally_transport_linux(), list, prober->cpus, prober->threads,
				 &options, &counters, &why)) {
		tally_counters_close(counters);
		return NULL;
	}
	tally_str_add(&text, *why.rule ? why.rule : "the event cannot be opened");
	if (*why.found)
		tally_str_addf(&text, "; %s", why.found);
	kept = tally_arena_strndup(&prober->arena, tally_str_text(&text), text.len);
	tally_str_free(&text);
	return kept;
}

static const char *metric_why_not(struct list_prober *prober, const struct tally_event_info *info)
{
	struct tally_event_error err;
	struct tally_metric_list *list;
	const char *why;

	if (tally_metrics_parse(prober->events, info->name, strlen(info->name), 0, &list, &err))
		return err.text;
	why = open_why_not(prober, list->events);
	tally_metric_list_free(list);
	return why;
}

static const char *event_why_not(struct list_prober *prober, const struct tally_event_info *info)
{
	struct tally_event_error err;
	struct tally_event_list *list;
	const char *why;

	if (info->kind == TALLY_EVENT_METRIC)
		return metric_why_not(prober, info);
	if (tally_events_parse(prober->events, info->name, strlen(info->name), &list, &err))
		return err.text;
	why = open_why_not(prober, list);
	tally_event_list_free(list);
	return why;
}

/* Return true if every event of this kind must be probed. For other kinds, probing one event of
 * each attr type is enough. */
static bool each_differs(enum tally_event_kind kind)
{
	return kind == TALLY_EVENT_HARDWARE || kind == TALLY_EVENT_CACHE;
}

bool list_prober_knows(const struct list_prober *prober, const struct tally_event_info *info)
{
	const unsigned never = TALLY_EVENT_RAW | TALLY_EVENT_BREAKPOINT | TALLY_EVENT_METRIC_GROUP;

	return !prober->off && !(info->kind & never);
}

const char *list_prober_why_not(struct list_prober *prober, const struct tally_event_info *info)
{
	struct list_probe probe = {info->kind, info->type, NULL};

	if (!list_prober_knows(prober, info))
		return NULL;
	tally_vec_for_each (known, &prober->probes) {
		if (known->kind == info->kind && known->type == info->type)
			return known->why;
	}
	probe.why = event_why_not(prober, info);
	/* If this fails, the event is simply probed again. */
	if (!each_differs(info->kind))
		(void)tally_vec_push(&prober->probes, probe);
	return probe.why;
}
