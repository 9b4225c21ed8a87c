/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/meta.h"

#include <string.h>

#include "base/json.h"
#include "page/page_table.h"

/* ---- escaping for HTML ----------------------------------------------------------- */

/* All characters that must be escaped are inside JSON strings, where \u escapes are allowed. */
static void add_json_for_html(const char *json, struct tally_str *out)
{
	for (; *json; json++) {
		unsigned char last =
			json[0] == '\xe2' && json[1] == '\x80' ? (unsigned char)json[2] : 0;

		if (strchr("<>&", *json)) {
			tally_str_addf(out, "\\u%04x", (unsigned)*json);
		} else if (last == 0xa8 || last == 0xa9) {
			tally_str_addf(out, "\\u20%02x", last - 0x80u);
			json += 2;
		} else {
			tally_str_add_char(out, *json);
		}
	}
}

/* ---- lines ----------------------------------------------------------------------- */

/* Get the next line of a string. Returns false at the end. */
static bool line_next(const char **text, const char **ret_line, size_t *ret_len)
{
	const char *line = *text;
	size_t len = strcspn(line, "\n");

	if (!*line)
		return false;
	*text = line + len + (line[len] == '\n');
	*ret_line = line;
	*ret_len = len;
	return true;
}

static void add_lines(const char *key, const char *text, struct tally_str *out)
{
	const char *line;
	size_t len;

	tally_json_open(out, key, '[');
	while (line_next(&text, &line, &len)) {
		if (len)
			tally_json_bytes(out, NULL, line, len);
	}
	tally_json_close(out, ']');
}

/* Add a line "label : text" as a pair. */
static void add_pair(const char *line, size_t len, struct tally_str *out)
{
	const char *colon = memchr(line, ':', len);
	size_t label = colon ? (size_t)(colon - line) : len, rest;

	rest = len - label;
	while (label && line[label - 1] == ' ')
		label--;
	if (!colon || !label)
		return;
	for (colon++, rest--; rest && *colon == ' '; rest--)
		colon++;
	tally_json_open(out, NULL, '[');
	tally_json_bytes(out, NULL, line, label);
	tally_json_bytes(out, NULL, colon, rest);
	tally_json_close(out, ']');
}

static void add_header(const char *text, struct tally_str *out)
{
	const char *line;
	size_t len;

	tally_json_open(out, "header", '[');
	while (line_next(&text, &line, &len))
		add_pair(line, len, out);
	tally_json_close(out, ']');
}

void page_title_add(const struct tally_html *page, struct tally_str *out)
{
	tally_vec_for_each (recording, &page->recordings) {
		tally_str_add(out, recording == page->recordings.data ? "" : " and ");
		tally_str_add(out, recording->name);
	}
}

/* ---- metadata -------------------------------------------------------------------- */

static void add_recordings(const struct tally_html *page, struct tally_str *out)
{
	char origin[TALLY_DECIMAL_MAX + 1] = {0};

	tally_json_open(out, "recordings", '[');
	tally_vec_for_each (recording, &page->recordings) {
		int nr = tally_decimal(recording->origin, origin + TALLY_DECIMAL_MAX);

		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", recording->name);
		tally_json_text(out, "origin", origin + TALLY_DECIMAL_MAX - nr);
		tally_json_u64(out, "samples", recording->samples);
		add_header(recording->header, out);
		add_lines("health", recording->health, out);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void add_events(const struct tally_html *page, struct tally_str *out)
{
	struct page_event event;

	tally_json_open(out, "events", '[');
	tally_vec_for_each (known, &page->events.strings) {
		memcpy(&event, known->text, sizeof(event));
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", tally_intern_text(&page->strings, event.name));
		tally_json_text(out, "unit", event.is_time ? "ns" : "events");
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void add_notes(const struct tally_html *page, struct tally_str *out)
{
	struct tally_str notes = {0};

	tally_str_add(&notes, tally_str_text(&page->notes));
	if (page->nr_cut_strings)
		tally_str_addf(&notes, "%llu name%s longer than 1 MiB truncated\n",
			       (unsigned long long)page->nr_cut_strings,
			       tally_plural(page->nr_cut_strings));
	if (page->nr_cut_weights)
		tally_str_addf(&notes, "%llu sample%s with a weight over 2^53 clamped to 2^53\n",
			       (unsigned long long)page->nr_cut_weights,
			       tally_plural(page->nr_cut_weights));
	add_lines("notes", tally_str_text(&notes), out);
	out->failed |= notes.failed;
	tally_str_free(&notes);
}

static void add_columns(const struct tally_html *page, struct tally_str *out)
{
	tally_json_open(out, "columns", '[');
	for (int i = 0; i < PAGE_NR_COLUMNS; i++) {
		if (!page_column_is_written(page->columns, i))
			continue;
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", page_column_kinds[i].name);
		tally_json_text(out, "as", page_encoding_name(page_column_kinds[i].encoding));
		tally_json_u64(out, "count", page->columns[i].count);
		tally_json_u64(out, "bytes", page->columns[i].bytes.len);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

void page_meta_add(const struct tally_html *page, struct tally_str *out)
{
	struct tally_str json = {0}, title = {0};

	page_title_add(page, &title);
	tally_json_open(&json, NULL, '{');
	tally_json_u64(&json, "format", 1);
	tally_json_text(&json, "generator", "tally " TALLY_VERSION);
	tally_json_text(&json, "title", tally_str_text(&title));
	tally_json_u64(&json, "time_unit", page->unit);
	add_recordings(page, &json);
	add_events(page, &json);
	add_notes(page, &json);
	if (page->verdicts.len) {
		tally_json_open(&json, "verdicts", '[');
		tally_str_add(&json, tally_str_text(&page->verdicts));
		tally_json_close(&json, ']');
	}
	add_columns(page, &json);
	tally_json_close(&json, '}');
	add_json_for_html(tally_str_text(&json), out);
	out->failed |= json.failed || title.failed;
	tally_str_free(&json);
	tally_str_free(&title);
}
