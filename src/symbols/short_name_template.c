/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates of the C++ library: default arguments, aliases, and implementations of containers. */
#include <string.h>

#include "base/arith.h"
#include "symbols/name_text.h"
#include "symbols/short_name_private.h"
#include "symbols/short_name_rules.h"

enum { NAME_MAX_LEN = 48 }; /* longer than every name in the tables */

/* A template instance at the end of the output. */
struct instance {
	struct name_pass *pass;
	struct name_bracket bracket;
	size_t start; /* of the template's name */
	struct name_part vars[NAME_ARGS_MAX];
};

/* ---- patterns --------------------------------------------------------------------- */

static struct name_part argument(const struct instance *in, uint32_t number)
{
	const struct name_bracket *bracket = &in->bracket;
	size_t from = bracket->args[number], to = in->pass->out->len - 1;

	if (number + 1 < bracket->nr) {
		to = bracket->args[number + 1];
		to -= in->pass->out->data[to - 1] == ' ';
		to--; /* the comma */
	}
	return name_output(in->pass, from, to);
}

/* Match one alternative of a pattern, up to `end`. */
static bool alternative_fits(const struct instance *in, struct name_part text, const char *pattern,
			     const char *end)
{
	while (pattern < end) {
		const char *var = memchr(pattern, '$', (size_t)(end - pattern));
		struct name_part part = {pattern, (size_t)((var ? var : end) - pattern)};

		if (var == pattern) {
			part = in->vars[pattern[1] - '1'];
			pattern += 2;
		} else {
			pattern += part.len;
		}
		if (text.len < part.len || memcmp(text.text, part.text, part.len) != 0)
			return false;
		text.text += part.len;
		text.len -= part.len;
	}
	return !text.len;
}

static bool pattern_fits(const struct instance *in, struct name_part text, const char *pattern)
{
	for (const char *end; pattern; pattern = *end ? end + 1 : NULL) {
		end = strchrnul(pattern, '|');
		if (alternative_fits(in, text, pattern, end))
			return true;
	}
	return false;
}

static struct name_part template_name(const struct instance *in)
{
	return name_output(in->pass, in->start, in->bracket.open);
}

/* ---- default arguments ------------------------------------------------------------ */

/* Remove the last argument, and the brackets with the only one. */
static void remove_argument(struct instance *in)
{
	struct name_pass *pass = in->pass;
	size_t last = in->bracket.nr - 1, from = in->bracket.open;

	if (last) {
		struct name_part before = argument(in, (uint32_t)last - 1);

		from = (size_t)(before.text + before.len - pass->out->data);
	}
	in->bracket.nr = (uint32_t)last;
	name_replace(pass, from, pass->out->len, last ? ">" : "");
}

/* Return true if a type is an earlier argument, or what an earlier argument points to. */
static bool is_earlier(const struct instance *in, struct name_part type)
{
	for (uint32_t i = 0; i + 1 < in->bracket.nr; i++) {
		struct name_part other = argument(in, i);

		if (other.len == type.len + 1 && name_part_ends(other, "*"))
			other.len--;
		if (other.len == type.len && !memcmp(other.text, type.text, type.len))
			return true;
	}
	return name_part_is(type, "void");
}

/* Return true if the last argument is the usual default: an allocator or a comparison of an earlier
 * argument. Templates in the tables have their own rules. */
static bool is_usual_default(const struct instance *in)
{
	static const char *const heads[] = {"std::allocator<",      "std::char_traits<",
					    "std::default_delete<", "std::equal_to<",
					    "std::hash<",           "std::less<"};
	struct name_part last = argument(in, in->bracket.nr - 1);

	if (last.len < 6 || memcmp(last.text, "std::", 5) != 0)
		return false;
	if (name_part_is(last, "std::less<>"))
		return true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(heads); i++) {
		size_t len = strlen(heads[i]);

		if (name_part_begins(last, heads[i]) && last.len > len + 1)
			return name_part_ends(last, ">") &&
			       is_earlier(in,
					  (struct name_part){last.text + len, last.len - len - 1});
	}
	return false;
}

/* The library's operators have arguments that follow from their parameters. */
static void remove_operator_traits(struct instance *in)
{
	struct name_pass *pass = in->pass;
	size_t open = in->bracket.open, blank = open && pass->out->data[open - 1] == ' ';

	if (pass->operator_end != open - blank ||
	    !name_part_begins(argument(in, 0), "std::char_traits<"))
		return;
	name_replace(pass, open - blank, pass->out->len, "");
}

/* Return true for a template with a list of types. */
static bool is_list(const struct instance *in)
{
	static const char *const lists[] = {"std::pair",        "std::tuple", "std::variant",
					    "std::_Tuple_impl", "pair",       "tuple"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(lists); i++) {
		if (name_part_is(template_name(in), lists[i]))
			return true;
	}
	return false;
}

