/* SPDX-License-Identifier: BSD-2-Clause */
/* What comparing recordings needs of statistics: Student's t, and variances that borrow from each
 * other. Plain functions of numbers. */
#ifndef TALLY_PROFILE_DIFF_STATS_H
#define TALLY_PROFILE_DIFF_STATS_H

#include <stddef.h>

/* More degrees of freedom than these change nothing. */
#define TALLY_DF_MAX 1000.0

/* How likely it is that |T| of a Student's t with `df` (> 0) degrees of freedom is over `t`. */
double tally_t_tails(double t, double df);

/* The t whose tails are this likely (0 < tails < 1). */
double tally_t_quantile(double tails, double df);

/* What half of the variances with `df` degrees of freedom are below, over what is expected of them;
 * and what next to none is over. */
double tally_variance_median(double df);
double tally_variance_limit(double df);

/* What many estimates of one kind say of each: log-normal scatter beyond what `df` explains is
 * taken for real. */
struct tally_prior {
	double df;    /* how much it counts for; 0: nothing is known */
	double ratio; /* the estimate that all have in common */
};

/* The prior of `nr` ratios (> 0), each of them a variance with `df` degrees of freedom over what it
 * is expected to be (the moments of log F; Smyth 2004). */
struct tally_prior tally_prior_fit(const double *ratios, size_t nr, double df);

#endif
