/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intrusive heap: the node with the least key is at hand, and adding or removing any node takes a
 * number of steps that grows with the logarithm of how many there are, whatever the order they come
 * in. The tree is always complete, so the number of a node says where it is.
 */
#ifndef TALLY_CORE_HEAP_H
#define TALLY_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* In no heap both branches lead back to the node itself, as the links of an empty list do. */
struct tally_heap_node {
	struct tally_heap_node *left, *right, *parent;
	uint64_t key; /* constant while it is in a heap */
};

/* Empty when zero. */
struct tally_heap {
	struct tally_heap_node *least; /* NULL: empty */
	uint32_t nr;
};

static inline bool tally_heap_has(const struct tally_heap_node *node)
{
	return node->left != node;
}

void tally_heap_node_init(struct tally_heap_node *node);

/* `node` is in no heap, its key is set. */
void tally_heap_add(struct tally_heap *heap, struct tally_heap_node *node);

/* `node` is in this heap. */
void tally_heap_remove(struct tally_heap *heap, struct tally_heap_node *node);

#endif
