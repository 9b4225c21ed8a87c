/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions that read a recording into a profile (tally/profile.h). */
#include "tally/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "profile/hist.h"
#include "session/session_profile.h"

struct tally_analysis {
	struct tally_session session;
	struct tally_profile profile;
	struct tally_messages messages;
	struct tally_analysis_options options;
	int damage;
};

struct tally_analysis_rows {
	size_t nr;
	struct tally_analysis_row all[];
};

/* ---- reading -------------------------------------------------------------------- */

/* Pass on a message. `data` is a struct tally_analysis. */
static void message_pass(void *data, enum tally_message_kind kind, const char *text)
{
	static const enum tally_analysis_message kinds[] = {
		[TALLY_MESSAGE_ERROR] = TALLY_ANALYSIS_ERROR,
		[TALLY_MESSAGE_WARNING] = TALLY_ANALYSIS_WARNING,
		[TALLY_MESSAGE_INFO] = TALLY_ANALYSIS_NOTE,
		[TALLY_MESSAGE_DETAIL] = TALLY_ANALYSIS_NOTE,
	};
	const struct tally_analysis *analysis = data;

	/* Hints name commands and their options. */
	if (analysis->options.message && kind != TALLY_MESSAGE_HINT)
		analysis->options.message(analysis->options.arg, kinds[kind], text);
}

static int analysis_start(void *arg, struct tally_session *session,
			  struct tally_profile_options *options)
{
	const struct tally_analysis *analysis = arg;
	bool has_chains = tally_session_has(session, PERF_SAMPLE_CALLCHAIN);

	options->by =
		TALLY_BY_COMM | TALLY_BY_THREAD | TALLY_BY_FRAME | (has_chains ? TALLY_BY_PATH : 0);
	options->lines = analysis->options.lines ? TALLY_LINES_ALL : 0;
	if (!analysis->options.no_inlined)
		options->lines |= TALLY_LINES_APART;
	return 0;
}

/* Return true if a part of the recording is missing or was skipped. */
static bool is_damaged(const struct tally_analysis *analysis)
{
	static const uint32_t kinds = 1u << TALLY_NOTE_TRUNCATED_DATA |
				      1u << TALLY_NOTE_TRUNCATED_RECORD |
				      1u << TALLY_NOTE_STRAY_BYTES | 1u << TALLY_NOTE_BAD_RECORD |
				      1u << TALLY_NOTE_BAD_ATTR | 1u << TALLY_NOTE_BAD_COMPRESSED |
				      1u << TALLY_NOTE_LIMIT;
	const struct tally_session *session = &analysis->session;
	const struct tally_perfdata_note *note;

	for (size_t i = 0; (note = tally_perfdata_note(session->data, i)); i++) {
		if (kinds >> note->kind & 1)
			return true;
	}
	return session->is_cut || session->ended.code || session->feed.counts.damaged ||
	       tally_machine_stats(session->machine)->damaged;
}

static int analysis_fill(struct tally_analysis *analysis)
{
	const struct tally_feed_counts *counts = &analysis->session.feed.counts;
	const struct tally_session_profile_options options = {.start = analysis_start,
							      .arg = analysis};
	int ret;

	ret = tally_session_profile(&analysis->session, &options, &analysis->profile);
	/* Keep what could be read of a damaged file, unless all of its samples are damaged. */
	if (ret && (ret != -EINVAL || !analysis->profile.machine || !is_damaged(analysis) ||
		    (counts->damaged_samples && !counts->samples)))
		return ret;
	analysis->damage = is_damaged(analysis) ? -EINVAL : 0;
	return 0;
}

int tally_analysis_read(const char *path, const struct tally_analysis_options *options,
			struct tally_analysis **ret_analysis)
{
	struct tally_analysis *analysis = calloc(1, sizeof(*analysis));
	struct tally_session_options session = {.input = path, .symbols.bounds = true, .jobs = 1};
	int ret;

	if (!analysis)
		return -ENOMEM;
	if (options)
		analysis->options = *options;
	analysis->messages = (struct tally_messages){message_pass, analysis};
	session.messages = &analysis->messages;
	session.symbols.symfs = analysis->options.symfs;
	session.symbols.vmlinux = analysis->options.vmlinux;
	session.symbols.kallsyms = analysis->options.kallsyms;
	session.symbols.no_demangle = analysis->options.no_demangle;
	ret = tally_session_open(&session, &analysis->session);
	if (!ret) {
		ret = analysis_fill(analysis);
		if (ret)
			tally_session_close(&analysis->session);
	}
	if (ret) {
		tally_profile_free(&analysis->profile);
		free(analysis);
		return ret;
	}
	*ret_analysis = analysis;
	return 0;
}

