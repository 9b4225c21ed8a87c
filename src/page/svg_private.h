/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the source files that write SVG. */
#ifndef TALLY_PAGE_SVG_PRIVATE_H
#define TALLY_PAGE_SVG_PRIVATE_H

#include "page/svg.h"
#include "profile/frame_kind.h"

/* Lengths in tenths of a pixel. */
enum {
	SVG_MARGIN = 100,
	SVG_WIDTH = 12000, /* width of a graph */
	SVG_ROW = 170,     /* distance between levels */
	SVG_BOX = 160,
	SVG_LINE = 160, /* distance between text lines */
	SVG_BASE = 120, /* from the top of a row to the baseline of its text */
	/* Width of a letter in the widest font that the style requests. */
	SVG_LETTER = 73,
	SVG_COLUMNS = SVG_WIDTH / SVG_LETTER,
};

/* State while writing a document. */
struct svg_writer {
	const struct tally_svg *svg;
	struct tally_str *out;
	int top;                    /* vertical position of the next element */
	uint32_t boxes;             /* number of boxes in all graphs so far */
	bool kinds[TALLY_NR_KINDS]; /* kinds drawn so far, for the legend */
};

/* Letters used in class names, by kind. */
extern const char svg_kind_letters[TALLY_NR_KINDS + 1];

/* Append a length, converted to pixels. */
void svg_add_length(struct tally_str *out, int length);

/* Add a line of text with a class from the style sheet. `text` must be escaped for display. */
void svg_line(struct svg_writer *writer, const char *class, const char *text);

/* Add an event's graph, with a heading and a note about omitted boxes. Returns 0 or -ENOMEM. */
int svg_graph(struct svg_writer *writer, const struct tally_svg_event *event);

#endif
