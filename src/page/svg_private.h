/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that write SVG share. */
#ifndef TALLY_PAGE_SVG_PRIVATE_H
#define TALLY_PAGE_SVG_PRIVATE_H

#include "page/svg.h"
#include "profile/frame_kind.h"

/* Lengths are tenths of a pixel. */
enum {
	SVG_MARGIN = 100,
	SVG_WIDTH = 12000, /* of a graph */
	SVG_ROW = 170,     /* from one level to the next */
	SVG_BOX = 160,
	SVG_LINE = 160, /* from one line of text to the next */
	SVG_BASE = 120, /* from the top of a row to where its letters stand */
	/* Of a letter in the fonts that the style asks for, none of which is wider. */
	SVG_LETTER = 73,
	SVG_COLUMNS = SVG_WIDTH / SVG_LETTER,
};

/* A document that is being written. */
struct svg_writer {
	const struct tally_svg *svg;
	struct tally_str *out;
	int top;                    /* where what comes next begins */
	uint32_t boxes;             /* so far, of all graphs */
	bool kinds[TALLY_NR_KINDS]; /* that were drawn */
};

/* Letters that stand for kinds in the names of classes. */
extern const char svg_kind_letters[TALLY_NR_KINDS + 1];

/* Append a length, in pixels. */
void svg_add_length(struct tally_str *out, int length);

/* A line of text, escaped for people, in a class of the style. */
void svg_line(struct svg_writer *writer, const char *class, const char *text);

/* The graph of an event, its heading, and what of it was not drawn. 0 or -ENOMEM. */
int svg_graph(struct svg_writer *writer, const struct tally_svg_event *event);

#endif