/* Remove usual defaults of a template that is not in the tables. */
static void remove_usual_defaults(struct instance *in)
{
	while (in->bracket.nr > 1 && is_usual_default(in) && !is_list(in))
		remove_argument(in);
	if (in->bracket.nr == 1 && in->pass->operator_end)
		remove_operator_traits(in);
}

static void remove_defaults(struct instance *in)
{
	struct name_pass *pass = in->pass;
	const struct name_defaults *known =
		name_defaults_find(pass->out->data + in->start, in->bracket.open - in->start);
	uint32_t nr = in->bracket.nr;

	if (!known) {
		remove_usual_defaults(in);
		return;
	}
	for (uint32_t i = 0; i < nr; i++)
		in->vars[i] = argument(in, i);
	for (; nr > known->first && nr - known->first <= 4; nr = in->bracket.nr) {
		const char *pattern = known->defaults[nr - 1 - known->first];

		if (!pattern || !pattern_fits(in, argument(in, nr - 1), pattern))
			break;
		remove_argument(in);
	}
	if (known->shown && nr <= known->first)
		name_replace(pass, in->start, in->bracket.open, known->shown);
}

static void replace_by_alias(struct instance *in)
{
	struct name_pass *pass = in->pass;
	const struct name_alias *known =
		name_alias_find(pass->out->data + in->start, pass->out->len - in->start);

	if (known)
		name_replace(pass, in->start, pass->out->len, known->shown);
}

/* ---- new names --------------------------------------------------------------------- */

/* Reserve memory for a new name, which is built at the end of the output from parts of the old one.
 * This can move the output, so call it before the parts are determined. Returns false if there is
 * not enough memory. */
static bool reserve_new_name(struct instance *in)
{
	enum { MORE = 64 };

	return tally_str_reserve(in->pass->out, in->pass->out->len - in->start + MORE);
}

static void add_part(struct instance *in, struct name_part part)
{
	tally_str_add_bytes(in->pass->out, part.text, part.len);
}

static void end_new_name(struct instance *in, size_t at)
{
	struct tally_str *out = in->pass->out;
	size_t len = out->len - at;

	memmove(out->data + in->start, out->data + at, len);
	name_replace(in->pass, in->start + len, out->len, "");
}

/* ---- containers ------------------------------------------------------------------- */

static bool skip(struct name_part *text, const char *head, size_t len)
{
	if (text->len < len || memcmp(text->text, head, len) != 0)
		return false;
	text->text += len;
	text->len -= len;
	return true;
}

/* Find the key and value in libc++'s pair, which is the first argument. */
static bool split_pair(struct instance *in, const char *pair)
{
	const struct name_bracket *bracket = &in->bracket;
	const char *data = in->pass->out->data;
	size_t second = bracket->pair_second, to = bracket->pair_end;

	if (!bracket->pair || bracket->pair != bracket->args[0] + strlen(pair) ||
	    to != bracket->args[0] + argument(in, 0).len)
		return false;
	in->vars[0] =
		name_output(in->pass, bracket->pair + 1, second - (data[second - 1] == ' ') - 1);
	in->vars[1] = name_output(in->pass, second, to - 1);
	return true;
}

/* Find the value of std::pair<K const, V> with a known key. */
static bool split_const_pair(struct instance *in, struct name_part pair)
{
	struct name_part key = in->vars[0];
	bool found;

	if (!skip(&pair, "std::pair<", 10) || !name_part_ends(pair, ">"))
		return false;
	if (skip(&pair, "const ", 6))
		found = skip(&pair, key.text, key.len) && skip(&pair, ", ", 2);
	else
		found = skip(&pair, key.text, key.len) && skip(&pair, " const, ", 8);
	in->vars[1] = (struct name_part){pair.text, pair.len - 1};
	return found && pair.len > 1;
}

/* Find the key and value. Returns false if this is not certain. */
static bool find_elements(struct instance *in, const struct name_container *known, bool *ret_is_map)
{
	struct name_part value = argument(in, (uint32_t)known->value), extract;

	in->vars[0] = argument(in, 0);
	if (known->pair) {
		*ret_is_map = name_part_begins(value, known->pair);
		return !*ret_is_map || split_pair(in, known->pair);
	}
	extract = argument(in, (uint32_t)known->extract);
	*ret_is_map = name_part_begins(extract, "std::_Select1st<") ||
		      name_part_begins(extract, "std::__detail::_Select1st");
	if (*ret_is_map)
		return split_const_pair(in, value);
	return pattern_fits(in, value, "$1") &&
	       (name_part_begins(extract, "std::_Identity<") ||
		name_part_begins(extract, "std::__detail::_Identity"));
}

