/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns for names: a substring, a whole name, or a regular expression (POSIX extended, matching
 * bytes in any locale). Case is ignored unless the pattern is exact or contains an ASCII upper-case
 * letter.
 *
 * The cost of a regular expression is limited when it is compiled. glibc expands repetitions and
 * follows all branches of nested repetitions, so the product of their counts is limited. Only the
 * first TALLY_PATTERN_NAME_MAX bytes of a name are matched. Matching a name takes a few
 * microseconds; the worst case observed, "a.{20}c" on 4 KiB of random a and b, took 0.2 s.
 */
#ifndef TALLY_PROFILE_PATTERN_H
#define TALLY_PROFILE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum {
	TALLY_PATTERN_NAME_MAX = 4096, /* number of leading bytes of a name that are matched */
	TALLY_PATTERN_REGEX_MAX = 256, /* maximum length of a regular expression in bytes */
	TALLY_PATTERN_STEPS_MAX = 1000 /* maximum number of steps, with repetitions expanded */
};

enum tally_pattern_kind {
	TALLY_PATTERN_PART,
	TALLY_PATTERN_WHOLE,
	TALLY_PATTERN_EXACT, /* the whole name, case-sensitive */
	TALLY_PATTERN_REGEX,
};

struct tally_pattern {
	enum tally_pattern_kind kind;
	bool folds; /* case is ignored */
	char *text;
	struct pattern_regex *regex; /* state that changes during matching */
};

/* Initialize a pattern. Returns 0; -ENOMEM; or -EINVAL for an invalid regular expression, with the
 * reason in `*ret_why` as a constant string. The caller frees the pattern with
 * tally_pattern_free(). */
int tally_pattern_init(enum tally_pattern_kind kind, const char *text,
		       struct tally_pattern *ret_pattern, const char **ret_why);

/* Return true if a name matches. Not thread-safe. Returns false when out of memory;
 * tally_pattern_error() then reports the error. */
bool tally_pattern_matches(const struct tally_pattern *pattern, const char *name);

/* Return -ENOMEM if any match has run out of memory, otherwise 0. */
int tally_pattern_error(const struct tally_pattern *pattern);

void tally_pattern_free(struct tally_pattern *pattern);

#endif
