/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callchains to paths. Most chains were seen before but for their innermost address, so the
 * callers are looked up as a whole, by their bytes, and only the innermost one by itself. What is
 * not known as a whole is walked only up to an outer part that is.
 */
#include "base/arith.h"
#include "profile/profile_private.h"

enum { TAIL = 8 };

/* A chain being walked: what mode its next address is in, how many frames it has given. */
struct walk {
	const struct tally_thread *thread;
	uint8_t cpumode;
	uint32_t frames;
	bool was_cut;
	bool is_bad; /* a marker that is not known: the chain was walked astray */
};

/* The path of a chain that is dropped whole. */
#define PATH_BAD UINT32_MAX

static int walk_ip(struct tally_profile *profile, struct walk *walk, uint64_t ip)
{
	int mode = tally_context_cpumode(ip);
	uint32_t frame;
	int ret;

	if (mode >= 0)
		walk->cpumode = (uint8_t)mode;
	walk->is_bad |= mode == -1;
	if (mode != -2)
		return 0;
	if (walk->frames >= profile->options.max_stack) {
		walk->was_cut = true;
		return 0;
	}
	ret = profile_frame(profile, walk->thread, walk->cpumode, ip, &frame);
	if (!ret)
		ret = tally_vec_push(&profile->scratch, frame);
	walk->frames += !ret;
	return ret;
}

static int cached_callers(struct tally_profile *profile, struct walk *walk,
			  struct tally_words chain, uint64_t first, uint32_t *ret_path);

/* Where to cut what is left of a chain: the outer part, a multiple of TAIL entries seen from the
 * outermost one, is the same in many chains. Chains that may be longer than what is taken stay
 * in one piece. */
static uint64_t tail_start(const struct tally_profile *profile, struct tally_words chain,
			   uint64_t first)
{
	if (chain.nr > profile->options.max_stack)
		return chain.nr;
	return chain.nr - (chain.nr - first - 1) / TAIL * TAIL;
}

/* The path of the addresses from `first` on, outermost first in the tree. */
static int callers_path(struct tally_profile *profile, struct walk *walk, struct tally_words chain,
			uint64_t first, uint32_t *ret_path)
{
	uint64_t tail = tail_start(profile, chain, first);
	size_t base = profile->scratch.len;
	uint32_t path = TALLY_PATH_NONE;
	int ret = 0;

	for (uint64_t i = first; i < tail && !ret && !walk->was_cut; i++)
		ret = walk_ip(profile, walk, tally_words_get(chain, i));
	if (!ret && tail < chain.nr)
		ret = cached_callers(profile, walk, chain, tail, &path);
	if (walk->is_bad)
		path = PATH_BAD;
	for (size_t i = profile->scratch.len; i-- > base && !ret && path != PATH_BAD;)
		ret = tally_paths_child(&profile->paths, path, profile->scratch.data[i], &path);
	profile->scratch.len = base;
	if (!ret)
		*ret_path = path;
	return ret;
}

static int cached_callers(struct tally_profile *profile, struct walk *walk,
			  struct tally_words chain, uint64_t first, uint32_t *ret_path)
{
	uint64_t salt = tally_machine_space(profile->machine, walk->thread) << 3 | walk->cpumode;
	const uint8_t *bytes = chain.data + 8 * first;
	size_t len = 8 * (size_t)(chain.nr - first);
	uint64_t hash, known;
	int ret;

	known = tally_cache_get(&profile->chains, salt, bytes, len, &hash);
	if (known != TALLY_CACHE_MISS) {
		*ret_path = (uint32_t)known;
		walk->is_bad |= known == PATH_BAD;
		return 0;
	}
	ret = callers_path(profile, walk, chain, first, ret_path);
	if (!ret)
		tally_cache_put(&profile->chains, salt, bytes, len, hash, *ret_path);
	return ret;
}

/* Whether a chain has more frames than are taken. */
static bool chain_is_cut(const struct tally_profile *profile, struct tally_words chain)
{
	uint64_t frames = 0;

	if (chain.nr <= profile->options.max_stack)
		return false;
	for (uint64_t i = 0; i < chain.nr; i++)
		frames += tally_context_cpumode(tally_words_get(chain, i)) == -2;
	return frames > profile->options.max_stack;
}

int profile_chain(struct tally_profile *profile, const struct tally_thread *thread, uint8_t cpumode,
		  struct tally_words chain, struct tally_pending *add)
{
	struct walk walk = {.thread = thread, .cpumode = cpumode};
	uint32_t path = TALLY_PATH_NONE, leaf;
	uint64_t first = 0;
	int ret = 0, mode;

	profile->stats.chains++;
	profile->stats.cut_chains += chain_is_cut(profile, chain);
	/* Markers in front of the innermost address. */
	while (first < chain.nr &&
	       (mode = tally_context_cpumode(tally_words_get(chain, first))) != -2) {
		if (mode >= 0)
			walk.cpumode = (uint8_t)mode;
		walk.is_bad |= mode == -1;
		first++;
	}
	if (first == chain.nr)
		return 0;
	walk.frames = 1;
	profile->stats.leaf_only += first + 1 == chain.nr && walk.cpumode == PERF_RECORD_MISC_USER;
	ret = profile_frame(profile, thread, walk.cpumode, tally_words_get(chain, first), &leaf);
	if (!ret && first + 1 < chain.nr)
		ret = cached_callers(profile, &walk, chain, first + 1, &path);
	if (ret)
		return ret;
	/* perf drops such chains whole; so do its rows and ours. */
	if (walk.is_bad) {
		profile->stats.bad_chains++;
		return 0;
	}
	add->key.path = path;
	add->leaf = leaf;
	add->has_leaf = true;
	return 0;
}
