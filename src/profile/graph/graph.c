/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds call graphs for rows: decides which rows get a graph, and where in the tree of paths each
 * graph starts. */
#include "profile/graph/graph.h"
#include "profile/graph/grow.h"
#include "profile/sums.h"

/* Add the outermost paths of the row's own buckets to the graph. */
static int own_roots(struct hist_grower *grower, const uint32_t *buckets, size_t nr)
{
	struct hist_builder *builder = grower->builder;
	struct path_sums *sums = &builder->row_sums;
	int ret = hist_sum_reach(builder, sums);

	for (size_t i = 0; i < nr && !ret; i++)
		ret = hist_sum_add(builder, sums, buckets[i]);
	hist_sum_link(builder, sums);
	for (uint32_t path = hist_sum_root(sums); path && !ret; path = sums->at.data[path].sibling)
		ret = hist_grower_add(grower, grower->root,
				      (struct hist_position){.path = path,
							     .period = sums->at.data[path].period,
							     .nr = sums->at.data[path].nr,
							     .sums = sums});
	return ret;
}

/* Add the complete paths of the row's own buckets to the graph. */
static int graph_own(struct hist_grower *grower, const uint32_t *buckets, size_t nr)
{
	struct hist_builder *builder = grower->builder;
	int ret = 0;

	if (grower->downwards)
		return own_roots(grower, buckets, nr);
	for (size_t i = 0; i < nr && !ret; i++) {
		const struct tally_bucket *bucket = hist_bucket(builder, buckets[i]);
		struct hist_position place = {.path = builder->buckets.data[buckets[i]].path,
					      .period = bucket->period,
					      .nr = bucket->nr};

		if (place.path)
			ret = hist_grower_add(grower, grower->root, place);
	}
	return ret;
}

/* Places of a heavy row's function in the tree of paths. For downward graphs, only the outermost
 * places are included. */
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
	uint32_t number = builder->heavy_of[hist_path_fkey(builder, path)];

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

/* Return true if the group contains a heavy row. Must be called for all groups that have buckets,
 * in ascending order. */
static bool heavy_is_next(struct hist_builder *builder, uint32_t group)
{
	while (builder->next_heavy < builder->heavy.len &&
	       builder->heavy.data[builder->next_heavy].group < group)
		builder->next_heavy++;
	return builder->next_heavy < builder->heavy.len &&
	       builder->heavy.data[builder->next_heavy].group == group;
}

/* Collect the heavy rows of a group, and index them by function. */
static int heavy_rows(struct hist_builder *builder, uint32_t group, struct heavy *heavy)
{
	int ret = 0;

	for (; heavy_is_next(builder, group) && !ret; builder->next_heavy++) {
		uint32_t i = builder->heavy.data[builder->next_heavy].row;

		ret = tally_vec_push(&heavy->rows, (struct heavy_row){.row = i});
		builder->heavy_of[builder->hist->rows.data[i].fkey] = (uint32_t)heavy->rows.len;
	}
	return ret;
}

/* Build the tree of paths for the group's buckets, with its sums, and find the places of heavy
 * rows. Used if totals include callees. */
static int heavy_places(struct hist_builder *builder, size_t first, size_t last,
			struct heavy *heavy)
{
	struct path_sums *sums = &builder->group_sums;
	int ret = 0;

	for (size_t i = first; i < last && !ret; i++)
		ret = hist_path_build(builder, i);
	if (!ret)
		ret = hist_sum_reach(builder, sums);
	for (size_t i = first; i < last && !ret; i++)
		ret = hist_sum_add(builder, sums, i);
	hist_sum_link(builder, sums);
	return ret ? ret : hist_walk(builder, sums, heavy_visit, heavy);
}

/* Add a place where the row's function called another function; the graph grows downwards or
 * upwards from there. In upward graphs, samples of a recursive function are counted at its inner
 * place and subtracted (modulo 2^64) at its next outer place. */
static int inner_place(struct hist_grower *grower, uint32_t fkey, uint32_t path)
{
	struct hist_builder *builder = grower->builder;
	const struct path_sum *sum = &builder->group_sums.at.data[path];
	struct hist_position place = {path, 0, sum->period, sum->nr, &builder->group_sums};
	int ret;

	if (!sum->nr)
		return 0;
	ret = hist_grower_add(grower, grower->root, place);
	if (ret || grower->downwards)
		return ret;
	do {
		place.path = hist_path(builder, place.path)->parent;
	} while (place.path && hist_path_fkey(builder, place.path) != fkey);
	if (!place.path)
		return 0;
	place.period = -place.period;
	place.nr = -place.nr;
	return hist_grower_add(grower, grower->root, place);
}

