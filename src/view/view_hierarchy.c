/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/view_hierarchy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/intern.h"

enum { NONE = UINT32_MAX, INDENT = 3 };

/* A value of the key number `level`, below the values of the keys before it. */
struct node {
	uint32_t parent, text; /* NONE for the first level; text: in `texts` */
	uint32_t row;          /* the first row of the node */
	uint32_t first, nr_children;
	uint64_t self, self_nr;
};

struct hierarchy {
	const struct tally_view *view;
	const struct tally_view_column *keys[TALLY_VIEW_MAX_COLUMNS];
	const struct tally_view_column *metrics[TALLY_VIEW_MAX_COLUMNS];
	int nr_keys, nr_metrics;
	TALLY_VEC(struct node) nodes;
	TALLY_VEC(struct tally_row_sums) members; /* view->nr_members for each node */
	TALLY_VEC(uint32_t) order;         /* children of a node are together, heaviest first */
	struct tally_intern texts, places; /* places: parent and text of each node */
	uint32_t nr_roots;
	uint64_t min;
	struct tally_str *out;
	size_t shown;
};

/* Find or add the child of `parent` with this text. */
static int node_get(struct hierarchy *tree, uint32_t parent, uint32_t text, uint32_t row,
		    uint32_t *ret_node)
{
	const uint32_t place[2] = {parent, text};
	int ret = tally_intern(&tree->places, (const char *)place, sizeof(place), ret_node);

	if (ret || *ret_node < tree->nodes.len)
		return ret;
	for (uint32_t i = 0; i < tree->view->nr_members && !ret; i++)
		ret = tally_vec_push(&tree->members, (struct tally_row_sums){0});
	if (ret)
		return ret;
	return tally_vec_push(&tree->nodes,
			      ((struct node){.parent = parent, .text = text, .row = row}));
}

static void node_count(struct hierarchy *tree, uint32_t at, const struct tally_row *row)
{
	uint32_t nr = tree->view->nr_members;

	tally_sum_add(&tree->nodes.data[at].self, row->self);
	tree->nodes.data[at].self_nr += row->self_nr;
	for (uint32_t i = 0; i < nr; i++) {
		struct tally_row member = tally_hist_member_row(tree->view->hist, row, i);

		tally_sum_add(&tree->members.data[at * (size_t)nr + i].self, member.self);
		tree->members.data[at * (size_t)nr + i].self_nr += member.self_nr;
	}
}

static int row_add(struct hierarchy *tree, uint32_t number, struct tally_str *cell)
{
	const struct tally_row *row = &tree->view->hist->rows.data[number];
	uint32_t at = NONE, text;
	int ret = 0;

	for (int level = 0; level < tree->nr_keys && !ret; level++) {
		tally_str_clear(cell);
		tally_view_cell(tree->view, tree->keys[level], row, cell);
		ret = tally_str_error(cell)
			      ? -ENOMEM
			      : tally_intern(&tree->texts, tally_str_text(cell), cell->len, &text);
		if (!ret)
			ret = node_get(tree, at, text, number, &at);
		if (!ret)
			node_count(tree, at, row);
	}
	return ret;
}

static int compare_members(const struct hierarchy *tree, uint32_t x, uint32_t y)
{
	size_t nr = tree->view->nr_members;

	for (size_t i = 0; i < nr; i++) {
		uint64_t a = tree->members.data[x * nr + i].self;
		uint64_t b = tree->members.data[y * nr + i].self;

		if (a != b)
			return a > b ? -1 : 1;
	}
	return 0;
}

/* Order by parent, then heaviest first, then by text. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct hierarchy *tree = arg;
	const struct node *x = &tree->nodes.data[*(const uint32_t *)a];
	const struct node *y = &tree->nodes.data[*(const uint32_t *)b];
	int order;

	if (x->parent != y->parent)
		return x->parent + 1 < y->parent + 1 ? -1 : 1;
	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	order = compare_members(tree, *(const uint32_t *)a, *(const uint32_t *)b);
	if (order)
		return order;
	return strcmp(tally_intern_text(&tree->texts, x->text),
		      tally_intern_text(&tree->texts, y->text));
}

static int tree_sort(struct hierarchy *tree)
{
	for (uint32_t i = 0; i < tree->nodes.len; i++)
		if (tally_vec_push(&tree->order, i))
			return -ENOMEM;
	if (tree->order.len)
		qsort_r(tree->order.data, tree->order.len, sizeof(*tree->order.data), compare,
			tree);
	for (uint32_t i = 0; i < tree->order.len; i++) {
		uint32_t parent = tree->nodes.data[tree->order.data[i]].parent;

		if (parent == NONE)
			tree->nr_roots++;
		else if (!tree->nodes.data[parent].nr_children++)
			tree->nodes.data[parent].first = i;
	}
	return 0;
}

static int tree_build(struct hierarchy *tree)
{
	struct tally_str cell = {0};
	int ret = 0;

	for (uint32_t i = 0; i < tree->view->hist->rows.len && !ret; i++)
		ret = row_add(tree, i, &cell);
	tally_str_free(&cell);
	return ret ? ret : tree_sort(tree);
}

/* ---- output ------------------------------------------------------------------- */

