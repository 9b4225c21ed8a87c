/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "view/width.h"

enum { LEAST_PART = 8 }; /* if a line is filled less, a long word begins in it */

static const char begin[] = "#   ";

static void wrap_line(const char *line, size_t len, size_t columns, struct tally_str *out)
{
	size_t used = 0, blanks, word;
	bool has_word = false;

	for (size_t at = 0; at < len; at += blanks + word) {
		size_t width;

		for (blanks = 0; at + blanks < len && line[at + blanks] == ' ';)
			blanks++;
		for (word = 0; at + blanks + word < len && line[at + blanks + word] != ' ';)
			word++;
		width = tally_width(line + at + blanks, word);
		if (has_word && used + blanks + width > columns) {
			tally_str_add_char(out, '\n');
			tally_str_add(out, begin);
			used = sizeof(begin) - 1;
		} else {
			tally_str_add_bytes(out, line + at, blanks);
			used += blanks;
		}
		tally_str_add_bytes(out, line + at + blanks, word);
		used += width;
		/* The "#" does not count as a word. */
		has_word |= at + blanks > 0;
	}
}

void tally_wrap_comments(struct tally_str *str, size_t start, size_t columns)
{
	struct tally_str out = {0};
	size_t len;

	if (!columns || str->failed)
		return;
	for (size_t at = start; at < str->len; at += len + 1) {
		const char *line = str->data + at, *end = memchr(line, '\n', str->len - at);

		len = end ? (size_t)(end - line) : str->len - at;
		if (*line == '#' && tally_width(line, len) > columns)
			wrap_line(line, len, columns, &out);
		else
			tally_str_add_bytes(&out, line, len);
		tally_str_add(&out, end ? "\n" : "");
	}
	str->len = start;
	tally_str_add_bytes(str, tally_str_text(&out), out.len);
	str->failed |= out.failed;
	tally_str_free(&out);
}

/* Return true if a line can be broken at this byte: a blank, but not the one in "10 %". */
static bool is_break(const char *line, size_t at)
{
	return line[at] == ' ' && line[at + 1] != '%';
}

/* Return where to break a line that is too wide for `columns` columns: at a blank, or after as many
 * bytes as fit if there is none, or if a long word follows a short one, as in footnotes. */
static size_t break_find(const char *line, size_t len, size_t columns)
{
	size_t fits = tally_width_head(line, len, columns), at = fits;
	size_t first = TALLY_MIN(strspn(line, " "), len);

	while (at > first && !is_break(line, at))
		at--;
	if (at > first && (at >= fits / LEAST_PART || strcspn(line + at + 1, " ") < fits))
		return at;
	return fits ? fits : tally_width_read(line, len).used;
}

static void wrap_any_line(const char *line, size_t len, size_t columns, size_t indent,
			  struct tally_str *out)
{
	size_t room = columns;

	while (tally_width_head(line, len, room) < len) {
		size_t part = break_find(line, len, room);

		tally_str_add_bytes(out, line, part);
		tally_str_addf(out, "\n%*s", (int)indent, "");
		part += TALLY_MIN(strspn(line + part, " "), len - part);
		line += part;
		len -= part;
		room = columns - indent;
	}
	tally_str_add_bytes(out, line, len);
	tally_str_add_char(out, '\n');
}

void tally_wrap_text(const char *text, size_t columns, size_t indent, struct tally_str *out)
{
	indent = 2 * indent < columns ? indent : 0;
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		wrap_any_line(text, len, columns, indent, out);
	}
}

void tally_unmark_comments(struct tally_str *str, size_t start)
{
	size_t to = start;

	for (size_t at = start, len; at < str->len; at += len) {
		const char *line = str->data + at, *end = memchr(line, '\n', str->len - at);
		size_t mark = 0;

		len = end ? (size_t)(end - line) + 1 : str->len - at;
		while (mark < 2 && mark < len && line[mark] == "# "[mark])
			mark++;
		if (len - mark <= (end != NULL))
			continue;
		memmove(str->data + to, line + mark, len - mark);
		to += len - mark;
	}
	if (to < str->len) {
		str->len = to;
		str->data[to] = '\0';
	}
}
