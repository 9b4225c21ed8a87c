/* SPDX-License-Identifier: BSD-2-Clause */
/* report --stats: records by type. */
#include <errno.h>
#include <inttypes.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/endian.h"
#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/report/report_records.h"

/* Types above this are not known, and are counted together. */
enum { MAX_TYPE = 128 };

struct event_stats {
	uint64_t samples, lost;
};

struct stats {
	uint64_t total, types[MAX_TYPE + 1];
	TALLY_VEC(struct event_stats) events; /* by event number */
};

static int stats_event(struct stats *stats, const struct tally_perfdata_record *record)
{
	enum { LOST_SAMPLES_AT = 8 }; /* offset of the number of lost samples */
	uint32_t event = record->event->index;

	while (stats->events.len <= event)
		if (tally_vec_push(&stats->events, (struct event_stats){0}))
			return -ENOMEM;
	if (record->type == PERF_RECORD_SAMPLE)
		stats->events.data[event].samples++;
	else if (record->size >= LOST_SAMPLES_AT + 8)
		tally_sum_add(&stats->events.data[event].lost,
			      tally_get_u64((const uint8_t *)record->data + LOST_SAMPLES_AT));
	return 0;
}

static int stats_record(struct stats *stats, const struct tally_perfdata_record *record)
{
	stats->total++;
	stats->types[record->type < MAX_TYPE ? record->type : MAX_TYPE]++;
	if ((record->type != PERF_RECORD_SAMPLE && record->type != PERF_RECORD_LOST_SAMPLES) ||
	    !record->event)
		return 0;
	return stats_event(stats, record);
}

/* Append a line; without `total`, it has no percentage. */
static void add_count(struct tally_str *out, const char *name, uint64_t nr, uint64_t total)
{
	tally_str_addf(out, "%16s events: %10" PRIu64, name, nr);
	if (total)
		tally_str_addf(out, "  (%4.1f%%)", 100.0 * (double)nr / (double)total);
	tally_str_add_char(out, '\n');
}

static void stats_text(const struct stats *stats, const struct tally_session *session,
		       struct tally_str *out)
{
	tally_str_add(out, "\nAggregated stats:\n");
	add_count(out, "TOTAL", stats->total, 0);
	for (uint32_t type = 0; type <= MAX_TYPE; type++) {
		const struct tally_record_desc *desc = tally_perfdata_describe(type);

		if (stats->types[type])
			add_count(out, desc ? desc->name : "UNKNOWN", stats->types[type],
				  stats->total);
	}
	for (size_t i = 0; i < stats->events.len; i++) {
		const struct event_stats *event = &stats->events.data[i];
		size_t start = out->len;

		if (!event->samples && !event->lost)
			continue;
		tally_str_add(out, tally_perfdata_event(session->data, i)->name);
		tally_str_escape(out, start);
		tally_str_add(out, " stats:\n");
		if (event->samples)
			add_count(out, "SAMPLE", event->samples, 0);
		if (event->lost)
			add_count(out, "LOST_SAMPLES", event->lost, 0);
	}
}

int report_stats(struct tally_session *session)
{
	struct tally_perfdata_record record;
	struct tally_error err = {0};
	struct stats stats = {0};
	struct tally_str out = {0};
	int ret, failed = 0;

	while (!failed && (ret = tally_perfdata_next(session->data, &record, &err)) > 0)
		failed = stats_record(&stats, &record);
	stats_text(&stats, session, &out);
	if (!failed)
		failed = tally_str_error(&out) ? -ENOMEM : tally_output_flush(&out);
	tally_session_warn(session);
	if (failed == -ENOMEM)
		tally_session_out_of_memory(session);
	else if (!failed && ret < 0)
		tally_print_parse_error(session->name, ret, err.text ? &err : NULL);
	tally_vec_free(&stats.events);
	tally_str_free(&out);
	return failed ? failed : ret;
}
