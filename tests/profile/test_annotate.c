/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare instruction costs with a simple count over random stacks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "annotated.h"
#include "random.h"

enum { SAMPLES = 500, DEPTH = 5, EVENTS = 2, CALL = 2 /* index of the call instruction */ };

struct truth {
	struct tally_annotate_cost of[ANNOTATED_FUNCTIONS][ANNOTATED_INSNS][EVENTS];
	struct tally_annotate_cost sums[ANNOTATED_FUNCTIONS][EVENTS];
};

static void cost_count(struct tally_annotate_cost *cost, uint64_t weight, bool is_leaf,
		       bool is_there)
{
	cost->nr += is_leaf;
	cost->weight += is_leaf ? weight : 0;
	cost->total_nr += is_there;
	cost->total_weight += is_there ? weight : 0;
}

static void truth_count(struct truth *truth, uint32_t event, int function, int insn,
			uint64_t weight, const int *callers, size_t nr)
{
	for (int f = 0; f < ANNOTATED_FUNCTIONS; f++) {
		bool calls = false;

		for (size_t i = 0; i < nr; i++)
			calls |= callers[i] == f;
		cost_count(&truth->sums[f][event], weight, f == function, f == function || calls);
		for (int i = 0; i < ANNOTATED_INSNS; i++) {
			bool is_leaf = f == function && i == insn;

			cost_count(&truth->of[f][i][event], weight, is_leaf,
				   is_leaf || (calls && i == CALL));
		}
	}
}

static void add_random_sample(struct annotated *f, struct random *random, struct truth *truth)
{
	int function = (int)random_below(random, ANNOTATED_FUNCTIONS), callers[DEPTH];
	int insn = (int)random_below(random, ANNOTATED_INSNS);
	size_t nr = random_below(random, DEPTH + 1);
	uint32_t event = (uint32_t)random_below(random, EVENTS);
	uint64_t weight = random_below(random, 9);

	for (size_t i = 0; i < nr; i++)
		callers[i] = (int)random_below(random, ANNOTATED_FUNCTIONS);
	annotated_sample(f, event, function, annotated_starts[insn], weight, callers, nr);
	truth_count(truth, event, function, insn, weight, callers, nr);
}

static void assert_cost(struct tally_annotate_cost got, struct tally_annotate_cost want)
{
	assert_int_equal(got.nr, want.nr);
	assert_int_equal(got.weight, want.weight);
	assert_int_equal(got.total_nr, want.total_nr);
	assert_int_equal(got.total_weight, want.total_weight);
}

static void counts_samples_of_each_instruction(void **state)
{
	struct random random = random_start();
	static struct truth truth;
	struct annotated f;

	(void)state;
	annotated_open(&f, &(struct tally_annotate_options){0});
	for (int i = 0; i < SAMPLES; i++)
		add_random_sample(&f, &random, &truth);
	assert_int_equal(tally_annotate_finish(f.annotate), 0);
	for (int function = 0; function < ANNOTATED_FUNCTIONS; function++) {
		struct tally_annotation annotation;

		annotated_make(&f, function, 0, &annotation);
		assert_int_equal(annotation.insns.len, ANNOTATED_INSNS);
		assert_int_equal(annotation.nr_outside, 0);
		for (uint32_t event = 0; event < EVENTS; event++) {
			assert_cost(tally_annotate_sum(f.annotate, annotation.function, event),
				    truth.sums[function][event]);
			for (int i = 0; i < ANNOTATED_INSNS; i++)
				assert_cost(tally_annotation_cost(&annotation,
								  &annotation.insns.data[i], event),
					    truth.of[function][i][event]);
		}
		tally_annotation_free(&annotation);
	}
	assert_int_equal(tally_annotate_total(f.annotate, 0).nr +
				 tally_annotate_total(f.annotate, 1).nr,
			 SAMPLES);
	assert_int_equal(tally_annotate_nr_left_out(f.annotate), 0);
	annotated_close(&f);
}

/* Callers beyond an invalid return address are ignored. */
static void ignores_callers_after_an_invalid_return_address(void **state)
{
	uint64_t words[] = {(uint64_t)PERF_CONTEXT_USER, annotated_ip(0, 0),
			    annotated_ip(1, ANNOTATED_RETURN + 2),
			    annotated_ip(2, ANNOTATED_RETURN)};
	static const struct perf_event_attr unwound = {0};
	struct tally_feed_sample sample = {
		.sample = {.ip = words[1], .callchain = {(const uint8_t *)words, 4}},
		.attr = &annotated_attr,
		.period = 1,
		.cpumode = PERF_RECORD_MISC_USER};
	struct annotated f;

	(void)state;
	annotated_open(&f, &(struct tally_annotate_options){0});
	sample.thread = f.thread;
	assert_int_equal(tally_annotate_add(f.annotate, &sample), 0);
	assert_null(annotated_find(&f, 1));
	assert_null(annotated_find(&f, 2));
	sample.attr = &unwound;
	assert_int_equal(tally_annotate_add(f.annotate, &sample), 0);
	assert_non_null(annotated_find(&f, 1));
	assert_non_null(annotated_find(&f, 2));
	annotated_close(&f);
}

