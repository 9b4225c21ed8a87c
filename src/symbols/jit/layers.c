/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/jit/layers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"

enum { LAYERS_MAX = 1 << 28 };

/* State while building layers. */
struct layers_builder {
	const char *list;
	size_t stride, nr;
	struct tally_layers made;
	uint32_t *pieces; /* for each range: its first piece, and the piece after its last */
};

static const struct tally_layer *layer_at(const struct layers_builder *builder, size_t i)
{
	return (const struct tally_layer *)(builder->list + i * builder->stride);
}

static int compare_bounds(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Sort the bounds. Most compilers fill memory in ascending order, so the bounds are often sorted
 * already. */
static void bounds_sort(uint64_t *bounds, size_t nr)
{
	size_t i = 1;

	while (i < nr && bounds[i - 1] <= bounds[i])
		i++;
	if (i < nr)
		qsort(bounds, nr, sizeof(*bounds), compare_bounds);
}

static int bounds_gather(struct layers_builder *builder)
{
	struct tally_layers *made = &builder->made;
	size_t nr = 0;

	made->bounds = malloc(2 * builder->nr * sizeof(*made->bounds));
	if (!made->bounds)
		return -ENOMEM;
	for (size_t i = 0; i < builder->nr; i++) {
		made->bounds[nr++] = layer_at(builder, i)->start;
		made->bounds[nr++] = layer_at(builder, i)->end;
	}
	bounds_sort(made->bounds, nr);
	for (size_t i = 0; i < nr; i++) {
		if (!i || made->bounds[i] != made->bounds[made->nr_bounds - 1])
			made->bounds[made->nr_bounds++] = made->bounds[i];
	}
	return 0;
}

/* Return the number of bounds that are at or below `addr`. */
static size_t bounds_until(const struct tally_layers *layers, uint64_t addr)
{
	size_t low = 0, high = layers->nr_bounds;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (layers->bounds[mid] <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t nr_leaves(const struct tally_layers *layers)
{
	return layers->nr_bounds - 1;
}

/* Return the index of the bound `addr`. `hint` may be the index of the preceding bound. */
static uint32_t bound_number(const struct tally_layers *layers, uint64_t addr, uint32_t hint)
{
	if (hint + 1 < layers->nr_bounds && layers->bounds[hint + 1] == addr)
		return hint + 1;
	return (uint32_t)bounds_until(layers, addr) - 1;
}

static int pieces_find(struct layers_builder *builder)
{
	uint32_t last = 0;

	builder->pieces = malloc(2 * builder->nr * sizeof(*builder->pieces));
	if (!builder->pieces)
		return -ENOMEM;
	for (size_t i = 0; i < builder->nr; i++) {
		const struct tally_layer *layer = layer_at(builder, i);

		last = bound_number(&builder->made, layer->start, last);
		builder->pieces[2 * i] = last;
		last = bound_number(&builder->made, layer->end, last);
		builder->pieces[2 * i + 1] = last;
	}
	return 0;
}

/* Add range `i` to the nodes that together cover it. If `entries` is NULL, only count it in
 * `firsts`. Otherwise store it; `firsts` has the index of each node's next entry. Returns the
 * number of nodes. */
static size_t layer_enter(const struct layers_builder *builder, size_t i, uint32_t *firsts,
			  uint32_t *entries)
{
	size_t left = builder->pieces[2 * i] + nr_leaves(&builder->made);
	size_t right = builder->pieces[2 * i + 1] + nr_leaves(&builder->made), nr = 0;

	for (; left < right; left /= 2, right /= 2) {
		size_t nodes[2] = {left & 1 ? left++ : 0, right & 1 ? --right : 0};

		for (int side = 0; side < 2; side++) {
			if (!nodes[side])
				continue;
			nr++;
			if (entries)
				entries[firsts[nodes[side]]] = (uint32_t)i;
			firsts[nodes[side]]++;
		}
	}
	return nr;
}

/* Convert the entry counts of nodes to the index of each node's first entry. */
static void firsts_sum(uint32_t *firsts, size_t nr)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t count = firsts[i];

		firsts[i] = sum;
		sum += count;
	}
}

static int layers_enter(struct layers_builder *builder)
{
	struct tally_layers *made = &builder->made;
	size_t nodes = 2 * nr_leaves(made), nr = 0;

	made->firsts = calloc(nodes + 1, sizeof(*made->firsts));
	if (!made->firsts)
		return -ENOMEM;
	for (size_t i = 0; i < builder->nr; i++) {
		nr += layer_enter(builder, i, made->firsts, NULL);
		if (nr >= UINT32_MAX)
			return -EFBIG;
	}
	made->entries = malloc(nr * sizeof(*made->entries));
	if (!made->entries)
		return -ENOMEM;
	firsts_sum(made->firsts, nodes + 1);
	for (size_t i = 0; i < builder->nr; i++)
		layer_enter(builder, i, made->firsts, made->entries);
	/* Each value is now the index of the next node's first entry, so shift the values by
	 * one. */
	for (size_t i = nodes; i > 0; i--)
		made->firsts[i] = made->firsts[i - 1];
	made->firsts[0] = 0;
	return 0;
}

int tally_layers_build(const struct tally_layer *list, size_t stride, size_t nr,
		       struct tally_layers *ret_layers)
{
	struct layers_builder builder = {.list = (const char *)list, .stride = stride, .nr = nr};
	int ret = nr > LAYERS_MAX ? -EFBIG : 0;

	if (!nr) {
		*ret_layers = (struct tally_layers){0};
		return 0;
	}
	if (!ret)
		ret = bounds_gather(&builder);
	if (!ret)
		ret = pieces_find(&builder);
	if (!ret)
		ret = layers_enter(&builder);
	free(builder.pieces);
	if (ret)
		tally_layers_free(&builder.made);
	else
		*ret_layers = builder.made;
	return ret;
}

/* Return how many of a node's entries are less than `before`. */
static uint32_t entries_until(const uint32_t *entries, uint32_t nr, uint32_t before)
{
	uint32_t low = 0, high = nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (entries[mid] < before)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct tally_layers_found tally_layers_find(const struct tally_layers *layers, uint64_t addr,
					    uint32_t before)
{
	struct tally_layers_found found = {TALLY_LAYER_NONE, TALLY_LAYER_NONE, 0};
	size_t until = layers->nr_bounds ? bounds_until(layers, addr) : 0;

	if (!until || until == layers->nr_bounds)
		return found;
	for (size_t node = until - 1 + nr_leaves(layers); node; node /= 2) {
		const uint32_t *entries = layers->entries + layers->firsts[node];
		uint32_t nr = layers->firsts[node + 1] - layers->firsts[node];
		uint32_t at = entries_until(entries, nr, before);

		found.below += at;
		if (at && (found.number == TALLY_LAYER_NONE || entries[at - 1] > found.number))
			found.number = entries[at - 1];
		if (at < nr)
			found.next = TALLY_MIN(found.next, entries[at]);
	}
	found.below -= found.number != TALLY_LAYER_NONE;
	return found;
}

void tally_layers_free(struct tally_layers *layers)
{
	free(layers->bounds);
	free(layers->firsts);
	free(layers->entries);
	*layers = (struct tally_layers){0};
}
