/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "profile/frame_kind.h"
#include "profile/frame_text.h"
#include "profile/functions.h"

/* A callchain after folding. */
struct folded_chain {
	uint32_t leaf, callers;
};

/* Like TALLY_FOLD_*, for the functions in tally_fold.functions. */
enum { FOLD_CHOSEN = 1 << 2, FOLD_KINDS = 3 };

struct folder {
	struct tally_profile *profile;
	unsigned what;          /* mask of TALLY_FOLD_* and FOLD_CHOSEN */
	uint8_t *kinds;         /* by frame: its kinds, for the frames at the start */
	struct tally_map known; /* callchain: leaf << 32 | callers; value: index in `all` */
	TALLY_VEC(struct folded_chain) all;
	TALLY_VEC(uint32_t) chain; /* the callchain being folded, innermost first */
};

static bool is_chosen(const struct tally_fold *fold, const struct tally_frame *frame)
{
	for (size_t i = 0; i < fold->nr_functions; i++) {
		if (fold->functions[i] == tally_frame_function(frame))
			return true;
	}
	return false;
}

static int kinds_find(struct folder *folder, const struct tally_fold *fold)
{
	const struct tally_frames *frames = &folder->profile->frames;

	folder->kinds = calloc(frames->all.len + 1, 1);
	if (!folder->kinds)
		return -ENOMEM;
	for (size_t i = 0; i < frames->all.len; i++) {
		const struct tally_frame *frame = &frames->all.data[i];
		const char *path = frame->dso ? tally_dso_name(frame->dso) : NULL;

		if (tally_frame_is_inlined(frame))
			folder->kinds[i] |= TALLY_FOLD_INLINED;
		if (tally_frame_is_foreign(frame, path))
			folder->kinds[i] |= TALLY_FOLD_FOREIGN;
		if (is_chosen(fold, frame))
			folder->kinds[i] |= FOLD_CHOSEN;
	}
	return 0;
}

/* Remove the functions of a kind from the callchain, but keep the outermost one if no other is
 * left. */
static void chain_remove(struct folder *folder, unsigned kind)
{
	size_t nr = folder->chain.len, kept = 0;
	uint32_t *frames = folder->chain.data, outermost = frames[nr - 1];

	for (size_t i = 0; i < nr; i++) {
		if (!(folder->kinds[frames[i]] & kind))
			frames[kept++] = frames[i];
	}
	if (!kept)
		frames[kept++] = outermost;
	folder->chain.len = kept;
}

static int chain_fold(struct folder *folder, uint32_t leaf, uint32_t callers,
		      struct folded_chain *ret_folded)
{
	struct tally_stack stack = tally_stacks_get(&folder->profile->stacks, callers);
	uint32_t nr;
	int ret;

	folder->chain.len = 0;
	ret = tally_vec_push(&folder->chain, leaf);
	for (uint32_t i = 0; i < stack.nr && !ret; i++)
		ret = tally_vec_push(&folder->chain, stack.frames[i]);
	if (ret)
		return ret;
	for (unsigned i = 0; i < FOLD_KINDS; i++) {
		if (folder->what & 1u << i)
			chain_remove(folder, 1u << i);
	}
	nr = (uint32_t)folder->chain.len - 1;
	*ret_folded = (struct folded_chain){folder->chain.data[0], TALLY_STACK_NONE};
	return nr ? tally_stacks_find(&folder->profile->stacks, folder->chain.data + 1, nr,
				      tally_stacks_hash(folder->chain.data + 1, nr),
				      &ret_folded->callers)
		  : 0;
}

/* Find a callchain after folding. */
static int folded_find(struct folder *folder, uint32_t leaf, uint32_t callers,
		       struct folded_chain *ret_folded)
{
	uint64_t key = (uint64_t)leaf << 32 | callers, known = tally_map_get(&folder->known, key);
	int ret;

	if (known != TALLY_MAP_NONE) {
		*ret_folded = folder->all.data[known];
		return 0;
	}
	ret = chain_fold(folder, leaf, callers, ret_folded);
	if (!ret)
		ret = tally_map_set(&folder->known, key, folder->all.len);
	return ret ? ret : tally_vec_push(&folder->all, *ret_folded);
}

/* Set the frame of a sample in a function that was folded into `leaf`. The source line stays that
 * of the sample, if both functions are in one file. */
static int frame_fold(struct folder *folder, uint32_t leaf, uint32_t *frame)
{
	const struct tally_frame *all = folder->profile->frames.all.data;
	struct tally_frame made = all[*frame];

	if (made.dso != all[leaf].dso || !made.line) {
		*frame = leaf;
		return 0;
	}
	made.symbol = all[leaf].symbol;
	return tally_frames_add(&folder->profile->frames, &made, frame);
}

static int key_fold(struct folder *folder, struct tally_bucket_key *key)
{
	unsigned kinds = folder->kinds[key->frame] & folder->what;
	struct folded_chain folded;
	int ret = folded_find(folder, tally_bucket_leaf(key), key->callers, &folded);

	if (!ret && kinds)
		ret = frame_fold(folder, folded.leaf, &key->frame);
	key->leaf = key->leaf ? folded.leaf + 1 : 0;
	key->callers = folded.callers;
	return ret;
}

static int folder_start(struct folder *folder, struct tally_profile *profile,
			const struct tally_fold *fold)
{
	*folder = (struct folder){.profile = profile,
				  .what = fold->what | (fold->nr_functions ? FOLD_CHOSEN : 0)};
	return kinds_find(folder, fold);
}

static void folder_free(struct folder *folder)
{
	free(folder->kinds);
	tally_map_free(&folder->known);
	tally_vec_free(&folder->all);
	tally_vec_free(&folder->chain);
}

int tally_selection_fold(struct tally_profile *profile, const struct tally_fold *fold,
			 struct tally_selection *selection)
{
	struct folder folder;
	struct tally_bucket *folded = malloc((selection->nr_buckets + 1) * sizeof(*folded));
	int ret = folder_start(&folder, profile, fold);

	if (!folded)
		ret = -ENOMEM;
	if (!ret)
		memcpy(folded, selection->buckets, selection->nr_buckets * sizeof(*folded));
	for (size_t i = 0; i < selection->nr_buckets && !ret; i++) {
		if (tally_selection_has(selection, &folded[i]))
			ret = key_fold(&folder, &folded[i].key);
	}
	folder_free(&folder);
	if (ret) {
		free(folded);
		return -ENOMEM;
	}
	free(selection->owned);
	selection->buckets = selection->owned = folded;
	return 0;
}

int tally_profile_fold(struct tally_profile *profile, const struct tally_fold *fold)
{
	struct folder folder;
	int ret = folder_start(&folder, profile, fold);

	tally_vec_for_each (bucket, &profile->buckets) {
		if (!ret)
			ret = key_fold(&folder, &bucket->key);
	}
	folder_free(&folder);
	return ret;
}
