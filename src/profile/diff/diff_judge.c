/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides whether rows differ by more than they would without a change. Two facts are known about
 * each row: how samples vary within recordings, because of sampling and of effects that depend on
 * time, and how the recordings on one side differ. docs/internals/diff-statistics.md explains how
 * these facts are used.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "profile/diff/diff_private.h"
#include "profile/diff/diff_stats.h"

/* Minimum total of a row's samples across all recordings. With fewer samples, no difference could
 * be significant. */
#define FEWEST_SAMPLES 10.0
/* Family-wise error rate: without any real change, one comparison in 20 is expected to flag a row
 * by mistake. */
#define ERROR_PROBABILITY 0.05
/* Assumed standard deviation between runs, as a fraction of a row's value. Used if neither side has
 * two recordings, because the variation between runs is then unknown. */
#define ASSUMED_RUN_VARIATION 0.01
#define NO_ERROR              1e-12
/* Minimum number of equally weighted blocks needed to detect time dependence within a recording. */
#define FEWEST_BLOCKS 8.0
#define WIDE_FINES    4.0 /* number of fine blocks in a wide block */
/* Spacing of the cached quantiles of Student's t. Degrees of freedom within this factor of each
 * other share a quantile. */
#define QUANTILE_STEP 1.05
enum { QUANTILES = 160 };

/* A variance estimate and its degrees of freedom. */
struct spread {
	double variance, df;
};

/* Variances of a row's difference, used to estimate the variation between recordings. */
struct known {
	double sampling, time, between;
	double square; /* variance if recordings differed by the row's whole value */
};

/* Values of the current row. */
struct judged {
	struct tally_diff_row *row;
	double *values;              /* indexed by recording */
	struct tally_diff_sum *sums; /* indexed by recording */
	/* Components of the variance of the difference. `sampling` is due to the number of samples;
	 * `time` is the additional variance within recordings, because samples resemble preceding
	 * samples; `between` is the variance between recordings, with a df of 0 if unknown. */
	double sampling;
	struct spread time, between;
	double correction; /* continuity correction: half a sample on either side */
};

struct judge {
	struct tally_diff *diff;
	int measure;
	bool is_timeless; /* at least one recording has too few blocks; see is_timeless() */
	double *values;
	struct tally_diff_sum *sums;
	TALLY_VEC(struct known) known; /* for rows with enough samples */
	double quantiles[QUANTILES];   /* see QUANTILE_STEP; 0 if not computed yet */
	/* Estimated from all rows: the fraction of the time dependence that differs between
	 * recordings (0 to 1), and the square of the additional variation between recordings as a
	 * fraction of a row's value. */
	double phases, runs;
	struct tally_prior prior; /* for the remaining variance of each row */
};

static double recording_scale(const struct judge *judge, const struct tally_diff_recording *of)
{
	if (judge->diff->options.absolute)
		return of->scale;
	return of->weight > 0 ? 1 / of->weight : 0;
}

/* ---- within recordings -------------------------------------------------------- */

/* Return the variance of a sum over time blocks. For a share, the variance is relative to the
 * weight of each block; for absolute values, the blocks are expected to be equal. */
static struct spread blocks_spread(bool is_share, double nr, double xx, double xw, double ww,
				   double sum, double weight)
{
	double share = weight > 0 ? sum / weight : 0;
	double rest = is_share ? xx - 2 * share * xw + share * share * ww : xx - sum * sum / nr;

	if (nr < 2)
		return (struct spread){0, 0};
	return (struct spread){fmax(rest, 0) * nr / (nr - 1), nr - 1};
}

/* Return the variance due to sampling alone, for a row with the expected value `expected`. */
static double sampling_variance(bool absolute, const struct tally_diff_recording *of, double scale,
				double expected)
{
	double each = of->weight > 0 ? of->squares / of->weight * scale : 0; /* per sample */

	return absolute ? expected * each : fmax(expected * (1 - expected), 0) * each;
}

