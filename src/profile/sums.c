/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the tree of a group's paths. For a set of buckets, sums up the samples that pass through
 * each path. */
#include <string.h>

#include "profile/sums.h"

#include "base/arith.h"

/* ---- the tree -------------------------------------------------------------- */

/* Return true if a function is not heavy, so that no graph continues from it. Everything between
 * two heavy functions is then a single step. If rows do not include the cost of callees, any
 * function may be in a graph. */
static bool is_light(const struct hist_builder *builder, uint32_t frame)
{
	return builder->options->children && builder->options->graph_min &&
	       !builder->heavy_of[builder->fkeys[frame]];
}

static int path_step(struct hist_builder *builder, uint32_t frame, uint32_t *path)
{
	if (is_light(builder, frame)) {
		frame = hist_light_frame(builder);
		if (hist_path(builder, *path)->frame == frame)
			return 0;
	}
	return tally_paths_child(&builder->paths, *path, frame, path);
}

int hist_path_build(struct hist_builder *builder, size_t i)
{
	const struct tally_bucket_key *key = &hist_bucket(builder, i)->key;
	struct tally_stack callers = tally_stacks_get(&builder->profile->stacks, key->callers);
	uint32_t path = TALLY_PATH_NONE;
	int ret = 0;

	for (uint32_t at = callers.nr; at-- > 0 && !ret;)
		ret = path_step(builder, callers.frames[at], &path);
	if (!ret && key->leaf)
		ret = path_step(builder, key->leaf - 1, &path);
	builder->buckets.data[i].path = path;
	return ret;
}

/* ---- sums ------------------------------------------------------------------ */

int hist_sum_reach(const struct hist_builder *builder, struct path_sums *sums)
{
	size_t nr = builder->paths.all.len, had = sums->at.cap;
	int ret = tally_vec_reserve(&sums->at, nr);

	if (!ret && sums->at.cap > had)
		memset(&sums->at.data[had], 0, (sums->at.cap - had) * sizeof(*sums->at.data));
	return ret;
}

int hist_sum_add(struct hist_builder *builder, struct path_sums *sums, size_t i)
{
	const struct tally_bucket *bucket = hist_bucket(builder, i);

	for (uint32_t path = builder->buckets.data[i].path; path;
	     path = hist_path(builder, path)->parent) {
		struct path_sum *sum = &sums->at.data[path];

		if (!sum->nr && tally_vec_push(&sums->touched, path))
			return -ENOMEM;
		tally_sum_add(&sum->period, bucket->period);
		sum->nr += (uint32_t)bucket->nr;
	}
	return 0;
}

void hist_sum_subtract(struct hist_builder *builder, struct path_sums *sums, size_t i)
{
	const struct tally_bucket *bucket = hist_bucket(builder, i);

	for (uint32_t path = builder->buckets.data[i].path; path;
	     path = hist_path(builder, path)->parent) {
		sums->at.data[path].period -= bucket->period;
		sums->at.data[path].nr -= (uint32_t)bucket->nr;
	}
}

void hist_sum_restore(struct hist_builder *builder, struct path_sums *sums, size_t i)
{
	const struct tally_bucket *bucket = hist_bucket(builder, i);

	for (uint32_t path = builder->buckets.data[i].path; path;
	     path = hist_path(builder, path)->parent) {
		tally_sum_add(&sums->at.data[path].period, bucket->period);
		sums->at.data[path].nr += (uint32_t)bucket->nr;
	}
}

void hist_sum_link(struct hist_builder *builder, struct path_sums *sums)
{
	tally_vec_for_each (path, &sums->touched) {
		struct path_sum *parent = &sums->at.data[hist_path(builder, *path)->parent];

		sums->at.data[*path].sibling = parent->first_child;
		parent->first_child = *path;
	}
}

void hist_sum_clear(struct path_sums *sums)
{
	tally_vec_for_each (path, &sums->touched)
		sums->at.data[*path] = (struct path_sum){0};
	if (sums->at.cap)
		sums->at.data[0] = (struct path_sum){0};
	sums->touched.len = 0;
}

void hist_sum_free(struct path_sums *sums)
{
	tally_vec_free(&sums->at);
	tally_vec_free(&sums->touched);
}

int hist_walk(struct hist_builder *builder, struct path_sums *sums,
	      int (*visit)(struct hist_builder *builder, uint32_t path, bool outermost, void *arg),
	      void *arg)
{
	uint32_t path = hist_sum_root(sums);
	int ret = 0;

	while (path) {
		uint32_t *open = &builder->open[hist_path_fkey(builder, path)];

		ret = visit(builder, path, !*open, arg);
		if (ret)
			break;
		if (sums->at.data[path].first_child) {
			++*open;
			path = sums->at.data[path].first_child;
			continue;
		}
		/* Move up to the nearest path that has a next sibling. */
		while (path && !sums->at.data[path].sibling) {
			path = hist_path(builder, path)->parent;
			if (path)
				--builder->open[hist_path_fkey(builder, path)];
		}
		path = path ? sums->at.data[path].sibling : 0;
	}
	/* After an error, reset the counts of functions on the current path. */
	for (; ret && path; path = hist_path(builder, path)->parent)
		builder->open[hist_path_fkey(builder, path)] = 0;
	return ret;
}
