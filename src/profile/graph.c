/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call graphs of rows.
 *
 * A node of a graph stands for a set of places in the tree of paths. Its children are found by
 * going one step on from each place - to callees or to the caller - and putting together those
 * that reach the same function. Only children heavy enough to be shown are gone on from, so
 * the work is bounded by what is shown, not by how many different paths there are.
 */
#include <string.h>

#include "profile/hist_private.h"

/* A place in the tree, and how much of what is there belongs to the graph. */
struct place {
	uint32_t path;
	uint32_t next; /* of the same graph node: index + 1 into places, 0 ends */
	uint64_t period;
	uint64_t nr;
};

struct grower {
	struct hist_builder *builder;
	const struct path_sums *sums; /* downwards only */
	bool downwards;
	uint64_t least; /* period below which a node is not kept */
	TALLY_VEC(struct place) places;
	struct tally_map by_frame; /* frame -> child of the node at work */
	TALLY_VEC(uint32_t) heads; /* by graph node made in this growth: its places */
	uint32_t first_node;       /* number of heads[0] */
};

static int graph_new(struct hist_builder *builder, uint32_t frame, uint32_t *ret_node)
{
	size_t node = builder->hist->graph.len;

	if (node >= UINT32_MAX ||
	    tally_vec_push(&builder->hist->graph, (struct tally_graph_node){.frame = frame}))
		return -ENOMEM;
	*ret_node = (uint32_t)node;
	return 0;
}

/* The child of `node` for a frame, made if new. Children of a node in an earlier growth are found
 * by looking through them. */
static int grower_child(struct grower *grower, uint32_t node, uint32_t frame, uint32_t *ret_child)
{
	uint64_t known = tally_map_get(&grower->by_frame, (uint64_t)node << 32 | frame);
	struct tally_graph_node *nodes;
	int ret;

	if (known != TALLY_MAP_NONE) {
		*ret_child = (uint32_t)known;
		return 0;
	}
	ret = graph_new(grower->builder, frame, ret_child);
	if (!ret)
		ret = tally_vec_push(&grower->heads, 0);
	if (ret)
		return ret;
	nodes = grower->builder->hist->graph.data;
	nodes[*ret_child].next_sibling = nodes[node].first_child;
	nodes[node].first_child = *ret_child;
	return tally_map_put(&grower->by_frame, (uint64_t)node << 32 | frame, *ret_child);
}

/* Put a place under `node`, at the child for the function it is in. */
static int grower_put(struct grower *grower, uint32_t node, uint32_t path, uint64_t period,
		      uint64_t nr)
{
	uint32_t child, *head;
	struct tally_graph_node *at;
	int ret = grower_child(grower, node, hist_path(grower->builder, path)->frame, &child);

	if (ret)
		return ret;
	at = &grower->builder->hist->graph.data[child];
	at->period += period;
	at->nr += nr;
	/* What ends here is what does not go on; see grower_step(). */
	at->self += period;
	at->self_nr += nr;
	head = &grower->heads.data[child - grower->first_node];
	ret = tally_vec_push(&grower->places, (struct place){path, *head, period, nr});
	*head = (uint32_t)grower->places.len;
	return ret;
}

/* One step on from a place. */
static int grower_step(struct grower *grower, uint32_t node, struct place place)
{
	struct hist_builder *builder = grower->builder;
	uint32_t next;
	int ret = 0;

	if (!grower->downwards) {
		next = hist_path(builder, place.path)->parent;
		if (!next)
			return 0;
		builder->hist->graph.data[node].self -= place.period;
		builder->hist->graph.data[node].self_nr -= place.nr;
		return grower_put(grower, node, next, place.period, place.nr);
	}
	for (next = grower->sums->at[place.path].first_child; next && !ret;
	     next = grower->sums->at[next].sibling) {
		const struct path_sum *sum = &grower->sums->at[next];

		if (!sum->nr)
			continue;
		builder->hist->graph.data[node].self -= sum->period;
		builder->hist->graph.data[node].self_nr -= sum->nr;
		ret = grower_put(grower, node, next, sum->period, sum->nr);
	}
	return ret;
}

/* Go on from every child of `node` that is heavy enough. Deep, not recursive: the nodes made are
 * numbered in the order they are to be visited. */
static int grower_grow(struct grower *grower)
{
	struct tally_graph_node *nodes;
	int ret = 0;

	for (uint32_t i = 0; i < grower->heads.len && !ret; i++) {
		uint32_t node = grower->first_node + i;
		uint32_t at = grower->heads.data[i];

		nodes = grower->builder->hist->graph.data;
		if (nodes[node].period < grower->least)
			continue;
		while (at && !ret) {
			struct place place = grower->places.data[at - 1];

			ret = grower_step(grower, node, place);
			at = place.next;
		}
	}
	return ret;
}

