/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare rows and call graphs with a simple count over random callchains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "profile/hist.h"
#include "random.h"

#include <cmocka.h>

/* Callers found with frame pointers, which are validated, and callers found by an unwinder. */
static const struct perf_event_attr walked = {.sample_type = PERF_SAMPLE_CALLCHAIN};
static const struct perf_event_attr unwound = {0};

enum { FUNCTIONS = 6, DEPTH = 6, DEEP = 40, SAMPLES = 400, BASE = 0x1000, PID = 42 };

struct chain {
	uint64_t ips[DEPTH + 1]; /* context marker first, then frames, innermost first */
	size_t nr;
	uint64_t weight;
	uint32_t cpu;
};

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_profile profile;
	struct chain chains[SAMPLES];
};

static void feed(struct tally_machine *machine, uint32_t type, uint16_t misc, void *record,
		 size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};

	memcpy(record, &header, sizeof(header));
	assert_int_equal(tally_machine_record(machine, record, len), 0);
}

static void feed_maps(struct tally_machine *machine)
{
	uint8_t mmap[64] = {0}, comm[32] = {0};

	tally_put_u32(comm + 8, PID);
	tally_put_u32(comm + 12, PID);
	strcpy((char *)comm + 16, "worker");
	feed(machine, PERF_RECORD_COMM, 0, comm, sizeof(comm));
	tally_put_u32(mmap + 8, PID);
	tally_put_u32(mmap + 12, PID);
	tally_put_u64(mmap + 16, BASE);
	tally_put_u64(mmap + 24, 0x1000);
	strcpy((char *)mmap + 40, "/nonexistent/prog");
	feed(machine, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, mmap, sizeof(mmap));
}

/* Return the address of a random function. Some functions are much more frequent than others. */
static uint64_t random_ip(struct random *random)
{
	return BASE + random_below(random, 1 + random_below(random, FUNCTIONS));
}

static struct chain random_chain(struct random *random)
{
	struct chain chain = {.ips = {(uint64_t)PERF_CONTEXT_USER}, .nr = 1};
	size_t depth = 1 + random_below(random, DEPTH);

	while (chain.nr <= depth)
		chain.ips[chain.nr++] = random_ip(random);
	chain.weight = 1 + random_below(random, 9);
	chain.cpu = (uint32_t)random_below(random, 2);
	return chain;
}

/* Feed the chains with a bit set in `wanted` (see tally_profile_second_pass()), or all chains if
 * `wanted` is NULL. */
static void feed_chains(struct fixture *f, const uint64_t *wanted)
{
	struct tally_thread *thread;

	feed_maps(f->machine);
	thread = tally_machine_thread(f->machine, PID, PID);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		struct tally_sample sample = {0};

		if (wanted && !tally_bit_is_set(wanted, i))
			continue;
		sample.ip = f->chains[i].ips[1];
		sample.cpu = f->chains[i].cpu;
		sample.callchain =
			(struct tally_words){(const uint8_t *)f->chains[i].ips, f->chains[i].nr};
		assert_int_equal(tally_profile_add(&f->profile,
						   &(struct tally_feed_sample){
							   .sample = sample,
							   .attr = &walked,
							   .thread = thread,
							   .period = f->chains[i].weight,
							   .number = i,
							   .cpumode = PERF_RECORD_MISC_USER}),
				 0);
	}
}

static void fixture_open(struct fixture *f, struct random *random,
			 const struct tally_profile_options *options)
{
	for (int i = 0; i < SAMPLES; i++)
		f->chains[i] = random_chain(random);
	assert_int_equal(tally_symbols_new(NULL, &f->symbols), 0);
	assert_int_equal(tally_machine_new(f->symbols, &f->machine), 0);
	assert_int_equal(tally_profile_init(&f->profile, f->machine, options), 0);
	feed_chains(f, NULL);
}

static void fixture_start(struct fixture *f, struct random *random, unsigned by)
{
	fixture_open(f, random,
		     &(struct tally_profile_options){.by = by | TALLY_BY_FRAME | TALLY_BY_PATH});
}

static void fixture_end(struct fixture *f)
{
	tally_profile_free(&f->profile);
	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
}

static uint64_t frame_ip(const struct fixture *f, uint32_t frame)
{
	return BASE + f->profile.frames.all.data[frame].addr;
}