void tally_analysis_free(struct tally_analysis *analysis)
{
	if (!analysis)
		return;
	tally_profile_free(&analysis->profile);
	tally_session_close(&analysis->session);
	free(analysis);
}

int tally_analysis_damage(const struct tally_analysis *analysis)
{
	return analysis->damage;
}

uint64_t tally_analysis_lost(const struct tally_analysis *analysis)
{
	struct tally_session_lost lost = tally_session_lost(&analysis->session);

	tally_sum_add(&lost.records, lost.samples);
	return lost.records;
}

bool tally_analysis_event(const struct tally_analysis *analysis, size_t number,
			  struct tally_analysis_event *ret_event)
{
	const struct tally_perfdata_event *event =
		tally_perfdata_event(analysis->session.data, number);
	const struct tally_profile *profile = &analysis->profile;

	if (!event)
		return false;
	*ret_event = (struct tally_analysis_event){.name = event->name,
						   .is_time = tally_attr_is_clock(&event->attr)};
	if (number < profile->totals.len) {
		ret_event->samples = profile->totals.data[number].nr;
		ret_event->period = profile->totals.data[number].period;
	}
	return true;
}

/* ---- places --------------------------------------------------------------------- */

static struct tally_analysis_place place_of(const struct tally_analysis *analysis, uint32_t number)
{
	const struct tally_frame *frame = &analysis->profile.frames.all.data[number];
	struct tally_analysis_place place = {
		.address = frame->addr,
		.is_kernel = frame->cpumode == PERF_RECORD_MISC_KERNEL,
	};

	if (frame->dso)
		place.object = tally_dso_name(frame->dso);
	if (frame->symbol) {
		place.function = tally_symbol_name(frame->dso, frame->symbol);
		place.is_inlined = tally_symbol_is_inlined(frame->dso, frame->symbol);
		/* The symbol of an inlined function has no address. */
		place.address = place.is_inlined ? frame->addr : frame->symbol->start;
	}
	if (frame->line) {
		place.file = frame->line->file;
		place.line = frame->line->line;
	}
	return place;
}

static const char *comm_text(const struct tally_analysis *analysis, uint32_t comm)
{
	return tally_intern_text(tally_machine_comms(analysis->session.machine), comm);
}

/* ---- rows ----------------------------------------------------------------------- */

enum {
	ALL_PROPERTIES = TALLY_ROWS_BY_FUNCTION | TALLY_ROWS_BY_OBJECT | TALLY_ROWS_BY_COMM |
			 TALLY_ROWS_BY_PID | TALLY_ROWS_BY_TID | TALLY_ROWS_BY_LINE
};

static unsigned keys_of(unsigned by)
{
	static const struct {
		unsigned by, key;
	} map[] = {
		{TALLY_ROWS_BY_FUNCTION, TALLY_KEY_SYMBOL},
		{TALLY_ROWS_BY_OBJECT, TALLY_KEY_DSO},
		{TALLY_ROWS_BY_COMM, TALLY_KEY_COMM},
		{TALLY_ROWS_BY_PID, TALLY_KEY_PID},
		{TALLY_ROWS_BY_TID, TALLY_KEY_TID | TALLY_KEY_PID},
		{TALLY_ROWS_BY_LINE, TALLY_KEY_LINE},
	};
	unsigned keys = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(map); i++)
		keys |= by & map[i].by ? map[i].key : 0;
	return keys;
}

static struct tally_analysis_row row_make(const struct tally_analysis *analysis,
					  const struct tally_hist *hist,
					  const struct tally_row *from, unsigned by)
{
	const struct tally_group *group = &hist->groups.data[from->group];
	struct tally_analysis_place place = place_of(analysis, from->frame);
	struct tally_analysis_row row = {.pid = -1,
					 .tid = -1,
					 .self = from->self,
					 .self_samples = from->self_nr,
					 .total = from->total,
					 .total_samples = from->total_nr};

	if (by & TALLY_ROWS_BY_FUNCTION) {
		row.place = place;
		row.place.file = NULL;
		row.place.line = 0;
	}
	if (by & (TALLY_ROWS_BY_FUNCTION | TALLY_ROWS_BY_OBJECT))
		row.place.object = place.object;
	if (by & TALLY_ROWS_BY_LINE) {
		row.place.file = place.file;
		row.place.line = place.line;
		row.place.address = place.line ? row.place.address : place.address;
	}
	if (by & TALLY_ROWS_BY_COMM)
		row.comm = comm_text(analysis, group->comm);
	if (by & (TALLY_ROWS_BY_PID | TALLY_ROWS_BY_TID))
		row.pid = group->pid;
	if (by & TALLY_ROWS_BY_TID)
		row.tid = group->tid;
	return row;
}

