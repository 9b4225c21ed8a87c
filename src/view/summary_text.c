/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/summary_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "profile/frame_text.h"
#include "profile/process/machine.h"
#include "view/flame.h"
#include "view/shorten.h"
#include "view/view.h"
#include "view/width.h"
#include "view/wrap.h"

enum { DEMANGLED_MAX = 1 << 20 }; /* limit for the names in footnotes, in bytes */
enum { FUNCTIONS = 20, TOTALS = 8, LINES = 10, THREADS = 6, SHARE = 8, FILE_WIDTH = 24 };
enum { WITH_FILE_MIN = 72 }; /* narrower lines do not have a column of files */
enum { NOTE_LINES = 12 };    /* no footnote begins after this number of lines */

static const char mark[] = "...";

/* A summary being written. */
struct summary_writer {
	const struct tally_summary *summary;
	const struct tally_top_lists *lists;
	struct tally_str *out;
	TALLY_VEC(uint32_t) notes; /* frames of the footnotes */
};

/* ---- headline ------------------------------------------------------------------ */

/* Append a time with three significant digits. */
static void add_time(uint64_t ns, struct tally_str *out)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;
	double value;

	while (i + 1 < TALLY_ARRAY_SIZE(units) && (double)ns < 0.9995 * units[i].ns)
		i++;
	value = (double)ns / units[i].ns;
	tally_str_addf(out, "%.*f %s",
		       value < 9.995   ? 2
		       : value < 99.95 ? 1
				       : 0,
		       value, units[i].name);
}

/* Return the period of idle tasks, which have the TID 0. Only the heaviest threads are listed, but
 * idle tasks of busy systems do not matter. */
static uint64_t idle_period(const struct tally_top_lists *lists)
{
	uint64_t idle = 0;

	tally_vec_for_each (row, &lists->threads.rows) {
		if (!lists->threads.groups.data[row->group].tid)
			tally_sum_add(&idle, row->self);
	}
	return idle;
}

/* Return the number of threads, not of rows: a thread that changed its comm has several. */
static uint64_t nr_threads(const struct tally_top_lists *lists)
{
	struct tally_map seen = {0};
	uint64_t nr = 0;

	tally_vec_for_each (row, &lists->threads.rows) {
		uint64_t tid = (uint64_t)(uint32_t)lists->threads.groups.data[row->group].tid;

		if (!row->self_nr || tally_map_get(&seen, tid) != TALLY_MAP_NONE)
			continue;
		/* Without memory, a thread may be counted twice. */
		(void)tally_map_set(&seen, tid, 1);
		nr++;
	}
	tally_map_free(&seen);
	return nr;
}

/* Append ", 46% of a CPU" or ", 1.08 CPUs", as pages do. */
static void add_cpus(double cpus, struct tally_str *out)
{
	if (cpus > 1.005)
		tally_str_addf(out, ", %.2f CPUs", cpus);
	else
		tally_str_addf(out, ", %.*f%% of a CPU", cpus < 0.1 ? 1 : 0, 100 * cpus);
}

static void add_cpu_time(const struct tally_summary *summary, const struct tally_top_lists *lists,
			 struct tally_str *out)
{
	uint64_t idle = TALLY_MIN(idle_period(lists), summary->period);
	uint64_t busy = summary->period - idle, span = summary->last - summary->first;

	add_time(busy, out);
	tally_str_add(out, " of CPU");
	if (span && summary->first) {
		tally_str_add(out, " in ");
		add_time(span, out);
		add_cpus((double)busy / (double)span, out);
	}
}

static void add_name(const struct tally_summary *summary, struct tally_str *out)
{
	size_t start = out->len;

	tally_str_add(out, summary->event_name);
	tally_str_escape(out, start);
}