static bool chain_has(const struct chain *chain, uint64_t ip)
{
	for (size_t i = 1; i < chain->nr; i++) {
		if (chain->ips[i] == ip)
			return true;
	}
	return false;
}

/* All code in this test is unnamed and in one file, so it forms one row, which counts each sample
 * once. */
static void joins_unnamed_code_of_a_file(void **state)
{
	struct random random = random_start();
	struct tally_hist_options options = {
		.keys = TALLY_KEY_DSO | TALLY_KEY_SYMBOL, .children = true, .joins_unnamed = true};
	struct fixture *f = calloc(1, sizeof(*f));
	struct tally_hist hist;
	uint64_t weight = 0;

	fixture_start(f, &random, 0);
	assert_int_equal(tally_hist_build(&f->profile, 0, &options, &hist), 0);
	for (int i = 0; i < SAMPLES; i++)
		weight += f->chains[i].weight;
	assert_int_equal(hist.rows.len, 1);
	assert_int_equal(hist.rows.data[0].self, weight);
	assert_int_equal(hist.rows.data[0].total, weight);
	tally_hist_free(&hist);
	fixture_end(f);
	free(f);
}

static void rows_are_the_sums(void **state)
{
	struct random random = random_start();
	struct tally_hist_options options = {.keys = TALLY_KEY_SYMBOL | TALLY_KEY_CPU,
					     .children = true};
	struct fixture *f = calloc(1, sizeof(*f));
	struct tally_hist hist;
	uint64_t self = 0;

	fixture_start(f, &random, TALLY_BY_CPU);
	assert_int_equal(tally_hist_build(&f->profile, 0, &options, &hist), 0);
	tally_vec_for_each (row, &hist.rows) {
		uint64_t ip = frame_ip(f, row->frame), own = 0, total = 0;

		for (int i = 0; i < SAMPLES; i++) {
			const struct chain *chain = &f->chains[i];

			if (chain->cpu != hist.groups.data[row->group].cpu)
				continue;
			own += chain->ips[1] == ip ? chain->weight : 0;
			total += chain_has(chain, ip) ? chain->weight : 0;
		}
		assert_int_equal(row->self, own);
		assert_int_equal(row->total, total);
		self += own;
	}
	assert_int_equal(hist.rows.len, 2 * FUNCTIONS);
	assert_int_equal(self, f->profile.totals.data[0].period);
	for (size_t i = 1; i < hist.rows.len; i++)
		assert_true(hist.rows.data[i - 1].total >= hist.rows.data[i].total);
	tally_hist_free(&hist);
	fixture_end(f);
	free(f);
}

/* Get the part of a chain that belongs to a row's graph, in the order in which perf shows it. For
 * samples in the row's own function, this is the whole chain. Otherwise it is the part between the
 * function and the innermost frame (caller order) or the outermost frame (callee order). Returns
 * the part's length, or 0 if the chain has no such part. */
static size_t graph_part(const struct chain *chain, uint64_t ip, bool caller, bool children,
			 uint64_t part[DEPTH])
{
	size_t n = 0, from = 1, to = chain->nr - 1;
	bool own = chain->ips[1] == ip;

	if (!own && (!children || !chain_has(chain, ip)))
		return 0;
	if (!own && caller) {
		while (chain->ips[to] != ip)
			to--;
	} else if (!own) {
		while (chain->ips[from] != ip)
			from++;
	}
	for (size_t i = from; i <= to; i++)
		part[n++] = caller ? chain->ips[to - (i - from)] : chain->ips[i];
	return n;
}

/* Find the node at the end of `part`. Returns NULL if it does not exist. */
static const struct tally_graph_node *graph_find(const struct fixture *f,
						 const struct tally_hist *hist, uint32_t node,
						 const uint64_t *part, size_t n)
{
	const struct tally_graph_node *nodes = hist->graph.data;

	for (size_t i = 0; i < n; i++) {
		uint32_t child = nodes[node].first_child;

		while (child && frame_ip(f, nodes[child].frame) != part[i])
			child = nodes[child].next_sibling;
		if (!child)
			return NULL;
		node = child;
	}
	return &nodes[node];
}

/* Check that a row's graph has a node with the correct weight for every part of a callchain that
 * weighs at least `least`. */
