/* SPDX-License-Identifier: BSD-2-Clause */
/* Write a report in another program's file format. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/path.h"
#include "base/suggest.h"
#include "cli/main/output_stream.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "session/session_events.h"
#include "session/session_identity.h"
#include "cli/report/report_export.h"
#include "export/export_events.h"
#include "export/resource.h"

/* Formats that contain the report's rows. */
static const char *const row_formats[] = {"json", "csv"};

static bool is_row_format(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(row_formats); i++) {
		if (!strcmp(name, row_formats[i]))
			return true;
	}
	return false;
}

void report_print_formats(const char *before)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(row_formats); i++)
		puts(row_formats[i]);
	for (const struct tally_export_format *const *f = tally_export_formats; *f; f++)
		puts((*f)->name);
}

static void print_unknown(const char *name)
{
	const struct tally_export_format *const *format;
	struct tally_suggest suggest;

	tally_print_error("option '--format': unknown format '%s'", name);
	tally_suggest_start(&suggest, name, strlen(name));
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(row_formats); i++)
		tally_suggest_offer(&suggest, row_formats[i]);
	for (format = tally_export_formats; *format; format++)
		tally_suggest_offer(&suggest, (*format)->name);
	tally_print_typo(&suggest);
	for (format = tally_export_formats; *format; format++)
		tally_print_detail("%-14s  %s", (*format)->name, (*format)->help);
	tally_print_detail("%-14s  rows, like --json", row_formats[0]);
	tally_print_detail("%-14s  rows as CSV (RFC 4180)", row_formats[1]);
}

/* Write the option to `out` as the user specified it. */
static void add_option(const struct report_config *config, char out[64])
{
	snprintf(out, 64, "--format %s", config->format);
}

/* Return the destination. The result refers to the buffer `option`, which receives the option
 * string. */
static struct tally_document_place place_of(const struct report_config *config, char option[64])
{
	const struct tally_export_format *format = tally_export_format_find(config->format);
	struct tally_document_place place = {
		.option = option,
		.path = config->output,
		.kinds = TALLY_OVERWRITE_EXPORT,
		.force = config->force,
		.is_binary = format && format->is_binary,
	};

	add_option(config, option);
	return place;
}

int report_export_check(struct report_config *config)
{
	const struct tally_export_format *format;
	char option[64];

	if (config->event_given && !config->event_number) {
		tally_print_error("option '--event-number' must be at least 1");
		return -EINVAL;
	}
	if (!config->format && config->output) {
		tally_print_error("option '--output' requires --format");
		return -EINVAL;
	}
	if (!config->format)
		return 0;
	format = tally_export_format_find(config->format);
	if (!format && !is_row_format(config->format)) {
		print_unknown(config->format);
		return -EINVAL;
	}
	add_option(config, option);
	if (!format && tally_document_check_plain(option, config->output))
		return -EINVAL;
	config->json = !strcmp(config->format, row_formats[0]);
	config->csv = !strcmp(config->format, row_formats[1]);
	config->quiet |= config->csv;
	return 0;
}

int report_export_begin(const struct report *report)
{
	const struct report_config *config = report->config;
	struct tally_document_place place;
	char option[64];

	if (!config->svg && !config->format)
		return 0;
	place = config->svg ? report_svg_place(config) : place_of(config, option);
	if (place.path && tally_document_is(place.path, report->session->path))
		return -EINVAL;
	return tally_document_check(&place);
}

void report_export_options(const struct report_config *config,
			   struct tally_profile_options *options)
{
	const struct tally_export_format *format =
		config->format ? tally_export_format_find(config->format) : NULL;

	if (!format)
		return;
	options->by |= format->by | TALLY_BY_FRAME | TALLY_BY_PATH;
	options->lines = format->lines;
	if (!config->is_inlined)
		options->lines &= ~(unsigned)TALLY_LINES_APART;
	options->second_pass = false;
	options->keeps_samples = format->keeps_samples;
	options->filter.symbol_part = config->rows.show.symbol_part;
}

/* ---- events --------------------------------------------------------------------- */

bool report_wants_event(const struct report *report, uint64_t i)
{
	return tally_event_is_chosen(report->config->event_number, i);
}

/* EVENTS_MAX limits the number of exported events, because each event takes time and space.
 * EVENTS_TOLD limits the number of skipped events listed in a warning. */
enum { EVENTS_MAX = 64, EVENTS_TOLD = 10 };