/* Append "1.25G cycles in 993 ms". */
static void add_events(const struct tally_summary *summary, struct tally_str *out)
{
	static const char units[] = " kMGTPE";
	double value = (double)summary->period;
	size_t unit = 0;

	for (; value >= 999.5 && units[unit + 1]; unit++)
		value /= 1000;
	tally_str_addf(out, "%.*f", !unit || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
	if (unit)
		tally_str_add_char(out, units[unit]);
	tally_str_add_char(out, ' ');
	add_name(summary, out);
	if (summary->first && summary->last > summary->first) {
		tally_str_add(out, " in ");
		add_time(summary->last - summary->first, out);
	}
}

/* Append the share of a selection, "; 9.42% of all". */
static void add_part(const struct tally_summary *summary, struct tally_str *out)
{
	if (!summary->is_partial)
		return;
	tally_str_add(out, "; ");
	tally_view_percent(summary->period, summary->all, out);
	tally_str_add(out, summary->is_narrow ? " of the chosen times, CPUs and tasks" : " of all");
}

/* Idle tasks are listed as other threads are, although the CPU time leaves them out. In a PID
 * namespace, tasks of other namespaces have the PID 0 as well. */
static void add_idle(const struct tally_summary *summary, const struct tally_top_lists *lists,
		     struct tally_str *out)
{
	uint64_t idle = TALLY_MIN(idle_period(lists), summary->period);

	if (!idle)
		return;
	tally_str_add(out, "; ");
	tally_view_percent(idle, summary->period, out);
	tally_str_add(out, tally_machine_stats(lists->profile->machine)->outside
				   ? " idle or outside the PID namespace"
				   : " idle");
	tally_str_add(out, " (the query -tid:0 leaves it out)");
}

void tally_summary_headline(const struct tally_summary *summary,
			    const struct tally_top_lists *lists, struct tally_str *out)
{
	uint64_t threads = nr_threads(lists);

	if (summary->is_time)
		add_cpu_time(summary, lists, out);
	else
		add_events(summary, out);
	tally_str_addf(out, "; %" PRIu64 " thread%s; %" PRIu64 " sample%s", threads,
		       tally_plural(threads), summary->nr, tally_plural(summary->nr));
	if (summary->is_time) {
		tally_str_add(out, " of ");
		add_name(summary, out);
	}
	add_part(summary, out);
	add_idle(summary, lists, out);
	if (summary->nr < TALLY_FEW_SAMPLES)
		tally_str_add(out, " (few: shares are rough)");
}

/* ---- lists --------------------------------------------------------------------- */

const char *tally_self_heading(bool inlined_apart)
{
	return inlined_apart ? "Top functions, self (i: inlined, apart)"
			     : "Top functions, self (with inlined)";
}

/* Append a right-aligned share. Few samples do not justify decimals. */
static void add_share(const struct tally_summary *summary, uint64_t period, struct tally_str *out)
{
	double share = summary->whole ? 100.0 * (double)period / (double)summary->whole : 0;
	bool few = summary->nr < TALLY_FEW_SAMPLES;

	tally_str_addf(out, "%*.*f%%", SHARE - 1, few ? 0 : 2, share);
}

/* Return the number of the footnote for a frame's function, or 0 without footnotes. */
static size_t footnote_of(struct summary_writer *writer, uint32_t frame)
{
	if (!writer->summary->has_footnotes)
		return 0;
	for (size_t i = 0; i < writer->notes.len; i++) {
		if (writer->notes.data[i] == frame)
			return i + 1;
	}
	if (tally_vec_push(&writer->notes, frame)) {
		writer->out->failed = true;
		return 0;
	}
	return writer->notes.len;
}

/* Append the name of a function. If it does not fit, refer to a footnote with the whole name. */
static void add_function(struct summary_writer *writer, uint32_t frame, size_t columns)
{
	const struct tally_profile *profile = writer->lists->profile;
	char note[32] = "";
	size_t start = writer->out->len, number;

	if (writer->summary->whole_names && profile->frames.all.data[frame].symbol) {
		tally_frame_add_name(&profile->frames.all.data[frame], writer->out);
		tally_str_escape(writer->out, start);
		return;
	}
	tally_flame_name(profile, frame, SIZE_MAX, mark, writer->out);
	if (writer->summary->whole_names ||
	    tally_width(tally_str_text(writer->out) + start, writer->out->len - start) <= columns)
		return;
	writer->out->len = start;
	number = footnote_of(writer, frame);
	if (number)
		snprintf(note, sizeof(note), " [%zu]", number);
	tally_flame_name(profile, frame, columns - TALLY_MIN(strlen(note), columns), mark,
			 writer->out);
	tally_str_add(writer->out, note);
}

static size_t nr_lines(const struct tally_str *out, size_t first)
{
	size_t nr = 0;

	for (size_t i = first; i < out->len; i++)
		nr += out->data[i] == '\n';
	return nr;
}

/* Append the footnotes that fit into a few lines. */
static void add_footnotes(const struct summary_writer *writer)
{
	const struct tally_profile *profile = writer->lists->profile;
	size_t first = writer->out->len, i = 0;
	uint64_t left = DEMANGLED_MAX;
	struct tally_str text = {0};

	for (; i < writer->notes.len; i++) {
		const struct tally_frame *frame = &profile->frames.all.data[writer->notes.data[i]];
		size_t start;

		if (i && nr_lines(writer->out, first) >= NOTE_LINES)
			break;

		tally_str_clear(&text);
		tally_str_addf(&text, "[%zu] ", i + 1);
		start = text.len;
		tally_frame_add_variant(frame, &left, &text);
		tally_str_escape(&text, start);
		tally_str_add(writer->out, i ? "" : "\n");
		tally_wrap_text(tally_str_text(&text), writer->summary->columns, 4, writer->out);
	}
	if (i < writer->notes.len)
		tally_str_addf(writer->out, "(-w 0 shows %zu more whole name%s)\n",
			       writer->notes.len - i, tally_plural(writer->notes.len - i));
	writer->out->failed |= text.failed;
	tally_str_free(&text);
}

/* Append a row of a function: shares, name, and its file in a column of its own. */
static void function_row(struct summary_writer *writer, uint32_t i)
{
	const struct tally_summary *summary = writer->summary;
	const struct tally_top_lists *lists = writer->lists;
	const struct tally_row *row = tally_top_lists_row(lists, TALLY_TOP_SELF, i);
	bool has_file = summary->columns >= WITH_FILE_MIN;
	size_t taken = summary->has_chains ? 2 * (SHARE + 1) : SHARE + 1, start, width;
	size_t columns = summary->columns - taken - 2 - (has_file ? FILE_WIDTH + 1 : 0);
	struct tally_str *out = writer->out;

	add_share(summary, row->self, out);
	if (summary->has_chains) {
		tally_str_add_char(out, ' ');
		add_share(summary, row->total, out);
	}
	tally_str_add_char(out, ' ');
	tally_str_add(out, tally_top_lists_mark(lists, row));
	start = out->len;
	add_function(writer, row->frame, columns);
	if (!has_file) {
		tally_str_add_char(out, '\n');
		return;
	}
	width = tally_width(tally_str_text(out) + start, out->len - start);
	tally_str_pad_to(out, out->len + (columns > width ? columns - width : 0) + 1);
	start = out->len;
	tally_frame_add_file(&lists->profile->frames.all.data[row->frame], true, out);
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_TEXT, FILE_WIDTH, mark);
	tally_str_add_char(out, '\n');
}

