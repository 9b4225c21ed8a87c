/* SPDX-License-Identifier: BSD-2-Clause */
/* Check the verdicts of a diff, using generated recordings with known changes. With TALLY_LONG=1
 * there are ten times as many comparisons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "profile/diff/profile_diff.h"
#include "profile/diff/diff_stats.h"
#include "random.h"
#include "tier.h"

#include <cmocka.h>

enum { FUNCTIONS = 16, BASE = 0x10000, STEP = 0x100, PID = 42, MOST = 8 };

/* A program: the shares of its functions, and sources of differences between its recordings. */
struct program {
	double shares[FUNCTIONS];
	double hz, seconds;
	double phases; /* mean duration of a phase in seconds, or 0 for no phases */
	bool is_alike; /* all phases have the same length in all runs */
	double runs;   /* relative standard deviation of a function's time between runs */
	double bursts; /* maximum additional share of the last function in one of three runs */
	int depth;     /* recursion depth of the common callers, or 0 for no callchains */
	double late;   /* time of an additional late sample in seconds, or 0 */
};

static const struct program plain = {
	.shares = {.20, .10, .15, .12, .08, .06, .05, .04, .04, .03, .03, .02, .02, .02, .02, .02},
	.hz = 997,
	.seconds = 1,
};

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_profile profile;
};

static void feed_map(struct tally_machine *machine)
{
	uint8_t mmap[64] = {0};
	struct perf_event_header header = {PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(mmap)};

	memcpy(mmap, &header, sizeof(header));
	tally_put_u32(mmap + 8, PID);
	tally_put_u32(mmap + 12, PID);
	tally_put_u64(mmap + 16, BASE);
	tally_put_u64(mmap + 24, 0x10000);
	strcpy((char *)mmap + 40, "/nonexistent/prog");
	assert_int_equal(tally_machine_record(machine, mmap, sizeof(mmap)), 0);
}

static double random_part(struct random *random)
{
	return (double)(random_u64(random) >> 11) / (double)(1ull << 53);
}

/* Return an approximately normal random number: the sum of twelve uniform random numbers. */
static double random_normal(struct random *random)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_part(random);
	return sum;
}

/* Choose a function. In each of the two phases, one half of the functions has three times the
 * weight of the other half. */
static uint32_t random_function(const double *weights, int phase, struct random *random)
{
	double total = 0, at;

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		total += weights[i] * (phase >= 0 && (i & 1) == (unsigned)phase ? 3 : 1);
	at = random_part(random) * total;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		at -= weights[i] * (phase >= 0 && (i & 1) == (unsigned)phase ? 3 : 1);
		if (at < 0)
			return i;
	}
	return FUNCTIONS - 1;
}

/* Callers found by an unwinder. */
static const struct perf_event_attr unwound = {0};

static void add_sample(struct fixture *f, const struct program *program, uint32_t function,
		       uint32_t label)
{
	uint64_t chain[64] = {(uint64_t)PERF_CONTEXT_USER, BASE + function * STEP};
	struct tally_sample sample = {.ip = chain[1]};
	size_t nr = 2;

	for (int i = 0; i < program->depth; i++)
		chain[nr++] = BASE + FUNCTIONS * STEP;
	if (program->depth) {
		chain[nr++] = BASE + (FUNCTIONS + 1) * STEP;
		sample.callchain = (struct tally_words){(const uint8_t *)chain, nr};
	}
	assert_int_equal(
		tally_profile_add(&f->profile,
				  &(struct tally_feed_sample){
					  .sample = sample,
					  .attr = &unwound,
					  .thread = tally_machine_thread(f->machine, PID, PID),
					  .period = (uint64_t)(1e9 / program->hz),
					  .label = label,
					  .cpumode = PERF_RECORD_MISC_USER}),
		0);
}

/* Record the program and add the recording to a side. */
static void record(struct tally_diff *diff, uint32_t side, const struct program *program,
		   struct random *random)
{
	struct tally_profile_options options = {.by = TALLY_BY_FRAME | TALLY_BY_LABEL |
						      (program->depth ? TALLY_BY_PATH : 0)};
	struct tally_diff_recording recording = {.side = side, .scale = 1e-9};
	double weights[FUNCTIONS], next = 0;
	int phase = program->phases > 0 ? (int)random_below(random, 2) : -1;
	struct fixture f;

