/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/shorten.h"

#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/name_text.h"
#include "view/brackets.h"
#include "view/width.h"

/* Text to shorten, and the output. */
struct shortener {
	const char *text;
	size_t len, columns;
	const char *mark;
	size_t mark_width;
	struct tally_str *out;
};

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

static void add_middle_cut(const struct shortener *s, const char *text, size_t len)
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
	add_middle_cut(s, base, (size_t)(s->text + s->len - base));
}

/* ---- names of functions ---------------------------------------------------------- */

/* Append the part of the name from offset `from` to `to`, with marks where brackets are cut. The
 * range must not split a pair of brackets. `number` is the index of the first pair after `from`.
 * Returns the index of the first pair after `to`. */
static uint32_t add_range(const struct shortener *s, const struct tally_brackets *brackets,
			  size_t from, size_t to, uint32_t number)
{
	while (number < brackets->all.len && brackets->all.data[number].open < to) {
		const struct tally_bracket *one = &brackets->all.data[number++];

		if (!one->cut)
			continue;
		tally_str_add_bytes(s->out, s->text + from, one->open + 1 - from);
		add_range(s, brackets, one->open + 1, one->cut, number);
		tally_str_add(s->out, s->mark);
		from = one->close;
		number = one->next;
	}
	tally_str_add_bytes(s->out, s->text + from, to - from);
	return number;
}

/* Position while scanning the contents of a pair of brackets. */
struct inside {
	size_t at, width;
	size_t text_end; /* end of nested pairs shown as text; do not cut before it */
	uint32_t number; /* index of the next pair that opens */
};

/* Move past one character and return true, or move past a nested pair that is cut and return
 * false. */
static bool step_inside(const struct shortener *s, const struct tally_bracket *all,
			const struct tally_bracket *one, struct inside *in)
{
	const struct tally_bracket *inner = &all[in->number];

	if (in->number < one->next && inner->open == in->at) {
		if (inner->cut) {
			in->width += 1 + s->mark_width;
			in->at = inner->close;
			in->number = inner->next;
			return false;
		}
		in->text_end = TALLY_MAX(in->text_end, inner->close);
		in->number++;
	}
	in->at += tally_width_step(s->text + in->at, one->close - in->at, &in->width);
	return true;
}

/* Return true if the contents of a pair may be cut here: after a blank, e.g. between arguments, or
 * after the scope of a long name. */
static bool may_cut(const struct shortener *s, const struct inside *in)
{
	enum { LONG = 16 };
	char c = s->text[in->at - 1];

	return in->at > in->text_end &&
	       (c == ' ' || (c == ':' && s->text[in->at - 2] == c && in->width >= LONG));
}

/* Show as much of the beginning of a pair as fits. */
static void fit_part(const struct shortener *s, const struct tally_bracket *all,
		     struct tally_bracket *one, size_t *slack)
{
	struct inside in = {.at = one->open + 1, .number = (uint32_t)(one - all) + 1};
	size_t taken = 0;

	while (in.at < one->close && in.width < *slack) {
		bool is_character = step_inside(s, all, one, &in);

		if (is_character && in.width <= *slack && may_cut(s, &in)) {
			one->cut = (uint32_t)in.at;
			taken = in.width;
		}
	}
	*slack -= taken;
}

/* Show whole pairs, outer pairs before inner pairs, while there is space. */
static void fit_brackets(const struct shortener *s, struct tally_brackets *brackets, size_t slack)
{
	struct tally_bracket *all = brackets->all.data;
	uint32_t last = 0, at = 0;

	do {
		uint32_t next;

		for (uint32_t i = at + 1; i < all[at].next; i = next) {
			struct tally_bracket *one = &all[i];
			size_t cost = one->own + one->nr * s->mark_width - s->mark_width;

			next = one->next;
			if (!one->is_text && cost > slack) {
				fit_part(s, all, one, &slack);
				continue;
			}
			slack -= one->is_text ? 0 : cost;
			one->cut = 0;
			all[last].queued = i;
			last = i;
		}
		at = all[at].queued;
	} while (at);
}

/* Range of a function's own name. It begins after the last "::", slash or blank that is outside
 * brackets and before the arguments, and ends at its own brackets. */
struct own_name {
	size_t scope; /* start of the scope before the own name, or of the own name */
	size_t start, end;
	bool has_end, has_arguments;
};

/* Return true if another name begins after this character. Brackets do not begin a name: in
 * "f::<T>", "f::{closure}" and "f [clone]" they belong to the preceding name. */
static bool is_separator(const struct shortener *s, const struct own_name *name, size_t at)
{
	static const char word[] = "operator";
	size_t nr = sizeof(word) - 1;
	char c = s->text[at], next = at + 1 < s->len ? s->text[at + 1] : '<';

	if ((c != ':' && c != '/' && c != ' ') || strchr("<[{", next))
		return false;
	if (c == ':')
		return at && s->text[at - 1] == ':';
	if (name->has_arguments)
		return false;
	return c == '/' || at < nr || memcmp(s->text + at - nr, word, nr) != 0;
}

static void note_bracket(const struct shortener *s, struct own_name *name, size_t at)
{
	/* In Go, brackets after a dot are not arguments: main.(*T).Method. */
	if (at == name->start || s->text[at - 1] == '.')
		return;
	name->has_arguments |= s->text[at] == '(';
	if (!name->has_end)
		name->end = at;
	name->has_end = true;
}

