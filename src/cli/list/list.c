/* SPDX-License-Identifier: BSD-2-Clause */
/* tally list: list available events and metrics, and check whether this machine can count them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "cli/list/list.h"
#include "cli/list/list_print.h"
#include "cli/main/commands.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"

#define AT(member) offsetof(struct list_config, member)

static const struct tally_option list_options[] = {
	{'j', "json", TALLY_OPTION_FLAG, AT(json), NULL, "print JSON in tally's schema"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL,
	 "also show encodings and counters, and the reason why an event cannot be counted here"},
	{0, "details", TALLY_OPTION_FLAG, AT(details), NULL, "also show long descriptions"},
	{0, "long-desc", TALLY_OPTION_FLAG, AT(details), NULL, "alias for --details"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file", "write to this file"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL, "with -o, overwrite any file"},
	{0, "cputype", TALLY_OPTION_TEXT, AT(unit), "pmu", "alias for --unit, as in perf"},
	{0, "unit", TALLY_OPTION_TEXT, AT(unit), "pmu",
	 "list only the events and metrics of this PMU"},
	{0, "raw-dump", TALLY_OPTION_FLAG, AT(raw_dump), NULL,
	 "print only names, separated by blanks, as perf does for shells"},
	{0, "no-desc", TALLY_OPTION_FLAG, AT(no_desc), NULL, "show names only"},
	{0, "deprecated", TALLY_OPTION_FLAG, AT(deprecated), NULL, "also list deprecated events"},
	{0, "cpuid", TALLY_OPTION_TEXT, AT(source.cpuid), "cpuid",
	 "list the events of another CPU, such as GenuineIntel-6-37 or silvermont"},
	TALLY_OPTION_EVENTS_DIR(AT(source.dir)),
	TALLY_OPTION_END,
};

enum {
	METRICS = TALLY_EVENT_METRIC | TALLY_EVENT_METRIC_GROUP,
	OF_TABLES = TALLY_EVENT_TABLE | METRICS,
	ALL_KINDS = (TALLY_EVENT_METRIC_GROUP << 1) - 1,
};

static const struct {
	const char *word;
	unsigned kinds;
} kinds[] = {
	{"hw", TALLY_EVENT_HARDWARE},
	{"hardware", TALLY_EVENT_HARDWARE},
	{"sw", TALLY_EVENT_SOFTWARE},
	{"software", TALLY_EVENT_SOFTWARE},
	{"cache", TALLY_EVENT_CACHE},
	{"hwcache", TALLY_EVENT_CACHE},
	{"tracepoint", TALLY_EVENT_TRACEPOINT},
	{"pmu", TALLY_EVENT_PMU | TALLY_EVENT_TABLE},
	{"cpu", TALLY_EVENT_TABLE},
	{"raw", TALLY_EVENT_RAW},
	{"breakpoint", TALLY_EVENT_BREAKPOINT},
	{"metric", TALLY_EVENT_METRIC},
	{"metrics", TALLY_EVENT_METRIC},
	{"metricgroup", TALLY_EVENT_METRIC_GROUP},
	{"metricgroups", TALLY_EVENT_METRIC_GROUP},
};

/* State of the listing. Events from tables are collected in order to sort them by topic. Their
 * strings stay valid. */
struct lister {
	struct list_printer printer;
	TALLY_VEC(struct tally_event_info) waiting;
	unsigned kinds; /* requested TALLY_EVENT_* kinds */
};

static int list_one(const struct tally_event_info *info, void *data)
{
	struct lister *lister = data;

	if (info->deprecated && !lister->printer.config->deprecated)
		return 0;
	if (lister->printer.config->unit &&
	    (!info->pmu || strcasecmp(info->pmu, lister->printer.config->unit)))
		return 0;
	if (info->kind & OF_TABLES)
		return tally_vec_push(&lister->waiting, *info);
	list_print(&lister->printer, info);
	return 0;
}

static int compare_collected(const void *a, const void *b)
{
	const struct tally_event_info *x = a, *y = b;
	int order;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	order = x->topic && y->topic ? strcmp(x->topic, y->topic) : 0;
	if (!order && x->pmu && y->pmu)
		order = strcmp(x->pmu, y->pmu);
	return order ? order : strcmp(x->name, y->name);
}

