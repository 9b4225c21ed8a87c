/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/short_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/path.h"
#include "base/str.h"
#include "profile/differing.h"
#include "symbols/demangle.h"
#include "symbols/name_text.h"
#include "symbols/short_name.h"

enum {
	NONE = UINT32_MAX,
	DEMANGLED_MAX = 16 << 20, /* limit for names with parameters, in bytes */
	PARAMETERS_MAX = 64,      /* of longer parameters, only a part is shown */
};

/* A function while the names are made. */
struct function_item {
	char *full;       /* with parameters, from malloc; NULL if not needed yet */
	const char *more; /* parameters and qualifiers in the short form: "(int) const" */
	uint32_t next;    /* next function with the same text, or NONE */
};

struct naming {
	const struct tally_function_name *functions;
	struct tally_short_names names;
	size_t nr;
	struct function_item *items;
	uint64_t left; /* budget for demangling */
	struct tally_str text;
};

/* ---- texts ------------------------------------------------------------------------- */

/* Set a function's text to the content of `text`. */
static int set_text(struct naming *naming, uint32_t i)
{
	struct tally_str *text = &naming->text;
	const char *old = naming->names.texts.data[i], *copy = old;

	if (!tally_str_error(text) && strcmp(tally_str_text(text), old))
		copy = tally_arena_strndup(&naming->names.arena, tally_str_text(text), text->len);
	if (tally_str_error(text) || !copy)
		return -ENOMEM;
	naming->names.texts.data[i] = copy;
	return 0;
}

static int add_short_name(struct naming *naming, uint32_t i)
{
	const char *name = naming->functions[i].name;
	size_t len = strlen(name);

	naming->names.texts.data[i] = name;
	if (!tally_short_name_applies(name, len))
		return 0;
	tally_str_clear(&naming->text);
	tally_short_name(&naming->text, name, len);
	return set_text(naming, i);
}

/* Return the name with its parameters, which identifies a function; NULL if there is not enough
 * memory. */
static const char *full_name(struct naming *naming, uint32_t i)
{
	struct function_item *item = &naming->items[i];
	const struct tally_function_name *function = &naming->functions[i];

	if (!item->full)
		item->full = tally_demangle(function->raw, true, &naming->left);
	if (!item->full)
		item->full = strdup(function->raw);
	return item->full;
}

/* ---- what distinguishes a function -------------------------------------------------- */

/* Functions with the same text. */
struct group {
	uint32_t first;
	size_t common;      /* length of the start that all names have in common */
	size_t common_more; /* the same for the parameters */
	bool has_words;     /* the words after the common start differ */
	bool has_addresses; /* the addresses differ */
	bool has_sources;   /* the names of the source files differ */
};

static size_t word_len(const char *text)
{
	size_t len = 0;

	while (tally_name_is_word(text[len]))
		len++;
	return len;
}

/* "f" becomes "f(int)". */
static void add_parameters(struct naming *naming, const struct group *group, uint32_t i)
{
	const char *more = naming->items[i].more;

	tally_str_add(&naming->text, naming->names.texts.data[i]);
	if (strlen(more) <= PARAMETERS_MAX)
		tally_str_add(&naming->text, more);
	else
		differing_add_parameters(&naming->text, more, group->common_more);
}

/* "f" becomes "f [scope]", with the first scope, package or argument in which the whole names
 * differ. */
static void add_scope(struct naming *naming, const struct group *group, uint32_t i)
{
	size_t start;

	tally_str_add(&naming->text, naming->names.texts.data[i]);
	if (!group->has_words)
		return;
	start = naming->text.len;
	tally_str_add(&naming->text, " [");
	differing_add_scope(&naming->text, naming->functions[i].name, group->common);
	if (naming->text.len == start + 2)
		naming->text.len = start;
	else
		tally_str_add(&naming->text, "]");
}

/* "f" becomes "f (file.c)". */
static void add_source(struct naming *naming, const struct group *group, uint32_t i)
{
	const char *source = naming->functions[i].source;

	tally_str_add(&naming->text, naming->names.texts.data[i]);
	if (group->has_sources && source)
		tally_str_addf(&naming->text, " (%s)", tally_path_name(source));
}

