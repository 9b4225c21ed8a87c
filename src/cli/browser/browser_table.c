/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/browser_table.h"

#include <string.h>

#include "base/arith.h"
#include "cli/browser/browser_state.h"
#include "view/sample_labels.h"

/* Hide branches below 1/GRAPH_PARTS of a row's period. */
enum { GRAPH_PARTS = 200 };

/* ---- callchains of an expanded row --------------------------------------------------- */

/* Return true if a row can be expanded. Rows without a function and rows for the key "parent"
 * cannot, because their callchains cannot be separated from those of other rows. */
static bool row_may_grow(void *arg, uint32_t number)
{
	const struct browser *browser = arg;
	const struct tally_row *row = &browser->table.rows.hist.rows.data[number];

	if (!browser->source->profile->frames.all.data[row->frame].symbol ||
	    browser->source->rows->show.keys & TALLY_KEY_PARENT)
		return false;
	return browser->table.by_callers || row->total > row->self;
}

/* Return true if a bucket belongs to the row's group, that is, if all keys except the function
 * match. */
static bool bucket_is_of(const struct browser *browser, const struct tally_bucket_key *key,
			 const struct tally_group *group)
{
	const struct tally_machine *machine = browser->source->profile->machine;
	const struct tally_thread *thread = tally_machine_thread_at(machine, key->thread);
	unsigned keys = browser->source->rows->show.keys;

	return (!(keys & TALLY_KEY_COMM) ||
		tally_machine_comm_of(machine, key->comm) == group->comm) &&
	       (!(keys & TALLY_KEY_CPU) || key->cpu == group->cpu) &&
	       (!(keys & TALLY_KEY_PID) || thread->pid == group->pid) &&
	       (!(keys & TALLY_KEY_TID) || thread->tid == group->tid) &&
	       (!(keys & TALLY_KEY_LABEL) ||
		tally_labels_row(browser->source->labels, key->label) == group->label);
}

/* Return true if a bucket contributes to rows of the function, that is, if its samples were taken
 * in the function itself or, with --children, have the function anywhere in the callchain. */
static bool bucket_has(const struct browser *browser, const struct tally_bucket_key *key,
		       uint32_t function)
{
	if (!browser->source->rows->show.children)
		return browser->chains.functions[key->frame] == function;
	return tally_chains_has(&browser->chains, key, function);
}

/* Collect a row's callchains. */
static int row_chains(const struct browser *browser, const struct tally_row *row,
		      struct tally_chains *ret_chains)
{
	const struct tally_group *group = &browser->table.rows.hist.groups.data[row->group];
	uint32_t function = browser->chains.functions[row->frame];
	const struct tally_selection *all = &browser->selection;
	struct tally_selection own = {.event = all->event};
	TALLY_VEC(struct tally_bucket) buckets = {0};
	int ret = 0;

	for (size_t i = 0; i < all->nr_buckets && !ret; i++) {
		const struct tally_bucket *bucket = &all->buckets[i];

		if (tally_selection_has(all, bucket) &&
		    bucket_is_of(browser, &bucket->key, group) &&
		    bucket_has(browser, &bucket->key, function))
			ret = tally_vec_push(&buckets, *bucket);
	}
	own.buckets = buckets.data;
	own.nr_buckets = buckets.len;
	if (!ret)
		ret = tally_chains_build(browser->source->profile, &own, ret_chains);
	tally_vec_free(&buckets);
	return ret;
}

/* Append a tree to the existing nodes. As in perf, a caller tree begins with the function itself,
 * and a callee tree with the functions that it calls. */
static int nodes_append(struct tally_hist *hist, const struct tally_calltree *tree, bool has_root,
			uint32_t *ret_root)
{
	uint32_t base = (uint32_t)hist->graph.len + has_root;

	if (tally_vec_reserve(&hist->graph, hist->graph.len + tree->nodes.len + has_root))
		return -ENOMEM;
	if (has_root)
		hist->graph.data[hist->graph.len++] =
			(struct tally_graph_node){.first_child = base};
	tally_vec_for_each (node, &tree->nodes) {
		struct tally_graph_node moved = *node;

		moved.first_child += moved.first_child ? base : 0;
		moved.next_sibling += moved.next_sibling ? base : 0;
		hist->graph.data[hist->graph.len++] = moved;
	}
	*ret_root = base - has_root;
	return 0;
}

