/* SPDX-License-Identifier: BSD-2-Clause */
/* Test canvases, and the screen of a live profile, which draws a generated profile on a canvas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_model.h"
#include "random.h"
#include "view/screen.h"
#include "view/width.h"

#include <cmocka.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define WIDE     "\xe6\xbc\xa2" /* a glyph that is two columns wide */
#define ACUTE    "\xcc\x81"     /* combines with the previous character */

/* ---- widths and canvases --------------------------------------------------------- */

static void test_widths(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} rows[] = {{"", 0},         {"abc", 3},      {WIDE, 2},           {"e" ACUTE "x", 2},
		    {"\xc3\xa9", 1}, {"\xff\xfe", 2}, {"\xe6\xbc", 2},     {"\x1b[31m", 5},
		    {"\xc2\x85", 2}, {"\xc0\x80", 2}, {"\xed\xa0\x80", 3}, {"\xf0\x9f\x98\x80", 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tally_width_of(rows[i].text), rows[i].width);
	assert_int_equal(tally_width_head("abc", 3, 2), 2);
	assert_int_equal(tally_width_head("a" WIDE "b", 5, 2), 1);
	assert_int_equal(tally_width_head("a" WIDE "b", 5, 3), 4);
	assert_int_equal(tally_width_head("e" ACUTE "x", 4, 1), 3);
	assert_int_equal(tally_width_tail("abc", 3, 2), 2);
	assert_int_equal(tally_width_tail("abc", 3, 3), 3);
	assert_int_equal(tally_width_tail("abc", 3, 0), 0);
	assert_int_equal(tally_width_tail("a" WIDE "b", 5, 2), 1);
	assert_int_equal(tally_width_tail("a" WIDE "b", 5, 3), 4);
	assert_int_equal(tally_width_tail("ae" ACUTE "x", 5, 2), 4);
	assert_int_equal(tally_width_tail("ae" ACUTE "x", 5, 1), 1);
	assert_int_equal(tally_width_tail(ACUTE "x", 3, 1), 3);
}

static void check_text(const struct tally_canvas *canvas, int row, const char *wanted)
{
	struct tally_str text = {0};

	tally_canvas_text(canvas, row, &text);
	assert_string_equal(tally_str_text(&text), wanted);
	tally_str_free(&text);
}

static void test_text_is_cut_with_an_ellipsis(void **state)
{
	struct tally_canvas canvas = {0};

	assert_int_equal(tally_canvas_reset(&canvas, 8, 6), 0);
	assert_int_equal(tally_canvas_draw(&canvas, 0, 1, 10, "abcde", TALLY_INK_HOT), 6);
	assert_int_equal(tally_canvas_draw(&canvas, 1, 1, 10, "abcdef", TALLY_INK_HOT), 6);
	assert_int_equal(tally_canvas_draw(&canvas, 2, 0, 3, "abcdef", TALLY_INK_HOT), 3);
	tally_canvas_draw(&canvas, 3, 0, 4, "a" WIDE WIDE, TALLY_INK_HOT);
	tally_canvas_draw(&canvas, 4, 0, 6, "e" ACUTE "x" WIDE, TALLY_INK_HOT);
	canvas.is_ascii = true;
	tally_canvas_draw(&canvas, 5, 0, 4, "abcdef", TALLY_INK_HOT);
	tally_canvas_draw(&canvas, 6, 0, 6, "e" ACUTE WIDE "x", TALLY_INK_HOT);
	check_text(&canvas, 0, " abcde");
	check_text(&canvas, 1, " abcd" ELLIPSIS);
	check_text(&canvas, 2, "ab" ELLIPSIS);
	check_text(&canvas, 3, "a" WIDE ELLIPSIS);
	check_text(&canvas, 4, "e" ACUTE "x" WIDE);
	check_text(&canvas, 5, "ab..");
	check_text(&canvas, 6, "e?x");
	assert_int_equal(tally_canvas_at(&canvas, 0, 1)->ink, TALLY_INK_HOT);
	assert_int_equal(tally_canvas_at(&canvas, 0, 0)->ink, TALLY_INK_PLAIN);
	tally_canvas_free(&canvas);
}

/* Draw arbitrary bytes at arbitrary positions. Glyphs must stay whole, and rows must keep their
 * width. */
