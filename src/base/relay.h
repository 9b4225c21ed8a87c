/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes items in order from one thread, the producer, to another, the consumer. The items are in a
 * ring of slots that the caller allocates; the functions return the index of a slot.
 *
 *	producer:
 *		while (tally_relay_room(relay, &slot)) { fill slots[slot]; tally_relay_give(relay); }
 *		tally_relay_end(relay);
 *	consumer:
 *		while (tally_relay_take(relay, &slot)) { use slots[slot]; tally_relay_return(relay); }
 *
 * A thread that has to wait sleeps until there are several items or free slots, because waking a
 * thread takes longer than most items.
 */
#ifndef TALLY_BASE_RELAY_H
#define TALLY_BASE_RELAY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Two threads that write to the same cache line wait for each other. */
enum { TALLY_CACHE_LINE = 64 };

struct tally_relay {
	size_t nr, enough; /* number of slots, and of those for which a thread is woken */
	size_t nr_waits;   /* calls of tally_relay_wait() */
	char apart1[TALLY_CACHE_LINE];
	atomic_size_t given;
	char apart2[TALLY_CACHE_LINE];
	atomic_size_t returned;
	char apart3[TALLY_CACHE_LINE];
	atomic_bool is_awaited; /* the producer waits for all items to be returned */
	atomic_bool is_ended;   /* no more items are given */
	atomic_bool is_left;    /* no more items are taken */
	atomic_int nr_asleep;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* Initialise a relay for `nr` slots. `enough` must be less than half of it. */
void tally_relay_init(struct tally_relay *relay, size_t nr, size_t enough);
void tally_relay_free(struct tally_relay *relay);

/* Producer: get a free slot, waiting for one. Repeated calls return the same slot until it is
 * given. Returns false if the consumer has left. */
bool tally_relay_room(struct tally_relay *relay, size_t *ret_slot);
void tally_relay_give(struct tally_relay *relay);
/* Producer: wait until all items are returned. */
void tally_relay_wait(struct tally_relay *relay);
/* Producer: return true if it has waited so often that one thread would be faster: many times, and
 * for less than two items each time. */
bool tally_relay_is_futile(const struct tally_relay *relay);
/* Producer: let tally_relay_take() return false after the items that were given. */
void tally_relay_end(struct tally_relay *relay);

/* Consumer: get the next item, waiting for it. Returns false at the end. */
bool tally_relay_take(struct tally_relay *relay, size_t *ret_slot);
void tally_relay_return(struct tally_relay *relay);
/* Consumer: take no more items, so that tally_relay_room() and tally_relay_wait() do not wait. */
void tally_relay_leave(struct tally_relay *relay);

#endif
