/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare selections and call trees with a simple count over random callchains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/graph/calltree.h"
#include "profile/timeline.h"
#include "random.h"

#include <cmocka.h>

enum { FUNCTIONS = 5, DEPTH = 7, CHAINS = 300, ROUNDS = 60, TIMES = 1000 };

/* A callchain, innermost frame first. */
struct chain {
	uint32_t frames[DEPTH];
	uint32_t nr;
	uint64_t weight, time;
};

struct fixture {
	struct tally_profile profile;
	struct tally_symbol symbols[FUNCTIONS];
	struct chain chains[CHAINS];
	uint32_t buckets[CHAINS];
	struct tally_selection selection;
	struct tally_chains set;
};

static struct chain random_chain(struct random *random)
{
	struct chain chain = {.nr = 1 + (uint32_t)random_below(random, DEPTH)};

	for (uint32_t i = 0; i < chain.nr; i++)
		chain.frames[i] =
			(uint32_t)random_below(random, 1 + random_below(random, FUNCTIONS));
	chain.weight = 1 + random_below(random, 9);
	chain.time = 1 + random_below(random, TIMES);
	return chain;
}

/* Each chain has its own bucket with two samples. */
static void add_chain(struct fixture *f, uint32_t i)
{
	const struct chain *chain = &f->chains[i];
	struct tally_bucket bucket = {.nr = 2, .period = 2 * chain->weight};
	uint32_t nr = chain->nr - 1, hash = tally_stacks_hash(chain->frames + 1, nr);

	bucket.key.leaf = chain->frames[0] + 1;
	bucket.key.thread = i;
	if (nr)
		assert_int_equal(tally_stacks_find(&f->profile.stacks, chain->frames + 1, nr, hash,
						   &bucket.key.callers),
				 0);
	assert_int_equal(tally_vec_push(&f->profile.buckets, bucket), 0);
	for (uint64_t time = chain->time; time <= chain->time + 1; time++)
		assert_int_equal(
			tally_vec_push(&f->profile.kept,
				       (struct tally_kept){time, i, (uint32_t)chain->weight}),
			0);
}

static void fixture_start(struct fixture *f, struct random *random)
{
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(tally_vec_push(&f->profile.frames.all,
						(struct tally_frame){.symbol = &f->symbols[i]}),
				 0);
	for (uint32_t i = 0; i < CHAINS; i++) {
		f->chains[i] = random_chain(random);
		add_chain(f, i);
	}
}

static void fixture_select(struct fixture *f, const struct tally_selection_options *options)
{
	assert_int_equal(tally_selection_build(&f->profile, options, &f->selection), 0);
	assert_int_equal(tally_chains_build(&f->profile, &f->selection, &f->set), 0);
}

static void fixture_end(struct fixture *f)
{
	tally_chains_free(&f->set);
	tally_selection_free(&f->selection);
	tally_profile_free(&f->profile);
}

/* Get the part of a chain that the tree contains, in the tree's order (see calltree.h). Returns
 * false if the chain is not in the tree. */
static bool walk_of(const struct chain *chain, const struct tally_calltree_options *options,
		    struct chain *ret_walk)
{
	bool inwards = options->way == TALLY_CALLTREE_CALLEES;
	struct chain walk = {.weight = chain->weight};
	int at = inwards ? (int)chain->nr - 1 : 0;
	uint32_t last = options->function;

	if (options->function != TALLY_FRAME_NONE) {
		for (at = (int)chain->nr - 1; at >= 0; at--) {
			if (chain->frames[at] == options->function)
				break;
		}
		if (at < 0)
			return false;
		at += inwards ? -1 : 1;
	}
	for (; at >= 0 && at < (int)chain->nr; at += inwards ? -1 : 1) {
		if (options->collapses && chain->frames[at] == last)
			continue;
		last = walk.frames[walk.nr++] = chain->frames[at];
	}
	*ret_walk = walk;
	return walk.nr >= options->nr_prefix &&
	       !memcmp(walk.frames, options->prefix, options->nr_prefix * sizeof(*walk.frames));
}

/* Add up the weights of the chains that pass through a path after the prefix, and of the chains
 * that end there. */
static void count(const struct fixture *f, const struct tally_calltree_options *options,
		  const uint32_t *path, uint32_t nr, uint64_t *ret_total, uint64_t *ret_self)
{
	*ret_total = *ret_self = 0;
	for (int i = 0; i < CHAINS; i++) {
		struct chain walk;

		if (!walk_of(&f->chains[i], options, &walk) || walk.nr < options->nr_prefix + nr ||
		    memcmp(walk.frames + options->nr_prefix, path, nr * sizeof(*path)))
			continue;
		*ret_total += 2 * walk.weight;
		*ret_self += walk.nr == options->nr_prefix + nr ? 2 * walk.weight : 0;
	}
}

static void check_node(const struct fixture *f, const struct tally_calltree_options *options,
		       const struct tally_calltree *tree, uint32_t number, uint32_t *path,
		       uint32_t nr)
{
	const struct tally_graph_node *node = &tree->nodes.data[number];
	uint64_t total, self, below = 0, before = UINT64_MAX;

	count(f, options, path, nr, &total, &self);
	assert_int_equal(node->period, total);
	assert_int_equal(node->self, self);
	for (uint32_t i = node->first_child; i; i = tree->nodes.data[i].next_sibling) {
		assert_true(tree->nodes.data[i].period <= before);
		before = tree->nodes.data[i].period;
		below += before;
		path[nr] = tree->nodes.data[i].frame;
		check_node(f, options, tree, i, path, nr + 1);
	}
	assert_int_equal(below + self, total);
}

