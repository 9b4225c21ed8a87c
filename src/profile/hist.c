/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/hist.h"

#include <string.h>

#include "base/arith.h"
#include "profile/graph/graph.h"
#include "profile/profile_private.h"
#include "profile/sums.h"

unsigned tally_keys_by(unsigned keys)
{
	static const struct {
		unsigned key, by;
	} map[] = {
		{TALLY_KEY_COMM, TALLY_BY_COMM},   {TALLY_KEY_PID, TALLY_BY_THREAD},
		{TALLY_KEY_TID, TALLY_BY_THREAD},  {TALLY_KEY_CPU, TALLY_BY_CPU},
		{TALLY_KEY_DSO, TALLY_BY_FRAME},   {TALLY_KEY_SYMBOL, TALLY_BY_FRAME},
		{TALLY_KEY_PARENT, TALLY_BY_PATH}, {TALLY_KEY_LABEL, TALLY_BY_LABEL},
		{TALLY_KEY_LINE, TALLY_BY_FRAME},  {TALLY_KEY_FILE, TALLY_BY_FRAME},
	};
	unsigned by = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(map); i++)
		by |= keys & map[i].key ? map[i].by : 0;
	return by;
}

unsigned tally_keys_lines(unsigned keys)
{
	return keys & (TALLY_KEY_LINE | TALLY_KEY_FILE) ? TALLY_LINES_ALL : 0;
}

static void hist_member_free(struct tally_hist_member *member)
{
	tally_vec_free(&member->sums);
	tally_vec_free(&member->parts);
}

static bool frame_is_parent(const struct hist_builder *builder, uint32_t number)
{
	enum { UNKNOWN, NO, YES };
	const struct tally_frame *frame = &builder->profile->frames.all.data[number];
	uint8_t *known = &builder->parents[number];

	if (*known == UNKNOWN)
		*known = frame->symbol && builder->options->is_parent(
						  builder->options->arg,
						  tally_symbol_name(frame->dso, frame->symbol))
				 ? YES
				 : NO;
	return *known == YES;
}

/* Return the innermost function on a callchain that is_parent() accepts. */
static uint32_t bucket_parent(const struct hist_builder *builder,
			      const struct tally_bucket_key *key)
{
	struct tally_stack callers = tally_stacks_get(&builder->profile->stacks, key->callers);

	if (key->leaf && frame_is_parent(builder, key->leaf - 1))
		return key->leaf - 1;
	for (uint32_t i = 0; i < callers.nr; i++) {
		if (frame_is_parent(builder, callers.frames[i]))
			return callers.frames[i];
	}
	return TALLY_FRAME_NONE;
}

static struct tally_group bucket_group(const struct hist_builder *builder,
				       const struct tally_bucket_key *key)
{
	unsigned keys = builder->options->keys;
	const struct tally_thread *thread =
		tally_machine_thread_at(builder->profile->machine, key->thread);
	struct tally_group group = {.parent = TALLY_FRAME_NONE};

	if (keys & TALLY_KEY_COMM)
		group.comm = tally_machine_comm_of(builder->profile->machine, key->comm);
	if (keys & TALLY_KEY_CPU)
		group.cpu = key->cpu;
	if (keys & TALLY_KEY_PID)
		group.pid = thread->pid;
	if (keys & TALLY_KEY_TID)
		group.tid = thread->tid;
	if (keys & TALLY_KEY_LABEL)
		group.label =
			builder->options->row_label
				? builder->options->row_label(builder->options->arg, key->label)
				: key->label;
	if (keys & TALLY_KEY_PARENT)
		group.parent = bucket_parent(builder, key);
	return group;
}

/* Find a bucket's group, creating it if it is new. The first thread found represents the group. */
static int builder_group(struct hist_builder *builder, const struct tally_bucket_key *key,
			 uint32_t *ret_group)
{
	struct tally_group group = bucket_group(builder, key);
	int ret;

	/* Consecutive buckets usually belong to the same group. */
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
	uint32_t number = (uint32_t)builder->hist->rows.len;
	struct tally_row row = {
		.group = group, .frame = frame, .fkey = builder->fkeys[frame], .number = number};

	*ret_row = number;
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
	return ret ? ret : tally_map_set(&builder->row_ids, key, *ret_row);
}

/* Add what a bucket adds to the additional sums of row number `row`. */
static int builder_parts(struct hist_builder *builder, uint32_t row,
			 const struct tally_bucket *bucket)
{
	const struct tally_hist_options *options = builder->options;
	struct tally_hist *hist = builder->hist;
	size_t first = (size_t)row * options->nr_parts;
	int ret = 0;

	while (hist->parts.len < first + options->nr_parts && !ret)
		ret = tally_vec_push(&hist->parts, 0);
	for (unsigned i = 0; i < options->nr_parts && !ret; i++)
		tally_sum_add(&hist->parts.data[first + i], options->part(options->arg, i, bucket));
	return ret;
}

