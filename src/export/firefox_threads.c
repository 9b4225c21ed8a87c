/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads in a Firefox profile, with their samples in time order. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "export/firefox.h"

/* Add an empty table of markers, which the format requires. */
static void add_markers(struct tally_str *out)
{
	static const char *const columns[] = {"data",    "name",  "startTime",
					      "endTime", "phase", "category"};

	tally_json_open(out, "markers", '{');
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		tally_json_open(out, columns[i], '[');
		tally_json_close(out, ']');
	}
	tally_json_u64(out, "length", 0);
	tally_json_close(out, '}');
}

/* Append a time in ns as ms, without rounding. */
static void add_ms(struct tally_str *out, uint64_t ns)
{
	enum { DIGITS = 6, NS_PER_MS = 1000000 };
	char digits[TALLY_DECIMAL_MAX];
	int len;

	tally_json_u64(out, NULL, ns / NS_PER_MS);
	if (!(ns % NS_PER_MS))
		return;
	/* Replace the leading 1 with the decimal point. */
	len = tally_decimal(NS_PER_MS + ns % NS_PER_MS, digits + sizeof(digits));
	digits[sizeof(digits) - (size_t)len] = '.';
	tally_str_add_bytes(out, digits + sizeof(digits) - len, (size_t)len);
}

/* Sample columns. COLUMN_CPU, the CPU time for the activity graph, is present only if weights are
 * times. */
enum column { COLUMN_STACK, COLUMN_TIME, COLUMN_WEIGHT, COLUMN_CPU, COLUMNS };

static void add_cell(struct firefox *firefox, enum column column, uint64_t first_time,
		     const struct tally_kept *kept, uint32_t place)
{
	struct tally_str *out = &firefox->stream.text;
	uint64_t weight;

	if (column == COLUMN_STACK) {
		tally_json_u64(out, NULL, firefox->tree.path_of[kept->bucket] - 1);
	} else if (column == COLUMN_TIME) {
		/* Samples without timestamps are 1 ms apart. */
		add_ms(out, first_time ? (kept->time > first_time ? kept->time - first_time : 0)
				       : place * TALLY_EXPORT_SAMPLE_GAP);
	} else {
		weight = tally_export_sum(firefox->export, 0,
					  tally_kept_weight(firefox->profile, kept));
		if (column == COLUMN_WEIGHT && firefox->export->events[0].is_time)
			add_ms(out, weight);
		else
			tally_json_u64(out, NULL, weight);
	}
}

static int add_samples(struct firefox *firefox, const struct tally_export_strands *strands,
		       const struct tally_export_thread_samples *strand)
{
	static const char *const names[COLUMNS] = {"stack", "time", "weight", "threadCPUDelta"};
	int nr = firefox->export->events[0].is_time ? COLUMNS : COLUMN_CPU;
	struct tally_str *out = &firefox->stream.text;
	int ret = 0;

	tally_json_open(out, "samples", '{');
	for (enum column column = 0; column < (enum column)nr && !ret; column++) {
		tally_json_open(out, names[column], '[');
		for (uint32_t i = 0; i < strand->nr && !ret; i++) {
			uint32_t place = strands->samples[strand->first + i];

			add_cell(firefox, column, strands->first,
				 &firefox->profile->kept.data[place], place);
			ret = tally_export_flush_some(&firefox->stream);
		}
		tally_json_close(out, ']');
	}
	tally_json_text(out, "weightType",
			firefox->export->events[0].is_time ? "tracing-ms" : "samples");
	tally_json_u64(out, "length", strand->nr);
	tally_json_close(out, '}');
	return ret;
}

static int add_thread(struct firefox *firefox, const struct tally_export_strands *strands,
		      const struct tally_export_thread_samples *strand)
{
	const struct tally_profile *profile = firefox->profile;
	const struct tally_bucket_key *key = &profile->buckets.data[strand->bucket].key;
	const struct tally_thread *thread = tally_machine_thread_at(profile->machine, key->thread);
	const char *process = tally_machine_comm_of_tid(profile->machine, thread->pid);
	struct tally_str *out = &firefox->stream.text;
	char pid[TALLY_DECIMAL_MAX + 2];
	int ret;

	snprintf(pid, sizeof(pid), "%d", thread->pid);
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "name", tally_export_comm(profile, key));
	tally_json_text(out, "processName", process ? process : tally_export_comm(profile, key));
	tally_json_text(out, "processType", "default");
	tally_json_text(out, "pid", pid);
	tally_json_s64(out, "tid", thread->tid);
	tally_json_bool(out, "isMainThread", thread->pid == thread->tid);
	tally_json_u64(out, "processStartupTime", 0);
	tally_json_double(out, "processShutdownTime", (double)NAN, 0);
	tally_json_u64(out, "registerTime", 0);
	tally_json_double(out, "unregisterTime", (double)NAN, 0);
	tally_json_open(out, "pausedRanges", '[');
	tally_json_close(out, ']');
	add_markers(out);
	ret = add_samples(firefox, strands, strand);
	tally_json_close(out, '}');
	return ret;
}

int firefox_add_threads(struct firefox *firefox)
{
	struct tally_export_strands strands;
	int ret = tally_export_strands_build(firefox->profile, firefox->export->events[0].number,
					     &strands);

	if (ret)
		return ret;
	firefox->export->notes->has_no_times |= strands.all.len && !strands.first;
	tally_json_open(&firefox->stream.text, "threads", '[');
	tally_vec_for_each (strand, &strands.all) {
		ret = add_thread(firefox, &strands, strand);
		if (ret)
			break;
	}
	tally_json_close(&firefox->stream.text, ']');
	tally_export_strands_free(&strands);
	return ret;
}
