/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions: cut whole scopes, "shop::...::ByPrice::f", and what follows the name. */
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "base/vec.h"
#include "symbols/name_text.h"
#include "view/shorten_private.h"
#include "view/width.h"

enum { USUAL_PIECES = 16 };

/* Offset at which a name may be cut: before a scope, a pair of brackets or a blank. */
struct name_piece {
	uint32_t at;
	bool is_scope;
	size_t before; /* width of the text before it, with the contents of all brackets cut */
};

/* Parts of a name, outside of brackets. All members but `pieces` are indexes of pieces. */
struct parts {
	TALLY_VEC(struct name_piece) pieces;
	uint32_t path;       /* first scope; the result type is before it */
	uint32_t named;      /* last scope that is not a lambda or an unnamed namespace */
	uint32_t scope;      /* scope before the own name, or the own name */
	uint32_t start, end; /* the function's own name */
	uint32_t last;       /* start of the last part: own name, or "{lambda#1}" after it */
	uint32_t last_named;
	bool has_end, has_arguments, failed;
	bool is_dotted; /* dots are between scopes, as in D and Go */
	size_t folders; /* offset of the last slash if is_dotted */
};

/* ---- parts of a name ------------------------------------------------------------- */

static uint32_t add_piece(struct parts *parts, size_t at, bool is_scope)
{
	struct name_piece piece = {.at = (uint32_t)at, .is_scope = is_scope};

	parts->failed |= tally_vec_push(&parts->pieces, piece) != 0;
	return (uint32_t)parts->pieces.len - !!parts->pieces.len;
}

/* Return true in "operator std::string": these scopes are not scopes of the function. */
static bool is_conversion(const struct shortener *s, const struct parts *parts)
{
	static const char word[] = "operator ";
	size_t start = parts->pieces.data[parts->start].at, nr = sizeof(word) - 1;

	return s->len - start > nr && !memcmp(s->text + start, word, nr);
}

/* Return true if another name begins after this character. Brackets do not begin a name: in
 * "f::<T>", "f::{closure}" and "f [clone]" they belong to the preceding name. */
static bool is_separator(const struct shortener *s, const struct parts *parts, size_t at)
{
	static const char word[] = "operator";
	size_t nr = sizeof(word) - 1;
	char c = s->text[at], next = at + 1 < s->len ? s->text[at + 1] : '<';

	if ((c != ':' && c != '/' && c != ' ') || strchr("<[{", next))
		return false;
	if (c == ':')
		return at && s->text[at - 1] == c && !is_conversion(s, parts);
	if (parts->has_arguments)
		return false;
	return c == '/' || at < nr || memcmp(s->text + at - nr, word, nr) != 0;
}

/* Begin a new name after a folder ('/') or a result type (' '). */
static void begin_path(struct parts *parts, size_t at, bool is_folder)
{
	uint32_t piece = add_piece(parts, at, true);

	if (!is_folder)
		parts->path = piece;
	parts->named = parts->scope = parts->start = piece;
	parts->last = parts->last_named = piece;
	parts->has_end = parts->has_arguments = false;
}

/* Begin a new part after "::". `is_name` is false for "{lambda#1}" and similar parts. */
static void begin_part(const struct shortener *s, struct parts *parts, size_t at, bool is_name)
{
	uint32_t piece = add_piece(parts, at, true);

	if (is_name) {
		parts->scope = parts->last;
		parts->named = parts->last_named;
		parts->start = piece;
		parts->has_end = parts->has_arguments = false;
	}
	parts->last = piece;
	if (at < s->len && tally_name_is_word(s->text[at]))
		parts->last_named = piece;
}

static void note_end(struct parts *parts, size_t at)
{
	uint32_t piece = add_piece(parts, at, false);

	if (!parts->has_end)
		parts->end = piece;
	parts->has_end = true;
}

static void note_bracket(const struct shortener *s, struct parts *parts, size_t at)
{
	/* In Go, brackets after a dot are not arguments: main.(*T).Method. */
	if (at == parts->pieces.data[parts->start].at || s->text[at - 1] == '.')
		return;
	parts->has_arguments |= s->text[at] == '(';
	note_end(parts, at);
}

