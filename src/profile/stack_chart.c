/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/stack_chart.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "profile/functions.h"

enum {
	/* Largest distance of samples in a run: sampling intervals, or ns, whichever is longer.
	 * Threads that share a CPU run in turns of some ms. */
	REACH = 5,
	TURN_NS = 10000000,
	TURN_BINS = 2, /* the widest gap in a run that is not shown between equal functions */
	NO_BIN = UINT32_MAX,
};

/* The samples of a bin. Samples of a run are close to each other. */
struct charted {
	uint32_t bucket; /* of the heaviest; index + 1, or 0 if there are no samples */
	uint32_t first_run, last_run;
	uint64_t weight, nr;
	uint64_t start; /* time since which the first sample lasted */
};

struct charter {
	struct tally_profile *profile;
	const struct tally_stack_chart_options *options;
	struct tally_stack_chart *chart;
	struct tally_selection all; /* all buckets, by their index in the profile, folded */
	uint32_t *functions;        /* by frame */
	struct charted *bins;
	struct tally_map sums;               /* weight by bin << 32 | bucket */
	TALLY_VEC(uint64_t) gaps, durations; /* times between samples, and their weights */
	uint64_t usual, reach;               /* median of the gaps; the largest gap in a run */
	uint64_t before;                     /* time of the thread's sample before, 0 if excluded */
	uint32_t run;
};

static bool is_of_thread(const struct charter *charter, const struct tally_kept *kept)
{
	const struct tally_stack_chart_options *options = charter->options;
	const struct tally_bucket_key *key = &charter->profile->buckets.data[kept->bucket].key;

	return kept->time >= options->first && kept->time <= options->last &&
	       key->event == options->selection.event &&
	       tally_machine_thread_at(charter->profile->machine, key->thread)->tid == options->tid;
}

static bool is_wanted(const struct charter *charter, const struct tally_kept *kept)
{
	const struct tally_stack_chart_options *options = charter->options;

	return is_of_thread(charter, kept) &&
	       (!options->selection.passes || options->selection.passes[kept->bucket]) &&
	       tally_selection_includes_time(&options->selection, kept->time);
}

/* ---- sampling interval --------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(uint64_t *times, size_t nr)
{
	if (!nr)
		return 0;
	qsort(times, nr, sizeof(*times), compare_times);
	return times[nr / 2];
}

/* Compute the sampling interval of the thread: the median time between its samples, or for CPU time
 * the median weight, if that is shorter. */
static int interval_find(struct charter *charter)
{
	uint64_t before = 0, interval;
	int ret = 0;

	tally_vec_for_each (kept, &charter->profile->kept) {
		if (ret || !is_wanted(charter, kept))
			continue;
		if (before && kept->time > before)
			ret = tally_vec_push(&charter->gaps, kept->time - before);
		if (!ret && charter->options->is_time)
			ret = tally_vec_push(&charter->durations,
					     tally_kept_weight(charter->profile, kept));
		before = kept->time;
	}
	charter->usual = median(charter->gaps.data, charter->gaps.len);
	interval = charter->usual;
	if (charter->options->is_time)
		interval = TALLY_MIN(interval,
				     median(charter->durations.data, charter->durations.len));
	charter->reach =
		TALLY_MAX(REACH * TALLY_MIN(interval, UINT64_MAX / REACH), (uint64_t)TURN_NS);
	return ret ? -ENOMEM : 0;
}

/* ---- bins ---------------------------------------------------------------------------------- */

static uint32_t bin_of(const struct tally_stack_chart_options *options, uint64_t time)
{
	double span = (double)(options->last - options->first) + 1;
	double at = (double)(time - options->first) / span * (double)options->nr_bins;

	return TALLY_MIN((uint32_t)at, options->nr_bins - 1);
}

/* Begin another run, unless the sample before is close. */
static void run_update(struct charter *charter, uint64_t time)
{
	if (!charter->before || time < charter->before || time - charter->before > charter->reach)
		charter->run++;
	charter->before = time;
}

static int sample_add(struct charter *charter, const struct tally_kept *kept)
{
	uint32_t number = bin_of(charter->options, kept->time);
	struct charted *bin = &charter->bins[number];
	uint64_t key = (uint64_t)number << 32 | kept->bucket,
		 sum = tally_map_get(&charter->sums, key);
	uint64_t weight = tally_kept_weight(charter->profile, kept);
	uint64_t lasts = charter->options->is_time ? weight : charter->usual;

	run_update(charter, kept->time);
	if (!bin->nr++) {
		bin->first_run = charter->run;
		bin->start = kept->time - TALLY_MIN(lasts, kept->time - charter->options->first);
	}
	bin->last_run = charter->run;
	sum = sum == TALLY_MAP_NONE ? 0 : sum;
	tally_sum_add(&sum, weight);
	sum = TALLY_MIN(sum, UINT64_MAX - 1);
	if (!bin->bucket || sum > bin->weight) {
		bin->bucket = kept->bucket + 1;
		bin->weight = sum;
	}
	return tally_map_set(&charter->sums, key, sum);
}

