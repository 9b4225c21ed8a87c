/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to client/tracer*.c. */
#ifndef TALLY_CLIENT_TRACER_PRIVATE_H
#define TALLY_CLIENT_TRACER_PRIVATE_H

#include "client/restorer.h"
#include "client/tracer.h"

struct tally_tracer {
	const char *root;
	char name[64];
	char dir[96];   /* the instance; the root at the top level */
	bool top_level; /* there is no instance */
	bool force;     /* from the options */
	bool claimed;   /* nobody else uses what is common, or that is forced */
	int lock;       /* on the root, for who touches what is common; held by the restorer too */
	int trace, power; /* trace_pipe and tracing_on; -1: not open yet */
	struct tally_restorer restorer;
};

#define TALLY_TRACER_INSTANCES "instances"
#define TALLY_TRACER_PREFIX    "tally-"

/* What is common may be touched now. 0 or -EBUSY. */
int tally_tracer_claim(struct tally_tracer *tracer, struct tally_refusal *ret_why);

/* The words that put the text of a tracefs file back when they are written to it, in place: names
 * without comments, commands and what stands behind them; of "7 (expanded: 1408)" the latter. */
void tally_tracefs_as_input(char *text);

#endif