	assert_int_equal(tally_symbols_new(NULL, &f.symbols), 0);
	assert_int_equal(tally_machine_new(f.symbols, &f.machine), 0);
	assert_int_equal(tally_profile_init(&f.profile, f.machine, &options), 0);
	feed_map(f.machine);
	for (int i = 0; i < FUNCTIONS; i++)
		weights[i] = program->shares[i] * exp(program->runs * random_normal(random));
	if (random_below(random, 3) == 0)
		weights[FUNCTIONS - 1] += program->bursts * random_part(random);
	if (program->is_alike && phase > 0)
		phase = 0;
	for (double at = 0; at < program->seconds; at += 1 / program->hz) {
		if (phase >= 0 && at >= next) {
			phase = !phase;
			next = at - program->phases * log(1 - random_part(random));
			if (program->is_alike)
				next = at + program->phases;
		}
		add_sample(&f, program, random_function(weights, phase, random),
			   tally_diff_clock_label(&recording.clock, (uint64_t)(at * 1e9)));
	}
	if (program->late > 0)
		add_sample(
			&f, program, 0,
			tally_diff_clock_label(&recording.clock, (uint64_t)(program->late * 1e9)));
	assert_int_equal(tally_profile_finish(&f.profile), 0);
	assert_int_equal(tally_diff_add(diff, &recording, &f.profile, 0), 0);
	tally_profile_free(&f.profile);
	tally_machine_free(f.machine);
	tally_symbols_free(f.symbols);
}

static const struct tally_diff_options by_function = {.keys = TALLY_KEY_DSO | TALLY_KEY_SYMBOL,
						      .same = 0.1};

/* Compare `nr` recordings of each program. */
static struct tally_diff *compare(const struct program *a, const struct program *b, int nr,
				  const struct tally_diff_options *options, struct random *random)
{
	struct tally_diff *diff;

	assert_int_equal(tally_diff_new(options, &diff), 0);
	for (int i = 0; i < nr; i++) {
		record(diff, TALLY_SIDE_A, a, random);
		record(diff, TALLY_SIDE_B, b, random);
	}
	assert_int_equal(tally_diff_evaluate(diff), 0);
	return diff;
}

static const struct tally_diff_row *row_of(const struct tally_diff *diff, int function)
{
	char name[32];

	snprintf(name, sizeof(name), "0x%016x", function * STEP);
	tally_vec_for_each (row, &diff->rows) {
		if (!strcmp(tally_diff_name(diff, row->symbol), name))
			return row;
	}
	fail_msg("no row of %s", name);
	return NULL;
}

static bool is_changed(const struct tally_diff_row *row, int measure)
{
	return row->values[measure].verdict == TALLY_DIFF_GREW ||
	       row->values[measure].verdict == TALLY_DIFF_SHRANK;
}

struct outcome {
	int rows, changed, trials, wrong; /* wrong: comparisons that report a row as changed */
	int found;                        /* comparisons that report growth in function 1 */
};

static int trials(int nr)
{
	return getenv("TALLY_LONG") ? 10 * nr : nr;
}

static struct outcome compare_often(const char *what, const struct program *a,
				    const struct program *b, int nr, int often)
{
	struct random random = random_start();
	struct outcome outcome = {.trials = often};

	for (int i = 0; i < often; i++) {
		struct tally_diff *diff = compare(a, b, nr, &by_function, &random);
		int changed = 0;

		tally_vec_for_each (row, &diff->rows)
			changed += is_changed(row, TALLY_DIFF_SELF);
		outcome.rows += (int)diff->rows.len;
		outcome.changed += changed;
		outcome.wrong += changed != 0;
		outcome.found +=
			row_of(diff, 1)->values[TALLY_DIFF_SELF].verdict == TALLY_DIFF_GREW;
		tally_diff_free(diff);
	}
	printf("# %s: %d comparisons, %d of %d rows changed (%.2f %%), in %d comparisons; found "
	       "%d\n",
	       what, outcome.trials, outcome.changed, outcome.rows,
	       100.0 * outcome.changed / outcome.rows, outcome.wrong, outcome.found);
	return outcome;
}

