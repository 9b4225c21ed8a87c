/* SPDX-License-Identifier: BSD-2-Clause */
/* The metadata page: what user space reads the counter by. */
#ifndef TALLY_CORE_PAGE_H
#define TALLY_CORE_PAGE_H

#include "core/private.h"

#if TALLY_CORE_SELF_READ

/* Bring the page of the event's buffer up to date. Under the context rule; nothing happens without
 * a buffer of its own. */
void tally_page_write(struct tally_core_event *event);

static inline void tally_page_update(struct tally_core_event *event)
{
	if (tally_load_relaxed(&event->buffer))
		tally_page_write(event);
}

/* The same for a page that has just become the event's: what its PMU says as well, so that the
 * event must not be revoked. */
void tally_page_begin(struct tally_core_event *event);

/* The same for the count alone, of an event that user space reads: after its counter was written.
 */
void tally_page_recount(struct tally_core_event *event);

#else

static inline void tally_page_update(struct tally_core_event *event)
{
}

static inline void tally_page_begin(struct tally_core_event *event)
{
}

static inline void tally_page_recount(struct tally_core_event *event)
{
}

#endif

/* Fill in what never changes, before the buffer becomes the event's. */
void tally_page_init(const struct tally_core_event *event, struct tally_core_buffer *buffer);

#endif
