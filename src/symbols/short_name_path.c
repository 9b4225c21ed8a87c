/* SPDX-License-Identifier: BSD-2-Clause */
/* Scoped names: inline namespaces of C++, types of Rust's library, and packages of Go and D. */
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "symbols/name_text.h"
#include "symbols/short_name_private.h"
#include "symbols/short_name_rules.h"

/* ---- parts of a path ------------------------------------------------------------------ */

static size_t word_len(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && tally_name_is_word(text[at]))
		at++;
	return at;
}

static bool is_scope(const char *text, size_t len, size_t at)
{
	return at + 2 < len && text[at] == ':' && text[at + 1] == ':' &&
	       tally_name_is_word(text[at + 2]) && !tally_name_operator(text, len, at + 2);
}

/* Return the length of "a::b::c". */
static size_t path_len(const char *text, size_t len)
{
	size_t at = word_len(text, len);

	while (is_scope(text, len, at))
		at += 2 + word_len(text + at + 2, len - at - 2);
	return at;
}

/* Return the last part of a path, after "::". */
static struct name_part last_part(struct name_part path)
{
	const char *colon = memrchr(path.text, ':', path.len);
	size_t before = colon ? (size_t)(colon + 1 - path.text) : 0;

	return (struct name_part){path.text + before, path.len - before};
}

/* Return the path without its last part. */
static struct name_part scope_of(struct name_part path)
{
	size_t last = last_part(path).len;

	return (struct name_part){path.text, path.len - TALLY_MIN(last + 2, path.len)};
}

static bool is_in(struct name_part part, const char *const names[])
{
	for (size_t i = 0; names[i]; i++) {
		if (name_part_is(part, names[i]))
			return true;
	}
	return false;
}

/* ---- C++ -------------------------------------------------------------------------------- */

/* Namespaces in std that a user does not write. */
static const char *const inline_namespaces[] = {
	"__cxx11", "__1", "__2", "__ndk1", "__Cr", "_V2", "__fs", "__exception_ptr", NULL};

/* Starts of inline namespaces of other libraries. A digit follows. */
static const char *const versions[] = {"absl::lts_", "boost::log::v", "fmt::v",
				       "nlohmann::json_abi_v"};

static bool has_digit(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (tally_is_digit(text[i]))
			return true;
	}
	return false;
}

/* Append a path without the version of its library: "absl::lts_20220623::Mutex". Returns false if
 * it does not have one. */
static bool add_without_version(struct name_pass *pass, struct name_part path)
{
	enum { SHORTEST = 8 };
	char first = path.text[0];

	if (path.len < SHORTEST || (first != 'a' && first != 'b' && first != 'f' && first != 'n'))
		return false;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(versions); i++) {
		size_t from, part;

		if (versions[i][0] != path.text[0] || !name_part_begins(path, versions[i]))
			continue;
		from = strlen(versions[i]);
		while (path.text[from - 1] != ':')
			from--;
		part = word_len(path.text + from, path.len - from);
		if (from + part + 2 > path.len || !has_digit(path.text + from, part))
			continue;
		tally_str_add_bytes(pass->out, path.text, from);
		from += part + 2;
		tally_str_add_bytes(pass->out, path.text + from, path.len - from);
		return true;
	}
	return false;
}

static void add_cxx_path(struct name_pass *pass, struct name_part path)
{
	size_t at = 0;

	while (at < path.len) {
		size_t len = word_len(path.text + at, path.len - at);
		bool is_last = at + len == path.len;

		if (is_last || !is_in((struct name_part){path.text + at, len}, inline_namespaces))
			tally_str_add_bytes(pass->out, path.text + at, len + (is_last ? 0 : 2));
		at += len + 2;
	}
}

/* Names that debug information and mangled names write differently. */
static const struct integer {
	const char *text, *shown;
} integers[] = {
	{"long long unsigned int", "unsigned long long"},
	{"long unsigned int", "unsigned long"},
	{"short unsigned int", "unsigned short"},
	{"long long int", "long long"},
	{"long int", "long"},
	{"short int", "short"},
};

static const char *const integer_words[] = {"unsigned", "signed", "char", "short",
					    "int",      "long",   "bool", NULL};

bool name_is_integer(struct name_part type)
{
	size_t at = 0;

	while (at < type.len) {
		size_t len = word_len(type.text + at, type.len - at);

		if (!is_in((struct name_part){type.text + at, len}, integer_words))
			return false;
		at += len;
		at += at < type.len && type.text[at] == ' ';
	}
	return type.len;
}

/* Append the usual name of an integer type, and skip it. Returns false for other words. */
static bool add_integer(struct name_pass *pass)
{
	char first = pass->in[pass->at];

	if (first != 'l' && first != 's')
		return false;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(integers); i++) {
		size_t end = pass->at + strlen(integers[i].text);

		if (!name_next_is(pass, integers[i].text) ||
		    (end < pass->len && tally_name_is_word(pass->in[end])))
			continue;
		tally_str_add(pass->out, integers[i].shown);
		pass->at = end;
		return true;
	}
	return false;
}

