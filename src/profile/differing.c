/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/differing.h"

#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/name_text.h"

enum { PART_MAX = 48 };

static size_t word_len(const char *text)
{
	size_t len = 0;

	while (tally_name_is_word(text[len]))
		len++;
	return len;
}

/* ---- paths of files and packages -------------------------------------------------------- */

static bool is_path(char c)
{
	return tally_name_is_word(c) || (c && strchr("/.-~+%@", c));
}

/* Return the length of a path up to its last part: "github.com/a/pkg" of "github.com/a/pkg.F", but
 * all of "/a/b/file.js". */
static size_t path_len(const char *text)
{
	size_t len = 0, last = 0;

	for (; is_path(text[len]); len++)
		last = text[len] == '/' ? len + 1 : last;
	if (!last)
		return 0;
	return text[0] == '/' ? len : last + word_len(text + last);
}

/* "La/b/Bar;" is Java's class a.b.Bar. */
static void add_class(struct tally_str *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		tally_str_add_char(out, text[i] == '/' ? '.' : text[i]);
}

static bool add_path(struct tally_str *out, const char *name, size_t at)
{
	size_t from = at, len;

	while (from && is_path(name[from - 1]))
		from--;
	len = path_len(name + from);
	if (!len)
		return false;
	if (name[from] == 'L' && name[from + len] == ';')
		add_class(out, name + from + 1, len - 1);
	else
		tally_str_add_bytes(out, name + from, len);
	return true;
}

size_t differing_at(const char *name, const char *other)
{
	size_t at = 0;

	while (name[at] && name[at] == other[at])
		at++;
	while (at && tally_name_is_word(name[at - 1]))
		at--;
	return at;
}

/* ---- scopes ------------------------------------------------------------------------------ */

void differing_add_scope(struct tally_str *out, const char *name, size_t at)
{
	size_t first = word_len(name + at), len = first, before = 0;

	if (add_path(out, name, at))
		return;
	while (!strncmp(name + at + len, "::", 2) && word_len(name + at + len + 2)) {
		before = len;
		len += 2 + word_len(name + at + len + 2);
	}
	if (before && (!name[at + len] || strchr("([ ", name[at + len])))
		len = before; /* the own name is in the short name */
	tally_str_add_bytes(out, name + at, len <= PART_MAX ? len : first);
}

/* ---- parameters -------------------------------------------------------------------------- */

/* Return the offset of the end of the argument at `from`: a comma or the closing bracket. */
static size_t argument_end(const char *more, size_t from)
{
	size_t at = from, depth = 0;

	for (; more[at]; at++) {
		if (!depth && strchr(",)", more[at]))
			break;
		depth += strchr("<([{", more[at]) != NULL;
		depth -= depth && strchr(">)]}", more[at]);
	}
	return at;
}

static size_t next_argument(const char *more, size_t end)
{
	return end + 1 + (more[end + 1] == ' ');
}

void differing_add_parameters(struct tally_str *out, const char *more, size_t at)
{
	size_t from = 1, end = argument_end(more, from), to;

	while (end < at && more[end] == ',') {
		from = next_argument(more, end);
		end = argument_end(more, from);
	}
	tally_str_add(out, from > 1 ? "(..., " : "(");
	if (end - from > PART_MAX && at > from && at < end) {
		tally_str_add(out, "...");
		tally_str_add_bytes(out, more + at, word_len(more + at));
		tally_str_add(out, "...");
	} else {
		to = end;
		while (more[to] == ',' &&
		       argument_end(more, next_argument(more, to)) <= from + PART_MAX)
			to = argument_end(more, next_argument(more, to));
		end = to;
		tally_str_add_bytes(out, more + from, end - from);
	}
	tally_str_add(out, more[end] == ',' ? ", ...)" : more[end] ? more + end : "");
}
