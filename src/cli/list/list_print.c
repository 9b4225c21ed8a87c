/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the list as grouped text or as JSON. */
#include "cli/list/list_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/json.h"
#include "cli/main/overwrite_marks.h"

enum { SCHEMA_VERSION = 1, NAME_WIDTH = 53 };

/* Return a label such as "Hardware event" or "Metric". */
static const char *kind_label(enum tally_event_kind kind)
{
	return tally_list_labels[__builtin_ctz(kind)];
}

/* Append an event's encoding, such as "cpu/event=0xc0/", or nothing for patterns. */
static void add_encoding(const struct tally_event_info *info, struct tally_str *out)
{
	const char *pmu = info->pmu && strcmp(info->pmu, "default_core") ? info->pmu : "cpu";

	if (info->expression)
		tally_str_add(out, info->expression);
	else if (info->encoding)
		tally_str_addf(out, "%s/%s/", pmu, info->encoding);
	else if (info->type != UINT32_MAX)
		tally_str_addf(out, "type %" PRIu32 ", config 0x%" PRIx64, info->type,
			       info->config);
}

/* Append the counters that can count an event, such as "0,1,2,3,fixed 1". */
static void add_counters(const struct tally_event_info *info, struct tally_str *out)
{
	const char *between = "";

	for (int i = 0; i < 16; i++) {
		if (!(info->counters >> i & 1))
			continue;
		tally_str_addf(out, "%s%d", between, i);
		between = ",";
	}
	for (int i = 0; i < 8; i++) {
		if (!(info->fixed >> i & 1))
			continue;
		tally_str_addf(out, "%sfixed %d", between, i);
		between = ",";
	}
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_begin(struct list_printer *printer)
{
	const struct tally_events_table *table = &printer->table;
	struct tally_str *out = &printer->out;

	tally_json_open(out, NULL, '{');
	tally_json_u64(out, "version", SCHEMA_VERSION);
	tally_json_open(out, "cpu", '{');
	tally_json_text(out, "id", table->cpuid);
	tally_json_text(out, "arch", table->arch);
	tally_json_text(out, "table", table->name);
	tally_json_bool(out, "architectural", table->architectural);
	tally_json_bool(out, "this_machine", !table->other);
	tally_json_close(out, '}');
	tally_json_open(out, "events", '[');
	tally_str_add_char(out, '\n');
}

static void json_text(struct tally_str *out, const char *key, const char *text)
{
	if (text && *text)
		tally_json_text(out, key, text);
}

static void json_table(const struct tally_event_info *info, struct tally_str *out)
{
	struct tally_str counters = {0};

	add_counters(info, &counters);
	json_text(out, "topic", info->kind == TALLY_EVENT_TABLE ? info->topic : NULL);
	json_text(out, "groups", info->kind == TALLY_EVENT_METRIC ? info->topic : NULL);
	json_text(out, "counters", tally_str_text(&counters));
	json_text(out, "expression", info->expression);
	json_text(out, "details", info->long_text);
	if (info->deprecated)
		tally_json_bool(out, "deprecated", true);
	tally_str_free(&counters);
}

static void json_event(struct list_printer *printer, const struct tally_event_info *info,
		       const char *why)
{
	/* Use a separate buffer, because the JSON writer looks at previous output, which may have
	 * been flushed. */
	struct tally_str event = {0}, *out = &event;

	tally_json_open(out, NULL, '{');
	tally_json_text(out, "name", info->name);
	tally_json_text(out, "kind", kind_label(info->kind));
	json_text(out, "alias", info->alias);
	json_text(out, "pmu", info->pmu);
	if (info->type != UINT32_MAX) {
		tally_json_u64(out, "type", info->type);
		tally_json_u64(out, "config", info->config);
	}
	json_text(out, "encoding", info->encoding);
	json_text(out, "unit", info->unit);
	json_text(out, "description", info->text);
	json_table(info, out);
	if (list_prober_knows(&printer->prober, info))
		tally_json_bool(out, "countable", !why);
	json_text(out, "why_not", why);
	tally_json_close(out, '}');
	tally_str_addf(&printer->out, "%s%s", printer->nr > 1 ? ",\n" : "", tally_str_text(out));
	tally_str_free(out);
}

/* ---- text -------------------------------------------------------------------- */

/* Print the kind and the topic once, above the events that share them. If `why` applies to all of
 * these events, print it in the heading as well. */
static void text_heading(struct list_printer *printer, const struct tally_event_info *info,
			 const char *why)
{
	const char *topic = info->topic ? info->topic : "";
	char heading[sizeof(printer->heading)];

	snprintf(heading, sizeof(heading), "%s%s%.*s", kind_label(info->kind), *topic ? ": " : "",
		 (int)strcspn(topic, ";"), topic);
	if (!strcmp(heading, printer->heading))
		return;
	memcpy(printer->heading, heading, sizeof(heading));
	if (printer->nr > 1)
		tally_str_add_char(&printer->out, '\n');
	tally_str_add_line(&printer->out, "%s", heading);
	if (why && !*topic)
		tally_str_add_line(&printer->out, "  (not available here: %s)", why);
}

static void text_details(struct list_printer *printer, const struct tally_event_info *info)
{
	struct tally_str *out = &printer->out, text = {0};

	add_encoding(info, &text);
	if (text.len)
		tally_str_add_line(out, "       %s", tally_str_text(&text));
	tally_str_clear(&text);
	add_counters(info, &text);
	if (text.len)
		tally_str_addf(out, "       counters %s\n", tally_str_text(&text));
	tally_str_free(&text);
}

static void text_event(struct list_printer *printer, const struct tally_event_info *info,
		       const char *why)
{
	const struct list_config *config = printer->config;
	struct tally_str *out = &printer->out;
	const char *unit = info->unit + strspn(info->unit, "0123456789."); /* without the scale */
	size_t start;

	text_heading(printer, info, why);
	start = out->len;
	tally_str_addf(out, "  %s", info->name);
	if (info->alias)
		tally_str_addf(out, " OR %s", info->alias);
	tally_str_escape(out, start);
	tally_str_pad_to(out, start + NAME_WIDTH);
	tally_str_addf(out, " [%s%s%s]\n", kind_label(info->kind),
		       why ? "; not available here" : "", info->deprecated ? "; deprecated" : "");
	if (info->text && !config->no_desc)
		tally_str_add_line(out, "       [%s%s%s]", info->text, *unit ? ". In " : "", unit);
	if (config->details && info->long_text)
		tally_str_add_line(out, "       [%s]", info->long_text);
	if (config->details || config->verbose)
		text_details(printer, info);
	if (why && config->verbose)
		tally_str_add_line(out, "       not available here: %s", why);
}

/* ---- both formats -------------------------------------------------------------- */

static void flush(struct list_printer *printer)
{
	fwrite(tally_str_text(&printer->out), 1, printer->out.len, stdout);
	tally_str_clear(&printer->out);
}

void list_print_begin(struct list_printer *printer)
{
	if (printer->config->json)
		json_begin(printer);
}

void list_print(struct list_printer *printer, const struct tally_event_info *info)
{
	const char *why =
		printer->config->raw_dump ? NULL : list_prober_why_not(&printer->prober, info);

	printer->nr++;
	if (printer->config->raw_dump)
		tally_str_addf(&printer->out, "%s ", info->name);
	else if (printer->config->json)
		json_event(printer, info, why);
	else
		text_event(printer, info, why);
	if (printer->out.len > 1 << 15)
		flush(printer);
}

void list_print_end(struct list_printer *printer)
{
	if (printer->config->json) {
		tally_str_add(&printer->out, "]}\n");
	} else if (printer->config->raw_dump) {
		tally_str_add_char(&printer->out, '\n');
	}
	flush(printer);
}
