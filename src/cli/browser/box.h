/* SPDX-License-Identifier: BSD-2-Clause */
/* A box over the view with lines of text, which is read line by line where it has more than fit. */
#ifndef TALLY_CLI_BROWSER_BOX_H
#define TALLY_CLI_BROWSER_BOX_H

#include "view/canvas.h"

/* All zero: there is none. */
struct browser_box {
	const char *title; /* NULL: there is none */
	struct tally_str text;
	size_t first;    /* the line at the top; */
	size_t nr, page; /* of so many, so many in sight, as it was drawn last */
};

/* Show one: its lines, escaped, are appended to what this returns. */
struct tally_str *browser_box_open(struct browser_box *box, const char *title);

/* A key while there is one: it goes up or down where not all lines are in sight, any other key
 * takes the box away. Whether there was one. */
bool browser_box_press(struct browser_box *box, uint32_t press);

/* Draw it, if there is one: lines that are too wide go on in the next one. 0 or -ENOMEM. */
int browser_box_draw(struct browser_box *box, struct tally_canvas *canvas);

void browser_box_free(struct browser_box *box);

#endif
