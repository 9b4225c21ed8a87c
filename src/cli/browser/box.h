/* SPDX-License-Identifier: BSD-2-Clause */
/* A text box on top of the view; it can be scrolled if the text does not fit. */
#ifndef TALLY_CLI_BROWSER_BOX_H
#define TALLY_CLI_BROWSER_BOX_H

#include "view/canvas.h"

/* A text box. A zero-initialised box is closed. */
struct browser_box {
	const char *title; /* NULL if no box is open */
	struct tally_str text;
	size_t first;    /* index of the top line */
	size_t nr, page; /* total lines, and lines that fit, when last drawn */
};

/* Open a box. The caller appends its lines, escaped, to the returned string. */
struct tally_str *browser_box_open(struct browser_box *box, const char *title);

/* Handle a key. If not all lines fit, cursor keys scroll; any other key closes the box. Return
 * false if no box is open. */
bool browser_box_press(struct browser_box *box, uint32_t press);

/* Draw the box if one is open; long lines are wrapped. Return 0 or -ENOMEM. */
int browser_box_draw(struct browser_box *box, struct tally_canvas *canvas);

void browser_box_free(struct browser_box *box);

#endif