/* Create rows for the self cost of buckets, and store each bucket's row and group. */
static int builder_self(struct hist_builder *builder, uint32_t event)
{
	int ret = 0;

	for (uint32_t i = 0; i < builder->nr_all && !ret; i++) {
		const struct tally_bucket *bucket = &builder->all[i];
		struct hist_bucket entry = {.bucket = i};
		struct tally_row *row;

		if (bucket->key.event != event ||
		    (builder->options->wants &&
		     !builder->options->wants(builder->options->arg, &bucket->key)))
			continue;
		ret = builder_group(builder, &bucket->key, &entry.group);
		if (!ret)
			ret = hist_row(builder, entry.group, bucket->key.frame, &entry.row);
		/* Buckets that are left for the second pass are empty. */
		if (!ret && bucket->nr)
			ret = tally_vec_push(&builder->buckets, entry);
		if (!ret)
			ret = builder_parts(builder, entry.row, bucket);
		if (ret)
			break;
		row = &builder->hist->rows.data[entry.row];
		tally_sum_add(&row->self, bucket->period);
		row->self_nr += bucket->nr;
	}
	return ret;
}

/* Sort the buckets by group, keeping their order within a group. */
static int builder_group_buckets(struct hist_builder *builder)
{
	size_t nr = builder->hist->groups.len, len = builder->buckets.len, sum = 0;
	size_t *at = calloc(nr + 1, sizeof(*at));
	struct hist_bucket *sorted = malloc((len + 1) * sizeof(*sorted));
	int ret = at && sorted ? 0 : -ENOMEM;

	if (ret)
		goto out;
	tally_vec_for_each (bucket, &builder->buckets)
		at[bucket->group]++;
	for (size_t i = 0; i < nr; i++) {
		sum += at[i];
		at[i] = sum - at[i];
	}
	tally_vec_for_each (bucket, &builder->buckets)
		sorted[at[bucket->group]++] = *bucket;
	free(builder->buckets.data);
	builder->buckets.data = sorted;
	builder->buckets.cap = len + 1;
	sorted = NULL;
out:
	free(sorted);
	free(at);
	return ret;
}

/* Call `work` for the buckets of each group. */
static int for_each_group(struct hist_builder *builder,
			  int (*work)(struct hist_builder *builder, size_t first, size_t last))
{
	size_t first = 0;
	int ret = 0;

	while (first < builder->buckets.len && !ret) {
		size_t last = first;

		while (last < builder->buckets.len &&
		       builder->buckets.data[last].group == builder->buckets.data[first].group)
			last++;
		ret = work(builder, first, last);
		first = last;
	}
	return ret;
}

static int builder_totals(struct hist_builder *builder)
{
	if (builder->options->children)
		return for_each_group(builder, hist_children);
	tally_vec_for_each (row, &builder->hist->rows) {
		row->total = row->self;
		row->total_nr = row->self_nr;
	}
	return 0;
}

/* Sum up the buckets of one event. */
static int builder_event(struct hist_builder *builder, uint32_t event)
{
	int ret = builder_self(builder, event);

	if (!ret)
		ret = builder_group_buckets(builder);
	return ret ? ret : builder_totals(builder);
}

/* Move the sums of the last event from the rows to the members. */
static int builder_member(struct hist_builder *builder)
{
	struct tally_hist *hist = builder->hist;
	struct tally_hist_member member = {0};
	int ret = 0;

	tally_vec_for_each (row, &hist->rows) {
		const struct tally_row_sums sums = {row->self, row->self_nr, row->total,
						    row->total_nr};

		if (!ret)
			ret = tally_vec_push(&member.sums, sums);
		row->self = row->self_nr = row->total = row->total_nr = row->depth = 0;
	}
	member.parts.data = hist->parts.data;
	member.parts.len = hist->parts.len;
	member.parts.cap = hist->parts.cap;
	memset(&hist->parts, 0, sizeof(hist->parts));
	if (!ret)
		ret = tally_vec_push(&hist->members, member);
	if (ret)
		hist_member_free(&member);
	builder->buckets.len = 0;
	if (builder->met)
		memset(builder->met, 0,
		       (builder->profile->frames.all.len + 1) * sizeof(*builder->met));
	return ret;
}

static int builder_members(struct hist_builder *builder)
{
	int ret = 0;

	for (uint32_t i = 0; i < builder->options->nr_members && !ret; i++) {
		ret = builder_event(builder, builder->options->members[i]);
		if (!ret)
			ret = builder_member(builder);
	}
	return ret;
}

