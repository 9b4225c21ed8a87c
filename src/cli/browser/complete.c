/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/complete.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/browser/browser_view.h"
#include "profile/frame_text.h"

enum { MOST = 12, LENGTH_MAX = 900, LEAST_LENGTH = 2 };

/* Kinds of matches, the best one first. */
enum match { MATCH_START, MATCH_SCOPE, MATCH_PART, MATCH_NONE };

struct candidate {
	char *name;
	const char *field; /* field of the name, or NULL if the name is itself a field */
	enum match match;
	uint64_t weight;
};

struct completer {
	struct browser *browser;
	const char *wanted;
	struct candidate best[MOST + 1]; /* one more, to be dropped */
	size_t nr;
};

/* The last word of a query. */
struct last_word {
	size_t start; /* in the query, after the sign */
	char field[16];
	const char *value;
};

/* ---- matching -------------------------------------------------------------------------------- */

static enum match match_of(const char *name, const char *wanted)
{
	const char *at = strcasestr(name, wanted);

	if (!at)
		return MATCH_NONE;
	if (at == name)
		return MATCH_START;
	for (; at; at = strcasestr(at + 1, wanted)) {
		if (at - name >= 2 && at[-1] == ':' && at[-2] == ':')
			return MATCH_SCOPE;
	}
	return MATCH_PART;
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	return a->match != b->match ? a->match < b->match : a->weight > b->weight;
}

/* Move the last candidate to its place. */
static void sort_last(struct completer *completer)
{
	struct candidate *best = completer->best;

	for (size_t i = completer->nr - 1; i && is_better(&best[i], &best[i - 1]); i--) {
		struct candidate swapped = best[i];

		best[i] = best[i - 1];
		best[i - 1] = swapped;
	}
	if (completer->nr > MOST)
		free(best[--completer->nr].name);
}

/* Add a name if it is one of the best. */
static int offer(struct completer *completer, const char *field, const char *name, uint64_t weight)
{
	struct candidate new = {NULL, field, match_of(name, completer->wanted), weight};

	if (new.match == MATCH_NONE || strlen(name) > LENGTH_MAX)
		return 0;
	if (completer->nr == MOST && !is_better(&new, &completer->best[MOST - 1]))
		return 0;
	for (size_t i = 0; i < completer->nr; i++) {
		if (completer->best[i].field == field && !strcmp(completer->best[i].name, name))
			return 0;
	}
	new.name = strdup(name);
	if (!new.name)
		return -ENOMEM;
	completer->best[completer->nr++] = new;
	sort_last(completer);
	return 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int offer_threads(struct completer *completer)
{
	const struct tally_top_lists *lists = &completer->browser->lists.top;
	int ret = 0;

	tally_vec_for_each (row, &lists->threads.rows) {
		uint32_t comm = lists->threads.groups.data[row->group].comm;

		if (!ret)
			ret = offer(completer, "comm",
				    tally_intern_text(tally_machine_comms(lists->profile->machine),
						      comm),
				    row->self);
	}
	return ret;
}

/* Offer the functions, or the files of functions. */
static int offer_functions(struct completer *completer, const char *field)
{
	const struct tally_top_lists *lists = &completer->browser->lists.top;
	bool is_file = strstr(field, "dso") != NULL, is_self = !strncmp(field, "self", 4);
	struct tally_str name = {0};
	int ret = 0;

	tally_vec_for_each (row, &lists->functions.rows) {
		const struct tally_frame *frame = &lists->profile->frames.all.data[row->frame];
		uint64_t weight = is_self ? row->self : row->total;

		if (ret || !weight || (is_file ? !frame->dso : !frame->symbol))
			continue;
		tally_str_clear(&name);
		if (is_file)
			tally_str_add(&name, tally_path_name(tally_dso_name(frame->dso)));
		else
			tally_frame_add_label(lists->profile, row->frame, &name);
		ret = tally_str_error(&name);
		if (!ret)
			ret = offer(completer, field, tally_str_text(&name), weight);
	}
	tally_str_free(&name);
	return ret;
}

static const char *const name_fields[] = {"comm", "sym", "dso", "self-sym", "self-dso"};
static const char *const number_fields[] = {"pid", "tid", "cpu", "time"};

/* Offer the fields that begin with the word and, if it is long enough, functions. */
static int offer_fields(struct completer *completer)
{
	size_t len = strlen(completer->wanted);
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(name_fields) && !ret; i++) {
		if (!strncmp(name_fields[i], completer->wanted, len))
			ret = offer(completer, NULL, name_fields[i], UINT64_MAX);
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(number_fields) && !ret; i++) {
		if (!strncmp(number_fields[i], completer->wanted, len))
			ret = offer(completer, NULL, number_fields[i], UINT64_MAX);
	}
	return ret || len < LEAST_LENGTH ? ret : offer_functions(completer, "sym");
}

