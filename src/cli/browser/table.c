/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/browser/state.h"

/* Callees are shown of what weighs so much of a row: one of so many parts. */
enum { GRAPH_PARTS = 200 };

/* ---- callchains of a row that is opened ---------------------------------------------- */

/* A row that is not of one function, or of one of its callers' functions, has no chains of its own
 * to be told from others. */
static bool row_may_grow(void *arg, uint32_t number)
{
	const struct browser *browser = arg;
	const struct tally_row *row = &browser->table.hist.rows.data[number];

	if (!browser->source->profile->frames.all.data[row->frame].symbol ||
	    browser->source->config->keys & TALLY_KEY_PARENT)
		return false;
	return browser->table.by_callers || row->total > row->self;
}

/* Whether a bucket is of the row's group, by everything but the function. */
static bool bucket_is_of(const struct browser *browser, const struct tally_bucket_key *key,
			 const struct tally_group *group)
{
	const struct tally_machine *machine = browser->source->profile->machine;
	const struct tally_thread *thread = tally_machine_thread_at(machine, key->thread);
	unsigned keys = browser->source->config->keys;

	return (!(keys & TALLY_KEY_COMM) ||
		tally_machine_comm_of(machine, key->comm) == group->comm) &&
	       (!(keys & TALLY_KEY_CPU) || key->cpu == group->cpu) &&
	       (!(keys & TALLY_KEY_PID) || thread->pid == group->pid) &&
	       (!(keys & TALLY_KEY_TID) || thread->tid == group->tid) &&
	       (!(keys & TALLY_KEY_LABEL) || key->label == group->label);
}

/* The callchains of a row's group that have its function. */
static int group_chains(const struct browser *browser, const struct tally_group *group,
			uint32_t function, struct tally_chains *ret_chains)
{
	const struct tally_selection *all = &browser->selection;
	struct tally_selection own = {.event = all->event};
	TALLY_VEC(struct tally_bucket) buckets = {0};
	int ret = 0;

	for (size_t i = 0; i < all->nr_buckets && !ret; i++) {
		const struct tally_bucket *bucket = &all->buckets[i];

		if (tally_selection_has(all, bucket) &&
		    bucket_is_of(browser, &bucket->key, group) &&
		    tally_chains_has(&browser->chains, &bucket->key, function))
			ret = tally_vec_push(&buckets, *bucket);
	}
	own.buckets = buckets.data;
	own.nr_buckets = buckets.len;
	if (!ret)
		ret = tally_chains_make(browser->source->profile, &own, ret_chains);
	tally_vec_free(&buckets);
	return ret;
}

/* Put a tree behind the nodes that are there already. */
static int nodes_append(struct tally_hist *hist, const struct tally_calltree *tree,
			uint32_t *ret_root)
{
	uint32_t base = (uint32_t)hist->graph.len;

	if (tally_vec_reserve(&hist->graph, hist->graph.len + tree->nodes.len))
		return -ENOMEM;
	tally_vec_for_each (node, &tree->nodes) {
		struct tally_graph_node moved = *node;

		moved.first_child += moved.first_child ? base : 0;
		moved.next_sibling += moved.next_sibling ? base : 0;
		hist->graph.data[hist->graph.len++] = moved;
	}
	*ret_root = base;
	return 0;
}

static int row_grow(void *arg, uint32_t number)
{
	const unsigned of_groups =
		TALLY_KEY_COMM | TALLY_KEY_CPU | TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_LABEL;
	struct browser *browser = arg;
	struct browser_table *table = &browser->table;
	struct tally_row *row = &table->hist.rows.data[number];
	struct tally_calltree_options options = {
		.way = table->by_callers ? TALLY_CALLTREE_CALLERS : TALLY_CALLTREE_CALLEES,
		.function = browser->chains.functions[row->frame],
		.parts = GRAPH_PARTS,
	};
	bool has_groups = browser->source->config->keys & of_groups;
	struct tally_chains own = {0};
	struct tally_calltree tree;
	int ret = 0;

	if (has_groups)
		ret = group_chains(browser, &table->hist.groups.data[row->group], options.function,
				   &own);
	if (!ret)
		ret = tally_calltree_grow(has_groups ? &own : &browser->chains, &options, &tree);
	tally_chains_free(&own);
	if (ret)
		return ret;
	ret = nodes_append(&table->hist, &tree, &row->graph);
	tally_calltree_free(&tree);
	return ret;
}

