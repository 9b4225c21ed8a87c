/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/report/report_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/abi_record.h"
#include "abi/abi_sample.h"
#include "base/arith.h"
#include "base/endian.h"
#include "base/escape.h"
#include "view/width.h"

static uint64_t count_key(uint32_t thread, uint32_t event)
{
	return (uint64_t)thread << 32 | event;
}

/* Return the count of a thread, or 0. */
static uint64_t count_of(const struct report_threads *threads, uint32_t thread, uint32_t event)
{
	uint64_t count = tally_map_get(&threads->counts, count_key(thread, event));

	return count == TALLY_MAP_NONE ? 0 : count;
}

/* Return true if the event has a column. A new event gets one, up to REPORT_THREADS_EVENTS. */
static bool add_event(struct report_threads *threads, uint32_t event)
{
	uint32_t at = threads->nr_events;

	while (at && threads->events[at - 1] > event)
		at--;
	if (at && threads->events[at - 1] == event)
		return true;
	threads->has_more |= threads->nr_events == REPORT_THREADS_EVENTS;
	if (threads->nr_events == REPORT_THREADS_EVENTS)
		return false;
	memmove(threads->events + at + 1, threads->events + at,
		(threads->nr_events - at) * sizeof(*threads->events));
	threads->events[at] = event;
	threads->nr_events++;
	return true;
}

static int add_value(struct report_threads *threads, const struct tally_session *session,
		     const struct tally_perfdata_record *record, uint32_t thread,
		     struct tally_read_value value)
{
	const struct tally_perfdata_event *event =
		value.id ? tally_perfdata_event_by_id(session->data, value.id) : record->event;
	uint64_t sum;

	if (!event || !add_event(threads, event->index))
		return 0;
	sum = count_of(threads, thread, event->index);
	tally_sum_add(&sum, value.value);
	sum = TALLY_MIN(sum, TALLY_MAP_NONE - 1);
	return tally_map_set(&threads->counts, count_key(thread, event->index), sum);
}

int report_threads_add(struct report_threads *threads, const struct tally_session *session,
		       const struct tally_perfdata_record *record)
{
	enum { HEAD = sizeof(struct perf_event_header) + sizeof(struct report_thread) };
	const uint8_t *data = record->data;
	struct tally_read read;
	struct report_thread id;
	uint32_t thread;
	int ret;

	if (record->type != PERF_RECORD_READ || !record->event || record->size < HEAD ||
	    tally_read_decode(data + HEAD, record->size - HEAD, record->event->attr.read_format,
			      &read, NULL, NULL))
		return 0;
	id.pid = tally_get_u32(data + sizeof(struct perf_event_header));
	id.tid = tally_get_u32(data + sizeof(struct perf_event_header) + sizeof(id.pid));
	ret = tally_intern(&threads->ids, (const char *)&id, sizeof(id), &thread);
	if (!ret && thread == threads->all.len)
		ret = tally_vec_push(&threads->all, id);
	for (uint64_t i = 0; i < read.nr && !ret; i++)
		ret = add_value(threads, session, record, thread, tally_read_get(&read, i));
	return ret;
}

static int digits(uint64_t count)
{
	return snprintf(NULL, 0, "%" PRIu64, count);
}

/* Return the width of an event's column. */
static int event_width(const struct report_threads *threads, uint32_t event, const char *name)
{
	int width = (int)tally_width_of(name);

	for (uint32_t i = 0; i < threads->all.len; i++)
		width = TALLY_MAX(width, digits(count_of(threads, i, event)));
	return width;
}

/* Append the names of the events, and set the widths of their columns. */
static void add_heading(const struct report_threads *threads, const struct tally_session *session,
			int widths[REPORT_THREADS_EVENTS], struct tally_str *out)
{
	tally_str_addf(out, "# %5s  %5s", "PID", "TID");
	for (uint32_t i = 0; i < threads->nr_events; i++) {
		struct tally_str name = {0};
		const char *text;

		tally_str_add_escaped(
			&name, tally_perfdata_event(session->data, threads->events[i])->name);
		text = tally_str_text(&name);
		widths[i] = event_width(threads, threads->events[i], text);
		tally_str_addf(out, "  %*s%s", widths[i] - (int)tally_width_of(text), "", text);
		out->failed |= name.failed;
		tally_str_free(&name);
	}
	tally_str_add_char(out, '\n');
}

void report_threads_text(const struct report_threads *threads, const struct tally_session *session,
			 struct tally_str *out)
{
	int widths[REPORT_THREADS_EVENTS];

	add_heading(threads, session, widths, out);
	for (uint32_t thread = 0; thread < threads->all.len; thread++) {
		tally_str_addf(out, "  %5" PRIu32 "  %5" PRIu32, threads->all.data[thread].pid,
			       threads->all.data[thread].tid);
		for (uint32_t i = 0; i < threads->nr_events; i++)
			tally_str_addf(out, "  %*" PRIu64, widths[i],
				       count_of(threads, thread, threads->events[i]));
		tally_str_add_char(out, '\n');
	}
	if (threads->has_more)
		tally_str_addf(out, "# only the first %d events are shown\n",
			       REPORT_THREADS_EVENTS);
	tally_str_add_char(out, '\n');
}

void report_threads_free(struct report_threads *threads)
{
	tally_vec_free(&threads->all);
	tally_intern_free(&threads->ids);
	tally_map_free(&threads->counts);
}
