/* SPDX-License-Identifier: BSD-2-Clause */
/* Shorten pairs of brackets when they are closed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "symbols/name_text.h"
#include "symbols/short_name_private.h"

/* Types that fill up unused template arguments. They are never given by a user. */
static const char *const paddings[] = {
	", mpl_::na",
	", boost::mpl::na",
	", boost::tuples::null_type",
	", boost::detail::variant::void_",
	", boost::parameter::void_",
	", boost::fusion::void_",
};

static bool remove_padding(struct name_pass *pass, struct name_bracket *bracket)
{
	struct name_part whole = name_output(pass, bracket->open, pass->out->len);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(paddings) && bracket->nr > 1; i++) {
		if (name_part_ends(whole, paddings[i])) {
			name_cut_output(pass, pass->out->len - strlen(paddings[i]));
			bracket->nr--;
			return true;
		}
	}
	return false;
}

void name_remove_blank(struct name_pass *pass)
{
	const char *data = pass->out->data;
	size_t len = pass->out->len;

	if (len > 1 && data[len - 1] == ' ' && (pass->angle_end == len - 1 || data[len - 2] == '}'))
		pass->out->len--;
}

static void note_pair(struct name_pass *pass, const struct name_bracket *bracket)
{
	struct name_bracket *outer = &pass->brackets[pass->depth];

	if (outer->nr != 1 || bracket->nr != 2)
		return;
	outer->pair = bracket->open;
	outer->pair_second = bracket->args[1];
	outer->pair_end = (uint32_t)pass->out->len;
}

static void close_angle(struct name_pass *pass, struct name_bracket *bracket)
{
	name_remove_blank(pass);
	while (remove_padding(pass, bracket))
		;
	name_add(pass, 1);
	if (name_part_is(name_output(pass, bracket->open, pass->out->len), "<unnamed>")) {
		name_replace(pass, bracket->open, pass->out->len, "(anon)");
		return;
	}
	if (name_part_begins(name_output(pass, bracket->open, pass->out->len), "<lambda(")) {
		name_replace(pass, bracket->open, pass->out->len, "{lambda}");
		return;
	}
	note_pair(pass, bracket);
	if (bracket->nr <= NAME_ARGS_MAX)
		name_shorten_template(pass, bracket);
	pass->angle_end = pass->out->len;
}

/* Return the length of the qualifiers of an enclosing member function, up to the "::" that follows,
 * or SIZE_MAX if no name follows. */
static size_t qualifiers_before_scope(struct name_pass *pass)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &", " noexcept"};
	size_t start = pass->at, len;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(qualifiers); i++)
		pass->at += name_next_is(pass, qualifiers[i]) ? strlen(qualifiers[i]) : 0;
	len = name_next_is(pass, "::") ? pass->at - start : SIZE_MAX;
	pass->at = start;
	return len;
}

/* Return true if the bracket begins the parameters of a function. */
static bool follows_function(const struct name_pass *pass, size_t open)
{
	static const char *const keywords[] = {"decltype", "noexcept", "sizeof", "alignof",
					       "typeof"};
	struct name_part before = name_output(pass, 0, open);

	if (open && (pass->operator_end == open || pass->angle_end == open))
		return true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keywords); i++) {
		if (name_part_ends(before, keywords[i]))
			return false;
	}
	return open && tally_name_is_word(before.text[open - 1]);
}

/* Clang's 'lambda' is the first lambda of a scope, and 'lambda0' is the second. GCC writes these as
 * {lambda()#1} and {lambda()#2}. */
static bool replace_clang_lambda(struct name_pass *pass, size_t open)
{
	static const char word[] = "'lambda";
	size_t size = sizeof(word) - 1, at = open;
	struct tally_str text = {0};
	uint64_t number = 0;

	if (!at || pass->out->data[at - 1] != '\'')
		return false;
	at--;
	while (at && tally_is_digit(pass->out->data[at - 1]) && open - at < 8)
		at--;
	if (!name_part_ends(name_output(pass, 0, at), word))
		return false;
	if (at + 1 < open)
		number = strtoul(pass->out->data + at, NULL, 10) + 1;
	tally_str_addf(&text, "{lambda#%" PRIu64 "}", number + 1);
	name_replace(pass, at - size, pass->out->len, tally_str_text(&text));
	pass->out->failed |= text.failed;
	tally_str_free(&text);
	return true;
}

