/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call graphs of rows. All paths are one tree already, from the outermost callers down, so
 * sums over callees are sums over its subtrees; graphs of callers turn paths round.
 */
#include <string.h>

#include "profile/hist_private.h"

static bool path_touch(struct hist_builder *builder, uint32_t path)
{
	struct path_sum *sum = &builder->sums[path];

	if (sum->nr)
		return true;
	return !tally_vec_push(&builder->touched, path);
}

int hist_sum_paths(struct hist_builder *builder, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++) {
		const struct tally_cell *cell =
			&builder->profile->cells.data[builder->cells.data[i].cell];
		uint32_t path = cell->key.path;

		if (path) {
			builder->sums[path].self += cell->period;
			builder->sums[path].self_nr += cell->nr;
		}
		for (; path; path = hist_path(builder, path)->parent) {
			if (!path_touch(builder, path))
				return -ENOMEM;
			builder->sums[path].period += cell->period;
			builder->sums[path].nr += cell->nr;
		}
	}
	return 0;
}

void hist_clear_paths(struct hist_builder *builder)
{
	tally_vec_for_each (path, &builder->touched)
		builder->sums[*path] = (struct path_sum){0};
	builder->sums[0] = (struct path_sum){0};
	builder->touched.len = 0;
}

bool hist_has_ancestor(const struct hist_builder *builder, uint32_t path, uint32_t fkey)
{
	path = hist_path(builder, path)->parent;
	for (; path; path = hist_path(builder, path)->parent) {
		if (hist_path_fkey(builder, path) == fkey)
			return true;
	}
	return false;
}

/* ---- nodes -------------------------------------------------------------- */

static int graph_new(struct hist_builder *builder, uint32_t frame, uint32_t *ret_node)
{
	size_t node = builder->hist->graph.len;

	if (node >= UINT32_MAX ||
	    tally_vec_push(&builder->hist->graph, (struct tally_graph_node){.frame = frame}))
		return -ENOMEM;
	*ret_node = (uint32_t)node;
	return 0;
}

/* The child of `node` for `frame`, made if new. */
static int graph_child(struct hist_builder *builder, uint32_t node, uint32_t frame,
		       uint32_t *ret_child)
{
	uint64_t key = (uint64_t)node << 32 | frame;
	uint64_t known = tally_map_get(&builder->edges, key);
	struct tally_graph_node *nodes;
	int ret;

	if (known != TALLY_MAP_NONE) {
		*ret_child = (uint32_t)known;
		return 0;
	}
	ret = graph_new(builder, frame, ret_child);
	if (ret)
		return ret;
	nodes = builder->hist->graph.data;
	nodes[*ret_child].next_sibling = nodes[node].first_child;
	nodes[node].first_child = *ret_child;
	return tally_map_put(&builder->edges, key, *ret_child);
}

static int row_graph(struct hist_builder *builder, struct tally_row *row)
{
	return row->graph ? 0 : graph_new(builder, row->frame, &row->graph);
}

/* Add a sum to the child of `*node` for `frame`, and go there. */
static int graph_step(struct hist_builder *builder, uint32_t *node, uint32_t frame, uint64_t period,
		      uint64_t nr)
{
	struct tally_graph_node *child;
	int ret = graph_child(builder, *node, frame, node);

	if (ret)
		return ret;
	child = &builder->hist->graph.data[*node];
	child->period += period;
	child->nr += nr;
	return 0;
}

static void graph_end(struct hist_builder *builder, uint32_t node, uint64_t period, uint64_t nr)
{
	builder->hist->graph.data[node].self += period;
	builder->hist->graph.data[node].self_nr += nr;
}

/* ---- paths into graphs -------------------------------------------------- */

/* From `path` outwards to its outermost caller. */
static int add_outwards(struct hist_builder *builder, uint32_t node, uint32_t path, uint64_t period,
			uint64_t nr)
{
	int ret = 0;

	for (; path && !ret; path = hist_path(builder, path)->parent)
		ret = graph_step(builder, &node, hist_path(builder, path)->frame, period, nr);
	if (!ret)
		graph_end(builder, node, period, nr);
	return ret;
}

/* From the outermost caller inwards; a stack as deep as paths can be is no recursion risk:
 * max_stack bounds it. */
static int add_inwards(struct hist_builder *builder, uint32_t *node, uint32_t path, uint64_t period,
		       uint64_t nr)
{
	int ret;

	if (!path)
		return 0;
	ret = add_inwards(builder, node, hist_path(builder, path)->parent, period, nr);
	return ret ? ret : graph_step(builder, node, hist_path(builder, path)->frame, period, nr);
}

