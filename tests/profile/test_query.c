/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the query grammar, and check that queries select the same samples as a simple check of each
 * sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "profile/query.h"
#include "random.h"

#include <cmocka.h>

enum {
	KERNEL = PERF_RECORD_MISC_KERNEL,
	USER = PERF_RECORD_MISC_USER,
	FUNCTIONS = 4,
	FILES = 2,
	THREADS = 4,
	DEPTH = 5,
	SAMPLES = 600,
	FIRST_PID = 100,
};

static const char *const functions[FUNCTIONS] = {"Alpha_one", "beta_two", "std::gamma", "delta"};
static const char *const files[FILES] = {"/opt/lib/libfoo.so.1", "/opt/bin/prog"};
static const char *const comms[THREADS] = {"worker", "Web Content", "worker", "beta"};
static const uint64_t kernel_start = UINT64_C(0xffffffff81000000);

/* A callchain: kernel functions, then addresses in files. */
struct chain {
	uint64_t ips[DEPTH + 2];
	size_t nr;
	int functions[DEPTH], nr_functions; /* innermost first */
	int files[DEPTH], nr_files;
	int thread;
	uint32_t cpu;
};

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_profile profile;
	char kallsyms[64];
	struct chain chains[SAMPLES];
};

/* ---- profile --------------------------------------------------------------------- */

static void feed(struct fixture *f, uint32_t type, uint16_t misc, uint8_t *record, size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};

	memcpy(record, &header, sizeof(header));
	assert_int_equal(tally_machine_record(f->machine, record, len), 0);
}

static void feed_mmap(struct fixture *f, int pid, uint16_t misc, uint64_t start, const char *name)
{
	uint8_t record[128] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	tally_put_u64(record + 16, start);
	tally_put_u64(record + 24, 0x1000);
	strcpy((char *)record + 40, name);
	feed(f, PERF_RECORD_MMAP, misc, record, sizeof(record));
}

static void feed_process(struct fixture *f, int number)
{
	uint8_t comm[40] = {0};
	int pid = FIRST_PID + number;

	tally_put_u32(comm + 8, (uint32_t)pid);
	tally_put_u32(comm + 12, (uint32_t)pid);
	strcpy((char *)comm + 16, comms[number]);
	feed(f, PERF_RECORD_COMM, 0, comm, sizeof(comm));
	for (int i = 0; i < FILES; i++)
		feed_mmap(f, pid, USER, 0x10000u * (unsigned)(i + 1), files[i]);
}

static void write_kallsyms(struct fixture *f)
{
	FILE *file;

	strcpy(f->kallsyms, "/tmp/tally-query-XXXXXX");
	file = fdopen(mkstemp(f->kallsyms), "w");
	assert_non_null(file);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		fprintf(file, "%016llx T %s\n", (unsigned long long)kernel_start + 0x100 * i,
			functions[i]);
	fclose(file);
}

static struct chain random_chain(struct random *random)
{
	struct chain chain = {.thread = (int)random_below(random, THREADS),
			      .cpu = (uint32_t)random_below(random, 4)};
	size_t kernels = random_below(random, DEPTH), users = random_below(random, DEPTH - kernels);

	kernels += !kernels && !users;
	if (kernels)
		chain.ips[chain.nr++] = (uint64_t)PERF_CONTEXT_KERNEL;
	for (size_t i = 0; i < kernels; i++) {
		int function = (int)random_below(random, FUNCTIONS);

		chain.functions[chain.nr_functions++] = function;
		chain.ips[chain.nr++] = kernel_start + 0x100 * (unsigned)function + 0x10;
	}
	if (users)
		chain.ips[chain.nr++] = (uint64_t)PERF_CONTEXT_USER;
	for (size_t i = 0; i < users; i++) {
		int file = (int)random_below(random, FILES);

		chain.files[chain.nr_files++] = file;
		chain.ips[chain.nr++] = 0x10000u * (unsigned)(file + 1) + 0x20;
	}
	return chain;
}

/* Callers found with frame pointers, which are validated. */
static const struct perf_event_attr walked = {.sample_type = PERF_SAMPLE_CALLCHAIN};

static void add_chain(struct fixture *f, uint64_t number)
{
	const struct chain *chain = &f->chains[number];
	int pid = FIRST_PID + chain->thread;
	struct tally_sample sample = {.ip = chain->ips[1], .cpu = chain->cpu};

	sample.callchain = (struct tally_words){(const uint8_t *)chain->ips, chain->nr};
	/* The weight identifies the sample. */
	assert_int_equal(
		tally_profile_add(&f->profile,
				  &(struct tally_feed_sample){
					  .sample = sample,
					  .attr = &walked,
					  .thread = tally_machine_thread(f->machine, pid, pid),
					  .period = number + 1,
					  .number = number,
					  .cpumode = chain->nr_functions ? KERNEL : USER}),
		0);
}

