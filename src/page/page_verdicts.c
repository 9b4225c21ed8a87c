/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the verdicts of a comparison to a page. */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "page/page_table.h"

/* A verdict is on the functions with its name, file and variant or, if there are none, on those
 * with its name and file. */
enum { KEY_EXACT, KEY_LOOSE, NR_KEYS };

enum { NO_VARIANT = UINT32_MAX };

/* The frames of a page by key. Frames with the same key are linked. */
struct frame_keys {
	struct tally_intern texts;
	struct tally_intern keys;
	TALLY_VEC(uint32_t) first; /* by key: frame + 1 */
	TALLY_VEC(uint32_t) next;  /* by frame and kind of key: next frame + 1 */
};

static int key_find(struct frame_keys *keys, const char *name, const char *file,
		    const char *variant, uint32_t *ret_key)
{
	uint32_t words[3] = {0, 0, NO_VARIANT};
	int ret = tally_intern(&keys->texts, name, strlen(name), &words[0]);

	if (!ret)
		ret = tally_intern(&keys->texts, file, strlen(file), &words[1]);
	if (!ret && variant)
		ret = tally_intern(&keys->texts, variant, strlen(variant), &words[2]);
	if (!ret)
		ret = tally_intern(&keys->keys, (const char *)words, sizeof(words), ret_key);
	if (!ret && *ret_key == keys->first.len)
		ret = tally_vec_push(&keys->first, 0);
	return ret;
}

static void frame_words(const struct tally_html *page, uint32_t frame,
			uint32_t words[PAGE_FRAME_ALL_WORDS])
{
	memcpy(words, page->frames.strings.data[frame].text, PAGE_FRAME_ALL_WORDS * sizeof(*words));
}

static int frame_add(const struct tally_html *page, uint32_t frame, struct frame_keys *keys)
{
	uint32_t words[PAGE_FRAME_ALL_WORDS], key;
	const char *name, *file, *variant;
	int ret = 0;

	frame_words(page, frame, words);
	name = tally_intern_text(&page->strings, words[0]);
	file = tally_mapped_name(tally_intern_text(&page->strings, words[1]));
	variant =
		words[0] ? tally_intern_text(&page->variant_names, words[PAGE_FRAME_VARIANT]) : "";
	for (int kind = 0; kind < NR_KEYS && !ret; kind++) {
		ret = key_find(keys, name, file, kind == KEY_EXACT ? variant : NULL, &key);
		if (!ret)
			ret = tally_vec_push(&keys->next, keys->first.data[key]);
		if (!ret)
			keys->first.data[key] = frame + 1;
	}
	return ret;
}

static uint32_t next_frame(const struct frame_keys *keys, uint32_t at, int kind)
{
	return keys->next.data[(at - 1) * NR_KEYS + (uint32_t)kind];
}

/* Return true if several functions out of line have one key, such as static functions with one
 * name. A comparison adds them up, so that its verdict is not on each of them. */
static bool are_several(const struct tally_html *page, const struct frame_keys *keys, uint32_t at)
{
	uint32_t words[PAGE_FRAME_ALL_WORDS], nr = 0;

	for (; at && nr < 2; at = next_frame(keys, at, KEY_EXACT)) {
		frame_words(page, at - 1, words);
		nr += !(words[2] & FRAME_INLINED);
	}
	return nr > 1;
}

static void verdict_apply(struct tally_html *page, const struct frame_keys *keys, uint32_t at,
			  int kind, const char *text)
{
	for (; at; at = next_frame(keys, at, kind)) {
		tally_json_open(&page->verdicts, NULL, '{');
		tally_json_u64(&page->verdicts, "frame", at - 1);
		tally_json_text(&page->verdicts, "text", text);
		tally_json_close(&page->verdicts, '}');
	}
}

static int verdict_add(struct tally_html *page, struct frame_keys *keys,
		       const struct tally_html_verdict *verdict)
{
	uint32_t exact, loose;
	int ret = key_find(keys, verdict->function, verdict->file, verdict->variant, &exact);

	if (!ret)
		ret = key_find(keys, verdict->function, verdict->file, NULL, &loose);
	if (ret || are_several(page, keys, keys->first.data[exact]))
		return ret;
	if (keys->first.data[exact])
		verdict_apply(page, keys, keys->first.data[exact], KEY_EXACT, verdict->text);
	else
		verdict_apply(page, keys, keys->first.data[loose], KEY_LOOSE, verdict->text);
	return 0;
}

int tally_html_add_verdicts(struct tally_html *page, const struct tally_html_verdict *verdicts,
			    size_t nr)
{
	struct frame_keys keys = {0};
	int ret = 0;

	tally_str_clear(&page->verdicts);
	for (uint32_t i = 0; i < page->frames.strings.len && !ret; i++)
		ret = frame_add(page, i, &keys);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = verdict_add(page, &keys, &verdicts[i]);
	tally_intern_free(&keys.texts);
	tally_intern_free(&keys.keys);
	tally_vec_free(&keys.first);
	tally_vec_free(&keys.next);
	return ret ? ret : tally_str_error(&page->verdicts);
}
