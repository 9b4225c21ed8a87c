/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <errno.h>
#include <stdarg.h>

#include "base/arith.h"
#include "base/escape.h"
#include "page/page_table.h"

int tally_html_new(const struct tally_html_options *options, struct tally_html **ret_page)
{
	struct tally_html *page = calloc(1, sizeof(*page));
	uint32_t empty;
	int ret = page ? page_string(page, "", &empty) : -ENOMEM;

	if (!ret)
		ret = tally_paths_init(&page->nodes, 0);
	if (ret) {
		tally_html_free(page);
		return ret;
	}
	page->options = *options;
	page_column_add(page->columns, PAGE_NODE_PARENT, 0);
	page_column_add(page->columns, PAGE_NODE_FRAME, 0);
	*ret_page = page;
	return 0;
}

void tally_html_free(struct tally_html *page)
{
	if (!page)
		return;
	for (int i = 0; i < PAGE_NR_COLUMNS; i++)
		tally_str_free(&page->columns[i].bytes);
	tally_intern_free(&page->strings);
	tally_intern_free(&page->frames);
	tally_intern_free(&page->threads);
	tally_intern_free(&page->events);
	tally_paths_free(&page->nodes);
	tally_file_names_free(&page->files.names);
	tally_intern_free(&page->variant_names);
	page_variants_free(&page->variants);
	tally_vec_free(&page->files.paths);
	tally_map_free(&page->files.known);
	tally_vec_for_each (recording, &page->recordings) {
		free(recording->name);
		free(recording->header);
		free(recording->health);
	}
	tally_vec_free(&page->recordings);
	tally_str_free(&page->notes);
	tally_str_free(&page->verdicts);
	free(page->last_events);
	free(page->last_frames);
	free(page);
}

void tally_html_add_note(struct tally_html *page, const char *format, ...)
{
	size_t start = page->notes.len;
	va_list args;

	va_start(args, format);
	tally_str_addv(&page->notes, format, args);
	va_end(args);
	tally_str_escape(&page->notes, start);
	tally_str_add_char(&page->notes, '\n');
}

uint32_t tally_html_frame(const struct tally_html *page, uint32_t frame)
{
	return TALLY_MAX(page->last_frames[frame], 1) - 1;
}

uint32_t tally_html_event(const struct tally_html *page, uint32_t event)
{
	return TALLY_MAX(page->last_events[event], 1) - 1;
}

int tally_html_set_code(struct tally_html *page, const struct tally_str *json)
{
	struct page_column *column = &page->columns[PAGE_ANNOTATIONS];

	tally_str_clear(&column->bytes);
	tally_str_add_bytes(&column->bytes, tally_str_text(json), json->len);
	column->count = column->bytes.len;
	column->is_used = true;
	return tally_str_error(&column->bytes);
}

uint64_t tally_html_nr_samples(const struct tally_html *page)
{
	return page->columns[PAGE_SAMPLE_NODE].count;
}