/* ---- Rust ------------------------------------------------------------------------------- */

/* Types that several modules have. Their names are shown with the module. */
static const char *const common_types[] = {"Drain",   "Entry", "Error", "IntoIter", "Iter",
					   "IterMut", "Keys",  "Kind",  "Values",   NULL};

/* Append a type of Rust's library without its path. Returns false for another name. */
static bool add_rust_type(struct name_pass *pass, struct name_part path)
{
	size_t first = word_len(path.text, path.len), second;
	struct name_part last = last_part(path), module;

	if (!pass->nr_open[NAME_ANGLE] || !is_scope(path.text, path.len, first))
		return false;
	second = first + 2 + word_len(path.text + first + 2, path.len - first - 2);
	if (!is_scope(path.text, path.len, second) || !name_is_rust_module(path.text, second))
		return false;
	if (is_in(last, common_types)) {
		module = (struct name_part){path.text + first + 2, second - first - 2};
		if (name_part_is(module, "collections"))
			module = last_part(scope_of(path));
		tally_str_add_bytes(pass->out, module.text, module.len);
		tally_str_add(pass->out, "::");
	}
	tally_str_add_bytes(pass->out, last.text, last.len);
	return true;
}

/* ---- Go and D ---------------------------------------------------------------------------- */

static bool is_go_path(char c)
{
	return tally_name_is_word(c) || (c && strchr(".-%~+/", c));
}

/* Return true for "v2", the last part of the path of a package's second version. */
static bool is_go_version(const char *text, size_t len)
{
	return len > 1 && text[0] == 'v' && tally_is_digit(text[1]);
}

/* Return the length of the path before a package's name: "github.com/a/" of
 * "github.com/a/pkg.(*T).Method". The last slash is followed by the package. */
static size_t go_path_len(const struct name_pass *pass)
{
	const char *text = pass->in + pass->at, *slash, *dot;
	size_t len = 0, before;

	if (!pass->has_slash || (pass->at && (is_go_path(text[-1]) || text[-1] == ':')))
		return 0;
	while (pass->at + len < pass->len && is_go_path(text[len]))
		len++;
	slash = memrchr(text, '/', len);
	if (!slash || slash + 1 == text + len || !tally_name_is_word(slash[1]))
		return 0;
	dot = memchr(slash, '.', (size_t)(text + len - slash));
	if (!dot)
		return 0;
	before = (size_t)(slash + 1 - text);
	if (is_go_version(slash + 1, (size_t)(dot - slash - 1))) {
		slash = memrchr(text, '/', before - 1);
		before = slash ? (size_t)(slash + 1 - text) : 0;
	}
	return before;
}

/* Return the length of the module path before a D name in brackets: "std.range." of
 * "std.range.iota". */
static size_t dlang_path_len(const struct name_pass *pass)
{
	struct name_part text = {pass->in + pass->at, pass->len - pass->at};
	size_t at = 0, before = 0;

	if (!pass->depth || (!name_part_begins(text, "std.") && !name_part_begins(text, "core.")) ||
	    (pass->at && text.text[-1] == '.'))
		return 0;
	while (at < text.len && tally_name_is_word(text.text[at])) {
		before = at;
		at += word_len(text.text + at, text.len - at);
		at += at < text.len && text.text[at] == '.';
	}
	return before;
}

/* ---- entry point -------------------------------------------------------------------------- */

/* Comparisons that the library chooses if the user passes none. */
static const char *const default_comparisons[] = {
	"__gnu_cxx::__ops::_Iter_equal_to_iter", "__gnu_cxx::__ops::_Iter_less_iter",
	"__gnu_cxx::__ops::_Iter_less_val", "__gnu_cxx::__ops::_Val_less_iter", NULL};

static bool is_default_comparison(const struct name_pass *pass, struct name_part path)
{
	return pass->depth && path.text[0] == '_' && is_in(path, default_comparisons) &&
	       (pass->at == pass->len || pass->in[pass->at] != ':');
}

void name_add_path(struct name_pass *pass)
{
	static const char shape[] = "go.shape.";
	struct name_part path;
	bool is_inside = name_part_ends(name_output(pass, 0, pass->out->len), "::");

	if (pass->depth && !is_inside && add_integer(pass))
		return;
	while (pass->nr_open[NAME_SQUARE] && pass->len - pass->at > sizeof(shape) &&
	       !memcmp(pass->in + pass->at, shape, sizeof(shape) - 1))
		pass->at += sizeof(shape) - 1;
	pass->at += go_path_len(pass);
	pass->at += dlang_path_len(pass);
	path = (struct name_part){pass->in + pass->at, pass->len - pass->at};
	path.len = path_len(path.text, path.len);
	pass->at += path.len;
	if (is_default_comparison(pass, path))
		tally_str_add(pass->out, "std::less<>");
	else if (!is_inside && add_without_version(pass, path))
		return;
	else if (!is_inside && add_rust_type(pass, path))
		return;
	else if (!is_inside && name_part_begins(path, "std::"))
		add_cxx_path(pass, path);
	else
		tally_str_add_bytes(pass->out, path.text, path.len);
}
