/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/expand.h"

#include <stdlib.h>

#include "base/arith.h"

/* Expansion of an old frame into a range of new frames, innermost first. */
struct expansion {
	uint32_t first, nr; /* range in struct expand's `list` */
	uint32_t self;      /* new frame for a sample in the old frame */
};

struct expand {
	struct tally_profile *profile;
	struct tally_frames frames;
	struct tally_stacks stacks;
	struct expansion *of; /* indexed by old frame */
	TALLY_VEC(uint32_t) list;
	struct tally_map stacks_of; /* maps leaf << 32 | callers to the new stack */
	TALLY_VEC(uint32_t) stack;  /* stack being built */
};

/* ---- look-up of lines --------------------------------------------------------- */

static int ask_all(const struct tally_frames *frames)
{
	struct tally_dso_address *exact = calloc(frames->all.len + 1, sizeof(*exact));
	size_t nr = 0;

	if (!exact)
		return -ENOMEM;
	tally_vec_for_each (frame, &frames->all) {
		if (frame->is_exact)
			exact[nr++] = (struct tally_dso_address){frame->dso, frame->addr};
	}
	tally_lines_prepare(exact, nr);
	free(exact);
	return 0;
}

/* ---- frames ------------------------------------------------------------------- */

/* Add a frame for a function. The frame has a line only with one of the options `having`
 * (TALLY_LINES_*). */
static int function_add(struct expand *expand, const struct tally_frame *from,
			const struct tally_symbol *symbol, const struct tally_line *line,
			unsigned having, uint32_t *ret_frame)
{
	struct tally_frame frame = *from;

	frame.symbol = symbol;
	frame.is_exact = expand->profile->options.lines & having;
	frame.line = frame.is_exact ? line : NULL;
	return tally_frames_add(&expand->frames, &frame, ret_frame);
}

static int list_function(struct expand *expand, const struct tally_frame *from,
			 const struct tally_symbol *symbol, const struct tally_line *line)
{
	uint32_t frame;
	int ret = function_add(expand, from, symbol, line, TALLY_LINES_ALL, &frame);

	return ret ? ret : tally_vec_push(&expand->list, frame);
}

static int frame_expand(struct expand *expand, const struct tally_frame *from,
			struct expansion *ret_expansion)
{
	const struct tally_line *lines = NULL;
	const struct tally_symbol *inlined;
	bool is_inlined = expand->profile->options.lines & TALLY_LINES_INLINED;
	size_t nr = from->is_exact ? tally_dso_lines(from->dso, from->addr, &lines, NULL) : 0;
	uint32_t self;
	int ret = 0;

	ret_expansion->first = (uint32_t)expand->list.len;
	for (size_t i = 0; i + 1 < nr && is_inlined && !ret; i++) {
		ret = tally_line_symbol(from->dso, &lines[i], &inlined);
		if (!ret)
			ret = list_function(expand, from, inlined, &lines[i]);
	}
	if (!ret)
		ret = from->is_exact ? list_function(expand, from, from->symbol,
						     nr ? &lines[is_inlined ? nr - 1 : 0] : NULL)
				     : tally_vec_push(&expand->list, 0);
	if (!ret && !from->is_exact)
		ret = tally_frames_add(&expand->frames, from,
				       &expand->list.data[expand->list.len - 1]);
	ret_expansion->nr = (uint32_t)expand->list.len - ret_expansion->first;
	if (ret)
		return ret;
	ret_expansion->self = self =
		expand->list.data[expand->profile->options.lines & TALLY_LINES_SELF
					  ? ret_expansion->first
					  : expand->list.len - 1];
	if (from->is_exact && nr)
		ret = function_add(expand, from, expand->frames.all.data[self].symbol, lines,
				   TALLY_LINES_ALL | TALLY_LINES_OWN, &ret_expansion->self);
	return ret;
}

