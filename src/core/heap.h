/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intrusive heap. The node with the smallest key is directly accessible. Adding or removing a node
 * takes logarithmic time, in any order of insertion. The tree is always complete, so the number of
 * a node gives its position.
 */
#ifndef TALLY_CORE_HEAP_H
#define TALLY_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* In a node that is in no heap, both branches point to the node itself, as in an empty list. */
struct tally_heap_node {
	struct tally_heap_node *left, *right, *parent;
	uint64_t key; /* constant while it is in a heap */
};

/* Zeroed: empty. */
struct tally_heap {
	struct tally_heap_node *least; /* NULL: empty */
	uint32_t nr;
};

static inline bool tally_heap_has(const struct tally_heap_node *node)
{
	return node->left != node;
}

void tally_heap_node_init(struct tally_heap_node *node);

/* Add `node`, which is in no heap and has its key set. */
void tally_heap_add(struct tally_heap *heap, struct tally_heap_node *node);

/* Remove `node`, which is in this heap. */
void tally_heap_remove(struct tally_heap *heap, struct tally_heap_node *node);

#endif
