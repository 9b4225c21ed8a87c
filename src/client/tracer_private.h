/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to client/tracer*.c. */
#ifndef TALLY_CLIENT_TRACER_PRIVATE_H
#define TALLY_CLIENT_TRACER_PRIVATE_H

#include "client/restorer.h"
#include "client/tracer.h"

struct tally_tracer {
	const char *root;
	char name[64];
	char dir[96];   /* directory of the instance, or the root at the top level */
	bool top_level; /* there is no instance */
	bool force;     /* as in the options */
	bool claimed;   /* shared settings may be changed: no one else uses them, or `force` */
	int lock;       /* the root directory, locked while shared settings are in use; the restorer
	                 * shares it */
	int trace, power; /* trace_pipe and tracing_on; -1: not open yet */
	struct tally_restorer restorer;
};

#define TALLY_TRACER_INSTANCES "instances"
#define TALLY_TRACER_PREFIX    "tally-"

/* Acquire the right to change shared settings, unless done before. Returns 0, -EBUSY, or an error
 * of the restorer. */
int tally_tracer_claim(struct tally_tracer *tracer, struct tally_refusal *ret_why);

/* Convert the text of a tracefs file, in place, to input that restores the setting when written
 * back: names without comments, commands and anything after a name; of "7 (expanded: 1408)" the
 * latter. */
void tally_tracefs_as_input(char *text);

#endif
