/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/graph/calltree.h"

#include <string.h>

#include "base/arith.h"

/* A chain, and the position of the current node in it. While the node's children are being found,
 * `child` is the index + 1 of the child in which the chain continues. */
struct item {
	uint32_t chain;
	int32_t at;
	uint32_t child;
};

/* A child of the current node. */
struct child {
	uint32_t frame;
	uint32_t first, nr; /* range of the child's items */
	uint64_t period, nr_samples;
};

/* The range of a node's items, and the node's level below the root. */
struct node_range {
	uint32_t first, last, depth;
};

struct grower {
	const struct tally_chains *chains;
	const struct tally_calltree_options *options;
	struct tally_calltree *tree;
	TALLY_VEC(struct item) items;
	struct item *sorted; /* scratch space for sorting the items */
	uint32_t *child_of;  /* indexed by frame: index + 1 of the current node's child */
	TALLY_VEC(struct child) children;
	TALLY_VEC(struct node_range) ranges; /* item range of each node */
	uint64_t min;                        /* the greater of `min` and the limit from `parts` */
};

static const struct tally_chain *item_chain(const struct grower *grower, const struct item *item)
{
	return &grower->chains->all.data[item->chain];
}

/* Move to the next position, skipping `frame` if recursion is collapsed. Return the function at
 * that position, or TALLY_FRAME_NONE after the end of the chain. */
static uint32_t item_step(const struct grower *grower, struct item *item, uint32_t frame)
{
	const struct tally_chain *chain = item_chain(grower, item);
	int32_t way = grower->options->way == TALLY_CALLTREE_CALLEES ? -1 : 1;
	int32_t length = (int32_t)tally_chain_length(grower->chains, chain);
	uint32_t function;

	do {
		item->at += way;
		if (item->at < 0 || item->at >= length)
			return TALLY_FRAME_NONE;
		function = tally_chain_function(grower->chains, chain, (uint32_t)item->at);
	} while (grower->options->collapses && function == frame);
	return function;
}

/* ---- start positions --------------------------------------------------------------- */

/* Set an item's initial position. Return false if the chain is not in the tree. */
static bool item_begin(const struct grower *grower, struct item *item)
{
	const struct tally_calltree_options *options = grower->options;
	const struct tally_chain *chain = item_chain(grower, item);
	bool inwards = options->way == TALLY_CALLTREE_CALLEES;
	uint32_t frame = options->function, found;

	item->at = inwards ? (int32_t)tally_chain_length(grower->chains, chain) : -1;
	if (frame != TALLY_FRAME_NONE) {
		found = tally_chain_find(grower->chains, chain, frame);
		if (found == UINT32_MAX)
			return false;
		item->at = (int32_t)found;
	}
	for (uint32_t i = 0; i < options->nr_prefix; i++) {
		if (item_step(grower, item, frame) != options->prefix[i])
			return false;
		frame = options->prefix[i];
	}
	return true;
}

static int items_begin(struct grower *grower, struct tally_graph_node *root)
{
	for (uint32_t i = 0; i < grower->chains->all.len; i++) {
		const struct tally_chain *chain = &grower->chains->all.data[i];
		struct item item = {.chain = i};

		if (!item_begin(grower, &item))
			continue;
		tally_sum_add(&root->period, chain->period);
		root->nr += chain->nr;
		if (tally_vec_push(&grower->items, item))
			return -ENOMEM;
	}
	return 0;
}

/* ---- one node ---------------------------------------------------------------------- */

static int child_count(struct grower *grower, struct item *item, uint32_t frame)
{
	const struct tally_chain *chain = item_chain(grower, item);
	uint32_t *number = &grower->child_of[frame];
	struct child *child;

	if (!*number) {
		if (tally_vec_push(&grower->children, (struct child){.frame = frame}))
			return -ENOMEM;
		*number = (uint32_t)grower->children.len;
	}
	item->child = *number;
	child = &grower->children.data[*number - 1];
	child->nr++;
	tally_sum_add(&child->period, chain->period);
	child->nr_samples += chain->nr;
	return 0;
}

/* Find the children in which a node's items continue. */
static int children_find(struct grower *grower, uint32_t node)
{
	struct node_range range = grower->ranges.data[node];
	int ret = 0;

	for (uint32_t i = range.first; i < range.last && !ret; i++) {
		struct item *item = &grower->items.data[i];
		struct tally_graph_node *from = &grower->tree->nodes.data[node];
		uint32_t frame = item_step(grower, item, from->frame);

		item->child = 0;
		if (frame != TALLY_FRAME_NONE) {
			ret = child_count(grower, item, frame);
			continue;
		}
		tally_sum_add(&from->self, item_chain(grower, item)->period);
		from->self_nr += item_chain(grower, item)->nr;
	}
	return ret;
}

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct child *children = arg, *x = &children[*(const uint32_t *)a],
			   *y = &children[*(const uint32_t *)b];

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Add nodes for the children that are heavy enough, heaviest first, and assign each one a range for
 * its items. */
