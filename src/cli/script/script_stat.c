/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/endian.h"
#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"

/* Record sizes, and the size of a thread map entry (PID and name). */
enum { STAT_SIZE = 48, ROUND_SIZE = 24, MAP_HEAD = 16, MAP_ENTRY = 24 };

static int on_thread_map(struct script_stat *stat, const uint8_t *at, size_t size)
{
	int ret = 0;

	stat->threads.len = 0;
	for (size_t i = MAP_HEAD; i + MAP_ENTRY <= size && !ret; i += MAP_ENTRY)
		ret = tally_vec_push(&stat->threads, (int32_t)tally_get_u64(at + i));
	return ret;
}

static int on_count(struct script_stat *stat, const struct tally_session *session,
		    const uint8_t *at)
{
	struct script_count count = {
		.event = tally_perfdata_event_by_id(session->data, tally_get_u64(at + 8)),
		.cpu = tally_get_u32(at + 16),
		.thread = tally_get_u32(at + 20),
		.order = (uint32_t)stat->counts.len,
		.value = tally_get_u64(at + 24),
		.enabled = tally_get_u64(at + 32),
		.running = tally_get_u64(at + 40),
	};

	stat->nr_nameless += !count.event;
	return count.event ? tally_vec_push(&stat->counts, count) : 0;
}

/* Sort by event, thread and CPU, like perf. */
static int counts_order(const void *a, const void *b)
{
	const struct script_count *x = a, *y = b;
	int order = (x->event->index > y->event->index) - (x->event->index < y->event->index);

	if (!order)
		order = (x->thread > y->thread) - (x->thread < y->thread);
	if (!order)
		order = ((int32_t)x->cpu > (int32_t)y->cpu) - ((int32_t)x->cpu < (int32_t)y->cpu);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static bool is_same(const struct script_count *x, const struct script_count *y)
{
	return x->event == y->event && x->thread == y->thread && x->cpu == y->cpu;
}

/* Timestamp used for a round without a recorded end. */
static const uint64_t no_time = UINT64_MAX;

static void add_count(const struct script_stat *stat, const struct script_count *count,
		      uint64_t time, struct tally_str *out)
{
	char when[TALLY_DECIMAL_MAX + 1] = "-";
	int32_t tid = count->thread < stat->threads.len ? stat->threads.data[count->thread] : -1;

	if (time != no_time)
		snprintf(when, sizeof(when), "%" PRIu64, time);
	tally_str_add_line(
		out, "%3" PRId32 " %8" PRId32 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15s %s",
		(int32_t)count->cpu, tid, count->value, count->enabled, count->running, when,
		count->event->name);
}

static int add_round(struct script_stat *stat, uint64_t time, struct tally_str *out)
{
	int ret = 0;

	if (!stat->counts.len)
		return 0;
	if (!stat->has_heading)
		tally_str_add_line(out, "%3s %8s %15s %15s %15s %15s %s", "CPU", "THREAD", "VAL",
				   "ENA", "RUN", "TIME", "EVENT");
	stat->has_heading = true;
	qsort(stat->counts.data, stat->counts.len, sizeof(*stat->counts.data), counts_order);
	for (size_t i = 0; i < stat->counts.len && !ret; i++) {
		const struct script_count *count = &stat->counts.data[i];

		if (i + 1 == stat->counts.len || !is_same(count, count + 1))
			add_count(stat, count, time, out);
		/* Flush inside the loop, because event names may be much longer than the counts. */
		if (out->len >= TALLY_FLUSH_AT)
			ret = tally_output_flush(out);
	}
	stat->counts.len = 0;
	return ret;
}

int script_stat_record(struct script_stat *stat, const struct tally_session *session,
		       const struct tally_perfdata_record *record, struct tally_str *out)
{
	const uint8_t *at = record->data;

	if (record->type == TALLY_PERFDATA_THREAD_MAP)
		return on_thread_map(stat, at, record->size);
	if (record->type == TALLY_PERFDATA_STAT) {
		if (record->size >= STAT_SIZE)
			return on_count(stat, session, at);
		stat->nr_short++;
	} else if (record->type == TALLY_PERFDATA_STAT_ROUND) {
		if (record->size >= ROUND_SIZE)
			return add_round(stat, tally_get_u64(at + 16), out);
		stat->nr_short++;
	}
	return 0;
}

int script_stat_finish(struct script_stat *stat, const struct tally_session *session,
		       struct tally_str *out)
{
	if (stat->nr_nameless)
		tally_print_warning("%s: skipped %" PRIu64 " counts of unknown events",
				    session->name, stat->nr_nameless);
	if (stat->nr_short)
		tally_print_warning("%s: skipped %" PRIu64 " count records that are too short",
				    session->name, stat->nr_short);
	/* perf stat record -I writes the final counts after the last interval. perf script does not
	 * list them either. */
	if (!stat->counts.len || stat->has_heading)
		return 0;
	tally_print_warning("%s: the last round is unfinished: its counts have no timestamp and "
			    "may be incomplete",
			    session->name);
	return add_round(stat, no_time, out);
}

void script_stat_free(struct script_stat *stat)
{
	tally_vec_free(&stat->counts);
	tally_vec_free(&stat->threads);
}