static void check_tree(const struct fixture *f, const struct tally_calltree_options *options)
{
	struct tally_calltree tree;
	uint32_t path[DEPTH + 1];

	assert_int_equal(tally_calltree_grow(&f->set, options, &tree), 0);
	check_node(f, options, &tree, 0, path, 0);
	tally_calltree_free(&tree);
}

static void trees_match_a_simple_count(void **state)
{
	struct random random = {1};

	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		uint32_t prefix[2] = {(uint32_t)random_below(&random, FUNCTIONS),
				      (uint32_t)random_below(&random, FUNCTIONS)};
		struct tally_calltree_options options = {.function = TALLY_FRAME_NONE,
							 .prefix = prefix};

		fixture_start(&f, &random);
		fixture_select(&f, &(struct tally_selection_options){0});
		for (int kind = 0; kind < 24; kind++) {
			options.way = kind & 1;
			options.collapses = kind & 2;
			options.function = kind & 4 ? prefix[0] : TALLY_FRAME_NONE;
			options.nr_prefix = (uint32_t)kind / 8;
			check_tree(&f, &options);
		}
		fixture_end(&f);
	}
}

/* Check that limits only omit nodes that are too light or too deep, and that the other nodes keep
 * their weights. */
static void limits_omit_only_light_or_deep_nodes(void **state)
{
	struct tally_calltree_options options = {.function = TALLY_FRAME_NONE};
	struct tally_calltree all, some;
	struct random random = {2};
	struct fixture f;
	size_t nr = 0;

	fixture_start(&f, &random);
	fixture_select(&f, &(struct tally_selection_options){0});
	assert_int_equal(tally_calltree_grow(&f.set, &options, &all), 0);
	options.min = f.set.period / 50;
	assert_int_equal(tally_calltree_grow(&f.set, &options, &some), 0);
	tally_vec_for_each (node, &all.nodes)
		nr += node->period >= options.min;
	assert_int_equal(some.nodes.len, nr);
	assert_true(nr < all.nodes.len);
	tally_calltree_free(&some);
	options = (struct tally_calltree_options){.function = TALLY_FRAME_NONE, .max_depth = 1};
	assert_int_equal(tally_calltree_grow(&f.set, &options, &some), 0);
	nr = 1;
	for (uint32_t i = all.nodes.data[0].first_child; i; i = all.nodes.data[i].next_sibling)
		nr++;
	assert_int_equal(some.nodes.len, nr);
	tally_calltree_free(&some);
	tally_calltree_free(&all);
	fixture_end(&f);
}

/* Select a time range and some of the buckets. */
static void selects_by_time_and_bucket(void **state)
{
	struct tally_selection_options options = {.is_timed = true, .first = 200, .last = 600};
	uint8_t passes[CHAINS];
	struct random random = {3};
	uint64_t period = 0, nr = 0;
	struct fixture f;

	fixture_start(&f, &random);
	for (int i = 0; i < CHAINS; i++) {
		uint64_t in = 0;

		passes[i] = random_below(&random, 2) != 0;
		for (uint64_t time = f.chains[i].time; time <= f.chains[i].time + 1; time++)
			in += time >= 200 && time <= 600;
		nr += passes[i] ? in : 0;
		period += passes[i] ? in * f.chains[i].weight : 0;
	}
	options.passes = passes;
	fixture_select(&f, &options);
	assert_int_equal(f.selection.nr, nr);
	assert_int_equal(f.selection.period, period);
	assert_true(f.set.all.len <= f.selection.nr_buckets);
	period = 0;
	tally_vec_for_each (chain, &f.set.all)
		period += chain->period;
	assert_int_equal(f.selection.period, period);
	tally_chains_free(&f.set);
	tally_selection_free(&f.selection);
	options = (struct tally_selection_options){.event = 1};
	fixture_select(&f, &options);
	assert_int_equal(f.selection.nr, 0);
	assert_int_equal(f.set.all.len, 0);
	fixture_end(&f);
}

/* Check that tracks are sorted by weight and that each bin contains the samples taken in its time
 * range. */
static void timelines_sort_tracks_and_fill_bins(void **state)
{
	struct tally_timeline_options options = {.nr_bins = 7, .first = 1, .most = 3};
	struct tally_timeline timeline;
	struct random random = {4};
	struct fixture f;

	fixture_start(&f, &random);
	tally_vec_for_each (bucket, &f.profile.buckets)
		bucket->key.thread %= 5;
	assert_int_equal(tally_timeline_build(&f.profile, &options, &timeline), 0);
	assert_int_equal(timeline.strips.len, 5);
	for (uint32_t strip = 1; strip < 4; strip++) {
		uint32_t id = timeline.strips.data[strip].id;

		assert_true(timeline.strips.data[strip].period <=
			    timeline.strips.data[strip - 1].period);
		for (uint32_t bin = 0; bin < options.nr_bins; bin++) {
			uint64_t first = tally_timeline_bin_start(&timeline, 7, bin), sum = 0;
			uint64_t end = tally_timeline_bin_start(&timeline, 7, bin + 1);

			tally_vec_for_each (kept, &f.profile.kept) {
				if (kept->bucket % 5 == id && kept->time >= first &&
				    kept->time < end)
					sum += kept->weight;
			}
			assert_int_equal(timeline.bins[(strip - 1) * 7 + bin], sum);
			assert_true(sum <= timeline.highest);
		}
	}
	assert_int_equal(tally_timeline_bin_start(&timeline, 7, 7), timeline.last + 1);
	tally_timeline_free(&timeline);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_match_a_simple_count),
		cmocka_unit_test(limits_omit_only_light_or_deep_nodes),
		cmocka_unit_test(selects_by_time_and_bucket),
		cmocka_unit_test(timelines_sort_tracks_and_fill_bins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
