/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/hist.h"

#include <string.h>

#include "profile/hist_private.h"
#include "profile/profile_private.h"

/* What the functions of a row have in common: the function, its DSO, or nothing. */
static int builder_fkeys(struct hist_builder *builder)
{
	const struct tally_paths *paths = &builder->profile->paths;
	unsigned keys = builder->options->keys;
	struct tally_map dsos = {0};
	int ret = 0;

	builder->fkeys = calloc(paths->frames.len + 1, sizeof(*builder->fkeys));
	if (!builder->fkeys)
		return -ENOMEM;
	for (uint32_t i = 0; i < paths->frames.len && !ret; i++) {
		uintptr_t dso = (uintptr_t)paths->frames.data[i].dso;
		uint64_t known = i;

		if (keys & TALLY_KEY_DSO && !(keys & TALLY_KEY_SYMBOL)) {
			known = tally_map_get(&dsos, dso);
			if (known == TALLY_MAP_NONE) {
				known = i;
				ret = tally_map_put(&dsos, dso, i);
			}
		} else if (!(keys & TALLY_KEY_SYMBOL)) {
			known = 0;
		}
		builder->fkeys[i] = (uint32_t)known;
	}
	tally_map_free(&dsos);
	return ret;
}

/* For each path the innermost function that is_parent() accepts; callers come first. */
static int builder_parents(struct hist_builder *builder)
{
	const struct tally_paths *paths = &builder->profile->paths;

	if (!(builder->options->keys & TALLY_KEY_PARENT))
		return 0;
	builder->parents = malloc((paths->paths.len + 1) * sizeof(*builder->parents));
	if (!builder->parents)
		return -ENOMEM;
	builder->parents[0] = TALLY_FRAME_NONE;
	for (uint32_t i = 1; i < paths->paths.len; i++) {
		const struct tally_path *path = &paths->paths.data[i];
		const struct tally_frame *frame = &paths->frames.data[path->frame];

		builder->parents[i] = builder->parents[path->parent];
		if (frame->symbol &&
		    builder->options->is_parent(builder->options->arg,
						tally_symbol_name(frame->dso, frame->symbol)))
			builder->parents[i] = path->frame;
	}
	return 0;
}

static struct tally_group cell_group(const struct hist_builder *builder,
				     const struct tally_cell_key *key)
{
	unsigned keys = builder->options->keys;
	const struct tally_thread *thread =
		tally_machine_thread_at(builder->profile->machine, key->thread);
	struct tally_group group = {.parent = TALLY_FRAME_NONE};

	if (keys & TALLY_KEY_COMM)
		group.comm = key->comm;
	if (keys & TALLY_KEY_CPU)
		group.cpu = key->cpu;
	if (keys & TALLY_KEY_PID)
		group.pid = thread->pid;
	if (keys & TALLY_KEY_TID)
		group.tid = thread->tid;
	if (builder->parents)
		group.parent = builder->parents[key->path];
	return group;
}

/* The number of a cell's group; the first thread seen stands for it. */
static int builder_group(struct hist_builder *builder, const struct tally_cell_key *key,
			 uint32_t *ret_group)
{
	struct tally_group group = cell_group(builder, key);
	int ret;

	/* Neighbours are mostly of the same group. */
	if (builder->hist->groups.len && !memcmp(&group, &builder->last_group, sizeof(group))) {
		*ret_group = builder->last_group_id;
		return 0;
	}
	ret = tally_intern(&builder->group_ids, (const char *)&group, sizeof(group), ret_group);
	if (ret)
		return ret;
	builder->last_group = group;
	builder->last_group_id = *ret_group;
	if (*ret_group < builder->hist->groups.len)
		return 0;
	group.thread = key->thread;
	return tally_vec_push(&builder->hist->groups, group);
}

static int row_new(struct hist_builder *builder, uint32_t group, uint32_t frame, uint32_t *ret_row)
{
	struct tally_row row = {.group = group, .frame = frame, .fkey = builder->fkeys[frame]};

	*ret_row = (uint32_t)builder->hist->rows.len;
	return tally_vec_push(&builder->hist->rows, row);
}

int hist_row(struct hist_builder *builder, uint32_t group, uint32_t frame, uint32_t *ret_row)
{
	uint32_t fkey = builder->fkeys[frame];
	uint64_t key = (uint64_t)group << 32 | fkey, known;
	uint32_t *first = &builder->first_rows[fkey];
	int ret;

	if (!*first) {
		ret = row_new(builder, group, frame, ret_row);
		if (!ret)
			*first = *ret_row + 1;
		return ret;
	}
	if (builder->hist->rows.data[*first - 1].group == group) {
		*ret_row = *first - 1;
		return 0;
	}
	known = tally_map_get(&builder->row_ids, key);
	if (known != TALLY_MAP_NONE) {
		*ret_row = (uint32_t)known;
		return 0;
	}
	ret = row_new(builder, group, frame, ret_row);
	return ret ? ret : tally_map_put(&builder->row_ids, key, *ret_row);
}

