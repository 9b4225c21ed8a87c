/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which samples are looked at, as a line that people type:
 *
 *	comm:nginx sym:/^ngx_.*_handler$/ -dso:libssl time:10%-20%
 *
 * Words are separated by blanks, and all must hold; '-' or '!' before one negates it. A word is
 *
 *	comm:X               the thread is called X
 *	pid:N tid:N cpu:N    numbers and ranges with commas between them: 0-3,5
 *	time:START,END       in seconds, of which either may be left out; or 10%-20%
 *	sym:X dso:X          a function or file anywhere on the callchain, inlined functions too
 *	self-sym:X           the function that the sample is in, or the inlined one there
 *	self-dso:X           the file that the sample is in
 *	X                    comm:X, sym:X or dso:X
 *
 * X is a part of the name, "=X" the whole (of a file also the last part of its path), "==X" the
 * same with upper and lower case as they are, "/X/" a regular expression; pattern.h has what these
 * are. A regular expression ends with the first '/' behind which the word ends, so it may have
 * blanks; without such a '/' it is no regular expression but a path. X may be in double quotes, and
 * then have blanks, and \" and \\ for these. In a word without a field "::" is no colon, nor is the
 * colon behind a capital letter; other words with a colon whose field is unknown must be quoted.
 */
#ifndef TALLY_PROFILE_QUERY_H
#define TALLY_PROFILE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"

enum { TALLY_QUERY_LEN_MAX = 4096, TALLY_QUERY_WORDS_MAX = 32 };

struct tally_query;

/* 0; or -EINVAL, -E2BIG, -ENOMEM, and `err` (may be NULL) is what is wrong where. A line of blanks
 * is a query that every sample passes. */
int tally_query_parse(const char *text, struct tally_query **ret_query, struct tally_error *err);

/* NULL is allowed. */
void tally_query_free(struct tally_query *query);

/* What a profile must tell apart (TALLY_BY_*) for tally_query_select(). */
unsigned tally_query_by(const struct tally_query *query);

/* What samples must have to be judged: PERF_SAMPLE_CPU, _TID, _TIME, as far as words ask for it. */
uint64_t tally_query_needs(const struct tally_query *query);

/* Whether a word has a share of the time, for which it must be known when samples begin and end. */
bool tally_query_has_shares(const struct tally_query *query);

/* Say when the first and the last sample were, in ns: shares of the time are of what lies between.
 * May be called again. */
void tally_query_set_times(struct tally_query *query, uint64_t first, uint64_t last);

/* Whether the words with times take a sample of this time. Buckets have no time, so whoever adds
 * samples to the profile asks this before. */
bool tally_query_takes_time(const struct tally_query *query, uint64_t time);

/* Judge the buckets of a profile by all other words: `ret_passes` has a byte for each, by number,
 * that becomes 1 or 0. Each name is looked at once; then a bucket takes some 20 ns, and one for
 * each of its callers. Of a profile that is not live, after tally_profile_finish(), else under its
 * lock. 0 or -ENOMEM.
 */
int tally_query_select(const struct tally_query *query, const struct tally_profile *profile,
		       uint8_t *ret_passes);

/* Drop the buckets that tally_query_select() does not let pass, with their samples that were kept,
 * and count what is shown anew. Those left have other numbers. After tally_profile_finish(). 0 or
 * -ENOMEM: what is kept is not whole then. */
int tally_query_apply(const struct tally_query *query, struct tally_profile *profile);

#endif
