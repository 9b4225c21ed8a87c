/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that loads unwind rules from files in the background. The thread has its own symbols
 * with a clone of each requested DSO, and shares no other data with the owner's thread.
 */
#ifndef TALLY_SYMBOLS_RULES_LOADER_H
#define TALLY_SYMBOLS_RULES_LOADER_H

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbols/symbols.h"

struct tally_loader {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	/* Protected by `lock`. */
	struct tally_symbols *symbols;      /* except for the clone that is being loaded */
	TALLY_VEC(struct tally_dso *) todo; /* clones to load */
	struct tally_map states;            /* clone address -> state; see rules_loader.c */
	size_t nr_asked;                    /* number of clones queued or being loaded */
	uint64_t nr_loaded;
	bool is_ended;
};

/* Start the thread. `options`, which may be NULL, control how files are found. Returns 0, -ENOMEM
 * or an error from pthread_create(3). */
int tally_loader_new(const struct tally_symbols_options *options, struct tally_loader **ret_loader);

/* Stop the thread and free the loader, which may be NULL. Returns false if the file being loaded
 * takes longer than two seconds. In that case the thread keeps using its memory and everything that
 * its options point to, so the program should exit soon. */
bool tally_loader_end(struct tally_loader *loader);

/* Return true if the rules of `dso` are loaded or known to be absent. Otherwise queue the DSO for
 * loading and return false. Must be called by the thread that owns `dso`. `loader` is a struct
 * tally_loader. */
bool tally_loader_is_ready(void *loader, struct tally_dso *dso);

/* Wait until another DSO has been loaded, but at most 10 ms. */
void tally_loader_wait(struct tally_loader *loader);

#endif