static void add_functions(struct summary_writer *writer)
{
	const struct tally_summary *summary = writer->summary;
	const struct tally_top_lists *lists = writer->lists;
	uint32_t nr = TALLY_MIN(lists->nr[TALLY_TOP_SELF], (uint32_t)FUNCTIONS);
	struct tally_str *out = writer->out;

	tally_str_addf(out, "\n%s\n", tally_self_heading(summary->inlined_apart));
	tally_str_addf(out, "%*s", SHARE, "self");
	if (summary->has_chains)
		tally_str_addf(out, " %*s", SHARE, "total");
	tally_str_add_char(out, '\n');
	for (uint32_t i = 0; i < nr; i++)
		function_row(writer, i);
	if (lists->functions.rows.len > nr)
		tally_str_addf(out, "%*s  %zu more (--stdio lists all)\n", SHARE, "",
			       lists->functions.rows.len - nr);
}

static void add_list(struct summary_writer *writer, enum tally_top_list list, uint32_t most,
		     const char *heading)
{
	const struct tally_top_lists *lists = writer->lists;
	uint32_t nr = TALLY_MIN(lists->nr[list], most);
	size_t columns = writer->summary->columns - SHARE - 2;
	struct tally_str *out = writer->out;

	if (!nr)
		return;
	tally_str_addf(out, "\n%s\n", heading);
	for (uint32_t i = 0; i < nr; i++) {
		const struct tally_row *row = tally_top_lists_row(lists, list, i);

		add_share(writer->summary, tally_top_lists_period(lists, list, i), out);
		tally_str_add(out, "  ");
		if (list == TALLY_TOP_TOTAL) {
			tally_str_add(out, tally_top_lists_mark(lists, row));
			add_function(writer, row->frame, columns - 2);
			tally_flame_add_file(lists->profile, row->frame, FILE_WIDTH, mark, out);
		} else {
			tally_top_lists_text(lists, list, i,
					     writer->summary->whole_names ? SIZE_MAX : columns,
					     mark, out);
		}
		tally_str_add_char(out, '\n');
	}
}

