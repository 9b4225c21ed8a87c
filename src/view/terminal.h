/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A terminal that shows a canvas and returns keys. It uses ncurses, which supports only one
 * terminal per process. Open one terminal at a time, from one thread.
 */
#ifndef TALLY_VIEW_TERMINAL_H
#define TALLY_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "view/canvas.h"

struct tally_terminal;

/* A key: a character (control characters are below ' '), or one of these values, which are greater
 * than any character. */
enum tally_press {
	TALLY_PRESS_NONE = 0x200000, /* no key is waiting */
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
	TALLY_PRESS_RESIZED, /* the size has changed */
	TALLY_PRESS_OTHER,
};

enum tally_mouse_act {
	TALLY_MOUSE_NONE,
	TALLY_MOUSE_DOWN, /* the first button was pressed */
	TALLY_MOUSE_UP,   /* the first button was released */
	TALLY_MOUSE_TWICE,
	TALLY_MOUSE_WHEEL_UP,
	TALLY_MOUSE_WHEEL_DOWN,
};

struct tally_mouse {
	enum tally_mouse_act act;
	int row, column;
};

/* Take over standard input and output. Colours are used if enabled and available. If the mouse
 * is enabled, users hold Shift to select text. The caller sets the locale. Returns 0; -ENOMEM;
 * -ENOTTY if standard input or output is not a terminal; -ENODEV if the terminal type ($TERM) is
 * unknown. */
int tally_terminal_open(bool colours, bool mouse, struct tally_terminal **ret_terminal);

/* Restore the terminal. `terminal` may be NULL. */
void tally_terminal_close(struct tally_terminal *terminal);

/* Return the current size. Call this after SIGWINCH. */
void tally_terminal_size(struct tally_terminal *terminal, int *ret_rows, int *ret_columns);

/* Return the next key (enum tally_press or a code point), without waiting. */
uint32_t tally_terminal_press(struct tally_terminal *terminal);

/* Return the mouse action. Call this after TALLY_PRESS_MOUSE. */
struct tally_mouse tally_terminal_mouse(struct tally_terminal *terminal);

/* Show a canvas. Only changes are written, unless `all` is set; set it if other programs may have
 * written to the terminal. */
void tally_terminal_show(struct tally_terminal *terminal, const struct tally_canvas *canvas,
			 bool all);

#endif