/* ---- unchanged programs --------------------------------------------------------- */

static void does_not_report_unchanged_rows_as_changed(void **state)
{
	static const struct {
		const char *what;
		int nr;
		double phases, runs, bursts;
		bool is_alike;
		/* Number of comparisons, or 0 for the default. All rows in a run share its phases,
		 * so their errors are correlated. */
		int often;
	} worlds[] = {
		{"one recording each", 1, 0, 0},
		{"one, phases of 20 ms", 1, 0.02, 0},
		{"one, phases of 100 ms", 1, 0.1, 0},
		{"one, runs differ by 1 %", 1, 0, 0.01},
		{"three recordings each", 3, 0, 0},
		{"three, phases of 300 ms", 3, 0.3, 0, .often = 600},
		{"three, phases of 50 ms", 3, 0.05, 0},
		{"three, runs differ by 10 %", 3, 0, 0.1},
		{"five, runs differ by 10 %, phases of 20 ms", 5, 0.02, 0.1},
		{"two, runs differ by 10 %", 2, 0, 0.1},
		{"two, phases of 50 ms", 2, 0.05, 0},
		{"two, the same phases", 2, 0.25, 0, 0, true},
		{"three, the same phases", 3, 0.25, 0, 0, true},
		{"five, the same phases, runs differ by 1 %", 5, 0.25, 0.01, 0, true},
		{"three, bursts of interrupts", 3, 0, 0.01, 0.03},
		{"five, bursts of interrupts", 5, 0, 0.01, 0.03},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(worlds); i += tier_step(3)) {
		struct program program = plain;
		struct outcome outcome;

		program.phases = worlds[i].phases;
		program.runs = worlds[i].runs;
		program.bursts = worlds[i].bursts;
		program.is_alike = worlds[i].is_alike;
		outcome = compare_often(worlds[i].what, &program, &program, worlds[i].nr,
					worlds[i].often ? worlds[i].often : trials(60));
		assert_true(outcome.changed * 100 <= outcome.rows);
	}
}

/* ---- changed programs ----------------------------------------------------------- */

static struct program grown(const struct program *program, double by)
{
	struct program other = *program;

	for (int i = 0; i < FUNCTIONS; i++)
		other.shares[i] *=
			i == 1 ? (program->shares[1] + by) / program->shares[1]
			       : (1 - program->shares[1] - by) / (1 - program->shares[1]);
	return other;
}

/* If all samples but one are in one block of time, phases cannot be detected. In this case, one
 * recording per side is not enough for a verdict, but several are. */
static void needs_several_recordings_if_a_late_sample_hides_phases(void **state)
{
	struct program late = plain, grows;
	struct random random = random_start();

	late.phases = 0.05;
	late.late = 10000;
	grows = grown(&late, 0.3);
	for (int i = 0; i < trials(20); i++) {
		struct tally_diff *diff = compare(&late, &late, 1, &by_function, &random);

		tally_vec_for_each (row, &diff->rows)
			assert_false(is_changed(row, TALLY_DIFF_SELF));
		tally_diff_free(diff);
	}
	assert_int_equal(
		compare_often("five, a late sample, 30 % planted", &late, &grows, 5, 10).found, 10);
}

/* Check that verdicts are most certain if all recordings of a side agree exactly. */
static void equal_recordings_give_certain_verdicts(void **state)
{
	struct program a = plain, b;
	struct tally_diff *diff;

	a.phases = 0.25;
	a.is_alike = true;
	b = grown(&a, 0.1);
	assert_int_equal(tally_diff_new(&by_function, &diff), 0);
	for (int i = 0; i < 5; i++) {
		struct random first = random_start(), second = random_start();

		record(diff, TALLY_SIDE_A, &a, &first);
		record(diff, TALLY_SIDE_B, &b, &second);
	}
	assert_int_equal(tally_diff_evaluate(diff), 0);
	assert_int_equal(row_of(diff, 1)->values[TALLY_DIFF_SELF].verdict, TALLY_DIFF_GREW);
	assert_true(row_of(diff, 1)->values[TALLY_DIFF_SELF].noise < 0.06);
	tally_diff_free(diff);
}

