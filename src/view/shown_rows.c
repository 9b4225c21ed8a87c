/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/shown_rows.h"

#include "base/arith.h"
#include "profile/short_names.h"
#include "view/sample_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t tally_show_graph_min(const struct tally_show *show, uint64_t period)
{
	if (show->style == TALLY_STYLE_FRACTAL)
		return 0;
	return (uint64_t)((double)period * show->graph_min_percent / 100);
}

const char *tally_show_row_part(const struct tally_show *show)
{
	return show->keys & TALLY_KEY_SYMBOL ? show->symbol_part : NULL;
}

const char *tally_show_sample_part(const struct tally_show *show)
{
	return show->keys & TALLY_KEY_SYMBOL ? NULL : show->symbol_part;
}

bool tally_show_is_parent(const struct tally_show *show, const char *symbol)
{
	/* perf's default is ^sys_|^do_page_fault. */
	if (!show->parent_regex)
		return !strncmp(symbol, "sys_", 4) || !strncmp(symbol, "do_page_fault", 13);
	return !regexec(show->parent_regex, symbol, 0, NULL, 0);
}

static bool is_hidden(const struct tally_shown_rows_options *options, uint32_t number)
{
	const struct tally_frame *frame = &options->profile->frames.all.data[number];
	bool in_kernel = frame->cpumode == PERF_RECORD_MISC_KERNEL;

	return in_kernel ? options->hide_kernel : options->hide_user;
}

static bool has_part(const struct tally_shown_rows_options *options, uint32_t number)
{
	const struct tally_frame *frame = &options->profile->frames.all.data[number];
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	return !options->part || strcasestr(name, options->part) ||
	       (frame->symbol &&
		strcasestr(tally_profile_short_name(options->profile, number), options->part));
}

/* With --children, a bucket also contributes to the rows of all its callers, so rows are filtered
 * instead of buckets. */
static bool bucket_passes(void *arg, const struct tally_bucket_key *key)
{
	const struct tally_shown_rows_options *options = arg;

	return options->show->children ||
	       (!is_hidden(options, key->frame) && has_part(options, key->frame));
}

/* Return true if the row passes the filters. Rows without the symbol key have no function name to
 * match. */
static bool row_passes(const struct tally_shown_rows_options *options, const struct tally_row *row,
		       uint64_t least)
{
	const struct tally_show *show = options->show;

	if (row->total < least || row->total_nr < options->count_filter)
		return false;
	if (!show->children)
		return true;
	if (show->keys & (TALLY_KEY_SYMBOL | TALLY_KEY_DSO) && is_hidden(options, row->frame))
		return false;
	return !(show->keys & TALLY_KEY_SYMBOL) || has_part(options, row->frame);
}

/* Return the column that shows an additional sum. */
static const struct tally_view_column *part_column(const struct tally_show *show, unsigned part)
{
	int at = 0;

	while (!show->columns[at]->part || part--)
		at++;
	return show->columns[at];
}

static uint64_t bucket_part(void *arg, unsigned part, const struct tally_bucket *bucket)
{
	const struct tally_shown_rows_options *options = arg;
	const struct tally_view_column *column = part_column(options->show, part);
	size_t len;
	const char *cell = tally_labels_cell(options->labels, column, bucket->key.label, &len);

	return cell ? column->part(cell, bucket->nr, bucket->period) : 0;
}

static uint32_t row_label(void *arg, uint32_t label)
{
	const struct tally_shown_rows_options *options = arg;

	return tally_labels_row(options->labels, label);
}

static bool is_parent(void *arg, const char *symbol)
{
	const struct tally_shown_rows_options *options = arg;

	return tally_show_is_parent(options->show, symbol);
}

uint64_t tally_shown_rows_total(const struct tally_profile *profile, uint32_t event)
{
	if (event >= profile->totals.len)
		return 0;
	return profile->options.is_live && !profile->options.is_absolute
		       ? profile->totals.data[event].period_shown
		       : profile->totals.data[event].period;
}

/* Return the value that corresponds to 100 %. */
static uint64_t rows_total(const struct tally_shown_rows_options *options, uint32_t event)
{
	const struct tally_profile *profile = options->profile;

	if (options->show->is_relative && event < profile->totals.len)
		return profile->totals.data[event].period_shown;
	return tally_shown_rows_total(profile, event);
}

static struct tally_view make_view(const struct tally_shown_rows_options *options, uint64_t total)
{
	const struct tally_show *show = options->show;
	struct tally_view view = {
		.profile = options->profile,
		.nr_columns = show->nr_columns,
		.labels = options->labels,
		.event = options->event,
		.total = total,
		.symbol_part = tally_show_row_part(show),
		.style = show->style,
		.graph_key = show->graph_key,
		.graph_value = show->graph_value,
		.after_row = show->after_row,
		.graph_min_percent = show->graph_min_percent,
		.graph_limit = (uint32_t)show->graph_limit,
		.has_paths = show->has_paths,
		.asked = show->asked,
	};

	memcpy(view.columns, show->columns, sizeof(view.columns));
	return view;
}

/* Remove the rows that do not pass the filters and the rows in excess of `most`. */
static void rows_choose(const struct tally_shown_rows_options *options,
			const struct tally_view *view, struct tally_hist *hist, uint64_t least)
{
	size_t left = 0, most = options->most ? options->most : SIZE_MAX;

	tally_vec_for_each (row, &hist->rows) {
		if (left < most && row_passes(options, row, least) && tally_view_shows(view, row))
			hist->rows.data[left++] = *row;
	}
	hist->rows.len = left;
}

