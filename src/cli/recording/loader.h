/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that loads the unwind rules of files in the background. It has its own symbols with a
 * clone of each requested DSO, and shares nothing else with the owner's thread.
 */
#ifndef TALLY_CLI_RECORDING_LOADER_H
#define TALLY_CLI_RECORDING_LOADER_H

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbols/symbols.h"

struct tally_loader {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	/* Protected by `lock`: */
	struct tally_symbols *symbols;      /* except the clone that is being loaded */
	TALLY_VEC(struct tally_dso *) todo; /* clones to load */
	struct tally_map states;            /* by address of the clone; enum in loader.c */
	size_t nr_asked;                    /* queued or being loaded */
	uint64_t nr_loaded;
	bool is_ended;
};

/* Start the thread. `options`, which may be NULL, are used to find files. Returns 0, -ENOMEM or the
 * error of pthread_create(3). */
int tally_loader_new(const struct tally_symbols_options *options, struct tally_loader **ret_loader);

/* Stop the thread and free the loader. NULL is allowed. Returns false if the file being loaded
 * takes longer than two seconds: then the thread keeps its memory, and uses what its options point
 * to, until the program exits, which should be soon. */
bool tally_loader_end(struct tally_loader *loader);

/* True if the rules of `dso` are loaded, or known to be absent. Otherwise they are queued for
 * loading. Must be called by the thread that owns `dso`. `loader` is a struct tally_loader. */
bool tally_loader_is_ready(void *loader, struct tally_dso *dso);

/* Wait until another DSO is loaded, but at most 10 ms. */
void tally_loader_wait(struct tally_loader *loader);

#endif
