/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the screen: rows, and the call graphs of open rows. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "view/screen.h"

enum { TURNED_MAX = 1 << 14 };

void tally_screen_free(struct tally_screen *screen)
{
	tally_map_free(&screen->turned);
	tally_vec_free(&screen->lines);
	*screen = (struct tally_screen){0};
}

/* Compute an ID from DSOs and symbols, which are stable, unlike frame numbers. */
static uint64_t frame_id(const struct tally_view *view, uint32_t number, uint64_t seed)
{
	const struct tally_frame *frame = &view->profile->frames.all.data[number];
	uint64_t what = frame->symbol ? (uintptr_t)frame->symbol : frame->addr;

	return tally_hash_u64(what, tally_hash_u64((uintptr_t)frame->dso, seed));
}

static uint64_t row_id(const struct tally_view *view, const struct tally_row *row)
{
	const struct tally_group *group = &view->hist->groups.data[row->group];
	const char *comm =
		tally_intern_text(tally_machine_comms(view->profile->machine), group->comm);
	uint64_t seed = tally_hash_bytes(comm, strlen(comm), group->cpu);

	seed = tally_hash_u64((uint32_t)group->pid, seed);
	return frame_id(view, row->frame, tally_hash_u64((uint32_t)group->tid, seed));
}

static bool is_open(const struct tally_screen *screen, uint64_t id)
{
	bool turned = tally_map_get(&screen->turned, id) != TALLY_MAP_NONE;

	return screen->all_open != turned;
}

static int set_open(struct tally_screen *screen, uint64_t id, bool open)
{
	if (open == screen->all_open) {
		tally_map_remove(&screen->turned, id);
		return 0;
	}
	/* The map also contains rows that no longer exist, so discard the map when it is full. */
	if (screen->turned.len >= TURNED_MAX)
		tally_map_free(&screen->turned);
	return tally_map_set(&screen->turned, id, 1);
}

/* Parameters for adding a node's children as lines. */
struct below {
	uint32_t node;
	uint64_t id, period;
	uint16_t depth;
};

static int add_below(struct tally_screen *screen, const struct tally_view *view, uint32_t row,
		     const struct below *at);

/* Add a node and, if it is open, everything below it. */
static int add_node(struct tally_screen *screen, const struct tally_view *view,
		    struct tally_screen_line line)
{
	const struct tally_graph_node *nodes = view->hist->graph.data;
	uint32_t next;
	int ret;

	/* An only child that accounts for all of its parent's samples is always shown, even if the
	 * parent is collapsed. */
	while ((next = tally_view_continuation(view, line.node))) {
		ret = tally_vec_push(&screen->lines, line);
		if (ret)
			return ret;
		line.node = next;
		line.id = frame_id(view, nodes[next].frame, line.id);
		line.is_run_on = true;
	}
	line.has_more = nodes[line.node].first_child != 0;
	line.is_open = line.has_more && is_open(screen, line.id);
	ret = tally_vec_push(&screen->lines, line);
	if (ret || !line.is_open)
		return ret;
	return add_below(screen, view, line.row,
			 &(struct below){line.node, line.id, nodes[line.node].period,
					 (uint16_t)(line.depth + 1)});
}

static int add_below(struct tally_screen *screen, const struct tally_view *view, uint32_t row,
		     const struct below *at)
{
	struct tally_view_branches branches;
	int ret = tally_view_branches(view, at->node, at->period, &branches);

	if (ret)
		return ret;
	for (size_t i = 0; i < branches.nr && !ret; i++) {
		uint32_t node = (uint32_t)(branches.items[i] - view->hist->graph.data);
		struct tally_screen_line line = {.row = row, .node = node, .depth = at->depth};

		line.id = frame_id(view, branches.items[i]->frame, at->id);
		ret = add_node(screen, view, line);
	}
	free(branches.items);
	return ret;
}

static bool row_has_more(const struct tally_view *view, uint32_t number)
{
	return view->hist->rows.data[number].graph ||
	       (view->grow && view->may_grow(view->grow_arg, number));
}

/* Return true if the next line is on or near the visible page, or if its row already has a graph.
 * This avoids creating thousands of graphs if all rows are open. */
