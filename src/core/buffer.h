/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ring buffers. One CPU writes at a time: the CPU of the event, or the one that its task runs on.
 * But interrupts may write while they interrupt another writer. Space is reserved by moving `head`;
 * the interrupted writer has done so before or will do so after. The outermost writer publishes the
 * records in data_head when all writers are done. So no lock is needed, and a reader never sees an
 * incomplete record.
 */
#ifndef TALLY_CORE_BUFFER_H
#define TALLY_CORE_BUFFER_H

#include "core/core_private.h"

struct tally_core_buffer {
	struct tally_core *core;            /* K */
	struct perf_event_mmap_page *page;  /* K */
	uint8_t **chunks;                   /* K; blocks of memory that make up the data */
	uint32_t nr_chunks;                 /* K */
	uint8_t chunk_shift;                /* K; log2 of the size of each */
	uint64_t size;                      /* K; bytes of data, a power of two; or 0 */
	uint64_t watermark;                 /* K */
	bool contiguous;                    /* K; data directly follow the page */
	bool has_scratch;                   /* K; holds the scratch memory of its CPUs */
	bool overwrite;                     /* K; user space does not move data_tail */
	struct tally_core_event *owner;     /* K; the event that was mapped to create it */
	int32_t cpu;                        /* K; the only CPU that writes; -1: that of `context` */
	struct tally_core_context *context; /* K; the owner's */
	uint32_t refs;                      /* atomic; all mappings together count as one */
	uint32_t walkers;                   /* atomic; walkers of `events`, with interrupts off */
	struct tally_spin lock;             /* taken before an event's output_lock */
	uint32_t mappings;                  /* lock; once 0, it stays 0 */
	struct tally_list events;           /* lock; events that write to this buffer */
	bool paused;                        /* atomic; set by IOC_PAUSE_OUTPUT */
	uint64_t head;                      /* O; offset of the next record */
	uint32_t writers;                   /* O; nested writers */
	uint64_t wakeup;                    /* O; bytes written up to the last watermark wakeup */
	uint32_t samples;                   /* O; samples since the last wakeup by wakeup_events */
	bool wake;                          /* O; a wakeup is due */
	uint64_t lost;                      /* O; records lost since the last LOST record */
	uint32_t poll;                      /* atomic; set by the writer, cleared by poll() */
	struct tally_core_account *user, *space; /* K; accounts that paid for the pages below */
	uint64_t user_pages, space_pages;
};

/* Space for one record. */
struct tally_slot {
	struct tally_core_buffer *buffer;
	uint8_t *to; /* write `len` bytes here */
	uint64_t at; /* offset in the buffer */
	uint32_t len;
	bool elsewhere; /* `to` is scratch memory, as the space is in two pieces */
};

/* Reserve `len` bytes, a multiple of 8. `scratch` is used if they are not contiguous. Return false
 * if the buffer is full or paused. Then `*wake` is set if an interrupt has written meanwhile and
 * readers have to be woken. Called with interrupts off. */
bool tally_buffer_reserve(struct tally_core_buffer *buffer, bool backward, uint32_t len,
			  uint8_t *scratch, bool *wake, struct tally_slot *ret_slot);

/* Commit a record after it was written. Return true if readers have to be woken. */
bool tally_buffer_commit(struct tally_slot *slot);

/* Return the event's buffer with a reference, NULL if it has none. tally_buffer_put() releases a
 * reference; NULL is allowed. Called where the machine may sleep. */
struct tally_core_buffer *tally_buffer_get(struct tally_core_event *event);
void tally_buffer_put(struct tally_core_buffer *buffer);

/* Attach an event to a buffer. Return 0, -EBUSY if the event has a buffer, -ENODEV if the buffer is
 * no longer mapped. tally_buffer_unlink() detaches the event if it writes to this buffer;
 * tally_buffer_detach() detaches it from its buffer, if any. */
int tally_buffer_attach(struct tally_core_buffer *buffer, struct tally_core_event *event);
void tally_buffer_unlink(struct tally_core_buffer *buffer, struct tally_core_event *event);
void tally_buffer_detach(struct tally_core_event *event);

/* Redirect an event to the buffer `to`; NULL: no buffer. Return 0, -EBUSY if the event has a buffer
 * of its own, -ENODEV if `to` is no longer mapped. */
int tally_buffer_redirect(struct tally_core_event *event, struct tally_core_buffer *to);

/* Add a mapping of `event`'s own buffer of `size` bytes. Return 0, -EINVAL if it has another size,
 * -EBUSY if it is another event's, -ENODEV if it is no longer mapped. */
int tally_buffer_map(struct tally_core_buffer *buffer, const struct tally_core_event *event,
		     uint64_t size);

/* Remove a mapping. The last one detaches every event and releases the mappings' reference. Calls
 * the CPU that may write. */
void tally_buffer_unmap(struct tally_core_buffer *buffer);

/* Call fn for every event that writes to this event's buffer. Return false if it has none. Called
 * with interrupts off. */
bool tally_buffer_for_each(struct tally_core_event *event,
			   void (*fn)(const struct tally_core_event *event, unsigned what),
			   unsigned what);

/* Return the event's poll() mask: that of its buffer, clearing it; POLLHUP without a buffer. */
uint32_t tally_buffer_poll(struct tally_core_event *event);

/* Free a buffer after its last reference was released, and uncharge its pages. In mmap.c. */
void tally_buffer_free(struct tally_core_buffer *buffer);

/* Count a record of this event as lost, because its CPU is offline and cannot write it. The next
 * record that it writes reports the loss. Called with the family lock held. */
void tally_buffer_count_lost(struct tally_core_event *event);

#endif
