/* SPDX-License-Identifier: BSD-2-Clause */
/* Function totals that include callees. A sample counts once for each function on its callchain,
 * including the function that was sampled. */
#include "base/arith.h"
#include "profile/hist_private.h"

/* Count bucket `i` for the row of `frame`, which is on the bucket's callchain, unless it has
 * already been counted for this row. `depth` is the number of frames that the callchain has in the
 * row's graph. */
static int count_on_chain(struct hist_builder *builder, size_t i, uint32_t frame, uint32_t depth)
{
	const struct tally_bucket *bucket = hist_bucket(builder, i);
	struct hist_last_seen *met = &builder->met[builder->fkeys[frame]];
	struct tally_row *row;
	uint32_t number;
	int ret = 0;

	if (met->bucket == i + 1) {
		row = &builder->hist->rows.data[met->row - 1];
		row->depth = TALLY_MAX(row->depth, depth);
		return 0;
	}
	met->bucket = (uint32_t)i + 1;
	if (!met->row) {
		ret = hist_row(builder, builder->buckets.data[i].group, frame, &number);
		if (!ret)
			ret = tally_vec_push(&builder->met_fkeys, builder->fkeys[frame]);
		if (ret)
			return ret;
		met->row = number + 1;
	}
	row = &builder->hist->rows.data[met->row - 1];
	tally_sum_add(&row->total, bucket->period);
	row->total_nr += bucket->nr;
	row->depth = TALLY_MAX(row->depth, depth);
	return 0;
}

static int count_callchain(struct hist_builder *builder, size_t i)
{
	const struct tally_bucket_key *key = &hist_bucket(builder, i)->key;
	struct tally_stack callers = tally_stacks_get(&builder->profile->stacks, key->callers);
	bool downwards = builder->options->order == TALLY_GRAPH_CALLER;
	uint32_t nr = callers.nr + (key->leaf != 0);
	int ret = 0;

	for (uint32_t at = 0; at < callers.nr && !ret; at++)
		ret = count_on_chain(builder, i, callers.frames[at],
				     downwards ? at + 2 : nr - at - 1);
	if (!ret && key->leaf)
		ret = count_on_chain(builder, i, key->leaf - 1, downwards ? 1 : nr);
	/* The sample's own function may be missing from the callchain, because there is no
	 * callchain or because of skid. Its row then gets the whole callchain. */
	return ret ? ret : count_on_chain(builder, i, key->frame, nr);
}

int hist_children(struct hist_builder *builder, size_t first, size_t last)
{
	int ret = 0;

	for (size_t i = first; i < last && !ret; i++)
		ret = count_callchain(builder, i);
	tally_vec_for_each (fkey, &builder->met_fkeys)
		builder->met[*fkey].row = 0;
	builder->met_fkeys.len = 0;
	return ret;
}