static void check_graph(const struct fixture *f, const struct tally_hist *hist,
			const struct tally_row *row, bool caller, bool children, uint64_t least)
{
	uint64_t ip = frame_ip(f, row->frame), part[DEPTH], other[DEPTH], sum = 0, roots = 0;

	for (int i = 0; i < SAMPLES; i++) {
		size_t n = graph_part(&f->chains[i], ip, caller, children, part);
		const struct tally_graph_node *node;
		uint64_t through = 0;

		if (!n)
			continue;
		sum += f->chains[i].weight;
		for (size_t len = 1; len <= n; len++) {
			through = 0;
			for (int j = 0; j < SAMPLES; j++) {
				size_t m = graph_part(&f->chains[j], ip, caller, children, other);

				if (m >= len && !memcmp(part, other, len * sizeof(*part)))
					through += f->chains[j].weight;
			}
			if (through < least)
				break;
			node = graph_find(f, hist, row->graph, part, len);
			assert_non_null(node);
			assert_int_equal(node->period, through);
		}
	}
	for (uint32_t c = hist->graph.data[row->graph].first_child; c;
	     c = hist->graph.data[c].next_sibling)
		roots += hist->graph.data[c].period;
	if (least)
		assert_true(roots <= sum);
	else
		assert_int_equal(roots, sum);
}

/* Check the graphs of rows that weigh at least `least`, in both orders, with and without children.
 * Counts the rows with and without a graph. */
static void check_graphs(struct fixture *f, uint64_t least, unsigned *heavy, unsigned *light)
{
	for (int mode = 0; mode < 4; mode++) {
		bool caller = mode & 1, children = mode & 2;
		struct tally_hist_options options = {
			.keys = TALLY_KEY_SYMBOL,
			.children = children,
			.graphs = true,
			.order = caller ? TALLY_GRAPH_CALLER : TALLY_GRAPH_CALLEE,
			.graph_min = least,
		};
		struct tally_hist hist;

		assert_int_equal(tally_hist_build(&f->profile, 0, &options, &hist), 0);
		tally_vec_for_each (row, &hist.rows) {
			if (row->total >= least)
				check_graph(f, &hist, row, caller, children, least);
			else
				assert_int_equal(row->graph, 0);
			++*(row->total >= least ? heavy : light);
		}
		tally_vec_for_each (node, &hist.graph) {
			if (node->first_child && node->period)
				assert_true(node->period >= least);
		}
		tally_hist_free(&hist);
	}
}

static void graphs_are_the_sums(void **state)
{
	struct random random = random_start();
	struct fixture *f = calloc(1, sizeof(*f));
	unsigned heavy = 0, light = 0;

	fixture_start(f, &random, 0);
	check_graphs(f, 0, &heavy, &light);
	assert_int_equal(heavy, 4 * FUNCTIONS);
	fixture_end(f);
	free(f);
}

static uint64_t weight_below(const struct fixture *f, uint32_t frame)
{
	uint64_t weight = 0;

	for (int i = 0; i < SAMPLES; i++)
		weight += f->chains[i].ips[1] == frame_ip(f, frame) ? f->chains[i].weight : 0;
	return weight;
}

/* Check that exactly the rows that weigh at least `graph_min` have graphs. Returns the number of
 * these rows. */
static unsigned check_heavy_rows(struct fixture *f, bool caller, uint64_t graph_min)
{
	struct tally_hist_options all = {.keys = TALLY_KEY_SYMBOL,
					 .graphs = true,
					 .order = caller ? TALLY_GRAPH_CALLER : TALLY_GRAPH_CALLEE};
	struct tally_hist hist;
	unsigned heavy = 0;

	assert_int_equal(tally_hist_build(&f->profile, 0, &all, &hist), 0);
	assert_int_equal(hist.rows.len, FUNCTIONS);
	tally_vec_for_each (row, &hist.rows) {
		assert_int_equal(row->self, weight_below(f, row->frame));
		if (row->self >= graph_min)
			check_graph(f, &hist, row, caller, false, 0);
		else
			assert_int_equal(hist.graph.data[row->graph].first_child, 0);
		heavy += row->self >= graph_min;
	}
	tally_hist_free(&hist);
	return heavy;
}

