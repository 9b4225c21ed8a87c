/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over the tree of paths: what passes through each, for a set of cells. */
#include "profile/hist_private.h"

int hist_sum_add(struct hist_builder *builder, struct path_sums *sums,
		 const struct tally_cell *cell)
{
	for (uint32_t path = cell->key.path; path; path = hist_path(builder, path)->parent) {
		struct path_sum *sum = &sums->at[path];

		if (!sum->nr && tally_vec_push(&sums->touched, path))
			return -ENOMEM;
		sum->period += cell->period;
		sum->nr += (uint32_t)cell->nr;
	}
	return 0;
}

void hist_sum_take(struct hist_builder *builder, struct path_sums *sums,
		   const struct tally_cell *cell)
{
	for (uint32_t path = cell->key.path; path; path = hist_path(builder, path)->parent) {
		sums->at[path].period -= cell->period;
		sums->at[path].nr -= (uint32_t)cell->nr;
	}
}

void hist_sum_return(struct hist_builder *builder, struct path_sums *sums,
		     const struct tally_cell *cell)
{
	for (uint32_t path = cell->key.path; path; path = hist_path(builder, path)->parent) {
		sums->at[path].period += cell->period;
		sums->at[path].nr += (uint32_t)cell->nr;
	}
}

void hist_sum_link(struct hist_builder *builder, struct path_sums *sums)
{
	tally_vec_for_each (path, &sums->touched) {
		struct path_sum *parent = &sums->at[hist_path(builder, *path)->parent];

		sums->at[*path].sibling = parent->first_child;
		parent->first_child = *path;
	}
}

void hist_sum_clear(struct path_sums *sums)
{
	tally_vec_for_each (path, &sums->touched)
		sums->at[*path] = (struct path_sum){0};
	sums->at[0] = (struct path_sum){0};
	sums->touched.len = 0;
}

int hist_walk(struct hist_builder *builder, struct path_sums *sums,
	      int (*visit)(struct hist_builder *builder, uint32_t path, bool outermost, void *arg),
	      void *arg)
{
	uint32_t path = sums->at[0].first_child;
	int ret = 0;

	while (path) {
		uint32_t *open = &builder->open[hist_path_fkey(builder, path)];

		ret = visit(builder, path, !*open, arg);
		if (ret)
			break;
		if (sums->at[path].first_child) {
			++*open;
			path = sums->at[path].first_child;
			continue;
		}
		/* Up to the nearest caller that has another callee. */
		while (path && !sums->at[path].sibling) {
			path = hist_path(builder, path)->parent;
			if (path)
				--builder->open[hist_path_fkey(builder, path)];
		}
		path = path ? sums->at[path].sibling : 0;
	}
	/* Given up in the middle: nothing stays open. */
	for (; ret && path; path = hist_path(builder, path)->parent)
		builder->open[hist_path_fkey(builder, path)] = 0;
	return ret;
}
