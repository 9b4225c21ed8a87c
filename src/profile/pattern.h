/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What names are looked for by: a part of them, the whole, or a regular expression (POSIX
 * extended, of bytes whatever the locale). Upper and lower case are the same unless the pattern has
 * an upper-case letter, of ASCII, or is exact.
 *
 * What a regular expression may cost is bounded when it is compiled: glibc writes repetitions out
 * and follows all ways through those in one another, so their product counts; and of a name no more
 * than TALLY_PATTERN_NAME_MAX bytes are looked at. A name takes some microseconds, and the worst
 * that was met, "a.{20}c" on 4 KiB of a and b at random, 0.2 s.
 */
#ifndef TALLY_PROFILE_PATTERN_H
#define TALLY_PROFILE_PATTERN_H

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
	struct pattern_regex *regex; /* what matching changes */
};

/* 0; -ENOMEM; -EINVAL, and `*ret_why` is why a regular expression is none, in constant text. Free
 * with tally_pattern_free(). */
int tally_pattern_init(enum tally_pattern_kind kind, const char *text,
		       struct tally_pattern *ret_pattern, const char **ret_why);

/* Not by several threads at once. Without memory it is false, and tally_pattern_error() tells. */
bool tally_pattern_matches(const struct tally_pattern *pattern, const char *name);

/* 0; -ENOMEM: memory was out in one of the matches so far. */
int tally_pattern_error(const struct tally_pattern *pattern);

void tally_pattern_free(struct tally_pattern *pattern);

#endif