/* Return the variance over time blocks in excess of `sampling`. Use longer blocks if their variance
 * is larger, because samples are then correlated over more than one block. Even longer blocks would
 * be too few to measure, and are assumed to have a still larger variance in that case. */
static struct spread recording_time(const struct judge *judge,
				    const struct tally_diff_recording *of,
				    const struct tally_diff_sum *sum, double sampling)
{
	bool absolute = judge->diff->options.absolute;
	double scale = recording_scale(judge, of), square = scale * scale, more;
	struct spread fine = blocks_spread(!absolute, of->fine_nr, sum->fine_xx, sum->fine_xw,
					   of->fine_ww, sum->weight, of->weight);
	struct spread wide = blocks_spread(!absolute, of->wide_nr, sum->wide_xx, sum->wide_xw,
					   of->wide_ww, sum->weight, of->weight);
	struct spread most = wide.df > 0 && wide.variance > fine.variance ? wide : fine;

	if (most.df > 0 && fine.variance > 0 && wide.variance > fine.variance)
		most.variance *= fmin(wide.variance / fine.variance, WIDE_FINES);
	more = most.variance * square - sampling;
	if (most.df <= 0 || more <= 0)
		return (struct spread){0, TALLY_DF_MAX};
	/* The blocks only measure the sum of the two variances, so either component alone has fewer
	 * degrees of freedom than the sum. */
	return (struct spread){more, most.df * pow(more / (more + sampling), 2)};
}

/* Return true if all the weight is in a few time blocks. Such blocks contain no information about
 * time dependence. */
static bool is_timeless(const struct tally_diff_recording *of)
{
	return of->weight * of->weight < FEWEST_BLOCKS * of->fine_ww;
}

/* Add the variances of independent components. The degrees of freedom are combined by
 * Satterthwaite's formula. */
static struct spread spread_sum(struct spread sum, struct spread part, double factor)
{
	double variance = part.variance * factor, doubt = 0;

	if (sum.df > 0)
		doubt += sum.variance * sum.variance / sum.df;
	if (part.df > 0)
		doubt += variance * variance / part.df;
	sum.variance += variance;
	sum.df = TALLY_DF_MAX;
	if (doubt > 0)
		sum.df = fmin(sum.variance * sum.variance / doubt, TALLY_DF_MAX);
	return sum;
}

static void judge_within(const struct judge *judge, struct judged *judged, double expected)
{
	const struct tally_diff *diff = judge->diff;
	double nr_sides[TALLY_SIDES] = {0, 0};

	for (uint32_t i = 0; i < diff->recordings.len; i++) {
		const struct tally_diff_recording *of = &diff->recordings.data[i];
		double nr = (double)diff->nr_of[of->side], each = 1 / (nr * nr);
		double sampling = sampling_variance(diff->options.absolute, of,
						    recording_scale(judge, of), expected);

		judged->sampling += sampling * each;
		judged->time = spread_sum(
			judged->time, recording_time(judge, of, &judged->sums[i], sampling), each);
		if (of->squares > 0)
			nr_sides[of->side] += of->weight * of->weight / of->squares;
	}
	if (diff->options.absolute)
		return;
	for (int side = 0; side < TALLY_SIDES; side++)
		judged->correction += nr_sides[side] > 0 ? 0.5 / nr_sides[side] : 0;
}

/* ---- between recordings ------------------------------------------------------- */

static double side_squares(const struct judge *judge, const struct judged *judged, uint32_t side,
			   double mean)
{
	double sum = 0;

	for (uint32_t i = 0; i < judge->diff->recordings.len; i++) {
		if (judge->diff->recordings.data[i].side == side)
			sum += (judged->values[i] - mean) * (judged->values[i] - mean);
	}
	return sum;
}

/* Compute the variance between recordings. Both sides may vary equally (pooled) or differently, as
 * in Welch's test; use the larger variance. */