/* Rows of what the cells themselves cost; notes which row and group each cell is in. */
static int builder_self(struct hist_builder *builder, uint32_t event)
{
	const struct tally_profile *profile = builder->profile;
	int ret = 0;

	for (uint32_t i = 0; i < profile->cells.len && !ret; i++) {
		const struct tally_cell *cell = &profile->cells.data[i];
		struct hist_cell entry = {.cell = i};
		struct tally_row *row;

		if (cell->key.event != event ||
		    (builder->options->wants &&
		     !builder->options->wants(builder->options->arg, &cell->key)))
			continue;
		ret = builder_group(builder, &cell->key, &entry.group);
		if (!ret)
			ret = hist_row(builder, entry.group, cell->key.frame, &entry.row);
		/* One whose samples were recalled is empty. */
		if (!ret && cell->nr)
			ret = tally_vec_push(&builder->cells, entry);
		if (ret)
			break;
		row = &builder->hist->rows.data[entry.row];
		row->self += cell->period;
		row->self_nr += cell->nr;
	}
	return ret;
}

/* Put the cells in the order of their groups; within one they stay as they are. */
static int builder_group_cells(struct hist_builder *builder)
{
	size_t nr = builder->hist->groups.len, len = builder->cells.len, sum = 0;
	size_t *at = calloc(nr + 1, sizeof(*at));
	struct hist_cell *sorted = malloc((len + 1) * sizeof(*sorted));
	int ret = at && sorted ? 0 : -ENOMEM;

	if (ret)
		goto out;
	tally_vec_for_each (cell, &builder->cells)
		at[cell->group]++;
	for (size_t i = 0; i < nr; i++) {
		sum += at[i];
		at[i] = sum - at[i];
	}
	tally_vec_for_each (cell, &builder->cells)
		sorted[at[cell->group]++] = *cell;
	free(builder->cells.data);
	builder->cells.data = sorted;
	builder->cells.cap = len + 1;
	sorted = NULL;
out:
	free(sorted);
	free(at);
	return ret;
}

/* Call `work` for each run of cells of one group. */
static int for_each_group(struct hist_builder *builder,
			  int (*work)(struct hist_builder *builder, size_t first, size_t last))
{
	size_t first = 0;
	int ret = 0;

	while (first < builder->cells.len && !ret) {
		size_t last = first;

		while (last < builder->cells.len &&
		       builder->cells.data[last].group == builder->cells.data[first].group)
			last++;
		ret = work(builder, first, last);
		first = last;
	}
	return ret;
}

/* The sums of a group over all its paths. */
static int group_sum(struct hist_builder *builder, size_t first, size_t last)
{
	int ret = 0;

	for (size_t i = first; i < last && !ret; i++)
		ret = hist_sum_add(builder, &builder->group_sums, hist_cell(builder, i));
	hist_sum_link(builder, &builder->group_sums);
	return ret;
}

/* The group at work is done with. */
static void group_clear(struct hist_builder *builder)
{
	tally_vec_for_each (path, &builder->group_sums.touched)
		builder->row_of[hist_path_fkey(builder, *path)] = 0;
	hist_sum_clear(&builder->group_sums);
}

static int graph_group(struct hist_builder *builder, size_t first, size_t last)
{
	int ret = 0;

	if (!hist_graph_wants(builder, builder->cells.data[first].group))
		return 0;
	if (builder->options->children)
		ret = group_sum(builder, first, last);
	if (!ret)
		ret = hist_graph_group(builder, first, last);
	group_clear(builder);
	return ret;
}

/* A path counts once for each function on it, where the function stands outermost. */
static int children_visit(struct hist_builder *builder, uint32_t path, bool outermost, void *arg)
{
	const struct path_sum *sum = &builder->group_sums.at[path];
	const uint32_t *group = arg;
	uint32_t *known = &builder->row_of[hist_path_fkey(builder, path)];
	struct tally_row *row;
	uint32_t number;
	int ret;

	if (!outermost)
		return 0;
	if (!*known) {
		ret = hist_row(builder, *group, hist_path(builder, path)->frame, &number);
		if (ret)
			return ret;
		*known = number + 1;
	}
	row = &builder->hist->rows.data[*known - 1];
	row->total += sum->period;
	row->total_nr += sum->nr;
	return 0;
}

/* Add what each function's callees cost to its row. */
static int children_group(struct hist_builder *builder, size_t first, size_t last)
{
	uint32_t group = builder->cells.data[first].group;
	int ret = group_sum(builder, first, last);

	if (!ret)
		ret = hist_walk(builder, &builder->group_sums, children_visit, &group);
	group_clear(builder);
	return ret;
}

static bool on_path(const struct hist_builder *builder, uint32_t path, uint32_t fkey)
{
	for (; path; path = hist_path(builder, path)->parent) {
		if (hist_path_fkey(builder, path) == fkey)
			return true;
	}
	return false;
}