static void add_address(struct naming *naming, const struct group *group, uint32_t i)
{
	tally_str_add(&naming->text, naming->names.texts.data[i]);
	if (group->has_addresses)
		tally_str_addf(&naming->text, " @%" PRIx64, naming->functions[i].address);
}

static void add_raw(struct naming *naming, const struct group *group, uint32_t i)
{
	tally_str_addf(&naming->text, "%s [%s]", naming->names.texts.data[i],
		       naming->functions[i].raw);
}

/* ---- groups --------------------------------------------------------------------------- */

/* Find a function's parameters. */
static int find_parameters(struct naming *naming, uint32_t i)
{
	struct tally_str whole = {0};
	const char *full = full_name(naming, i), *old = naming->names.texts.data[i], *found;
	int ret = full ? tally_short_name(&whole, full, strlen(full)) : -ENOMEM;

	naming->items[i].more = "";
	found = ret ? NULL : strstr(tally_str_text(&whole), old);
	found = found ? found + strlen(old) : NULL;
	if (found && strchr("( [", *found)) {
		naming->items[i].more =
			tally_arena_strndup(&naming->names.arena, found, strlen(found));
	}
	tally_str_free(&whole);
	return naming->items[i].more ? ret : -ENOMEM;
}

static size_t common_len(const char *a, const char *b, size_t len)
{
	size_t at = 0;

	while (at < len && a[at] && a[at] == b[at])
		at++;
	return at;
}

/* Return the length of a common start, up to the beginning of a word. */
static size_t before_word(const char *text, size_t len)
{
	while (len && tally_name_is_word(text[len - 1]))
		len--;
	return len;
}

static bool differs(const char *source, const char *other)
{
	return source && other && strcmp(tally_path_name(source), tally_path_name(other)) != 0;
}

/* Find the start that all names, and all parameters, of a group have in common. */
static int measure_group(struct naming *naming, struct group *group)
{
	const struct tally_function_name *functions = naming->functions;
	const char *name = functions[group->first].name, *more = NULL;
	size_t len = strlen(name), word, more_len = SIZE_MAX;
	int ret = 0;

	for (uint32_t i = group->first; i != NONE && !ret; i = naming->items[i].next) {
		if (!naming->items[i].more)
			ret = find_parameters(naming, i);
		more = more ? more : naming->items[i].more;
		len = common_len(functions[i].name, name, len);
		more_len = ret ? 0 : common_len(naming->items[i].more, more, more_len);
	}
	group->common = before_word(name, len);
	group->common_more = ret ? 0 : before_word(more, more_len);
	word = word_len(name + group->common);
	for (uint32_t i = group->first; i != NONE; i = naming->items[i].next) {
		const char *from = functions[i].name + group->common;

		group->has_sources |= differs(functions[group->first].source, functions[i].source);
		group->has_addresses |= functions[i].address != functions[group->first].address;
		group->has_words |=
			word_len(from) != word || memcmp(from, name + group->common, word) != 0;
	}
	return ret;
}

/* Return 1 if functions of a group have the same raw name and file, but different addresses, 0 if
 * none have, or -ENOMEM. */
static int group_has_twins(struct naming *naming, uint32_t first)
{
	struct tally_map addresses = {0};
	int ret = 0;

	for (uint32_t i = first; i != NONE && !ret; i = naming->items[i].next) {
		const struct tally_function_name *function = &naming->functions[i];
		uint64_t key =
			tally_hash_bytes(function->raw, strlen(function->raw), function->file);
		uint64_t known = tally_map_get(&addresses, key);

		if (!function->file || known == function->address)
			continue;
		ret = known != TALLY_MAP_NONE ? 1
					      : tally_map_set(&addresses, key, function->address);
	}
	tally_map_free(&addresses);
	return ret;
}