static void setup(struct fixture *f, struct random *random)
{
	struct tally_symbols_options symbols = {.kallsyms = f->kallsyms, .ignore_vmlinux = true};
	struct tally_profile_options options = {.by = TALLY_BY_COMM | TALLY_BY_THREAD |
						      TALLY_BY_CPU | TALLY_BY_FRAME | TALLY_BY_PATH,
						.keeps_samples = true};

	write_kallsyms(f);
	assert_int_equal(tally_symbols_new(&symbols, &f->symbols), 0);
	assert_int_equal(tally_machine_new(f->symbols, &f->machine), 0);
	assert_int_equal(tally_profile_init(&f->profile, f->machine, &options), 0);
	feed_mmap(f, -1, KERNEL, kernel_start, "[kernel.kallsyms]_text");
	for (int i = 0; i < THREADS; i++)
		feed_process(f, i);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		f->chains[i] = random_chain(random);
		add_chain(f, i);
	}
	assert_int_equal(tally_profile_finish(&f->profile), 0);
}

static void teardown(struct fixture *f)
{
	tally_profile_free(&f->profile);
	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	unlink(f->kallsyms);
}

/* ---- expected results --------------------------------------------------------------- */

static bool has_function(const struct chain *chain, int function)
{
	for (int i = 0; i < chain->nr_functions; i++) {
		if (chain->functions[i] == function)
			return true;
	}
	return false;
}

static bool has_file(const struct chain *chain, int file)
{
	for (int i = 0; i < chain->nr_files; i++) {
		if (chain->files[i] == file)
			return true;
	}
	return false;
}

static bool worker(const struct chain *chain)
{
	return chain->thread == 0 || chain->thread == 2;
}

static bool web(const struct chain *chain)
{
	return chain->thread == 1;
}

static bool alpha(const struct chain *chain)
{
	return has_function(chain, 0);
}

static bool beta_anywhere(const struct chain *chain)
{
	return chain->thread == 3 || has_function(chain, 1);
}

static bool beta_function(const struct chain *chain)
{
	return has_function(chain, 1);
}

static bool gamma_function(const struct chain *chain)
{
	return has_function(chain, 2);
}

static bool alpha_or_gamma(const struct chain *chain)
{
	return alpha(chain) || gamma_function(chain);
}

static bool beta_self(const struct chain *chain)
{
	return chain->nr_functions && chain->functions[0] == 1;
}

static bool foo(const struct chain *chain)
{
	return has_file(chain, 0);
}

static bool prog_self(const struct chain *chain)
{
	return !chain->nr_functions && chain->files[0] == 1;
}

static bool in_kernel(const struct chain *chain)
{
	return chain->nr_functions;
}

static bool cpus(const struct chain *chain)
{
	return chain->cpu != 2;
}

static bool tasks(const struct chain *chain)
{
	return chain->thread == 1 || chain->thread == 2;
}

static bool all(const struct chain *chain)
{
	return true;
}

static bool none(const struct chain *chain)
{
	return false;
}

static const struct word {
	const char *text;
	bool (*holds)(const struct chain *chain);
} words[] = {
	{"comm:WORKER", none},
	{"comm:work", worker},
	{"worker", worker},
	{"comm:=worker", worker},
	{"comm:=work", none},
	{"comm:\"Web Content\"", web},
	{"\"b C\"", web},
	{"comm:/^web con.*t$/", web},
	{"sym:Alpha_one", alpha},
	{"sym:alpha", alpha},
	{"sym:Alpha_o", alpha},
	{"=alpha_one", alpha},
	{"beta", beta_anywhere},
	{"=beta_two", beta_function},
	{"std::gamma", gamma_function},
	{"sym:/^(alpha_one|std::gamma)$/", alpha_or_gamma},
	{"self-sym:beta", beta_self},
	{"dso:libfoo", foo},
	{"dso:/opt/lib/", foo},
	{"dso:=libfoo.so.1", foo},
	{"dso:=/opt/lib/libfoo.so.1", foo},
	{"dso:=libfoo.so", none},
	{"self-dso:prog", prog_self},
	{"dso:[kernel", in_kernel},
	{"cpu:0-1,3", cpus},
	{"pid:101-102", tasks},
	{"tid:101,102", tasks},
	{"time:0,", all},
};

/* Check the number and the total weight of the selected samples. Weights differ, so a different
 * selection is unlikely to have the same sum. */
