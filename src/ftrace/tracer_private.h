/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by tracer*.c; private to ftrace/. */
#ifndef TALLY_FTRACE_TRACER_PRIVATE_H
#define TALLY_FTRACE_TRACER_PRIVATE_H

#include "ftrace/restorer.h"
#include "ftrace/tracer.h"

struct tally_tracer {
	const char *root;
	char name[64];
	char dir[96];   /* directory of the instance, or the tracefs root at the top level */
	bool top_level; /* running without an instance */
	bool force;     /* as in struct tally_tracer_options */
	bool claimed;   /* may change shared settings: no other users, or `force` is set */
	/* The root directory, which is locked while shared settings are in use. The restorer
	 * shares this lock. */
	int lock;
	int trace, power; /* trace_pipe and tracing_on; -1 if not open yet */
	struct tally_restorer restorer;
};

#define TALLY_TRACER_INSTANCES "instances"
#define TALLY_TRACER_PREFIX    "tally-"

/* Acquire the right to change shared settings, unless already acquired. Returns 0, -EBUSY, or an
 * error from the restorer. */
int tally_tracer_claim(struct tally_tracer *tracer, struct tally_refusal *ret_why);

/* Convert text read from a tracefs file, in place, to text that restores the setting when written
 * to the file. Keep names, but remove comments, commands and everything after a name. Convert "7
 * (expanded: 1408)" to "1408". */
void tally_tracefs_as_input(char *text);

#endif