static int row_grow(void *arg, uint32_t number)
{
	struct browser *browser = arg;
	struct browser_table *table = &browser->table;
	struct tally_row *row = &table->rows.hist.rows.data[number];
	/* Without --children, callchains are shown in full, beginning with the row's function. */
	bool is_self = !browser->source->rows->show.children;
	struct tally_calltree_options options = {
		.way = table->by_callers ? TALLY_CALLTREE_CALLERS : TALLY_CALLTREE_CALLEES,
		.parts = GRAPH_PARTS,
	};
	struct tally_chains own = {0};
	struct tally_calltree tree;
	int ret = browser_chains_build(browser);

	if (!ret)
		ret = row_chains(browser, row, &own);
	if (ret)
		return ret;
	options.function = is_self ? TALLY_FRAME_NONE : browser->chains.functions[row->frame];
	ret = tally_calltree_grow(&own, &options, &tree);
	tally_chains_free(&own);
	if (ret)
		return ret;
	ret = nodes_append(&table->rows.hist, &tree, table->by_callers && !is_self, &row->graph);
	tally_calltree_free(&tree);
	return ret;
}

/* ---- rows ------------------------------------------------------------------------------ */

static int rows_make(struct browser_table *table, struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;
	const struct tally_show *show = &source->rows->show;
	const struct browser_step *part = browser_filter_step(&browser->filter, BROWSER_ONLY_PART);
	struct tally_shown_rows_options options = {
		.profile = source->profile,
		.show = show,
		.labels = source->labels,
		.event = browser->event,
		.selection = &browser->selection,
		.whole = browser_whole(browser),
		.hide_kernel = browser->hide_kernel,
		.hide_user = browser->hide_user ||
			     browser_filter_step(&browser->filter, BROWSER_ONLY_KERNEL),
		.part = part ? part->name : NULL,
		.count_filter = source->count_filter,
		.most = source->most,
	};
	bool has_graphs = show->style != TALLY_STYLE_NONE && show->keys & TALLY_KEY_SYMBOL;
	int ret = tally_shown_rows_make(&options, &table->rows);

	if (ret)
		return ret;
	table->rows.view.style = has_graphs ? TALLY_STYLE_GRAPH : TALLY_STYLE_NONE;
	table->rows.view.graph_min_percent = 0;
	table->rows.view.has_short_names = !show->asked;
	table->rows.view.grow = has_graphs ? row_grow : NULL;
	table->rows.view.may_grow = row_may_grow;
	table->rows.view.grow_arg = browser;
	return 0;
}

static void rows_free(struct browser_table *table)
{
	tally_shown_rows_free(&table->rows);
	table->screen.lines.len = 0;
	table->is_made = false;
}

int browser_table_build(struct browser_table *table, struct browser *browser)
{
	int ret = 0;

	if (!table->is_made || table->generation != browser->generation) {
		rows_free(table);
		ret = rows_make(table, browser);
		table->is_made = !ret;
		table->generation = browser->generation;
	}
	return ret ? ret : tally_screen_lay_out(&table->screen, &table->rows.view);
}

void browser_table_drop_chains(struct browser_table *table)
{
	tally_vec_for_each (row, &table->rows.hist.rows)
		row->graph = 0;
	table->rows.hist.graph.len = TALLY_MIN(table->rows.hist.graph.len, (size_t)1);
	table->way++;
}

void browser_table_drop(struct browser_table *table)
{
	rows_free(table);
	table->way++;
}

struct browser_rows browser_table_detach(struct browser_table *table, uint64_t generation)
{
	struct browser_rows rows = {0};

	if (!table->is_made || table->generation != generation)
		return rows;
	rows = (struct browser_rows){table->rows, true, table->way};
	table->rows = (struct tally_shown_rows){0};
	rows_free(table);
	return rows;
}

void browser_table_attach(struct browser_table *table, struct browser_rows *rows,
			  uint64_t generation)
{
	if (!rows->is_made || rows->way != table->way) {
		tally_shown_rows_free(&rows->rows);
		return;
	}
	rows_free(table);
	table->rows = rows->rows;
	table->rows.view.hist = &table->rows.hist;
	table->is_made = true;
	table->generation = generation;
}

void browser_table_free(struct browser_table *table)
{
	browser_table_drop(table);
	tally_screen_free(&table->screen);
	tally_str_free(&table->search);
	*table = (struct browser_table){0};
}

uint32_t browser_table_function(const struct browser_table *table, const struct browser *browser)
{
	const struct tally_screen_line *line = tally_screen_selected(&table->screen);
	uint32_t frame;

	if (!table->is_made || !line || !(browser->source->rows->show.keys & TALLY_KEY_SYMBOL))
		return TALLY_FRAME_NONE;
	frame = line->node ? table->rows.hist.graph.data[line->node].frame
			   : table->rows.hist.rows.data[line->row].frame;
	return browser->has_chains ? browser->chains.functions[frame] : frame;
}