static void test_any_bytes_anywhere(void **state)
{
	struct random random = random_start();
	struct tally_canvas canvas = {0};

	for (int i = 0; i < 3000; i++) {
		int rows = (int)random_below(&random, 5), columns = (int)random_below(&random, 30);
		char text[40];

		assert_int_equal(tally_canvas_reset(&canvas, rows, columns), 0);
		canvas.is_ascii = random_below(&random, 2);
		random_fill(&random, text, sizeof(text) - 1);
		text[random_below(&random, sizeof(text))] = '\0';
		text[sizeof(text) - 1] = '\0';
		tally_canvas_draw(&canvas, (int)random_below(&random, 8) - 2,
				  (int)random_below(&random, 40) - 5,
				  (int)random_below(&random, 40) - 5, text, TALLY_INK_WARM);
		tally_canvas_box(&canvas,
				 &(struct tally_box){text, text, (const char *const[]){text, "x"},
						     2, random_below(&random, 3)});
		tally_canvas_select(&canvas, (int)random_below(&random, 8) - 2);
		for (int row = 0; row < rows; row++) {
			struct tally_str line = {0};

			tally_canvas_text(&canvas, row, &line);
			assert_true(tally_width_of(tally_str_text(&line)) <= (size_t)columns);
			tally_str_free(&line);
		}
	}
	tally_canvas_free(&canvas);
}

static void test_boxes(void **state)
{
	static const char *const lines[] = {"one", "three"};
	struct tally_canvas canvas = {.is_ascii = true};

	assert_int_equal(tally_canvas_reset(&canvas, 6, 13), 0);
	tally_canvas_draw(&canvas, 2, 0, 13, "xxxxxxxxxxxxx", TALLY_INK_PLAIN);
	tally_canvas_box(&canvas, &(struct tally_box){"Keys", "more", lines, 2, 0});
	check_text(&canvas, 0, "");
	check_text(&canvas, 1, "  +-Keys--+");
	check_text(&canvas, 2, "xx| one   |xx");
	check_text(&canvas, 3, "  | three |");
	check_text(&canvas, 4, "  +-more--+");
	assert_int_equal(tally_canvas_reset(&canvas, 6, 13), 0);
	tally_canvas_box(&canvas, &(struct tally_box){"Keys", "", lines, 2, 1});
	check_text(&canvas, 1, "  +-Keys--+");
	check_text(&canvas, 2, "  | three |");
	check_text(&canvas, 3, "  +-------+");
	tally_canvas_free(&canvas);
}

/* ---- screens --------------------------------------------------------------------- */

/* main calls hot (900), warm (90) and cold (6). A third of warm's samples are in deep, which warm
 * calls. nothing (4) has no caller. */
enum { MAIN = 0x10, HOT = 0x20, WARM = 0x30, DEEP = 0x40, COLD = 0x50, NOTHING = 0x60 };
enum { ROWS = 12, COLUMNS = 60 };

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_profile profile;
	struct tally_hist hist;
	struct tally_view view;
	struct tally_screen screen;
	struct tally_canvas canvas;
};

/* Callers found with frame pointers, which are validated. */
static const struct perf_event_attr walked = {.sample_type = PERF_SAMPLE_CALLCHAIN};

static void add_sample(struct fixture *f, uint64_t leaf, uint64_t caller, uint64_t outer,
		       uint64_t weight)
{
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, leaf, caller, outer};
	struct tally_sample sample = {
		.ip = leaf,
		.callchain = {(const uint8_t *)chain, 2 + (caller != 0) + (outer != 0)},
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
	struct tally_profile_options options = {.by = TALLY_BY_FRAME | TALLY_BY_PATH,
						.is_live = true};
	struct tally_hist_options hist = {
		.keys = TALLY_KEY_DSO | TALLY_KEY_SYMBOL,
		.graphs = true,
		.order = TALLY_GRAPH_CALLEE,
	};
	const char *names[] = {"overhead", "dso", "symbol"};

	memset(&f, 0, sizeof(f));
	assert_int_equal(tally_symbols_new(NULL, &f.symbols), 0);
	assert_int_equal(tally_machine_new(f.symbols, &f.machine), 0);
	assert_int_equal(tally_profile_init(&f.profile, f.machine, &options), 0);
	add_sample(&f, HOT, MAIN, 0, 900);
	add_sample(&f, WARM, MAIN, 0, 60);
	add_sample(&f, WARM, DEEP, MAIN, 30);
	add_sample(&f, COLD, MAIN, 0, 6);
	add_sample(&f, NOTHING, 0, 0, 4);
	assert_int_equal(tally_hist_build(&f.profile, 0, &hist, &f.hist), 0);
	f.view = (struct tally_view){
		.profile = &f.profile, .hist = &f.hist, .total = 1000, .style = TALLY_STYLE_GRAPH};
	for (size_t i = 0; i < 3; i++)
		f.view.columns[f.view.nr_columns++] =
			tally_view_column_find(names[i], strlen(names[i]));
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_canvas_free(&f->canvas);
	tally_screen_free(&f->screen);
	tally_hist_free(&f->hist);
	tally_profile_free(&f->profile);
	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	return 0;
}