/* A part that is not a name follows the own name: "f::{closure}". */
static void note_scope(const struct shortener *s, struct parts *parts, size_t at)
{
	uint32_t before = parts->pieces.data[parts->pieces.len - 1].at;

	if (is_conversion(s, parts))
		return;
	note_end(parts, TALLY_MAX(at - 1, before));
	begin_part(s, parts, at + 1, false);
}

/* Return true for names of D and of Go's methods: "std.uni.Trie!(char).f", "main.(*T).Method". In
 * other names a dot is before a suffix: "f.isra.0". */
static bool is_dotted(const struct shortener *s)
{
	return !memmem(s->text, s->len, "::", 2) &&
	       (memmem(s->text, s->len, "!(", 2) || memmem(s->text, s->len, ".(", 2));
}

/* Begin the part after a dot. Go numbers the functions in a function: "Method.func1.2". */
static void note_dot(const struct shortener *s, struct parts *parts, size_t at)
{
	static const char function[] = "func";
	size_t next = at + 1, nr = sizeof(function) - 1;
	bool is_number;

	if (next >= s->len || s->text[next] == '.' || at < parts->folders)
		return;
	if (next + nr < s->len && !memcmp(s->text + next, function, nr))
		next += nr;
	is_number = s->text[next] >= '0' && s->text[next] <= '9';
	if (is_number)
		note_end(parts, at);
	begin_part(s, parts, at + 1, !is_number);
}

static void note_character(const struct shortener *s, struct parts *parts, size_t at)
{
	char c = s->text[at];
	bool is_scope = c == ':' && at > 1 && s->text[at - 1] == c;

	if (is_separator(s, parts, at)) {
		if (is_scope)
			begin_part(s, parts, at + 1, true);
		else
			begin_path(parts, at + 1, c == '/');
	} else if (is_scope) {
		note_scope(s, parts, at);
	} else if (c == '.' && parts->is_dotted) {
		note_dot(s, parts, at);
	} else if (c == ' ' && (parts->has_end || (at + 1 < s->len && s->text[at + 1] == '['))) {
		note_end(parts, at);
	}
}

/* Measure the text before each piece. */
static void measure(const struct shortener *s, const struct tally_brackets *brackets,
		    struct parts *parts)
{
	struct tally_str text = {0};
	struct shortener into = *s;
	size_t from = 0, width = 0;
	uint32_t number = 1;

	into.out = &text;
	tally_vec_for_each (piece, &parts->pieces) {
		if (number >= brackets->all.len || brackets->all.data[number].open >= piece->at) {
			width += tally_width(s->text + from, piece->at - from);
		} else {
			tally_str_clear(&text);
			number = shorten_range(&into, brackets, from, piece->at, number);
			width += tally_width(tally_str_text(&text), text.len);
		}
		piece->before = width;
		from = piece->at;
	}
	parts->failed |= text.failed;
	tally_str_free(&text);
}

/* Return the length without the file of a script: "Module._load loader.js:12". A function without a
 * name, "(anon) loader.js:12", needs the file. */
static size_t without_script(const struct shortener *s)
{
	size_t at = s->len;
	const char *blank;

	while (at && tally_is_digit(s->text[at - 1]))
		at--;
	if (at < 2 || at == s->len || s->text[at - 1] != ':' || s->text[at - 2] == ':')
		return s->len;
	blank = memrchr(s->text, ' ', at);
	return blank > s->text && blank[-1] != ')' ? (size_t)(blank - s->text) : s->len;
}

static void find_parts(const struct shortener *s, const struct tally_brackets *brackets,
		       struct parts *parts)
{
	const struct tally_bracket *all = brackets->all.data;
	size_t len = without_script(s);
	const char *slash;
	uint32_t number = 1;