static void judge_between(const struct judge *judge, struct judged *judged)
{
	const double *mean = judged->row->values[judge->measure].mean;
	double nr[TALLY_SIDES], squares[TALLY_SIDES], pooled, apart = 0;

	for (uint32_t side = 0; side < TALLY_SIDES; side++) {
		nr[side] = (double)judge->diff->nr_of[side];
		squares[side] = side_squares(judge, judged, side, mean[side]);
		if (nr[side] > 1)
			apart += squares[side] / (nr[side] - 1) / nr[side];
	}
	judged->between.df = nr[0] + nr[1] - 2;
	if (judged->between.df < 1)
		return;
	pooled = (squares[0] + squares[1]) / judged->between.df * (1 / nr[0] + 1 / nr[1]);
	judged->between.variance = fmax(pooled, apart);
}

/* Return the variance of a row's difference if recordings differed by the row's whole value. */
static double runs_square(const struct judge *judge, double expected)
{
	const uint64_t *nr = judge->diff->nr_of;

	return expected * expected * (1 / (double)nr[0] + 1 / (double)nr[1]);
}

/* Return the expected variance of a row from all sources except the differences between its own
 * recordings. All rows share the same phases, so many rows contain no more information than a
 * single row about how phases differ between recordings. */
static struct spread judge_expects(const struct judge *judge, const struct judged *judged,
				   double expected)
{
	struct spread rest = {judged->sampling + judge->runs * runs_square(judge, expected),
			      TALLY_DF_MAX};
	struct spread time = judged->time;

	if (judged->between.df >= 1)
		time.df = fmin(time.df, judged->between.df);
	return spread_sum(rest, time, judge->phases);
}

