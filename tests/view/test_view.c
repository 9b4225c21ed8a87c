/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows and graphs as text, separated values and JSON, for a generated profile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profile/profile_model.h"
#include "random.h"
#include "base/arith.h"
#include "view/shown_rows.h"

#include <cmocka.h>

/* main calls hot (70) and cold (30); cold has no callees. */
enum { MAIN = 0x10, HOT = 0x20, COLD = 0x30 };

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_profile profile;
	struct tally_hist hist;
	struct tally_view view;
	struct tally_str out;
};

/* Callers found with frame pointers, which are validated. */
static const struct perf_event_attr walked = {.sample_type = PERF_SAMPLE_CALLCHAIN};

static void add_sample(struct fixture *f, uint64_t leaf, uint64_t caller, uint64_t weight)
{
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, leaf, caller};
	struct tally_sample sample = {
		.ip = leaf,
		.callchain = {(const uint8_t *)chain, caller ? 3 : 2},
	};
	struct tally_thread *thread = tally_machine_thread(f->machine, 5, 5);

	assert_int_equal(
		tally_profile_add(&f->profile,
				  &(struct tally_feed_sample){.sample = sample,
							      .attr = &walked,
							      .thread = thread,
							      .period = weight,
							      .cpumode = PERF_RECORD_MISC_USER}),
		0);
}

static int setup(void **state)
{
	static struct fixture f;
	struct tally_profile_options options = {.by = TALLY_BY_COMM | TALLY_BY_FRAME |
						      TALLY_BY_PATH};
	struct tally_hist_options hist = {
		.keys = TALLY_KEY_COMM | TALLY_KEY_DSO | TALLY_KEY_SYMBOL,
		.children = true,
		.graphs = true,
		.order = TALLY_GRAPH_CALLER,
	};
	const char *names[] = {"overhead_children", "self", "comm", "dso", "symbol"};

	memset(&f, 0, sizeof(f));
	assert_int_equal(tally_symbols_new(NULL, &f.symbols), 0);
	assert_int_equal(tally_machine_new(f.symbols, &f.machine), 0);
	assert_int_equal(tally_profile_init(&f.profile, f.machine, &options), 0);
	add_sample(&f, HOT, MAIN, 70);
	add_sample(&f, COLD, MAIN, 30);
	assert_int_equal(tally_hist_build(&f.profile, 0, &hist, &f.hist), 0);
	f.view = (struct tally_view){
		.profile = &f.profile,
		.hist = &f.hist,
		.total = 100,
		.style = TALLY_STYLE_GRAPH,
		.graph_min_percent = 0.5,
	};
	for (int i = 0; i < 5; i++)
		f.view.columns[f.view.nr_columns++] =
			tally_view_column_find(names[i], strlen(names[i]));
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_str_free(&f->out);
	tally_hist_free(&f->hist);
	tally_profile_free(&f->profile);
	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	return 0;
}

static void rows(struct fixture *f)
{
	tally_vec_for_each (row, &f->hist.rows)
		tally_view_row(&f->view, row, &f->out);
}

static void text_is_in_columns(void **state)
{
	struct fixture *f = *state;

	tally_view_measure(&f->view);
	tally_view_heading(&f->view, &f->out);
	rows(f);
	assert_string_equal(tally_str_text(&f->out),
			    "# Children      Self  Command  Shared Object  Symbol                \n"
			    "# ........  ........  .......  .............  ......................\n"
			    "#\n"
			    "   100.00%     0.00%  :5       [unknown]      [.] 0x0000000000000010\n"
			    "            |\n"
			    "            ---0x0000000000000010\n"
			    "               |          \n"
			    "               |--70.00%--0x0000000000000020\n"
			    "               |          \n"
			    "                --30.00%--0x0000000000000030\n"
			    "\n"
			    "    70.00%    70.00%  :5       [unknown]      [.] 0x0000000000000020\n"
			    "            |\n"
			    "            ---0x0000000000000010\n"
			    "               0x0000000000000020\n"
			    "\n"
			    "    30.00%    30.00%  :5       [unknown]      [.] 0x0000000000000030\n"
			    "            |\n"
			    "            ---0x0000000000000010\n"
			    "               0x0000000000000030\n"
			    "\n");
}

static void separator_is_kept_out_of_cells(void **state)
{
	struct fixture *f = *state;

	f->view.separator = ":";
	f->view.style = TALLY_STYLE_NONE;
	tally_view_heading(&f->view, &f->out);
	tally_view_row(&f->view, &f->hist.rows.data[1], &f->out);
	assert_string_equal(tally_str_text(&f->out),
			    "# Children:Self:Command:Shared Object:Symbol\n"
			    "70.00%:70.00%:.5:[unknown]:[.] 0x0000000000000020\n");
}

static void graph(struct fixture *f, enum tally_graph_style style, size_t row)
{
	f->view.style = style;
	tally_str_clear(&f->out);
	tally_view_graph(&f->view, &f->hist.rows.data[row], &f->out);
}