	parts->failed = tally_vec_reserve(&parts->pieces, USUAL_PIECES) != 0;
	parts->is_dotted = is_dotted(s);
	slash = parts->is_dotted ? memrchr(s->text, '/', s->len) : NULL;
	parts->folders = slash ? (size_t)(slash - s->text) : 0;
	begin_path(parts, 0, false);
	for (size_t at = 0; at < len && !parts->failed; at++) {
		bool is_bracket = number < brackets->all.len && all[number].open == at;
		size_t skip;

		/* Only an operator begins with a letter. */
		if (tally_name_is_word(s->text[at]) && s->text[at] != 'o')
			continue;
		skip = tally_name_operator(s->text, s->len, at);
		if (skip) {
			at += skip - 1;
		} else if (is_bracket && all[number].close) {
			note_bracket(s, parts, at);
			at = all[number].close;
			number = all[number].next;
		} else if (is_bracket) {
			number++;
		} else {
			note_character(s, parts, at);
		}
	}
	if (len < s->len && parts->pieces.data[parts->pieces.len - 1].at <= len)
		note_end(parts, len);
	note_end(parts, s->len);
	if (!parts->failed)
		measure(s, brackets, parts);
}

/* ---- choice ---------------------------------------------------------------------- */

/* Ranges of pieces that are shown. */
struct choice {
	uint32_t head; /* end of the first scope if it is shown, or `path` */
	uint32_t from, to;
	/* A mark is before `from`. Without space for its separator there is no mark, because
	 * "...name" looks like a part of an identifier. */
	bool has_lead;
	size_t separator; /* length of the separator after the mark */
};

/* Return the length of the separator before a piece: "::", "/" or none. */
static size_t separator_len(const struct shortener *s, const struct parts *parts, uint32_t piece)
{
	uint32_t at = parts->pieces.data[piece].at;

	if (at > 1 && s->text[at - 1] == ':')
		return 2;
	return at && s->text[at - 1] == '/';
}

static size_t width_of(const struct parts *parts, uint32_t from, uint32_t to)
{
	return parts->pieces.data[to].before - parts->pieces.data[from].before;
}

static uint32_t last_piece(const struct parts *parts)
{
	return (uint32_t)parts->pieces.len - 1;
}

/* Return the index of the next scope after a piece (`step` 1), or before it (-1). */
static uint32_t next_scope(const struct parts *parts, uint32_t piece, int step)
{
	do
		piece += (uint32_t)step;
	while (piece && piece < last_piece(parts) && !parts->pieces.data[piece].is_scope);
	return piece;
}

/* Show more scopes before `from`, but not all of them. The separator
 * before them is not longer. */
static void extend(const struct shortener *s, const struct parts *parts, struct choice *choice,
		   size_t room)
{
	size_t separator = separator_len(s, parts, choice->from);

	while (choice->from > choice->head) {
		uint32_t before = next_scope(parts, choice->from, -1);
		size_t width = width_of(parts, before, choice->from);

		if (before <= choice->head || width > room ||
		    separator_len(s, parts, before) > separator)
			return;
		room -= width;
		choice->from = before;
	}
}

/* Show the name from a scope to its end, and scopes before it. Returns false if it is too wide. */
static bool show_end(const struct shortener *s, const struct parts *parts, uint32_t from,
		     struct choice *choice)
{
	size_t width = width_of(parts, from, last_piece(parts));
	size_t room = s->columns - width, lead = s->mark_width + separator_len(s, parts, from);
	uint32_t head = next_scope(parts, parts->path, 1);

	if (width > s->columns)
		return false;
	*choice = (struct choice){parts->path, from, last_piece(parts), false, 0};
	choice->has_lead = from != parts->path && room >= lead;
	if (!choice->has_lead)
		return true;
	room -= lead;
	width = width_of(parts, parts->path, head);
	if (head < from && width <= room) {
		choice->head = head;
		room -= width;
	}
	extend(s, parts, choice, room);
	choice->separator = separator_len(s, parts, choice->from);
	return true;
}

/* Show the name from a scope up to a mark. Returns false if the own name does not fit. */
static bool show_start(const struct shortener *s, const struct parts *parts, uint32_t from,
		       struct choice *choice)
{
	uint32_t to = last_piece(parts) - 1;

