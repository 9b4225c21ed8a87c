/* SPDX-License-Identifier: BSD-2-Clause */
/* Table-driven command line parsing, following perf's conventions. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cli/main/command.h"
#include "cli/main/global_options.h"
#include "cli/main/perf_options.h"
#include "cli/main/print.h"

enum { DONE = TALLY_EXIT_OK + 1, WRONG = TALLY_EXIT_USAGE + 1, MAX_OPTIONS = 256 };

struct parser {
	const struct tally_command *command;
	char *config;
	int argc, at;
	char **argv;
	bool applied[MAX_OPTIONS]; /* by position in the command's table */
};

static bool option_ends(const struct tally_option *option)
{
	return !option->letter && !option->name && option->kind == TALLY_OPTION_GROUP &&
	       !option->help;
}

static int usage_error(const struct parser *in, const char *kind, const char *word,
		       const char *what)
{
	tally_print_error("%s '%s'%s", kind, word, what);
	tally_print_hint("see 'tally %s --help'", in->command->name);
	return WRONG;
}

/* Report a long option that does not exist, or "-sort" with a missing dash. */
static int unknown_option(const struct parser *in, const char *word)
{
	const char *name = word + strspn(word, "-"), *no = strncmp(name, "no-", 3) ? "" : "no-";
	struct tally_suggest suggest;

	name += strlen(no);
	tally_suggest_start(&suggest, name, strcspn(name, "="));
	for (const struct tally_option *o = in->command->options; !option_ends(o); o++)
		if (o->name)
			tally_suggest_offer(&suggest,
					    strncmp(o->name, "no-", 3) ? o->name : o->name + 3);
	for (const struct tally_perf_option *row = tally_perf_options(in->command->name);
	     row && !tally_perf_option_ends(row); row++)
		if (row->name)
			tally_suggest_offer(&suggest, row->name);
	tally_print_error("unknown option '%s'", word);
	if (tally_suggest_typo(&suggest))
		tally_print_hint("did you mean '--%s%s'?", no, tally_suggest_typo(&suggest));
	tally_print_hint("see 'tally %s --help'", in->command->name);
	return WRONG;
}

static bool begins(const char *name, const char *start, size_t len)
{
	return !strncmp(name, start, len) ||
	       (!strncmp(name, "no-", 3) && !strncmp(name + 3, start, len)) ||
	       (len > 3 && !strncmp(start, "no-", 3) && !strncmp(name, start + 3, len - 3));
}

/* Report an ambiguous abbreviation and list all options that it matches. */
static int ambiguous_option(const struct parser *in, const char *word, const char *start,
			    size_t len)
{
	struct tally_str text = {0};

	for (const struct tally_option *o = in->command->options; !option_ends(o); o++)
		if (o->name && begins(o->name, start, len))
			tally_str_addf(&text, "%s'--%s'", text.len ? ", " : "", o->name);
	tally_print_error("ambiguous option '%s'", word);
	tally_print_hint("it matches %s", tally_str_text(&text));
	tally_str_free(&text);
	return WRONG;
}

/* Handle a perf option that is not in the command's own table. `word` is the option as written.
 * `arg` is the argument in the same word, or NULL. */
static int perf_option(struct parser *in, const struct tally_perf_option *option, const char *word,
		       const char *arg)
{
	int len = (int)strcspn(word, "=");

	/* --no-NAME of a rejected option selects the default. */
	if (!option->taken && !strncmp(word, "--no-", 5) && option->arg == TALLY_PERF_ARG_NONE &&
	    !arg && strncmp(option->name, "no-", 3))
		return 0;
	if (!option->taken) {
		tally_print_error("perf's option '%.*s' is not supported", len, word);
		tally_print_hint("%s", option->why);
		tally_hint_real_perf(option->why);
		return WRONG;
	}
	if (option->arg == TALLY_PERF_ARG_NONE && arg)
		return usage_error(in, "option", word, " does not take an argument");
	if (option->arg == TALLY_PERF_ARG_NEEDED && !arg && ++in->at >= in->argc)
		return usage_error(in, "option", word, " requires an argument");
	tally_print_warning("perf's option '%.*s' has no effect here: %s", len, word, option->why);
	return 0;
}

/* Handle one of perf's option letters. `*ret_ends` is set if the rest of `word` is not a sequence
 * of option letters. */
static int perf_letter(struct parser *in, const char *letter, const char *word, bool *ret_ends)
{
	const struct tally_perf_option *option =
		tally_perf_option_letter(in->command->name, *letter);
	bool has_rest = option && option->arg && letter[1];

	if (!option)
		return unknown_option(in, word);
	*ret_ends = option->arg != TALLY_PERF_ARG_NONE;
	return perf_option(in, option, (char[]){'-', *letter, 0}, has_rest ? letter + 1 : NULL);
}