/* The rows are the same as after a single pass, but only heavy rows have graphs. */
static void second_pass_adds_graphs_of_heavy_rows(void **state)
{
	struct random random = random_start();
	struct fixture *f = calloc(1, sizeof(*f));
	struct tally_hist_options options = {.keys = TALLY_KEY_SYMBOL, .graphs = true};
	struct tally_profile_total total;
	const uint64_t *wanted;
	unsigned heavy;
	uint64_t nr;

	fixture_open(f, &random,
		     &(struct tally_profile_options){.by = TALLY_BY_FRAME, .second_pass = true});
	options.graph_min = f->profile.totals.data[0].period / FUNCTIONS;
	assert_int_equal(tally_hist_mark(&f->profile, 0, &options), 0);
	total = f->profile.totals.data[0];
	assert_int_equal(tally_profile_second_pass(&f->profile, &wanted, &nr), 1);
	assert_in_range(nr, SAMPLES, SAMPLES + 64);
	assert_int_equal(tally_machine_restart(f->machine), 0);
	feed_chains(f, wanted);
	assert_memory_equal(&total, &f->profile.totals.data[0], sizeof(total));
	assert_int_equal(f->profile.stats.chains, SAMPLES);
	heavy = check_heavy_rows(f, false, options.graph_min);
	heavy += check_heavy_rows(f, true, options.graph_min);
	/* Both heavy and light rows occurred. */
	assert_in_range(heavy, 2, 2 * FUNCTIONS - 2);
	fixture_end(f);
	free(f);
}

/* Threads that are shown separately are numbered as they appear, so the second pass needs all
 * samples. */
static void threads_need_all_samples(void **state)
{
	struct random random = random_start();
	struct fixture *f = calloc(1, sizeof(*f));
	struct tally_hist_options options = {.keys = TALLY_KEY_TID, .graphs = true};
	const uint64_t *wanted = &(const uint64_t){0};
	uint64_t nr;

	fixture_open(f, &random,
		     &(struct tally_profile_options){.by = TALLY_BY_THREAD, .second_pass = true});
	assert_int_equal(tally_hist_mark(&f->profile, 0, &options), 0);
	assert_int_equal(tally_profile_second_pass(&f->profile, &wanted, &nr), 1);
	assert_null(wanted);
	fixture_end(f);
	free(f);
}

/* Check that a graph has all nodes with at least the minimum weight, and no children of lighter
 * nodes. */
static void omits_light_branches(void **state)
{
	struct random random = random_start();
	struct fixture *f = calloc(1, sizeof(*f));
	unsigned heavy = 0, light = 0;

	fixture_start(f, &random, 0);
	check_graphs(f, f->profile.totals.data[0].period / FUNCTIONS, &heavy, &light);
	/* Rows with and without a graph occurred. */
	assert_true(heavy > 4 && light > 4);
	fixture_end(f);
	free(f);
}

static bool matches_no_symbol(void *arg, const char *symbol)
{
	return false;
}

static void parent_without_match_is_other(void **state)
{
	struct random random = random_start();
	struct fixture *f = calloc(1, sizeof(*f));
	struct tally_hist_options options = {.keys = TALLY_KEY_PARENT,
					     .is_parent = matches_no_symbol};
	struct tally_hist hist;

	fixture_start(f, &random, 0);
	assert_int_equal(tally_hist_build(&f->profile, 0, &options, &hist), 0);
	assert_int_equal(hist.rows.len, 1);
	assert_int_equal(hist.groups.data[0].parent, TALLY_FRAME_NONE);
	assert_int_equal(hist.rows.data[0].self, f->profile.totals.data[0].period);
	tally_hist_free(&hist);
	fixture_end(f);
	free(f);
}

/* Check that a callchain with an unknown context marker is dropped every time, not only the first
 * time. */
