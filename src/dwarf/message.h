/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocol between a worker process (worker.h) and its client. The worker is forked from the
 * client, so both run the same program. */
#ifndef TALLY_DWARF_MESSAGE_H
#define TALLY_DWARF_MESSAGE_H

#include "dwarf/dwarf.h"

/* Maximum number of addresses in a request. A request must fit in the socket buffer, as the worker
 * reads the whole request before it replies. */
enum { DWARF_QUESTION_MAX = 8192 };

/* Maximum number of variables in a request, for the same reason. */
enum { DWARF_VARIABLES_MAX = 1024 };

enum dwarf_question_kind {
	DWARF_QUESTION_LINES,     /* followed by `nr` addresses */
	DWARF_QUESTION_VARIABLES, /* followed by `nr` tally_variable_question structures */
};

struct dwarf_question {
	uint32_t kind, nr;
};

/* Maximum length of names; longer names are dropped. Names in symbol tables have the same limit. */
enum { DWARF_TEXT_MAX = 32 << 10 };

enum dwarf_message_kind {
	DWARF_MESSAGE_TEXT = 1, /* `nr` bytes: the thread's next string, numbered from 1 */
	DWARF_MESSAGE_SPAN,     /* followed by `nr` dwarf_message_line structures */
	DWARF_MESSAGE_TYPE,     /* the next type, followed by `nr` dwarf_message_member */
	DWARF_MESSAGE_VARIABLE, /* the answer to a question for a variable; `nr`: the result */
	DWARF_MESSAGE_END,      /* end of the reply: `nr` skipped addresses, or an `error` */
};

struct dwarf_message {
	uint32_t kind;
	uint32_t nr;     /* number of bytes, lines, members or skipped addresses; or a result */
	int32_t error;   /* END: error */
	uint32_t thread; /* sending thread */
	/* SPAN: range of addresses. TYPE: size, and number of the name. VARIABLE: number of the
	 * type, counted from 1, or 0; and the offset. END: `start` is the number of lookups that
	 * needed a missing file. */
	uint64_t start, end;
};

struct dwarf_message_line {
	uint32_t function, file; /* string numbers assigned by the thread, or 0 */
	uint32_t line;
};

struct dwarf_message_member {
	uint32_t name, type; /* string numbers */
	uint64_t offset, size, element;
	uint32_t depth;
};

/* Answer requests, using `nr` threads. Each thread has its own handle; all handles were opened on
 * the same data. Returns when the client closes its end. */
void dwarf_serve(int fd, struct tally_dwarf *const *dwarfs, uint32_t nr);

/* Send an error instead of a reply. */
void dwarf_send_error(int fd, int error);

#endif