/* Return the final variance of a row. */
static struct spread judge_spread(const struct judge *judge, const struct judged *judged,
				  double expected)
{
	struct spread known = judge_expects(judge, judged, expected);
	struct spread between = judged->between;
	double prior = judge->prior.df, weighed;

	if (between.df < 1)
		return known;
	/* If the row is far from the estimate for all rows, use only the row's own recordings. */
	if (between.variance > known.variance * tally_variance_limit(between.df))
		return between;
	weighed = (prior * fmax(judge->prior.ratio, 1) * known.variance +
		   between.df * between.variance) /
		  (between.df + prior);
	return (struct spread){fmax(weighed, known.variance), fmin(between.df + prior, known.df)};
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return the median of `nr` numbers, or 0 if `nr` is 0. */
static double median(double *numbers, size_t nr)
{
	if (!nr)
		return 0;
	qsort(numbers, nr, sizeof(*numbers), compare_numbers);
	return numbers[nr / 2];
}

/* Return the fraction of the time dependence that differs between recordings. It is close to 0 for
 * a program with the same phases in each run, and close to 1 for a program that waits for other
 * programs. Only rows in which time contributes more variance than sampling are used. */
static double find_phases(const struct judge *judge, double df, double *room)
{
	size_t nr = 0;

	tally_vec_for_each (row, &judge->known) {
		double rest = row->between / tally_variance_median(df) - row->sampling;

		if (row->time > row->sampling)
			room[nr++] = rest / row->time;
	}
	return nr ? fmin(fmax(median(room, nr), 0), 1) : 1;
}

/* Return the median variation between recordings, squared and relative to a row's value. Because it
 * is a median, a few rows that vary randomly, such as interrupts, do not distort the result for the
 * others. */
static double find_runs(const struct judge *judge, double df, double *room)
{
	size_t nr = 0;

	tally_vec_for_each (row, &judge->known) {
		double within = row->sampling + judge->phases * row->time;

		room[nr++] = (row->between / tally_variance_median(df) - within) / row->square;
	}
	return fmax(median(room, nr), 0);
}

/* Learn from all rows how recordings differ, so that a few recordings are enough for each row. */
static int judge_survey(struct judge *judge)
{
	double df = (double)(judge->diff->nr_of[0] + judge->diff->nr_of[1]) - 2;
	double *room = calloc(judge->known.len + 1, sizeof(*room));
	size_t nr = 0;

	if (!room)
		return -ENOMEM;
	judge->phases = judge->diff->options.same_work ? 0 : 1;
	judge->runs = ASSUMED_RUN_VARIATION * ASSUMED_RUN_VARIATION;
	if (df >= 1) {
		judge->phases = find_phases(judge, df, room);
		judge->runs = find_runs(judge, df, room);
	}
	tally_vec_for_each (row, &judge->known) {
		double known =
			row->sampling + judge->phases * row->time + judge->runs * row->square;

		/* If recordings agree exactly, the variance is 0 and has no logarithm. */
		if (row->between > 0)
			room[nr++] = fmin(row->between / known, tally_variance_limit(df));
	}
	judge->prior = tally_prior_fit(room, nr, df);
	free(room);
	return 0;
}

/* ---- rows ---------------------------------------------------------------------- */

static void row_sums(const struct judge *judge, struct judged *judged)
{
	struct tally_diff_value *value = &judged->row->values[judge->measure];
	const struct tally_diff *diff = judge->diff;

	for (uint32_t i = 0; i < diff->recordings.len; i++) {
		judge->values[i] = 0;
		judge->sums[i] = (struct tally_diff_sum){0};
	}
	for (uint32_t i = judged->row->first; i; i = diff->cells.data[i - 1].next) {
		const struct tally_diff_cell *cell = &diff->cells.data[i - 1];
		const struct tally_diff_recording *of = &diff->recordings.data[cell->recording];
		const struct tally_diff_sum *sum = &cell->sums[judge->measure];

		judge->sums[cell->recording] = *sum;
		judge->values[cell->recording] = sum->weight * recording_scale(judge, of);
		value->period[of->side] += sum->period;
		value->nr[of->side] += sum->nr;
		value->mean[of->side] +=
			judge->values[cell->recording] / (double)diff->nr_of[of->side];
	}
}

/* Return the value expected for the row if nothing changed. */
static double row_expected(const struct judge *judge, const struct tally_diff_value *value)
{
	double nr[] = {(double)judge->diff->nr_of[0], (double)judge->diff->nr_of[1]};

	return (value->mean[0] * nr[0] + value->mean[1] * nr[1]) / (nr[0] + nr[1]);
}

static struct judged row_judged(const struct judge *judge, struct tally_diff_row *row)
{
	struct judged judged = {.row = row, .values = judge->values, .sums = judge->sums};
	struct tally_diff_value *value = &row->values[judge->measure];

	*value = (struct tally_diff_value){.noise = INFINITY, .within = INFINITY, .p = 1};
	row_sums(judge, &judged);
	judge_within(judge, &judged, row_expected(judge, value));
	judge_between(judge, &judged);
	return judged;
}

static bool has_enough(const struct tally_diff_value *value)
{
	return value->nr[0] + value->nr[1] >= FEWEST_SAMPLES;
}

/* Examine a row in the first pass: if it has enough samples, count it and collect its variances. */
static int row_survey(struct judge *judge, struct tally_diff_row *row)
{
	struct judged judged = row_judged(judge, row);

	if (!has_enough(&row->values[judge->measure]))
		return 0;
	judge->diff->judged[judge->measure]++;
	if (judged.between.df < 1 || judged.sampling <= 0)
		return 0;
	return tally_vec_push(
		&judge->known,
		(struct known){
			judged.sampling, judged.time.variance, judged.between.variance,
			runs_square(judge, row_expected(judge, &row->values[judge->measure]))});
}

static enum tally_diff_verdict verdict_of(const struct tally_diff_value *value, double delta,
					  double same)
{
	if (fabs(delta) > value->noise)
		return delta > 0 ? TALLY_DIFF_GREW : TALLY_DIFF_SHRANK;
	return value->within <= same ? TALLY_DIFF_SAME : TALLY_DIFF_UNKNOWN;
}

/* Return the width of the noise in standard errors, with the degrees of freedom rounded down. */
static double noise_errors(struct judge *judge, double df)
{
	double doubt = ERROR_PROBABILITY / (double)judge->diff->judged[judge->measure];
	int step = (int)(log(fmax(df, 1)) / log(QUANTILE_STEP));

	step = TALLY_MIN(step, QUANTILES - 1);
	if (judge->quantiles[step] <= 0)
		judge->quantiles[step] = tally_t_quantile(doubt, pow(QUANTILE_STEP, step));
	return judge->quantiles[step];
}

/* Compute the row's noise and its verdict. */
static void value_judge(struct judge *judge, const struct judged *judged,
			struct tally_diff_value *value)
{
	double delta = value->mean[1] - value->mean[0], error;
	struct spread spread = judge_spread(judge, judged, row_expected(judge, value));

	/* A row that has all the weight does not vary. */
	error = fmax(sqrt(spread.variance), NO_ERROR);
	value->p = tally_t_tails(fmax(fabs(delta) - judged->correction, 0) / error, spread.df);
	value->noise = judged->correction + error * noise_errors(judge, spread.df);
	if (value->mean[0] > 0)
		value->within = (fabs(delta) + value->noise) / value->mean[0];
	value->verdict = verdict_of(value, delta, judge->diff->options.same);
}

/* Return true if the row would have a verdict without the noise of its phases. */
static bool needs_same_work(struct judge *judge, const struct judged *judged,
			    const struct tally_diff_value *value)
{
	struct tally_diff_value without = *value;
	double phases = judge->phases;

	judge->phases = 0;
	value_judge(judge, judged, &without);
	judge->phases = phases;
	return without.verdict != TALLY_DIFF_UNKNOWN;
}

static void row_judge(struct judge *judge, struct tally_diff_row *row)
{
	struct judged judged = row_judged(judge, row);
	struct tally_diff_value *value = &row->values[judge->measure];
	bool is_single = judged.between.df < 1;

	value->verdict = TALLY_DIFF_FEW;
	if (!has_enough(value))
		return;
	value->verdict = TALLY_DIFF_UNKNOWN;
	if (!is_single || !judge->is_timeless || judge->diff->options.same_work)
		value_judge(judge, &judged, value);
	if (is_single && value->verdict == TALLY_DIFF_UNKNOWN)
		value->has_phases = needs_same_work(judge, &judged, value);
}

static int measure_judge(struct judge *judge)
{
	struct tally_diff *diff = judge->diff;
	int ret = 0;

	diff->judged[judge->measure] = 0;
	judge->known.len = 0;
	memset(judge->quantiles, 0, sizeof(judge->quantiles));
	for (size_t i = 0; i < diff->rows.len && !ret; i++)
		ret = row_survey(judge, &diff->rows.data[i]);
	if (!ret)
		ret = judge_survey(judge);
	if (ret)
		return ret;
	tally_vec_for_each (row, &diff->rows)
		row_judge(judge, row);
	return 0;
}

int tally_diff_evaluate(struct tally_diff *diff)
{
	struct judge judge = {.diff = diff};
	int ret = diff_join_variants(diff);

	if (!ret)
		ret = diff_find_states(diff);
	if (!ret)
		ret = diff_make_short_names(diff);
	if (!ret && (!diff->nr_of[0] || !diff->nr_of[1]))
		return 0;
	tally_vec_for_each (recording, &diff->recordings)
		judge.is_timeless |= is_timeless(recording);
	judge.values = calloc(diff->recordings.len + 1, sizeof(*judge.values));
	judge.sums = calloc(diff->recordings.len + 1, sizeof(*judge.sums));
	if (!judge.values || !judge.sums)
		ret = -ENOMEM;
	if (!ret)
		ret = measure_judge(&judge);
	judge.measure = TALLY_DIFF_TOTAL;
	if (!ret && diff->has_paths)
		ret = measure_judge(&judge);
	free(judge.values);
	free(judge.sums);
	tally_vec_free(&judge.known);
	return ret;
}
