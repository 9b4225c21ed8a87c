/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/heap.h"

#include <stddef.h>

/* Return the link to the node with this number, counted from 1 at the root. The bits below the
 * number's highest set bit are the path from the root: 0 is left, 1 is right. */
static struct tally_heap_node **link_by_number(struct tally_heap *heap, uint32_t number,
					       struct tally_heap_node **ret_parent)
{
	struct tally_heap_node **at = &heap->least, *parent = NULL;

	uint32_t bit = 1;

	while (bit <= number / 2)
		bit *= 2;
	while (bit /= 2) {
		parent = *at;
		at = number & bit ? &parent->right : &parent->left;
	}
	*ret_parent = parent;
	return at;
}

/* Return the link to a node. */
static struct tally_heap_node **link_to(struct tally_heap *heap, struct tally_heap_node *node)
{
	if (!node->parent)
		return &heap->least;
	return node->parent->left == node ? &node->parent->left : &node->parent->right;
}

static void set_parent(struct tally_heap_node *parent, struct tally_heap_node *child)
{
	if (child)
		child->parent = parent;
}

/* Put `node` in `other`'s position, with the given branches. */
static void node_replace(struct tally_heap *heap, struct tally_heap_node *node,
			 struct tally_heap_node *other, struct tally_heap_node *left,
			 struct tally_heap_node *right)
{
	*link_to(heap, other) = node;
	node->parent = other->parent;
	node->left = left;
	node->right = right;
	set_parent(node, left);
	set_parent(node, right);
}

/* Swap a node with its parent. */
static void swap_with_parent(struct tally_heap *heap, struct tally_heap_node *node)
{
	struct tally_heap_node *parent = node->parent, *left = node->left, *right = node->right;

	if (parent->left == node)
		node_replace(heap, node, parent, parent, parent->right);
	else
		node_replace(heap, node, parent, parent->left, parent);
	parent->left = left;
	parent->right = right;
	set_parent(parent, left);
	set_parent(parent, right);
}

static void sift_up(struct tally_heap *heap, struct tally_heap_node *node)
{
	while (node->parent && node->key < node->parent->key)
		swap_with_parent(heap, node);
}

static void sift_down(struct tally_heap *heap, struct tally_heap_node *node)
{
	struct tally_heap_node *below;

	/* The last level is filled from the left, so a node without a left branch has no right
	 * branch. */
	while ((below = node->left)) {
		if (node->right && node->right->key < below->key)
			below = node->right;
		if (below->key >= node->key)
			return;
		swap_with_parent(heap, below);
	}
}

void tally_heap_node_init(struct tally_heap_node *node)
{
	node->left = node->right = node;
}

void tally_heap_add(struct tally_heap *heap, struct tally_heap_node *node)
{
	struct tally_heap_node **at = link_by_number(heap, ++heap->nr, &node->parent);

	node->left = node->right = NULL;
	*at = node;
	sift_up(heap, node);
}

void tally_heap_remove(struct tally_heap *heap, struct tally_heap_node *node)
{
	struct tally_heap_node *parent, **at = link_by_number(heap, heap->nr--, &parent),
					*last = *at;

	*at = NULL;
	if (last != node) {
		node_replace(heap, last, node, node->left, node->right);
		sift_up(heap, last);
		sift_down(heap, last);
	}
	tally_heap_node_init(node);
}
