/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/rules_loader.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/thread.h"

enum { STATE_QUEUED = 1, STATE_READY, WAIT_NS = 10000000, CLONES_MAX = 4096, END_SECONDS = 2 };

/* Wait for the next DSO to load. Return NULL when the loader is being stopped. Called with
 * loader->lock held. */
static struct tally_dso *queue_wait(struct tally_loader *loader)
{
	while (!loader->todo.len && !loader->is_ended)
		pthread_cond_wait(&loader->more, &loader->lock);
	return loader->is_ended ? NULL : loader->todo.data[--loader->todo.len];
}

static void loader_free(struct tally_loader *loader)
{
	pthread_mutex_destroy(&loader->lock);
	pthread_cond_destroy(&loader->more);
	pthread_cond_destroy(&loader->done);
	tally_vec_free(&loader->todo);
	tally_map_free(&loader->states);
	tally_symbols_free(loader->symbols);
	free(loader);
}

static void *loader_main(void *arg)
{
	struct tally_loader *loader = arg;
	struct tally_dso *dso;

	pthread_mutex_lock(&loader->lock);
	while ((dso = queue_wait(loader))) {
		pthread_mutex_unlock(&loader->lock);
		(void)tally_dso_rules(dso);
		pthread_mutex_lock(&loader->lock);
		loader->nr_asked--;
		loader->nr_loaded++;
		pthread_cond_broadcast(&loader->done);
		/* Cannot fail: the key is already in the map. */
		(void)tally_map_set(&loader->states, (uintptr_t)dso, STATE_READY);
	}
	pthread_mutex_unlock(&loader->lock);
	return NULL;
}

int tally_loader_new(const struct tally_symbols_options *options, struct tally_loader **ret_loader)
{
	struct tally_loader *loader = calloc(1, sizeof(*loader));
	int ret;

	if (!loader)
		return -ENOMEM;
	ret = tally_symbols_new(options, &loader->symbols);
	if (ret) {
		free(loader);
		return ret;
	}
	pthread_mutex_init(&loader->lock, NULL);
	pthread_cond_init(&loader->more, NULL);
	pthread_cond_init(&loader->done, NULL);
	ret = tally_thread_start(&loader->thread, loader_main, loader);
	if (ret)
		loader_free(loader);
	else
		*ret_loader = loader;
	return ret;
}

bool tally_loader_end(struct tally_loader *loader)
{
	struct timespec until;

	if (!loader)
		return true;
	pthread_mutex_lock(&loader->lock);
	loader->is_ended = true;
	pthread_cond_signal(&loader->more);
	pthread_mutex_unlock(&loader->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_SECONDS;
	if (pthread_timedjoin_np(loader->thread, NULL, &until))
		return false;
	loader_free(loader);
	return true;
}

/* Free the DSO clones once there are many, but only while no DSO is queued or being loaded. */
static void clones_collect(struct tally_loader *loader)
{
	size_t nr = tally_symbols_nr_dsos(loader->symbols);
	uint8_t *keep;

	if (nr < CLONES_MAX || loader->nr_asked)
		return;
	tally_map_free(&loader->states);
	keep = calloc(nr, 1);
	if (keep)
		tally_symbols_collect(loader->symbols, keep);
	free(keep);
}

/* Queue a clone for loading. If memory runs out, a later call retries. */
static void clone_queue(struct tally_loader *loader, struct tally_dso *twin)
{
	if (tally_map_set(&loader->states, (uintptr_t)twin, STATE_QUEUED))
		return;
	if (tally_vec_push(&loader->todo, twin))
		(void)tally_map_remove(&loader->states, (uintptr_t)twin);
	else
		loader->nr_asked++;
	pthread_cond_signal(&loader->more);
}

bool tally_loader_is_ready(void *arg, struct tally_dso *dso)
{
	struct tally_loader *loader = arg;
	struct tally_dso *twin;
	uint64_t state = TALLY_MAP_NONE;

	if (tally_dso_rules_state(dso) != TALLY_DSO_NOT_LOADED)
		return true;
	pthread_mutex_lock(&loader->lock);
	clones_collect(loader);
	if (!tally_dso_clone(loader->symbols, dso, &twin)) {
		state = tally_map_get(&loader->states, (uintptr_t)twin);
		if (state == TALLY_MAP_NONE)
			clone_queue(loader, twin);
	}
	if (state == STATE_READY) {
		tally_dso_move_rules(dso, twin);
		(void)tally_map_remove(&loader->states, (uintptr_t)twin);
	}
	pthread_mutex_unlock(&loader->lock);
	return state == STATE_READY;
}

void tally_loader_wait(struct tally_loader *loader)
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