static void check(struct fixture *f, const char *text, const bool *expected)
{
	uint8_t *passes = malloc(f->profile.buckets.len);
	struct tally_query *query;
	struct tally_error err;
	uint64_t nr = 0, sum = 0, want_nr = 0, want_sum = 0;

	if (tally_query_parse(text, &query, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(tally_query_select(query, &f->profile, passes), 0);
	for (size_t i = 0; i < f->profile.buckets.len; i++) {
		nr += passes[i] ? f->profile.buckets.data[i].nr : 0;
		sum += passes[i] ? f->profile.buckets.data[i].period : 0;
	}
	for (uint64_t i = 0; i < SAMPLES; i++) {
		want_nr += expected[i];
		want_sum += expected[i] ? i + 1 : 0;
	}
	if (nr != want_nr || sum != want_sum)
		fail_msg("%s: %d samples, not %d", text, (int)nr, (int)want_nr);
	tally_query_free(query);
	free(passes);
}

static void each_word_selects_its_samples(void **state)
{
	static struct fixture f;
	struct random random = random_start();
	bool expected[SAMPLES];

	setup(&f, &random);
	for (size_t w = 0; w < TALLY_ARRAY_SIZE(words); w++) {
		for (int i = 0; i < SAMPLES; i++)
			expected[i] = words[w].holds(&f.chains[i]);
		check(&f, words[w].text, expected);
	}
	teardown(&f);
}

static void words_are_combined_with_and(void **state)
{
	static struct fixture f;
	struct random random = random_start();

	setup(&f, &random);
	for (int round = 0; round < 300; round++) {
		bool expected[SAMPLES];
		char text[512] = " ";

		memset(expected, true, sizeof(expected));
		for (uint64_t w = 1 + random_below(&random, 4); w; w--) {
			const struct word *word =
				&words[random_below(&random, TALLY_ARRAY_SIZE(words))];
			bool is_negated = random_below(&random, 2);

			if (is_negated)
				strcat(text, random_below(&random, 2) ? "-" : "!");
			strcat(strcat(text, word->text), "\t ");
			/* Words that restrict the time do not affect which buckets are selected,
			 * even if negated. */
			for (int i = 0; i < SAMPLES; i++)
				expected[i] &= word->holds == all ||
					       word->holds(&f.chains[i]) != is_negated;
		}
		check(&f, text, expected);
	}
	teardown(&f);
}

static void apply_drops_samples_that_do_not_match(void **state)
{
	static struct fixture f;
	struct random random = random_start();
	struct tally_query *query;
	uint64_t nr = 0, period = 0;

	setup(&f, &random);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		nr += alpha(&f.chains[i]);
		period += alpha(&f.chains[i]) ? i + 1 : 0;
	}
	assert_int_equal(tally_query_parse("alpha", &query, NULL), 0);
	assert_int_equal(tally_query_apply(query, &f.profile), 0);
	assert_int_equal(f.profile.totals.data[0].nr, SAMPLES);
	assert_int_equal(f.profile.totals.data[0].nr_shown, nr);
	assert_int_equal(f.profile.totals.data[0].period_shown, period);
	tally_vec_for_each (bucket, &f.profile.buckets)
		period -= bucket->period;
	assert_int_equal(period, 0);
	assert_int_equal(f.profile.kept.len, nr);
	for (size_t i = 0, at = 0; i < SAMPLES; i++) {
		const struct tally_kept *kept = &f.profile.kept.data[at];

		if (!alpha(&f.chains[i]))
			continue;
		assert_int_equal(kept->number, i);
		assert_int_equal(tally_kept_weight(&f.profile, kept), i + 1);
		assert_true(kept->bucket < f.profile.buckets.len);
		at++;
	}
	tally_query_free(query);
	teardown(&f);
}

/* ---- grammar ------------------------------------------------------------------------ */

static void wrong_queries_are_refused(void **state)
{
	static const struct {
		const char *text;
		int code;
		uint64_t offset;
	} cases[] = {
		{"-", -EINVAL, 1},
		{"a - b", -EINVAL, 3},
		{"comm:", -EINVAL, 5},
		{"comm:=", -EINVAL, 6},
		{"a comm: b", -EINVAL, 7},
		{"coom:x", -EINVAL, 0},
		{"a -coom:x", -EINVAL, 3},
		{"pid:x", -EINVAL, 4},
		{"pid:\"1\"", -EINVAL, 4},
		{"cpu:3-1", -EINVAL, 4},
		{"time:2,1", -EINVAL, 5},
		{"time:50%-40%", -EINVAL, 5},
		{"time:nan%-40%", -EINVAL, 5},
		{"\"a", -EINVAL, 0},
		{"sym:\"a\\\"", -EINVAL, 4},
		{"\"a\"b", -EINVAL, 3},
		{"x sym:/(/", -EINVAL, 6},
		{"a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a", -E2BIG, 64},
	};
	struct tally_query *query = NULL;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(cases); i++) {
		struct tally_error err = {0};

		if (tally_query_parse(cases[i].text, &query, &err) != cases[i].code)
			fail_msg("%s", cases[i].text);
		assert_int_equal(err.code, cases[i].code);
		if (err.offset != cases[i].offset)
			fail_msg("%s: at %d", cases[i].text, (int)err.offset);
		assert_non_null(err.text);
		assert_null(query);
	}
}