/* ---- rows ------------------------------------------------------------------------------ */

static struct tally_view view_make(struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;
	const struct report_config *config = source->config;
	struct browser_table *table = &browser->table;
	bool has_graphs = config->style != TALLY_STYLE_NONE && config->keys & TALLY_KEY_SYMBOL;
	struct tally_view view = {
		.profile = source->profile,
		.hist = &table->hist,
		.nr_columns = config->nr_columns,
		.labels = source->labels,
		.event = browser->event,
		.total = table->is_relative ? browser->selection.period
					    : source->profile->totals.data[browser->event].period,
		.symbol_part = table->part,
		.style = config->style == TALLY_STYLE_NONE ? TALLY_STYLE_NONE : TALLY_STYLE_GRAPH,
		.graph_min_percent = 0,
		.has_paths = config->has_paths,
		.asked = config->asked,
		.grow = has_graphs ? row_grow : NULL,
		.may_grow = row_may_grow,
		.grow_arg = browser,
	};

	view.percent_limit = (uint64_t)((double)view.total * config->row_min_percent / 100);
	memcpy(view.columns, config->columns, sizeof(view.columns));
	return view;
}

static bool is_parent(void *arg, const char *symbol)
{
	return report_config_is_parent(arg, symbol);
}

/* Leave out what is too light or not looked for. */
static void rows_choose(struct browser_table *table)
{
	size_t left = 0;

	tally_vec_for_each (row, &table->hist.rows) {
		if (row->total_nr && tally_view_shows(&table->view, row))
			table->hist.rows.data[left++] = *row;
	}
	table->hist.rows.len = left;
}

static int rows_make(struct browser_table *table, struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;
	struct tally_hist_options options = {
		.keys = source->config->keys,
		.children = source->config->children,
		.has_paths = source->config->has_paths,
		.labels = source->labels,
		.is_parent = is_parent,
		.arg = source->config,
		.selection = &browser->selection,
	};
	int ret = tally_hist_build(source->profile, browser->event, &options, &table->hist);

	if (ret)
		return ret;
	table->view = view_make(browser);
	rows_choose(table);
	return 0;
}

int browser_table_make(struct browser_table *table, struct browser *browser)
{
	int ret = 0;

	if (!table->is_made || table->generation != browser->generation) {
		browser_table_drop(table);
		ret = rows_make(table, browser);
		table->is_made = !ret;
		table->generation = browser->generation;
	}
	return ret ? ret : tally_screen_lay_out(&table->screen, &table->view);
}

void browser_table_turn(struct browser_table *table)
{
	tally_vec_for_each (row, &table->hist.rows)
		row->graph = 0;
	table->hist.graph.len = TALLY_MIN(table->hist.graph.len, (size_t)1);
}

void browser_table_drop(struct browser_table *table)
{
	tally_hist_free(&table->hist);
	table->screen.lines.len = 0;
	table->is_made = false;
}

void browser_table_free(struct browser_table *table)
{
	browser_table_drop(table);
	tally_screen_free(&table->screen);
	tally_str_free(&table->search);
	free(table->part);
	*table = (struct browser_table){0};
}

uint32_t browser_table_function(const struct browser_table *table, const struct browser *browser)
{
	const struct tally_screen_line *line = tally_screen_selected(&table->screen);
	uint32_t frame;

	if (!table->is_made || !line || !(browser->source->config->keys & TALLY_KEY_SYMBOL))
		return TALLY_FRAME_NONE;
	frame = line->node ? table->hist.graph.data[line->node].frame
			   : table->hist.rows.data[line->row].frame;
	return browser->chains.functions[frame];
}
