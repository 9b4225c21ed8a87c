/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds a recording's functions to a page's frames. */
#include <errno.h>

#include "base/arith.h"
#include "page/page_table.h"
#include "profile/functions.h"
#include "profile/short_names.h"

struct framer {
	struct tally_html *page;
	const struct tally_profile *profile;
	uint32_t *functions; /* indexed by frame: first frame of the same function */
	uint8_t *is_used;    /* nonzero if the function with this first frame has samples */
	uint32_t *order;     /* used frames sorted by address */
	size_t nr;
	struct tally_intern seen;   /* words of the frames added so far */
	TALLY_VEC(uint32_t) counts; /* indexed like `seen`: number of functions with these words */
	uint32_t *numbers;          /* indexed by frame: index in the page + 1 */
};

static void mark_used(struct framer *framer, const struct tally_bucket_key *key)
{
	struct tally_stack callers = tally_stacks_get(&framer->profile->stacks, key->callers);

	for (uint32_t i = 0; i < callers.nr; i++)
		framer->is_used[framer->functions[callers.frames[i]]] = true;
	if (key->leaf)
		framer->is_used[framer->functions[key->leaf - 1]] = true;
	framer->is_used[framer->functions[key->frame]] = true;
}

static uint64_t address_of(const struct tally_frame *frame)
{
	return frame->symbol ? frame->symbol->start : 0;
}

static int by_address(const void *a, const void *b, void *arg)
{
	const struct tally_frame *frames = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t from = address_of(&frames[x]), to = address_of(&frames[y]);

	if (from != to)
		return from > to ? 1 : -1;
	return (x > y) - (x < y);
}

static void order_make(struct framer *framer)
{
	const struct tally_frames *frames = &framer->profile->frames;

	for (uint32_t i = 0; i < frames->all.len; i++) {
		if (framer->is_used[i])
			framer->order[framer->nr++] = i;
	}
	qsort_r(framer->order, framer->nr, sizeof(*framer->order), by_address, frames->all.data);
}

/* Add a frame. Frames with the same words are distinguished by consecutive numbers. */
static int frame_add(struct framer *framer, uint32_t number)
{
	size_t nr = framer->seen.strings.len;
	uint32_t words[PAGE_FRAME_WORDS] = {0}, id;
	const struct tally_frame *frame = &framer->profile->frames.all.data[number];
	const char *short_name =
		frame->symbol ? tally_profile_short_name(framer->profile, number) : NULL;
	int ret = page_frame_words(framer->page, frame, words);

	if (!ret)
		ret = tally_intern(&framer->seen, (const char *)words, sizeof(words), &id);
	if (!ret && nr != framer->seen.strings.len)
		ret = tally_vec_push(&framer->counts, 0);
	if (!ret)
		ret = page_frame(framer->page, words, framer->counts.data[id]++, short_name,
				 &framer->numbers[number]);
	framer->numbers[number] += !ret;
	return ret;
}

static int framer_run(struct framer *framer, const uint8_t *passes)
{
	const struct tally_profile *profile = framer->profile;
	size_t nr = profile->frames.all.len;
	int ret = tally_functions_build(profile, &framer->functions);

	framer->is_used = calloc(nr + 1, sizeof(*framer->is_used));
	framer->order = calloc(nr + 1, sizeof(*framer->order));
	framer->numbers = calloc(nr + 1, sizeof(*framer->numbers));
	if (ret || !framer->is_used || !framer->order || !framer->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < profile->buckets.len; i++) {
		if (!passes || passes[i])
			mark_used(framer, &profile->buckets.data[i].key);
	}
	order_make(framer);
	for (size_t i = 0; i < framer->nr && !ret; i++)
		ret = frame_add(framer, framer->order[i]);
	for (size_t i = 0; i < nr; i++)
		framer->numbers[i] = framer->numbers[framer->functions[i]];
	return ret;
}

int page_frames(struct tally_html *page, const struct tally_html_recording *recording)
{
	struct framer framer = {.page = page, .profile = recording->profile};
	int ret;

	tally_file_names_begin(&page->files.names);
	ret = framer_run(&framer, recording->passes);
	free(framer.functions);
	free(framer.is_used);
	free(framer.order);
	tally_intern_free(&framer.seen);
	tally_vec_free(&framer.counts);
	free(page->last_frames);
	page->last_frames = framer.numbers;
	return ret;
}
