/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds one recording to the rows of a diff, block by block in time order. */
#include <string.h>

#include "base/arith.h"
#include "profile/diff/diff_private.h"
#include "profile/profile_private.h"

enum {
	BLOCK_BITS = 6, /* same as in tally_diff_clock_label() */
	BLOCKS = 1 << BLOCK_BITS,
	WIDE_BITS = 2, /* a longer block consists of 1 << WIDE_BITS blocks */
};

/* A row's sums over the current blocks. */
struct scratch {
	uint32_t cell;  /* index + 1 of the cell for this recording; 0 if none yet */
	uint32_t stamp; /* index + 1 of the last bucket counted for the total */
	bool in_fine, in_wide;
	double fine[TALLY_DIFF_NR_METRICS], wide[TALLY_DIFF_NR_METRICS];
};

struct adder {
	struct tally_diff *diff;
	struct tally_diff_recording *recording;
	uint32_t number; /* index of the recording */
	struct tally_profile *profile;
	struct diff_function *functions; /* indexed by frame */
	TALLY_VEC(uint32_t) order;       /* buckets with samples, sorted by block */
	TALLY_VEC(struct scratch) rows;
	TALLY_VEC(uint32_t) fine, wide; /* rows with samples in the current blocks */
	TALLY_VEC(uint32_t) path;       /* names in the current callchain */
	TALLY_VEC(bool) seen;           /* indexed by stack: mark_functions() was called for it */
	double fine_weight, wide_weight;
};

static uint32_t block_of(const struct adder *adder, const struct tally_bucket *bucket)
{
	uint32_t label = bucket->key.label, level = label >> BLOCK_BITS;
	uint32_t doubled = adder->recording->clock.level - level;

	return doubled < BLOCK_BITS ? (label & (BLOCKS - 1)) >> doubled : 0;
}

/* ---- names ------------------------------------------------------------------- */

static int comm_find(struct adder *adder, uint32_t comm, uint32_t *ret_name)
{
	struct tally_machine *machine = adder->profile->machine;
	const char *text = tally_intern_text(tally_machine_comms(machine),
					     tally_machine_comm_of(machine, comm));

	return tally_intern(&adder->diff->names, text, strlen(text), ret_name);
}

/* ---- time order -------------------------------------------------------------- */

static bool is_of_event(const struct tally_bucket *bucket, uint32_t event)
{
	return bucket->key.event == event && bucket->nr;
}

static int adder_order(struct adder *adder, uint32_t event)
{
	size_t at[BLOCKS + 1] = {0}, nr = adder->profile->buckets.len;
	const struct tally_bucket *buckets = adder->profile->buckets.data;
	int ret = tally_vec_reserve(&adder->order, nr + 1);

	if (ret)
		return ret;
	for (size_t i = 0; i < nr; i++) {
		if (is_of_event(&buckets[i], event))
			at[block_of(adder, &buckets[i]) + 1]++;
	}
	for (int i = 0; i < BLOCKS; i++)
		at[i + 1] += at[i];
	adder->order.len = at[BLOCKS];
	for (size_t i = 0; i < nr; i++) {
		if (is_of_event(&buckets[i], event))
			adder->order.data[at[block_of(adder, &buckets[i])]++] = (uint32_t)i;
	}
	return 0;
}

/* ---- counting ---------------------------------------------------------------- */

/* Find the row's cell for this recording, and add the row to the current blocks. */
static int row_open(struct adder *adder, uint32_t row, struct scratch **ret_scratch)
{
	struct tally_diff *diff = adder->diff;
	struct scratch *scratch;
	int ret = 0;

	while (adder->rows.len <= row && !ret)
		ret = tally_vec_push(&adder->rows, (struct scratch){0});
	if (ret)
		return ret;
	scratch = &adder->rows.data[row];
	if (!scratch->cell) {
		struct tally_diff_cell cell = {.recording = adder->number,
					       .next = diff->rows.data[row].first};

		ret = tally_vec_push(&diff->cells, cell);
		if (ret)
			return ret;
		scratch->cell = diff->rows.data[row].first = (uint32_t)diff->cells.len;
	}
	if (!scratch->in_fine)
		ret = tally_vec_push(&adder->fine, row);
	if (!ret && !scratch->in_wide)
		ret = tally_vec_push(&adder->wide, row);
	scratch->in_fine = scratch->in_wide = true;
	*ret_scratch = scratch;
	return ret;
}