/* Grow the graph of a row. The row's own buckets are included only in the row's sums. */
static int graph_grow(struct hist_builder *builder, const struct heavy_row *heavy, uint32_t root,
		      const uint32_t *buckets, size_t nr)
{
	uint32_t fkey = builder->hist->rows.data[heavy->row].fkey;
	struct hist_grower grower = {
		.builder = builder,
		.downwards = builder->options->order == TALLY_GRAPH_CALLER,
		.root = root,
	};
	int ret = graph_own(&grower, buckets, nr);

	for (size_t i = 0; i < heavy->places.len && !ret; i++)
		ret = inner_place(&grower, fkey, heavy->places.data[i]);
	if (!ret)
		ret = hist_grower_grow(&grower);
	hist_grower_free(&grower);
	return ret;
}

static int graph_row(struct hist_builder *builder, const struct heavy_row *heavy,
		     const uint32_t *buckets, size_t nr)
{
	struct tally_row *row = &builder->hist->rows.data[heavy->row];
	bool children = builder->options->children;
	uint32_t root;
	int ret = hist_graph_new(builder, row->frame, &root);

	if (ret)
		return ret;
	for (size_t i = 0; i < nr && children; i++)
		hist_sum_subtract(builder, &builder->group_sums, buckets[i]);
	ret = graph_grow(builder, heavy, root, buckets, nr);
	for (size_t i = 0; i < nr && children; i++)
		hist_sum_restore(builder, &builder->group_sums, buckets[i]);
	hist_sum_clear(&builder->row_sums);
	row->graph = builder->hist->graph.data[root].first_child ? root : 0;
	return ret;
}

static int by_row(const void *a, const void *b, void *arg)
{
	const struct hist_builder *builder = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t row_x = builder->buckets.data[x].row, row_y = builder->buckets.data[y].row;

	if (row_x != row_y)
		return row_x < row_y ? -1 : 1;
	return (x > y) - (x < y);
}

/* Return the buckets of the group's heavy rows, sorted by row. The caller frees the array. Return
 * NULL when out of memory. */
static uint32_t *buckets_by_row(struct hist_builder *builder, size_t first, size_t last,
				size_t *ret_nr)
{
	uint32_t *buckets = malloc((last - first) * sizeof(*buckets));
	size_t nr = 0;

	if (!buckets)
		return NULL;
	for (size_t i = first; i < last; i++) {
		const struct tally_row *row =
			&builder->hist->rows.data[builder->buckets.data[i].row];

		if (row->total >= builder->options->graph_min)
			buckets[nr++] = (uint32_t)i;
	}
	qsort_r(buckets, nr, sizeof(*buckets), by_row, builder);
	*ret_nr = nr;
	return buckets;
}

/* Return the number of buckets in `row`, and set `*at` to the index of the first one. Must be
 * called with rows in ascending order. */
static size_t row_run(const struct hist_builder *builder, const uint32_t *buckets, size_t nr,
		      uint32_t row, size_t *at)
{
	size_t end;

	while (*at < nr && builder->buckets.data[buckets[*at]].row < row)
		++*at;
	for (end = *at; end < nr && builder->buckets.data[buckets[end]].row == row; end++)
		;
	return end - *at;
}

/* Reset the state of the current group. */
static void group_clear(struct hist_builder *builder, struct heavy *heavy)
{
	tally_vec_for_each (row, &heavy->rows)
		builder->heavy_of[builder->hist->rows.data[row->row].fkey] = 0;
	hist_sum_clear(&builder->group_sums);
	tally_paths_clear(&builder->paths);
	heavy_free(heavy);
}

int hist_graph_group(struct hist_builder *builder, size_t first, size_t last)
{
	uint32_t group = builder->buckets.data[first].group, *buckets;
	struct heavy heavy = {.downwards = builder->options->order == TALLY_GRAPH_CALLER};
	size_t nr = 0, at = 0;
	int ret;

	if (!heavy_is_next(builder, group))
		return 0;
	buckets = buckets_by_row(builder, first, last, &nr);
	ret = buckets ? heavy_rows(builder, group, &heavy) : -ENOMEM;
	if (!ret && builder->options->children)
		ret = heavy_places(builder, first, last, &heavy);
	for (size_t i = 0; i < nr && !ret && !builder->options->children; i++)
		ret = hist_path_build(builder, buckets[i]);
	for (size_t i = 0; i < heavy.rows.len && !ret; i++) {
		size_t run = row_run(builder, buckets, nr, heavy.rows.data[i].row, &at);

		ret = graph_row(builder, &heavy.rows.data[i], buckets + at, run);
	}
	group_clear(builder, &heavy);
	free(buckets);
	return ret;
}
