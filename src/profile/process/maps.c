/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* A node is modified only by a space that is its sole owner, which means that the node and all its
 * ancestors have a single reference. */
struct tally_maps_node {
	struct tally_mapping map;
	struct tally_maps_node *left, *right;
	uint32_t refs;
	uint32_t rank; /* random; no descendant has a greater rank */
};

static const struct tally_mapping nothing;

/* Index of spaces in which no address has been looked up. It is never written to: see
 * index_unshare(). */
static const struct tally_maps_index no_index = {
	.hints = {[0 ... TALLY_MAPS_HINTS - 1] = &nothing},
};

/* ---- nodes --------------------------------------------------------------- */

static struct tally_maps_node *node_new(const struct tally_mapping *map)
{
	struct tally_maps_node *node = malloc(sizeof(*node));

	if (node)
		*node = (struct tally_maps_node){
			.map = *map,
			.refs = 1,
			.rank = (uint32_t)tally_hash_u64((uintptr_t)node, 0),
		};
	return node;
}

static struct tally_maps_node *node_get(struct tally_maps_node *node)
{
	if (node)
		node->refs++;
	return node;
}

static void node_put(struct tally_maps_node *node)
{
	if (!node || --node->refs)
		return;
	node_put(node->left);
	node_put(node->right);
	free(node);
}

/* Return the node if it is not shared, otherwise a copy. When out of memory, release the reference
 * and return NULL. */
static struct tally_maps_node *node_unshare(struct tally_maps_node *node)
{
	struct tally_maps_node *copy;

	if (node->refs == 1)
		return node;
	copy = malloc(sizeof(*copy));
	if (copy) {
		*copy = *node;
		copy->refs = 1;
		node_get(copy->left);
		node_get(copy->right);
	}
	node_put(node);
	return copy;
}

/* Split a tree into mappings that start below `addr` and the remaining mappings. The tree is
 * consumed. Return 0, or -ENOMEM, in which case both results are valid trees, but some mappings are
 * missing. */
static int tree_split(struct tally_maps_node *node, uint64_t addr,
		      struct tally_maps_node **ret_below, struct tally_maps_node **ret_rest)
{
	int ret = 0;

	while (node && !ret) {
		node = node_unshare(node);
		if (!node) {
			ret = -ENOMEM;
		} else if (node->map.start < addr) {
			*ret_below = node;
			ret_below = &node->right;
			node = node->right;
		} else {
			*ret_rest = node;
			ret_rest = &node->left;
			node = node->left;
		}
	}
	*ret_below = *ret_rest = NULL;
	return ret;
}

/* Join two trees, which are consumed. All of `right` must be after `left`. Errors are the same as
 * for tree_split(). */
static int tree_join(struct tally_maps_node *left, struct tally_maps_node *right,
		     struct tally_maps_node **ret_tree)
{
	while (left && right) {
		bool is_left = left->rank > right->rank;
		struct tally_maps_node **from = is_left ? &left : &right;
		struct tally_maps_node *top = node_unshare(*from);

		*ret_tree = top;
		if (!top) {
			node_put(is_left ? right : left);
			return -ENOMEM;
		}
		ret_tree = is_left ? &top->right : &top->left;
		*from = *ret_tree;
	}
	*ret_tree = left ? left : right;
	return 0;
}