static int add_cell(struct hist_builder *builder, uint32_t node, const struct tally_cell *cell)
{
	int ret;

	if (builder->options->order == TALLY_GRAPH_CALLEE)
		return add_outwards(builder, node, cell->key.path, cell->period, cell->nr);
	ret = add_inwards(builder, &node, cell->key.path, cell->period, cell->nr);
	if (!ret)
		graph_end(builder, node, cell->period, cell->nr);
	return ret;
}

/* Whole paths of the cells whose own function a heavy row is. */
static int graph_cells(struct hist_builder *builder, size_t first, size_t last)
{
	int ret = 0;

	for (size_t i = first; i < last && !ret; i++) {
		const struct hist_cell *entry = &builder->cells.data[i];
		const struct tally_cell *cell = &builder->profile->cells.data[entry->cell];
		struct tally_row *row = &builder->hist->rows.data[entry->row];

		if (row->total < builder->options->graph_min || !cell->key.path)
			continue;
		ret = row_graph(builder, row);
		if (!ret)
			ret = add_cell(builder, row->graph, cell);
	}
	return ret;
}

/* The paths touched as a tree that can be walked downwards. */
static void link_children(struct hist_builder *builder)
{
	tally_vec_for_each (path, &builder->touched) {
		struct path_sum *parent = &builder->sums[hist_path(builder, *path)->parent];

		builder->sums[*path].sibling = parent->first_child;
		parent->first_child = *path;
	}
}

/* Merge the subtree of `path` under graph node `node`, but for cells that end in `fkey`
 * itself: their whole path is in the graph already. Adds what was merged to the sums. */
static int merge_subtree(struct hist_builder *builder, uint32_t node, uint32_t path, uint32_t fkey,
			 uint64_t *period, uint64_t *nr)
{
	const struct path_sum *sum = &builder->sums[path];
	bool ends_in_row = hist_path_fkey(builder, path) == fkey;
	uint64_t inner = ends_in_row ? 0 : sum->self, inner_nr = ends_in_row ? 0 : sum->self_nr;
	uint32_t at;
	int ret = graph_child(builder, node, hist_path(builder, path)->frame, &at);

	if (ret)
		return ret;
	graph_end(builder, at, inner, inner_nr);
	for (uint32_t child = sum->first_child; child && !ret; child = builder->sums[child].sibling)
		ret = merge_subtree(builder, at, child, fkey, &inner, &inner_nr);
	builder->hist->graph.data[at].period += inner;
	builder->hist->graph.data[at].nr += inner_nr;
	*period += inner;
	*nr += inner_nr;
	return ret;
}

/* Paths on which a heavy row's function called something: downwards from where it stands
 * outermost, or upwards from where it stands innermost. */
static int graph_inner_path(struct hist_builder *builder, struct tally_row *row, uint32_t path)
{
	uint64_t period = 0, nr = 0;
	const struct path_sum *sum = &builder->sums[path];
	int ret;

	if (builder->options->order == TALLY_GRAPH_CALLER &&
	    hist_has_ancestor(builder, path, row->fkey))
		return 0;
	ret = row_graph(builder, row);
	if (ret)
		return ret;
	if (builder->options->order == TALLY_GRAPH_CALLER)
		return merge_subtree(builder, row->graph, path, row->fkey, &period, &nr);
	period = sum->period - sum->self;
	nr = sum->nr - sum->self_nr;
	for (uint32_t child = sum->first_child; child; child = builder->sums[child].sibling) {
		/* A call of itself is counted where it stands further in. */
		if (hist_path_fkey(builder, child) == row->fkey) {
			period -= builder->sums[child].period;
			nr -= builder->sums[child].nr;
		}
	}
	return nr ? add_outwards(builder, row->graph, path, period, nr) : 0;
}

static int graph_inner(struct hist_builder *builder, size_t first)
{
	uint32_t group = builder->cells.data[first].group;
	int ret = 0;

	link_children(builder);
	for (size_t i = 0; i < builder->touched.len && !ret; i++) {
		uint32_t path = builder->touched.data[i];
		uint64_t key = (uint64_t)group << 32 | hist_path_fkey(builder, path);
		uint64_t known = tally_map_get(&builder->row_ids, key);
		struct tally_row *row;

		if (known == TALLY_MAP_NONE)
			continue;
		row = &builder->hist->rows.data[known];
		if (row->total >= builder->options->graph_min)
			ret = graph_inner_path(builder, row, path);
	}
	return ret;
}

int hist_graph_group(struct hist_builder *builder, size_t first, size_t last)
{
	int ret = graph_cells(builder, first, last);

	if (!ret && builder->options->children)
		ret = graph_inner(builder, first);
	return ret;
}