/* "immutable(char)[]" is what D calls a string. */
static bool replace_dlang_string(struct name_pass *pass, size_t open)
{
	static const char text[] = "immutable(char)";
	size_t end = pass->out->len, from = end - TALLY_MIN(end, sizeof(text) - 1);

	if (!name_next_is(pass, "[]") || !name_part_is(name_output(pass, from, end), text) ||
	    (from && tally_name_is_word(pass->out->data[from - 1])))
		return false;
	name_replace(pass, from, end, "string");
	pass->at += 2;
	return true;
}

/* Values of template arguments: "(a::b::Kind)2" becomes "(Kind)2", and "(unsigned short)64" becomes
 * "64". */
static bool replace_cast(struct name_pass *pass, size_t open)
{
	struct name_part type = name_output(pass, open + 1, pass->out->len - 1);
	const char *colon;

	if (!pass->nr_open[NAME_ANGLE] || pass->at >= pass->len ||
	    (!tally_is_digit(pass->in[pass->at]) && pass->in[pass->at] != '-') ||
	    (open && !strchr("<, ", pass->out->data[open - 1])))
		return false;
	if (name_is_integer(type)) {
		name_cut_output(pass, open);
		return true;
	}
	for (size_t i = 0; i < type.len; i++) {
		if (!tally_name_is_word(type.text[i]) && type.text[i] != ':')
			return false;
	}
	colon = memrchr(type.text, ':', type.len);
	if (colon)
		name_replace(pass, open + 1, (size_t)(colon + 1 - pass->out->data), "");
	return colon;
}

static void close_round(struct name_pass *pass, struct name_bracket *bracket)
{
	size_t open = bracket->open, skip;

	name_add(pass, 1);
	if (name_part_is(name_output(pass, open, pass->out->len), "(anonymous namespace)")) {
		name_replace(pass, open, pass->out->len, "(anon)");
		return;
	}
	if (replace_clang_lambda(pass, open) || replace_dlang_string(pass, open) ||
	    replace_cast(pass, open))
		return;
	skip = follows_function(pass, open) ? qualifiers_before_scope(pass) : SIZE_MAX;
	if (skip == SIZE_MAX)
		return;
	name_cut_output(pass, open);
	pass->at += skip;
}

/* Return true for the number that distinguishes crates of one name: "core[2f8c9a1b00d4e6f3]". */
static bool is_crate_number(const struct name_pass *pass, size_t open)
{
	size_t len = pass->out->len - open - 2;

	if (len < 8 || len > 16 || !open || !tally_name_is_word(pass->out->data[open - 1]) ||
	    !name_next_is(pass, "::"))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (tally_digit(pass->out->data[open + 1 + i]) > 15)
			return false;
	}
	return true;
}

static void close_square(struct name_pass *pass, struct name_bracket *bracket)
{
	name_add(pass, 1);
	if (name_part_begins(name_output(pass, bracket->open, pass->out->len), "[abi:") ||
	    is_crate_number(pass, bracket->open))
		name_cut_output(pass, bracket->open);
}

/* Remove the parameters in GCC's {lambda(int, char)#1}. */
static void shorten_lambda(struct name_pass *pass, size_t open)
{
	static const char word[] = "{lambda";
	size_t at = pass->out->len - 1, from = open + sizeof(word) - 1;

	while (tally_is_digit(pass->out->data[at - 1]))
		at--;
	if (at > from + 2 && pass->out->data[at - 1] == '#' && pass->out->data[at - 2] == ')')
		name_replace(pass, from, at - 1, "");
}

static void close_curly(struct name_pass *pass, struct name_bracket *bracket)
{
	struct name_part whole;

	name_add(pass, 1);
	whole = name_output(pass, bracket->open, pass->out->len);
	if (name_part_is(whole, "{anonymous}"))
		name_replace(pass, bracket->open, pass->out->len, "(anon)");
	else if (name_part_begins(whole, "{lambda(") || name_part_begins(whole, "{lambda<"))
		shorten_lambda(pass, bracket->open);
}

void name_close_bracket(struct name_pass *pass, struct name_bracket *bracket)
{
	static void (*const close[])(struct name_pass * pass, struct name_bracket * bracket) = {
		[NAME_ANGLE] = close_angle,
		[NAME_ROUND] = close_round,
		[NAME_SQUARE] = close_square,
		[NAME_CURLY] = close_curly,
	};

	close[bracket->kind](pass, bracket);
}
