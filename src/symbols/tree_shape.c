/* SPDX-License-Identifier: BSD-2-Clause */
/* Red-black tree as in Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms". Sides are
 * array indices, so symmetric cases share their code. */
#include "symbols/tree_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE TALLY_SHAPE_NONE

enum { LEFT, RIGHT };

int tally_shape_init(struct tally_shape *shape, uint32_t nr)
{
	size_t bytes = ((size_t)nr + 1) * sizeof(uint32_t);
	struct tally_shape made = {
		.child = {malloc(bytes), malloc(bytes)},
		.parent = malloc(bytes),
		.red = malloc((size_t)nr + 1),
		.root = NONE,
		.nr = nr,
	};

	if (!made.child[0] || !made.child[1] || !made.parent || !made.red) {
		tally_shape_free(&made);
		return -ENOMEM;
	}
	*shape = made;
	return 0;
}

static bool is_red(const struct tally_shape *s, uint32_t key)
{
	return key != NONE && s->red[key];
}

/* Return the side on which `key` is a child of its parent. */
static int side_of(const struct tally_shape *s, uint32_t key)
{
	return s->child[RIGHT][s->parent[key]] == key;
}

/* Replace `old` with `now` (or NONE) as a child of the parent of `old`. */
static void replace(struct tally_shape *s, uint32_t old, uint32_t now)
{
	uint32_t parent = s->parent[old];

	if (parent == NONE)
		s->root = now;
	else
		s->child[side_of(s, old)][parent] = now;
	if (now != NONE)
		s->parent[now] = parent;
}

/* Rotate `key` down to `side`. The child on the other side takes its position. */
static void rotate(struct tally_shape *s, uint32_t key, int side)
{
	uint32_t up = s->child[!side][key];
	uint32_t moved = s->child[side][up];

	s->child[!side][key] = moved;
	if (moved != NONE)
		s->parent[moved] = key;
	replace(s, key, up);
	s->child[side][up] = key;
	s->parent[key] = up;
}

static void insert_fixup(struct tally_shape *s, uint32_t key)
{
	uint32_t parent, grand, uncle;
	int side;

	while (is_red(s, parent = s->parent[key])) {
		grand = s->parent[parent]; /* a red node has a parent */
		side = side_of(s, parent);
		uncle = s->child[!side][grand];
		if (is_red(s, uncle)) {
			s->red[parent] = s->red[uncle] = false;
			s->red[grand] = true;
			key = grand;
			continue;
		}
		if (side_of(s, key) != side) {
			rotate(s, parent, side);
			key = parent;
			parent = s->parent[key];
		}
		s->red[parent] = false;
		s->red[grand] = true;
		rotate(s, grand, !side);
	}
	s->red[s->root] = false;
}

void tally_shape_insert(struct tally_shape *shape, uint32_t key)
{
	uint32_t parent = NONE, at = shape->root;

	while (at != NONE) {
		parent = at;
		at = shape->child[key > at][at];
	}
	shape->child[LEFT][key] = shape->child[RIGHT][key] = NONE;
	shape->parent[key] = parent;
	shape->red[key] = true;
	if (parent == NONE)
		shape->root = key;
	else
		shape->child[key > parent][parent] = key;
	insert_fixup(shape, key);
}

/* Rebalance the tree if the (possibly empty) subtree on `side` of `parent` is one black node
 * short. */
static void remove_fixup(struct tally_shape *s, uint32_t parent, int side)
{
	uint32_t sibling, at = s->child[side][parent];

	while (!is_red(s, at) && parent != NONE) {
		sibling = s->child[!side][parent];
		if (is_red(s, sibling)) {
			s->red[sibling] = false;
			s->red[parent] = true;
			rotate(s, parent, side);
			sibling = s->child[!side][parent];
		}
		if (is_red(s, s->child[!side][sibling]) || is_red(s, s->child[side][sibling])) {
			if (!is_red(s, s->child[!side][sibling])) {
				s->red[s->child[side][sibling]] = false;
				s->red[sibling] = true;
				rotate(s, sibling, !side);
				sibling = s->child[!side][parent];
			}
			s->red[sibling] = s->red[parent];
			s->red[parent] = false;
			s->red[s->child[!side][sibling]] = false;
			rotate(s, parent, side);
			return;
		}
		s->red[sibling] = true;
		at = parent;
		parent = s->parent[at];
		if (parent != NONE)
			side = side_of(s, at);
	}
	if (at != NONE)
		s->red[at] = false;
}

/* Replace `key`, which has two children, with its successor. Returns the parent of the gap left by
 * the successor. Also gets the gap's side and the successor's color. */
static uint32_t remove_inner(struct tally_shape *s, uint32_t key, int *ret_side, bool *ret_red)
{
	uint32_t next = s->child[RIGHT][key], gap;

	while (s->child[LEFT][next] != NONE)
		next = s->child[LEFT][next];
	*ret_red = s->red[next];
	if (s->parent[next] == key) {
		gap = next;
		*ret_side = RIGHT;
	} else {
		gap = s->parent[next];
		*ret_side = LEFT;
		replace(s, next, s->child[RIGHT][next]);
		s->child[RIGHT][next] = s->child[RIGHT][key];
		s->parent[s->child[RIGHT][next]] = next;
	}
	replace(s, key, next);
	s->child[LEFT][next] = s->child[LEFT][key];
	s->parent[s->child[LEFT][next]] = next;
	s->red[next] = s->red[key];
	return gap;
}

void tally_shape_remove(struct tally_shape *shape, uint32_t key)
{
	uint32_t left = shape->child[LEFT][key], right = shape->child[RIGHT][key];
	uint32_t gap = shape->parent[key];
	bool red = shape->red[key];
	int side = gap == NONE ? LEFT : side_of(shape, key);

	if (left != NONE && right != NONE)
		gap = remove_inner(shape, key, &side, &red);
	else
		replace(shape, key, left == NONE ? right : left);
	if (red)
		return;
	if (gap != NONE)
		remove_fixup(shape, gap, side);
	else if (shape->root != NONE)
		shape->red[shape->root] = false;
}

void tally_shape_free(struct tally_shape *shape)
{
	if (!shape)
		return;
	free(shape->child[0]);
	free(shape->child[1]);
	free(shape->parent);
	free(shape->red);
	*shape = (struct tally_shape){0};
}