static void drops_chains_with_unknown_markers(void **state)
{
	const uint64_t unknown = (uint64_t)PERF_CONTEXT_MAX + 1;
	const uint64_t ips[] = {(uint64_t)PERF_CONTEXT_USER,
				BASE,
				BASE + 1,
				unknown,
				BASE + 2,
				BASE + 3,
				BASE + 4,
				BASE + 5,
				BASE + 6,
				BASE + 7,
				BASE + 8,
				BASE + 9};
	struct random random = random_start();
	struct fixture *f = calloc(1, sizeof(*f));
	struct tally_sample sample = {.ip = BASE};

	fixture_start(f, &random, 0);
	/* Add the chain twice at each of three lengths. */
	for (size_t cut = 0; cut < 6; cut++) {
		sample.callchain =
			(struct tally_words){(const uint8_t *)ips, sizeof(ips) / 8 - cut / 2};
		assert_int_equal(tally_profile_add(&f->profile,
						   &(struct tally_feed_sample){
							   .sample = sample,
							   .attr = &unwound,
							   .thread = tally_machine_thread(
								   f->machine, PID, PID),
							   .period = 1,
							   .cpumode = PERF_RECORD_MISC_USER}),
				 0);
	}
	assert_int_equal(tally_profile_finish(&f->profile), 0);
	assert_int_equal(f->profile.stats.bad_chains, 6);
	fixture_end(f);
	free(f);
}

/* Make a chain that shares its outer part with other chains. Some chains are damaged. */
static size_t deep_chain(struct random *random, const uint64_t *trunk, uint64_t *ips)
{
	size_t inner = random_below(random, 12), from = random_below(random, DEEP), nr = 0;

	ips[nr++] = (uint64_t)PERF_CONTEXT_USER;
	while (nr <= inner)
		ips[nr++] = BASE + random_below(random, 0x1000);
	if (!random_below(random, 8))
		ips[nr++] = 0xbad0000000000000 | random_below(random, 4);
	for (size_t i = from; i < DEEP; i++)
		ips[nr++] = trunk[i];
	return nr;
}

static uint64_t frame_addr(const struct fixture *f, uint32_t frame)
{
	return f->profile.frames.all.data[frame].addr;
}

/* Check that each stack equals the callchain of its sample, frame by frame, up to the limit. */
static void stacks_are_the_chains(void **state)
{
	enum { MAX_STACK = 36 };
	static uint64_t chains[SAMPLES][2 * DEEP];
	static size_t lens[SAMPLES];
	struct random random = random_start();
	struct fixture *f = calloc(1, sizeof(*f));
	struct tally_profile_options options = {.by = TALLY_BY_CPU | TALLY_BY_PATH,
						.max_stack = MAX_STACK};
	uint64_t trunk[DEEP];

	fixture_start(f, &random, 0);
	tally_profile_free(&f->profile);
	assert_int_equal(tally_profile_init(&f->profile, f->machine, &options), 0);
	for (size_t i = 0; i < DEEP; i++)
		trunk[i] = BASE + random_below(&random, 0x1000);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		struct tally_sample sample = {.ip = BASE, .cpu = i};

		lens[i] = deep_chain(&random, trunk, chains[i]);
		sample.callchain = (struct tally_words){(const uint8_t *)chains[i], lens[i]};
		assert_int_equal(tally_profile_add(&f->profile,
						   &(struct tally_feed_sample){
							   .sample = sample,
							   .attr = &unwound,
							   .thread = tally_machine_thread(
								   f->machine, PID, PID),
							   .period = 1,
							   .cpumode = PERF_RECORD_MISC_USER}),
				 0);
	}
	assert_int_equal(tally_profile_finish(&f->profile), 0);
	assert_int_equal(f->profile.buckets.len, SAMPLES);
	tally_vec_for_each (bucket, &f->profile.buckets) {
		struct tally_stack callers =
			tally_stacks_get(&f->profile.stacks, bucket->key.callers);
		uint32_t i = bucket->key.cpu;

		assert_int_equal(callers.nr + 2, TALLY_MIN(lens[i], MAX_STACK + 1));
		for (size_t at = 1; at < callers.nr + 2; at++) {
			uint32_t frame = at == 1 ? bucket->key.leaf - 1 : callers.frames[at - 2];
			uint64_t ip = chains[i][at];

			assert_true(frame_addr(f, frame) == (ip >> 60 ? ip : ip - BASE));
		}
	}
	fixture_end(f);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_sums),
		cmocka_unit_test(joins_unnamed_code_of_a_file),
		cmocka_unit_test(drops_chains_with_unknown_markers),
		cmocka_unit_test(stacks_are_the_chains),
		cmocka_unit_test(graphs_are_the_sums),
		cmocka_unit_test(second_pass_adds_graphs_of_heavy_rows),
		cmocka_unit_test(threads_need_all_samples),
		cmocka_unit_test(omits_light_branches),
		cmocka_unit_test(parent_without_match_is_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