static void draw(struct fixture *f, int rows, int columns)
{
	const struct tally_panel texts = {
		.title = "title", .note = "note", .bar = "h Help|Enter Chains|q Quit"};

	assert_int_equal(tally_screen_lay_out(&f->screen, &f->view), 0);
	assert_int_equal(tally_canvas_reset(&f->canvas, rows, columns), 0);
	tally_screen_draw(&f->screen, &f->view, &texts, &f->canvas);
}

static void check(const struct fixture *f, const char *const *wanted)
{
	for (int row = 0; row < f->canvas.rows; row++)
		check_text(&f->canvas, row, wanted[row]);
}

static void test_a_whole_screen(void **state)
{
	static const char *const wanted[ROWS] = {
		"title",
		"  Overhead  Shared Object  Symbol",
		"+   90.00%  [unknown]      [.] 0x0000000000000020",
		"+    9.00%  [unknown]      [.] 0x0000000000000030",
		"+    0.60%  [unknown]      [.] 0x0000000000000050",
		"+    0.40%  [unknown]      [.] 0x0000000000000060",
		"",
		"",
		"",
		"",
		"note                                                     1/4",
		" h Help  Enter Chains  q Quit",
	};
	struct fixture *f = *state;

	draw(f, ROWS, COLUMNS);
	check(f, wanted);
	assert_int_equal(tally_canvas_at(&f->canvas, 2, 5)->ink, TALLY_INK_HOT);
	assert_int_equal(tally_canvas_at(&f->canvas, 4, 6)->ink, TALLY_INK_WARM);
	assert_int_equal(tally_canvas_at(&f->canvas, 5, 6)->ink, TALLY_INK_PLAIN);
	assert_int_equal(tally_canvas_at(&f->canvas, 11, 1)->ink, TALLY_INK_KEY);
	assert_int_equal(tally_canvas_at(&f->canvas, 11, 4)->ink, TALLY_INK_BAR);
	for (int column = 0; column < COLUMNS; column++) {
		assert_true(tally_canvas_at(&f->canvas, 2, column)->is_selected);
		assert_false(tally_canvas_at(&f->canvas, 3, column)->is_selected);
	}
}

static const char *const chains_one_level[ROWS] = {
	"title",
	"  Overhead  Shared Object  Symbol",
	"+   90.00%  [unknown]      [.] 0x0000000000000020",
	"-    9.00%  [unknown]      [.] 0x0000000000000030",
	"      +   9.00% 0x0000000000000030",
	"+    0.60%  [unknown]      [.] 0x0000000000000050",
	"+    0.40%  [unknown]      [.] 0x0000000000000060",
	"",
	"",
	"",
	"note                                                     2/5",
	" h Help  Enter Chains  q Quit",
};

static const char *const chains_all_levels[ROWS] = {
	"title",
	"  Overhead  Shared Object  Symbol",
	"+   90.00%  [unknown]      [.] 0x0000000000000020",
	"-    9.00%  [unknown]      [.] 0x0000000000000030",
	"      -   9.00% 0x0000000000000030",
	"             6.00% 0x0000000000000010",
	"             3.00% 0x0000000000000040",
	"                   0x0000000000000010",
	"+    0.60%  [unknown]      [.] 0x0000000000000050",
	"+    0.40%  [unknown]      [.] 0x0000000000000060",
	"note                                                     2/8",
	" h Help  Enter Chains  q Quit",
};