static int set_number(const struct parser *in, const struct tally_option *option, const char *arg)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(arg, &end, 0);
	if (end == arg || *end || errno || *arg == '-' ||
	    (option->kind == TALLY_OPTION_INT && value > INT_MAX)) {
		tally_print_error("option '%s' takes a number, not '%s'",
				  option->name ? option->name : (char[]){option->letter, 0}, arg);
		return WRONG;
	}
	if (option->kind == TALLY_OPTION_INT)
		*(int *)(in->config + option->offset) = (int)value;
	else
		*(uint64_t *)(in->config + option->offset) = value;
	return 0;
}

static int list_add(struct tally_option_list *list, const char *arg)
{
	const char **grown = reallocarray(list->items, list->nr + 2, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	grown[list->nr++] = arg;
	grown[list->nr] = NULL;
	list->items = grown;
	return 0;
}

/* Return the place that records whether an option was applied. */
static bool *applied_of(struct parser *in, const struct tally_option *option)
{
	size_t at = (size_t)(option - in->command->options);

	return &in->applied[TALLY_MIN(at, (size_t)MAX_OPTIONS - 1)];
}

/* Apply one option. `arg` is NULL if the option takes no argument or the argument was omitted. */
static int option_apply(struct parser *in, const struct tally_option *option, bool negated,
			const char *arg)
{
	char *member = in->config + option->offset;

	*applied_of(in, option) = true;
	if (option->given)
		*(bool *)(in->config + option->given) = true;
	/* Without an argument, the option does not override an argument given earlier. */
	if (!arg && option->optional && option->kind == TALLY_OPTION_TEXT && !negated &&
	    *(const char **)member)
		return 0;
	if (!arg && option->optional)
		arg = option->optional;
	switch ((enum tally_option_kind)option->kind) {
	case TALLY_OPTION_GROUP: return 0;
	case TALLY_OPTION_FLAG: *(bool *)member = !negated; return 0;
	case TALLY_OPTION_CLEAR: *(bool *)member = negated; return 0;
	case TALLY_OPTION_COUNT: *(int *)member = negated ? 0 : *(int *)member + 1; return 0;
	case TALLY_OPTION_U64:
	case TALLY_OPTION_INT: return set_number(in, option, arg);
	case TALLY_OPTION_TEXT: *(const char **)member = negated ? NULL : arg; return 0;
	case TALLY_OPTION_LIST:
		return list_add((struct tally_option_list *)member, arg) ? WRONG : 0;
	case TALLY_OPTION_CALL: return option->call(in->config, negated ? "no" : arg) ? WRONG : 0;
	}
	return WRONG;
}

/* Return true if an optional argument was omitted, because there is no next word or the next word
 * is not an argument. */
static bool is_argument_omitted(const struct parser *in, const struct tally_option *option)
{
	const char *next = in->at + 1 < in->argc ? in->argv[in->at + 1] : NULL;

	if (!option->optional)
		return false;
	if (!option->next_word || !next)
		return true;
	return option->fits ? !option->fits(next) : next[0] == '-';
}

static const struct tally_option *find_letter(const struct tally_command *command, char letter)
{
	const struct tally_option *option = command->options;

	while (!option_ends(option) && option->letter != letter)
		option++;
	return option_ends(option) ? NULL : option;
}

/* Parse a word of option letters. A letter's argument is the rest of the word or the next word. */
static int parse_letters(struct parser *in, const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct tally_option *option = find_letter(in->command, *letter);
		bool ends = false;
		int ret;

		if (*letter == 'h') {
			tally_command_help(in->command);
			return DONE;
		}
		if (!option)
			ret = perf_letter(in, letter, word, &ends);
		else if (!option->arg)
			ret = option_apply(in, option, false, NULL);
		else if (letter[1])
			return option_apply(in, option, false, letter + 1);
		else if (is_argument_omitted(in, option))
			ret = option_apply(in, option, false, NULL);
		else if (in->at + 1 < in->argc)
			return option_apply(in, option, false, in->argv[++in->at]);
		else
			return usage_error(in, "option", word, " requires an argument");
		if (ret || ends)
			return ret;
	}
	return 0;
}

/* Find the option with exactly this long name (`len` bytes at `name`), or the only option with a
 * long name that begins with it. Newer options are found only if no other option begins so. */
static const struct tally_option *find_long(const struct tally_command *command, const char *name,
					    size_t len, bool *ret_ambiguous)
{
	const struct tally_option *found[2] = {NULL, NULL};
	bool ambiguous[2] = {false, false}, newer;

	*ret_ambiguous = false;
	for (const struct tally_option *o = command->options; !option_ends(o); o++) {
		if (!o->name || strncmp(o->name, name, len))
			continue;
		if (!o->name[len])
			return o;
		newer = tally_perf_option_is_newer(command->name, o->name);
		ambiguous[newer] = found[newer] != NULL;
		found[newer] = o;
	}
	newer = !found[false];
	*ret_ambiguous = ambiguous[newer];
	return ambiguous[newer] ? NULL : found[newer];
}

/* Return true if --no-NAME resets the option. */
static bool has_reset(const struct tally_option *option)
{
	return option->kind == TALLY_OPTION_FLAG || option->kind == TALLY_OPTION_COUNT ||
	       option->kind == TALLY_OPTION_CLEAR || option->kind == TALLY_OPTION_TEXT ||
	       option->takes_no;
}

