/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/trace_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"

enum { MAX_TEXT = 64 };

uint64_t trace_report_field(const struct trace_report *report, const char *name)
{
	const struct tally_tp_field *field = tally_tp_format_find(report->format, name);
	uint64_t value = 0;

	if (field)
		(void)tally_tp_field_u64(field, &report->raw, &value);
	return value;
}

static void add_short(struct tally_str *out, const char *text, size_t len)
{
	size_t start = out->len;

	tally_str_add_bytes(out, text, strnlen(text, TALLY_MIN(len, MAX_TEXT)));
	tally_str_escape(out, start);
}

void trace_report_add_text(const struct trace_report *report, const char *name,
			   struct tally_str *out)
{
	const struct tally_tp_field *field = tally_tp_format_find(report->format, name);
	const uint8_t *bytes;
	size_t len;

	if (field && !tally_tp_field_bytes(field, &report->raw, &bytes, &len) && len)
		add_short(out, (const char *)bytes, len);
}

void trace_report_add_comm(const struct trace_report *report, struct tally_str *out)
{
	add_short(out, tally_machine_comm(report->session->machine, report->sample->thread),
		  MAX_TEXT);
}

/* Return the handler of the current tracepoint, or NULL. */
static const struct trace_handler *find_handler(const struct trace_report *report)
{
	for (const struct trace_handler *at = report->kind->handlers; at->event; at++)
		if (!strcmp(strchr(at->event, ':') + 1, report->format->name))
			return at;
	return NULL;
}

static bool has_field(const struct trace_report *report, const char *name, size_t len)
{
	for (size_t i = 0; i < report->format->nr_fields; i++) {
		const struct tally_tp_field *field = &report->format->fields[i];

		if (strlen(field->name) == len && !memcmp(field->name, name, len))
			return field->offset <= report->raw.len &&
			       field->size <= report->raw.len - field->offset;
	}
	return false;
}

static bool has_fields(const struct trace_report *report, const char *names)
{
	while (*names) {
		size_t len = strcspn(names, " ");

		if (!has_field(report, names, len))
			return false;
		names += len + strspn(names + len, " ");
	}
	return true;
}

static int handle_tracepoint(struct trace_report *report, const struct tally_feed_sample *sample)
{
	const struct trace_handler *handler;

	if (sample->attr->type != PERF_TYPE_TRACEPOINT)
		return 0;
	if (!report->tracing) {
		int ret = tally_tracing_new(report->session, &report->tracing);

		if (ret)
			return ret == -ENOENT ? 0 : ret;
	}
	report->format = tally_tracing_format(report->tracing, sample->attr);
	handler = report->format ? find_handler(report) : NULL;
	if (!handler)
		return 0;
	report->raw = (struct tally_tp_raw){sample->sample.raw.data, sample->sample.raw.len,
					    tally_perfdata_info(report->session->data)->is_foreign};
	report->used++;
	if (!has_fields(report, handler->fields)) {
		report->damaged++;
		return 0;
	}
	return handler->handle(report);
}

static int handle_record(void *arg, struct tally_session *session,
			 const struct tally_perfdata_record *record,
			 struct tally_feed_sample *sample)
{
	struct trace_report *report = arg;

	(void)session;
	(void)record;
	if (!sample)
		return 0;
	report->sample = sample;
	return report->kind->sample ? report->kind->sample(report)
				    : handle_tracepoint(report, sample);
}

/* Warn that the recording has nothing for the report. */
static void warn_unused(const struct trace_report *report)
{
	tally_print_warning("%s has no samples that %s counts", report->session->name,
			    report->kind->name);
	tally_print_hint("tally script record %s", report->kind->name);
}

static int print_report(struct trace_report *report)
{
	struct tally_str out = {0};
	int ret;

	report->kind->print(report, &out);
	ret = tally_str_error(&out) ? -ENOMEM : tally_output_flush(&out);
	tally_str_free(&out);
	return ret;
}

static int run_session(struct trace_report *report)
{
	int ret = tally_session_run(report->session, handle_record, report), printed;

	if (!report->used)
		warn_unused(report);
	if (report->damaged)
		tally_print_warning(
			"samples that %s leaves out, because they lack fields: %" PRIu64,
			report->kind->name, report->damaged);
	printed = ret == -ENOMEM ? ret : print_report(report);
	if (printed == -ENOMEM)
		tally_session_out_of_memory(report->session);
	return ret ? ret : printed;
}

static int start_report(struct trace_report *report, const struct trace_arguments *arguments)
{
	const struct trace_report_kind *kind = report->kind;

	report->state = calloc(1, kind->state_size);
	if (!report->state) {
		tally_print_error("out of memory");
		return -ENOMEM;
	}
	return kind->start ? kind->start(report, (int)arguments->words.len, arguments->words.data)
			   : 0;
}

int trace_report_run(const struct trace_arguments *arguments,
		     const struct tally_recording_options *options)
{
	struct trace_report report = {.kind = arguments->kind};
	struct tally_session session;
	int ret = start_report(&report, arguments);

	if (!ret)
		ret = tally_recording_open(options, &session);
	if (!ret) {
		report.session = &session;
		tally_pager_start();
		ret = run_session(&report);
		tally_tracing_free(report.tracing);
		tally_recording_close(&session);
	}
	if (report.state && report.kind->free)
		report.kind->free(report.state);
	free(report.state);
	return ret;
}
