/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_tracing.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "tally/events.h"

struct trace_event {
	struct tally_tp_format *format; /* NULL if the format cannot be parsed */
	struct tally_tp_print *print;   /* NULL to print the fields instead */
	bool was_compiled;
};

struct tally_tracing {
	struct tally_session *session;
	const struct tally_perfdata_tracing *data;
	struct tally_tp_target target;
	struct tally_tp_env env;
	TALLY_VEC(struct trace_event) events;
	struct tally_map by_id;
	bool has_warned; /* a warning about truncated text was printed */
};

/* Resolve a kernel address for %pS, using the session's kernel symbols. */
static const char *tracing_resolve(uint64_t addr, uint64_t *ret_start, void *data)
{
	struct tally_tracing *tracing = data;
	struct tally_thread *idle = tally_machine_thread(tracing->session->machine, 0, 0);
	const struct tally_location *where;

	if (!idle)
		return NULL;
	where = tally_machine_locate(tracing->session->machine, idle, PERF_RECORD_MISC_KERNEL,
				     addr);
	if (!where->symbol)
		return NULL;
	*ret_start = where->symbol->start;
	return tally_symbol_name(where->dso, where->symbol);
}

/* Add the format with this ID. A format that cannot be parsed affects only its own events, which
 * are printed without text. */
static int tracing_add(struct tally_tracing *tracing, uint64_t id, uint64_t *ret_at)
{
	const struct tally_perfdata_trace_format *format;
	struct trace_event event = {0};
	int ret = tally_perfdata_trace_format(tracing->session->data, id, &format);

	if (!ret)
		ret = tally_tp_format_parse(format->text.data, format->text.len, &event.format,
					    NULL);
	if (ret == -ENOMEM)
		return ret;
	*ret_at = tracing->events.len;
	ret = tally_vec_push(&tracing->events, event);
	if (ret)
		tally_tp_format_free(event.format);
	else
		ret = tally_map_set(&tracing->by_id, id, *ret_at);
	return ret;
}

/* Parse formats on first use, and only once for each ID, because several events may share an ID. */
static int tracing_find(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			struct trace_event **ret_trace)
{
	uint64_t at;
	int ret;

	*ret_trace = NULL;
	if (attr->type != PERF_TYPE_TRACEPOINT)
		return 0;
	at = tally_map_get(&tracing->by_id, attr->config);
	if (at == TALLY_MAP_NONE) {
		ret = tracing_add(tracing, attr->config, &at);
		if (ret)
			return ret;
	}
	if (tracing->events.data[at].format)
		*ret_trace = &tracing->events.data[at];
	return 0;
}

const struct tally_tp_format *tally_tracing_format(struct tally_tracing *tracing,
						   const struct perf_event_attr *attr)
{
	struct trace_event *trace;

	(void)tracing_find(tracing, attr, &trace); /* printing reports -ENOMEM */
	return trace ? trace->format : NULL;
}

int tally_tracing_new(struct tally_session *session, struct tally_tracing **ret_tracing)
{
	struct tally_tracing *tracing = calloc(1, sizeof(*tracing));
	int ret;

	if (!tracing)
		return -ENOMEM;
	tracing->session = session;
	ret = tally_perfdata_tracing(session->data, &tracing->data, NULL);
	if (ret) {
		tally_tracing_free(tracing);
		return ret;
	}
	tracing->target.long_size = tracing->data->long_size;
	tracing->target.big_endian = tracing->data->is_big_endian;
	tracing->target.swap = tracing->data->is_big_endian != (bool)TALLY_HOST_BIG_ENDIAN;
	tracing->env = (struct tally_tp_env){tracing_resolve, tracing, 0};
	*ret_tracing = tracing;
	return 0;
}

void tally_tracing_free(struct tally_tracing *tracing)
{
	if (!tracing)
		return;
	tally_vec_for_each (event, &tracing->events) {
		tally_tp_print_free(event->print);
		tally_tp_format_free(event->format);
	}
	tally_vec_free(&tracing->events);
	tally_map_free(&tracing->by_id);
	free(tracing);
}

static void warn_cut(struct tally_tracing *tracing)
{
	if (!tracing->has_warned)
		tally_message_warn(tracing->session->options.messages,
				   "%s: tracepoint output beyond the limit of %d bytes plus %d "
				   "times the payload was truncated",
				   tracing->session->name, TALLY_TRACE_TEXT_MAX,
				   TALLY_TRACE_TEXT_PER_BYTE);
	tracing->has_warned = true;
}

static int trace_compile(struct tally_tracing *tracing, struct trace_event *trace)
{
	int ret = tally_tp_print_compile(trace->format, &tracing->target, &trace->print, NULL);

	trace->was_compiled = ret != -ENOMEM;
	return ret;
}

static void fields_add(struct tally_tracing *tracing, const struct tally_tp_format *format,
		       const struct tally_tp_raw *raw, struct tally_str *out)
{
	tracing->env.max_len = TALLY_TRACE_TEXT_MAX + TALLY_TRACE_TEXT_PER_BYTE * raw->len;
	if (tally_tp_print_fields(format, raw, &tracing->env, out) == -E2BIG)
		warn_cut(tracing);
}

void tally_tracing_print_fields(struct tally_tracing *tracing, const struct perf_event_attr *attr,
				const struct tally_sample *sample, struct tally_str *out)
{
	const struct tally_tp_raw raw = {sample->raw.data, sample->raw.len, tracing->target.swap};
	const struct tally_tp_format *format = tally_tracing_format(tracing, attr);

	if (format)
		fields_add(tracing, format, &raw, out);
}

void tally_tracing_print(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			 const struct tally_sample *sample, struct tally_str *out)
{
	struct tally_tp_raw raw = {sample->raw.data, sample->raw.len, tracing->target.swap};
	struct trace_event *trace;
	int ret = tracing_find(tracing, attr, &trace);

	if (!ret && trace && !trace->was_compiled)
		ret = trace_compile(tracing, trace);
	out->failed |= ret == -ENOMEM;
	if (!trace || ret == -ENOMEM)
		return;
	if (!trace->print) {
		/* perf prints the same message for formats that it cannot parse. */
		tally_str_add(out, "[FAILED TO PARSE]");
		fields_add(tracing, trace->format, &raw, out);
		return;
	}
	tracing->env.max_len = TALLY_TRACE_TEXT_MAX + TALLY_TRACE_TEXT_PER_BYTE * raw.len;
	if (tally_tp_print_run(trace->print, raw.data, raw.len, &tracing->env, out) == -E2BIG)
		warn_cut(tracing);
}
