/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds a recording's functions to a page's frames. */
#include <errno.h>

#include "base/arith.h"
#include "page/page_table.h"
#include "profile/frame_text.h"
#include "profile/functions.h"
#include "profile/short_names.h"

enum { DEMANGLED_MAX = 64 << 20 }; /* limit for names with parameters, in bytes */

/* The words and the variant of a frame. */
struct named_frame {
	uint32_t words[PAGE_FRAME_WORDS], variant;
};

struct framer {
	struct tally_html *page;
	const struct tally_profile *profile;
	uint32_t *functions; /* indexed by frame: first frame of the same function */
	uint8_t *is_used;    /* nonzero if the function with this first frame has samples */
	uint32_t *order;     /* used frames sorted by address */
	size_t nr;
	struct named_frame *named; /* indexed like `order` */
	struct page_variants variants;
	struct tally_intern seen;   /* words and variants of the frames added so far */
	TALLY_VEC(uint32_t) counts; /* indexed like `seen`: number of functions with these words */
	uint64_t left;              /* budget for names with parameters */
	struct tally_str text;
	uint32_t *numbers; /* indexed by frame: index in the page + 1 */
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

static int frame_name(struct framer *framer, size_t i)
{
	const struct tally_frame *frame = &framer->profile->frames.all.data[framer->order[i]];
	struct tally_intern *names = &framer->page->variant_names;
	struct named_frame *named = &framer->named[i];
	int ret = page_frame_words(framer->page, frame, named->words);

	tally_str_clear(&framer->text);
	tally_frame_add_variant(frame, &framer->left, &framer->text);
	if (!ret)
		ret = tally_str_error(&framer->text);
	if (!ret && frame->symbol)
		ret = tally_intern(names, tally_str_text(&framer->text), framer->text.len,
				   &named->variant);
	return ret ? ret : page_variants_add(&framer->variants, named->words, named->variant);
}

/* Add a frame. Frames with the same words and variant are distinguished by consecutive numbers. */
static int frame_add(struct framer *framer, size_t i)
{
	size_t nr = framer->seen.strings.len;
	uint32_t number = framer->order[i], id;
	struct named_frame named = framer->named[i];
	const char *short_name = framer->profile->frames.all.data[number].symbol
					 ? tally_profile_short_name(framer->profile, number)
					 : NULL;
	int ret = page_variants_choose(&framer->page->variants, &framer->variants, named.words,
				       named.variant, &named.variant);

	if (!ret)
		ret = tally_intern(&framer->seen, (const char *)&named, sizeof(named), &id);
	if (!ret && nr != framer->seen.strings.len)
		ret = tally_vec_push(&framer->counts, 0);
	if (!ret)
		ret = page_frame(framer->page, named.words, named.variant,
				 framer->counts.data[id]++, short_name, &framer->numbers[number]);
	framer->numbers[number] += !ret;
	return ret;
}

static int frames_add(struct framer *framer)
{
	int ret = 0;

	framer->named = calloc(framer->nr + 1, sizeof(*framer->named));
	if (!framer->named)
		return -ENOMEM;
	for (size_t i = 0; i < framer->nr && !ret; i++)
		ret = frame_name(framer, i);
	for (size_t i = 0; i < framer->nr && !ret; i++)
		ret = frame_add(framer, i);
	for (size_t i = 0; i < framer->nr && !ret; i++)
		ret = page_variants_add(&framer->page->variants, framer->named[i].words,
					framer->named[i].variant);
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
	ret = frames_add(framer);
	for (size_t i = 0; i < nr; i++)
		framer->numbers[i] = framer->numbers[framer->functions[i]];
	return ret;
}

int page_frames(struct tally_html *page, const struct tally_html_recording *recording)
{
	struct framer framer = {.page = page, .profile = recording->profile, .left = DEMANGLED_MAX};
	int ret;

	tally_file_names_begin(&page->files.names);
	ret = framer_run(&framer, recording->passes);
	free(framer.functions);
	free(framer.is_used);
	free(framer.order);
	free(framer.named);
	page_variants_free(&framer.variants);
	tally_str_free(&framer.text);
	tally_intern_free(&framer.seen);
	tally_vec_free(&framer.counts);
	free(page->last_frames);
	page->last_frames = framer.numbers;
	return ret;
}
