/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the verdicts of a comparison to a page. */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "page/page_table.h"

/* The frames of a page by name. Frames with the same name are linked. */
struct frame_names {
	struct tally_intern names;
	TALLY_VEC(uint32_t) first; /* by name: frame + 1 */
	TALLY_VEC(uint32_t) next;  /* by frame: next frame with the same name + 1 */
};

static const uint32_t *frame_words(const struct tally_html *page, uint32_t frame)
{
	return (const uint32_t *)(const void *)page->frames.strings.data[frame].text;
}

static int names_make(const struct tally_html *page, struct frame_names *names)
{
	for (uint32_t i = 0; i < page->frames.strings.len; i++) {
		const struct tally_interned *name;
		uint32_t string, number;

		memcpy(&string, frame_words(page, i), sizeof(string));
		name = &page->strings.strings.data[string];
		if (tally_intern(&names->names, name->text, name->len, &number) ||
		    (number == names->first.len && tally_vec_push(&names->first, 0)) ||
		    tally_vec_push(&names->next, names->first.data[number]))
			return -ENOMEM;
		names->first.data[number] = i + 1;
	}
	return 0;
}

/* Return true if a frame is in a file with this name. */
static bool is_in_file(const struct tally_html *page, uint32_t frame, const char *file)
{
	uint32_t words[2];

	memcpy(words, frame_words(page, frame), sizeof(words));
	return !strcmp(tally_mapped_name(tally_intern_text(&page->strings, words[1])), file);
}

/* Return true if a frame has this name with parameters. */
static bool is_variant(const struct tally_html *page, uint32_t frame, const char *variant)
{
	uint32_t words[PAGE_FRAME_ALL_WORDS];

	memcpy(words, frame_words(page, frame), sizeof(words));
	return !strcmp(tally_intern_text(&page->variant_names, words[PAGE_FRAME_VARIANT]), variant);
}

/* Add a verdict to the functions with its name, or if `exact` is set, with its parameters too. */
static bool verdict_apply(struct tally_html *page, const struct frame_names *names, uint32_t first,
			  const struct tally_html_verdict *verdict, bool exact)
{
	bool is_applied = false;

	for (uint32_t at = first; at; at = names->next.data[at - 1]) {
		if (!is_in_file(page, at - 1, verdict->file) ||
		    (exact && !is_variant(page, at - 1, verdict->variant)))
			continue;
		tally_json_open(&page->verdicts, NULL, '{');
		tally_json_u64(&page->verdicts, "frame", at - 1);
		tally_json_text(&page->verdicts, "text", verdict->text);
		tally_json_close(&page->verdicts, '}');
		is_applied = true;
	}
	return is_applied;
}

static int verdict_add(struct tally_html *page, struct frame_names *names,
		       const struct tally_html_verdict *verdict)
{
	uint32_t name, first;

	if (tally_intern(&names->names, verdict->function, strlen(verdict->function), &name))
		return -ENOMEM;
	first = name < names->first.len ? names->first.data[name] : 0;
	if (!verdict_apply(page, names, first, verdict, true))
		verdict_apply(page, names, first, verdict, false);
	return 0;
}

int tally_html_add_verdicts(struct tally_html *page, const struct tally_html_verdict *verdicts,
			    size_t nr)
{
	struct frame_names names = {0};
	int ret = names_make(page, &names);

	tally_str_clear(&page->verdicts);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = verdict_add(page, &names, &verdicts[i]);
	tally_intern_free(&names.names);
	tally_vec_free(&names.first);
	tally_vec_free(&names.next);
	return ret ? ret : tally_str_error(&page->verdicts);
}