static double weight_of(const struct adder *adder, const struct tally_bucket *bucket)
{
	return (double)(adder->diff->options.by_nr ? bucket->nr : bucket->period);
}

static int row_count(struct adder *adder, uint32_t row, const struct tally_bucket *bucket,
		     int measure)
{
	double weight = weight_of(adder, bucket);
	struct tally_diff_sum *sum;
	struct scratch *scratch;
	int ret = row_open(adder, row, &scratch);

	if (ret)
		return ret;
	sum = &adder->diff->cells.data[scratch->cell - 1].sums[measure];
	sum->weight += weight;
	sum->period += (double)bucket->period;
	sum->nr += (double)bucket->nr;
	/* The samples of a bucket have roughly equal weights. */
	sum->squares += weight * weight / (double)bucket->nr;
	scratch->fine[measure] += weight;
	scratch->wide[measure] += weight;
	return 0;
}

static int row_find(struct adder *adder, uint32_t comm, uint32_t frame, uint32_t *ret_row)
{
	struct diff_function *function = &adder->functions[frame];
	unsigned keys = adder->diff->options.keys;
	struct diff_key key = {
		.comm = comm,
		.file = keys & TALLY_KEY_DSO ? function->file : TALLY_NAME_NONE,
		.symbol = keys & TALLY_KEY_SYMBOL ? function->symbol : TALLY_NAME_NONE,
		.variant = keys & TALLY_KEY_SYMBOL ? function->variant : TALLY_NAME_NONE,
		.path = TALLY_NAME_NONE,
	};
	struct tally_diff_row *row;
	int ret = diff_row_find(adder->diff, &key, ret_row);

	if (ret)
		return ret;
	row = &adder->diff->rows.data[*ret_row];
	if (!row->seen[TALLY_SIDE_A] && !row->seen[TALLY_SIDE_B])
		row->cpumode = adder->profile->frames.all.data[frame].cpumode;
	row->seen[adder->recording->side] |=
		function->is_inlined ? DIFF_SEEN_INLINED : DIFF_SEEN_OUT_OF_LINE;
	if (!(keys & TALLY_KEY_COMM))
		function->row = *ret_row + 1;
	return 0;
}

/* Find or add the row of a function, and note that it was seen. */
static int frame_row(struct adder *adder, uint32_t comm, uint32_t frame, uint32_t *ret_row)
{
	uint32_t row = adder->functions[frame].row;

	if (!row)
		return row_find(adder, comm, frame, ret_row);
	*ret_row = row - 1;
	return 0;
}

/* Count a bucket towards a function's total. A function that is on the callchain several times is
 * counted once. */
static int count_total(struct adder *adder, uint32_t i, uint32_t comm, uint32_t frame)
{
	const struct tally_bucket *bucket = &adder->profile->buckets.data[i];
	uint32_t row;
	int ret = frame_row(adder, comm, frame, &row);

	if (ret || (row < adder->rows.len && adder->rows.data[row].stamp == i + 1))
		return ret;
	ret = row_count(adder, row, bucket, TALLY_DIFF_TOTAL);
	if (!ret)
		adder->rows.data[row].stamp = i + 1;
	return ret;
}

/* Note that the functions of a bucket's callchain were seen, which shows where they are inlined. */
static int mark_functions(struct adder *adder, const struct tally_bucket *bucket, uint32_t comm)
{
	struct tally_stack callers = tally_stacks_get(&adder->profile->stacks, bucket->key.callers);
	bool by_comm = adder->diff->options.keys & TALLY_KEY_COMM;
	uint32_t row;
	int ret = 0;

	if (bucket->key.leaf)
		ret = frame_row(adder, comm, bucket->key.leaf - 1, &row);
	while (!ret && adder->seen.len <= bucket->key.callers)
		ret = tally_vec_push(&adder->seen, false);
	if (ret || (adder->seen.data[bucket->key.callers] && !by_comm))
		return ret;
	adder->seen.data[bucket->key.callers] = true;
	for (uint32_t at = 0; at < callers.nr && !ret; at++)
		ret = frame_row(adder, comm, callers.frames[at], &row);
	return ret;
}

