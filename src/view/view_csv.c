/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV as specified by RFC 4180: fields are separated by commas and quoted where necessary, and
 * lines end with CR LF. */
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "view/view_csv.h"

static void add_field(struct tally_str *out, const char *text)
{
	bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;

	tally_str_add(out, is_quoted ? "\"" : "");
	for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
		tally_str_add_bytes(out, text, (size_t)(quote - text));
		tally_str_add(out, "\"\"");
	}
	tally_str_add(out, text);
	tally_str_add(out, is_quoted ? "\"" : "");
}

void tally_view_csv_heading(const struct tally_show *show, struct tally_str *out)
{
	tally_str_add(out, "event");
	for (int i = 0; i < show->nr_columns; i++) {
		if (!show->columns[i]->key && !show->columns[i]->part)
			continue;
		tally_str_add_char(out, ',');
		tally_str_add(out, show->columns[i]->name);
	}
	tally_str_add(out, ",self_period,self_samples,total_period,total_samples\r\n");
}

static void add_cell(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out)
{
	struct tally_str cell = {0};
	const char *text;

	tally_view_cell(view, column, row, &cell);
	text = tally_str_text(&cell);
	tally_str_add_char(out, ',');
	add_field(out, text + strspn(text, " "));
	out->failed |= cell.failed;
	tally_str_free(&cell);
}

void tally_view_csv_row(const struct tally_view *view, const char *event,
			const struct tally_row *row, struct tally_str *out)
{
	const uint64_t numbers[] = {row->self, row->self_nr, row->total, row->total_nr};
	struct tally_str name = {0};

	tally_str_add_escaped(&name, event);
	add_field(out, tally_str_text(&name));
	out->failed |= name.failed;
	tally_str_free(&name);
	for (int i = 0; i < view->nr_columns; i++) {
		if (view->columns[i]->key)
			add_cell(view, view->columns[i], row, out);
		if (view->columns[i]->part)
			tally_str_addf(out, ",%" PRIu64,
				       tally_view_sum(view, view->columns[i], row));
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(numbers); i++) {
		tally_str_add_char(out, ',');
		tally_str_add_u64(out, numbers[i]);
	}
	tally_str_add(out, "\r\n");
}