static int samples_add(struct charter *charter)
{
	int ret = 0;

	tally_vec_for_each (kept, &charter->profile->kept) {
		if (ret)
			break;
		if (is_wanted(charter, kept))
			ret = sample_add(charter, kept);
		else if (is_of_thread(charter, kept))
			charter->before = 0;
	}
	return ret;
}

/* Append the functions of a bucket's callchain, outermost first. */
static int functions_add(struct charter *charter, const struct tally_bucket_key *key)
{
	struct tally_stack callers = tally_stacks_get(&charter->profile->stacks, key->callers);
	struct tally_stack_chart *chart = charter->chart;
	int ret = 0;

	for (uint32_t i = callers.nr; i > 0 && !ret; i--)
		ret = tally_vec_push(&chart->functions, charter->functions[callers.frames[i - 1]]);
	return ret ? ret
		   : tally_vec_push(&chart->functions, charter->functions[tally_bucket_leaf(key)]);
}

/* Return how many functions two bins share, from the outermost one on. */
static uint32_t bins_share(const struct tally_stack_chart *chart, const struct tally_chart_bin *a,
			   const struct tally_chart_bin *b)
{
	const uint32_t *functions = chart->functions.data;
	uint32_t nr = 0;

	while (nr < a->nr && nr < b->nr && functions[a->first + nr] == functions[b->first + nr])
		nr++;
	return nr;
}

/* Append the functions of a bin without samples. `last` and `next` are the nearest bins with
 * samples. */
static int gap_add(struct charter *charter, uint32_t number, uint32_t last, uint32_t next,
		   struct tally_chart_bin *bin)
{
	const struct charted *after = &charter->bins[next];
	struct tally_stack_chart *chart = charter->chart;
	uint32_t start = bin_of(charter->options, after->start);
	bool is_of_next = number >= start;
	int ret;

	if (!is_of_next && (last == NO_BIN || start - last - 1 > TURN_BINS ||
			    charter->bins[last].last_run != after->first_run))
		return 0;
	ret = functions_add(charter, &charter->all.buckets[after->bucket - 1].key);
	if (ret || is_of_next)
		return ret;
	bin->nr = (uint32_t)chart->functions.len - bin->first;
	chart->functions.len = bin->first + bins_share(chart, &chart->bins.data[last], bin);
	return 0;
}

static int bin_add(struct charter *charter, uint32_t number, uint32_t last, uint32_t next)
{
	const struct charted *charted = &charter->bins[number];
	struct tally_stack_chart *chart = charter->chart;
	struct tally_chart_bin bin = {.first = (uint32_t)chart->functions.len,
				      .nr_samples = charted->nr};
	int ret = 0;

	if (charted->nr)
		ret = functions_add(charter, &charter->all.buckets[charted->bucket - 1].key);
	else if (next < charter->options->nr_bins)
		ret = gap_add(charter, number, last, next, &bin);
	bin.nr = (uint32_t)chart->functions.len - bin.first;
	if (number && !ret)
		bin.shared = bins_share(chart, &chart->bins.data[number - 1], &bin);
	chart->depth = TALLY_MAX(chart->depth, bin.nr);
	return ret ? ret : tally_vec_push(&chart->bins, bin);
}

static int bins_add(struct charter *charter)
{
	uint32_t last = NO_BIN, next = 0, nr = charter->options->nr_bins;
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i++) {
		next = TALLY_MAX(next, i);
		while (next < nr && !charter->bins[next].nr)
			next++;
		ret = bin_add(charter, i, last, next);
		if (charter->bins[i].nr)
			last = i;
	}
	return ret;
}

static int charter_run(struct charter *charter)
{
	const struct tally_stack_chart_options *options = charter->options;
	const struct tally_selection_options every = {.event = options->selection.event};
	int ret = tally_selection_build(charter->profile, &every, &charter->all);

	if (!ret && tally_fold_is_any(&options->fold))
		ret = tally_selection_fold(charter->profile, &options->fold, &charter->all);
	if (!ret)
		ret = tally_functions_build(charter->profile, &charter->functions);
	charter->bins = calloc(options->nr_bins + 1, sizeof(*charter->bins));
	if (!charter->bins)
		ret = -ENOMEM;
	if (!ret)
		ret = interval_find(charter);
	if (!ret)
		ret = samples_add(charter);
	return ret ? ret : bins_add(charter);
}

int tally_stack_chart_build(struct tally_profile *profile,
			    const struct tally_stack_chart_options *options,
			    struct tally_stack_chart *ret_chart)
{
	struct tally_stack_chart chart = {0};
	struct charter charter = {.profile = profile, .options = options, .chart = &chart};
	int ret = charter_run(&charter);

	tally_selection_free(&charter.all);
	tally_map_free(&charter.sums);
	tally_vec_free(&charter.gaps);
	tally_vec_free(&charter.durations);
	free(charter.functions);
	free(charter.bins);
	if (ret)
		tally_stack_chart_free(&chart);
	else
		*ret_chart = chart;
	return ret ? -ENOMEM : 0;
}

void tally_stack_chart_free(struct tally_stack_chart *chart)
{
	tally_vec_free(&chart->bins);
	tally_vec_free(&chart->functions);
	*chart = (struct tally_stack_chart){0};
}
