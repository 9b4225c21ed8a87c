/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile_thread.h"

#include <stdlib.h>

#include "base/relay.h"
#include "base/thread.h"
#include "profile/profile_private.h"
#include "symbols/lines/symbols_lines.h"

enum { BATCHES = 64, ENOUGH = 24 };

struct profile_thread {
	struct tally_profile *profile;
	pthread_t thread;
	bool runs;
	struct tally_batch batches[BATCHES];
	struct tally_relay relay;
	atomic_int error;
};

static void *thread_run(void *arg)
{
	struct profile_thread *thread = arg;
	size_t slot;

	while (tally_relay_take(&thread->relay, &slot)) {
		int ret = 0;

		thread->profile->batch = &thread->batches[slot];
		if (!atomic_load(&thread->error))
			ret = profile_batch_resolve(thread->profile);
		if (ret)
			atomic_store(&thread->error, ret);
		tally_relay_return(&thread->relay);
	}
	tally_lines_stop_workers(tally_machine_symbols(thread->profile->machine));
	return NULL;
}

/* Called before the machine changes what resolving depends on. JIT code is read by both threads,
 * whenever a map or dump has grown, so that one thread must do everything. An error is returned for
 * the next batch. */
static void guard(void *arg, bool is_jit)
{
	struct tally_profile *profile = arg;

	if (is_jit)
		(void)profile_thread_stop(profile);
	else
		(void)profile_thread_wait(profile);
	if (profile->thread->runs && tally_relay_is_futile(&profile->thread->relay))
		(void)profile_thread_stop(profile);
}

void profile_thread_start(struct tally_profile *profile)
{
	struct profile_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return;
	thread->profile = profile;
	tally_relay_init(&thread->relay, BATCHES, ENOUGH);
	profile->thread = thread;
	profile->gathering = &thread->batches[0];
	if (tally_thread_start(&thread->thread, thread_run, thread))
		return;
	thread->runs = true;
	tally_machine_set_guard(profile->machine, guard, profile);
}

static bool thread_runs(const struct tally_profile *profile)
{
	return profile->thread && profile->thread->runs;
}

int profile_thread_hand_over(struct tally_profile *profile)
{
	struct profile_thread *thread = profile->thread;
	int error = thread ? atomic_load(&thread->error) : 0;
	size_t slot;

	if (error || !profile->gathering->nr)
		return error;
	if (!thread_runs(profile)) {
		profile->batch = profile->gathering;
		return profile_batch_resolve(profile);
	}
	tally_relay_give(&thread->relay);
	(void)tally_relay_room(&thread->relay, &slot);
	profile->gathering = &thread->batches[slot];
	return 0;
}

int profile_thread_wait(const struct tally_profile *profile)
{
	struct profile_thread *thread = profile->thread;

	if (!thread)
		return 0;
	if (thread->runs)
		tally_relay_wait(&thread->relay);
	return atomic_load(&thread->error);
}

int profile_thread_stop(struct tally_profile *profile)
{
	struct profile_thread *thread = profile->thread;
	int ret = profile_thread_wait(profile);

	if (!thread_runs(profile))
		return ret;
	tally_machine_set_guard(profile->machine, NULL, NULL);
	tally_relay_end(&thread->relay);
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
	tally_relay_free(&thread->relay);
	free(thread);
	profile->thread = NULL;
}
