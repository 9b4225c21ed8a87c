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
	struct tally_core *core;           /* K */
	struct perf_event_mmap_page *page; /* K */
	uint8_t **chunks;                  /* K; pieces of memory that make up the data */
	uint32_t nr_chunks;                /* K */
	uint8_t chunk_shift;               /* K; log2 of the bytes of each */
	uint64_t size;                     /* K; bytes of data, a power of two; or 0 */
	uint64_t watermark;                /* K */
	bool overwrite;                    /* K; user space does not move data_tail */
	struct tally_core_event *owner;    /* K; whose mmap made it */
	uint32_t mappings;                 /* C; it lives as long as there are some */
	struct tally_spin lock;
	struct tally_list events;                /* lock; who writes here */
	bool paused;                             /* C writes, O reads */
	uint64_t head;                           /* O; where the next record goes */
	uint32_t writers;                        /* O; nested ones */
	uint64_t wakeup;                         /* O; head of the last wakeup by watermark */
	uint32_t samples;                        /* O; since the last wakeup by events */
	bool wake;                               /* O; a wakeup is due */
	uint64_t lost;                           /* O; records since the last LOST record */
	uint32_t poll;                           /* set by the writer, taken by poll */
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
 * there is no room, or the buffer is paused. With interrupts off. */
bool tally_buffer_reserve(struct tally_core_buffer *buffer, bool backward, uint32_t len,
			  uint8_t *scratch, struct tally_slot *ret_slot);

/* They are written. True when somebody has to be woken. */
bool tally_buffer_commit(struct tally_slot *slot);

/* Attach an event to a buffer, detach it. C; detaching quiesces. */
void tally_buffer_attach(struct tally_core_buffer *buffer, struct tally_core_event *event);
void tally_buffer_detach(struct tally_core_event *event);

#endif
