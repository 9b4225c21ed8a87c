/* SPDX-License-Identifier: BSD-2-Clause */
/* From the profile to the rows that are shown: what is hidden or zoomed away is left out. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/top/rows.h"

void top_zoom_free(struct top_zoom *zoom)
{
	free(zoom->comm);
	free(zoom->dso);
	free(zoom->symbol);
	free(zoom->part);
	*zoom = (struct top_zoom){.pid = -1, .tid = -1};
}

unsigned top_profile_by(const struct report_config *config)
{
	/* By name they can be told apart at little cost, so that order and zoom can be changed. */
	unsigned by = TALLY_BY_COMM | TALLY_BY_FRAME;

	by |= config->keys & (TALLY_KEY_PID | TALLY_KEY_TID) ? TALLY_BY_THREAD : 0;
	by |= config->keys & TALLY_KEY_CPU ? TALLY_BY_CPU : 0;
	by |= config->style != TALLY_STYLE_NONE || config->keys & TALLY_KEY_PARENT ? TALLY_BY_PATH
										   : 0;
	return by;
}

/* What decides about a bucket or a row. */
struct chooser {
	const struct top *top;
	const struct top_zoom *zoom;
};

static bool is(const char *wanted, const char *text)
{
	return !wanted || !strcmp(wanted, text);
}

static bool frame_passes(const struct chooser *chooser, uint32_t number)
{
	const struct top_config *config = chooser->top->config;
	const struct tally_frame *frame = &chooser->top->profile.frames.all.data[number];
	const struct top_zoom *zoom = chooser->zoom;
	bool in_kernel = frame->cpumode == PERF_RECORD_MISC_KERNEL;
	const char *name;

	if (in_kernel ? config->hide_kernel : config->hide_user || zoom->kernel)
		return false;
	if (!is(zoom->dso, frame->dso ? tally_dso_name(frame->dso) : ""))
		return false;
	if (!zoom->symbol && !zoom->part)
		return true;
	name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";
	return is(zoom->symbol, name) && (!zoom->part || strcasestr(name, zoom->part));
}

static bool thread_passes(const struct chooser *chooser, const struct tally_bucket_key *key)
{
	const struct top_zoom *zoom = chooser->zoom;
	const struct tally_machine *machine = chooser->top->live.machine;
	const struct tally_thread *thread;

	if (!is(zoom->comm, tally_intern_text(tally_machine_comms(machine), key->comm)))
		return false;
	if (zoom->pid < 0 && zoom->tid < 0)
		return true;
	thread = tally_machine_thread_at(machine, key->thread);
	return (zoom->pid < 0 || thread->pid == zoom->pid) &&
	       (zoom->tid < 0 || thread->tid == zoom->tid);
}

/* With children a bucket counts for all its callers: then rows are looked at, not buckets. */
static bool bucket_passes(void *arg, const struct tally_bucket_key *key)
{
	const struct chooser *chooser = arg;

	return thread_passes(chooser, key) &&
	       (chooser->top->config->report.children || frame_passes(chooser, key->frame));
}

static bool row_passes(const struct chooser *chooser, const struct tally_row *row, uint64_t least)
{
	const struct top_config *config = chooser->top->config;
	const struct report_config *report = &config->report;

	if (row->total < least || row->total_nr < config->count_filter || !row->total_nr)
		return false;
	return !report->children || !(report->keys & (TALLY_KEY_SYMBOL | TALLY_KEY_DSO)) ||
	       frame_passes(chooser, row->frame);
}

static bool is_parent(void *arg, const char *symbol)
{
	const struct chooser *chooser = arg;

	return report_config_is_parent(&chooser->top->config->report, symbol);
}

static struct tally_view make_view(const struct top *top, uint32_t event, uint64_t total)
{
	const struct report_config *report = &top->config->report;
	struct tally_view view = {
		.profile = &top->profile,
		.nr_columns = report->nr_columns,
		.event = event,
		.total = total,
		.symbol_part = report_config_row_part(report),
		.style = report->style,
		.graph_min_percent = report->graph_min_percent,
		.graph_limit = (uint32_t)report->graph_limit,
		.asked = report->asked,
	};

	memcpy(view.columns, report->columns, sizeof(view.columns));
	return view;
}

/* Leave out what does not pass, and what is more than `most`. */
static void choose_rows(const struct chooser *chooser, const struct tally_view *view,
			struct tally_hist *hist, uint64_t least, size_t most)
{
	size_t left = 0;

	tally_vec_for_each (row, &hist->rows) {
		if (left < most && row_passes(chooser, row, least) && tally_view_shows(view, row))
			hist->rows.data[left++] = *row;
	}
	hist->rows.len = left;
}

static uint64_t sum_of(const struct tally_hist *hist)
{
	uint64_t sum = 0;

	tally_vec_for_each (row, &hist->rows)
		sum += row->self;
	return sum;
}

int top_rows_make(struct top *top, uint32_t event, const struct top_zoom *zoom, bool relative,
		  size_t most, struct top_rows *ret_rows)
{
	const struct report_config *report = &top->config->report;
	const struct tally_profile_total none = {0};
	struct chooser chooser = {top, zoom};
	struct tally_hist_options options = {
		.keys = report->keys,
		.children = report->children,
		.is_parent = is_parent,
		.wants = bucket_passes,
		.arg = &chooser,
		.graphs = report->style != TALLY_STYLE_NONE,
		.order = report->order,
	};
	struct tally_profile_total total;
	struct tally_hist hist;
	int ret = tally_profile_finish(&top->profile);

	if (ret)
		return ret;
	total = event < top->profile.totals.len ? top->profile.totals.data[event] : none;
	options.graph_min = report_config_graph_min(report, total.period_shown);
	ret = tally_hist_build(&top->profile, event, &options, &hist);
	if (ret)
		return ret;
	ret_rows->view = make_view(top, event, relative ? sum_of(&hist) : total.period_shown);
	choose_rows(&chooser, &ret_rows->view, &hist,
		    (uint64_t)((double)total.period_shown * report->row_min_percent / 100), most);
	ret_rows->hist = hist;
	ret_rows->view.hist = &ret_rows->hist;
	ret_rows->generation = top->generation;
	return 0;
}

void top_rows_taken(struct top *top)
{
	if (top->seen != top->generation && top->config->zero && !top->is_paused)
		tally_profile_zero(&top->profile);
	top->seen = top->generation;
}

void top_rows_free(struct top_rows *rows)
{
	tally_hist_free(&rows->hist);
}