static void grower_free(struct grower *grower)
{
	tally_vec_free(&grower->places);
	tally_vec_free(&grower->heads);
	tally_map_free(&grower->by_frame);
}

static struct grower grower_start(struct hist_builder *builder, const struct path_sums *sums,
				  bool downwards)
{
	return (struct grower){
		.builder = builder,
		.sums = sums,
		.downwards = downwards,
		.least = builder->options->graph_min,
		.first_node = (uint32_t)builder->hist->graph.len,
	};
}

/* Children of `node` made by an earlier growth are taken up again, so that one function does not
 * stand there twice. */
static int grower_resume(struct grower *grower, uint32_t node)
{
	const struct tally_graph_node *nodes = grower->builder->hist->graph.data;
	int ret = 0;

	if (!nodes[node].first_child)
		return 0;
	/* Every node since the row's root belongs to it: number the heads from there. */
	grower->first_node = node + 1;
	for (size_t i = node + 1; i < grower->builder->hist->graph.len && !ret; i++)
		ret = tally_vec_push(&grower->heads, 0);
	for (uint32_t n = node; n < grower->builder->hist->graph.len && !ret; n++) {
		for (uint32_t c = nodes[n].first_child; c && !ret; c = nodes[c].next_sibling)
			ret = tally_map_put(&grower->by_frame, (uint64_t)n << 32 | nodes[c].frame,
					    c);
	}
	return ret;
}

/* ---- rows ---------------------------------------------------------------- */

/* Whole paths of the row's own cells. */
static int graph_own(struct hist_builder *builder, struct tally_row *row, const uint32_t *cells,
		     size_t nr)
{
	bool downwards = builder->options->order == TALLY_GRAPH_CALLER;
	struct grower grower = grower_start(builder, &builder->row_sums, downwards);
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		const struct tally_cell *cell = hist_cell(builder, cells[i]);

		if (!cell->key.path)
			continue;
		if (downwards)
			ret = hist_sum_add(builder, &builder->row_sums, cell);
		else
			ret = grower_put(&grower, row->graph, cell->key.path, cell->period,
					 cell->nr);
	}
	hist_sum_link(builder, &builder->row_sums);
	for (uint32_t path = builder->row_sums.at[0].first_child; path && !ret;
	     path = builder->row_sums.at[path].sibling)
		ret = grower_put(&grower, row->graph, path, builder->row_sums.at[path].period,
				 builder->row_sums.at[path].nr);
	if (!ret)
		ret = grower_grow(&grower);
	hist_sum_clear(&builder->row_sums);
	grower_free(&grower);
	return ret;
}

/* Where the functions of heavy rows stand in the tree: downwards only where outermost. */
struct heavy_row {
	uint32_t row;
	TALLY_VEC(uint32_t) places;
};

struct heavy {
	TALLY_VEC(struct heavy_row) rows;
	bool downwards;
};

static int heavy_visit(struct hist_builder *builder, uint32_t path, bool outermost, void *arg)
{
	struct heavy *heavy = arg;
	uint32_t number = builder->row_of[hist_path_fkey(builder, path)];

	if (!number || (heavy->downwards && !outermost))
		return 0;
	return tally_vec_push(&heavy->rows.data[number - 1].places, path);
}

static void heavy_free(struct heavy *heavy)
{
	tally_vec_for_each (row, &heavy->rows)
		tally_vec_free(&row->places);
	tally_vec_free(&heavy->rows);
}

