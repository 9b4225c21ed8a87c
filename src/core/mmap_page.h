/* SPDX-License-Identifier: BSD-2-Clause */
/* The metadata page, from which user space reads the counter. */
#ifndef TALLY_CORE_MMAP_PAGE_H
#define TALLY_CORE_MMAP_PAGE_H

#include "core/core_private.h"

#if TALLY_CORE_SELF_READ

/* Update the metadata page of the event's own buffer, if any. The caller must follow the context
 * rule. */
void tally_page_write(struct tally_core_event *event);

static inline void tally_page_update(struct tally_core_event *event)
{
	if (tally_load_relaxed(&event->buffer))
		tally_page_write(event);
}

/* Do the same as tally_page_write() for a newly attached buffer's page, and also fill in the PMU's
 * fields. The event must not be revoked. */
void tally_page_begin(struct tally_core_event *event);

/* Update only the count, if user space reads the counter. Called after writing the counter. */
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

/* Fill in the constant fields. Called before the buffer is attached to the event. */
void tally_page_init(const struct tally_core_event *event, struct tally_core_buffer *buffer);

#endif