static void finds_planted_changes(void **state)
{
	static const struct {
		const char *what;
		double runs, bursts, phases;
	} worlds[] = {
		{"2 % planted", 0, 0},
		{"2 % planted, the same phases", 0, 0, 0.5},
		{"2 % planted, the same phases, runs differ by 1 %", 0.01, 0, 0.5},
		{"2 % planted, runs differ by 2 %", 0.02, 0},
		{"2 % planted, bursts of interrupts", 0.01, 0.03},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(worlds); i++) {
		struct program a = plain, b;
		struct outcome outcome;

		a.seconds = 4;
		a.runs = worlds[i].runs;
		a.bursts = worlds[i].bursts;
		a.phases = worlds[i].phases;
		a.is_alike = true;
		b = grown(&a, 0.02);
		outcome = compare_often(worlds[i].what, &a, &b, 5, trials(40));
		assert_true(outcome.found * 100 >= outcome.trials * 95);
	}
}

/* ---- differences that are not changes ------------------------------------------- */

static void ignores_sampling_rate_and_duration(void **state)
{
	struct program slow = plain, fast = plain, twice = plain;
	struct outcome outcome;

	slow.hz = 99;
	slow.seconds = 5;
	fast.hz = 999;
	fast.seconds = 5;
	outcome = compare_often("99 Hz and 999 Hz", &slow, &fast, 1, trials(30));
	assert_true(outcome.changed * 100 <= outcome.rows);
	twice.seconds = 2 * plain.seconds;
	outcome = compare_often("twice as long", &plain, &twice, 3, trials(30));
	assert_true(outcome.changed * 100 <= outcome.rows);
}

/* The first samples have small blocks; later samples need far larger blocks. */
static void times_may_be_centuries_apart(void **state)
{
	struct program ages = plain;
	struct random random = random_start();
	struct tally_diff *diff;

	ages.seconds = 1.6e10;
	ages.hz = 1e-8;
	diff = compare(&ages, &ages, 2, &by_function, &random);
	assert_true(diff->recordings.data[0].clock.level > 32);
	assert_true(diff->recordings.data[0].fine_nr > 30);
	tally_diff_free(diff);
}

static void ignores_recursion_depth(void **state)
{
	struct tally_diff_options by_path = {.keys = TALLY_KEY_SYMBOL, .by_path = true};
	struct program flat = plain, deep = plain;
	struct random random = random_start();
	struct tally_diff *diff;

	flat.depth = 10;
	deep.depth = 20;
	diff = compare(&flat, &deep, 3, &by_function, &random);
	assert_true(diff->has_paths);
	for (int side = 0; side < TALLY_SIDES; side++)
		assert_true(row_of(diff, FUNCTIONS)->values[TALLY_DIFF_TOTAL].mean[side] == 1);
	assert_int_equal(row_of(diff, FUNCTIONS)->values[TALLY_DIFF_TOTAL].verdict,
			 TALLY_DIFF_SAME);
	tally_vec_for_each (row, &diff->rows)
		assert_false(is_changed(row, TALLY_DIFF_TOTAL));
	tally_diff_free(diff);
	diff = compare(&flat, &deep, 3, &by_path, &random);
	assert_int_equal(diff->rows.len, FUNCTIONS);
	tally_vec_for_each (row, &diff->rows)
		assert_int_equal(row->state, TALLY_DIFF_BOTH);
	tally_diff_free(diff);
}

/* Absolute values are in seconds, so a recording that is twice as long has twice the value. */
static void absolute_values_grow_with_the_duration(void **state)
{
	struct tally_diff_options options = {.keys = TALLY_KEY_SYMBOL, .absolute = true};
	struct program twice = plain;
	struct random random = random_start();
	const struct tally_diff_value *value;
	struct tally_diff *diff;

	twice.seconds = 2;
	diff = compare(&plain, &twice, 3, &options, &random);
	value = &row_of(diff, 0)->values[TALLY_DIFF_SELF];
	assert_true(fabs(value->mean[TALLY_SIDE_A] - 0.2) < 0.03);
	assert_true(fabs(value->mean[TALLY_SIDE_B] - 0.4) < 0.05);
	assert_int_equal(value->verdict, TALLY_DIFF_GREW);
	tally_diff_free(diff);
}

