/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ring buffers. Only one CPU writes at a time: the event's CPU, or the CPU that its task is running
 * on. An interrupt may also write while it interrupts another writer. Writers reserve space by
 * moving `head`; an interrupted writer has either done this already or will do it later. When all
 * writers are done, the outermost writer publishes the records in data_head. Therefore no lock is
 * needed, and readers never see an incomplete record.
 */
#ifndef TALLY_CORE_BUFFER_H
#define TALLY_CORE_BUFFER_H

#include "core/core_private.h"

struct tally_core_buffer {
	struct tally_core *core;            /* K */
	struct perf_event_mmap_page *page;  /* K */
	uint8_t **chunks;                   /* K; memory blocks that hold the data */
	uint32_t nr_chunks;                 /* K */
	uint8_t chunk_shift;                /* K; log2 of the block size */
	uint64_t size;                      /* K; data size in bytes, a power of two, or 0 */
	uint64_t watermark;                 /* K */
	bool contiguous;                    /* K; the data directly follows the metadata page */
	bool has_scratch;                   /* K; holds a reference to its CPUs' scratch memory */
	bool overwrite;                     /* K; user space does not move data_tail */
	struct tally_core_event *owner;     /* K; event that was mapped to create the buffer */
	int32_t cpu;                        /* K; only CPU that writes, or -1 for `context`'s CPU */
	struct tally_core_context *context; /* K; the owner's context */
	uint32_t refs;                      /* atomic; all mappings together hold one reference */
	uint32_t walkers;                   /* atomic; number of walks over `events` in progress */
	struct tally_spin lock;             /* taken before an event's output_lock */
	uint32_t mappings;                  /* lock; stays 0 once it is 0 */
	struct tally_list events;           /* lock; events that write to this buffer */
	bool paused;                        /* atomic; set by IOC_PAUSE_OUTPUT */
	uint64_t head;                      /* O; offset of the next record */
	uint32_t writers;                   /* O; nesting level of writers */
	uint64_t wakeup;                    /* O; bytes written up to the last watermark wakeup */
	uint32_t samples;                   /* O; samples since the last wakeup_events wakeup */
	bool wake;                          /* O; a wakeup is due */
	uint64_t lost;                      /* O; records lost since the last LOST record */
	uint32_t poll;                      /* atomic; set by the writer, cleared by poll() */
	struct tally_core_account *user, *space; /* K; accounts charged for the pages below */
	uint64_t user_pages, space_pages;
};

/* Space for one record. */
struct tally_slot {
	struct tally_core_buffer *buffer;
	uint8_t *to; /* write `len` bytes here */
	uint64_t at; /* position in the buffer */
	uint32_t len;
	bool elsewhere; /* `to` is scratch memory, because the space is not contiguous */
};

/* Reserve `len` bytes, a multiple of 8. `scratch` is used if the space is not contiguous. Return
 * false if the buffer is full or paused; in that case, `*wake` is set if readers must be woken
 * because an interrupt has written records in the meantime. Called with interrupts off. */
bool tally_buffer_reserve(struct tally_core_buffer *buffer, bool backward, uint32_t len,
			  uint8_t *scratch, bool *wake, struct tally_slot *ret_slot);

/* Commit a record that has been written. Return true if readers must be woken. */
bool tally_buffer_commit(struct tally_slot *slot);

/* Return the event's buffer with a reference, or NULL if the event has no buffer.
 * tally_buffer_put() releases a reference; its argument may be NULL. Called where sleeping is
 * allowed. */
struct tally_core_buffer *tally_buffer_get(struct tally_core_event *event);
void tally_buffer_put(struct tally_core_buffer *buffer);

/* Attach an event to a buffer. Return 0, -EBUSY if the event already has a buffer, or -ENODEV if
 * the buffer is no longer mapped. tally_buffer_unlink() detaches the event if it writes to this
 * buffer; tally_buffer_detach() detaches the event from any buffer. */
int tally_buffer_attach(struct tally_core_buffer *buffer, struct tally_core_event *event);
void tally_buffer_unlink(struct tally_core_buffer *buffer, struct tally_core_event *event);
void tally_buffer_detach(struct tally_core_event *event);

/* Redirect an event to the buffer `to`, or to no buffer if `to` is NULL. Return 0, -EBUSY if the
 * event has its own buffer, or -ENODEV if `to` is no longer mapped. */
int tally_buffer_redirect(struct tally_core_event *event, struct tally_core_buffer *to);

/* Add a mapping of `event`'s own buffer, `size` bytes long. Return 0, -EINVAL if the buffer has
 * another size, -EBUSY if the buffer belongs to another event, or -ENODEV if the buffer is no
 * longer mapped. */
int tally_buffer_map(struct tally_core_buffer *buffer, const struct tally_core_event *event,
		     uint64_t size);

/* Remove a mapping. Removing the last mapping detaches all events and releases the mappings'
 * reference. Calls the CPU that may write. */
void tally_buffer_unmap(struct tally_core_buffer *buffer);

/* Call fn for every event that writes to this event's buffer. Return false if this event has no
 * buffer. Called with interrupts off. */
bool tally_buffer_for_each(struct tally_core_event *event,
			   void (*fn)(const struct tally_core_event *event, unsigned what),
			   unsigned what);

/* Return and clear the poll() mask of the event's buffer, or return POLLHUP if the event has no
 * buffer. */
uint32_t tally_buffer_poll(struct tally_core_event *event);

/* Free a buffer after its last reference has been released, and uncharge its pages. Defined in
 * mmap.c. */
void tally_buffer_free(struct tally_core_buffer *buffer);

/* Count one of the event's records as lost, because its CPU is offline and cannot write the record.
 * The next record that this CPU writes reports the loss. Called with the family lock held. */
void tally_buffer_count_lost(struct tally_core_event *event);

#endif
