/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/shorten.h"

#include <string.h>

#include "base/arith.h"
#include "view/shorten_private.h"
#include "view/width.h"

/* ---- any text ------------------------------------------------------------------ */

/* Return how many bytes at the end of a text (or at the start, in the next function) consist of
 * copies of the mark's first character. These bytes are omitted, because they would only lengthen
 * the mark next to them. */
static size_t marks_before(const struct shortener *s, const char *text, size_t len)
{
	size_t size = tally_width_read(s->mark, strlen(s->mark)).used, left = len;

	while (left >= size && !memcmp(text + left - size, s->mark, size))
		left -= size;
	return len - left;
}

static size_t marks_behind(const struct shortener *s, const char *text, size_t len)
{
	size_t size = tally_width_read(s->mark, strlen(s->mark)).used, at = 0;

	while (at + size <= len && !memcmp(text + at, s->mark, size))
		at += size;
	return at;
}

/* Append the start of `text`, the mark, and the last `tail` columns of `text`. */
static void add_parts(const struct shortener *s, const char *text, size_t len, size_t tail)
{
	size_t room = s->columns - TALLY_MIN(s->mark_width, s->columns);
	size_t rest = TALLY_MIN(tail, room), end = tally_width_tail(text, len, rest);
	size_t begin = tally_width_head(text, len, room - tally_width(text + len - end, end));

	begin -= marks_before(s, text, begin);
	end -= marks_behind(s, text + len - end, end);
	tally_str_add_bytes(s->out, text, begin);
	tally_str_add_bytes(s->out, s->mark,
			    tally_width_head(s->mark, strlen(s->mark), s->columns));
	tally_str_add_bytes(s->out, text + len - end, end);
}

void shorten_middle(const struct shortener *s, const char *text, size_t len)
{
	size_t room = s->columns - TALLY_MIN(s->mark_width, s->columns);

	if (tally_width(text, len) <= s->columns)
		tally_str_add_bytes(s->out, text, len);
	else
		add_parts(s, text, len, room / 2);
}

/* ---- paths --------------------------------------------------------------------- */

/* Append the mark, and as many trailing path components as fit. */
static void add_path(const struct shortener *s)
{
	size_t room = s->columns - TALLY_MIN(s->mark_width, s->columns);
	size_t fits = tally_width_tail(s->text, s->len, room);
	const char *from = memchr(s->text + s->len - fits, '/', fits);
	const char *base = memrchr(s->text, '/', s->len);

	if (from && from + 1 < s->text + s->len) {
		tally_str_add(s->out, s->mark);
		tally_str_add_bytes(s->out, from, (size_t)(s->text + s->len - from));
		return;
	}
	base = base && base + 1 < s->text + s->len ? base + 1 : s->text;
	shorten_middle(s, base, (size_t)(s->text + s->len - base));
}

/* ---- entry point ----------------------------------------------------------------- */

void tally_shorten(struct tally_str *str, size_t start, enum tally_shorten how, size_t columns,
		   const char *mark)
{
	const char *text = tally_str_text(str) + start;
	struct tally_str out = {0};
	struct shortener s = {text, str->len - start, columns, mark, tally_width_of(mark), &out};

	if (str->failed || tally_width(text, s.len) <= columns)
		return;
	if (how == TALLY_SHORTEN_NAME)
		shorten_name(&s);
	else if (how == TALLY_SHORTEN_END)
		add_parts(&s, text, s.len, 0);
	else if (how == TALLY_SHORTEN_PATH)
		add_path(&s);
	else
		shorten_middle(&s, text, s.len);
	str->len = start;
	tally_str_add_bytes(str, tally_str_text(&out), out.len);
	str->failed |= out.failed;
	tally_str_free(&out);
}
