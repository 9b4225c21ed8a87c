/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/loader.h"

#include <signal.h>
#include <time.h>

enum { STATE_ASKED = 1, STATE_READY, WAIT_NS = 10000000 };

/* The next one to load; NULL at the end. The caller holds the lock. */
static struct tally_dso *todo_take(struct record_loader *loader)
{
	while (!loader->todo.len && !loader->is_ended)
		pthread_cond_wait(&loader->more, &loader->lock);
	return loader->is_ended ? NULL : loader->todo.data[--loader->todo.len];
}

static void *loader_main(void *arg)
{
	struct record_loader *loader = arg;
	struct tally_dso *dso;

	pthread_mutex_lock(&loader->lock);
	while ((dso = todo_take(loader))) {
		pthread_mutex_unlock(&loader->lock);
		(void)tally_dso_rules(dso);
		pthread_mutex_lock(&loader->lock);
		/* Without memory it is asked for again. */
		loader->nr_loaded++;
		pthread_cond_broadcast(&loader->done);
		if (tally_map_put(&loader->states, (uintptr_t)dso, STATE_READY))
			(void)tally_map_remove(&loader->states, (uintptr_t)dso);
	}
	pthread_mutex_unlock(&loader->lock);
	return NULL;
}

int record_loader_start(struct record_loader *loader)
{
	sigset_t all, before;
	int ret;

	pthread_mutex_init(&loader->lock, NULL);
	pthread_cond_init(&loader->more, NULL);
	pthread_cond_init(&loader->done, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = -pthread_create(&loader->thread, NULL, loader_main, loader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	loader->is_started = !ret;
	return ret;
}

void record_loader_stop(struct record_loader *loader)
{
	if (!loader->is_started)
		return;
	pthread_mutex_lock(&loader->lock);
	loader->is_ended = true;
	pthread_cond_signal(&loader->more);
	pthread_mutex_unlock(&loader->lock);
	pthread_join(loader->thread, NULL);
	pthread_mutex_destroy(&loader->lock);
	pthread_cond_destroy(&loader->more);
	pthread_cond_destroy(&loader->done);
	tally_vec_free(&loader->todo);
	tally_map_free(&loader->states);
	loader->is_started = false;
}

bool record_loader_is_ready(void *arg, struct tally_dso *dso)
{
	struct record_loader *loader = arg;
	uint64_t state;

	pthread_mutex_lock(&loader->lock);
	state = tally_map_get(&loader->states, (uintptr_t)dso);
	if (state == TALLY_MAP_NONE && !tally_vec_push(&loader->todo, dso)) {
		(void)tally_map_put(&loader->states, (uintptr_t)dso, STATE_ASKED);
		pthread_cond_signal(&loader->more);
	}
	pthread_mutex_unlock(&loader->lock);
	return state == STATE_READY;
}

void record_loader_wait(struct record_loader *loader)
{
	struct timespec until;
	uint64_t before;
	int ret = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&loader->lock);
	before = loader->nr_loaded;
	while (!ret && loader->nr_loaded == before)
		ret = pthread_cond_timedwait(&loader->done, &loader->lock, &until);
	pthread_mutex_unlock(&loader->lock);
}
