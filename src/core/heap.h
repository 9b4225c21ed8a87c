/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intrusive heap with direct access to the node with the smallest key. Adding or removing a node
 * takes logarithmic time, whatever the order of insertion. The tree is always complete, so a node's
 * number determines its position.
 */
#ifndef TALLY_CORE_HEAP_H
#define TALLY_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* In a node that is not in a heap, both branches point to the node itself, as in an empty list. */
struct tally_heap_node {
	struct tally_heap_node *left, *right, *parent;
	uint64_t key; /* constant while the node is in a heap */
};

/* An all-zero struct is an empty heap. */
struct tally_heap {
	struct tally_heap_node *least; /* NULL if the heap is empty */
	uint32_t nr;
};

static inline bool tally_heap_has(const struct tally_heap_node *node)
{
	return node->left != node;
}

void tally_heap_node_init(struct tally_heap_node *node);

/* Add `node`, which must have its key set and must not be in a heap. */
void tally_heap_add(struct tally_heap *heap, struct tally_heap_node *node);

/* Remove `node`, which must be in this heap. */
void tally_heap_remove(struct tally_heap *heap, struct tally_heap_node *node);

#endif
