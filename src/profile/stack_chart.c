/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/stack_chart.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "profile/functions.h"

/* The heaviest bucket of a bin. */
struct heaviest {
	uint32_t bucket; /* index + 1, or 0 if there are no samples */
	uint64_t weight, nr;
};

/* Threads that share a CPU run in turns of some ms. Shorter gaps than these between equal functions
 * are not shown. */
enum { TURN_NS = 10000000, TURN_BINS = 2 };

struct charter {
	struct tally_profile *profile;
	const struct tally_stack_chart_options *options;
	struct tally_stack_chart *chart;
	struct tally_selection all; /* all buckets, by their index in the profile, folded */
	uint32_t *functions;        /* by frame */
	struct heaviest *bins;
	struct tally_map sums;    /* weight by bin << 32 | bucket */
	TALLY_VEC(uint64_t) gaps; /* times between samples */
	uint64_t before;          /* time of the last sample */
};

static bool is_wanted(const struct charter *charter, const struct tally_kept *kept)
{
	const struct tally_stack_chart_options *options = charter->options;
	const struct tally_bucket_key *key = &charter->profile->buckets.data[kept->bucket].key;

	return kept->time >= options->first && kept->time <= options->last &&
	       key->event == options->selection.event &&
	       (!options->selection.passes || options->selection.passes[kept->bucket]) &&
	       tally_machine_thread_at(charter->profile->machine, key->thread)->tid ==
		       options->tid &&
	       tally_selection_includes_time(&options->selection, kept->time);
}

static uint32_t bin_of(const struct tally_stack_chart_options *options, uint64_t time)
{
	double span = (double)(options->last - options->first) + 1;
	double at = (double)(time - options->first) / span * (double)options->nr_bins;

	return TALLY_MIN((uint32_t)at, options->nr_bins - 1);
}

static int sample_add(struct charter *charter, const struct tally_kept *kept)
{
	uint32_t bin = bin_of(charter->options, kept->time);
	struct heaviest *heaviest = &charter->bins[bin];
	uint64_t key = (uint64_t)bin << 32 | kept->bucket, sum = tally_map_get(&charter->sums, key);
	int ret;

	if (charter->before && kept->time > charter->before &&
	    tally_vec_push(&charter->gaps, kept->time - charter->before))
		return -ENOMEM;
	charter->before = kept->time;
	sum = sum == TALLY_MAP_NONE ? 0 : sum;
	tally_sum_add(&sum, tally_kept_weight(charter->profile, kept));
	sum = TALLY_MIN(sum, UINT64_MAX - 1);
	ret = tally_map_set(&charter->sums, key, sum);
	heaviest->nr++;
	if (!heaviest->bucket || sum > heaviest->weight) {
		heaviest->bucket = kept->bucket + 1;
		heaviest->weight = sum;
	}
	return ret;
}

static int compare_gaps(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Let the callchain of a sample last until the next sample is due: a bin without samples is empty
 * only if the thread was idle. */
static void gaps_fill(struct charter *charter)
{
	const struct tally_stack_chart_options *options = charter->options;
	size_t nr = charter->gaps.len;
	uint32_t reach, last = 0;
	uint64_t width = (options->last - options->first) / options->nr_bins + 1;

	if (!nr)
		return;
	qsort(charter->gaps.data, nr, sizeof(*charter->gaps.data), compare_gaps);
	reach = (uint32_t)TALLY_MIN(2 * charter->gaps.data[nr / 2] / width,
				    (uint64_t)options->nr_bins);
	for (uint32_t i = 0; i < options->nr_bins; i++) {
		if (charter->bins[i].bucket && charter->bins[i].nr)
			last = i;
		else if (i - last <= reach && charter->bins[last].bucket)
			charter->bins[i].bucket = charter->bins[last].bucket;
	}
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

static int bin_add(struct charter *charter, uint32_t number)
{
	const struct heaviest *heaviest = &charter->bins[number];
	struct tally_stack_chart *chart = charter->chart;
	struct tally_chart_bin bin = {.first = (uint32_t)chart->functions.len,
				      .nr_samples = heaviest->nr};
	int ret = 0;

	if (heaviest->bucket)
		ret = functions_add(charter, &charter->all.buckets[heaviest->bucket - 1].key);
	bin.nr = (uint32_t)chart->functions.len - bin.first;
	if (number && !ret)
		bin.shared = bins_share(chart, &chart->bins.data[number - 1], &bin);
	chart->depth = TALLY_MAX(chart->depth, bin.nr);
	return ret ? ret : tally_vec_push(&chart->bins, bin);
}

/* Return the first bin from `bin` on whose callchain is, or is not, empty. */
static uint32_t bins_skip(const struct tally_stack_chart *chart, uint32_t bin, bool empty)
{
	while (bin < chart->bins.len && !chart->bins.data[bin].nr == empty)
		bin++;
	return bin;
}

/* Fill short gaps with the functions that are the same before and after. */
static void turns_join(struct charter *charter)
{
	const struct tally_stack_chart_options *options = charter->options;
	struct tally_stack_chart *chart = charter->chart;
	uint64_t width = (options->last - options->first) / options->nr_bins + 1;
	uint64_t most = TALLY_MIN((uint64_t)TURN_BINS, TURN_NS / width);
	uint32_t from, to = bins_skip(chart, 0, true), shared;

	while (to < chart->bins.len) {
		from = bins_skip(chart, to, false);
		to = bins_skip(chart, from, true);
		if (to == chart->bins.len || to - from > most)
			continue;
		shared = bins_share(chart, &chart->bins.data[from - 1], &chart->bins.data[to]);
		for (uint32_t i = from; i <= to; i++)
			chart->bins.data[i].shared = shared;
		for (uint32_t i = from; i < to; i++) {
			chart->bins.data[i].first = chart->bins.data[from - 1].first;
			chart->bins.data[i].nr = shared;
		}
	}
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
	tally_vec_for_each (kept, &charter->profile->kept) {
		if (!ret && is_wanted(charter, kept))
			ret = sample_add(charter, kept);
	}
	if (!ret)
		gaps_fill(charter);
	for (uint32_t i = 0; i < options->nr_bins && !ret; i++)
		ret = bin_add(charter, i);
	if (!ret)
		turns_join(charter);
	return ret;
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
