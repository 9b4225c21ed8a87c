/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a flame graph: one box for each node of a call tree. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/escape.h"
#include "page/svg_private.h"
#include "page/xml.h"
#include "profile/graph/calltree.h"
#include "profile/frame_text.h"

/* Limits. Viewers fail to open documents with more boxes, deeper graphs or longer names. */
enum { MOST_BOXES = 20000, MOST_LEVELS = 512, MOST_COLUMNS = 400 };

/* Position of a node's box. `from` is in units of the period; the root's period spans the whole
 * width. */
struct svg_place {
	uint64_t from;
	uint32_t level;
};

struct graph {
	struct svg_writer *writer;
	const struct tally_svg_event *event;
	struct tally_calltree tree;
	struct svg_place *places; /* indexed by node */
	uint32_t nr_drawn;        /* number of nodes drawn; the remaining nodes are deeper */
	uint32_t levels;          /* number of levels drawn */
	uint64_t nr_deep;         /* number of nodes at the depth limit, with unknown callees */
};

/* ---- layout ------------------------------------------------------------------------- */

static void place_children(struct graph *graph, uint32_t node)
{
	const struct tally_graph_node *nodes = graph->tree.nodes.data;
	struct svg_place below = {graph->places[node].from, graph->places[node].level + 1};

	for (uint32_t i = nodes[node].first_child; i; i = nodes[i].next_sibling) {
		graph->places[i] = below;
		below.from += nodes[i].period;
	}
}

/* Compute the positions of all nodes. Nodes are numbered level by level. */
static int place_all(struct graph *graph)
{
	uint32_t nr = (uint32_t)graph->tree.nodes.len, boxes = graph->writer->boxes;
	uint32_t room = MOST_BOXES - TALLY_MIN(boxes, (uint32_t)MOST_BOXES);

	graph->places = calloc(nr, sizeof(*graph->places));
	if (!graph->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		place_children(graph, i);
		graph->nr_deep += graph->places[i].level == MOST_LEVELS;
	}
	graph->nr_drawn = TALLY_MIN(nr, TALLY_MAX(room, 1u));
	graph->levels = graph->places[graph->nr_drawn - 1].level + 1;
	return 0;
}

static int length_of(const struct graph *graph, uint64_t part)
{
	uint64_t whole = graph->tree.nodes.data[0].period;

	return whole ? (int)((unsigned __int128)part * SVG_WIDTH / whole) : 0;
}

/* ---- boxes ---------------------------------------------------------------------------- */

static void add_share(struct tally_str *out, uint64_t part, uint64_t whole)
{
	uint64_t share = whole ? (uint64_t)((unsigned __int128)part * 10000 / whole) : 0;

	tally_str_addf(out, "%" PRIu64 ".%02" PRIu64 "%%", share / 100, share % 100);
}

/* Add a box's tooltip. */
static void add_title(const struct graph *graph, const struct tally_graph_node *node)
{
	const struct tally_svg *svg = graph->writer->svg;
	uint64_t whole = graph->tree.nodes.data[0].period;
	struct tally_str *out = graph->writer->out;
	size_t start;

	tally_str_add(out, "<title>");
	start = out->len;
	if (node->frame == TALLY_FRAME_NONE) {
		tally_str_add(out, "all");
	} else {
		const struct tally_frame *frame = &svg->profile->frames.all.data[node->frame];

		tally_frame_add_label(svg->profile, node->frame, out);
		if (frame->symbol && tally_str_text(out)[start] != '[') {
			tally_str_add(out, " in ");
			tally_frame_add_file(frame, true, out);
		}
	}
	tally_str_escape(out, start);
	svg->shorten(out, start, MOST_COLUMNS);
	tally_xml_escape_shown(out, start);
	tally_str_add_char(out, '\n');
	add_share(out, node->period, whole);
	tally_str_addf(out, ", %" PRIu64 " sample%s", node->nr, tally_plural(node->nr));
	if (node->self && node->self < node->period) {
		tally_str_add(out, ", self ");
		add_share(out, node->self, whole);
	}
	tally_str_add(out, "</title>");
}

static void add_label(const struct graph *graph, const struct tally_graph_node *node, int left,
		      int top, int width)
{
	const struct tally_svg *svg = graph->writer->svg;
	int columns = (width - 50) / SVG_LETTER;
	struct tally_str *out = graph->writer->out;
	size_t start;

	if (columns < 3)
		return;
	tally_str_add(out, "<text x=\"");
	svg_add_length(out, left + 30);
	tally_str_add(out, "\" y=\"");
	svg_add_length(out, top + SVG_BASE);
	tally_str_add(out, "\">");
	start = out->len;
	if (node->frame == TALLY_FRAME_NONE)
		tally_str_add(out, "all");
	else
		tally_frame_add_label(svg->profile, node->frame, out);
	tally_str_escape(out, start);
	svg->shorten(out, start, (size_t)columns);
	tally_xml_escape_shown(out, start);
	tally_str_add(out, "</text>");
}

