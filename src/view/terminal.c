/* SPDX-License-Identifier: BSD-2-Clause */
#define NCURSES_WIDECHAR 1

#include "view/terminal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"

/* An escape is a separate key unless the rest of a sequence follows within ESCAPE_MS. If characters
 * that look like the rest of a sequence arrive within LATE_MS, a slow line is assumed to have
 * delayed them, and they are discarded. */
enum { ESCAPE_MS = 25, LATE_MS = 1000, MOUSE_BYTES = 3 };

/* Next expected part of a sequence after its escape was returned as a key. */
enum late {
	LATE_NONE,
	LATE_INTRODUCER, /* "[" or "O" */
	LATE_FIRST,      /* after "["; "M" begins a mouse event */
	LATE_FINAL,      /* parameters and the final character */
	LATE_BYTES,      /* a fixed number of bytes */
};

struct tally_terminal {
	enum late late;
	int late_bytes;
	struct timespec escaped; /* time when the escape was returned */
	SCREEN *screen;
	FILE *input; /* keyboard input, or NULL for standard input */
	attr_t inks[TALLY_NR_INKS];
};

/* Background colours of a 256-colour terminal, as numbered by xterm. */
enum {
	AMBER = 222,
	SAND = 216,
	GREEN = 151,
	MOSS = 187,
	ROSE = 210,
	CORAL = 217,
	SKY = 153,
	ICE = 117,
	LILAC = 183,
	PINK = 219,
	SILVER = 250,
	ASH = 252,
	MAGENTA = 201,
};

/* Appearance of inks, with and without colours. Colour -1 is the terminal's default, on which only
 * red and green are readable whether it is dark or light. `rich` is the
 * background with 256 colours, or 0 to use `ground`. */
static const struct look {
	short text, ground, rich;
	attr_t more, plain;
} looks[] = {
	[TALLY_INK_PLAIN] = {-1, -1, 0, A_NORMAL, A_NORMAL},
	[TALLY_INK_HOT] = {COLOR_RED, -1, 0, A_NORMAL, A_BOLD},
	[TALLY_INK_WARM] = {COLOR_GREEN, -1, 0, A_NORMAL, A_NORMAL},
	[TALLY_INK_DIM] = {-1, -1, 0, A_DIM, A_NORMAL},
	[TALLY_INK_TITLE] = {-1, -1, 0, A_BOLD, A_BOLD},
	[TALLY_INK_HEADING] = {-1, -1, 0, A_UNDERLINE, A_UNDERLINE},
	[TALLY_INK_BAR] = {-1, -1, 0, A_DIM, A_NORMAL},
	[TALLY_INK_KEY] = {-1, -1, 0, A_BOLD, A_BOLD},
	[TALLY_INK_NOTE] = {-1, -1, 0, A_BOLD, A_BOLD},
	[TALLY_INK_POPUP] = {-1, -1, 0, A_NORMAL, A_NORMAL},
	[TALLY_INK_MATCH] = {COLOR_WHITE, COLOR_MAGENTA, 0, A_BOLD, A_BOLD | A_UNDERLINE},
	[TALLY_INK_USER] = {COLOR_BLACK, COLOR_YELLOW, AMBER, A_NORMAL, A_NORMAL},
	[TALLY_INK_USER_OTHER] = {COLOR_BLACK, COLOR_YELLOW, SAND, A_NORMAL, A_NORMAL},
	[TALLY_INK_LIBRARY] = {COLOR_BLACK, COLOR_GREEN, GREEN, A_NORMAL, A_NORMAL},
	[TALLY_INK_LIBRARY_OTHER] = {COLOR_BLACK, COLOR_GREEN, MOSS, A_NORMAL, A_NORMAL},
	[TALLY_INK_KERNEL] = {COLOR_BLACK, COLOR_RED, ROSE, A_NORMAL, A_NORMAL},
	[TALLY_INK_KERNEL_OTHER] = {COLOR_BLACK, COLOR_RED, CORAL, A_NORMAL, A_NORMAL},
	[TALLY_INK_JIT] = {COLOR_BLACK, COLOR_CYAN, SKY, A_NORMAL, A_NORMAL},
	[TALLY_INK_JIT_OTHER] = {COLOR_BLACK, COLOR_CYAN, ICE, A_NORMAL, A_NORMAL},
	[TALLY_INK_INLINED] = {COLOR_BLACK, COLOR_BLUE, LILAC, A_NORMAL, A_NORMAL},
	[TALLY_INK_INLINED_OTHER] = {COLOR_BLACK, COLOR_BLUE, PINK, A_NORMAL, A_NORMAL},
	[TALLY_INK_UNKNOWN] = {COLOR_BLACK, COLOR_WHITE, SILVER, A_NORMAL, A_NORMAL},
	[TALLY_INK_UNKNOWN_OTHER] = {COLOR_BLACK, COLOR_WHITE, ASH, A_NORMAL, A_NORMAL},
};