/* Append the first hint, wrapped. */
static void add_first_hint(const struct tally_summary *summary, struct tally_str *out)
{
	const char *hint = strstr(summary->health, "\nHint: ");
	struct tally_str line = {0};

	if (!hint)
		return;
	tally_str_add_bytes(&line, hint + 1, strcspn(hint + 1, "\n"));
	tally_wrap_text(tally_str_text(&line), summary->columns, SHARE, out);
	out->failed |= line.failed;
	tally_str_free(&line);
}

/* Append the first line, wrapped, and refer to the others. */
static void add_health(const struct tally_summary *summary, struct tally_str *out)
{
	size_t len = strcspn(summary->health, "\n");
	struct tally_str line = {0};

	tally_str_add_bytes(&line, summary->health, len);
	if (summary->health[len] && summary->health[len + 1])
		tally_str_add(&line, summary->is_temporary
					     ? " (-o FILE keeps the recording, for report --health)"
					     : " (more with --health)");
	tally_wrap_text(tally_str_text(&line), summary->columns, SHARE, out);
	add_first_hint(summary, out);
	out->failed |= line.failed;
	tally_str_free(&line);
}

static void add_headline(const struct tally_summary *summary, const struct tally_top_lists *lists,
			 struct tally_str *out)
{
	struct tally_str line = {0};

	tally_str_add(&line, summary->name);
	tally_str_escape(&line, 0);
	tally_str_add(&line, summary->is_own_code ? " (just my code)" : "");
	tally_str_add(&line, summary->is_partial ? " (selection): " : ": ");
	tally_summary_headline(summary, lists, &line);
	if (summary->is_partial)
		tally_str_addf(&line, "; shares are of %s",
			       summary->whole == summary->all ? "all samples" : "the selection");
	tally_wrap_text(tally_str_text(&line), summary->columns, SHARE, out);
	out->failed |= line.failed;
	tally_str_free(&line);
}

void tally_summary_text(const struct tally_summary *summary, const struct tally_top_lists *lists,
			struct tally_str *out)
{
	struct summary_writer writer = {summary, lists, out};

	add_headline(summary, lists, out);
	add_health(summary, out);
	add_functions(&writer);
	if (summary->has_chains)
		add_list(&writer, TALLY_TOP_TOTAL, TOTALS, "Top functions, total");
	add_list(&writer, TALLY_TOP_LINES, LINES, "Hot lines");
	add_list(&writer, TALLY_TOP_THREADS, THREADS, "Threads");
	add_footnotes(&writer);
	tally_vec_free(&writer.notes);
}
