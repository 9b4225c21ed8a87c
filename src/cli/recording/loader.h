/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that loads the unwind rules of files, so that nobody waits for them. It has symbols of
 * its own, in which each DSO that is asked for has a twin: nothing else is shared.
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
	/* Under the lock: */
	struct tally_symbols *symbols;      /* but for the twin that is being loaded */
	TALLY_VEC(struct tally_dso *) todo; /* twins */
	struct tally_map states;            /* of twins by address, enum in loader.c */
	size_t nr_asked;                    /* and not loaded */
	uint64_t nr_loaded;
	bool is_ended;
};

/* Files are looked at by `options`, which may be NULL. 0, -ENOMEM or the error of
 * pthread_create(3). */
int tally_loader_new(const struct tally_symbols_options *options, struct tally_loader **ret_loader);

/* Have it end, and free it. NULL is allowed. A file that takes longer than two seconds is not
 * waited for: false. Then the thread keeps what it has, and what its options point to, until the
 * program ends, which is to be soon. */
bool tally_loader_end(struct tally_loader *loader);

/* Whether the rules of `dso` are loaded, or known to be none; if not, they will be. To be asked by
 * the thread that `dso` belongs to. `loader` is a struct tally_loader. */
bool tally_loader_is_ready(void *loader, struct tally_dso *dso);

/* Wait until one more is loaded, or for a moment. */
void tally_loader_wait(struct tally_loader *loader);

#endif