/* If `needed` is set, allocate an array with an entry for each frame. */
static void *builder_alloc(const struct hist_builder *builder, bool needed, size_t size, int *ret)
{
	void *room = needed ? calloc(builder->profile->frames.all.len + 1, size) : NULL;

	if (needed && !room)
		*ret = -ENOMEM;
	return room;
}

static int builder_init(struct hist_builder *builder, bool graphs)
{
	const struct tally_hist_options *options = builder->options;
	const struct tally_selection *selection = options->selection;
	bool parents = options->keys & TALLY_KEY_PARENT;
	int ret = 0;

	builder->all = selection ? selection->buckets : builder->profile->buckets.data;
	builder->nr_all = selection ? selection->nr_buckets : builder->profile->buckets.len;
	builder->first_rows = builder_alloc(builder, true, sizeof(*builder->first_rows), &ret);
	builder->parents = builder_alloc(builder, parents, sizeof(*builder->parents), &ret);
	builder->met = builder_alloc(builder, options->children, sizeof(*builder->met), &ret);
	builder->heavy_of = builder_alloc(builder, graphs, sizeof(*builder->heavy_of), &ret);
	builder->open = builder_alloc(builder, graphs, sizeof(*builder->open), &ret);
	if (!ret && graphs)
		ret = tally_paths_init(&builder->paths, builder->profile->frames.all.len + 1);
	return ret ? ret : hist_fkeys(builder);
}

static void builder_free(struct hist_builder *builder)
{
	free(builder->fkeys);
	free(builder->functions);
	free(builder->parents);
	tally_intern_free(&builder->group_ids);
	tally_map_free(&builder->row_ids);
	tally_vec_free(&builder->buckets);
	free(builder->met);
	tally_vec_free(&builder->met_fkeys);
	tally_paths_free(&builder->paths);
	hist_sum_free(&builder->group_sums);
	hist_sum_free(&builder->row_sums);
	free(builder->open);
	free(builder->heavy_of);
	free(builder->first_rows);
	tally_vec_free(&builder->heavy);
}

int tally_hist_build(struct tally_profile *profile, uint32_t event,
		     const struct tally_hist_options *options, struct tally_hist *ret_hist)
{
	struct tally_hist hist = {.nr_parts = options->nr_parts};
	struct hist_builder builder = {.profile = profile, .options = options, .hist = &hist};
	int ret = tally_profile_finish(profile);

	if (!ret)
		ret = builder_init(&builder, options->graphs);
	if (!ret)
		ret = tally_vec_push(&hist.graph, (struct tally_graph_node){0});
	if (!ret)
		ret = builder_members(&builder);
	if (!ret)
		ret = builder_event(&builder, event);
	if (!ret && options->graphs)
		ret = hist_graph_heavy(&builder);
	if (!ret && options->graphs)
		ret = for_each_group(&builder, hist_graph_group);
	if (!ret)
		ret = hist_rows_sort(&builder);
	builder_free(&builder);
	if (ret)
		tally_hist_free(&hist);
	else
		*ret_hist = hist;
	return ret;
}

struct tally_row tally_hist_member_row(const struct tally_hist *hist, const struct tally_row *row,
				       uint32_t member)
{
	const struct tally_hist_member *from = &hist->members.data[member];
	struct tally_row_sums sums = {0};
	struct tally_row made = *row;

	if (row->number < from->sums.len)
		sums = from->sums.data[row->number];
	made.self = sums.self;
	made.self_nr = sums.self_nr;
	made.total = sums.total;
	made.total_nr = sums.total_nr;
	return made;
}

void tally_hist_free(struct tally_hist *hist)
{
	tally_vec_for_each (member, &hist->members)
		hist_member_free(member);
	tally_vec_free(&hist->members);
	tally_vec_free(&hist->rows);
	tally_vec_free(&hist->groups);
	tally_vec_free(&hist->graph);
	tally_vec_free(&hist->parts);
}

int tally_hist_mark(struct tally_profile *profile, uint32_t event,
		    const struct tally_hist_options *options)
{
	struct tally_hist hist = {0};
	struct hist_builder builder = {.profile = profile, .options = options, .hist = &hist};
	int ret = tally_profile_flush(profile);

	while (profile->marked.len < profile->buckets.len && !ret)
		ret = tally_vec_push(&profile->marked, 0);
	if (!ret)
		ret = builder_init(&builder, false);
	if (!ret)
		ret = builder_self(&builder, event);
	for (size_t i = 0; i < builder.buckets.len && !ret; i++) {
		const struct hist_bucket *at = &builder.buckets.data[i];

		profile->marked.data[at->bucket] =
			hist.rows.data[at->row].self >= options->graph_min;
	}
	builder_free(&builder);
	tally_hist_free(&hist);
	return ret;
}
