/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries that select samples, as typed by users:
 *
 *	comm:nginx sym:/^ngx_.*_handler$/ -dso:libssl time:10%-20%
 *
 * Words are separated by blanks, and all must match; '-' or '!' before a word negates it. A word is
 *
 *	comm:X               name of the thread
 *	pid:N tid:N cpu:N    numbers and ranges separated by commas: 0-3,5
 *	time:START,END       in seconds, either may be omitted; or 10%-20%
 *	sym:X dso:X          a function (even if inlined) or file anywhere on the callchain
 *	self-sym:X           the function that the sample is in, or the inlined function there
 *	self-dso:X           the file that the sample is in
 *	X                    comm:X, sym:X or dso:X
 *
 * X matches any part of the name, "=X" the whole name (for a file also the last component of its
 * path), and "==X" the same but case-sensitive; "/X/" is a regular expression. See pattern.h. A
 * regular expression ends at the first '/' that is at the end of a word, so it may contain blanks;
 * if there is no such '/', the word is a path instead. X may be in double quotes, and may then
 * contain blanks, and the escapes \" and \\ for these characters. In a word without a field, "::"
 * is not a field separator, nor is a colon after a capital letter. Other words that contain a colon
 * but do not begin with a known field must be quoted.
 */
#ifndef TALLY_PROFILE_QUERY_H
#define TALLY_PROFILE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/profile_model.h"

enum { TALLY_QUERY_LEN_MAX = 4096, TALLY_QUERY_WORDS_MAX = 32 };

struct tally_query;

/* Parse a query. Returns 0, -EINVAL, -E2BIG or -ENOMEM. On failure, `err` (may be NULL) contains
 * the error and its position. A blank line is a query that every sample passes. */
int tally_query_parse(const char *text, struct tally_query **ret_query, struct tally_error *err);

/* Free a query. NULL is allowed. */
void tally_query_free(struct tally_query *query);

/* Return the TALLY_BY_* flags that a profile needs for tally_query_select(). */
unsigned tally_query_by(const struct tally_query *query);

/* Return the mask of PERF_SAMPLE_CPU, _TID and _TIME flags that samples need for the query's
 * words. */
uint64_t tally_query_needs(const struct tally_query *query);

/* Return true if a time word is in percent, or relative to the first sample. Such words require
 * tally_query_set_times(). */
bool tally_query_has_relative_times(const struct tally_query *query);

/* Set the timestamps of the first and the last sample, in ns. Relative time words are of this
 * range. May be called again. */
void tally_query_set_times(struct tally_query *query, uint64_t first, uint64_t last);

/* Return true if no time from `first` to `last` matches one of the time words that are not negated.
 * Relative times must have been set. */
bool tally_query_is_outside(const struct tally_query *query, uint64_t first, uint64_t last);

/* Return true if the time words match a sample with this timestamp. Buckets have no timestamps, so
 * callers must check this before they add samples to the profile. */
bool tally_query_matches_time(const struct tally_query *query, uint64_t time);

/* Match the buckets of a profile against all words except time words. `ret_passes` has one byte for
 * each bucket, which is set to 1 or 0. Each name is matched once; a bucket then takes about 20 ns,
 * plus 1 ns for each of its callers. Call this after tally_profile_finish(), or while holding a
 * live profile's lock. Returns 0 or -ENOMEM. */
int tally_query_select(const struct tally_query *query, const struct tally_profile *profile,
		       uint8_t *ret_passes);

/* Drop the buckets that do not pass tally_query_select(), and their kept samples, and update the
 * displayed totals. The remaining buckets are renumbered. Call this after tally_profile_finish().
 * Returns 0, or -ENOMEM, in which case the kept samples are incomplete. */
int tally_query_apply(const struct tally_query *query, struct tally_profile *profile);

#endif
