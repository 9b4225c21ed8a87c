/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call graphs as text. A single callee (or caller) that accounts for all samples of a function is
 * printed on the next line, without indentation. Where paths diverge, each branch is printed with
 * its share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "view/percent_colour.h"
#include "view/view.h"

/* Indentation of branches relative to the line where they diverge: the width of the percentage
 * column, or less where needed to make lines fit. */
enum { MARGIN = 12, BRANCH = 11, NARROW_BRANCH = 3, LEAST_BRANCH = 2 };

/* Columns for names: ROOM_FOR_NAME is left free if possible when branches are indented; LEAST_NAME
 * is the minimum for a name, even if its line becomes too long. */
enum { ROOM_FOR_NAME = 12, LEAST_NAME = 6, PATH_MARGIN = 16 };

struct graph_printer {
	const struct tally_view *view;
	const struct tally_graph_node *nodes;
	struct tally_str *out;
	struct tally_str prefix;
	size_t line; /* offset of the current line in `out` */
};

/* The cost of a branch or a path. */
struct amount {
	uint64_t period, nr;
};

/* Append an amount as the user asked for: as a share of `whole`, or as a number. */
static void add_amount(const struct tally_view *view, struct amount amount, uint64_t whole,
		       struct tally_str *out)
{
	switch (view->graph_value) {
	case TALLY_GRAPH_PERCENT: tally_view_percent(amount.period, whole, out); break;
	case TALLY_GRAPH_PERIOD: tally_str_add_u64(out, amount.period); break;
	case TALLY_GRAPH_COUNT: tally_str_add_u64(out, amount.nr); break;
	}
}