static int children_add(struct grower *grower, uint32_t node, uint32_t *order)
{
	struct node_range range = grower->ranges.data[node];
	uint32_t at = range.first, *link;
	size_t nr = grower->children.len;

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	if (nr)
		qsort_r(order, nr, sizeof(*order), by_weight, grower->children.data);
	if (tally_vec_reserve(&grower->tree->nodes, grower->tree->nodes.len + nr) ||
	    tally_vec_reserve(&grower->ranges, grower->ranges.len + nr))
		return -ENOMEM;
	link = &grower->tree->nodes.data[node].first_child;
	for (uint32_t i = 0; i < nr; i++) {
		struct child *child = &grower->children.data[order[i]];
		struct tally_graph_node made = {
			.frame = child->frame, .period = child->period, .nr = child->nr_samples};

		child->first = UINT32_MAX;
		if (child->period < grower->min || !child->period) {
			grower->tree->nr_light++;
			continue;
		}
		child->first = at;
		at += child->nr;
		*link = (uint32_t)grower->tree->nodes.len;
		grower->ranges.data[grower->ranges.len++] =
			(struct node_range){child->first, at, range.depth + 1};
		grower->tree->nodes.data[grower->tree->nodes.len++] = made;
		link = &grower->tree->nodes.data[*link].next_sibling;
	}
	return 0;
}

/* Group the items by child. Items of children that are left out are dropped. */
static void items_sort(struct grower *grower, uint32_t node)
{
	struct node_range range = grower->ranges.data[node];
	uint32_t end = range.first;

	for (uint32_t i = range.first; i < range.last; i++) {
		const struct item *item = &grower->items.data[i];
		struct child *child = item->child ? &grower->children.data[item->child - 1] : NULL;

		if (!child || child->first == UINT32_MAX)
			continue;
		grower->sorted[child->first++] = *item;
		end++;
	}
	if (end > range.first)
		memcpy(&grower->items.data[range.first], &grower->sorted[range.first],
		       (end - range.first) * sizeof(*grower->sorted));
}

static int node_grow(struct grower *grower, uint32_t node)
{
	uint32_t *order;
	int ret = children_find(grower, node);

	order = ret ? NULL : malloc((grower->children.len + 1) * sizeof(*order));
	if (!ret)
		ret = order ? children_add(grower, node, order) : -ENOMEM;
	if (!ret)
		items_sort(grower, node);
	free(order);
	tally_vec_for_each (child, &grower->children)
		grower->child_of[child->frame] = 0;
	grower->children.len = 0;
	return ret;
}

/* ---- the tree ---------------------------------------------------------------------- */

/* Grow the tree. Nodes are numbered in the order in which they are grown, level by level. */
static int grow(struct grower *grower)
{
	const struct tally_calltree_options *options = grower->options;
	uint32_t root_frame =
		options->nr_prefix ? options->prefix[options->nr_prefix - 1] : options->function;
	struct tally_graph_node root = {.frame = root_frame};
	int ret = items_begin(grower, &root);

	grower->min = options->min;
	if (options->parts)
		grower->min = TALLY_MAX(grower->min, root.period / options->parts);
	if (!ret)
		ret = tally_vec_push(&grower->tree->nodes, root);
	if (!ret)
		ret = tally_vec_push(&grower->ranges,
				     (struct node_range){0, (uint32_t)grower->items.len, 0});
	grower->sorted = malloc((grower->items.len + 1) * sizeof(*grower->sorted));
	grower->child_of =
		calloc(grower->chains->profile->frames.all.len + 1, sizeof(*grower->child_of));
	if (!ret && (!grower->sorted || !grower->child_of))
		ret = -ENOMEM;
	for (uint32_t i = 0; i < grower->tree->nodes.len && !ret; i++) {
		if (options->max_depth && grower->ranges.data[i].depth >= options->max_depth)
			break;
		ret = node_grow(grower, i);
	}
	return ret;
}

int tally_calltree_grow(const struct tally_chains *chains,
			const struct tally_calltree_options *options,
			struct tally_calltree *ret_tree)
{
	struct tally_calltree tree = {0};
	struct grower grower = {.chains = chains, .options = options, .tree = &tree};
	int ret = grow(&grower);

	tally_vec_free(&grower.items);
	free(grower.sorted);
	free(grower.child_of);
	tally_vec_free(&grower.children);
	tally_vec_free(&grower.ranges);
	if (ret)
		tally_calltree_free(&tree);
	else
		*ret_tree = tree;
	return ret;
}

void tally_calltree_free(struct tally_calltree *tree)
{
	tally_vec_free(&tree->nodes);
	*tree = (struct tally_calltree){0};
}
