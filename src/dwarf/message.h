/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocol between a worker process and its client (worker.h). Both are the same program. */
#ifndef TALLY_DWARF_MESSAGE_H
#define TALLY_DWARF_MESSAGE_H

#include "dwarf/dwarf.h"

/* Maximum number of addresses in a request. A request must fit into the socket buffer, as it is
 * read completely before the reply is sent. */
enum { DWARF_QUESTION_MAX = 8192 };

/* Length limit of names; longer names are dropped. Names in symbol tables have the same limit. */
enum { DWARF_TEXT_MAX = 32 << 10 };

enum dwarf_message_kind {
	DWARF_MESSAGE_TEXT = 1, /* `nr` bytes: the next text of the thread, from number 1 */
	DWARF_MESSAGE_SPAN,     /* `nr` of struct dwarf_message_line */
	DWARF_MESSAGE_END,      /* end of the reply: `nr` addresses were skipped; or `error` */
};

struct dwarf_message {
	uint32_t kind;
	uint32_t nr;     /* bytes, lines, addresses */
	int32_t error;   /* END */
	uint32_t thread; /* TEXT, SPAN: sending thread */
	/* SPAN: range of addresses. END: `start` is the number of lookups that needed a missing
	 * file. */
	uint64_t start, end;
};

struct dwarf_message_line {
	uint32_t function, file; /* text numbers of the thread, 0: none */
	uint32_t line;
};

/* Answer requests with `nr` threads. Each thread has its own handle, all opened from the same
 * bytes. Returns when the other end is closed. */
void dwarf_serve(int fd, struct tally_dwarf *const *dwarfs, uint32_t nr);

/* Send an error instead of a reply. */
void dwarf_send_error(int fd, int error);

#endif
