/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the kernel's tracers, run through tracefs so that nobody else's tracing is disturbed: in
 * an instance of its own, tally-PID, where the kernel has instances for this tracer, else at the
 * top level with every setting put back in the end. A restorer sees to that whatever ends this
 * process; instances of processes that are gone are removed by the next one.
 *
 * Which settings an instance has of its own differs between kernels, so it is asked: what it has no
 * file for is set at the top level. Options of the tracers are taken to be common to all instances,
 * as they are up to Linux 6.12 at least. What is common is only touched where its value differs and
 * nobody else traces.
 *
 * What was refused is explained in `ret_why`, which may not be NULL.
 */
#ifndef TALLY_CLIENT_TRACER_H
#define TALLY_CLIENT_TRACER_H

#include <stdbool.h>

#include "tally/client.h"

struct tally_tracer;

struct tally_tracer_options {
	const char *name; /* of the tracer: "function", "function_graph", "nop" ... */
	bool force;       /* touch what is common even while others trace */
};

/* Where tracefs is: one of two constant paths. -ENOENT when it is mounted nowhere, -EACCES when its
 * directory is closed to us. */
int tally_tracefs_find(const char **ret_root, struct tally_refusal *ret_why);

/* Why reading `file` of tracefs, an absolute path, failed with `code`. */
void tally_tracefs_explain(const char *root, const char *file, int code,
			   struct tally_refusal *ret_why);

/* Whether the running kernel has this tracer; false also when that cannot be read. */
bool tally_tracer_available(const char *root, const char *name);

/* Make the place to trace in, tracing switched off there, and start the restorer: the process must
 * have one thread. The tracer itself is set by tally_tracer_arm().
 * 0; -ENOENT, -EACCES, -EPERM: tracefs is not there or closed; -ENODEV: the kernel has no such
 * tracer; -EBUSY: somebody else uses what is common; -ENOMEM; errors of fork(2). */
int tally_tracer_open(const struct tally_tracer_options *options, struct tally_tracer **ret_tracer,
		      struct tally_refusal *ret_why);

/* Whether it is at the top level rather than in an instance. */
bool tally_tracer_is_top_level(const struct tally_tracer *tracer);

/* Set a file that holds one value, named relative to the instance: "options/irq-info". A value that
 * it has already is not written. -ENOENT when this kernel has no such setting, -EINVAL when it does
 * not take the value, -EBUSY as above, else the error of open(2) or write(2). */
int tally_tracer_set(struct tally_tracer *tracer, const char *file, const char *value,
		     struct tally_refusal *ret_why);

/* The same for a file that holds a list, which becomes `values`. */
int tally_tracer_set_list(struct tally_tracer *tracer, const char *file, const char *const *values,
			  size_t nr, struct tally_refusal *ret_why);

/* Switch from "nop" to the tracer and make what it records readable. Once, after everything was
 * set. Errors as for tally_tracer_set(). */
int tally_tracer_arm(struct tally_tracer *tracer, struct tally_refusal *ret_why);

/* Record from now on, or no more. 0 or -errno of write(2). */
int tally_tracer_switch(struct tally_tracer *tracer, bool on);

/* The heading of the armed tracer's text, to be freed; "" if it has none. To be asked while nothing
 * has been recorded. 0, or the error of reading it. */
int tally_tracer_heading(const struct tally_tracer *tracer, char **ret_text);

/* What has been recorded, as text: a descriptor that is not blocking, for poll(2) and read(2).
 * Belongs to the tracer; -1 before it is armed. */
int tally_tracer_fd(const struct tally_tracer *tracer);

/* Put everything back, and wait for it. 0; the first error of that. */
int tally_tracer_close(struct tally_tracer *tracer);

#endif