static int frames_expand(struct expand *expand)
{
	const struct tally_frames *frames = &expand->profile->frames;
	int ret = ask_all(frames);

	expand->of = calloc(frames->all.len + 1, sizeof(*expand->of));
	if (!expand->of)
		return -ENOMEM;
	for (size_t i = 0; i < frames->all.len && !ret; i++)
		ret = frame_expand(expand, &frames->all.data[i], &expand->of[i]);
	return ret;
}

/* ---- stacks ------------------------------------------------------------------- */

static int stack_push(struct expand *expand, const struct expansion *of, uint32_t first)
{
	int ret = 0;

	for (uint32_t i = first; i < of->nr && !ret; i++)
		ret = tally_vec_push(&expand->stack, expand->list.data[of->first + i]);
	return ret;
}

/* Return the innermost frame + 1 of a bucket that is not yet expanded, or 0 if only the functions
 * of callchains are distinguished and there is no callchain. */
static uint32_t bucket_leaf(const struct expand *expand, const struct tally_bucket_key *key)
{
	const struct tally_profile_options *options = &expand->profile->options;

	if (key->leaf || !(options->lines & TALLY_LINES_SELF) || !(options->by & TALLY_BY_FRAME))
		return key->leaf;
	return key->frame + 1;
}

/* Build a stack from the functions that the innermost function was inlined into, followed by the
 * callers. */
static int stack_make(struct expand *expand, uint32_t leaf, uint32_t callers, uint32_t *ret_stack)
{
	struct tally_stack old = tally_stacks_get(&expand->profile->stacks, callers);
	int ret = 0;

	expand->stack.len = 0;
	if (leaf)
		ret = stack_push(expand, &expand->of[leaf - 1], 1);
	for (uint32_t i = 0; i < old.nr && !ret; i++)
		ret = stack_push(expand, &expand->of[old.frames[i]], 0);
	*ret_stack = TALLY_STACK_NONE;
	if (ret || !expand->stack.len)
		return ret;
	return tally_stacks_find(&expand->stacks, expand->stack.data, (uint32_t)expand->stack.len,
				 tally_stacks_hash(expand->stack.data, (uint32_t)expand->stack.len),
				 ret_stack);
}

static int bucket_expand(struct expand *expand, struct tally_bucket_key *key)
{
	uint32_t leaf = bucket_leaf(expand, key);
	uint64_t old = (uint64_t)leaf << 32 | key->callers;
	uint64_t known = tally_map_get(&expand->stacks_of, old);
	uint32_t stack = (uint32_t)known;
	int ret = 0;

	if (known == TALLY_MAP_NONE) {
		ret = stack_make(expand, leaf, key->callers, &stack);
		if (!ret)
			ret = tally_map_set(&expand->stacks_of, old, stack);
	}
	key->callers = stack;
	if (key->leaf)
		key->leaf = expand->list.data[expand->of[key->leaf - 1].first] + 1;
	if (expand->profile->options.by & TALLY_BY_FRAME)
		key->frame = expand->of[key->frame].self;
	return ret;
}

int profile_expand(struct tally_profile *profile)
{
	struct expand expand = {.profile = profile};
	int ret = frames_expand(&expand);

	tally_vec_for_each (bucket, &profile->buckets) {
		if (!ret)
			ret = bucket_expand(&expand, &bucket->key);
	}
	if (!ret) {
		struct tally_frames frames = profile->frames;
		struct tally_stacks stacks = profile->stacks;

		profile->frames = expand.frames;
		profile->stacks = expand.stacks;
		expand.frames = frames;
		expand.stacks = stacks;
		profile->frame_verdicts.len = 0;
	}
	tally_frames_free(&expand.frames);
	tally_stacks_free(&expand.stacks);
	free(expand.of);
	tally_vec_free(&expand.list);
	tally_vec_free(&expand.stack);
	tally_map_free(&expand.stacks_of);
	return ret;
}