static void add_class(const struct graph *graph, uint32_t number)
{
	const struct tally_frame *frame;
	enum tally_frame_kind kind;

	if (number == TALLY_FRAME_NONE) {
		tally_str_add(graph->writer->out, "<g class=\"all\">");
		return;
	}
	frame = &graph->writer->svg->profile->frames.all.data[number];
	kind = tally_frame_kind(frame);
	graph->writer->kinds[kind] = true;
	tally_str_addf(graph->writer->out, "<g class=\"%c%u\">", svg_kind_letters[kind],
		       tally_frame_shade(frame));
}

static void add_box(const struct graph *graph, uint32_t number)
{
	const struct tally_graph_node *node = &graph->tree.nodes.data[number];
	const struct svg_place *place = &graph->places[number];
	int left = length_of(graph, place->from),
	    width = length_of(graph, place->from + node->period) - left;
	int top = graph->writer->top + (int)place->level * SVG_ROW;
	struct tally_str *out = graph->writer->out;
	const struct {
		const char *name;
		int length;
	} sides[] = {{"x", SVG_MARGIN + left}, {"y", top}, {"width", width}, {"height", SVG_BOX}};

	add_class(graph, node->frame);
	add_title(graph, node);
	tally_str_add(out, "<rect");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(sides); i++) {
		tally_str_addf(out, " %s=\"", sides[i].name);
		svg_add_length(out, sides[i].length);
		tally_str_add_char(out, '"');
	}
	tally_str_add(out, "/>");
	add_label(graph, node, SVG_MARGIN + left, top, width);
	tally_str_add(out, "</g>\n");
}

/* ---- the graph ------------------------------------------------------------------------- */

static void add_heading(const struct graph *graph)
{
	const struct tally_profile *profile = graph->writer->svg->profile;
	const struct tally_profile_total *total = &profile->totals.data[graph->event->number];
	const struct tally_graph_node *root = graph->tree.nodes.data;
	struct tally_str text = {0};

	tally_str_addf(&text, "%" PRIu64, root->nr);
	if (root->nr != total->nr)
		tally_str_addf(&text, " of %" PRIu64, total->nr);
	tally_str_addf(&text, " sample%s of event '%s', event count (approx.) %" PRIu64,
		       tally_plural(total->nr), graph->event->name, root->period);
	tally_str_escape(&text, 0);
	svg_line(graph->writer, "event", tally_str_text(&text));
	graph->writer->out->failed |= text.failed;
	tally_str_free(&text);
}

static void add_note(struct graph *graph, uint64_t nr, const char *what)
{
	struct tally_str text = {0};

	if (!nr)
		return;
	tally_str_addf(&text, "%" PRIu64 " frame%s %s", nr, tally_plural(nr), what);
	svg_line(graph->writer, "note", tally_str_text(&text));
	graph->writer->out->failed |= text.failed;
	tally_str_free(&text);
}

static void add_notes(struct graph *graph)
{
	struct tally_str narrow = {0};

	tally_str_add(&narrow, "too narrow (below ");
	add_share(&narrow, 1, graph->writer->svg->parts);
	tally_str_add(&narrow, ") are not drawn, nor are their callees");
	add_note(graph, graph->tree.nr_light, tally_str_text(&narrow));
	add_note(graph, graph->tree.nodes.len - graph->nr_drawn,
		 "beyond the size limit, the deepest, are not drawn");
	add_note(graph, graph->nr_deep, "are at the last level, without their callees");
	graph->writer->out->failed |= narrow.failed;
	tally_str_free(&narrow);
}

static int graph_draw(struct graph *graph)
{
	int ret = place_all(graph);

	if (ret)
		return ret;
	add_heading(graph);
	for (uint32_t i = 0; i < graph->nr_drawn; i++)
		add_box(graph, i);
	graph->writer->boxes += graph->nr_drawn;
	graph->writer->top += (int)graph->levels * SVG_ROW + SVG_LINE / 4;
	add_notes(graph);
	return 0;
}

int svg_graph(struct svg_writer *writer, const struct tally_svg_event *event)
{
	const struct tally_profile *profile = writer->svg->profile;
	struct tally_selection_options selected = {.event = event->number};
	struct tally_calltree_options options = {
		.way = TALLY_CALLTREE_CALLEES,
		.function = TALLY_FRAME_NONE,
		.parts = writer->svg->parts,
		.max_depth = MOST_LEVELS,
	};
	struct graph graph = {.writer = writer, .event = event};
	struct tally_selection selection;
	struct tally_chains chains;
	int ret = tally_selection_build(profile, &selected, &selection);

	if (ret)
		return ret;
	ret = tally_chains_build(profile, &selection, &chains);
	if (!ret) {
		ret = tally_calltree_grow(&chains, &options, &graph.tree);
		tally_chains_free(&chains);
	}
	if (!ret)
		ret = graph_draw(&graph);
	free(graph.places);
	tally_calltree_free(&graph.tree);
	tally_selection_free(&selection);
	return ret;
}
