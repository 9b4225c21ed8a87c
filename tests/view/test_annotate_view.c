/* SPDX-License-Identifier: BSD-2-Clause */
/* Annotated functions as text and JSON. The output must match exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/annotated.h"
#include "view/annotate_view.h"

static const char *const names[] = {"cycles", "instruc\033tions"};
static const uint32_t events[] = {0, 1};

struct fixture {
	struct annotated program;
	struct tally_annotation annotation;
	struct tally_annotate_view view;
	struct tally_str out;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const int callers[] = {0, 0};

	annotated_open(&f->program, &(struct tally_annotate_options){0});
	annotated_sample(&f->program, 0, 0, 0, 100, NULL, 0);
	annotated_sample(&f->program, 0, 0, 13, 300, NULL, 0);
	annotated_sample(&f->program, 0, 1, 0, 400, callers, 2);
	annotated_sample(&f->program, 1, 0, 9, 1, NULL, 0);
	assert_int_equal(tally_annotate_finish(f->program.annotate), 0);
	annotated_make(&f->program, 0, 0, &f->annotation);
	f->view = (struct tally_annotate_view){
		.annotate = f->program.annotate,
		.annotation = &f->annotation,
		.event_names = names,
		.events = events,
		.nr_events = 1,
		.heading = "cycles",
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_str_free(&f->out);
	tally_annotation_free(&f->annotation);
	annotated_close(&f->program);
	free(f);
	return 0;
}

static void assert_text(struct fixture *f, const char *want)
{
	tally_str_clear(&f->out);
	tally_annotate_view_heading(&f->view, &f->out);
	for (size_t i = 0; i < f->annotation.insns.len; i++)
		tally_annotate_view_insn(&f->view, i, &f->out);
	assert_string_equal(tally_str_text(&f->out), want);
}

static void prints_text_as_perf_does(void **state)
{
	assert_text(*state,
		    " Percent |\tSource code & Disassembly of program for cycles (2 samples, "
		    "percent: local period)\n"
		    "-------------------------------------------------------------------------"
		    "-------------------------\n"
		    "         : 0000000000401000 <f0>:\n"
		    "   25.00 :   401000: pushq  %rbp\n"
		    "    0.00 :   401001: movq   %rsp, %rbp\n"
		    "    0.00 :   401004: callq  401040 <f1>\n"
		    "    0.00 :   401009: testl  %eax, %eax\n"
		    "    0.00 :   40100b: jne    401000 <f0>\n"
		    "   75.00 :   40100d: retq\n");
}

static void prints_shares_of_all_samples(void **state)
{
	struct fixture *f = *state;

	f->view.is_global = f->view.by_hits = f->view.has_totals = true;
	f->view.has_bytes = true;
	assert_text(f, " Percent         |\tSource code & Disassembly of program for cycles "
		       "(2 samples, percent: global hits)\n"
		       "------------------------------------------------------------------------"
		       "---------------------------------\n"
		       "                 : 0000000000401000 <f0>:\n"
		       "   33.33   33.33 :   401000: 55                      pushq  %rbp\n"
		       "    0.00    0.00 :   401001: 48 89 e5                movq   %rsp, %rbp\n"
		       "    0.00   33.33 :   401004: e8 37 00 00 00          callq  401040 <f1>\n"
		       "    0.00    0.00 :   401009: 85 c0                   testl  %eax, %eax\n"
		       "    0.00    0.00 :   40100b: 75 f3                   jne    401000 <f0>\n"
		       "   33.33   33.33 :   40100d: c3                      retq\n");
}

static void prints_a_column_for_each_event(void **state)
{
	struct fixture *f = *state;

	f->view.nr_events = 2;
	f->view.measure = TALLY_ANNOTATE_PERIOD;
	f->view.heading = "group \n";
	f->view.has_paths = true;
	tally_annotate_view_heading(&f->view, &f->out);
	assert_non_null(strstr(tally_str_text(&f->out), " Period                  |\t"));
	assert_non_null(strstr(tally_str_text(&f->out), f->program.path));
	assert_non_null(strstr(tally_str_text(&f->out), "for group \\n ("));
	tally_str_clear(&f->out);
	tally_annotate_view_insn(&f->view, 3, &f->out);
	assert_string_equal(tally_str_text(&f->out),
			    "           0           1 :   401009: testl  %eax, %eax\n");
}

static void prints_colors(void **state)
{
	struct fixture *f = *state;

	f->view.has_colours = true;
	tally_annotate_view_insn(&f->view, 0, &f->out);
	assert_string_equal(tally_str_text(&f->out),
			    "\033[31m   25.00\033[m :   401000: pushq  %rbp\n");
}

static void prints_json(void **state)
{
	struct fixture *f = *state;

	tally_annotate_json_open(&f->view, &f->out);
	tally_annotate_json_insn(&f->view, 2, &f->out);
	tally_annotate_json_insn(&f->view, 4, &f->out);
	tally_annotate_json_close(&f->view, &f->out);
	assert_non_null(strstr(
		tally_str_text(&f->out),
		"\"size\":14,\"missing_bytes\":0,\"samples_outside\":0,\"events\":[{\"event\":"
		"\"cycles\",\"samples\":2,\"period\":400,\"percent\":100.0000,\"total_samples\":3,"
		"\"total_period\":800,\"total_percent\":100.0000}],\"instructions\":[{\"address\":"
		"4198404,\"bytes\":\"e837000000\",\"mnemonic\":\"callq\",\"operands\":\"\","
		"\"kind\":\"call\",\"target\":4198464,\"target_symbol\":\"f1\",\"target_offset\":0,"
		"\"events\":[{\"event\":\"cycles\",\"samples\":0,\"period\":0,\"percent\":0.0000,"
		"\"total_samples\":1,\"total_period\":400,\"total_percent\":50.0000}]},{"
		"\"address\":"
		"4198411,\"bytes\":\"75f3\",\"mnemonic\":\"jne\",\"operands\":\"\",\"kind\":"
		"\"jump_if\",\"target\":4198400,\"target_symbol\":\"f0\",\"target_offset\":0,"
		"\"is_loop\":true}]}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(prints_text_as_perf_does, setup, teardown),
		cmocka_unit_test_setup_teardown(prints_shares_of_all_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(prints_a_column_for_each_event, setup, teardown),
		cmocka_unit_test_setup_teardown(prints_colors, setup, teardown),
		cmocka_unit_test_setup_teardown(prints_json, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
