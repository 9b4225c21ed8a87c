/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the client side of a worker (worker.h) that the kinds of requests share. */
#ifndef TALLY_DWARF_WORKER_PRIVATE_H
#define TALLY_DWARF_WORKER_PRIVATE_H

#include "dwarf/message.h"
#include "dwarf/worker.h"

/* Send a request: `len` bytes at `data` with `nr` items. It fits in the socket buffer, because the
 * previous request has been answered. Returns 0 or -EPIPE. */
int worker_ask(const struct tally_dwarf_worker *worker, enum dwarf_question_kind kind, uint32_t nr,
	       const void *data, size_t len);

/* Get the next `len` bytes, valid until the next call. Returns 0, an error from worker_fill(), or
 * TALLY_DWARF_ERROR_MEMORY if the replies exceed their limit. */
int worker_take(struct tally_dwarf_worker *worker, size_t len, const uint8_t **ret_data);

/* Get the string with the given number. Returns false if the number is invalid. */
bool worker_text(const struct tally_dwarf_worker *worker, uint32_t thread, uint32_t number,
		 const char **ret_text);

/* Process a message that is not about one kind of requests. `*ret_is_end` is set if it ends the
 * reply. Returns 0, an error in the message, or an error. */
int worker_take_common(struct tally_dwarf_worker *worker, struct tally_lines *lines,
		       const struct dwarf_message *message, bool *ret_is_end);

/* Return an error for the caller. After an error, the worker is unusable. */
int worker_finish(struct tally_dwarf_worker *worker, int ret);

#endif