static size_t events_limit(const struct tally_export_format *format,
			   const struct tally_export_event *events, size_t nr)
{
	size_t most = format->one_event ? 1 : EVENTS_MAX;

	if (nr <= most)
		return nr;
	if (format->one_event)
		tally_print_warning("--format %s supports only one event: exporting '%s'",
				    format->name, events[0].name);
	else
		tally_print_warning("--format %s: exporting the first %zu of %zu events",
				    format->name, most, nr);
	for (size_t i = most; i < TALLY_MIN(nr, most + EVENTS_TOLD); i++)
		tally_print_detail("--event-number %u is '%s'", events[i].number + 1,
				   events[i].name);
	if (nr > most + EVENTS_TOLD)
		tally_print_detail("... and %zu more", nr - most - EVENTS_TOLD);
	return most;
}

/* ---- writing -------------------------------------------------------------------- */

static void print_notes(const struct tally_export_format *format,
			const struct tally_export_notes *notes)
{
	if (notes->has_no_times)
		tally_print_warning(
			"samples have no timestamps: --format %s places them 1 ms apart",
			format->name);
	if (notes->is_capped)
		tally_print_warning(
			"weights exceed the range of --format %s and are limited to 2^63 - 1",
			format->name);
}

static int print_too_much(const struct tally_export_format *format)
{
	tally_print_error("too many samples for --format %s", format->name);
	tally_print_hint("select fewer samples with --time, --comms or --query");
	return -ENODATA;
}

/* Set the recorded machine's attributes, for which `attributes` has space, and clock. */
static void set_origin(struct report *report, struct tally_export_attribute *attributes,
		       struct tally_export_origin *origin)
{
	const struct tally_perfdata_env *env;
	uint64_t first = report->profile.kept.len ? report->profile.kept.data[0].time : 0;
	struct tally_session_clock clock;

	if (tally_perfdata_env(report->session->data, &env))
		return;
	clock = tally_session_clock(report->session, env, first);
	origin->attributes = attributes;
	origin->nr_attributes = tally_export_resource(env, NULL, NULL, 0, attributes);
	origin->clock = clock.source;
	origin->clock_offset = clock.offset;
}

static int write_format(struct report *report, const struct tally_export_format *format)
{
	size_t nr = tally_perfdata_nr_events(report->session->data);
	struct tally_export_event *events = calloc(nr + 1, sizeof(*events));
	struct tally_export_attribute attributes[TALLY_EXPORT_RECORDED_ATTRIBUTES];
	struct tally_export_notes notes = {0};
	struct tally_export export = {
		.profile = &report->profile,
		.events = events,
		.title = tally_path_name(report->session->name),
		.version = "tally " TALLY_VERSION,
		.start = (uint64_t)report->session->options.symbols.recorded * 1000000000,
		.threads = tally_session_jobs(report->session),
		.packs = tally_document_is_packed(report->document->path),
		.sink = {tally_document_write, report->document},
		.notes = &notes,
	};
	int ret = events ? 0 : -ENOMEM;

	set_origin(report, attributes, &export.origin);
	if (!ret)
		export.nr_events =
			events_limit(format, events,
				     tally_export_events(report->session->data, &report->profile,
							 report->config->event_number, events));
	if (!ret && !export.nr_events) {
		tally_print_error("%s has no events: nothing to export", report->session->name);
		ret = -ENODATA;
	}
	for (size_t i = 0; i < export.nr_events; i++) {
		uint32_t number = events[i].number;

		if (number < report->profile.totals.len)
			report->rows_shown += report->profile.totals.data[number].nr_shown;
	}
	ret = ret ? ret : format->write(&export);
	if (!ret)
		print_notes(format, &notes);
	free(events);
	return ret == -E2BIG ? print_too_much(format) : ret;
}

int report_flush(struct report *report)
{
	int ret;

	if (!report->document)
		return tally_output_flush(&report->out);
	ret = tally_str_error(&report->out);
	if (!ret)
		ret = tally_document_write(report->document, tally_str_text(&report->out),
					   report->out.len);
	tally_str_clear(&report->out);
	return ret;
}

int report_export(struct report *report)
{
	const struct tally_export_format *format = tally_export_format_find(report->config->format);
	struct tally_document_place place;
	struct tally_document document;
	char option[64];
	int ret;

	place = place_of(report->config, option);
	tally_document_begin(&place, &document);
	report->document = &document;
	ret = format ? write_format(report, format) : report_print(report);
	report->document = NULL;
	return tally_document_close(&document, ret);
}