static void graph_styles(void **state)
{
	struct fixture *f = *state;

	graph(f, TALLY_STYLE_FOLDED, 0);
	assert_string_equal(tally_str_text(&f->out),
			    "70.00% 0x0000000000000010;0x0000000000000020\n"
			    "30.00% 0x0000000000000010;0x0000000000000030\n");
	graph(f, TALLY_STYLE_FLAT, 1);
	assert_string_equal(tally_str_text(&f->out), "           70.00%\n"
						     "                0x0000000000000010\n"
						     "                0x0000000000000020\n\n");
	graph(f, TALLY_STYLE_NONE, 0);
	assert_string_equal(tally_str_text(&f->out), "");
	f->view.graph_min_percent = 50;
	graph(f, TALLY_STYLE_FRACTAL, 0);
	assert_string_equal(tally_str_text(&f->out),
			    "            |\n"
			    "            ---0x0000000000000010\n"
			    "               |          \n"
			    "               |--70.00%--0x0000000000000020\n"
			    "                --30.00%--[...]\n\n");
}

static void json_has_rows_and_graph(void **state)
{
	struct fixture *f = *state;

	tally_view_row_json(&f->view, &f->hist.rows.data[1], &f->out);
	assert_string_equal(
		tally_str_text(&f->out),
		"{\"comm\":\":5\",\"dso\":\"[unknown]\",\"symbol\":\"[.] 0x0000000000000020\","
		"\"self_period\":70,\"self_samples\":1,\"total_period\":70,\"total_samples\":1,"
		"\"graph\":[{\"symbol\":\"0x0000000000000010\",\"period\":70,\"samples\":1,"
		"\"children\":[{\"symbol\":\"0x0000000000000020\",\"period\":70,\"samples\":1}]}]"
		"}");
}

/* Give the thread a name of `nr` letters. */
static void name_thread(struct fixture *f, size_t nr)
{
	char record[16 + 256] = {0};
	const uint32_t ids[] = {5, 5};
	struct perf_event_header header = {.type = PERF_RECORD_COMM, .size = sizeof(record)};

	assert_true(nr < 256);
	memcpy(record, &header, sizeof(header));
	memcpy(record + 8, ids, sizeof(ids));
	memset(record + 16, 'c', nr);
	assert_int_equal(tally_machine_record(f->machine, record, sizeof(record)), 0);
	tally_hist_free(&f->hist);
	tally_profile_free(&f->profile);
	assert_int_equal(tally_profile_init(&f->profile, f->machine,
					    &(struct tally_profile_options){.by = TALLY_BY_COMM |
										  TALLY_BY_FRAME |
										  TALLY_BY_PATH}),
			 0);
	add_sample(f, HOT, MAIN, 70);
	assert_int_equal(tally_hist_build(&f->profile, 0,
					  &(struct tally_hist_options){.keys = TALLY_KEY_COMM |
									       TALLY_KEY_DSO |
									       TALLY_KEY_SYMBOL,
								       .graphs = true,
								       .order = TALLY_GRAPH_CALLER},
					  &f->hist),
			 0);
}

static void only_usual_names_widen_a_column(void **state)
{
	struct fixture *f = *state;

	f->view.style = TALLY_STYLE_NONE;
	name_thread(f, 80);
	tally_view_measure(&f->view);
	assert_int_equal(f->view.widths[2], 80);
	name_thread(f, 81);
	tally_view_measure(&f->view);
	assert_int_equal(f->view.widths[2], 7);
	rows(f);
	assert_string_equal(
		tally_str_text(&f->out),
		"    70.00%    70.00%  "
		"ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
		"  [unknown]      [.] 0x0000000000000020\n");
}

static void lines_fit(void **state)
{
	struct fixture *f = *state;

	name_thread(f, 200);
	f->view.line_width = 60;
	tally_view_measure(&f->view);
	tally_view_heading(&f->view, &f->out);
	rows(f);
	assert_string_equal(tally_str_text(&f->out),
			    "# Children      Self  Command      Shared Obj  Symbol       \n"
			    "# ........  ........  ...........  ..........  .............\n"
			    "#\n"
			    "    70.00%    70.00%  cccc...cccc  [unknown]   [.] 0x0...020\n"
			    "            |\n"
			    "            ---0x0000000000000010\n"
			    "               0x0000000000000020\n"
			    "\n");
}

static void graphs_fit(void **state)
{
	struct fixture *f = *state;

	f->view.line_width = 30;
	tally_view_measure(&f->view);
	graph(f, TALLY_STYLE_GRAPH, 0);
	assert_string_equal(tally_str_text(&f->out), "            |\n"
						     "            ---0x0000...000010\n"
						     "               |          \n"
						     "               |--70.00%--0x...0\n"
						     "               |          \n"
						     "                --30.00%--0x...0\n"
						     "\n");
	graph(f, TALLY_STYLE_FLAT, 1);
	assert_string_equal(tally_str_text(&f->out), "           70.00%\n"
						     "                0x0000...00010\n"
						     "                0x0000...00020\n\n");
	/* These formats are read by programs. */
	graph(f, TALLY_STYLE_FOLDED, 1);
	assert_string_equal(tally_str_text(&f->out),
			    "70.00% 0x0000000000000010;0x0000000000000020\n");
}