static void init_inks(struct tally_terminal *terminal, bool colours)
{
	enum { MANY = 256 };

	colours = colours && has_colors() && start_color() == OK && use_default_colors() == OK;
	for (short i = 0; i < TALLY_NR_INKS; i++) {
		short ground = COLORS >= MANY && looks[i].rich ? looks[i].rich : looks[i].ground;

		terminal->inks[i] = looks[i].plain;
		if (colours && init_pair((short)(i + 1), looks[i].text, ground) == OK)
			terminal->inks[i] = looks[i].more | (attr_t)COLOR_PAIR(i + 1);
	}
}

/* Report presses and releases separately: ncurses should not wait for a click. */
static void enable_mouse(void)
{
	mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED |
			  BUTTON4_PRESSED | BUTTON5_PRESSED,
		  NULL);
	mouseinterval(0);
}

/* Open the terminal a second time in non-blocking mode. After a button event that was not
 * requested, ncurses would otherwise block until the next key. Setting O_NONBLOCK on standard input
 * would affect all processes that share it. Returns NULL on failure. */
static FILE *open_input(void)
{
	int fd = open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *input = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !input)
		close(fd);
	return input;
}

static void close_input(struct tally_terminal *terminal)
{
	if (terminal->input)
		fclose(terminal->input);
}

int tally_terminal_open(bool colours, bool mouse, struct tally_terminal **ret_terminal)
{
	struct tally_terminal *terminal;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	terminal = calloc(1, sizeof(*terminal));
	if (!terminal)
		return -ENOMEM;
	terminal->input = open_input();
	terminal->screen = newterm(NULL, stdout, terminal->input ? terminal->input : stdin);
	if (!terminal->screen) {
		close_input(terminal);
		free(terminal);
		return -ENODEV;
	}
	set_term(terminal->screen);
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	init_inks(terminal, colours);
	if (mouse)
		enable_mouse();
	*ret_terminal = terminal;
	return 0;
}

void tally_terminal_close(struct tally_terminal *terminal)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal->screen);
	close_input(terminal);
	free(terminal);
}

void tally_terminal_size(struct tally_terminal *terminal, int *ret_rows, int *ret_columns)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    (size.ws_row != getmaxy(stdscr) || size.ws_col != getmaxx(stdscr)))
		resizeterm(size.ws_row, size.ws_col);
	*ret_rows = getmaxy(stdscr);
	*ret_columns = getmaxx(stdscr);
}

static const struct {
	wint_t code;
	bool is_function; /* one of ncurses's KEY_* */
	enum tally_press press;
} presses[] = {
	{KEY_UP, true, TALLY_PRESS_UP},         {KEY_DOWN, true, TALLY_PRESS_DOWN},
	{KEY_PPAGE, true, TALLY_PRESS_PAGE_UP}, {KEY_NPAGE, true, TALLY_PRESS_PAGE_DOWN},
	{KEY_HOME, true, TALLY_PRESS_HOME},     {KEY_END, true, TALLY_PRESS_LAST},
	{KEY_ENTER, true, TALLY_PRESS_ENTER},   {'\r', false, TALLY_PRESS_ENTER},
	{'\n', false, TALLY_PRESS_ENTER},       {KEY_BACKSPACE, true, TALLY_PRESS_BACKSPACE},
	{0x7f, false, TALLY_PRESS_BACKSPACE},   {'\b', false, TALLY_PRESS_BACKSPACE},
	{0x1b, false, TALLY_PRESS_ESCAPE},      {'\t', false, TALLY_PRESS_TAB},
	{KEY_F(1), true, TALLY_PRESS_HELP},     {KEY_LEFT, true, TALLY_PRESS_LEFT},
	{KEY_RIGHT, true, TALLY_PRESS_RIGHT},   {KEY_BTAB, true, TALLY_PRESS_BACK_TAB},
	{KEY_MOUSE, true, TALLY_PRESS_MOUSE},   {KEY_RESIZE, true, TALLY_PRESS_RESIZED},
};

static uint32_t press_find(wint_t code, bool is_function)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(presses); i++) {
		if (presses[i].code == code && presses[i].is_function == is_function)
			return presses[i].press;
	}
	return is_function ? TALLY_PRESS_OTHER : (uint32_t)code;
}