/* Return the number of options up to the last one that is not the default. */
static size_t count_options(const struct instance *in, const struct name_container *known,
			    bool is_map)
{
	size_t nr = 0;

	for (size_t i = 0; i < 3 && known->options[i].arg; i++) {
		const struct name_option *option = &known->options[i];

		if (!pattern_fits(in, argument(in, (uint32_t)option->arg),
				  is_map ? option->map_default : option->set_default))
			nr = i + 1;
	}
	return nr;
}

static bool has_all_arguments(const struct instance *in, const struct name_container *known)
{
	uint32_t last = (uint32_t)TALLY_MAX(known->traits, known->extract);

	for (size_t i = 0; i < 3; i++)
		last = TALLY_MAX(last, (uint32_t)known->options[i].arg);
	return in->bracket.nr > last;
}

static void add_container(struct instance *in, const struct name_container *known, bool is_map,
			  size_t nr_options)
{
	struct tally_str *out = in->pass->out;
	bool is_multi =
		known->traits && !name_part_ends(argument(in, (uint32_t)known->traits), "true>");
	struct name_part options[3];
	size_t at = out->len;

	for (size_t i = 0; i < nr_options; i++)
		options[i] = argument(in, (uint32_t)known->options[i].arg);
	tally_str_add(out, is_multi ? known->multi : known->shown);
	tally_str_add(out, is_map ? "map<" : "set<");
	add_part(in, in->vars[0]);
	if (is_map) {
		tally_str_add(out, ", ");
		add_part(in, in->vars[1]);
	}
	for (size_t i = 0; i < nr_options; i++) {
		tally_str_add(out, ", ");
		add_part(in, options[i]);
	}
	tally_str_add(out, ">");
	end_new_name(in, at);
}

static bool replace_container(struct instance *in)
{
	struct name_part name = template_name(in);
	const struct name_container *known = name_container_find(name.text, name.len);
	bool is_map = false;
	size_t nr_options;

	if (!known || !has_all_arguments(in, known) || !reserve_new_name(in) ||
	    !find_elements(in, known, &is_map))
		return false;
	nr_options = count_options(in, known, is_map);
	if (nr_options && is_map && known->pair)
		return false; /* the user's options are inside libc++'s own types */
	add_container(in, known, is_map, nr_options);
	return true;
}

/* ---- iterators and comparisons ------------------------------------------------------ */

/* __normal_iterator<T*, C> is C::iterator. */
static bool replace_iterator(struct instance *in)
{
	size_t at = in->pass->out->len;
	bool is_const;

	if (!name_part_is(template_name(in), "__gnu_cxx::__normal_iterator") ||
	    in->bracket.nr != 2 || !reserve_new_name(in))
		return false;
	is_const = name_part_ends(argument(in, 0), " const*") ||
		   name_part_begins(argument(in, 0), "const ");
	add_part(in, name_output(in->pass, in->bracket.args[1], at - 1));
	tally_str_add(in->pass->out, is_const ? "::const_iterator" : "::iterator");
	end_new_name(in, at);
	return true;
}

/* The library wraps the comparison that is passed to an algorithm. */
static bool replace_comparison(struct instance *in)
{
	static const char *const wrappers[] = {
		"__gnu_cxx::__ops::_Iter_comp_iter",   "__gnu_cxx::__ops::_Iter_comp_to_iter",
		"__gnu_cxx::__ops::_Iter_comp_to_val", "__gnu_cxx::__ops::_Iter_comp_val",
		"__gnu_cxx::__ops::_Iter_equals_val",  "__gnu_cxx::__ops::_Iter_negate",
		"__gnu_cxx::__ops::_Val_comp_iter",    "__gnu_cxx::__ops::_Iter_pred",
	};
	struct name_pass *pass = in->pass;
	bool is_wrapper = false;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(wrappers); i++)
		is_wrapper |= name_part_is(template_name(in), wrappers[i]);
	if (!is_wrapper || !pass->depth || in->bracket.nr != 1 ||
	    (pass->at < pass->len && pass->in[pass->at] == ':'))
		return false;
	name_replace(pass, pass->out->len - 1, pass->out->len, "");
	name_replace(pass, in->start, in->bracket.args[0], "");
	return true;
}

/* ---- entry point ------------------------------------------------------------------- */

static size_t find_start(const struct name_pass *pass, size_t open)
{
	const char *data = pass->out->data;
	size_t at = open;

	while (at && open - at < NAME_MAX_LEN &&
	       (tally_name_is_word(data[at - 1]) || data[at - 1] == ':'))
		at--;
	return at;
}

void name_shorten_template(struct name_pass *pass, const struct name_bracket *bracket)
{
	struct instance in = {pass, *bracket, find_start(pass, bracket->open), {{0}}};

	if (replace_container(&in) || replace_iterator(&in) || replace_comparison(&in))
		return;
	remove_defaults(&in);
	replace_by_alias(&in);
}
