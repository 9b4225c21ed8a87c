/* SPDX-License-Identifier: BSD-2-Clause */
/* What a worker and who asked it tell each other (worker.h). Both are the same program. */
#ifndef TALLY_DWARF_MESSAGE_H
#define TALLY_DWARF_MESSAGE_H

#include "dwarf/dwarf.h"

/* Addresses in one question: it is read whole before it is answered, and fits into the socket. */
enum { DWARF_QUESTION_MAX = 8192 };

/* Longer names are none: those of symbol tables are not longer either. */
enum { DWARF_TEXT_MAX = 32 << 10 };

enum dwarf_message_kind {
	DWARF_MESSAGE_TEXT = 1, /* `nr` bytes: the next text of the thread, from number 1 */
	DWARF_MESSAGE_SPAN,     /* `nr` of struct dwarf_message_line */
	DWARF_MESSAGE_END,      /* all are answered, `nr` addresses were given up; or `error` */
};

struct dwarf_message {
	uint32_t kind;
	uint32_t nr;     /* bytes, lines, addresses */
	int32_t error;   /* END */
	uint32_t thread; /* TEXT, SPAN: whose */
	/* SPAN. END: `start` is how often something was in a file that is missing. */
	uint64_t start, end;
};

struct dwarf_message_line {
	uint32_t function, file; /* numbers of the thread's texts, 0: none */
	uint32_t line;
};

/* Answer questions until there are none, by `nr` threads with a handle each, all of the same bytes.
 * Returns when the other end is closed. */
void dwarf_serve(int fd, struct tally_dwarf *const *dwarfs, uint32_t nr);

/* Tell why no question is answered. */
void dwarf_refuse(int fd, int error);

#endif