static int by_group(const void *a, const void *b)
{
	const struct hist_heavy *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

int hist_graph_heavy(struct hist_builder *builder)
{
	int ret = 0;

	for (uint32_t i = 0; i < builder->hist->rows.len && !ret; i++) {
		const struct tally_row *row = &builder->hist->rows.data[i];

		if (row->total >= builder->options->graph_min)
			ret = tally_vec_push(&builder->heavy, (struct hist_heavy){row->group, i});
	}
	if (!ret && builder->heavy.len)
		qsort(builder->heavy.data, builder->heavy.len, sizeof(*builder->heavy.data),
		      by_group);
	return ret;
}

bool hist_graph_wants(struct hist_builder *builder, uint32_t group)
{
	while (builder->next_heavy < builder->heavy.len &&
	       builder->heavy.data[builder->next_heavy].group < group)
		builder->next_heavy++;
	return builder->next_heavy < builder->heavy.len &&
	       builder->heavy.data[builder->next_heavy].group == group;
}

/* The heavy rows of a group and, with children, where they stand. */
static int heavy_find(struct hist_builder *builder, uint32_t group, struct heavy *heavy)
{
	int ret = 0;

	heavy->downwards = builder->options->order == TALLY_GRAPH_CALLER;
	for (; hist_graph_wants(builder, group) && !ret; builder->next_heavy++) {
		uint32_t i = builder->heavy.data[builder->next_heavy].row;

		ret = tally_vec_push(&heavy->rows, (struct heavy_row){.row = i});
		builder->row_of[builder->hist->rows.data[i].fkey] = (uint32_t)heavy->rows.len;
	}
	if (!ret && builder->options->children)
		ret = hist_walk(builder, &builder->group_sums, heavy_visit, heavy);
	tally_vec_for_each (row, &heavy->rows)
		builder->row_of[builder->hist->rows.data[row->row].fkey] = 0;
	return ret;
}

/* One place where the row's function called something: downwards from it, or upwards. The row's
 * own cells are not in the sums. Upwards, what stands further in again is counted there, and
 * taken away (modulo 2^64) from where it stands next further out. */
static int inner_place(struct grower *grower, const struct tally_row *row, uint32_t path)
{
	struct hist_builder *builder = grower->builder;
	const struct path_sum *sum = &builder->group_sums.at[path];
	uint32_t outer = path;
	int ret;

	if (!sum->nr)
		return 0;
	ret = grower_put(grower, row->graph, path, sum->period, sum->nr);
	if (ret || grower->downwards)
		return ret;
	do {
		outer = hist_path(builder, outer)->parent;
	} while (outer && hist_path_fkey(builder, outer) != row->fkey);
	if (!outer)
		return 0;
	return grower_put(grower, row->graph, outer, -sum->period, -(uint64_t)sum->nr);
}

static int graph_inner(struct hist_builder *builder, struct tally_row *row,
		       const struct heavy_row *heavy, const uint32_t *cells, size_t nr)
{
	struct grower grower = grower_start(builder, &builder->group_sums,
					    builder->options->order == TALLY_GRAPH_CALLER);
	int ret = grower_resume(&grower, row->graph);

	for (size_t i = 0; i < nr; i++)
		hist_sum_take(builder, &builder->group_sums, hist_cell(builder, cells[i]));
	for (size_t i = 0; i < heavy->places.len && !ret; i++)
		ret = inner_place(&grower, row, heavy->places.data[i]);
	if (!ret)
		ret = grower_grow(&grower);
	for (size_t i = 0; i < nr; i++)
		hist_sum_return(builder, &builder->group_sums, hist_cell(builder, cells[i]));
	grower_free(&grower);
	return ret;
}

static int graph_row(struct hist_builder *builder, const struct heavy_row *heavy,
		     const uint32_t *cells, size_t nr)
{
	struct tally_row *row = &builder->hist->rows.data[heavy->row];
	uint32_t root;
	int ret = graph_new(builder, row->frame, &root);

	if (ret)
		return ret;
	row->graph = root;
	ret = graph_own(builder, row, cells, nr);
	if (!ret && builder->options->children)
		ret = graph_inner(builder, row, heavy, cells, nr);
	if (!builder->hist->graph.data[root].first_child)
		row->graph = 0;
	return ret;
}

static int by_row(const void *a, const void *b, void *arg)
{
	const struct hist_builder *builder = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t row_x = builder->cells.data[x].row, row_y = builder->cells.data[y].row;

	if (row_x != row_y)
		return row_x < row_y ? -1 : 1;
	return (x > y) - (x < y);
}

/* The cells of the group's heavy rows in the order of the rows; each row's are then a run. */
static uint32_t *cells_by_row(struct hist_builder *builder, size_t first, size_t last,
			      size_t *ret_nr)
{
	uint32_t *cells = malloc((last - first) * sizeof(*cells));
	size_t nr = 0;

	if (!cells)
		return NULL;
	for (size_t i = first; i < last; i++) {
		const struct tally_row *row = &builder->hist->rows.data[builder->cells.data[i].row];

		if (row->total >= builder->options->graph_min)
			cells[nr++] = (uint32_t)i;
	}
	qsort_r(cells, nr, sizeof(*cells), by_row, builder);
	*ret_nr = nr;
	return cells;
}

/* The run of cells of `row`; `*at` moves over runs as rows ascend. */
static size_t row_run(const struct hist_builder *builder, const uint32_t *cells, size_t nr,
		      uint32_t row, size_t *at)
{
	size_t end;

	while (*at < nr && builder->cells.data[cells[*at]].row < row)
		++*at;
	for (end = *at; end < nr && builder->cells.data[cells[end]].row == row; end++)
		;
	return end - *at;
}

int hist_graph_group(struct hist_builder *builder, size_t first, size_t last)
{
	size_t nr = 0, at = 0;
	uint32_t *cells = cells_by_row(builder, first, last, &nr);
	uint32_t group = builder->cells.data[first].group;
	struct heavy heavy = {0};
	int ret = cells ? heavy_find(builder, group, &heavy) : -ENOMEM;

	for (size_t i = 0; i < heavy.rows.len && !ret; i++) {
		size_t run = row_run(builder, cells, nr, heavy.rows.data[i].row, &at);

		ret = graph_row(builder, &heavy.rows.data[i], cells + at, run);
	}
	heavy_free(&heavy);
	free(cells);
	return ret;
}
