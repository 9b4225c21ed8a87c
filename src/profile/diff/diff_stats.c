/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/diff/diff_stats.h"

#include <math.h>

/* Return the logarithm of the gamma function for x > 0, using Stirling's series where x is large
 * enough. */
static double log_gamma(double x)
{
	double shift = 0;

	for (; x < 8; x++)
		shift += log(x);
	return (x - 0.5) * log(x) - x + 0.91893853320467274178 + 1 / (12 * x) -
	       1 / (360 * x * x * x) + 1 / (1260 * pow(x, 5)) - shift;
}

/* Return the continued fraction of the incomplete beta function, using Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (int m = 1; m <= 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step = 1;

		for (int i = 0; i < 2; i++) {
			double term = i ? odd : even;

			d = 1 + term * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + term / c;
			c = fabs(c) < tiny ? tiny : c;
			step = c * d;
			result *= step;
		}
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return result;
}

/* Return the regularised incomplete beta function. */
static double beta_part(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double tally_t_tails(double t, double df)
{
	df = fmin(df, TALLY_DF_MAX);
	return beta_part(df / (df + t * t), df / 2, 0.5);
}

double tally_t_quantile(double tails, double df)
{
	double low = 0, high = 1;

	while (tally_t_tails(high, df) > tails && high < 1e12)
		high *= 2;
	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (tally_t_tails(middle, df) > tails)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Return the derivatives of log_gamma() for x > 0, using the recurrence relation and the asymptotic
 * series. */
static double digamma(double x)
{
	double sum = 0;

	for (; x < 8; x++)
		sum -= 1 / x;
	return sum + log(x) - 1 / (2 * x) - 1 / (12 * x * x) + 1 / (120 * pow(x, 4)) -
	       1 / (252 * pow(x, 6));
}

static double trigamma(double x)
{
	double sum = 0;

	for (; x < 8; x++)
		sum += 1 / (x * x);
	return sum + 1 / x + 1 / (2 * x * x) + 1 / (6 * x * x * x) - 1 / (30 * pow(x, 5)) +
	       1 / (42 * pow(x, 7));
}

/* Uses the Wilson-Hilferty approximation. */
double tally_variance_median(double df)
{
	return pow(1 - 2 / (9 * df), 3);
}

double tally_variance_limit(double df)
{
	return tally_variance_median(df) * exp(2 * sqrt(trigamma(df / 2)));
}

/* Return the x in [0.05, TALLY_DF_MAX / 2] at which trigamma(), a decreasing function, is nearest
 * to `value`. */
static double trigamma_inverse(double value)
{
	double low = 0.05, high = TALLY_DF_MAX / 2;

	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (trigamma(middle) > value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct tally_prior tally_prior_fit(const double *ratios, size_t nr, double df)
{
	struct tally_prior prior = {0, 1};
	double mean = 0, scatter = 0;

	if (nr < 3 || df <= 0)
		return prior;
	for (size_t i = 0; i < nr; i++)
		mean += log(ratios[i]) - digamma(df / 2) + log(df / 2);
	mean /= (double)nr;
	for (size_t i = 0; i < nr; i++)
		scatter += pow(log(ratios[i]) - digamma(df / 2) + log(df / 2) - mean, 2);
	scatter = scatter / (double)(nr - 1) - trigamma(df / 2);
	prior.df = 2 * (scatter > 0 ? trigamma_inverse(scatter) : TALLY_DF_MAX / 2);
	prior.ratio = exp(mean + digamma(prior.df / 2) - log(prior.df / 2));
	return prior;
}
