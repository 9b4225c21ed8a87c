/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Grows call graphs.
 *
 * A node of a graph represents a set of places in the tree of paths. Its children are found by
 * moving one step from each place, to the callees or to the caller, and merging the places that
 * reach the same function. Only children heavy enough to be shown are expanded, so the work is
 * limited by the size of the displayed graph, not by the number of different paths.
 */
#include "profile/graph/grow.h"

int hist_graph_new(struct hist_builder *builder, uint32_t frame, uint32_t *ret_node)
{
	size_t node = builder->hist->graph.len;

	if (node >= UINT32_MAX ||
	    tally_vec_push(&builder->hist->graph, (struct tally_graph_node){.frame = frame}))
		return -ENOMEM;
	*ret_node = (uint32_t)node;
	return 0;
}

/* Return the child of `node` for a frame, creating it if it is new. */
static int grower_child(struct hist_grower *grower, uint32_t node, uint32_t frame,
			uint32_t *ret_child)
{
	uint64_t known = tally_map_get(&grower->by_frame, (uint64_t)node << 32 | frame);
	struct tally_graph_node *nodes;
	int ret;

	if (known != TALLY_MAP_NONE) {
		*ret_child = (uint32_t)known;
		return 0;
	}
	ret = hist_graph_new(grower->builder, frame, ret_child);
	if (!ret)
		ret = tally_vec_push(&grower->heads, 0);
	if (ret)
		return ret;
	nodes = grower->builder->hist->graph.data;
	nodes[*ret_child].next_sibling = nodes[node].first_child;
	nodes[node].first_child = *ret_child;
	return tally_map_set(&grower->by_frame, (uint64_t)node << 32 | frame, *ret_child);
}

int hist_grower_add(struct hist_grower *grower, uint32_t node, struct hist_position place)
{
	uint32_t child, *head, frame = hist_path(grower->builder, place.path)->frame;
	struct tally_graph_node *at;
	int ret;

	if (frame == hist_light_frame(grower->builder))
		return 0;
	if (grower->builder->functions)
		frame = grower->builder->functions[frame];
	ret = grower_child(grower, node, frame, &child);
	if (ret)
		return ret;
	at = &grower->builder->hist->graph.data[child];
	at->period += place.period;
	at->nr += place.nr;
	/* Count all samples at the place as ending here; grower_go() subtracts the samples that
	 * continue. */
	at->self += place.period;
	at->self_nr += place.nr;
	head = &grower->heads.data[child - grower->root - 1];
	place.next = *head;
	ret = tally_vec_push(&grower->places, place);
	*head = (uint32_t)grower->places.len;
	return ret;
}

/* Move from `node` to a place one step further. */
static int grower_go(struct hist_grower *grower, uint32_t node, struct hist_position place)
{
	struct tally_graph_node *from = &grower->builder->hist->graph.data[node];

	from->self -= place.period;
	from->self_nr -= place.nr;
	return hist_grower_add(grower, node, place);
}

/* Move one step from a place. */
static int grower_step(struct hist_grower *grower, uint32_t node, struct hist_position place)
{
	const struct path_sum *sums;
	int ret = 0;

	if (!grower->downwards) {
		place.path = hist_path(grower->builder, place.path)->parent;
		return place.path ? grower_go(grower, node, place) : 0;
	}
	sums = place.sums->at.data;
	for (place.path = sums[place.path].first_child; place.path && !ret;
	     place.path = sums[place.path].sibling) {
		place.period = sums[place.path].period;
		place.nr = sums[place.path].nr;
		if (place.nr)
			ret = grower_go(grower, node, place);
	}
	return ret;
}

/* Expand the nodes in a loop instead of recursively, because graphs can be deep. Nodes are numbered
 * in the order in which they are visited, and no places are added to a node after it has been
 * visited. */
int hist_grower_grow(struct hist_grower *grower)
{
	int ret = 0;

	for (uint32_t i = 0; i < grower->heads.len && !ret; i++) {
		uint32_t node = grower->root + 1 + i, at = grower->heads.data[i];

		if (grower->builder->hist->graph.data[node].period <
		    grower->builder->options->graph_min)
			continue;
		while (at && !ret) {
			struct hist_position place = grower->places.data[at - 1];

			ret = grower_step(grower, node, place);
			at = place.next;
		}
	}
	return ret;
}

void hist_grower_free(struct hist_grower *grower)
{
	tally_vec_free(&grower->places);
	tally_vec_free(&grower->heads);
	tally_map_free(&grower->by_frame);
}
