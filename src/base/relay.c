/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/relay.h"

#include <sched.h>

/* Number of looks at the counters before a thread sleeps. */
enum { LOOKS = 4 };

void tally_relay_init(struct tally_relay *relay, size_t nr, size_t enough)
{
	*relay = (struct tally_relay){.nr = nr, .enough = enough};
	pthread_mutex_init(&relay->lock, NULL);
	pthread_cond_init(&relay->changed, NULL);
}

void tally_relay_free(struct tally_relay *relay)
{
	pthread_cond_destroy(&relay->changed);
	pthread_mutex_destroy(&relay->lock);
}

static size_t nr_waiting(struct tally_relay *relay)
{
	return atomic_load(&relay->given) - atomic_load(&relay->returned);
}

/* Conditions to wait for: there are at least `nr` items to take, or at most `nr` that are not yet
 * returned. */
typedef bool (*condition_fn)(struct tally_relay *relay, size_t nr);

static bool can_take(struct tally_relay *relay, size_t nr)
{
	size_t waiting = nr_waiting(relay);

	return waiting >= nr || atomic_load(&relay->is_ended) ||
	       (waiting && atomic_load(&relay->is_awaited));
}

static bool can_give(struct tally_relay *relay, size_t nr)
{
	return nr_waiting(relay) <= nr || atomic_load(&relay->is_left);
}

/* Wait until the condition holds for `nr`. If it does not hold soon, sleep until it holds for
 * `enough`. */
static void wait_for(struct tally_relay *relay, condition_fn condition, size_t nr, size_t enough)
{
	for (int i = 0; i < LOOKS; i++) {
		if (condition(relay, nr))
			return;
		sched_yield();
	}
	pthread_mutex_lock(&relay->lock);
	atomic_fetch_add(&relay->nr_asleep, 1);
	while (!condition(relay, enough))
		pthread_cond_wait(&relay->changed, &relay->lock);
	atomic_fetch_sub(&relay->nr_asleep, 1);
	pthread_mutex_unlock(&relay->lock);
}

/* Wake the other thread if it sleeps and its condition holds. A thread that is about to sleep
 * counts itself before it looks at the counters, so it is not missed. */
static void wake(struct tally_relay *relay, condition_fn condition, size_t enough)
{
	if (!atomic_load(&relay->nr_asleep) || !condition(relay, enough))
		return;
	pthread_mutex_lock(&relay->lock);
	pthread_cond_broadcast(&relay->changed);
	pthread_mutex_unlock(&relay->lock);
}

bool tally_relay_room(struct tally_relay *relay, size_t *ret_slot)
{
	wait_for(relay, can_give, relay->nr - 1, relay->nr - relay->enough);
	*ret_slot = atomic_load(&relay->given) % relay->nr;
	return !atomic_load(&relay->is_left);
}

void tally_relay_give(struct tally_relay *relay)
{
	atomic_fetch_add(&relay->given, 1);
	wake(relay, can_take, relay->enough);
}

void tally_relay_wait(struct tally_relay *relay)
{
	relay->nr_waits++;
	atomic_store(&relay->is_awaited, true);
	wake(relay, can_take, relay->enough);
	wait_for(relay, can_give, 0, 0);
	atomic_store(&relay->is_awaited, false);
}

bool tally_relay_is_futile(const struct tally_relay *relay)
{
	enum { MANY = 256 };

	return relay->nr_waits > MANY && atomic_load(&relay->given) < 2 * relay->nr_waits;
}

void tally_relay_end(struct tally_relay *relay)
{
	atomic_store(&relay->is_ended, true);
	wake(relay, can_take, relay->enough);
}

bool tally_relay_take(struct tally_relay *relay, size_t *ret_slot)
{
	wait_for(relay, can_take, 1, relay->enough);
	*ret_slot = atomic_load(&relay->returned) % relay->nr;
	return nr_waiting(relay) > 0;
}

void tally_relay_return(struct tally_relay *relay)
{
	atomic_fetch_add(&relay->returned, 1);
	wake(relay, can_give, atomic_load(&relay->is_awaited) ? 0 : relay->nr - relay->enough);
}

void tally_relay_leave(struct tally_relay *relay)
{
	atomic_store(&relay->is_left, true);
	wake(relay, can_give, 0);
}