/* Compare two strings, of which either may be NULL. */
static int compare_text(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Sort by cost in descending order. */
static int by_self(const void *a, const void *b)
{
	const struct tally_analysis_row *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->place.address != y->place.address)
		return x->place.address > y->place.address ? 1 : -1;
	return compare_text(x->place.function, y->place.function);
}

static bool has_event(const struct tally_analysis *analysis, size_t event)
{
	return tally_perfdata_event(analysis->session.data, event) != NULL;
}

int tally_analysis_rows(struct tally_analysis *analysis, size_t event, unsigned by,
			struct tally_analysis_rows **ret_rows)
{
	struct tally_hist_options options = {
		.keys = keys_of(by),
		.children = (analysis->profile.options.by & TALLY_BY_PATH) != 0,
		.has_paths = true,
	};
	struct tally_analysis_rows *rows;
	struct tally_hist hist = {0};
	int ret = 0;

	if (!has_event(analysis, event) || by & ~(unsigned)ALL_PROPERTIES ||
	    (by & TALLY_ROWS_BY_LINE && !analysis->options.lines))
		return -EINVAL;
	if (event < analysis->profile.totals.len)
		ret = tally_hist_build(&analysis->profile, (uint32_t)event, &options, &hist);
	if (ret)
		return ret;
	rows = malloc(sizeof(*rows) + hist.rows.len * sizeof(rows->all[0]));
	if (rows) {
		rows->nr = 0;
		tally_vec_for_each (row, &hist.rows)
			rows->all[rows->nr++] = row_make(analysis, &hist, row, by);
		qsort(rows->all, rows->nr, sizeof(rows->all[0]), by_self);
		*ret_rows = rows;
	}
	tally_hist_free(&hist);
	return rows ? 0 : -ENOMEM;
}

const struct tally_analysis_row *tally_analysis_row(const struct tally_analysis_rows *rows,
						    size_t number)
{
	return number < rows->nr ? &rows->all[number] : NULL;
}

void tally_analysis_rows_free(struct tally_analysis_rows *rows)
{
	free(rows);
}

/* ---- stacks --------------------------------------------------------------------- */

/* Get the places of a bucket's stack. `places` has space for them. Returns their number. */
static size_t places_fill(const struct tally_analysis *analysis, const struct tally_bucket_key *key,
			  struct tally_analysis_place *places)
{
	struct tally_stack callers = tally_stacks_get(&analysis->profile.stacks, key->callers);

	places[0] = place_of(analysis, tally_bucket_leaf(key));
	for (uint32_t i = 0; i < callers.nr; i++)
		places[1 + i] = place_of(analysis, callers.frames[i]);
	return 1 + (size_t)callers.nr;
}

/* Return the length of the longest stack of an event. */
static size_t places_max(const struct tally_analysis *analysis, size_t event)
{
	const struct tally_profile *profile = &analysis->profile;
	size_t max = 0;

	tally_vec_for_each (bucket, &profile->buckets) {
		uint32_t nr = tally_stacks_get(&profile->stacks, bucket->key.callers).nr;

		if (bucket->key.event == event)
			max = TALLY_MAX(max, (size_t)nr);
	}
	return max + 1;
}

int tally_analysis_stacks(struct tally_analysis *analysis, size_t event,
			  int (*each)(void *arg, const struct tally_analysis_stack *stack),
			  void *arg)
{
	struct tally_machine *machine = analysis->session.machine;
	struct tally_analysis_place *places;
	int ret = 0;

	if (!has_event(analysis, event))
		return -EINVAL;
	places = malloc(places_max(analysis, event) * sizeof(*places));
	if (!places)
		return -ENOMEM;
	tally_vec_for_each (bucket, &analysis->profile.buckets) {
		const struct tally_thread *thread =
			tally_machine_thread_at(machine, bucket->key.thread);
		struct tally_analysis_stack stack = {
			.places = places,
			.comm = comm_text(analysis,
					  tally_machine_comm_of(machine, bucket->key.comm)),
			.pid = thread->pid,
			.tid = thread->tid,
			.period = bucket->period,
			.samples = bucket->nr,
		};

		if (ret || bucket->key.event != event || !bucket->nr)
			continue;
		stack.nr_places = places_fill(analysis, &bucket->key, places);
		ret = each(arg, &stack);
	}
	free(places);
	return ret;
}