static void list_sorted(struct lister *lister)
{
	if (lister->waiting.len)
		qsort(lister->waiting.data, lister->waiting.len, sizeof(*lister->waiting.data),
		      compare_collected);
	tally_vec_for_each (info, &lister->waiting)
		list_print(&lister->printer, info);
	lister->waiting.len = 0;
}

/* List the events that match a word, which is either an event kind or a pattern for names, topics
 * and descriptions. */
static int list_word(struct tally_events *events, struct lister *lister, const char *word)
{
	unsigned of_other = lister->printer.table.other ? OF_TABLES : ALL_KINDS;
	unsigned wanted = of_other;
	size_t before = lister->printer.nr;
	const char *glob = word;
	int ret;

	for (size_t i = 0; word && i < TALLY_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].word, word))
			continue;
		wanted = kinds[i].kinds;
		glob = NULL;
	}
	lister->kinds |= wanted;
	ret = tally_events_each(events, wanted & of_other, glob, list_one, lister);
	list_sorted(lister);
	if (!ret && word && lister->printer.nr == before) {
		tally_print_error("no event matches '%s'", word);
		ret = -ENOENT;
	}
	return ret;
}

/* Warn about requested events that cannot be listed. */
static void list_warn(struct tally_events *events, const struct lister *lister)
{
	struct tally_event_error err;
	const char *root;

	if (lister->kinds & OF_TABLES)
		tally_event_source_warn(events, &tally_print_messages);
	if (!(lister->kinds & TALLY_EVENT_TRACEPOINT) || lister->printer.table.other ||
	    !tally_events_tracefs(events, &root, &err))
		return;
	tally_print_warning("cannot list tracepoints: %s", err.text);
	if (err.fix[0])
		tally_print_hint("%s", err.fix);
}

static int list_all(struct tally_events *events, const struct list_config *config, char **words,
		    int nr)
{
	struct lister lister = {.printer = {.config = config}};
	struct list_printer *printer = &lister.printer;
	int ret = tally_events_table_get(events, &printer->table);

	if (!ret)
		ret = list_prober_init(&printer->prober, events, printer->table.other);
	if (ret) {
		tally_print_error("cannot list events: %s", strerror(-ret));
		goto out;
	}
	list_print_begin(printer);
	if (!nr)
		ret = list_word(events, &lister, NULL);
	for (int i = 0; i < nr && !ret; i++)
		ret = list_word(events, &lister, words[i]);
	if (!ret && config->unit && !printer->nr) {
		tally_print_error("no PMU with the name '%s' has events", config->unit);
		ret = -ENOENT;
	}
	list_print_end(printer);
	list_warn(events, &lister);
out:
	list_prober_free(&printer->prober);
	tally_vec_free(&lister.waiting);
	tally_str_free(&printer->out);
	return ret;
}

/* Make the -o file standard output. Returns 0, or -errno after printing an error. */
static int open_output(const struct list_config *config)
{
	int ret = tally_overwrite_check("-o", config->output, TALLY_OVERWRITE_LIST, config->force);

	if (!ret && !freopen(config->output, "w", stdout)) {
		ret = -errno;
		tally_print_error("cannot write %s: %s", config->output, strerror(-ret));
	}
	return ret;
}

static int list_run(int argc, char **argv)
{
	struct list_config config = {0};
	struct tally_events *events;
	int first, ret;

	ret = tally_options_parse(&tally_command_list, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	ret = tally_event_source_open(&config.source, &tally_print_messages, &events);
	if (ret)
		return ret == -EINVAL ? TALLY_EXIT_USAGE : TALLY_EXIT_ERROR;
	ret = config.output ? open_output(&config) : 0;
	if (!ret)
		ret = list_all(events, &config, argv + first, argc - first);
	tally_events_free(events);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_list = {
	.name = "list",
	.summary = "List events and metrics that can be counted",
	.usage = "[OPTIONS] "
		 "[hw|sw|cache|pmu|cpu|tracepoint|raw|breakpoint|metric|metricgroup|WORD|GLOB]...",
	.options = list_options,
	.run = list_run,
};
