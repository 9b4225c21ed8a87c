/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile_thread.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"
#include "profile/profile_private.h"

/* Number of batches that may wait; of batches for which a thread wakes up; and of looks at the
 * numbers before a thread sleeps. Waking up takes as long as resolving a batch. */
enum { BATCHES = 64, ENOUGH = 16, LOOKS = 20 };

struct profile_thread {
	struct tally_profile *profile;
	pthread_t thread;
	bool runs;
	struct tally_batch batches[BATCHES];
	atomic_size_t handed, resolved; /* numbers of batches */
	atomic_bool is_awaited;         /* the other thread waits for all batches */
	atomic_bool ends;               /* no more batches will be handed over */
	atomic_int error;
	/* For a thread that sleeps until one of the numbers changes. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	atomic_int nr_asleep;
};

/* ---- waiting ------------------------------------------------------------------------ */

/* Conditions to wait for: whether the number of waiting batches is at least or at most `nr`. */
typedef bool (*condition_fn)(struct profile_thread *thread, size_t nr);

static size_t nr_waiting(struct profile_thread *thread)
{
	return atomic_load(&thread->handed) - atomic_load(&thread->resolved);
}

static bool has_work(struct profile_thread *thread, size_t nr)
{
	return nr_waiting(thread) >= nr || atomic_load(&thread->ends) ||
	       (atomic_load(&thread->is_awaited) && nr_waiting(thread));
}

static bool has_room(struct profile_thread *thread, size_t nr)
{
	return nr_waiting(thread) <= nr;
}

/* Wait until a condition holds for `nr`. Sleep if it does not hold soon, and then until it holds
 * for `enough`. */
static void wait_for(struct profile_thread *thread, condition_fn condition, size_t nr,
		     size_t enough)
{
	for (int i = 0; i < LOOKS; i++) {
		if (condition(thread, nr))
			return;
		sched_yield();
	}
	pthread_mutex_lock(&thread->lock);
	atomic_fetch_add(&thread->nr_asleep, 1);
	while (!condition(thread, enough))
		pthread_cond_wait(&thread->changed, &thread->lock);
	atomic_fetch_sub(&thread->nr_asleep, 1);
	pthread_mutex_unlock(&thread->lock);
}

/* Wake the other thread if it sleeps and the condition that it may wait for holds. */
static void wake(struct profile_thread *thread, condition_fn condition, size_t enough)
{
	if (!atomic_load(&thread->nr_asleep) || !condition(thread, enough))
		return;
	pthread_mutex_lock(&thread->lock);
	pthread_cond_broadcast(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
}

/* ---- the thread --------------------------------------------------------------------- */

static void batch_resolve(struct profile_thread *thread)
{
	struct tally_profile *profile = thread->profile;
	int ret;

	profile->batch = &thread->batches[atomic_load(&thread->resolved) % BATCHES];
	ret = atomic_load(&thread->error) ? 0 : profile_batch_resolve(profile);
	if (ret)
		atomic_store(&thread->error, ret);
	atomic_fetch_add(&thread->resolved, 1);
	wake(thread, has_room, atomic_load(&thread->is_awaited) ? 0 : BATCHES - ENOUGH);
}

static void *thread_run(void *arg)
{
	struct profile_thread *thread = arg;

	for (;;) {
		wait_for(thread, has_work, 1, ENOUGH);
		if (!nr_waiting(thread))
			return NULL;
		batch_resolve(thread);
	}
}

/* ---- the thread that adds samples ----------------------------------------------------- */

/* Called before the machine changes what resolving depends on. */
static void guard(void *arg, bool is_jit)
{
	struct tally_profile *profile = arg;

	/* JIT code is read by both threads, whenever a map or dump has grown. The error is returned
	 * for the next batch. */
	if (is_jit)
		(void)profile_thread_stop(profile);
	else
		(void)profile_thread_wait(profile);
}

void profile_thread_start(struct tally_profile *profile)
{
	struct profile_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return;
	thread->profile = profile;
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->changed, NULL);
	profile->thread = thread;
	profile->gathering = &thread->batches[0];
	if (tally_thread_start(&thread->thread, thread_run, thread))
		return;
	thread->runs = true;
	tally_machine_set_guard(profile->machine, guard, profile);
}

bool profile_thread_runs(const struct tally_profile *profile)
{
	return profile->thread && profile->thread->runs;
}

int profile_thread_hand_over(struct tally_profile *profile)
{
	struct profile_thread *thread = profile->thread;

	if (!profile_thread_runs(profile)) {
		int ret = thread ? atomic_load(&thread->error) : 0;

		profile->batch = profile->gathering;
		return ret ? ret : profile_batch_resolve(profile);
	}
	if (!profile->gathering->nr)
		return atomic_load(&thread->error);
	atomic_fetch_add(&thread->handed, 1);
	wake(thread, has_work, ENOUGH);
	wait_for(thread, has_room, BATCHES - 1, BATCHES - ENOUGH);
	profile->gathering = &thread->batches[atomic_load(&thread->handed) % BATCHES];
	return atomic_load(&thread->error);
}

int profile_thread_wait(const struct tally_profile *profile)
{
	struct profile_thread *thread = profile->thread;

	if (!thread)
		return 0;
	atomic_store(&thread->is_awaited, true);
	wake(thread, has_work, ENOUGH);
	wait_for(thread, has_room, 0, 0);
	atomic_store(&thread->is_awaited, false);
	return atomic_load(&thread->error);
}

int profile_thread_stop(struct tally_profile *profile)
{
	struct profile_thread *thread = profile->thread;
	int ret = profile_thread_wait(profile);

	if (!profile_thread_runs(profile))
		return ret;
	tally_machine_set_guard(profile->machine, NULL, NULL);
	atomic_store(&thread->ends, true);
	wake(thread, has_work, ENOUGH);
	pthread_join(thread->thread, NULL);
	thread->runs = false;
	return ret;
}

void profile_thread_free(struct tally_profile *profile)
{
	struct profile_thread *thread = profile->thread;

	if (!thread)
		return;
	(void)profile_thread_stop(profile);
	for (size_t i = 0; i < BATCHES; i++)
		profile_batch_free(&thread->batches[i]);
	pthread_cond_destroy(&thread->changed);
	pthread_mutex_destroy(&thread->lock);
	free(thread);
	profile->thread = NULL;
}
