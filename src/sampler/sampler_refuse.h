/* SPDX-License-Identifier: BSD-2-Clause */
/* Explanations of refusals, in the same format for all commands: what was refused, the violated
 * rule, the current state, the required state, and the possible fixes, smallest change first. */
#ifndef TALLY_SAMPLER_REFUSE_H
#define TALLY_SAMPLER_REFUSE_H

#include <stddef.h>

#include "base/messages.h"
#include "sampler/target.h"
#include "tally/client.h"

/* Report that `what` failed, e.g. "cannot open cycles": as an error, or as a warning if the command
 * continues. */
void tally_refusal_report(const char *what, const struct tally_refusal *why,
			  const struct tally_messages *messages);
void tally_refuse_warning(const char *what, const struct tally_refusal *why,
			  const struct tally_messages *messages);

/* Report that `command` could not be started; `code` is the error from fork(2) or pipe(2). */
void tally_refuse_start(const char *command, int code, const struct tally_messages *messages);

/* Call tally_target_resolve() and report errors. */
int tally_resolve_target(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, const struct tally_messages *messages);
/* Report why a target could not be resolved, as an error. */
void tally_refuse_target(const struct tally_target_error *why,
			 const struct tally_messages *messages);

/* Warn that a smaller amount is used because of a limit. The first fix, using less, is not printed,
 * since it has been applied. */
void tally_refuse_limit(const char *what, const struct tally_refusal *why,
			const struct tally_messages *messages);

/* Warn that events exclude the kernel because access to it is not permitted, and explain why.
 * `done` is the verb: "counted", "recorded". */
void tally_refuse_kernel(const char *done, const struct tally_messages *messages);

/* Called before opening the first event. Returns 0, or reports an error and returns -EPERM if a
 * seccomp filter would kill this process for opening an event. */
int tally_refuse_killed(const struct tally_messages *messages);

/* Number of descriptors that a recorder needs in addition to its events: for the output, and for
 * reading procfs and tracefs. */
enum { TALLY_SPARE_FILES = 4 };

/* Check that TALLY_SPARE_FILES descriptors are available. Without them, files that cannot be opened
 * would appear to be missing. Returns 0 or -EMFILE; the second function also reports the error and
 * the reason. */
int tally_spare_descriptors(void);
int tally_refuse_descriptors(const struct tally_messages *messages, struct tally_refusal *ret_why);

/* Set an event's filter, unless `filter` is NULL. Returns 0, or reports an error with the event's
 * name and returns the error from PERF_EVENT_IOC_SET_FILTER. */
int tally_set_filter(struct tally_counters *counters, size_t event, const char *name,
		     const char *filter, const struct tally_messages *messages);

/* If all CPUs are the target, warn about CPUs that came online after `covered` was determined,
 * because no events are open on them. */
void tally_refuse_new_cpus(const struct tally_target *target, const struct tally_cpus *covered,
			   const struct tally_messages *messages);

#endif