static bool is_near(const struct tally_screen *screen, const struct tally_view *view,
		    uint32_t number)
{
	enum { FIRST_PAGE = 64 };
	size_t page = screen->page ? screen->page : FIRST_PAGE, at = screen->lines.len;
	size_t top = TALLY_MIN(screen->first, screen->cursor);

	if (view->hist->rows.data[number].graph)
		return true;
	/* If the cursor has moved off the page, the screen will scroll to it when drawn. */
	if (screen->cursor >= top + page)
		top = screen->cursor - page + 1;
	return at + page >= top && at <= top + 2 * page;
}

static int row_grow(const struct tally_view *view, uint32_t number)
{
	if (view->hist->rows.data[number].graph || !view->grow)
		return 0;
	return view->grow(view->grow_arg, number);
}

static int add_row(struct tally_screen *screen, const struct tally_view *view, uint32_t number)
{
	const struct tally_row *row = &view->hist->rows.data[number];
	struct tally_screen_line line = {.row = number, .has_more = row_has_more(view, number)};
	int ret = 0;

	line.id = row_id(view, row);
	line.is_open = line.has_more && is_open(screen, line.id) && is_near(screen, view, number);
	if (line.is_open)
		ret = row_grow(view, number);
	if (!ret)
		ret = tally_vec_push(&screen->lines, line);
	if (ret || !line.is_open)
		return ret;
	return add_below(screen, view, number, &(struct below){row->graph, line.id, row->total, 0});
}

/* Move the cursor back to the selected line, which has moved down if graphs have appeared above
 * it. */
static void follow(struct tally_screen *screen, uint64_t id)
{
	if (screen->cursor >= screen->lines.len || screen->lines.data[screen->cursor].id == id)
		return;
	for (size_t i = screen->cursor; i < screen->lines.len; i++) {
		if (screen->lines.data[i].id != id)
			continue;
		screen->first += i - screen->cursor;
		screen->cursor = i;
		return;
	}
}

int tally_screen_lay_out(struct tally_screen *screen, const struct tally_view *view)
{
	const struct tally_screen_line *selected = tally_screen_selected(screen);
	uint64_t id = selected ? selected->id : 0;
	int ret = 0;

	screen->lines.len = 0;
	for (uint32_t i = 0; i < view->hist->rows.len && !ret; i++)
		ret = add_row(screen, view, i);
	if (view->grow)
		follow(screen, id);
	if (screen->cursor >= screen->lines.len)
		screen->cursor = screen->lines.len ? screen->lines.len - 1 : 0;
	return ret;
}

const struct tally_screen_line *tally_screen_selected(const struct tally_screen *screen)
{
	return screen->cursor < screen->lines.len ? &screen->lines.data[screen->cursor] : NULL;
}

void tally_screen_open_all(struct tally_screen *screen, bool open)
{
	screen->all_open = open;
	tally_map_free(&screen->turned);
}

/* Open or close everything below a line. */
static int set_below(struct tally_screen *screen, const struct tally_view *view,
		     const struct below *at, bool open)
{
	struct tally_view_branches branches;
	int ret = set_open(screen, at->id, open);

	if (!ret)
		ret = tally_view_branches(view, at->node, at->period, &branches);
	if (ret)
		return ret;
	for (size_t i = 0; i < branches.nr && !ret; i++) {
		uint32_t node = (uint32_t)(branches.items[i] - view->hist->graph.data), next;
		struct below below = {.node = node, .period = branches.items[i]->period};

		below.id = frame_id(view, branches.items[i]->frame, at->id);
		while ((next = tally_view_continuation(view, below.node))) {
			below.id = frame_id(view, view->hist->graph.data[next].frame, below.id);
			below.node = next;
		}
		ret = set_below(screen, view, &below, open);
	}
	free(branches.items);
	return ret;
}

int tally_screen_toggle(struct tally_screen *screen, const struct tally_view *view, bool all)
{
	const struct tally_screen_line *line = tally_screen_selected(screen);
	const struct tally_row *row;
	struct below below;

	if (!line)
		return 0;
	/* If the line is part of a run, use the run's last line. */
	while (!line->has_more && line + 1 < screen->lines.data + screen->lines.len &&
	       line[1].is_run_on)
		line++;
	if (!line->has_more)
		return 0;
	if (!all)
		return set_open(screen, line->id, !line->is_open);
	if (!line->node && row_grow(view, line->row))
		return -ENOMEM;
	row = &view->hist->rows.data[line->row];
	below = (struct below){line->node, line->id, 0, 0};
	below.period = line->node ? view->hist->graph.data[line->node].period : row->total;
	below.node = line->node ? line->node : row->graph;
	return set_below(screen, view, &below, !line->is_open);
}
