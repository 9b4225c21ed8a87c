/* SPDX-License-Identifier: BSD-2-Clause */
/* The metadata page, which user space uses to read the counter. */
#ifndef TALLY_CORE_PAGE_H
#define TALLY_CORE_PAGE_H

#include "core/core_private.h"

#if TALLY_CORE_SELF_READ

/* Update the page of the event's own buffer, if it has one. Called under the context rule. */
void tally_page_write(struct tally_core_event *event);

static inline void tally_page_update(struct tally_core_event *event)
{
	if (tally_load_relaxed(&event->buffer))
		tally_page_write(event);
}

/* The same for a page that has just become the event's. Also fills in the PMU's part, so the event
 * must not be revoked. */
void tally_page_begin(struct tally_core_event *event);

/* Update only the count, if user space reads the counter. Called after the counter was written. */
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

/* Fill in the constant fields, before the buffer is attached to the event. */
void tally_page_init(const struct tally_core_event *event, struct tally_core_buffer *buffer);

#endif
