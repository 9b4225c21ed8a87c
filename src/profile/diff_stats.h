/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics for comparing recordings: Student's t distribution, and variance estimates that borrow
 * strength from each other. Pure functions. */
#ifndef TALLY_PROFILE_DIFF_STATS_H
#define TALLY_PROFILE_DIFF_STATS_H

#include <stddef.h>

/* Maximum degrees of freedom; a higher number makes no difference. */
#define TALLY_DF_MAX 1000.0

/* Return the probability that |T| > `t` for Student's t with `df` (> 0) degrees of freedom. */
double tally_t_tails(double t, double df);

/* Return the t with this two-tailed probability (0 < tails < 1). */
double tally_t_quantile(double tails, double df);

/* Return the median of a variance estimate with `df` degrees of freedom, relative to the expected
 * value; and a limit that such an estimate almost never exceeds. */
double tally_variance_median(double df);
double tally_variance_limit(double df);

/* Prior for a variance, learned from many estimates of one kind. Log-normal scatter beyond what
 * `df` explains is taken as real. */
struct tally_prior {
	double df;    /* its weight in degrees of freedom; 0: nothing is known */
	double ratio; /* the estimate common to all */
};

/* Fit the prior of `nr` ratios (> 0), each of which is a variance estimate with `df` degrees of
 * freedom divided by its expected value (using the moments of log F; Smyth 2004). */
struct tally_prior tally_prior_fit(const double *ratios, size_t nr, double df);

#endif
