/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of rows: heaviest first. Among equals perf puts callers before what they call, where
 * graphs are shown, then what costs more itself, then names in their order; so do we.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "profile/hist_private.h"

/* What rows that weigh the same are told apart by. */
struct order_key {
	const struct tally_row *row;
	const char *comm, *label, *dso, *symbol; /* NULL where there is none */
	const struct tally_group *group;
	uint64_t addr;
	uint32_t depth; /* 0: no matter */
};

static int number_order(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Ascending; what has no name is last. */
static int name_order(const char *x, const char *y)
{
	if (x == y)
		return 0;
	if (!x || !y)
		return x ? -1 : 1;
	return strcmp(x, y);
}

static int group_order(const struct order_key *x, const struct order_key *y)
{
	const struct tally_group *a = x->group, *b = y->group;
	int order = name_order(x->comm, y->comm);

	if (!order)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	if (!order)
		order = (a->tid > b->tid) - (a->tid < b->tid);
	if (!order)
		order = number_order(a->cpu, b->cpu);
	return order ? order : number_order(a->parent, b->parent);
}

static int rows_order(const void *a, const void *b)
{
	const struct order_key *x = a, *y = b;
	int order = number_order(y->row->total, x->row->total);

	/* Depths of unlike threads say nothing of each other. */
	if (!order && (x->depth || y->depth)) {
		order = group_order(x, y);
		if (!order)
			order = number_order(y->depth, x->depth);
	}
	if (!order)
		order = number_order(y->row->self, x->row->self);
	if (!order)
		order = group_order(x, y);
	if (!order)
		order = name_order(x->label, y->label);
	if (!order)
		order = name_order(x->dso, y->dso);
	if (!order)
		order = name_order(x->symbol, y->symbol);
	if (!order)
		order = number_order(x->addr, y->addr);
	return order ? order : number_order(x->row->fkey, y->row->fkey);
}

static struct order_key row_key(const struct hist_builder *builder, const struct tally_row *row)
{
	const struct tally_hist_options *options = builder->options;
	const struct tally_frame *frame = &builder->profile->frames.all.data[row->frame];
	struct order_key key = {.row = row, .group = &builder->hist->groups.data[row->group]};
	const char *slash;

	if (options->keys & TALLY_KEY_COMM)
		key.comm = tally_intern_text(tally_machine_comms(builder->profile->machine),
					     key.group->comm);
	if (options->keys & TALLY_KEY_LABEL)
		key.label = tally_intern_text(options->labels, key.group->label);
	if (options->keys & TALLY_KEY_DSO && frame->dso) {
		key.dso = tally_dso_name(frame->dso);
		slash = strrchr(key.dso, '/');
		key.dso = slash ? slash + 1 : key.dso;
	}
	if (options->keys & TALLY_KEY_SYMBOL) {
		key.symbol = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : NULL;
		key.addr = frame->symbol ? frame->symbol->start : frame->addr;
	}
	/* Graphs towards callers are the deeper the further in a function is. */
	if (options->graphs && options->children)
		key.depth = options->order == TALLY_GRAPH_CALLER ? row->depth + 1
								 : UINT32_MAX - row->depth;
	return key;
}

int hist_rows_sort(struct hist_builder *builder)
{
	size_t nr = builder->hist->rows.len;
	struct order_key *keys = malloc((nr + 1) * sizeof(*keys));
	struct tally_row *sorted = malloc((nr + 1) * sizeof(*sorted));
	int ret = keys && sorted ? 0 : -ENOMEM;

	if (ret)
		goto out;
	for (size_t i = 0; i < nr; i++)
		keys[i] = row_key(builder, &builder->hist->rows.data[i]);
	qsort(keys, nr, sizeof(*keys), rows_order);
	for (size_t i = 0; i < nr; i++)
		sorted[i] = *keys[i].row;
	memcpy(builder->hist->rows.data, sorted, nr * sizeof(*sorted));
out:
	free(sorted);
	free(keys);
	return ret;
}