static void long_queries_are_refused(void **state)
{
	char *text = calloc(1, TALLY_QUERY_LEN_MAX + 2);
	struct tally_query *query;
	struct tally_error err;

	memset(text, 'a', TALLY_QUERY_LEN_MAX);
	assert_int_equal(tally_query_parse(text, &query, &err), 0);
	tally_query_free(query);
	text[TALLY_QUERY_LEN_MAX] = 'a';
	assert_int_equal(tally_query_parse(text, &query, &err), -E2BIG);
	free(text);
}

static void reports_the_sample_fields_a_query_needs(void **state)
{
	static const struct {
		const char *text;
		unsigned by;
		uint64_t needs;
	} cases[] = {
		{"", 0, 0},
		{"comm:a", TALLY_BY_COMM, 0},
		{"-pid:1", TALLY_BY_THREAD, PERF_SAMPLE_TID},
		{"tid:1 cpu:2", TALLY_BY_THREAD | TALLY_BY_CPU, PERF_SAMPLE_TID | PERF_SAMPLE_CPU},
		{"time:1,2", 0, PERF_SAMPLE_TIME},
		{"self-dso:a", TALLY_BY_FRAME, 0},
		{"a", TALLY_BY_COMM | TALLY_BY_FRAME | TALLY_BY_PATH, 0},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(cases); i++) {
		struct tally_query *query;

		assert_int_equal(tally_query_parse(cases[i].text, &query, NULL), 0);
		assert_int_equal(tally_query_by(query), cases[i].by);
		assert_int_equal(tally_query_needs(query), cases[i].needs);
		tally_query_free(query);
	}
}

/* ---- times --------------------------------------------------------------------------- */

static void selects_by_time(void **state)
{
	struct tally_query *query;

	assert_int_equal(tally_query_parse("time:1,3 -time:1.5,2 a", &query, NULL), 0);
	assert_false(tally_query_has_relative_times(query));
	assert_false(tally_query_matches_time(query, 999999999));
	assert_true(tally_query_matches_time(query, 1000000000));
	assert_false(tally_query_matches_time(query, 1500000000));
	assert_false(tally_query_matches_time(query, 2000000000));
	assert_true(tally_query_matches_time(query, 2000000001));
	assert_false(tally_query_matches_time(query, 3000000001));
	assert_true(tally_query_is_outside(query, 3000000001, 4000000000));
	assert_true(tally_query_is_outside(query, 0, 999999999));
	assert_false(tally_query_is_outside(query, 1600000000, 1700000000));
	tally_query_free(query);
	assert_int_equal(tally_query_parse("time:10%-20%", &query, NULL), 0);
	assert_true(tally_query_has_relative_times(query));
	tally_query_set_times(query, 1000, 2000);
	assert_false(tally_query_matches_time(query, 1099));
	assert_true(tally_query_matches_time(query, 1100));
	assert_true(tally_query_matches_time(query, 1200));
	assert_false(tally_query_matches_time(query, 1201));
	tally_query_set_times(query, 0, 100);
	assert_true(tally_query_matches_time(query, 10));
	tally_query_free(query);
	assert_int_equal(tally_query_parse("time:+0.000001,+0.000002", &query, NULL), 0);
	assert_true(tally_query_has_relative_times(query));
	for (uint64_t first = 0; first < 200000; first += 100000) {
		tally_query_set_times(query, first, first + 50000);
		assert_false(tally_query_matches_time(query, first + 999));
		assert_true(tally_query_matches_time(query, first + 1000));
		assert_true(tally_query_matches_time(query, first + 2000));
		assert_false(tally_query_matches_time(query, first + 2001));
	}
	tally_query_free(query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_selects_its_samples),
		cmocka_unit_test(words_are_combined_with_and),
		cmocka_unit_test(apply_drops_samples_that_do_not_match),
		cmocka_unit_test(wrong_queries_are_refused),
		cmocka_unit_test(long_queries_are_refused),
		cmocka_unit_test(reports_the_sample_fields_a_query_needs),
		cmocka_unit_test(selects_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