/* Samples whose function is not on their own path (no callchain, skid) count for it too. */
static void children_of_strays(struct hist_builder *builder)
{
	for (size_t i = 0; i < builder->cells.len; i++) {
		const struct tally_cell *cell = hist_cell(builder, i);
		struct tally_row *row = &builder->hist->rows.data[builder->cells.data[i].row];

		if (!on_path(builder, cell->key.path, row->fkey)) {
			row->total += cell->period;
			row->total_nr += cell->nr;
		}
	}
}

static int builder_totals(struct hist_builder *builder)
{
	int ret;

	if (builder->options->children) {
		ret = for_each_group(builder, children_group);
		children_of_strays(builder);
		return ret;
	}
	tally_vec_for_each (row, &builder->hist->rows) {
		row->total = row->self;
		row->total_nr = row->self_nr;
	}
	return 0;
}

static int heaviest_first(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->fkey > y->fkey) - (x->fkey < y->fkey);
}

static int builder_sums(struct hist_builder *builder)
{
	const struct tally_paths *paths = &builder->profile->paths;
	size_t nr = paths->paths.len + 1;
	bool downwards = builder->options->order == TALLY_GRAPH_CALLER;

	builder->group_sums.at =
		calloc(builder->options->children ? nr : 1, sizeof(*builder->group_sums.at));
	builder->row_sums.at = calloc(builder->options->graphs && downwards ? nr : 1,
				      sizeof(*builder->row_sums.at));
	builder->open = calloc(paths->frames.len + 1, sizeof(*builder->open));
	builder->row_of = calloc(paths->frames.len + 1, sizeof(*builder->row_of));
	builder->first_rows = calloc(paths->frames.len + 1, sizeof(*builder->first_rows));
	if (!builder->group_sums.at || !builder->row_sums.at || !builder->open ||
	    !builder->row_of || !builder->first_rows)
		return -ENOMEM;
	return 0;
}

static void builder_free(struct hist_builder *builder)
{
	free(builder->fkeys);
	free(builder->parents);
	tally_intern_free(&builder->group_ids);
	tally_map_free(&builder->row_ids);
	tally_vec_free(&builder->cells);
	free(builder->group_sums.at);
	tally_vec_free(&builder->group_sums.touched);
	free(builder->row_sums.at);
	tally_vec_free(&builder->row_sums.touched);
	free(builder->open);
	free(builder->row_of);
	free(builder->first_rows);
	tally_vec_free(&builder->heavy);
}

int tally_hist_build(struct tally_profile *profile, uint32_t event,
		     const struct tally_hist_options *options, struct tally_hist *ret_hist)
{
	struct tally_hist hist = {0};
	struct hist_builder builder = {.profile = profile, .options = options, .hist = &hist};
	int ret = tally_profile_finish(profile);

	if (!ret)
		ret = builder_sums(&builder);
	if (!ret)
		ret = tally_vec_push(&hist.graph, (struct tally_graph_node){0});
	if (!ret)
		ret = builder_fkeys(&builder);
	if (!ret)
		ret = builder_parents(&builder);
	if (!ret)
		ret = builder_self(&builder, event);
	if (!ret)
		ret = builder_group_cells(&builder);
	if (!ret)
		ret = builder_totals(&builder);
	if (!ret && options->graphs)
		ret = hist_graph_heavy(&builder);
	if (!ret && options->graphs)
		ret = for_each_group(&builder, graph_group);
	if (!ret && hist.rows.len)
		qsort(hist.rows.data, hist.rows.len, sizeof(*hist.rows.data), heaviest_first);
	builder_free(&builder);
	if (ret)
		tally_hist_free(&hist);
	else
		*ret_hist = hist;
	return ret;
}

void tally_hist_free(struct tally_hist *hist)
{
	tally_vec_free(&hist->rows);
	tally_vec_free(&hist->groups);
	tally_vec_free(&hist->graph);
}

int tally_hist_mark(struct tally_profile *profile, uint32_t event,
		    const struct tally_hist_options *options)
{
	struct tally_hist hist = {0};
	struct hist_builder builder = {.profile = profile, .options = options, .hist = &hist};
	int ret = tally_profile_settle(profile);

	while (profile->marked.len < profile->cells.len && !ret)
		ret = tally_vec_push(&profile->marked, 0);
	if (!ret)
		ret = builder_sums(&builder);
	if (!ret)
		ret = builder_fkeys(&builder);
	if (!ret)
		ret = builder_self(&builder, event);
	for (size_t i = 0; i < builder.cells.len && !ret; i++) {
		const struct hist_cell *at = &builder.cells.data[i];

		profile->marked.data[at->cell] = hist.rows.data[at->row].self >= options->graph_min;
	}
	builder_free(&builder);
	tally_hist_free(&hist);
	return ret;
}
