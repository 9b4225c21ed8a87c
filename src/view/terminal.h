/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A terminal that shows a canvas and hands out keys, by ncurses, which has one per process: open
 * one at a time, from one thread.
 */
#ifndef TALLY_VIEW_TERMINAL_H
#define TALLY_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "view/canvas.h"

struct tally_terminal;

/* What was pressed: a character, of which those below ' ' were pressed with Ctrl, or one of these
 * beyond all characters. */
enum tally_press {
	TALLY_PRESS_NONE = 0x200000, /* nothing is waiting */
	TALLY_PRESS_UP,
	TALLY_PRESS_DOWN,
	TALLY_PRESS_LEFT,
	TALLY_PRESS_RIGHT,
	TALLY_PRESS_PAGE_UP,
	TALLY_PRESS_PAGE_DOWN,
	TALLY_PRESS_HOME,
	TALLY_PRESS_LAST,
	TALLY_PRESS_ENTER,
	TALLY_PRESS_BACKSPACE,
	TALLY_PRESS_ESCAPE,
	TALLY_PRESS_TAB,
	TALLY_PRESS_BACK_TAB,
	TALLY_PRESS_HELP,
	TALLY_PRESS_MOUSE,   /* see tally_terminal_mouse() */
	TALLY_PRESS_RESIZED, /* the size is another one */
	TALLY_PRESS_OTHER,
};

enum tally_mouse_act {
	TALLY_MOUSE_NONE,
	TALLY_MOUSE_DOWN, /* the first button went down, */
	TALLY_MOUSE_UP,   /* and came up again */
	TALLY_MOUSE_TWICE,
	TALLY_MOUSE_WHEEL_UP,
	TALLY_MOUSE_WHEEL_DOWN,
};

struct tally_mouse {
	enum tally_mouse_act act;
	int row, column;
};

/* Take standard input and output over, with colours if it has them and they are wanted, and with
 * the mouse, if that is wanted: then text is marked with the shift key held. The locale is the
 * caller's. 0; -ENOTTY when they are no terminal; -ENODEV when nothing is known about its kind
 * ($TERM). */
int tally_terminal_open(bool colours, bool mouse, struct tally_terminal **ret_terminal);

/* Put it back as it was. NULL is fine. */
void tally_terminal_close(struct tally_terminal *terminal);

/* Its size now; to be asked after SIGWINCH. */
void tally_terminal_size(struct tally_terminal *terminal, int *ret_rows, int *ret_columns);

/* The next key that was pressed (enum tally_press or a code point); does not wait. */
uint32_t tally_terminal_press(struct tally_terminal *terminal);

/* What the mouse did, after TALLY_PRESS_MOUSE. */
struct tally_mouse tally_terminal_mouse(struct tally_terminal *terminal);

/* Show a canvas; only what changed is written. With `all` everything is, as others may have written
 * there too. */
void tally_terminal_show(struct tally_terminal *terminal, const struct tally_canvas *canvas,
			 bool all);

#endif
