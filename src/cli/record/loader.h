/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that loads the unwind rules of files, so that nobody waits for them. */
#ifndef TALLY_CLI_RECORD_LOADER_H
#define TALLY_CLI_RECORD_LOADER_H

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbols/symbols.h"

struct record_loader {
	pthread_t thread;
	bool is_started;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	/* Under the lock: */
	TALLY_VEC(struct tally_dso *) todo;
	struct tally_map states; /* of DSOs by address, enum in loader.c */
	uint64_t nr_loaded;
	bool is_ended;
};

/* 0 or the error of pthread_create(3). */
int record_loader_start(struct record_loader *loader);

/* Have it end, when it is done with the file that it is at. */
void record_loader_stop(struct record_loader *loader);

/* Whether the rules of `dso` are loaded, or known to be none; if not, they will be. `loader` is a
 * struct record_loader. */
bool record_loader_is_ready(void *loader, struct tally_dso *dso);

/* Wait until one more is loaded, or for a moment. */
void record_loader_wait(struct record_loader *loader);

#endif