/* Apply --no-NAME. Options that cannot be reset are accepted if they were not given before, because
 * that is already the default. */
static int option_negate(struct parser *in, const struct tally_option *option, const char *word)
{
	if (has_reset(option))
		return option_apply(in, option, true, NULL);
	if (!*applied_of(in, option))
		return 0;
	tally_print_error("option '%s' cannot undo the earlier '--%s'", word, option->name);
	tally_print_hint("leave out both");
	return WRONG;
}

/* Find the option that `name` refers to. Try the name itself, then the name without its "no-",
 * then the name with "no-" prepended. The caller has already searched perf's options for an
 * exact match. */
static const struct tally_option *find_word(const struct parser *in, const char *name, size_t len,
					    bool *ret_negated, bool *ret_ambiguous)
{
	const struct tally_option *option = find_long(in->command, name, len, ret_ambiguous);
	char no[64] = "no-";

	*ret_negated = false;
	if (option || *ret_ambiguous)
		return option;
	*ret_negated = true;
	if (!strncmp(name, "no-", 3))
		option = find_long(in->command, name + 3, len - 3, ret_ambiguous);
	/* Accept --NAME for an option that is listed as --no-NAME. */
	if (!option && !*ret_ambiguous && len < 60) {
		memcpy(no + 3, name, len);
		option = find_long(in->command, no, len + 3, ret_ambiguous);
	}
	return option;
}

/* Return true if the command itself has an option of this name. */
static bool has_own(const struct tally_command *command, const char *name, size_t len)
{
	for (const struct tally_option *o = command->options; !option_ends(o); o++)
		if (o->name && !strncmp(o->name, name, len) && !o->name[len])
			return true;
	return false;
}

static int parse_long(struct parser *in, const char *word)
{
	const char *name = word + 2, *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct tally_perf_option *theirs =
		tally_perf_option_find(in->command->name, name, len);
	const struct tally_option *option;
	bool ambiguous = false, negated = false;

	if (has_own(in->command, name, len))
		theirs = NULL;
	if (!strcmp(name, "help")) {
		tally_command_help(in->command);
		return DONE;
	}
	if (!strcmp(name, "list-opts")) {
		tally_print_option_names(in->command);
		return DONE;
	}
	if (!strcmp(name, "list-words")) {
		char **args = in->argv + in->at + 1; /* ends with NULL */

		tally_print_words(in->command, args[0], args[0] ? args[1] : NULL);
		return DONE;
	}
	option = theirs ? NULL : find_word(in, name, len, &negated, &ambiguous);
	if (!theirs && !option && ambiguous)
		return ambiguous_option(in, word, name, len);
	if (!theirs && !option)
		theirs = tally_perf_option_begins(in->command->name, name, len);
	if (theirs)
		return perf_option(in, theirs, word, equals ? equals + 1 : NULL);
	if (!option)
		return unknown_option(in, word);
	if (!option->arg && equals)
		return usage_error(in, "option", word, " does not take an argument");
	if (negated)
		return option_negate(in, option, word);
	if (!option->arg)
		return option_apply(in, option, false, NULL);
	if (equals)
		return option_apply(in, option, false, equals + 1);
	if (is_argument_omitted(in, option))
		return option_apply(in, option, false, NULL);
	if (in->at + 1 >= in->argc)
		return usage_error(in, "option", word, " requires an argument");
	return option_apply(in, option, false, in->argv[++in->at]);
}

/* Move argv[from] to argv[to], with to <= from. Keep the order of the words in between. */
static void move_word(char **argv, int from, int to)
{
	char *word = argv[from];

	memmove(&argv[to + 1], &argv[to], (size_t)(from - to) * sizeof(*argv));
	argv[to] = word;
}

int tally_options_parse(const struct tally_command *command, void *config, int argc, char **argv,
			unsigned flags, int *ret_first)
{
	struct parser in = {command, config, argc, 1, argv};
	int first = 1; /* index to which the next option word is moved */
	int ret;

	for (; in.at < argc; in.at++) {
		char *word = argv[in.at];
		int start = in.at;

		if (!strcmp(word, "--")) {
			move_word(argv, in.at, first++);
			break;
		}
		if (word[0] != '-' || !word[1]) {
			if (flags & TALLY_PARSE_STOP)
				break;
			continue;
		}
		ret = word[1] == '-' ? parse_long(&in, word) : parse_letters(&in, word);
		if (ret) {
			tally_options_free(command, config);
			return ret;
		}
		for (; start <= in.at; start++)
			move_word(argv, start, first++);
	}
	if (first < argc && !(flags & (TALLY_PARSE_STOP | TALLY_PARSE_WORDS)))
		return usage_error(&in, "unexpected argument", argv[first], "");
	*ret_first = first;
	return 0;
}

void tally_options_free(const struct tally_command *command, void *config)
{
	for (const struct tally_option *o = command->options; !option_ends(o); o++) {
		struct tally_option_list *list = (void *)((char *)config + o->offset);

		if (o->kind != TALLY_OPTION_LIST)
			continue;
		free(list->items);
		*list = (struct tally_option_list){0};
	}
}
