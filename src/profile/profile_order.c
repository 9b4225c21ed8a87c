/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts rows, by default heaviest first. As in perf, rows of equal weight are sorted as follows:
 * callers before callees if graphs are shown, then by self cost, then by name.
 *
 * There may be hundreds of thousands of rows, most of them equally light. Names are therefore
 * compared only once for each key that rows share, and rows are compared by the resulting ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"
#include "profile/hist_private.h"

/* Names in a key that rows share, usually a function's names. */
struct frame_key {
	const char *dso, *symbol; /* NULL if missing */
	uint64_t addr;
	uint32_t fkey;
};

struct group_key {
	const struct hist_builder *builder;
	const struct tally_group *group;
};

/* A row's sort key; the numbers are sorted in ascending order. At most 32 bytes long, because
 * qsort() moves such elements directly. */
struct row_key {
	uint64_t numbers[3];
	uint32_t row;
};

struct row_order {
	uint32_t *frames;  /* rank of each fkey */
	uint32_t *groups;  /* rank of each group */
	uint32_t *threads; /* rank of each group; equal for groups that differ only by label */
	struct row_key *keys;
	struct tally_row *sorted;
};

static int number_order(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Compare names in ascending order; a missing name is last. */
static int name_order(const char *x, const char *y)
{
	if (x == y)
		return 0;
	if (!x || !y)
		return x ? -1 : 1;
	return strcmp(x, y);
}

/* ---- keys of rows ---------------------------------------------------------------- */

static int frames_order(const void *a, const void *b)
{
	const struct frame_key *x = a, *y = b;
	int order = name_order(x->dso, y->dso);

	if (!order)
		order = name_order(x->symbol, y->symbol);
	return order ? order : number_order(x->addr, y->addr);
}

static struct frame_key frame_key(const struct hist_builder *builder, const struct tally_row *row)
{
	const struct tally_frame *frame = &builder->profile->frames.all.data[row->frame];
	struct frame_key key = {.fkey = row->fkey};

	if (builder->options->keys & TALLY_KEY_DSO && frame->dso)
		key.dso = tally_path_name(tally_dso_name(frame->dso));
	if (builder->options->keys & TALLY_KEY_SYMBOL) {
		key.symbol = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : NULL;
		key.addr = frame->symbol ? frame->symbol->start : frame->addr;
	}
	return key;
}

/* Rank the keys of rows. A key shared by several rows is ranked only once. */
static int rank_frames(const struct hist_builder *builder, uint32_t *ranks)
{
	struct frame_key *keys = malloc((builder->hist->rows.len + 1) * sizeof(*keys));
	size_t nr = 0;

	if (!keys)
		return -ENOMEM;
	tally_vec_for_each (row, &builder->hist->rows) {
		if (ranks[row->fkey]++ == 0)
			keys[nr++] = frame_key(builder, row);
	}
	qsort(keys, nr, sizeof(*keys), frames_order);
	for (size_t i = 0; i < nr; i++)
		ranks[keys[i].fkey] = (uint32_t)i;
	free(keys);
	return 0;
}

static int threads_order(const struct group_key *x, const struct group_key *y)
{
	const struct tally_intern *comms = tally_machine_comms(x->builder->profile->machine);
	const struct tally_group *a = x->group, *b = y->group;
	int order = a->comm == b->comm ? 0
				       : strcmp(tally_intern_text(comms, a->comm),
						tally_intern_text(comms, b->comm));

	if (!order)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	if (!order)
		order = (a->tid > b->tid) - (a->tid < b->tid);
	if (!order)
		order = number_order(a->cpu, b->cpu);
	return order ? order : number_order(a->parent, b->parent);
}

static int groups_order(const void *a, const void *b)
{
	const struct group_key *x = a, *y = b;
	const struct tally_intern *labels = x->builder->options->labels;
	int order = threads_order(x, y);

	if (order || x->group->label == y->group->label)
		return order;
	return strcmp(tally_intern_text(labels, x->group->label),
		      tally_intern_text(labels, y->group->label));
}

static int rank_groups(const struct hist_builder *builder, struct row_order *order)
{
	const struct tally_group *groups = builder->hist->groups.data;
	size_t nr = builder->hist->groups.len;
	struct group_key *keys = malloc((nr + 1) * sizeof(*keys));
	uint32_t thread = 0;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		keys[i] = (struct group_key){builder, &groups[i]};
	qsort(keys, nr, sizeof(*keys), groups_order);
	for (size_t i = 0; i < nr; i++) {
		thread += i && threads_order(&keys[i - 1], &keys[i]);
		order->groups[keys[i].group - groups] = (uint32_t)i;
		order->threads[keys[i].group - groups] = thread;
	}
	free(keys);
	return 0;
}

/* ---- rows ------------------------------------------------------------------------ */

static int keys_order(const void *a, const void *b)
{
	const struct row_key *x = a, *y = b;

	for (int i = 0; i < 3; i++) {
		if (x->numbers[i] != y->numbers[i])
			return x->numbers[i] < y->numbers[i] ? -1 : 1;
	}
	return (x->row > y->row) - (x->row < y->row);
}

/* Sort the rows by their sort keys, which are consumed. */
static void rows_apply(struct tally_hist *hist, struct row_order *order)
{
	size_t nr = hist->rows.len;

	qsort(order->keys, nr, sizeof(*order->keys), keys_order);
	for (size_t i = 0; i < nr; i++)
		order->sorted[i] = hist->rows.data[order->keys[i].row];
	memcpy(hist->rows.data, order->sorted, nr * sizeof(*order->sorted));
}

/* Sort by name. Rows of equal weight keep this order. */
static void rows_by_name(struct tally_hist *hist, struct row_order *order)
{
	for (uint32_t i = 0; i < hist->rows.len; i++) {
		const struct tally_row *row = &hist->rows.data[i];

		order->keys[i] = (struct row_key){
			{order->groups[row->group], order->frames[row->fkey], 0}, i};
	}
	rows_apply(hist, order);
}

static uint64_t row_sum(const struct tally_hist *hist, const struct tally_row *row,
			struct tally_hist_order order)
{
	switch (order.sum) {
	case TALLY_SUM_SELF: return row->self;
	case TALLY_SUM_TOTAL: return row->total;
	case TALLY_SUM_SAMPLES: return row->self_nr;
	case TALLY_SUM_PART: return tally_hist_part(hist, row, order.part);
	case TALLY_SUM_NONE: break;
	}
	return 0;
}

/* Return the first sum by which rows are sorted. */
static uint64_t row_weight(const struct tally_hist_options *options, const struct tally_hist *hist,
			   const struct tally_row *row)
{
	return options->nr_orders ? row_sum(hist, row, options->orders[0]) : row->total;
}

static void rows_by_sums(const struct tally_hist_options *options, struct tally_hist *hist,
			 struct row_order *order)
{
	for (uint32_t i = 0; i < hist->rows.len; i++) {
		order->keys[i] = (struct row_key){.row = i};
		for (unsigned at = 0; at < options->nr_orders; at++)
			order->keys[i].numbers[at] = UINT64_MAX - row_sum(hist, &hist->rows.data[i],
									  options->orders[at]);
	}
	rows_apply(hist, order);
}

static void rows_by_weight(const struct tally_hist_options *options, struct tally_hist *hist,
			   struct row_order *order)
{
	bool by_depth = options->graphs && options->children;

	for (uint32_t i = 0; i < hist->rows.len; i++) {
		const struct tally_row *row = &hist->rows.data[i];
		uint64_t depth =
			options->order == TALLY_GRAPH_CALLER ? UINT32_MAX - row->depth : row->depth;

		/* The depths of different threads are not comparable. */
		depth |= (uint64_t)order->threads[row->group] << 32;
		order->keys[i] = (struct row_key){
			{UINT64_MAX - row->total, by_depth ? depth : 0, UINT64_MAX - row->self}, i};
	}
	rows_apply(hist, order);
}

/* Sort by the sums for another event; equal rows keep their order. */
static void rows_by_member(struct tally_hist *hist, struct row_order *order, uint32_t member)
{
	for (uint32_t i = 0; i < hist->rows.len; i++) {
		struct tally_row row = tally_hist_member_row(hist, &hist->rows.data[i], member);

		order->keys[i] = (struct row_key){{UINT64_MAX - row.total, 0, 0}, i};
	}
	rows_apply(hist, order);
}

/* Compare the events of a group in their order, after the event asked for. */
static void rows_by_members(const struct tally_hist_options *options, struct tally_hist *hist,
			    struct row_order *order)
{
	if (!options->nr_members || options->by_name)
		return;
	for (uint32_t member = options->nr_members; member-- > 0;)
		rows_by_member(hist, order, member);
	for (uint32_t i = 0; i < hist->rows.len; i++)
		order->keys[i] = (struct row_key){
			{UINT64_MAX - row_weight(options, hist, &hist->rows.data[i]), 0, 0}, i};
	rows_apply(hist, order);
	if (options->first_member)
		rows_by_member(hist, order, options->first_member - 1);
}

int hist_rows_sort(struct hist_builder *builder)
{
	struct tally_hist *hist = builder->hist;
	size_t nr = hist->rows.len, groups = hist->groups.len;
	struct row_order order = {
		.frames = calloc(builder->profile->frames.all.len + 1, sizeof(*order.frames)),
		.groups = malloc((groups + 1) * sizeof(*order.groups)),
		.threads = malloc((groups + 1) * sizeof(*order.threads)),
		.keys = malloc((nr + 1) * sizeof(*order.keys)),
		.sorted = malloc((nr + 1) * sizeof(*order.sorted)),
	};
	bool has_room = order.frames && order.groups && order.threads && order.keys && order.sorted;
	int ret = has_room && nr ? rank_frames(builder, order.frames) : has_room ? 0 : -ENOMEM;

	if (!ret && nr)
		ret = rank_groups(builder, &order);
	if (!ret && nr) {
		rows_by_name(hist, &order);
		if (builder->options->nr_orders)
			rows_by_sums(builder->options, hist, &order);
		else if (!builder->options->by_name)
			rows_by_weight(builder->options, hist, &order);
		rows_by_members(builder->options, hist, &order);
	}
	free(order.frames);
	free(order.groups);
	free(order.threads);
	free(order.keys);
	free(order.sorted);
	return ret;
}