static int heaviest_first(const void *a, const void *b)
{
	const struct tally_graph_node *x = *(const struct tally_graph_node *const *)a;
	const struct tally_graph_node *y = *(const struct tally_graph_node *const *)b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static uint64_t graph_whole(const struct tally_view *view, uint64_t parent)
{
	return view->style == TALLY_STYLE_FRACTAL ? parent : view->total;
}

int tally_view_branches(const struct tally_view *view, uint32_t number, uint64_t parent,
			struct tally_view_branches *ret_branches)
{
	const struct tally_graph_node *nodes = view->hist->graph.data;
	double least = (double)graph_whole(view, parent) * view->graph_min_percent / 100;
	struct tally_view_branches branches = {0};
	size_t all = 0;

	for (uint32_t i = nodes[number].first_child; i; i = nodes[i].next_sibling)
		all++;
	branches.items = malloc((all + 1) * sizeof(*branches.items));
	if (!branches.items)
		return -ENOMEM;
	for (uint32_t i = nodes[number].first_child; i; i = nodes[i].next_sibling) {
		if ((double)nodes[i].period >= least)
			branches.items[branches.nr++] = &nodes[i];
	}
	qsort(branches.items, branches.nr, sizeof(*branches.items), heaviest_first);
	*ret_branches = branches;
	return 0;
}

uint32_t tally_view_continuation(const struct tally_view *view, uint32_t number)
{
	const struct tally_graph_node *nodes = view->hist->graph.data;
	uint32_t child = nodes[number].first_child;

	if (!child || nodes[child].next_sibling || nodes[child].period != nodes[number].period)
		return 0;
	return child;
}

static struct tally_view_branches branches_of(const struct graph_printer *print,
					      const struct tally_graph_node *node, uint64_t parent)
{
	struct tally_view_branches branches = {0};

	if (tally_view_branches(print->view, (uint32_t)(node - print->nodes), parent, &branches))
		print->out->failed = true;
	return branches;
}

/* Return the number of columns left for a name after `used` columns of its line. */
static size_t name_room(const struct tally_view *view, size_t used)
{
	size_t width = (size_t)view->line_width;

	if (!width)
		return SIZE_MAX;
	return TALLY_MAX(width - TALLY_MIN(used, width), (size_t)LEAST_NAME);
}

/* Return the indentation of the branches below a branch at column `margin`. If space is short,
 * branches below the last branch are not indented, because no bar is drawn for the last branch. */
static size_t branch_width(const struct tally_view *view, size_t margin, bool is_last)
{
	size_t width = (size_t)view->line_width;

	if (!width || margin + BRANCH <= width / 2)
		return BRANCH;
	if (margin + NARROW_BRANCH + BRANCH + ROOM_FOR_NAME <= width)
		return NARROW_BRANCH;
	return is_last ? 0 : LEAST_BRANCH;
}

static void print_prefix(struct graph_printer *print)
{
	print->line = print->out->len;
	tally_str_add_bytes(print->out, tally_str_text(&print->prefix), print->prefix.len);
}

static void print_name(struct graph_printer *print, const struct tally_graph_node *node)
{
	tally_view_frame_text(print->view, node->frame,
			      name_room(print->view, print->out->len - print->line),
			      TALLY_VIEW_MARK, print->out);
	tally_str_add_char(print->out, '\n');
}

/* Print the names from `node` on, up to the first node where paths diverge or end. Returns that
 * node. */
static const struct tally_graph_node *print_run(struct graph_printer *print,
						const struct tally_graph_node *node)
{
	uint32_t lines = 1, next;

	print_name(print, node);
	while ((next = tally_view_continuation(print->view, (uint32_t)(node - print->nodes)))) {
		node = &print->nodes[next];
		if (print->view->graph_limit && ++lines > print->view->graph_limit)
			break;
		print_prefix(print);
		print_name(print, node);
	}
	return node;
}

/* Print a branch's share, which precedes its name. */
static void print_share(struct graph_printer *print, struct amount amount, uint64_t whole,
			bool is_last)
{
	const struct tally_view *view = print->view;
	bool has_colour = view->has_colours && view->graph_value == TALLY_GRAPH_PERCENT && whole;
	const char *colour =
		has_colour ? tally_percent_colour(100.0 * (double)amount.period / (double)whole)
			   : NULL;

	print_prefix(print);
	tally_str_add(print->out, is_last ? " --" : "|--");
	if (colour)
		tally_str_add(print->out, colour);
	add_amount(print->view, amount, whole, print->out);
	if (colour) {
		tally_str_add(print->out, TALLY_NO_COLOUR);
		print->line += strlen(colour) + strlen(TALLY_NO_COLOUR);
	}
	tally_str_add(print->out, "--");
}

/* Return the part of the parent that is not in any displayed branch. This part is shown as well, so
 * that shares relative to the parent add up. */
static struct amount branches_rest(const struct graph_printer *print,
				   const struct tally_view_branches *branches, struct amount parent)
{
	struct amount rest = parent;

	if (print->view->style != TALLY_STYLE_FRACTAL || !branches->nr)
		return (struct amount){0};
	for (size_t i = 0; i < branches->nr; i++) {
		rest.period -= branches->items[i]->period;
		rest.nr -= branches->items[i]->nr;
	}
	return rest;
}

static void print_branches(struct graph_printer *print, const struct tally_graph_node *node,
			   struct amount parent)
{
	struct tally_view_branches branches = branches_of(print, node, parent.period);
	uint64_t whole = graph_whole(print->view, parent.period);
	struct amount rest = branches_rest(print, &branches, parent);
	size_t margin = print->prefix.len;

	for (size_t i = 0; i < branches.nr; i++) {
		const struct tally_graph_node *branch = branches.items[i];
		const struct amount amount = {branch->period, branch->nr};
		bool is_last = i + 1 == branches.nr && !rest.period;

		print_prefix(print);
		tally_str_add(print->out, "|          \n");
		print_share(print, amount, whole, is_last);
		tally_str_add(&print->prefix, is_last ? "" : "|");
		tally_str_pad_to(&print->prefix,
				 margin + branch_width(print->view, margin, is_last));
		print_branches(print, print_run(print, branch), amount);
		print->prefix.len = margin;
		if (print->prefix.data)
			print->prefix.data[margin] = '\0';
	}
	if (rest.period) {
		print_share(print, rest, whole, true);
		tally_str_add(print->out, "[...]\n");
	}
	free(branches.items);
}

static bool is_row_symbol(const struct graph_printer *print, const struct tally_row *row,
			  const struct tally_graph_node *node)
{
	const struct tally_frame *frames = print->view->profile->frames.all.data;
	const struct tally_frame *x = &frames[row->frame], *y = &frames[node->frame];

	return row->frame == node->frame ||
	       (x->symbol && x->symbol == y->symbol && x->dso == y->dso);
}

/* Print a graph with a single root. */
static void root_text(struct graph_printer *print, const struct tally_row *row,
		      const struct tally_graph_node *root)
{
	const struct amount all = {row->total, row->total_nr};

	if (print->view->after_row && is_row_symbol(print, row, root)) {
		uint32_t next =
			tally_view_continuation(print->view, (uint32_t)(root - print->nodes));

		if (!next) {
			print_branches(print, root, all);
			return;
		}
		root = &print->nodes[next];
	}
	print_prefix(print);
	tally_str_add(print->out, "|\n");
	print_prefix(print);
	tally_str_add(print->out, "---");
	tally_str_add(&print->prefix, "   ");
	print_branches(print, print_run(print, root), all);
}

static void graph_text(struct graph_printer *print, const struct tally_row *row)
{
	const struct tally_graph_node *root = &print->nodes[row->graph];
	struct tally_view_branches branches = branches_of(print, root, row->total);
	size_t before = print->out->len;

	tally_str_pad_to(&print->prefix, MARGIN);
	if (branches.nr == 1 && branches.items[0]->period == row->total)
		root_text(print, row, branches.items[0]);
	else
		print_branches(print, root, (struct amount){row->total, row->total_nr});
	if (print->out->len != before)
		tally_str_add_char(print->out, '\n');
	free(branches.items);
}

/* ---- lists of paths -------------------------------------------------------- */

/* Format of a path: text around its share, the separator between names, and the terminator. */
struct path_style {
	const char *before, *after, *joint, *tail;
	bool has_lines; /* print each name on its own line, shortened to fit */
};

/* A path that ends at a node, and the location of its text in `names`. */
struct graph_chain {
	struct amount self;
	size_t at, len;
};

struct chain_printer {
	struct graph_printer *print;
	const struct path_style *style;
	TALLY_VEC(struct graph_chain) chains;
	struct tally_str names;
};

/* Append a function's name. Occurrences of the separator in the name are replaced. */
static void chain_name(struct chain_printer *chains, const struct tally_graph_node *node)
{
	struct tally_str *out = &chains->print->prefix;
	size_t start = out->len;

	tally_view_frame_text(chains->print->view, node->frame,
			      chains->style->has_lines ? name_room(chains->print->view, PATH_MARGIN)
						       : SIZE_MAX,
			      TALLY_VIEW_MARK, out);
	tally_str_replace(out, start, chains->style->joint[0], '.');
}

/* Collect all paths that end at `node` or below it. */
static void chains_find(struct chain_printer *chains, const struct tally_graph_node *node)
{
	struct graph_printer *print = chains->print;
	const struct tally_view *view = print->view;
	double least = (double)view->total * view->graph_min_percent / 100;
	size_t length = print->prefix.len;

	tally_str_add(&print->prefix, length ? chains->style->joint : "");
	chain_name(chains, node);
	if (node->self_nr && (double)node->self >= least) {
		struct graph_chain chain = {
			{node->self, node->self_nr}, chains->names.len, print->prefix.len};

		tally_str_add_bytes(&chains->names, tally_str_text(&print->prefix), chain.len);
		print->out->failed |= !!tally_vec_push(&chains->chains, chain);
	}
	for (uint32_t i = node->first_child; i; i = print->nodes[i].next_sibling)
		chains_find(chains, &print->nodes[i]);
	print->prefix.len = length;
	if (print->prefix.data)
		print->prefix.data[length] = '\0';
}

static int heaviest_chain_first(const void *a, const void *b)
{
	const struct graph_chain *x = a, *y = b;

	if (x->self.period != y->self.period)
		return x->self.period > y->self.period ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void graph_chains(struct graph_printer *print, const struct tally_row *row,
			 const struct path_style *style)
{
	struct chain_printer chains = {.print = print, .style = style};

	for (uint32_t i = print->nodes[row->graph].first_child; i; i = print->nodes[i].next_sibling)
		chains_find(&chains, &print->nodes[i]);
	if (chains.chains.len)
		qsort(chains.chains.data, chains.chains.len, sizeof(*chains.chains.data),
		      heaviest_chain_first);
	tally_vec_for_each (chain, &chains.chains) {
		tally_str_add(print->out, style->before);
		add_amount(print->view, chain->self, print->view->total, print->out);
		tally_str_add(print->out, style->after);
		tally_str_add_bytes(print->out, tally_str_text(&chains.names) + chain->at,
				    chain->len);
		tally_str_add(print->out, style->tail);
	}
	print->out->failed |= chains.names.failed;
	tally_vec_free(&chains.chains);
	tally_str_free(&chains.names);
}

void tally_view_graph(const struct tally_view *view, const struct tally_row *row,
		      struct tally_str *out)
{
	static const struct path_style flat = {"           ", "\n                ",
					       "\n                ", "\n\n", true};
	const struct path_style folded = {"", " ", view->separator ? view->separator : ";", "\n",
					  false};
	struct graph_printer print = {view, view->hist->graph.data, out, {0}, 0};

	if (!row->graph || view->style == TALLY_STYLE_NONE)
		return;
	if (view->style == TALLY_STYLE_FLAT)
		graph_chains(&print, row, &flat);
	else if (view->style == TALLY_STYLE_FOLDED)
		graph_chains(&print, row, &folded);
	else
		graph_text(&print, row);
	out->failed |= print.prefix.failed;
	tally_str_free(&print.prefix);
}