static void same_recordings_give_the_same_values(void **state)
{
	struct random first = random_start(), second = first;
	struct tally_diff *a = compare(&plain, &plain, 3, &by_function, &first);
	struct tally_diff *b = compare(&plain, &plain, 3, &by_function, &second);

	assert_int_equal(a->rows.len, b->rows.len);
	for (size_t i = 0; i < a->rows.len; i++)
		assert_memory_equal(a->rows.data[i].values, b->rows.data[i].values,
				    sizeof(a->rows.data[i].values));
	tally_diff_free(a);
	tally_diff_free(b);
}

/* ---- statistics ----------------------------------------------------------------- */

/* Compare with published tables of Student's t. */
static void quantiles_are_those_of_tables(void **state)
{
	static const struct {
		double df, tails, t;
	} known[] = {{1, 0.05, 12.7062}, {4, 0.05, 2.7764},  {8, 0.01, 3.3554},
		     {30, 0.05, 2.0423}, {4, 0.001, 8.6103}, {1000, 0.05, 1.9623}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(known); i++) {
		double t = tally_t_quantile(known[i].tails, known[i].df);

		assert_true(fabs(t - known[i].t) < 1e-4);
		assert_true(fabs(tally_t_tails(t, known[i].df) - known[i].tails) < 1e-9);
	}
}

/* If ratios scatter as their degrees of freedom predict, they estimate a single number, so the
 * prior has many degrees of freedom. If ratios scatter more, the prior has few. */
static void priors_estimate_the_scatter(void **state)
{
	enum { NR = 400, DF = 4 };
	struct random random = random_start();
	struct tally_prior alike, apart;
	double ratios[NR], far[NR];

	for (int i = 0; i < NR; i++) {
		ratios[i] = 0;
		for (int k = 0; k < DF; k++)
			ratios[i] += pow(random_normal(&random), 2) * 2 / DF;
		far[i] = ratios[i] * exp(1.5 * random_normal(&random));
	}
	alike = tally_prior_fit(ratios, NR, DF);
	apart = tally_prior_fit(far, NR, DF);
	assert_true(alike.ratio > 1.7 && alike.ratio < 2.3);
	assert_true(alike.df > 20);
	assert_true(apart.df < 3);
	assert_true(tally_prior_fit(ratios, 2, DF).df == 0);
}

/* Check that the clock's labels fit into 64 blocks whatever the duration. Labels with different
 * levels must refer to the same blocks once they are scaled to the last level. */
static void clocks_number_blocks(void **state)
{
	struct tally_diff_clock clock = {0};
	uint32_t labels[4096], last = 0;

	for (uint64_t i = 0; i < 4096; i++)
		labels[i] = tally_diff_clock_label(&clock, 77 + (i << 28));
	for (uint64_t i = 0; i < 4096; i++) {
		uint32_t block = (labels[i] & 63) >> (clock.level - (labels[i] >> 6));

		assert_true(block >= last && block < 64);
		assert_int_equal(block, (i << 28) >> 20 >> clock.level);
		last = block;
	}
	assert_true(last >= 32);
	assert_int_equal(tally_diff_clock_label(&clock, 0) & 63, 0);
	(void)tally_diff_clock_label(&clock, UINT64_MAX);
	assert_true(clock.level < 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(does_not_report_unchanged_rows_as_changed),
		cmocka_unit_test(needs_several_recordings_if_a_late_sample_hides_phases),
		cmocka_unit_test(equal_recordings_give_certain_verdicts),
		cmocka_unit_test(finds_planted_changes),
		cmocka_unit_test(ignores_sampling_rate_and_duration),
		cmocka_unit_test(times_may_be_centuries_apart),
		cmocka_unit_test(ignores_recursion_depth),
		cmocka_unit_test(absolute_values_grow_with_the_duration),
		cmocka_unit_test(same_recordings_give_the_same_values),
		cmocka_unit_test(quantiles_are_those_of_tables),
		cmocka_unit_test(priors_estimate_the_scatter),
		cmocka_unit_test(clocks_number_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