static void test_callchains_below_their_rows(void **state)
{
	struct fixture *f = *state;

	f->screen.cursor = 1;
	draw(f, ROWS, COLUMNS);
	assert_int_equal(tally_screen_toggle(&f->screen, &f->view, false), 0);
	draw(f, ROWS, COLUMNS);
	check(f, chains_one_level);
	assert_int_equal(tally_screen_toggle(&f->screen, &f->view, true), 0);
	assert_int_equal(tally_screen_toggle(&f->screen, &f->view, true), 0);
	draw(f, ROWS, COLUMNS);
	assert_int_equal(f->screen.lines.len, 4);
	assert_int_equal(tally_screen_toggle(&f->screen, &f->view, true), 0);
	draw(f, ROWS, COLUMNS);
	check(f, chains_all_levels);
	tally_screen_open_all(&f->screen, true);
	draw(f, ROWS, COLUMNS);
	assert_int_equal(f->screen.lines.len, 4 + 2 + 4 + 2 + 1);
	tally_screen_open_all(&f->screen, false);
	draw(f, ROWS, COLUMNS);
	assert_int_equal(f->screen.lines.len, 4);
}

/* An expanded row stays expanded when other rows appear and its number changes. */
static void open_rows_stay_open(void **state)
{
	struct tally_hist_options hist = {.keys = TALLY_KEY_DSO | TALLY_KEY_SYMBOL,
					  .graphs = true,
					  .order = TALLY_GRAPH_CALLEE};
	struct fixture *f = *state;

	f->screen.cursor = 3;
	draw(f, ROWS, COLUMNS);
	assert_int_equal(tally_screen_toggle(&f->screen, &f->view, false), 0);
	tally_hist_free(&f->hist);
	add_sample(f, NOTHING, 0, 0, 10000);
	assert_int_equal(tally_profile_collect(&f->profile, 1 << 20), 0);
	assert_int_equal(tally_hist_build(&f->profile, 0, &hist, &f->hist), 0);
	draw(f, ROWS, COLUMNS);
	assert_int_equal(f->screen.lines.len, 5);
	assert_true(f->screen.lines.data[0].is_open);
	assert_int_equal(f->screen.lines.data[1].node,
			 f->hist.graph.data[f->hist.rows.data[0].graph].first_child);
}

static void test_small_screens(void **state)
{
	struct fixture *f = *state;

	f->screen.cursor = 3;
	draw(f, 5, 30);
	check_text(&f->canvas, 1, "  Overhead  Symbol");
	check_text(&f->canvas, 2, "+    0.40%  [.] 0x00000" ELLIPSIS "000060");
	draw(f, 5, 44);
	check_text(&f->canvas, 1, "  Overhead  Shared Obje" ELLIPSIS "  Symbol");
	f->view.asked = (const int[TALLY_VIEW_MAX_COLUMNS]){0, 6, 0};
	draw(f, 5, 30);
	check_text(&f->canvas, 1, "  Overhead  Share" ELLIPSIS "  Symbol");
	check_text(&f->canvas, 2, "+    0.40%  [un" ELLIPSIS "n]  [.] 0x0" ELLIPSIS "60");
}

static void test_any_size(void **state)
{
	struct fixture *f = *state;

	tally_screen_open_all(&f->screen, true);
	for (int rows = 0; rows < 16; rows++) {
		for (int columns = 0; columns < 70; columns += columns < 12 ? 1 : 9) {
			for (size_t cursor = 0; cursor < 14; cursor++) {
				f->screen.cursor = cursor;
				draw(f, rows, columns);
			}
		}
	}
}

/* Check that the cursor is always visible, and that the screen scrolls no further than
 * necessary. */
static void keeps_the_cursor_visible(void **state)
{
	struct fixture *f = *state;

	for (size_t cursor = 0; cursor < 4; cursor++) {
		f->screen.cursor = cursor;
		draw(f, 6, COLUMNS); /* two rows are visible */
		assert_int_equal(f->screen.first, cursor ? cursor - 1 : 0);
	}
	f->screen.cursor = 2;
	draw(f, 6, COLUMNS);
	assert_int_equal(f->screen.first, 2);
	f->screen.cursor = 99;
	draw(f, 6, COLUMNS);
	assert_int_equal(f->screen.cursor, 3);
	/* There must be no empty line at the end while lines above are hidden. */
	draw(f, ROWS, COLUMNS);
	assert_int_equal(f->screen.first, 0);
}

/* ---- call graphs built on demand -------------------------------------------------------- */

enum { MANY = 400 };

struct growing {
	struct fixture *f;
	unsigned grown[MANY]; /* number of calls to grow() for each row */
	unsigned nr;
};

