/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare the heap with a linear search. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/heap.h"

enum { NODES = 200, STEPS = 200000 };

static struct tally_heap heap;
static struct tally_heap_node nodes[NODES];

static uint32_t random_below(uint32_t limit)
{
	static uint64_t seed = 20261123;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % limit;
}

static uint64_t least_key(uint32_t *ret_nr)
{
	uint64_t least = UINT64_MAX;

	*ret_nr = 0;
	for (int i = 0; i < NODES; i++) {
		if (!tally_heap_has(&nodes[i]))
			continue;
		++*ret_nr;
		least = nodes[i].key < least ? nodes[i].key : least;
	}
	return least;
}

/* Check that each node below `node` has the right parent and a key that is not smaller than its
 * parent's. Adds the number of nodes reached to `*nr`, and returns the depth. */
static uint32_t check_below(const struct tally_heap_node *node, uint32_t *nr)
{
	const struct tally_heap_node *branches[] = {node->left, node->right};
	uint32_t depth = 0;

	++*nr;
	for (int i = 0; i < 2; i++) {
		uint32_t below;

		if (!branches[i])
			continue;
		assert_ptr_equal(branches[i]->parent, node);
		assert_true(branches[i]->key >= node->key);
		below = check_below(branches[i], nr);
		depth = below > depth ? below : depth;
	}
	return depth + 1;
}

static void check(void)
{
	uint32_t nr, reached = 0;
	uint64_t least = least_key(&nr);

	assert_int_equal(heap.nr, nr);
	if (!nr) {
		assert_null(heap.least);
		return;
	}
	assert_null(heap.least->parent);
	assert_int_equal(heap.least->key, least);
	/* No path is longer than in a complete tree. */
	assert_in_range(check_below(heap.least, &reached), 1, 32 - __builtin_clz(nr));
	assert_int_equal(reached, nr);
}

static void step(uint32_t keys)
{
	struct tally_heap_node *node = &nodes[random_below(NODES)];

	if (heap.least && !random_below(4))
		node = heap.least;
	if (tally_heap_has(node)) {
		tally_heap_remove(&heap, node);
		assert_false(tally_heap_has(node));
	} else {
		node->key = random_below(keys);
		tally_heap_add(&heap, node);
	}
}

/* First use only a few different keys, so that many nodes have equal keys, and then many different
 * ones. */
static void the_heap_agrees_with_a_linear_search(void **state)
{
	for (int i = 0; i < NODES; i++)
		tally_heap_node_init(&nodes[i]);
	for (uint32_t i = 0; i < STEPS; i++) {
		step(i < STEPS / 2 ? 10 : UINT32_MAX);
		if (i % 16 == 0 || heap.nr < 4)
			check();
	}
	while (heap.least) {
		tally_heap_remove(&heap, heap.least);
		check();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_heap_agrees_with_a_linear_search)};

	return cmocka_run_group_tests_name("core/heap", tests, NULL, NULL);
}
