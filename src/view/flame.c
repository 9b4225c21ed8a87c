/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/flame.h"

#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/path.h"
#include "view/shorten.h"

/* ---- cells ---------------------------------------------------------------------- */

static int column_of(uint64_t part, uint64_t whole, int columns)
{
	return whole ? (int)((unsigned __int128)part * (uint64_t)columns / whole) : 0;
}

/* The cells that stand on cell `up`. */
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

/* Of a name of 100 kB no more is looked at, for each cell and each key. */
enum { NAME_MAX_BYTES = 4096 };

/* ---- how functions look ----------------------------------------------------------- */

void tally_flame_name(const struct tally_profile *profile, uint32_t number, size_t columns,
		      const char *mark, struct tally_str *out)
{
	const struct tally_frame *frame = &profile->frames.all.data[number];
	const char *name = frame->dso ? tally_dso_name(frame->dso) : "[unknown]";
	size_t start = out->len;

	if (frame->symbol) {
		const char *symbol = tally_symbol_name(frame->dso, frame->symbol);

		tally_str_add_bytes(out, symbol, strnlen(symbol, NAME_MAX_BYTES));
		if (tally_symbol_is_inlined(frame->dso, frame->symbol))
			tally_str_add(out, " (inlined)");
	} else if (*name == '[') {
		tally_str_add(out, name);
	} else {
		tally_str_addf(out, "[%s]", tally_path_name(name));
	}
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_NAME, columns, mark);
}

static bool is_library(const char *name)
{
	const char *last = tally_path_name(name), *so = strstr(last, ".so");

	return so && (!so[3] || so[3] == '.');
}

/* The first of the two shades of its kind. */
static enum tally_ink frame_kind(const struct tally_frame *frame)
{
	enum tally_dso_kind kind = frame->dso ? tally_dso_kind(frame->dso) : TALLY_DSO_UNKNOWN;

	switch (kind) {
	case TALLY_DSO_KERNEL:
	case TALLY_DSO_MODULE: return TALLY_INK_KERNEL;
	case TALLY_DSO_PERF_MAP:
	case TALLY_DSO_JITDUMP: return TALLY_INK_JIT;
	case TALLY_DSO_UNKNOWN: return TALLY_INK_UNKNOWN;
	case TALLY_DSO_USER:
	case TALLY_DSO_VDSO: break;
	}
	if (frame->symbol && tally_symbol_is_inlined(frame->dso, frame->symbol))
		return TALLY_INK_INLINED;
	if (!frame->symbol)
		return TALLY_INK_UNKNOWN;
	return is_library(tally_dso_name(frame->dso)) ? TALLY_INK_LIBRARY : TALLY_INK_USER;
}

/* Which of the two shades is a matter of the name: the same function has the same one everywhere.
 */
enum tally_ink tally_flame_ink(const struct tally_profile *profile, uint32_t number)
{
	const struct tally_frame *frame = &profile->frames.all.data[number];
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	return frame_kind(frame) +
	       (enum tally_ink)(tally_hash_bytes(name, strlen(name), 0) >> 7 & 1);
}

/* ---- drawing ------------------------------------------------------------------------ */

/* A line at its left tells a cell from its neighbour, with colours or without. */
static const char *cell_edge(const struct tally_canvas *canvas)
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
	tally_canvas_put(canvas, row, column, 1, cell_edge(canvas), ink);
	tally_canvas_put(canvas, row, column + 1, cell->columns - 1, tally_str_text(&text), ink);
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
