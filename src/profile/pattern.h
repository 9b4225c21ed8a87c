/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What names are looked for by: a part of them, the whole, or a regular expression (POSIX
 * extended, of bytes whatever the locale). Upper and lower case are the same unless the pattern has
 * an upper-case letter, of ASCII, or is exact.
 *
 * What a regular expression may cost is bounded when it is compiled: glibc writes repetitions out
 * and follows all ways through those in one another, so their product counts. Matching takes time
 * in proportion to that and to the name's length, of which no more than TALLY_PATTERN_NAME_MAX
 * bytes are looked at: at most some milliseconds.
 */
#ifndef TALLY_PROFILE_PATTERN_H
#define TALLY_PROFILE_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	TALLY_PATTERN_NAME_MAX = 4096, /* bytes of a name that are looked at */
	TALLY_PATTERN_REGEX_MAX = 256, /* bytes of a regular expression */
	TALLY_PATTERN_STEPS_MAX = 1000 /* of it, with repetitions written out */
};

enum tally_pattern_kind {
	TALLY_PATTERN_PART,
	TALLY_PATTERN_WHOLE,
	TALLY_PATTERN_EXACT, /* the whole name, in upper and lower case as it is */
	TALLY_PATTERN_REGEX,
};

struct tally_pattern {
	enum tally_pattern_kind kind;
	bool folds; /* upper and lower case are the same */
	char *text;
	regex_t regex;
};

/* 0; -ENOMEM; -EINVAL, and `*ret_why` is why a regular expression is none, in constant text. Free
 * with tally_pattern_free(). */
int tally_pattern_init(enum tally_pattern_kind kind, const char *text,
		       struct tally_pattern *ret_pattern, const char **ret_why);

bool tally_pattern_matches(const struct tally_pattern *pattern, const char *name);

void tally_pattern_free(struct tally_pattern *pattern);

#endif