static void widths_are_those_asked_for(void **state)
{
	static const int asked[TALLY_VIEW_MAX_COLUMNS] = {12, 3, 0, 9, 14};
	struct fixture *f = *state;

	name_thread(f, 90);
	f->view.asked = asked;
	tally_view_measure(&f->view);
	tally_view_heading(&f->view, &f->out);
	rows(f);
	assert_string_equal(tally_str_text(&f->out),
			    "#     Children      Self  Command  Shared Ob  Symbol        \n"
			    "# ............  ........  .......  .........  ..............\n"
			    "#\n"
			    "        70.00%    70.00%  "
			    "ccccccccccccccccccccccccccccccccccccccccccccc"
			    "ccccccccccccccccccccccccccccccccccccccccccccc"
			    "  [unknown]  [.] 0x00...020\n"
			    "            |\n"
			    "            ---0x0000000000000010\n"
			    "               0x0000000000000020\n"
			    "\n");
}

static void light_rows_are_left_out(void **state)
{
	struct tally_show show = {.keys = TALLY_KEY_SYMBOL, .children = true};
	struct fixture *f = *state;
	const struct tally_shown_rows_options options = {.profile = &f->profile, .show = &show};
	/* main has 100 %, its callees have 70 % and 30 %. */
	static const struct {
		double min_percent;
		size_t nr;
	} limits[] = {{0, 3}, {30, 3}, {31, 2}, {71, 1}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(limits); i++) {
		struct tally_shown_rows shown;

		show.row_min_percent = limits[i].min_percent;
		assert_int_equal(tally_shown_rows_make(&options, &shown), 0);
		assert_int_equal(shown.hist.rows.len, limits[i].nr);
		tally_shown_rows_free(&shown);
	}
}

/* Build rows by source file. Returns the number of rows, and the name of the first row in `out`. */
static size_t rows_by_file(struct fixture *f, bool has_paths, struct tally_str *out)
{
	struct tally_hist_options options = {.keys = TALLY_KEY_FILE, .has_paths = has_paths};
	struct tally_view view = {.profile = &f->profile, .has_paths = has_paths};
	struct tally_hist hist;
	size_t nr;

	assert_int_equal(tally_hist_build(&f->profile, 0, &options, &hist), 0);
	view.hist = &hist;
	nr = hist.rows.len;
	tally_str_clear(out);
	tally_view_cell(&view, tally_view_column_find("srcfile", 7), &hist.rows.data[0], out);
	tally_hist_free(&hist);
	return nr;
}

static void distinguishes_files_by_directory_on_request(void **state)
{
	static const struct tally_line lines[] = {{NULL, "/a/x.c", 1}, {NULL, "/b/x.c", 1}};
	struct fixture *f = *state;

	tally_vec_for_each (frame, &f->profile.frames.all) {
		frame->is_exact = true;
		frame->line = &lines[frame->addr != HOT];
	}
	assert_int_equal(rows_by_file(f, false, &f->out), 1);
	assert_string_equal(tally_str_text(&f->out), "x.c");
	assert_int_equal(rows_by_file(f, true, &f->out), 2);
	assert_string_equal(tally_str_text(&f->out), "/a/x.c");
}

static void columns_are_found_by_name(void **state)
{
	assert_string_equal(tally_view_column_find("sym", 3)->heading, "Symbol");
	assert_null(tally_view_column_find("symb", 4));
	assert_null(tally_view_column_find("", 0));
}

static void formats_percentages_as_printf(void **state)
{
	struct random random = random_start();
	struct tally_str out = {0};
	char want[64];

	for (int i = 0; i < 200000; i++) {
		/* Use totals for which the third decimal is often 5, to test rounding. */
		uint64_t whole = i % 2 ? 1 + random_below(&random, 2000) * 8
				       : 1 + (random_u64(&random) >> random_below(&random, 64));
		uint64_t part = i % 3 ? random_below(&random, whole) : whole;

		snprintf(want, sizeof(want), "%.2f%%", 100.0 * (double)part / (double)whole);
		tally_str_clear(&out);
		tally_view_percent(part, whole, &out);
		assert_string_equal(tally_str_text(&out), want);
	}
	tally_str_clear(&out);
	tally_view_percent(5, 0, &out);
	tally_view_percent(UINT64_MAX, 1, &out);
	assert_string_equal(tally_str_text(&out), "0.00%1844674407370955161600.00%");
	tally_str_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_is_in_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(separator_is_kept_out_of_cells, setup, teardown),
		cmocka_unit_test_setup_teardown(graph_styles, setup, teardown),
		cmocka_unit_test_setup_teardown(json_has_rows_and_graph, setup, teardown),
		cmocka_unit_test_setup_teardown(only_usual_names_widen_a_column, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(graphs_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(widths_are_those_asked_for, setup, teardown),
		cmocka_unit_test_setup_teardown(light_rows_are_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(distinguishes_files_by_directory_on_request, setup,
						teardown),
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(formats_percentages_as_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