	if (parts->end > to)
		return false;
	while (to > parts->end && width_of(parts, from, to) + s->mark_width > s->columns)
		to--;
	*choice = (struct choice){parts->path, from, to, false, 0};
	return width_of(parts, from, to) <= s->columns;
}

static void choose(const struct shortener *s, const struct parts *parts, struct choice *choice)
{
	const uint32_t starts[] = {parts->named, parts->scope, parts->start};

	if (show_end(s, parts, parts->path, choice))
		return;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(starts); i++) {
		if (show_end(s, parts, starts[i], choice) ||
		    show_start(s, parts, starts[i], choice))
			return;
	}
	*choice = (struct choice){parts->path, parts->start, parts->end, false, 0};
}

/* ---- output ---------------------------------------------------------------------- */

static uint32_t offset_of(const struct parts *parts, uint32_t piece)
{
	return parts->pieces.data[piece].at;
}

/* Return the index of the first pair after the offset. */
static uint32_t first_pair(const struct tally_brackets *brackets, uint32_t at)
{
	const struct tally_bracket *all = brackets->all.data;
	uint32_t number = 1;

	while (number < brackets->all.len && all[number].open < at)
		number = all[number].close ? all[number].next : number + 1;
	return number;
}

/* Hide the brackets of parts that are not shown. */
static void hide(const struct parts *parts, const struct choice *choice,
		 struct tally_brackets *brackets)
{
	struct tally_bracket *all = brackets->all.data;
	uint32_t path = offset_of(parts, parts->path), head = offset_of(parts, choice->head);
	uint32_t from = offset_of(parts, choice->from), to = offset_of(parts, choice->to);

	for (uint32_t i = 1; i < brackets->all.len; i = all[i].close ? all[i].next : i + 1) {
		uint32_t open = all[i].open;

		all[i].is_hidden = !((open >= path && open < head) || (open >= from && open < to));
	}
}

/* A mark replaces the dot before it. */
static void trim_dot(const struct parts *parts, struct tally_str *out)
{
	if (parts->is_dotted && out->len && out->data[out->len - 1] == '.')
		out->len--;
}

static void add_pieces(const struct shortener *s, const struct tally_brackets *brackets,
		       const struct parts *parts, uint32_t from, uint32_t to)
{
	uint32_t start = offset_of(parts, from);

	shorten_range(s, brackets, start, offset_of(parts, to), first_pair(brackets, start));
}

static void add_choice(const struct shortener *s, struct tally_brackets *brackets,
		       const struct parts *parts, const struct choice *choice)
{
	size_t width = width_of(parts, choice->from, choice->to);
	bool has_end_mark = choice->to < last_piece(parts) && width + s->mark_width <= s->columns;
	const char *from = s->text + offset_of(parts, choice->from) - choice->separator;

	if (choice->has_lead)
		width += width_of(parts, parts->path, choice->head) + s->mark_width +
			 choice->separator;
	width += has_end_mark ? s->mark_width : 0;
	hide(parts, choice, brackets);
	shorten_fit(s, brackets, s->columns - width);
	if (choice->has_lead) {
		add_pieces(s, brackets, parts, parts->path, choice->head);
		trim_dot(parts, s->out);
		tally_str_add(s->out, s->mark);
		tally_str_add_bytes(s->out, from, choice->separator);
	}
	add_pieces(s, brackets, parts, choice->from, choice->to);
	if (has_end_mark) {
		trim_dot(parts, s->out);
		tally_str_add(s->out, s->mark);
	}
}

void shorten_scopes(const struct shortener *s, struct tally_brackets *brackets)
{
	struct parts parts = {0};
	struct choice choice;

	find_parts(s, brackets, &parts);
	if (parts.failed) {
		s->out->failed = true;
		tally_vec_free(&parts.pieces);
		return;
	}
	choose(s, &parts, &choice);
	if (width_of(&parts, choice.from, choice.to) <= s->columns)
		add_choice(s, brackets, &parts, &choice);
	else
		shorten_middle(s, s->text + offset_of(&parts, choice.from),
			       offset_of(&parts, choice.to) - offset_of(&parts, choice.from));
	tally_vec_free(&parts.pieces);
}