/* Return 1 if a group contains different functions, 0 if it does not, or -ENOMEM. */
static int group_is_mixed(struct naming *naming, uint32_t first)
{
	const char *raw = naming->functions[first].raw, *a, *b;

	if (naming->items[first].next == NONE)
		return 0;
	for (uint32_t i = naming->items[first].next; i != NONE; i = naming->items[i].next) {
		if (!strcmp(naming->functions[i].raw, raw))
			continue;
		a = full_name(naming, first);
		b = full_name(naming, i);
		if (!a || !b)
			return -ENOMEM;
		if (strcmp(a, b))
			return 1;
	}
	return group_has_twins(naming, first);
}

typedef void distinguish_fn(struct naming *naming, const struct group *group, uint32_t i);

static int distinguish_group(struct naming *naming, uint32_t first, distinguish_fn *add)
{
	struct group group = {.first = first};
	int ret = measure_group(naming, &group);

	for (uint32_t i = first; i != NONE && !ret; i = naming->items[i].next) {
		tally_str_clear(&naming->text);
		add(naming, &group, i);
		ret = set_text(naming, i);
	}
	return ret;
}

/* Link the functions with equal texts. `firsts` are the first ones of each text. */
static int group_functions(struct naming *naming, struct tally_intern *texts, uint32_t *firsts)
{
	uint32_t id, known;
	int ret = 0;

	for (uint32_t i = naming->nr; i-- > 0 && !ret;) {
		const char *text = naming->names.texts.data[i];

		known = (uint32_t)texts->strings.len;
		ret = tally_intern(texts, text, strlen(text), &id);
		if (ret)
			break;
		naming->items[i].next = id == known ? NONE : firsts[id];
		firsts[id] = i;
	}
	return ret;
}

/* Distinguish different functions with the same text. Returns 1 if there were any, 0, or
 * -ENOMEM. */
static int distinguish(struct naming *naming, distinguish_fn *add)
{
	uint32_t *firsts = malloc((naming->nr + 1) * sizeof(*firsts));
	struct tally_intern texts = {0};
	int ret = firsts ? group_functions(naming, &texts, firsts) : -ENOMEM, mixed = 0;

	for (size_t id = 0; id < texts.strings.len && !ret; id++) {
		int is_mixed = group_is_mixed(naming, firsts[id]);

		if (is_mixed > 0)
			ret = distinguish_group(naming, firsts[id], add);
		else
			ret = is_mixed;
		mixed |= is_mixed > 0;
	}
	tally_intern_free(&texts);
	free(firsts);
	return ret ? ret : mixed;
}

static bool has_sources(const struct naming *naming)
{
	for (size_t i = 0; i < naming->nr; i++) {
		if (naming->functions[i].source)
			return true;
	}
	return false;
}

static int make_distinct(struct naming *naming)
{
	static distinguish_fn *const steps[] = {add_parameters, add_scope, add_source, add_address,
						add_raw};
	bool skips_sources = !has_sources(naming);
	int ret = 1;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(steps) && ret > 0; i++) {
		if (steps[i] != add_source || !skips_sources)
			ret = distinguish(naming, steps[i]);
	}
	return ret < 0 ? ret : 0;
}

/* ---- entry points ------------------------------------------------------------------------ */

int tally_short_names_make(const struct tally_function_name *functions, size_t nr,
			   struct tally_short_names *ret_names)
{
	struct naming naming = {.functions = functions, .nr = nr, .left = DEMANGLED_MAX};
	int ret = 0;

	naming.items = calloc(nr + 1, sizeof(*naming.items));
	if (!naming.items || nr >= NONE || tally_vec_reserve(&naming.names.texts, nr + 1))
		ret = -ENOMEM;
	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = add_short_name(&naming, i);
	naming.names.texts.len = nr;
	if (!ret)
		ret = make_distinct(&naming);
	for (size_t i = 0; i < nr && naming.items; i++)
		free(naming.items[i].full);
	free(naming.items);
	tally_str_free(&naming.text);
	if (ret)
		tally_short_names_free(&naming.names);
	else
		*ret_names = naming.names;
	return ret;
}

void tally_short_names_free(struct tally_short_names *names)
{
	tally_vec_free(&names->texts);
	tally_arena_free(&names->arena);
}
