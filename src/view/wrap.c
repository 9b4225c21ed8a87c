/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "view/width.h"

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
		/* The sign of a comment is no word. */
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
