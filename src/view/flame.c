/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/flame.h"

#include "base/arith.h"
#include "base/escape.h"
#include "profile/frame_kind.h"
#include "profile/frame_text.h"
#include "view/shorten.h"

enum { FILE_LEAST = 8 }; /* shorter file names do not help */

/* ---- cells ---------------------------------------------------------------------- */

static int column_of(uint64_t part, uint64_t whole, int columns)
{
	return whole ? (int)((unsigned __int128)part * (uint64_t)columns / whole) : 0;
}

/* Add the child cells of cell `up`. */
static int add_children(const struct tally_calltree *tree, int columns, struct tally_flame *flame,
			uint32_t up)
{
	struct tally_flame_cell below = flame->cells.data[up];
	uint64_t whole = tree->nodes.data[0].period, from = below.from;
	int ret = 0;

	for (uint32_t i = tree->nodes.data[below.node].first_child; i && !ret;) {
		const struct tally_graph_node *node = &tree->nodes.data[i];
		struct tally_flame_cell cell = {
			.node = i, .level = below.level + 1, .up = up, .from = from};

		cell.column = column_of(from, whole, columns);
		from += node->period;
		cell.columns = column_of(from, whole, columns) - cell.column;
		if (cell.columns > 0)
			ret = tally_vec_push(&flame->cells, cell);
		i = node->next_sibling;
	}
	return ret;
}

int tally_flame_lay_out(const struct tally_calltree *tree, int columns,
			struct tally_flame *ret_flame)
{
	struct tally_flame flame = {0};
	int ret = tally_vec_push(&flame.cells,
				 (struct tally_flame_cell){.columns = TALLY_MAX(columns, 0)});

	for (uint32_t i = 0; i < flame.cells.len && !ret; i++)
		ret = add_children(tree, columns, &flame, i);
	if (flame.cells.len)
		flame.levels = flame.cells.data[flame.cells.len - 1].level + 1;
	if (ret)
		tally_flame_free(&flame);
	else
		*ret_flame = flame;
	return ret;
}

void tally_flame_free(struct tally_flame *flame)
{
	tally_vec_free(&flame->cells);
	*flame = (struct tally_flame){0};
}

uint32_t tally_flame_at(const struct tally_flame *flame, uint32_t level, int column)
{
	for (uint32_t i = 0; i < flame->cells.len; i++) {
		const struct tally_flame_cell *cell = &flame->cells.data[i];

		if (cell->level == level && column >= cell->column &&
		    column < cell->column + cell->columns)
			return i;
	}
	return UINT32_MAX;
}

/* ---- appearance of functions ------------------------------------------------------ */

void tally_flame_name(const struct tally_profile *profile, uint32_t number, size_t columns,
		      const char *mark, struct tally_str *out)
{
	size_t start = out->len;

	tally_frame_add_label(profile, number, out);
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_NAME, columns, mark);
}

void tally_flame_add_file(const struct tally_profile *profile, uint32_t number, size_t columns,
			  const char *mark, struct tally_str *out)
{
	const struct tally_frame *frame = &profile->frames.all.data[number];
	size_t start = out->len;

	if (columns < FILE_LEAST || !frame->symbol ||
	    !tally_symbol_is_bound(frame->dso, frame->symbol))
		return;
	tally_str_add(out, " in ");
	tally_frame_add_file(frame, true, out);
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_TEXT, columns, mark);
}

/* First of each kind's two shades. */
static const enum tally_ink kind_inks[TALLY_NR_KINDS] = {
	[TALLY_KIND_USER] = TALLY_INK_USER,       [TALLY_KIND_LIBRARY] = TALLY_INK_LIBRARY,
	[TALLY_KIND_KERNEL] = TALLY_INK_KERNEL,   [TALLY_KIND_JIT] = TALLY_INK_JIT,
	[TALLY_KIND_INLINED] = TALLY_INK_INLINED, [TALLY_KIND_UNKNOWN] = TALLY_INK_UNKNOWN,
};

enum tally_ink tally_flame_ink(const struct tally_profile *profile, uint32_t number)
{
	const struct tally_frame *frame = &profile->frames.all.data[number];

	return kind_inks[tally_frame_kind(frame)] + (enum tally_ink)tally_frame_shade(frame);
}

/* ---- drawing ------------------------------------------------------------------------ */

const char *tally_flame_edge(const struct tally_canvas *canvas)
{
	return canvas->is_ascii ? "|" : "\xe2\x96\x8f";
}

static void draw_cell(const struct tally_flame *flame, const struct tally_calltree *tree,
		      const struct tally_flame_look *look, const struct tally_area *area,
		      uint32_t number, struct tally_canvas *canvas)
{
	const struct tally_flame_cell *cell = &flame->cells.data[number];
	uint32_t frame = tree->nodes.data[cell->node].frame;
	int down = (int)(cell->level - look->first_level);
	int row = look->upwards ? area->row + area->rows - 1 - down : area->row + down;
	int column = area->column + cell->column;
	bool is_root = frame == TALLY_FRAME_NONE;
	enum tally_ink ink = is_root ? TALLY_INK_UNKNOWN : tally_flame_ink(look->profile, frame);
	struct tally_str text = {0};

	if (look->matches && !is_root && look->matches[frame])
		ink = TALLY_INK_MATCH;
	if (is_root)
		tally_str_add(&text, look->root);
	else if (cell->columns > 1)
		tally_flame_name(look->profile, frame, (size_t)cell->columns - 1,
				 tally_canvas_mark(canvas), &text);
	tally_canvas_fill(canvas, row, column, cell->columns, ink);
	tally_canvas_draw(canvas, row, column, 1, tally_flame_edge(canvas), ink);
	tally_canvas_draw(canvas, row, column + 1, cell->columns - 1, tally_str_text(&text), ink);
	if (number == look->selected)
		tally_canvas_select_part(canvas, row, column, cell->columns);
	tally_str_free(&text);
}

void tally_flame_draw(const struct tally_flame *flame, const struct tally_calltree *tree,
		      const struct tally_flame_look *look, const struct tally_area *area,
		      struct tally_canvas *canvas)
{
	for (uint32_t i = 0; i < flame->cells.len; i++) {
		uint32_t level = flame->cells.data[i].level;

		if (level >= look->first_level &&
		    level - look->first_level < (uint32_t)TALLY_MAX(area->rows, 0))
			draw_cell(flame, tree, look, area, i, canvas);
	}
}
