/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script_stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/endian.h"
#include "base/escape.h"

/* Sizes of the records, and of an entry of the thread map: a pid and a name. */
enum { STAT_SIZE = 48, ROUND_SIZE = 24, MAP_HEAD = 16, MAP_ENTRY = 24 };

static int take_threads(struct script_stat *stat, const uint8_t *at, size_t size)
{
	int ret = 0;

	stat->threads.len = 0;
	for (size_t i = MAP_HEAD; i + MAP_ENTRY <= size && !ret; i += MAP_ENTRY)
		ret = tally_vec_push(&stat->threads, (int32_t)tally_get_u64(at + i));
	return ret;
}

static int take_count(struct script_stat *stat, const struct tally_session *session,
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

	return count.event ? tally_vec_push(&stat->counts, count) : 0;
}

/* By event, thread and CPU, as perf goes through them. */
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

static void add_count(const struct script_stat *stat, const struct script_count *count,
		      uint64_t time, struct tally_str *out)
{
	int32_t tid = count->thread < stat->threads.len ? stat->threads.data[count->thread] : -1;

	tally_str_add_line(out,
			   "%3" PRId32 " %8" PRId32 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64
			   " %15" PRIu64 " %s",
			   (int32_t)count->cpu, tid, count->value, count->enabled, count->running,
			   time, count->event->name);
}

static void add_round(struct script_stat *stat, uint64_t time, struct tally_str *out)
{
	if (!stat->counts.len)
		return;
	if (!stat->has_heading)
		tally_str_add_line(out, "%3s %8s %15s %15s %15s %15s %s", "CPU", "THREAD", "VAL",
				   "ENA", "RUN", "TIME", "EVENT");
	stat->has_heading = true;
	qsort(stat->counts.data, stat->counts.len, sizeof(*stat->counts.data), counts_order);
	for (size_t i = 0; i < stat->counts.len; i++) {
		const struct script_count *count = &stat->counts.data[i];

		if (i + 1 == stat->counts.len || !is_same(count, count + 1))
			add_count(stat, count, time, out);
	}
	stat->counts.len = 0;
}

int script_stat_record(struct script_stat *stat, const struct tally_session *session,
		       const struct tally_perfdata_record *record, struct tally_str *out)
{
	const uint8_t *at = record->data;

	if (record->type == TALLY_PERFDATA_THREAD_MAP)
		return take_threads(stat, at, record->size);
	if (record->type == TALLY_PERFDATA_STAT && record->size >= STAT_SIZE)
		return take_count(stat, session, at);
	if (record->type == TALLY_PERFDATA_STAT_ROUND && record->size >= ROUND_SIZE)
		add_round(stat, tally_get_u64(at + 16), out);
	return 0;
}

void script_stat_free(struct script_stat *stat)
{
	tally_vec_free(&stat->counts);
	tally_vec_free(&stat->threads);
}