static int metrics_width(const struct hierarchy *tree)
{
	int width = INDENT * (tree->nr_keys - 1);

	for (int i = 0; i < tree->nr_metrics; i++)
		width += tally_view_metric_width(tree->view, tree->metrics[i]) + (i ? 2 : 0);
	return width;
}

static void add_heading(const struct hierarchy *tree)
{
	struct tally_str *out = tree->out;
	int width = metrics_width(tree), left = width, names = 0;

	for (int i = tree->nr_metrics; i-- > 1;)
		left -= tally_view_metric_width(tree->view, tree->metrics[i]) + 2;
	tally_str_addf(out, "# %*s", left, tree->nr_metrics ? tree->metrics[0]->heading : "");
	for (int i = 1; i < tree->nr_metrics; i++)
		tally_str_addf(out, "  %*s", tally_view_metric_width(tree->view, tree->metrics[i]),
			       tree->metrics[i]->heading);
	for (int i = 0; i < tree->nr_keys; i++) {
		const char *heading = tree->keys[i]->heading + strspn(tree->keys[i]->heading, " ");

		tally_str_addf(out, "%s%s", i ? " / " : "  ", heading);
		names += (int)strlen(heading) + (i ? 3 : 0);
	}
	tally_str_add(out, "\n# ");
	for (int i = 0; i < width; i++)
		tally_str_add_char(out, '.');
	tally_str_add(out, "  ");
	for (int i = 0; i < names; i++)
		tally_str_add_char(out, '.');
	tally_str_add(out, "\n#\n");
}

/* Make rows of a node: of the event and of the other events of the group. */
static void node_rows(const struct hierarchy *tree, const struct node *node,
		      struct tally_row rows[TALLY_VIEW_MAX_EVENTS])
{
	size_t nr = tree->view->nr_members, at = (size_t)(node - tree->nodes.data);

	for (size_t i = 0; i <= nr; i++) {
		struct tally_row *row = &rows[i];

		*row = tree->view->hist->rows.data[node->row];
		row->self = i ? tree->members.data[at * nr + i - 1].self : node->self;
		row->self_nr = i ? tree->members.data[at * nr + i - 1].self_nr : node->self_nr;
		row->total = row->self;
		row->total_nr = row->self_nr;
	}
}

static void add_node(struct hierarchy *tree, const struct node *node, int level)
{
	struct tally_row rows[TALLY_VIEW_MAX_EVENTS];
	int gap = INDENT * (tree->nr_keys - 1) + 2;

	node_rows(tree, node, rows);
	tally_str_addf(tree->out, "%*s", 2 + INDENT * level, "");
	for (int i = 0; i < tree->nr_metrics; i++) {
		struct tally_str cell = {0};

		tally_view_metric(tree->view, tree->metrics[i], rows, &cell);
		tally_str_addf(tree->out, "%s%*s", i ? "  " : "",
			       tally_view_metric_width(tree->view, tree->metrics[i]),
			       tally_str_text(&cell));
		tree->out->failed |= cell.failed;
		tally_str_free(&cell);
	}
	tally_str_addf(tree->out, "%*s%s\n", gap, "", tally_intern_text(&tree->texts, node->text));
	if (level + 1 == tree->nr_keys)
		tally_view_graph(tree->view, &tree->view->hist->rows.data[node->row], tree->out);
	tree->shown++;
}

static bool has_samples(const struct hierarchy *tree, const struct node *node)
{
	size_t nr = tree->view->nr_members, at = (size_t)(node - tree->nodes.data);
	uint64_t samples = node->self_nr;

	for (size_t i = 0; i < nr; i++)
		samples += tree->members.data[at * nr + i].self_nr;
	return samples;
}

/* Append `nr` siblings and what is below them. */
static void add_nodes(struct hierarchy *tree, uint32_t first, uint32_t nr, int level)
{
	for (uint32_t i = first; i < first + nr; i++) {
		const struct node *node = &tree->nodes.data[tree->order.data[i]];

		if (node->self < tree->min || !has_samples(tree, node))
			continue;
		add_node(tree, node, level);
		add_nodes(tree, node->first, node->nr_children, level + 1);
	}
}

int tally_view_hierarchy(const struct tally_view *view, double min_percent, bool rows_only,
			 struct tally_str *out, size_t *ret_shown)
{
	struct hierarchy tree = {.view = view, .out = out};
	int ret;

	tree.min = tally_view_least(view->total, min_percent);
	for (int i = 0; i < view->nr_columns; i++) {
		if (view->columns[i]->key)
			tree.keys[tree.nr_keys++] = view->columns[i];
		else if (view->columns[i]->width)
			tree.metrics[tree.nr_metrics++] = view->columns[i];
	}
	ret = tree_build(&tree);
	if (!ret && !rows_only)
		add_heading(&tree);
	if (!ret)
		add_nodes(&tree, 0, tree.nr_roots, 0);
	*ret_shown = tree.shown;
	tally_vec_free(&tree.nodes);
	tally_vec_free(&tree.members);
	tally_vec_free(&tree.order);
	tally_intern_free(&tree.texts);
	tally_intern_free(&tree.places);
	return ret ? ret : tally_str_error(out);
}