/* ---- queries --------------------------------------------------------------------------------- */

/* Return the start of the last word: after the last blank that is not quoted. */
static size_t word_start(const char *query)
{
	bool is_quoted = false;
	size_t start = 0;

	for (size_t i = 0; query[i]; i++) {
		if (query[i] == '\\' && is_quoted && query[i + 1])
			i++;
		else if (query[i] == '"')
			is_quoted = !is_quoted;
		else if (query[i] == ' ' && !is_quoted)
			start = i + 1;
	}
	return start;
}

static void parse_word(const char *query, struct last_word *ret_word)
{
	struct last_word word = {.start = word_start(query)};
	size_t len;

	word.start += query[word.start] == '-' || query[word.start] == '!';
	word.value = query + word.start;
	len = strcspn(word.value, ":");
	if (len < sizeof(word.field) && word.value[len] == ':' && word.value[len + 1] != ':') {
		memcpy(word.field, word.value, len);
		word.value += len + 1;
	}
	word.value += strspn(word.value, "=");
	word.value += *word.value == '"';
	*ret_word = word;
}

static int offer_all(struct completer *completer, const struct last_word *word)
{
	if (!*word->field)
		return offer_fields(completer);
	if (!strcmp(word->field, "comm"))
		return offer_threads(completer);
	for (size_t i = 1; i < TALLY_ARRAY_SIZE(name_fields); i++) {
		if (!strcmp(word->field, name_fields[i]))
			return offer_functions(completer, name_fields[i]);
	}
	return 0;
}

/* Add the query in which the candidate replaces the last word. */
static int add_text(const struct candidate *candidate, const char *query, size_t start,
		    struct browser_completions *out)
{
	struct tally_str text = {0};
	char *copy = NULL;

	tally_str_add_bytes(&text, query, start);
	if (candidate->field)
		browser_add_term(&text, candidate->field, candidate->name);
	else
		tally_str_addf(&text, "%s:", candidate->name);
	if (!tally_str_error(&text))
		copy = strdup(tally_str_text(&text));
	tally_str_free(&text);
	if (copy && !tally_vec_push(&out->texts, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

int browser_complete(struct browser *browser, const char *query, struct browser_completions *out)
{
	struct completer completer = {.browser = browser};
	struct last_word word;
	int ret = browser_chains_build(browser);

	if (!ret)
		ret = browser_lists_build(&browser->lists, browser);
	parse_word(query, &word);
	completer.wanted = word.value;
	if (!ret)
		ret = offer_all(&completer, &word);
	for (size_t i = 0; i < completer.nr; i++) {
		if (!ret)
			ret = add_text(&completer.best[i], query, word.start, out);
		free(completer.best[i].name);
	}
	return ret;
}

void browser_completions_free(struct browser_completions *completions)
{
	tally_vec_for_each (text, &completions->texts)
		free(*text);
	tally_vec_free(&completions->texts);
	completions->next = 0;
}