static struct own_name find_own_name(const struct shortener *s,
				     const struct tally_brackets *brackets)
{
	const struct tally_bracket *all = brackets->all.data;
	struct own_name name = {.end = s->len};
	uint32_t number = 1;
	size_t part = 0; /* start of the last part: the own name, or "{lambda#1}" after it */

	for (size_t at = 0; at < s->len; at++) {
		size_t skip = tally_name_operator(s->text, s->len, at);
		bool is_bracket = number < brackets->all.len && all[number].open == at;

		if (skip) {
			at += skip - 1;
		} else if (is_bracket && all[number].close) {
			note_bracket(s, &name, at);
			at = all[number].close;
			number = all[number].next;
		} else if (is_bracket) {
			number++;
		} else if (is_separator(s, &name, at)) {
			name = (struct own_name){.scope = s->text[at] == ':' ? part : at + 1,
						 .start = at + 1,
						 .end = s->len};
			part = at + 1;
		} else if (s->text[at] == ':' && at && s->text[at - 1] == ':') {
			part = at + 1;
		}
	}
	return name;
}

/* A name in which all brackets are cut, and offsets in it. */
struct bare_name {
	const char *text;
	size_t len, scope, start, end;
};

/* Append a mark and the text from `from`, with the "::" before it if `left` columns are enough. */
static void add_end(const struct shortener *s, const struct bare_name *bare, size_t from,
		    size_t left)
{
	if (left >= 2 && from >= 2 && !memcmp(bare->text + from - 2, "::", 2))
		from -= 2;
	tally_str_add_bytes(s->out, s->mark,
			    tally_width_head(s->mark, strlen(s->mark), s->columns));
	tally_str_add_bytes(s->out, bare->text + from, bare->len - from);
}

/* Append the part from `from`, with a mark in place of the text before it. Returns false if it does
 * not fit. Without `to_end`, the text after the own name is cut if necessary. */
static bool add_from(const struct shortener *s, const struct bare_name *bare, size_t from,
		     bool to_end)
{
	enum { LEAST_HEAD = 4 }; /* a shorter start of a name is not readable */
	size_t room = s->columns - TALLY_MIN(s->mark_width, s->columns);
	size_t width = tally_width(bare->text + from, bare->len - from);

	if (to_end && width <= room) {
		if (room - width >= LEAST_HEAD)
			add_parts(s, bare->text, bare->len, TALLY_MAX(width, room / 3 * 2));
		else
			add_end(s, bare, from, room - width);
		return true;
	}
	if (to_end || tally_width(bare->text + from, bare->end - from) > room)
		return false;
	add_parts(s, bare->text + from, bare->len - from, 0);
	return true;
}

/* Keep the own name and the last scope if they fit, at the cost of the text after them, and else
 * the own name. */
static void add_own_name(const struct shortener *s, const struct bare_name *bare)
{
	if (!add_from(s, bare, bare->scope, true) && !add_from(s, bare, bare->scope, false) &&
	    !add_from(s, bare, bare->start, true) && !add_from(s, bare, bare->start, false))
		add_middle_cut(s, bare->text + bare->start, bare->end - bare->start);
}

/* Append the name, shortened and with all brackets cut. */
static void add_bare_name(const struct shortener *s, const struct tally_brackets *brackets)
{
	struct own_name name = find_own_name(s, brackets);
	struct tally_str text = {0};
	struct bare_name bare;
	struct shortener into = *s;
	uint32_t number;

	into.out = &text;
	number = add_range(&into, brackets, 0, name.scope, 1);
	bare.scope = text.len;
	number = add_range(&into, brackets, name.scope, name.start, number);
	bare.start = text.len;
	number = add_range(&into, brackets, name.start, name.end, number);
	bare.end = text.len;
	add_range(&into, brackets, name.end, s->len, number);
	bare.text = tally_str_text(&text);
	bare.len = text.len;
	add_own_name(s, &bare);
	s->out->failed |= text.failed;
	tally_str_free(&text);
}

static void add_name(const struct shortener *s)
{
	struct tally_brackets brackets;
	size_t width;

	if (s->len > TALLY_BRACKETS_MAX) {
		add_middle_cut(s, s->text, s->len);
		return;
	}
	if (tally_brackets_find(s->text, s->len, s->mark_width, &brackets)) {
		s->out->failed = true;
		return;
	}
	width = brackets.all.data[0].own + brackets.all.data[0].nr * s->mark_width;
	if (width <= s->columns) {
		fit_brackets(s, &brackets, s->columns - width);
		add_range(s, &brackets, 0, s->len, 1);
	} else {
		add_bare_name(s, &brackets);
	}
	tally_brackets_free(&brackets);
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
		add_name(&s);
	else if (how == TALLY_SHORTEN_END)
		add_parts(&s, text, s.len, 0);
	else if (how == TALLY_SHORTEN_PATH)
		add_path(&s);
	else
		add_middle_cut(&s, text, s.len);
	str->len = start;
	tally_str_add_bytes(str, tally_str_text(&out), out.len);
	str->failed |= out.failed;
	tally_str_free(&out);
}