static void finds_kinds_and_targets_of_instructions(void **state)
{
	static const uint8_t kinds[ANNOTATED_INSNS] = {
		TALLY_INSTRUCTION_OTHER, TALLY_INSTRUCTION_OTHER,   TALLY_INSTRUCTION_CALL,
		TALLY_INSTRUCTION_OTHER, TALLY_INSTRUCTION_JUMP_IF, TALLY_INSTRUCTION_RETURN,
	};
	struct tally_annotation annotation;
	const struct tally_annotation_insn *insns;
	struct annotated f;

	(void)state;
	annotated_open(&f, &(struct tally_annotate_options){0});
	annotated_sample(&f, 0, 1, 0, 1, NULL, 0);
	assert_int_equal(tally_annotate_finish(f.annotate), 0);
	annotated_make(&f, 1, 0, &annotation);
	insns = annotation.insns.data;
	for (int i = 0; i < ANNOTATED_INSNS; i++) {
		assert_int_equal(insns[i].kind, kinds[i]);
		assert_int_equal(insns[i].linked,
				 IMAGE_TEXT + ANNOTATED_STEP + annotated_starts[i]);
		assert_int_equal(insns[i].nr_lines, 0);
	}
	assert_string_equal(insns[CALL].target_name, "f2");
	assert_int_equal(insns[CALL].target_offset, 0);
	assert_int_equal(insns[CALL].target, IMAGE_TEXT + 2 * ANNOTATED_STEP);
	assert_int_equal(insns[CALL].target_insn, 0);
	assert_int_equal(insns[4].target_insn, 1);
	assert_string_equal(tally_annotation_text(&annotation, insns[1].operands), "%rsp, %rbp");
	assert_string_equal(tally_annotation_text(&annotation, insns[CALL].operands), "");
	assert_memory_equal(annotation.bytes.data, annotated_code, 4);
	assert_string_equal(annotation.name, "f1");
	assert_string_equal(annotation.path, f.path);
	tally_annotation_free(&annotation);
	annotated_close(&f);
}

/* Check that only sums are kept for functions other than the selected function. */
static void keeps_only_sums_of_other_functions(void **state)
{
	const int callers[] = {1, 2};
	struct annotated f;

	(void)state;
	annotated_open(&f, &(struct tally_annotate_options){.symbol = "f2"});
	annotated_sample(&f, 0, 0, 1, 5, callers, 2);
	assert_int_equal(tally_annotate_finish(f.annotate), 0);
	assert_int_equal(annotated_find(&f, 0)->nr, 0);
	assert_int_equal(annotated_find(&f, 1)->nr, 0);
	assert_int_equal(annotated_find(&f, 2)->nr, 1);
	assert_int_equal(
		tally_annotate_places(f.annotate, annotated_find(&f, 2))->cost.total_weight, 5);
	assert_int_equal(tally_annotate_sum(f.annotate, annotated_find(&f, 0), 0).weight, 5);
	annotated_close(&f);
}

static void limits_the_number_of_offsets(void **state)
{
	struct annotated f;

	(void)state;
	annotated_open(&f, &(struct tally_annotate_options){.max_places = 3});
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < ANNOTATED_INSNS; i++)
			annotated_sample(&f, 0, 0, annotated_starts[i], 1, NULL, 0);
	}
	assert_int_equal(tally_annotate_nr_left_out(f.annotate), 6);
	assert_int_equal(tally_annotate_finish(f.annotate), 0);
	assert_int_equal(annotated_find(&f, 0)->nr, 3);
	assert_int_equal(tally_annotate_places(f.annotate, annotated_find(&f, 0))->cost.nr, 2);
	assert_int_equal(tally_annotate_sum(f.annotate, annotated_find(&f, 0), 0).nr, 12);
	annotated_close(&f);
}

/* Check that only the start of a large function is shown, and that samples in the remaining code
 * are counted. */
static void limits_the_size_of_shown_code(void **state)
{
	struct tally_annotation annotation;
	struct annotated f;

	(void)state;
	annotated_open(&f, &(struct tally_annotate_options){0});
	for (int i = 0; i < ANNOTATED_INSNS; i++)
		annotated_sample(&f, 0, 0, annotated_starts[i], 1, NULL, 0);
	assert_int_equal(tally_annotate_finish(f.annotate), 0);
	annotated_make(&f, 0, 4, &annotation);
	assert_int_equal(annotation.insns.len, 2);
	assert_int_equal(annotation.nr_missing, ANNOTATED_SIZE - 4);
	assert_int_equal(annotation.nr_outside, 4);
	tally_annotation_free(&annotation);
	annotated_close(&f);
}

static void explains_missing_code(void **state)
{
	struct tally_annotation_options options = {0};
	struct tally_annotation annotation;
	struct tally_str why = {0};
	struct annotated f;
	int ret;

	(void)state;
	annotated_open(&f, &(struct tally_annotate_options){0});
	annotated_sample(&f, 0, 0, 0, 1, NULL, 0);
	assert_int_equal(tally_annotate_finish(f.annotate), 0);
	assert_int_equal(unlink(f.path), 0);
	ret = tally_annotation_build(f.codes, f.annotate, annotated_find(&f, 0), &options,
				     &annotation);
	assert_true(ret < 0);
	tally_annotation_explain(annotated_find(&f, 0)->dso, ret, &why);
	assert_string_equal(tally_str_text(&why), tally_dso_state_text(TALLY_DSO_REMOVED));
	tally_str_free(&why);
	annotated_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_samples_of_each_instruction),
		cmocka_unit_test(ignores_callers_after_an_invalid_return_address),
		cmocka_unit_test(finds_kinds_and_targets_of_instructions),
		cmocka_unit_test(keeps_only_sums_of_other_functions),
		cmocka_unit_test(limits_the_number_of_offsets),
		cmocka_unit_test(limits_the_size_of_shown_code),
		cmocka_unit_test(explains_missing_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
