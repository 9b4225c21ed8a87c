/* SPDX-License-Identifier: BSD-2-Clause */
/* Draw flame graphs of random trees, timeline tracks, and the panel around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "view/flame.h"
#include "view/panel.h"
#include "view/tracks.h"
#include "view/width.h"

#include <cmocka.h>

enum { TREES = 300, NODES_MAX = 200, COLUMNS_MAX = 240, ROWS = 12 };

static void check_text(const struct tally_canvas *canvas, int row, const char *wanted)
{
	struct tally_str text = {0};

	tally_canvas_text(canvas, row, &text);
	assert_string_equal(tally_str_text(&text), wanted);
	tally_str_free(&text);
}

/* ---- flame graphs ------------------------------------------------------------------------- */

/* Add children. The children's weights are parts of the node's weight; the remaining weight is the
 * node's own. */
static void add_children(struct random *random, struct tally_calltree *tree, uint32_t node)
{
	uint64_t left = tree->nodes.data[node].period;
	uint32_t before = 0;

	for (uint64_t nr = random_below(random, 6); nr && left > 1 && tree->nodes.len < NODES_MAX;
	     nr--) {
		uint64_t period = 1 + random_below(random, left);
		uint32_t number = (uint32_t)tree->nodes.len;

		assert_int_equal(
			tally_vec_push(&tree->nodes, (struct tally_graph_node){.period = period}),
			0);
		*(before ? &tree->nodes.data[before].next_sibling
			 : &tree->nodes.data[node].first_child) = number;
		before = number;
		left -= period;
	}
}

static struct tally_calltree random_tree(struct random *random)
{
	struct tally_calltree tree = {0};
	struct tally_graph_node root = {.frame = TALLY_FRAME_NONE};

	root.period = random_u64(random) >> random_below(random, 64);
	assert_int_equal(tally_vec_push(&tree.nodes, root), 0);
	for (uint32_t i = 0; i < tree.nodes.len; i++)
		add_children(random, &tree, i);
	return tree;
}

static bool is_child(const struct tally_calltree *tree, uint32_t node, uint32_t of)
{
	uint32_t at = tree->nodes.data[of].first_child;

	while (at && at != node)
		at = tree->nodes.data[at].next_sibling;
	return at == node;
}

/* Check that a cell's width matches its share, and that the cell is within its parent's cell and
 * after the previous cell on its level. */
static void check_cell(const struct tally_calltree *tree, const struct tally_flame *flame,
		       uint32_t number, int columns)
{
	const struct tally_flame_cell *cell = &flame->cells.data[number], *before = cell - 1;
	const struct tally_flame_cell *up = &flame->cells.data[cell->up];
	uint64_t whole = tree->nodes.data[0].period, period = tree->nodes.data[cell->node].period;
	uint64_t share = (uint64_t)((unsigned __int128)period * (uint64_t)columns / whole);

	assert_true(is_child(tree, cell->node, up->node));
	assert_int_equal(cell->level, up->level + 1);
	assert_in_range(cell->columns, share ? share : 1, share + 1);
	assert_true(cell->column >= up->column);
	assert_true(cell->column + cell->columns <= up->column + up->columns);
	assert_true(before->level <= cell->level);
	if (before->level == cell->level)
		assert_true(before->column + before->columns <= cell->column);
}

/* Check that the cell found at each position covers that position, and that no cell is found
 * elsewhere. */
static void check_positions(const struct tally_flame *flame, int columns)
{
	for (uint32_t level = 0; level <= flame->levels; level++) {
		for (int column = -1; column <= columns; column++) {
			uint32_t at = tally_flame_at(flame, level, column), found = UINT32_MAX;

			for (uint32_t i = 0; i < flame->cells.len; i++) {
				const struct tally_flame_cell *cell = &flame->cells.data[i];

				if (cell->level == level && column >= cell->column &&
				    column < cell->column + cell->columns)
					found = i;
			}
			assert_int_equal(at, found);
		}
	}
}

/* Check that a node that is at least one column wide has a cell if its parent has one. */
static void check_all_are_there(const struct tally_calltree *tree, const struct tally_flame *flame,
				int columns)
{
	uint64_t whole = tree->nodes.data[0].period;

	tally_vec_for_each (cell, &flame->cells) {
		uint32_t at = tree->nodes.data[cell->node].first_child;

		for (; at; at = tree->nodes.data[at].next_sibling) {
			bool has_cell = false;

			tally_vec_for_each (other, &flame->cells)
				has_cell |= other->node == at;
			if ((unsigned __int128)tree->nodes.data[at].period * (uint64_t)columns >=
			    whole)
				assert_true(has_cell);
		}
	}
}

