/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocol between a worker process (worker.h) and its client. The worker is forked from the
 * client, so both run the same program. */
#ifndef TALLY_DWARF_MESSAGE_H
#define TALLY_DWARF_MESSAGE_H

#include "dwarf/dwarf.h"

/* Maximum number of addresses in a request. A request must fit in the socket buffer, as the worker
 * reads the whole request before it replies. */
enum { DWARF_QUESTION_MAX = 8192 };

/* Maximum length of names; longer names are dropped. Names in symbol tables have the same limit. */
enum { DWARF_TEXT_MAX = 32 << 10 };

enum dwarf_message_kind {
	DWARF_MESSAGE_TEXT = 1, /* `nr` bytes: the thread's next string, numbered from 1 */
	DWARF_MESSAGE_SPAN,     /* followed by `nr` dwarf_message_line structures */
	DWARF_MESSAGE_END,      /* end of the reply: `nr` skipped addresses, or an `error` */
};

struct dwarf_message {
	uint32_t kind;
	uint32_t nr;     /* number of bytes, lines or skipped addresses */
	int32_t error;   /* END: error */
	uint32_t thread; /* TEXT, SPAN: sending thread */
	/* SPAN: range of addresses. END: `start` is the number of lookups that needed a missing
	 * file. */
	uint64_t start, end;
};

struct dwarf_message_line {
	uint32_t function, file; /* string numbers assigned by the thread, or 0 */
	uint32_t line;
};

/* Answer requests, using `nr` threads. Each thread has its own handle; all handles were opened on
 * the same data. Returns when the client closes its end. */
void dwarf_serve(int fd, struct tally_dwarf *const *dwarfs, uint32_t nr);

/* Send an error instead of a reply. */
void dwarf_send_error(int fd, int error);

#endif