static int count_functions(struct adder *adder, uint32_t i, uint32_t comm)
{
	const struct tally_bucket *bucket = &adder->profile->buckets.data[i];
	struct tally_stack callers = tally_stacks_get(&adder->profile->stacks, bucket->key.callers);
	uint32_t row;
	int ret = frame_row(adder, comm, bucket->key.frame, &row);

	if (!ret)
		ret = row_count(adder, row, bucket, TALLY_DIFF_SELF);
	if (adder->diff->options.no_total)
		return ret ? ret : mark_functions(adder, bucket, comm);
	if (!ret)
		ret = count_total(adder, i, comm, bucket->key.frame);
	if (!ret && bucket->key.leaf)
		ret = count_total(adder, i, comm, bucket->key.leaf - 1);
	for (uint32_t at = 0; at < callers.nr && !ret; at++)
		ret = count_total(adder, i, comm, callers.frames[at]);
	return ret;
}

/* Add a function to the path, which is built from the outermost function inwards. If the function
 * is already on the path, it begins another round of recursion, and its former callees are removed
 * from the path. */
static int path_step(struct adder *adder, uint32_t frame)
{
	uint32_t name = adder->functions[frame].symbol;

	for (size_t i = 0; i < adder->path.len; i++) {
		if (adder->path.data[i] == name) {
			adder->path.len = i + 1;
			return 0;
		}
	}
	return tally_vec_push(&adder->path, name);
}

static int count_path(struct adder *adder, uint32_t i, uint32_t comm)
{
	const struct tally_bucket *bucket = &adder->profile->buckets.data[i];
	struct tally_stack callers = tally_stacks_get(&adder->profile->stacks, bucket->key.callers);
	struct diff_key key = {.comm = comm,
			       .file = TALLY_NAME_NONE,
			       .symbol = TALLY_NAME_NONE,
			       .variant = TALLY_NAME_NONE};
	uint32_t row = 0;
	int ret = 0;

	adder->path.len = 0;
	for (uint32_t at = callers.nr; at > 0 && !ret; at--)
		ret = path_step(adder, callers.frames[at - 1]);
	if (!ret)
		ret = path_step(adder, tally_bucket_leaf(&bucket->key));
	if (!ret)
		ret = tally_intern(&adder->diff->paths, (const char *)adder->path.data,
				   adder->path.len * sizeof(*adder->path.data), &key.path);
	if (!ret)
		ret = diff_row_find(adder->diff, &key, &row);
	if (ret)
		return ret;
	adder->diff->rows.data[row].seen[adder->recording->side] = DIFF_SEEN_OUT_OF_LINE;
	return row_count(adder, row, bucket, TALLY_DIFF_SELF);
}

/* Count a bucket towards the total that shares are relative to. */
static void count_base(struct adder *adder, const struct tally_bucket *bucket)
{
	struct tally_diff_recording *recording = adder->recording;
	double weight = weight_of(adder, bucket);

	recording->nr += bucket->nr;
	recording->period += bucket->period;
	recording->weight += weight;
	recording->squares += weight * weight / (double)bucket->nr;
	adder->fine_weight += weight;
	adder->wide_weight += weight;
}

static bool bucket_passes(const struct adder *adder, const struct tally_bucket *bucket)
{
	uint32_t comm = tally_machine_comm_of(adder->profile->machine, bucket->key.comm);

	return !profile_filters(adder->profile) ||
	       profile_passes(adder->profile, comm, bucket->key.frame);
}