static int grow(void *arg, uint32_t number)
{
	struct growing *growing = arg;
	struct tally_hist *hist = &growing->f->hist;
	struct tally_row *row = &hist->rows.data[number];
	uint32_t root = (uint32_t)hist->graph.len;

	growing->grown[number]++;
	growing->nr++;
	if (tally_vec_push(&hist->graph, (struct tally_graph_node){.frame = row->frame,
								   .period = row->total,
								   .first_child = root + 1}) ||
	    tally_vec_push(&hist->graph,
			   (struct tally_graph_node){.frame = row->frame, .period = row->total}))
		return -1;
	row->graph = root;
	return 0;
}

/* Return true for all rows except the heaviest one, which has no graph. */
static bool may_grow(void *arg, uint32_t number)
{
	(void)arg;
	return number > 0;
}

static void grow_many(struct fixture *f, struct growing *growing)
{
	struct tally_hist_options hist = {.keys = TALLY_KEY_DSO | TALLY_KEY_SYMBOL};

	for (uint64_t i = 0; i + 4 < MANY; i++)
		add_sample(f, 0x1000 + i, 0, 0, 2000 - i);
	tally_hist_free(&f->hist);
	assert_int_equal(tally_hist_build(&f->profile, 0, &hist, &f->hist), 0);
	assert_int_equal(f->hist.rows.len, MANY);
	/* Node 0 is unused. */
	if (!f->hist.graph.len)
		assert_int_equal(tally_vec_push(&f->hist.graph, (struct tally_graph_node){0}), 0);
	*growing = (struct growing){.f = f};
	f->view.grow = grow;
	f->view.may_grow = may_grow;
	f->view.grow_arg = growing;
}

/* Check that graphs are built only for open rows, and only once. */
static void builds_a_graph_when_its_row_opens(void **state)
{
	struct fixture *f = *state;
	struct growing growing;

	grow_many(f, &growing);
	draw(f, ROWS, COLUMNS);
	assert_int_equal(growing.nr, 0);
	assert_false(f->screen.lines.data[0].has_more);
	assert_true(f->screen.lines.data[1].has_more);
	assert_int_equal(tally_screen_toggle(&f->screen, &f->view, false), 0);
	draw(f, ROWS, COLUMNS);
	assert_int_equal(growing.nr, 0);
	f->screen.cursor = 2;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tally_screen_toggle(&f->screen, &f->view, i == 1), 0);
		draw(f, ROWS, COLUMNS);
		assert_int_equal(f->screen.lines.len, i == 1 ? MANY : MANY + 1);
	}
	assert_int_equal(growing.grown[2], 1);
	assert_int_equal(growing.nr, 1);
}

/* If all rows are open, graphs are built when they become visible. The selected line stays selected
 * while graphs appear above it. */
static void builds_graphs_of_visible_rows(void **state)
{
	struct fixture *f = *state;
	struct growing growing;
	uint64_t id;

	grow_many(f, &growing);
	draw(f, ROWS, COLUMNS);
	tally_screen_open_all(&f->screen, true);
	draw(f, ROWS, COLUMNS);
	assert_in_range(growing.nr, 4, 2 * ROWS);
	f->screen.cursor = f->screen.lines.len - 1;
	id = f->screen.lines.data[f->screen.cursor].id;
	for (int i = 0; i < 3; i++)
		draw(f, ROWS, COLUMNS);
	assert_true(f->screen.lines.data[f->screen.cursor].id == id);
	assert_true(growing.grown[MANY - 1]);
	assert_in_range(growing.nr, 8, 8 * ROWS);
	for (int i = 0; i < MANY; i++)
		assert_true(growing.grown[i] <= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_text_is_cut_with_an_ellipsis),
		cmocka_unit_test(test_any_bytes_anywhere),
		cmocka_unit_test(test_boxes),
		cmocka_unit_test_setup_teardown(test_a_whole_screen, setup, teardown),
		cmocka_unit_test_setup_teardown(test_callchains_below_their_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(open_rows_stay_open, setup, teardown),
		cmocka_unit_test_setup_teardown(test_small_screens, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_size, setup, teardown),
		cmocka_unit_test_setup_teardown(keeps_the_cursor_visible, setup, teardown),
		cmocka_unit_test_setup_teardown(builds_a_graph_when_its_row_opens, setup, teardown),
		cmocka_unit_test_setup_teardown(builds_graphs_of_visible_rows, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
