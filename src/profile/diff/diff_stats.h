/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics for comparing recordings: Student's t distribution, and variance estimates that borrow
 * strength from each other. All functions are pure. */
#ifndef TALLY_PROFILE_DIFF_DIFF_STATS_H
#define TALLY_PROFILE_DIFF_DIFF_STATS_H

#include <stddef.h>

/* Maximum degrees of freedom. A higher number makes no difference. */
#define TALLY_DF_MAX 1000.0

/* Return the probability that |T| > `t` for Student's t with `df` (> 0) degrees of freedom. */
double tally_t_tails(double t, double df);

/* Return the value of t that has this two-tailed probability (0 < tails < 1). */
double tally_t_quantile(double tails, double df);

/* Return, respectively, the median of a variance estimate with `df` degrees of freedom, relative to
 * its expected value, and a limit that such an estimate almost never exceeds. */
double tally_variance_median(double df);
double tally_variance_limit(double df);

/* Prior for a variance, learned from many estimates of the same kind. Log-normal scatter beyond the
 * amount explained by `df` is considered real. */
struct tally_prior {
	double df;    /* weight in degrees of freedom; 0 if nothing is known */
	double ratio; /* ratio common to all estimates */
};

/* Fit the prior to `nr` ratios (> 0), each of which is a variance estimate with `df` degrees of
 * freedom divided by its expected value. Uses the moments of log F (Smyth 2004). */
struct tally_prior tally_prior_fit(const double *ratios, size_t nr, double df);

#endif
