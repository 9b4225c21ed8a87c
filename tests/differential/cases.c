/* SPDX-License-Identifier: BSD-2-Clause */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"

static bool rows_add(struct case_rows *rows, const char *who, const char *name, const char *text)
{
	struct case_row *more = realloc(rows->rows, (rows->nr + 1) * sizeof(*more)), *row;

	if (!more)
		return false;
	rows->rows = more;
	row = &more[rows->nr++];
	*row = (struct case_row){.text = strdup(text), .root = !strncmp(name, "root ", 5)};
	if (*who)
		row->root = !strcmp(who, "root");
	return asprintf(&row->name, "%s%s%s", who, *who ? " " : "", name) > 0 && row->text;
}

static bool rows_add_as(struct case_rows *rows, const char *who, const char *name, const char *text)
{
	if (strcmp(who, "both"))
		return rows_add(rows, who, name, text);
	return rows_add(rows, "root", name, text) && rows_add(rows, "user", name, text);
}

/* Replace each "{}" in a row's text with the value; in a name, replace the braces and their
 * contents. */
static void replace_braces(struct tally_str *out, const char *text, const char *value)
{
	const char *open;

	tally_str_clear(out);
	while ((open = strchr(text, '{'))) {
		tally_str_addf(out, "%.*s%s", (int)(open - text), text, value);
		text = open + strcspn(open, "}") + 1;
	}
	tally_str_add(out, text);
}

static bool add_one(struct case_rows *rows, const char *who, const char *name, const char *text,
		    const char *value)
{
	struct tally_str one_name = {0}, one_text = {0};
	bool ok;

	replace_braces(&one_name, name, value);
	replace_braces(&one_text, text, value);
	ok = rows_add_as(rows, who, tally_str_text(&one_name), tally_str_text(&one_text));
	tally_str_free(&one_name);
	tally_str_free(&one_text);
	return ok;
}

static bool add_expanded(struct case_rows *rows, const char *who, const char *name,
			 const char *text)
{
	const char *open = strchr(name, '{');
	char list[512], value[32], *at = list, *item;
	int first, last;
	bool ok = true;

	if (!open)
		return rows_add_as(rows, who, name, text);
	snprintf(list, sizeof(list), "%.*s", (int)strcspn(open + 1, "}"), open + 1);
	if (sscanf(list, "%d..%d", &first, &last) == 2) {
		for (int i = first; ok && i <= last; i++) {
			snprintf(value, sizeof(value), "%d", i);
			ok = add_one(rows, who, name, text, value);
		}
		return ok;
	}
	while (ok && (item = strsep(&at, ",")))
		ok = add_one(rows, who, name, text, item);
	return ok;
}

static bool line_add(struct case_rows *rows, char *line, bool expand, char who[static 8])
{
	char *colon = strstr(line, ": ");

	if (!*line || *line == '#')
		return true;
	if (expand && sscanf(line, "as %7s", who) == 1 && !colon)
		return true;
	if (!colon)
		return false;
	*colon = '\0';
	return expand ? add_expanded(rows, who, line, colon + 2)
		      : rows_add(rows, "", line, colon + 2);
}

bool case_rows_load(struct case_rows *rows, const char *path, bool expand)
{
	char *text = NULL, *at, *line, who[8] = "both";
	size_t len;
	bool ok = true;

	if (tally_file_read(path, 16 << 20, &text, &len)) {
		fprintf(stderr, "cannot read %s\n", path);
		return false;
	}
	at = text;
	while (ok && (line = strsep(&at, "\n"))) {
		ok = line_add(rows, line, expand, who);
		if (!ok)
			fprintf(stderr, "%s: no row: %s\n", path, line);
	}
	free(text);
	return ok;
}

const struct case_row *case_rows_find(const struct case_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->nr; i++) {
		if (!strcmp(rows->rows[i].name, name))
			return &rows->rows[i];
	}
	return NULL;
}

void case_rows_free(struct case_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		free(rows->rows[i].name);
		free(rows->rows[i].text);
	}
	free(rows->rows);
}
