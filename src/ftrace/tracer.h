/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the kernel's tracers, used through tracefs without disturbing other users of tracing. The
 * tracer runs in an instance tally-PID if the kernel supports instances for this tracer. Otherwise
 * it runs at the top level, where every setting is restored at the end. A restorer does this no
 * matter how this process exits. The next tracer removes instances of processes that no longer
 * exist.
 *
 * Kernels differ in which settings are separate in an instance. Therefore, if a setting does not
 * have a file in the instance, it is set at the top level. Tracer options are assumed to be shared
 * by all instances, as they are in Linux at least up to 6.12. A shared setting is changed only if
 * its value differs and no other user is tracing.
 *
 * Failures are explained in `ret_why`, which must not be NULL.
 */
#ifndef TALLY_FTRACE_TRACER_H
#define TALLY_FTRACE_TRACER_H

#include <stdbool.h>

#include "tally/client.h"

struct tally_tracer;

struct tally_tracer_options {
	const char *name; /* tracer name, such as "function", "function_graph" or "nop" */
	bool force;       /* change shared settings even if there are other users */
};

/* Find tracefs at one of two fixed paths. Returns 0, -ENOENT if tracefs is not mounted, or -EACCES
 * if its directory is not accessible. */
int tally_tracefs_find(const char **ret_root, struct tally_refusal *ret_why);

/* Explain why reading a tracefs file failed with `code`. `file` is an absolute path. */
void tally_tracefs_explain(const char *root, const char *file, int code,
			   struct tally_refusal *ret_why);

/* Return true if the running kernel has this tracer. Return false if it does not, or if the list of
 * tracers cannot be read. */
bool tally_tracer_available(const char *root, const char *name);

/* Create the instance to trace in, with tracing turned off, and start the restorer. The process
 * must be single-threaded. tally_tracer_arm() selects the tracer. Returns 0; -ENOENT, -EACCES or
 * -EPERM if tracefs is missing or not accessible; -ENODEV if the kernel does not have the tracer;
 * -EBUSY if other users depend on shared settings; -ENOMEM; or an error from fork(2). */
int tally_tracer_open(const struct tally_tracer_options *options, struct tally_tracer **ret_tracer,
		      struct tally_refusal *ret_why);

/* Return true if the tracer runs at the top level instead of in an instance. */
bool tally_tracer_is_top_level(const struct tally_tracer *tracer);

/* Set a single-value file, such as "options/irq-info"; the path is relative to the instance.
 * Nothing is written if the file already has this value. Returns -ENOENT if this kernel does not
 * have the setting, -EINVAL if it rejects the value, -EBUSY as in tally_tracer_open(), or an error
 * from open(2) or write(2). */
int tally_tracer_set(struct tally_tracer *tracer, const char *file, const char *value,
		     struct tally_refusal *ret_why);

/* Write `values` to a file that contains a list, replacing its contents. Returns the same errors as
 * tally_tracer_set(). */
int tally_tracer_set_list(struct tally_tracer *tracer, const char *file, const char *const *values,
			  size_t nr, struct tally_refusal *ret_why);

/* Switch from "nop" to the tracer and open its output. Call this once, after all settings. Returns
 * the same errors as tally_tracer_set(). */
int tally_tracer_arm(struct tally_tracer *tracer, struct tally_refusal *ret_why);

/* Start or stop recording. Returns 0 or the -errno from write(2). */
int tally_tracer_switch(struct tally_tracer *tracer, bool on);

/* Return the heading of the armed tracer's output, or "" if it has no heading. The caller frees the
 * text. Call this before anything has been recorded. Returns 0 or a read error. */
int tally_tracer_heading(const struct tally_tracer *tracer, char **ret_text);

/* Return a non-blocking descriptor for reading the recorded text with read(2), which also works
 * with poll(2). The tracer owns the descriptor. Returns -1 before the tracer is armed. */
int tally_tracer_fd(const struct tally_tracer *tracer);

/* Restore everything, wait until that is done, and free the tracer, which may be NULL. Returns 0 or
 * the first error. */
int tally_tracer_close(struct tally_tracer *tracer);

#endif
