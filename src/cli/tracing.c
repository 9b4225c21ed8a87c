/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/tracing.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "tally/events.h"

struct trace_event {
	struct tally_tp_format *format;
	struct tally_tp_print *print; /* NULL: print the fields */
	bool was_compiled;
};

struct tally_tracing {
	struct tally_session *session;
	const struct tally_perfdata_tracing *data;
	struct tally_tp_target target;
	struct tally_tp_env env;
	TALLY_VEC(struct trace_event) events;
	struct tally_map by_id;
};

/* Kernel functions by the session's kernel symbols, for %pS. */
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

/* A format that cannot be read only costs its own events their text. */
static int tracing_add(struct tally_tracing *tracing,
		       const struct tally_perfdata_trace_format *format)
{
	struct trace_event event = {0};
	int ret = tally_tp_format_parse(format->text.data, format->text.len, &event.format, NULL);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = tally_vec_push(&tracing->events, event);
	if (ret)
		tally_tp_format_free(event.format);
	else
		ret = tally_map_put(&tracing->by_id, event.format->id, tracing->events.len - 1);
	return ret;
}

int tally_tracing_new(struct tally_session *session, struct tally_tracing **ret_tracing)
{
	struct tally_tracing *tracing = calloc(1, sizeof(*tracing));
	int ret;

	if (!tracing)
		return -ENOMEM;
	tracing->session = session;
	ret = tally_perfdata_tracing(session->data, &tracing->data, NULL);
	for (size_t i = 0; !ret && i < tracing->data->nr_formats; i++)
		ret = tracing_add(tracing, &tracing->data->formats[i]);
	if (ret) {
		tally_tracing_free(tracing);
		return ret;
	}
	tracing->target.long_size = tracing->data->long_size;
	tracing->target.big_endian = tracing->data->is_big_endian;
	tracing->target.swap = tracing->data->is_big_endian != (bool)TALLY_HOST_BIG_ENDIAN;
	tracing->env = (struct tally_tp_env){tracing_resolve, tracing};
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

void tally_tracing_print(struct tally_tracing *tracing, const struct tally_perfdata_event *event,
			 const struct tally_sample *sample, struct tally_str *out)
{
	uint64_t known = tally_map_get(&tracing->by_id, event->attr.config);
	struct tally_tp_raw raw = {sample->raw.data, sample->raw.len, tracing->target.swap};
	struct trace_event *trace;

	if (known == TALLY_MAP_NONE)
		return;
	trace = &tracing->events.data[known];
	if (!trace->was_compiled) {
		trace->was_compiled = true;
		tally_tp_print_compile(trace->format, &tracing->target, &trace->print, NULL);
	}
	if (trace->print) {
		tally_tp_print_run(trace->print, raw.data, raw.len, &tracing->env, out);
		return;
	}
	/* What perf says of formats that it cannot read either. */
	tally_str_add(out, "[FAILED TO PARSE]");
	tally_tp_print_fields(trace->format, &raw, out);
}
