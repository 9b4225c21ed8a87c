/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ring buffers. One CPU writes at a time: that of the event, or the one its task runs on; but
 * interrupts write into the middle of what they interrupt. Space is taken by moving `head`,
 * which the interrupted writer did before or will do after; what was written is published, as
 * data_head, by the outermost writer when all are done. So no lock is needed, and a reader
 * never sees a record that is not whole.
 */
#ifndef TALLY_CORE_BUFFER_H
#define TALLY_CORE_BUFFER_H

#include "core/private.h"

struct tally_core_buffer {
	struct tally_core *core;            /* K */
	struct perf_event_mmap_page *page;  /* K */
	uint8_t **chunks;                   /* K; pieces of memory that make up the data */
	uint32_t nr_chunks;                 /* K */
	uint8_t chunk_shift;                /* K; log2 of the bytes of each */
	uint64_t size;                      /* K; bytes of data, a power of two; or 0 */
	uint64_t watermark;                 /* K */
	bool contiguous;                    /* K; one piece with its page */
	bool has_scratch;                   /* K; holds that of its CPUs */
	bool overwrite;                     /* K; user space does not move data_tail */
	struct tally_core_event *owner;     /* K; whose mmap made it */
	int32_t cpu;                        /* K; the only CPU that writes; -1: where ... */
	struct tally_core_context *context; /* K; ... this is */
	uint32_t refs;                      /* atomic; the mappings together are one */
	uint32_t walkers;                   /* atomic; who walks `events` with interrupts off */
	struct tally_spin lock;             /* before an event's output_lock */
	uint32_t mappings;                  /* lock; without any there will be none again */
	struct tally_list events;           /* lock; who writes here */
	bool paused;                        /* C writes, O reads */
	uint64_t head;                      /* O; where the next record goes */
	uint32_t writers;                   /* O; nested ones */
	uint64_t wakeup;                    /* O; bytes written at the last wakeup by watermark */
	uint32_t samples;                   /* O; since the last wakeup by events */
	bool wake;                          /* O; a wakeup is due */
	uint64_t lost;                      /* O; records since the last LOST record */
	uint32_t poll;                      /* set by the writer, taken by poll */
	struct tally_core_account *user, *space; /* C; who paid, and how much */
	uint64_t user_pages, space_pages;
};

/* Room for one record. */
struct tally_slot {
	struct tally_core_buffer *buffer;
	uint8_t *to; /* write `len` bytes here */
	uint64_t at; /* where they go */
	uint32_t len;
	bool elsewhere; /* `to` is scratch: the room is in two pieces */
};

/* Take `len` bytes, a multiple of 8; `scratch` is used where they are not in one piece. False when
 * there is no room, or the buffer is paused. `*wake` is set, also then, when somebody has to be
 * woken: for what an interrupt wrote in the middle of this. With interrupts off. */
bool tally_buffer_reserve(struct tally_core_buffer *buffer, bool backward, uint32_t len,
			  uint8_t *scratch, bool *wake, struct tally_slot *ret_slot);

/* They are written. True when somebody has to be woken. */
bool tally_buffer_commit(struct tally_slot *slot);

/* The event's buffer with a reference, NULL when it has none; give one back, NULL is allowed. Where
 * the machine may sleep. */
struct tally_core_buffer *tally_buffer_get(struct tally_core_event *event);
void tally_buffer_put(struct tally_core_buffer *buffer);

/* Attach an event that has none to a buffer: -EBUSY when it has one, -ENODEV when the buffer is no
 * longer mapped. Detach it from the one it has, if any; or from this one, if it is what the event
 * has. */
int tally_buffer_attach(struct tally_core_buffer *buffer, struct tally_core_event *event);
void tally_buffer_unlink(struct tally_core_buffer *buffer, struct tally_core_event *event);
void tally_buffer_detach(struct tally_core_event *event);

/* Have it write to `to` instead of what it wrote to before; NULL: nowhere. -EBUSY: it has a buffer
 * of its own; -ENODEV: `to` is no longer mapped. */
int tally_buffer_redirect(struct tally_core_event *event, struct tally_core_buffer *to);

/* One mapping more of `event`'s own buffer of `size` bytes. -EINVAL: it has another size; -EBUSY:
 * it is another event's; -ENODEV: no longer mapped. */
int tally_buffer_map(struct tally_core_buffer *buffer, const struct tally_core_event *event,
		     uint64_t size);

/* One mapping less; with the last one every event is detached and the mappings' reference given
 * back. Calls the CPU that may write. */
void tally_buffer_unmap(struct tally_core_buffer *buffer);

/* Call fn for every event that writes to this one's buffer; false: it has none. Interrupts off. */
bool tally_buffer_for_each(struct tally_core_event *event,
			   void (*fn)(const struct tally_core_event *event, unsigned what),
			   unsigned what);

/* What poll() gives for the event: the word of its buffer, taken; POLLHUP without one. */
uint32_t tally_buffer_poll(struct tally_core_event *event);

/* The last reference is gone: give the memory back, and who paid his money. map.c. */
void tally_buffer_free(struct tally_core_buffer *buffer);

/* A record of this event that its CPU, which is off line, cannot write: the next one that it does
 * write says so. F. */
void tally_buffer_lose(struct tally_core_event *event);

#endif
