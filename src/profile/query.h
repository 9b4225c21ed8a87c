/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries that select samples, as users type them:
 *
 *	comm:nginx sym:/^ngx_.*_handler$/ -dso:libssl time:10%-20%
 *
 * Words are separated by blanks, and all must match; '-' or '!' before a word negates it. A word is
 *
 *	comm:X               name of the thread
 *	pid:N tid:N cpu:N    numbers and ranges separated by commas: 0-3,5
 *	time:START,END       in seconds, either may be omitted; or 10%-20%
 *	sym:X dso:X          a function or file anywhere on the callchain, inlined functions too
 *	self-sym:X           the function that the sample is in, or the inlined one there
 *	self-dso:X           the file that the sample is in
 *	X                    comm:X, sym:X or dso:X
 *
 * X is a substring of the name, "=X" the whole name (for a file also the last component of its
 * path), "==X" the same but case-sensitive, "/X/" a regular expression; see pattern.h. A regular
 * expression ends at the first '/' that ends the word, so it may contain blanks; without such a '/'
 * it is a path instead. X may be in double quotes; then it may contain blanks, and \" and \\ for
 * these characters. In a word without a field, "::" is not a field separator, nor is a colon after
 * a capital letter. Other words with a colon and an unknown field must be quoted.
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

/* Parse a query. Returns 0, -EINVAL, -E2BIG or -ENOMEM; on failure `err` (may be NULL) has the
 * error and its position. A blank line is a query that every sample passes. */
int tally_query_parse(const char *text, struct tally_query **ret_query, struct tally_error *err);

/* Free a query. NULL is allowed. */
void tally_query_free(struct tally_query *query);

/* Return the TALLY_BY_* that a profile needs for tally_query_select(). */
unsigned tally_query_by(const struct tally_query *query);

/* Return which of PERF_SAMPLE_CPU, _TID and _TIME samples need for the words of the query. */
uint64_t tally_query_needs(const struct tally_query *query);

/* Return true if a word is a share of the time, which requires tally_query_set_times(). */
bool tally_query_has_shares(const struct tally_query *query);

/* Set the times of the first and the last sample, in ns; shares of the time are relative to these.
 * May be called again. */
void tally_query_set_times(struct tally_query *query, uint64_t first, uint64_t last);

/* Return true if the time words match a sample at this time. Buckets have no time, so callers check
 * this before they add samples to the profile. */
bool tally_query_matches_time(const struct tally_query *query, uint64_t time);

/* Match the buckets of a profile against all other words. `ret_passes` has one byte for each
 * bucket, by number, which is set to 1 or 0. Each name is matched once; a bucket then takes about
 * 20 ns, and 1 ns for each of its callers. Call this after tally_profile_finish(), or with the lock
 * of a live profile held. Returns 0 or -ENOMEM. */
int tally_query_select(const struct tally_query *query, const struct tally_profile *profile,
		       uint8_t *ret_passes);

/* Drop the buckets that tally_query_select() does not let pass, and their kept samples; update the
 * totals shown. The remaining buckets are renumbered. Call this after tally_profile_finish().
 * Returns 0, or -ENOMEM; then the kept samples are incomplete. */
int tally_query_apply(const struct tally_query *query, struct tally_profile *profile);

#endif
