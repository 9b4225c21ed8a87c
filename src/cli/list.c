/* SPDX-License-Identifier: BSD-2-Clause */
/* tally list: events that can be counted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "tally/events.h"

struct list_config {
	bool json, no_desc;
};

#define AT(member) offsetof(struct list_config, member)

static const struct tally_option list_options[] = {
	{'j', "json", TALLY_OPTION_FLAG, AT(json), NULL, "as JSON, one array"},
	{0, "no-desc", TALLY_OPTION_FLAG, AT(no_desc), NULL, "names only"},
	TALLY_OPTION_END,
};

static const struct {
	const char *word, *label;
	unsigned kinds;
} kinds[] = {
	{"hw", "Hardware event", TALLY_EVENT_HARDWARE},
	{"hardware", "Hardware event", TALLY_EVENT_HARDWARE},
	{"sw", "Software event", TALLY_EVENT_SOFTWARE},
	{"software", "Software event", TALLY_EVENT_SOFTWARE},
	{"cache", "Hardware cache event", TALLY_EVENT_CACHE},
	{"hwcache", "Hardware cache event", TALLY_EVENT_CACHE},
	{"tracepoint", "Tracepoint event", TALLY_EVENT_TRACEPOINT},
	{"pmu", "Kernel PMU event", TALLY_EVENT_PMU},
	{"raw", "Raw event descriptor", TALLY_EVENT_RAW},
	{"breakpoint", "Hardware breakpoint", TALLY_EVENT_BREAKPOINT},
};

enum { ALL_KINDS = (TALLY_EVENT_TRACEPOINT << 1) - 1 };

struct lister {
	const struct list_config *config;
	struct tally_str out;
	size_t nr;
};

static const char *kind_label(enum tally_event_kind kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].kinds == kind)
			return kinds[i].label;
	}
	return "Event";
}

static void add_json(struct tally_str *out, const struct tally_event_info *info)
{
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "name", info->name);
	tally_json_text(out, "kind", kind_label(info->kind));
	if (info->alias)
		tally_json_text(out, "alias", info->alias);
	if (info->pmu)
		tally_json_text(out, "pmu", info->pmu);
	if (info->type != UINT32_MAX) {
		tally_json_u64(out, "type", info->type);
		tally_json_u64(out, "config", info->config);
	}
	if (info->encoding)
		tally_json_text(out, "encoding", info->encoding);
	if (info->unit && *info->unit)
		tally_json_text(out, "unit", info->unit);
	if (info->text)
		tally_json_text(out, "description", info->text);
	tally_json_close(out, '}');
	tally_str_add_char(out, '\n');
}

static void add_text(const struct lister *lister, struct tally_str *out,
		     const struct tally_event_info *info)
{
	size_t start = out->len;

	tally_str_addf(out, "  %s", info->name);
	if (info->alias)
		tally_str_addf(out, " OR %s", info->alias);
	tally_str_pad_to(out, start + 53);
	tally_str_addf(out, " [%s]\n", kind_label(info->kind));
	if (info->text && !lister->config->no_desc)
		tally_str_addf(out, "       [%s]\n", info->text);
}

static int list_one(const struct tally_event_info *info, void *data)
{
	struct lister *lister = data;

	lister->nr++;
	if (!lister->config->json) {
		add_text(lister, &lister->out, info);
	} else {
		tally_str_add(&lister->out, lister->nr > 1 ? "," : "");
		add_json(&lister->out, info);
	}
	fwrite(tally_str_text(&lister->out), 1, lister->out.len, stdout);
	tally_str_clear(&lister->out);
	return 0;
}

/* A word is a kind of events or a pattern for names. */
static int list_word(struct tally_events *events, struct lister *lister, const char *word)
{
	size_t before = lister->nr;
	int ret;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].word, word))
			return tally_events_each(events, kinds[i].kinds, NULL, list_one, lister);
	}
	ret = tally_events_each(events, ALL_KINDS, word, list_one, lister);
	if (!ret && lister->nr == before) {
		tally_say_error("no event matches '%s'", word);
		ret = -ENOENT;
	}
	return ret;
}

/* Tracepoints that cannot be listed are not kept quiet about. */
static void list_explain(struct tally_events *events)
{
	struct tally_event_error err;
	const char *root;

	if (!tally_events_tracefs(events, &root, &err))
		return;
	tally_say_warning("tracepoints are not listed: %s", err.text);
	if (err.fix[0])
		tally_say_hint("%s", err.fix);
}

static int list_run(int argc, char **argv)
{
	struct list_config config = {0};
	struct lister lister = {.config = &config};
	struct tally_events *events;
	int first, ret;

	ret = tally_options_parse(&tally_command_list, &config, argc, argv, 0, &first);
	if (ret)
		return ret - 1;
	ret = tally_events_new(NULL, NULL, &events);
	if (ret)
		return TALLY_EXIT_ERROR;
	if (config.json)
		puts("[");
	if (first == argc)
		ret = tally_events_each(events, ALL_KINDS, NULL, list_one, &lister);
	for (; first < argc && !ret; first++)
		ret = list_word(events, &lister, argv[first]);
	if (config.json)
		puts("]");
	list_explain(events);
	tally_str_free(&lister.out);
	tally_events_free(events);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_list = {
	.name = "list",
	.summary = "List events that can be counted",
	.usage = "[OPTIONS] [hw|sw|cache|tracepoint|pmu|raw|breakpoint|GLOB]...",
	.options = list_options,
	.run = list_run,
};