static unsigned show_parts(const struct tally_show *show)
{
	unsigned nr = 0;

	for (int i = 0; i < show->nr_columns; i++)
		nr += !!show->columns[i]->part;
	return nr;
}

static void add_order(const struct tally_show *show, const struct tally_view_column *column,
		      struct tally_hist_options *hist)
{
	struct tally_hist_order *order = &hist->orders[hist->nr_orders];

	if (column->part && !hist->nr_parts)
		return;
	order->sum = column->part ? TALLY_SUM_PART : column->sum;
	order->part = column->part ? tally_view_part(show->columns, column) : 0;
	hist->nr_orders++;
}

/* Rows are sorted by self cost if the user chose so. If the columns were listed, they are sorted by
 * the metrics before the first key. Otherwise, they are sorted by the first column if it is an
 * additional sum, then by the period. */
static void show_orders(const struct tally_show *show, struct tally_hist_options *hist)
{
	if (show->by_self) {
		hist->orders[hist->nr_orders++].sum = TALLY_SUM_SELF;
		hist->orders[hist->nr_orders++].sum = TALLY_SUM_TOTAL;
		return;
	}
	hist->by_name = show->in_order && show->nr_columns && show->columns[0]->key;
	if (!show->in_order && show->nr_columns && show->columns[0]->part && hist->nr_parts) {
		add_order(show, show->columns[0], hist);
		hist->orders[hist->nr_orders++].sum = TALLY_SUM_TOTAL;
		hist->orders[hist->nr_orders++].sum = TALLY_SUM_SELF;
	}
	for (int i = 0; show->in_order && i < show->nr_columns && !show->columns[i]->key &&
			hist->nr_orders < TALLY_HIST_ORDERS;
	     i++)
		add_order(show, show->columns[i], hist);
}

static void add_part_totals(struct tally_view *view)
{
	tally_vec_for_each (row, &view->hist->rows)
		for (unsigned i = 0; i < view->hist->nr_parts; i++)
			tally_sum_add(&view->part_totals[i], tally_hist_part(view->hist, row, i));
}

struct tally_hist_options tally_shown_rows_hist(const struct tally_shown_rows_options *options)
{
	const struct tally_show *show = options->show;
	uint64_t total = rows_total(options, options->event);
	bool filters = options->hide_kernel || options->hide_user || options->part;

	struct tally_hist_options hist = {
		.keys = show->keys,
		.members = options->members,
		.nr_members = options->nr_members,
		.first_member = options->first_member,
		.nr_parts = options->labels ? show_parts(show) : 0,
		.part = bucket_part,
		.row_label = options->labels ? row_label : NULL,
		.children = show->children,
		.has_paths = show->has_paths,
		.labels = options->labels ? &options->labels->strings : NULL,
		.is_parent = is_parent,
		.wants = filters ? bucket_passes : NULL,
		.selection = options->selection,
		.arg = (void *)options,
		.graphs = options->graphs && show->style != TALLY_STYLE_NONE,
		.order = show->order,
		.graph_key = show->graph_key,
		.graph_min = tally_show_graph_min(show, total),
	};

	show_orders(show, &hist);
	return hist;
}

/* Make a view of each other event of the group, which shares the rows. */
static int make_members(const struct tally_shown_rows_options *options,
			struct tally_shown_rows *chosen)
{
	uint32_t nr = options->nr_members;

	chosen->member_hists = nr ? calloc(nr, sizeof(*chosen->member_hists)) : NULL;
	chosen->member_views = nr ? calloc(nr, sizeof(*chosen->member_views)) : NULL;
	if (nr && (!chosen->member_hists || !chosen->member_views))
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct tally_hist *hist = &chosen->member_hists[i];
		const struct tally_hist_member *member = &chosen->hist.members.data[i];

		*hist = chosen->hist;
		hist->parts.data = member->parts.data;
		hist->parts.len = member->parts.len;
		chosen->member_views[i] =
			make_view(options, rows_total(options, options->members[i]));
		chosen->member_views[i].event = options->members[i];
		chosen->member_views[i].hist = hist;
		add_part_totals(&chosen->member_views[i]);
	}
	chosen->view.members = chosen->member_views;
	chosen->view.nr_members = nr;
	return 0;
}

int tally_shown_rows_make(const struct tally_shown_rows_options *options,
			  struct tally_shown_rows *ret_chosen)
{
	const struct tally_hist_options making = tally_shown_rows_hist(options);
	uint64_t total = options->whole ? options->whole : rows_total(options, options->event);
	struct tally_shown_rows chosen = {0};
	int ret = tally_hist_build(options->profile, options->event, &making, &chosen.hist);

	if (ret)
		return ret;
	chosen.view = make_view(options, total);
	chosen.view.hist = &chosen.hist;
	add_part_totals(&chosen.view);
	ret = make_members(options, &chosen);
	if (ret) {
		tally_shown_rows_free(&chosen);
		return ret;
	}
	rows_choose(options, &chosen.view, &chosen.hist,
		    tally_view_least(total, options->show->row_min_percent));
	for (uint32_t i = 0; i < options->nr_members; i++)
		chosen.member_hists[i].rows.len = chosen.hist.rows.len;
	*ret_chosen = chosen;
	ret_chosen->view.hist = &ret_chosen->hist;
	return 0;
}

void tally_shown_rows_free(struct tally_shown_rows *chosen)
{
	tally_hist_free(&chosen->hist);
	free(chosen->member_hists);
	free(chosen->member_views);
}