static bool is_late(const struct tally_terminal *terminal)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(now.tv_sec - terminal->escaped.tv_sec) * 1000 +
	     (now.tv_nsec - terminal->escaped.tv_nsec) / 1000000;
	return ms < LATE_MS;
}

/* Return the part expected after the one just dropped, or LATE_NONE if that was the last part. */
static enum late late_next(struct tally_terminal *terminal, uint32_t press)
{
	bool is_final = press >= '@' && press <= '~';

	switch (terminal->late) {
	case LATE_INTRODUCER:
		terminal->late_bytes = 1;
		return press == '[' ? LATE_FIRST : LATE_BYTES;
	case LATE_FIRST:
		terminal->late_bytes = MOUSE_BYTES;
		if (press == 'M')
			return LATE_BYTES;
		return is_final ? LATE_NONE : LATE_FINAL;
	case LATE_FINAL: return is_final ? LATE_NONE : LATE_FINAL;
	default: return --terminal->late_bytes > 0 ? LATE_BYTES : LATE_NONE;
	}
}

/* Return true if a character continues a sequence after its escape was returned as a key. */
static bool late_consume(struct tally_terminal *terminal, uint32_t press)
{
	bool takes = terminal->late != LATE_NONE && press < TALLY_PRESS_NONE && is_late(terminal) &&
		     (terminal->late != LATE_INTRODUCER || press == '[' || press == 'O');

	terminal->late = takes ? late_next(terminal, press) : LATE_NONE;
	return takes;
}

/* Process an escape: return it as a key, or discard the start of an unknown sequence if more
 * characters are available. */
static uint32_t escape_press(struct tally_terminal *terminal)
{
	wint_t code;
	int kind;

	terminal->late = LATE_INTRODUCER;
	clock_gettime(CLOCK_MONOTONIC, &terminal->escaped);
	kind = get_wch(&code);
	if (kind == OK && (code == '[' || code == 'O')) {
		(void)late_consume(terminal, code);
		return TALLY_PRESS_OTHER;
	}
	if (kind == KEY_CODE_YES)
		ungetch((int)code);
	else if (kind == OK)
		unget_wch((wchar_t)code);
	return TALLY_PRESS_ESCAPE;
}

uint32_t tally_terminal_press(struct tally_terminal *terminal)
{
	uint32_t press;
	wint_t code;
	int kind;

	do {
		kind = get_wch(&code);
		if (kind == ERR)
			return TALLY_PRESS_NONE;
		press = press_find(code, kind == KEY_CODE_YES);
	} while (late_consume(terminal, press));
	return press == TALLY_PRESS_ESCAPE ? escape_press(terminal) : press;
}

struct tally_mouse tally_terminal_mouse(struct tally_terminal *terminal)
{
	static const struct {
		mmask_t bits;
		enum tally_mouse_act act;
	} acts[] = {
		{BUTTON4_PRESSED, TALLY_MOUSE_WHEEL_UP},
		{BUTTON5_PRESSED, TALLY_MOUSE_WHEEL_DOWN},
		{BUTTON1_DOUBLE_CLICKED, TALLY_MOUSE_TWICE},
		{BUTTON1_CLICKED, TALLY_MOUSE_DOWN},
		{BUTTON1_PRESSED, TALLY_MOUSE_DOWN},
		{BUTTON1_RELEASED, TALLY_MOUSE_UP},
	};
	struct tally_mouse mouse = {TALLY_MOUSE_NONE};
	MEVENT event;

	if (getmouse(&event) != OK)
		return mouse;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(acts) && !mouse.act; i++) {
		if (event.bstate & acts[i].bits)
			mouse.act = acts[i].act;
	}
	mouse.row = event.y;
	mouse.column = event.x;
	return mouse;
}

static void show_row(struct tally_terminal *terminal, const struct tally_canvas *canvas, int row)
{
	move(row, 0);
	for (int i = 0; i < canvas->columns; i++) {
		const struct tally_glyph *glyph = tally_canvas_at(canvas, row, i);
		attr_t attrs = terminal->inks[glyph->ink];

		/* A selection bar in a single colour is easier to read. */
		if (glyph->is_selected)
			attrs = A_REVERSE | (attrs & A_BOLD);
		attrset((int)attrs);
		addstr(glyph->bytes);
	}
}

void tally_terminal_show(struct tally_terminal *terminal, const struct tally_canvas *canvas,
			 bool all)
{
	if (all)
		clearok(stdscr, TRUE);
	for (int row = 0; row < canvas->rows; row++)
		show_row(terminal, canvas, row);
	/* When the process continues after a stop, the terminal sends different key sequences until
	 * keypad mode is set again. */
	keypad(stdscr, TRUE);
	refresh();
}
