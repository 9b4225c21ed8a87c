/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the kernel's tracers, run through tracefs without disturbing the tracing of others: in an
 * instance tally-PID, if the kernel has instances for this tracer, else at the top level, where
 * every setting is restored in the end. A restorer does that however this process ends. Instances
 * of processes that are gone are removed by the next tracer.
 *
 * Which settings are separate in an instance differs between kernels, so this is probed: a setting
 * without a file in the instance is set at the top level. Options of tracers are taken to be shared
 * by all instances, as they are up to Linux 6.12 at least. A shared setting is only changed if its
 * value differs and others are not tracing.
 *
 * Failures are explained in `ret_why`, which must not be NULL.
 */
#ifndef TALLY_CLIENT_TRACER_H
#define TALLY_CLIENT_TRACER_H

#include <stdbool.h>

#include "tally/client.h"

struct tally_tracer;

struct tally_tracer_options {
	const char *name; /* tracer: "function", "function_graph", "nop" ... */
	bool force;       /* change shared settings even while others are tracing */
};

/* Find tracefs, at one of two constant paths. Returns 0, -ENOENT if it is not mounted, or -EACCES
 * if its directory is not accessible. */
int tally_tracefs_find(const char **ret_root, struct tally_refusal *ret_why);

/* Explain why reading `file` of tracefs, an absolute path, failed with `code`. */
void tally_tracefs_explain(const char *root, const char *file, int code,
			   struct tally_refusal *ret_why);

/* Return whether the running kernel has this tracer; false also if that cannot be read. */
bool tally_tracer_available(const char *root, const char *name);

/* Create the instance to trace in, with tracing switched off, and start the restorer. The process
 * must be single-threaded. The tracer itself is selected by tally_tracer_arm(). Returns 0; -ENOENT,
 * -EACCES or -EPERM if tracefs is missing or not accessible; -ENODEV if the kernel has no such
 * tracer; -EBUSY if others use shared settings; -ENOMEM; or an error of fork(2). */
int tally_tracer_open(const struct tally_tracer_options *options, struct tally_tracer **ret_tracer,
		      struct tally_refusal *ret_why);

/* Return whether it traces at the top level rather than in an instance. */
bool tally_tracer_is_top_level(const struct tally_tracer *tracer);

/* Set a file that contains one value, named relative to the instance: "options/irq-info". A value
 * that is already set is not written. Returns -ENOENT if this kernel has no such setting, -EINVAL
 * if it does not accept the value, -EBUSY as above, else the error of open(2) or write(2). */
int tally_tracer_set(struct tally_tracer *tracer, const char *file, const char *value,
		     struct tally_refusal *ret_why);

/* Replace the contents of a file that contains a list by `values`. Errors as above. */
int tally_tracer_set_list(struct tally_tracer *tracer, const char *file, const char *const *values,
			  size_t nr, struct tally_refusal *ret_why);

/* Switch from "nop" to the tracer and open its output. Call it once, after everything was set.
 * Errors as for tally_tracer_set(). */
int tally_tracer_arm(struct tally_tracer *tracer, struct tally_refusal *ret_why);

/* Start or stop recording. Returns 0 or -errno of write(2). */
int tally_tracer_switch(struct tally_tracer *tracer, bool on);

/* Return the heading of the armed tracer's text, which the caller frees; "" if it has none. Call it
 * before anything has been recorded. Returns 0, or the error of reading it. */
int tally_tracer_heading(const struct tally_tracer *tracer, char **ret_text);

/* Return a non-blocking descriptor for poll(2) and read(2), which yields what has been recorded as
 * text. It belongs to the tracer; -1 before the tracer is armed. */
int tally_tracer_fd(const struct tally_tracer *tracer);

/* Restore everything, wait for that, and free the tracer; NULL is allowed. Returns 0 or the first
 * error. */
int tally_tracer_close(struct tally_tracer *tracer);

#endif
