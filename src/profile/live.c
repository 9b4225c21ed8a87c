/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Live profiles: old samples decay, and memory that is no longer needed is freed. Objects are not
 * freed individually: when enough of them are unused, the tables are rebuilt without them.
 */
#include <stdlib.h>

#include "base/arith.h"
#include "profile/buckets.h"
#include "profile/process/machine_private.h"

/* A bucket is dropped if its period is at most its event's total period >> DROP_SHIFT. */
enum { DROP_SHIFT = 20 };

static void decay_counts(uint64_t *nr, uint64_t *period)
{
	*nr = tally_mul_div(*nr, 7, 8);
	*period = tally_mul_div(*period, 7, 8);
}

static bool bucket_is_negligible(const struct tally_profile *profile,
				 const struct tally_bucket *bucket)
{
	return bucket->period <= profile->totals.data[bucket->key.event].period >> DROP_SHIFT;
}

/* Recompute the displayed totals, so that shares add up to 100% despite rounding. */
static void totals_sum(struct tally_profile *profile)
{
	tally_vec_for_each (bucket, &profile->buckets) {
		struct tally_profile_total *total = &profile->totals.data[bucket->key.event];

		total->nr_shown += bucket->nr;
		tally_sum_add(&total->period_shown, bucket->period);
	}
}

int tally_profile_decay(struct tally_profile *profile)
{
	int ret = tally_profile_finish(profile);
	size_t left = 0, dropped;

	if (ret)
		return ret;
	tally_vec_for_each (total, &profile->totals) {
		decay_counts(&total->nr, &total->period);
		total->nr_shown = total->period_shown = 0;
	}
	tally_vec_for_each (bucket, &profile->buckets) {
		decay_counts(&bucket->nr, &bucket->period);
		/* Sums rely on every existing bucket having at least one sample. */
		bucket->nr = TALLY_MAX(bucket->nr, (uint64_t)1);
		if (!bucket_is_negligible(profile, bucket))
			profile->buckets.data[left++] = *bucket;
	}
	dropped = profile->buckets.len - left;
	profile->nr_dropped += dropped;
	profile->buckets.len = left;
	totals_sum(profile);
	return dropped ? profile_buckets_index(profile) : 0;
}

void tally_profile_zero(struct tally_profile *profile)
{
	(void)tally_profile_finish(profile);
	profile->nr_dropped += profile->buckets.len;
	profile->buckets.len = 0;
	tally_vec_for_each (total, &profile->totals)
		*total = (struct tally_profile_total){0};
	(void)profile_buckets_index(profile);
}

int tally_profile_relabel(struct tally_profile *profile, const uint32_t *labels)
{
	tally_vec_for_each (bucket, &profile->buckets)
		bucket->key.label = labels[bucket->key.label] - 1;
	return profile_buckets_index(profile);
}

/* ---- garbage collection ---------------------------------------------------- */

/* Marks for frames and stacks. The marks are later replaced with the new numbers. */
struct frame_marks {
	uint32_t *frames, *stacks;
};

static void mark_stack(const struct tally_profile *profile, struct frame_marks *marks,
		       uint32_t number)
{
	struct tally_stack stack = tally_stacks_get(&profile->stacks, number);

	marks->stacks[number] = 1;
	for (uint32_t i = 0; i < stack.nr; i++)
		marks->frames[stack.frames[i]] = 1;
}

/* Mark everything that buckets refer to. */
static void mark_buckets(const struct tally_profile *profile, struct frame_marks *marks,
			 struct machine_sweep *sweep)
{
	tally_vec_for_each (bucket, &profile->buckets) {
		const struct tally_bucket_key *key = &bucket->key;

		marks->frames[key->frame] = 1;
		if (key->leaf)
			marks->frames[key->leaf - 1] = 1;
		if (!marks->stacks[key->callers])
			mark_stack(profile, marks, key->callers);
		sweep->comms[key->comm] = 1;
		sweep->threads[key->thread] = 1;
	}
	for (size_t i = 0; i < profile->frames.all.len; i++) {
		struct tally_dso *dso = profile->frames.all.data[i].dso;

		if (marks->frames[i] && dso)
			sweep->dsos[tally_dso_number(dso)] = 1;
	}
	sweep->threads[0] = 1;
	sweep->comms[0] = 1;
}

static void renumber_buckets(struct tally_profile *profile, const struct frame_marks *marks,
			     const struct machine_sweep *sweep)
{
	tally_vec_for_each (bucket, &profile->buckets) {
		struct tally_bucket_key *key = &bucket->key;

		key->comm = sweep->new_comms[key->comm];
		key->thread = sweep->new_threads[key->thread];
		key->frame = marks->frames[key->frame];
		key->leaf = key->leaf ? marks->frames[key->leaf - 1] + 1 : 0;
		key->callers = key->callers ? marks->stacks[key->callers] : TALLY_STACK_NONE;
	}
}

static int sweep_all(struct tally_profile *profile, struct frame_marks *marks,
		     struct machine_sweep *sweep)
{
	int ret, swept;

	mark_buckets(profile, marks, sweep);
	ret = machine_sweep(profile->machine, sweep);
	if (ret)
		return ret;
	ret = tally_frames_sweep(&profile->frames, marks->frames);
	swept = tally_stacks_sweep(&profile->stacks, marks->stacks, marks->frames);
	renumber_buckets(profile, marks, sweep);
	profile->frame_verdicts.len = 0;
	profile_caches_clear(profile);
	profile->nr_dropped = 0;
	profile->nr_dsos = tally_symbols_nr_dsos(profile->machine->symbols);
	ret = ret ? ret : swept;
	return ret ? ret : profile_buckets_index(profile);
}

/* Return true if garbage collection is worthwhile: there are more than a few unused objects, and
 * they make up a large part of all objects. */
static bool sweep_is_due(const struct tally_profile *profile, size_t nr_gone)
{
	size_t threads = profile->machine->all_threads.len;
	size_t dsos = tally_symbols_nr_dsos(profile->machine->symbols);

	return profile->nr_dropped > profile->buckets.len + 4096 || nr_gone > threads / 3 + 512 ||
	       dsos > 2 * profile->nr_dsos + 128;
}

int tally_profile_collect(struct tally_profile *profile, size_t nr_gone)
{
	struct machine_sweep sweep;
	struct frame_marks marks;
	int ret = tally_profile_finish(profile);

	if (ret || !sweep_is_due(profile, nr_gone))
		return ret;
	marks.frames = calloc(profile->frames.all.len + 1, sizeof(*marks.frames));
	marks.stacks = calloc(profile->stacks.words.len + 1, sizeof(*marks.stacks));
	ret = marks.frames && marks.stacks ? machine_sweep_init(profile->machine, &sweep) : -ENOMEM;
	if (!ret) {
		ret = sweep_all(profile, &marks, &sweep);
		machine_sweep_free(&sweep);
	}
	free(marks.frames);
	free(marks.stacks);
	return ret;
}
