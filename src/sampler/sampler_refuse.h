/* SPDX-License-Identifier: BSD-2-Clause */
/* Explain refusals to the user, in the same way for all commands: what was refused, the violated
 * rule, what was found, what is needed, and what to change, smallest change first. */
#ifndef TALLY_SAMPLER_REFUSE_H
#define TALLY_SAMPLER_REFUSE_H

#include <stddef.h>

#include "sampler/messages.h"
#include "sampler/target.h"
#include "tally/client.h"

/* Report that `what` failed: "cannot open cycles". As an error, or as a warning if the command goes
 * on. */
void tally_refusal_report(const char *what, const struct tally_refusal *why,
			  const struct tally_messages *messages);
void tally_refuse_warning(const char *what, const struct tally_refusal *why,
			  const struct tally_messages *messages);

/* Report that `command` could not be started; `code` is the error of fork(2) or pipe(2). */
void tally_refuse_start(const char *command, int code, const struct tally_messages *messages);

/* Call tally_target_resolve() and report errors. */
int tally_resolve_target(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, const struct tally_messages *messages);
/* Report why a target could not be resolved. */
void tally_refuse_target(const struct tally_target_error *why,
			 const struct tally_messages *messages);

/* Warn that less is used because of a limit. The first fix, which is to use less, is left out. */
void tally_refuse_limit(const char *what, const struct tally_refusal *why,
			const struct tally_messages *messages);

/* Warn that events exclude the kernel, because it is not permitted, and why. `done` is the verb:
 * "counted", "recorded". */
void tally_refuse_kernel(const char *done, const struct tally_messages *messages);

/* Called before opening the first event. Returns 0, or -EPERM after an error message if a seccomp
 * filter would kill this process for it. */
int tally_refuse_killed(const struct tally_messages *messages);

/* Descriptors that a recorder needs in addition to its events: for the output, and for reading
 * procfs and tracefs. */
enum { TALLY_SPARE_FILES = 4 };

/* Check that this many descriptors are available. Without them, files that cannot be opened would
 * seem to be missing. Returns 0 or -EMFILE; the second function reports the error and why. */
int tally_spare_descriptors(void);
int tally_refuse_descriptors(const struct tally_messages *messages, struct tally_refusal *ret_why);

/* Set the filter of an event, or none if NULL. Returns 0, or the error of PERF_EVENT_IOC_SET_FILTER
 * after an error message with the event's name. */
int tally_set_filter(struct tally_counters *counters, size_t event, const char *name,
		     const char *filter, const struct tally_messages *messages);

/* If all CPUs are the target, warn of those that came online after `covered` was determined,
 * because no events are open on them. */
void tally_refuse_new_cpus(const struct tally_target *target, const struct tally_cpus *covered,
			   const struct tally_messages *messages);

#endif