static void test_cells_of_random_trees(void **state)
{
	struct random random = random_start();

	for (int i = 0; i < TREES; i++) {
		int columns = (int)random_below(&random, COLUMNS_MAX);
		struct tally_calltree tree = random_tree(&random);
		struct tally_flame flame;

		assert_int_equal(tally_flame_lay_out(&tree, columns, &flame), 0);
		assert_int_equal(flame.cells.data[0].columns, columns);
		assert_int_equal(flame.cells.data[flame.cells.len - 1].level + 1, flame.levels);
		for (uint32_t at = 1; at < flame.cells.len; at++)
			check_cell(&tree, &flame, at, columns);
		check_all_are_there(&tree, &flame, columns);
		if (i % 10 == 0)
			check_positions(&flame, columns);
		tally_flame_free(&flame);
		tally_calltree_free(&tree);
	}
}

/* Return a tree in which all (8) calls two unnamed functions (4 and 2). The first of them calls
 * another unnamed function (4). */
static struct tally_calltree small_tree(void)
{
	static const struct tally_graph_node nodes[] = {
		{.frame = TALLY_FRAME_NONE, .period = 8, .first_child = 1},
		{.period = 4, .first_child = 3, .next_sibling = 2},
		{.period = 2},
		{.period = 4}};
	struct tally_calltree tree = {0};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		assert_int_equal(tally_vec_push(&tree.nodes, nodes[i]), 0);
	return tree;
}

static void draws_flame_graphs(void **state)
{
	static const uint8_t matches[] = {1};
	struct tally_profile profile = {0};
	struct tally_calltree tree = small_tree();
	struct tally_canvas canvas = {.is_ascii = true};
	struct tally_flame_look look = {.profile = &profile, .root = "all", .selected = 2};
	struct tally_area area = {1, 0, 3, 24};
	struct tally_flame flame;

	assert_int_equal(tally_vec_push(&profile.frames.all, (struct tally_frame){0}), 0);
	assert_int_equal(tally_flame_lay_out(&tree, 24, &flame), 0);
	assert_int_equal(tally_canvas_reset(&canvas, 5, 24), 0);
	tally_flame_draw(&flame, &tree, &look, &area, &canvas);
	check_text(&canvas, 0, "");
	check_text(&canvas, 1, "|all");
	check_text(&canvas, 2, "|[unknown]  |[..]");
	check_text(&canvas, 3, "|[unknown]");
	assert_true(tally_canvas_at(&canvas, 2, 12)->is_selected);
	assert_false(tally_canvas_at(&canvas, 2, 11)->is_selected);
	assert_false(tally_canvas_at(&canvas, 2, 18)->is_selected);

	/* Draw the graph upside down from its second level, with matches. */
	assert_int_equal(tally_canvas_reset(&canvas, 5, 24), 0);
	look.upwards = true;
	look.first_level = 1;
	look.matches = matches;
	tally_flame_draw(&flame, &tree, &look, &area, &canvas);
	check_text(&canvas, 3, "|[unknown]  |[..]");
	check_text(&canvas, 2, "|[unknown]");
	check_text(&canvas, 1, "");
	assert_int_equal(tally_canvas_at(&canvas, 2, 3)->ink, TALLY_INK_MATCH);
	tally_canvas_free(&canvas);
	tally_flame_free(&flame);
	tally_calltree_free(&tree);
	tally_vec_free(&profile.frames.all);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

static void draws_tracks(void **state)
{
	static const uint64_t bins[] = {0, 1, 500, 999, 1000, UINT64_MAX};
	struct tally_canvas canvas = {0};

	assert_int_equal(tally_canvas_reset(&canvas, 3, 8), 0);
	tally_tracks_draw(bins, 6, 1000, 0, 1, &canvas);
	check_text(&canvas, 0, "  \xe2\x96\x81\xe2\x96\x84\xe2\x96\x87\xe2\x96\x88\xe2\x96\x88");
	assert_int_equal(tally_canvas_at(&canvas, 0, 5)->ink, TALLY_INK_HOT);
	assert_int_equal(tally_canvas_at(&canvas, 0, 3)->ink, TALLY_INK_WARM);
	assert_int_equal(tally_canvas_at(&canvas, 0, 2)->ink, TALLY_INK_PLAIN);
	canvas.is_ascii = true;
	tally_tracks_draw(bins, 6, 1000, 1, 0, &canvas);
	check_text(&canvas, 1, " .=#@@");
	tally_tracks_draw(bins, 1, 0, 2, 0, &canvas);
	check_text(&canvas, 2, "");
	tally_canvas_free(&canvas);
}

static void draws_bars(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *text;
	} rows[] = {{0, 8, ""},     {8, 8, "####"}, {4, 8, "##"}, {5, 8, "###"},
		    {19, 64, "#-"}, {9, 8, "####"}, {1, 0, ""},   {UINT64_MAX, UINT64_MAX, "####"}};
	struct tally_canvas canvas = {.is_ascii = true};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(tally_canvas_reset(&canvas, 1, 8), 0);
		tally_bar_draw(rows[i].part, rows[i].whole, 0, 0, 4, &canvas);
		check_text(&canvas, 0, rows[i].text);
	}
	tally_canvas_free(&canvas);
}