static const struct tally_maps_node *tree_last(const struct tally_maps_node *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

/* Truncate the last mapping in a tree at `end`. Returns 0 or -ENOMEM. */
static int tree_cut(struct tally_maps_node **tree, uint64_t end)
{
	for (; (*tree = node_unshare(*tree)); tree = &(*tree)->right) {
		if (!(*tree)->right) {
			(*tree)->map.end = end;
			return 0;
		}
	}
	return -ENOMEM;
}

/* ---- spaces -------------------------------------------------------------- */

struct tally_maps *tally_maps_new(uint64_t *next_space)
{
	struct tally_maps *maps = calloc(1, sizeof(*maps));

	if (maps) {
		maps->refs = 1;
		maps->space = (*next_space)++;
		maps->index = (struct tally_maps_index *)&no_index;
	}
	return maps;
}

struct tally_maps *tally_maps_get(struct tally_maps *maps)
{
	maps->refs++;
	return maps;
}

static void index_clear(struct tally_maps_index *index)
{
	free(index->all);
	*index = no_index;
}

void tally_maps_put(struct tally_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	node_put(maps->root);
	if (maps->index != &no_index) {
		index_clear(maps->index);
		free(maps->index);
	}
	free(maps);
}

/* Unshare `*maps`, and ensure that it has an ID that no look-up has used. */
static int maps_make_writable(struct tally_maps **maps, uint64_t *next_space)
{
	struct tally_maps *copy;

	if ((*maps)->refs > 1) {
		copy = tally_maps_new(next_space);
		if (!copy)
			return -ENOMEM;
		copy->root = node_get((*maps)->root);
		copy->nr = (*maps)->nr;
		tally_maps_put(*maps);
		*maps = copy;
		return 0;
	}
	if ((*maps)->was_read) {
		(*maps)->space = (*next_space)++;
		(*maps)->was_read = false;
	}
	if ((*maps)->index != &no_index)
		index_clear((*maps)->index);
	return 0;
}

/* Truncate the mapping that precedes `map`, and set `*ret_rest` to the part of it after `map`. */
static int cut_before(struct tally_maps_node **before, const struct tally_mapping *map,
		      struct tally_mapping *ret_rest)
{
	const struct tally_maps_node *last = tree_last(*before);

	if (!last || last->map.end <= map->start)
		return 0;
	if (last->map.end > map->end)
		*ret_rest = last->map;
	return tree_cut(before, map->start);
}

/* Add `map` after `*tree`, unless it is empty. Returns 0 or -ENOMEM. */
static int tree_append(struct tally_maps_node **tree, const struct tally_mapping *map)
{
	struct tally_maps_node *node;

	if (map->start >= map->end)
		return 0;
	node = node_new(map);
	return node ? tree_join(*tree, node, tree) : -ENOMEM;
}

int tally_maps_insert(struct tally_maps **maps, const struct tally_mapping *map,
		      uint64_t *next_space)
{
	struct tally_maps_node *before = NULL, *covered = NULL, *behind = NULL;
	struct tally_mapping rest = {0};
	const struct tally_maps_node *last;
	int ret, joined;

	if (map->start >= map->end)
		return 0;
	ret = maps_make_writable(maps, next_space);
	if (ret)
		return ret;
	ret = tree_split((*maps)->root, map->start, &before, &covered);
	if (!ret)
		ret = tree_split(covered, map->end, &covered, &behind);
	last = tree_last(covered);
	if (last && last->map.end > map->end)
		rest = last->map;
	if (!ret)
		ret = cut_before(&before, map, &rest);
	rest.start = map->end;
	node_put(covered);
	if (!ret)
		ret = tree_append(&before, map);
	if (!ret)
		ret = tree_append(&before, &rest);
	joined = tree_join(before, behind, &(*maps)->root);
	(*maps)->nr += 2;
	return ret ? ret : joined;
}

static void tree_walk(struct tally_maps_node *node,
		      void (*fn)(void *arg, struct tally_mapping *map), void *arg)
{
	for (; node; node = node->right) {
		tree_walk(node->left, fn, arg);
		fn(arg, &node->map);
	}
}

void tally_maps_walk(struct tally_maps *maps, void (*fn)(void *arg, struct tally_mapping *map),
		     void *arg)
{
	/* The cached copies of location keys are now stale. */
	if (maps->index != &no_index)
		index_clear(maps->index);
	tree_walk(maps->root, fn, arg);
}

/* ---- looking up ---------------------------------------------------------- */

static struct tally_maps_index *index_unshare(struct tally_maps *maps)
{
	struct tally_maps_index *index = maps->index;

	if (index != &no_index)
		return index;
	index = malloc(sizeof(*index));
	if (!index)
		return NULL;
	*index = no_index;
	maps->index = index;
	return index;
}

static void count_map(void *arg, struct tally_mapping *map)
{
	++*(size_t *)arg;
}

static void index_add(void *arg, struct tally_mapping *map)
{
	struct tally_maps *maps = arg;

	maps->index->all[maps->nr++] = *map;
}

/* Build the sorted array of mappings. Called once there have been as many look-ups in the tree as
 * there are mappings, counting mappings that have since been covered by others. When out of memory,
 * look-ups continue to use the tree. */
static void index_make(struct tally_maps *maps)
{
	struct tally_maps_index *index = maps->index;
	size_t nr = 0;

	index->looks = 0;
	tree_walk(maps->root, count_map, &nr);
	index->all = malloc(nr * sizeof(*index->all));
	maps->nr = nr;
	if (!index->all)
		return;
	maps->nr = 0;
	tree_walk(maps->root, index_add, maps);
}

/* Neighbours of an address: the mapping that starts at or before it, and the start of the next
 * mapping. */
struct map_place {
	const struct tally_mapping *map; /* NULL if there is no such mapping */
	uint64_t next;
};

static struct map_place place_in_array(const struct tally_maps *maps, uint64_t addr)
{
	const struct tally_mapping *at = maps->index->all, *end = at + maps->nr;

	if (addr < at->start)
		return (struct map_place){NULL, at->start};
	/* Binary search without branches, because the CPU could not predict them. */
	for (size_t nr = maps->nr; nr > 1; nr -= nr / 2)
		at += at[nr / 2].start <= addr ? nr / 2 : 0;
	return (struct map_place){at, at + 1 < end ? at[1].start : UINT64_MAX};
}

static struct map_place place_in_tree(const struct tally_maps *maps, uint64_t addr)
{
	const struct tally_maps_node *node = maps->root;
	struct map_place place = {NULL, UINT64_MAX};

	while (node) {
		if (node->map.start <= addr) {
			place.map = &node->map;
			node = node->right;
		} else {
			place.next = node->map.start;
			node = node->left;
		}
	}
	return place;
}

const struct tally_mapping *tally_maps_search(struct tally_maps *maps, uint64_t addr)
{
	unsigned hint = tally_maps_hint(addr);
	struct tally_maps_index *index;
	struct map_place place;

	/* Addresses between two mappings are cached, because they also recur. */
	if (!maps->root ||
	    (addr >= maps->index->gaps[hint].start && addr < maps->index->gaps[hint].end))
		return NULL;
	index = index_unshare(maps);
	if (index && !index->all && ++index->looks > maps->nr)
		index_make(maps);
	place = index && index->all ? place_in_array(maps, addr) : place_in_tree(maps, addr);
	if (place.map && addr < place.map->end) {
		if (index)
			index->hints[hint] = place.map;
		return place.map;
	}
	if (index) {
		index->gaps[hint].start = place.map ? place.map->end : 0;
		index->gaps[hint].end = place.next;
	}
	return NULL;
}