static int count_bucket(struct adder *adder, uint32_t i)
{
	const struct tally_bucket *bucket = &adder->profile->buckets.data[i];
	bool passes = bucket_passes(adder, bucket);
	uint32_t comm = TALLY_NAME_NONE;
	int ret = 0;

	if (passes || !adder->diff->options.relative)
		count_base(adder, bucket);
	if (!passes)
		return 0;
	if (adder->diff->options.keys & TALLY_KEY_COMM)
		ret = comm_find(adder, bucket->key.comm, &comm);
	if (ret)
		return ret;
	return adder->diff->options.by_path ? count_path(adder, i, comm)
					    : count_functions(adder, i, comm);
}

/* ---- ends of blocks ---------------------------------------------------------- */

static void fine_end(struct adder *adder)
{
	double weight = adder->fine_weight;

	tally_vec_for_each (number, &adder->fine) {
		struct scratch *row = &adder->rows.data[*number];
		struct tally_diff_cell *cell = &adder->diff->cells.data[row->cell - 1];

		for (int m = 0; m < TALLY_DIFF_NR_METRICS; m++) {
			cell->sums[m].fine_xx += row->fine[m] * row->fine[m];
			cell->sums[m].fine_xw += row->fine[m] * weight;
			row->fine[m] = 0;
		}
		row->in_fine = false;
	}
	adder->fine.len = 0;
	adder->recording->fine_nr += weight > 0;
	adder->recording->fine_ww += weight * weight;
	adder->fine_weight = 0;
}

static void wide_end(struct adder *adder)
{
	double weight = adder->wide_weight;

	tally_vec_for_each (number, &adder->wide) {
		struct scratch *row = &adder->rows.data[*number];
		struct tally_diff_cell *cell = &adder->diff->cells.data[row->cell - 1];

		for (int m = 0; m < TALLY_DIFF_NR_METRICS; m++) {
			cell->sums[m].wide_xx += row->wide[m] * row->wide[m];
			cell->sums[m].wide_xw += row->wide[m] * weight;
			row->wide[m] = 0;
		}
		row->in_wide = false;
	}
	adder->wide.len = 0;
	adder->recording->wide_nr += weight > 0;
	adder->recording->wide_ww += weight * weight;
	adder->wide_weight = 0;
}

static int count_all(struct adder *adder)
{
	const struct tally_bucket *buckets = adder->profile->buckets.data;
	uint32_t block = 0;
	int ret = 0;

	for (size_t i = 0; i < adder->order.len && !ret; i++) {
		uint32_t next = block_of(adder, &buckets[adder->order.data[i]]);

		if (next != block)
			fine_end(adder);
		if (next >> WIDE_BITS != block >> WIDE_BITS)
			wide_end(adder);
		block = next;
		ret = count_bucket(adder, adder->order.data[i]);
	}
	if (!ret) {
		fine_end(adder);
		wide_end(adder);
	}
	return ret;
}

static void adder_free(struct adder *adder)
{
	free(adder->functions);
	tally_vec_free(&adder->order);
	tally_vec_free(&adder->rows);
	tally_vec_free(&adder->fine);
	tally_vec_free(&adder->wide);
	tally_vec_free(&adder->path);
	tally_vec_free(&adder->seen);
}

int tally_diff_add(struct tally_diff *diff, const struct tally_diff_recording *recording,
		   struct tally_profile *profile, uint32_t event)
{
	struct adder adder = {.diff = diff, .profile = profile};
	int ret = tally_vec_push(&diff->recordings, *recording);

	if (ret)
		return ret;
	adder.number = (uint32_t)diff->recordings.len - 1;
	adder.recording = &diff->recordings.data[adder.number];
	profile->options.filter = diff->options.filter;
	diff->has_paths = !diff->options.no_total && profile->stats.chains &&
			  (adder.number == 0 || diff->has_paths);
	diff->has_some_paths |= profile->stats.chains != 0;
	diff->nr_of[recording->side]++;
	ret = diff_functions_make(diff, profile, &adder.functions);
	if (!ret)
		ret = adder_order(&adder, event);
	if (!ret)
		ret = count_all(&adder);
	adder_free(&adder);
	return ret;
}