static void draws_changes_left_and_right(void **state)
{
	static const struct {
		uint64_t part, whole;
		bool is_growth;
		const char *text;
	} rows[] = {{0, 8, true, "   |"},  {8, 8, true, "   |###"},
		    {8, 8, false, "###|"}, {4, 8, true, "   |#-"},
		    {4, 8, false, " -#|"}, {9, 8, false, "###|"},
		    {1, 0, true, "   |"},  {UINT64_MAX, UINT64_MAX, true, "   |###"}};
	struct tally_canvas canvas = {.is_ascii = true};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(tally_canvas_reset(&canvas, 1, 8), 0);
		tally_change_draw(rows[i].part, rows[i].whole, rows[i].is_growth, 0, 0, 7, &canvas);
		check_text(&canvas, 0, rows[i].text);
	}
	tally_canvas_free(&canvas);
}

/* ---- panel ----------------------------------------------------------------------------------- */

static void panel_reserves_rows(void **state)
{
	static const struct tally_panel_rows rooms[] = {{0, 0}, {1, 1}, {1, 2}, {1, 3},
							{1, 2}, {1, 3}, {1, 4}};

	for (int rows = 0; rows < (int)(sizeof(rooms) / sizeof(rooms[0])); rows++) {
		struct tally_panel_rows room = tally_panel_rows(rows);

		assert_int_equal(room.top, rooms[rows].top);
		assert_int_equal(room.bottom, rooms[rows].bottom);
	}
}

/* Keys are shown as whole words or not at all, and the last key has precedence. If the panel shows
 * a position, the note is shortened to make space. */
static void test_panel_of_any_width(void **state)
{
	static const struct tally_panel panel = {.title = "a title that is long",
						 .note = "something is said",
						 .where = "1/2",
						 .bar = "h Help|Enter Zoom|q Quit"};
	static const char *const bars[] = {"", " q Quit", " h Help  q Quit",
					   " h Help  Enter Zoom  q Quit"};
	struct tally_canvas canvas = {.is_ascii = true};

	for (int columns = 0; columns < 40; columns++) {
		int nr = (columns >= 7) + (columns >= 15) + (columns >= 27);

		assert_int_equal(tally_canvas_reset(&canvas, 6, columns), 0);
		tally_panel_draw(&panel, &canvas);
		check_text(&canvas, 5, bars[nr]);
		check_text(&canvas, 1, "");
	}
	check_text(&canvas, 0, "a title that is long");
	check_text(&canvas, 4, "something is said                   1/2");
	assert_int_equal(tally_canvas_at(&canvas, 5, 9)->ink, TALLY_INK_KEY);
	assert_int_equal(tally_canvas_at(&canvas, 5, 15)->ink, TALLY_INK_BAR);
	assert_int_equal(tally_canvas_reset(&canvas, 6, 16), 0);
	tally_panel_draw(&panel, &canvas);
	check_text(&canvas, 0, "a title that i..");
	check_text(&canvas, 4, "something..  1/2");
	assert_int_equal(tally_canvas_reset(&canvas, 3, 16), 0);
	tally_panel_draw(&panel, &canvas);
	check_text(&canvas, 2, "");
	tally_canvas_free(&canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells_of_random_trees),
		cmocka_unit_test(draws_flame_graphs),
		cmocka_unit_test(draws_tracks),
		cmocka_unit_test(draws_bars),
		cmocka_unit_test(draws_changes_left_and_right),
		cmocka_unit_test(panel_reserves_rows),
		cmocka_unit_test(test_panel_of_any_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
