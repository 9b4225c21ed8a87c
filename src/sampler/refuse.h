/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals in sentences, the same for every command: what was refused, by which rule, what was
 * found, what is needed, and what to change, smallest change first. */
#ifndef TALLY_SAMPLER_REFUSE_H
#define TALLY_SAMPLER_REFUSE_H

#include <stddef.h>

#include "sampler/messages.h"
#include "sampler/target.h"
#include "tally/client.h"

/* `what` was not done: "cannot open cycles". As an error, or as a warning where the command goes
 * on. */
void tally_refuse(const char *what, const struct tally_refusal *why,
		  const struct tally_messages *messages);
void tally_refuse_warning(const char *what, const struct tally_refusal *why,
			  const struct tally_messages *messages);

/* `command` could not be started: the error of fork(2) or pipe(2). */
void tally_refuse_start(const char *command, int code, const struct tally_messages *messages);

/* tally_target_resolve(), having printed why a target cannot be resolved. */
int tally_resolve_target(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, const struct tally_messages *messages);
void tally_refuse_target(const struct tally_target_error *why,
			 const struct tally_messages *messages);

/* A limit was met, and less was taken. The fix that this is, the first, is not told. */
void tally_refuse_limit(const char *what, const struct tally_refusal *why,
			const struct tally_messages *messages);

/* Events were opened without the kernel, as it is not permitted: said once, with the reason.
 * `done` is what happens to user space alone: "counted", "recorded". */
void tally_refuse_kernel(const char *done, const struct tally_messages *messages);

/* Before the first event: 0, or -EPERM, which is told, where a seccomp filter would kill us for
 * it. */
int tally_refuse_killed(const struct tally_messages *messages);

/* Descriptors that a recorder has open at once behind its events: the output, and what is read of
 * procfs and tracefs meanwhile. */
enum { TALLY_SPARE_FILES = 4 };

/* 0, or -EMFILE where so many are not to be had: files that cannot be opened would be taken for not
 * there. The second one tells it, and why. */
int tally_spare_descriptors(void);
int tally_refuse_descriptors(const struct tally_messages *messages, struct tally_refusal *ret_why);

/* Give an event its filter; NULL: it has none. 0 or the error of PERF_EVENT_IOC_SET_FILTER, which
 * is told with the event's name. */
int tally_set_filter(struct tally_counters *counters, size_t event, const char *name,
		     const char *filter, const struct tally_messages *messages);

/* Where all CPUs are the target: warn of those that came on line since `covered` was put together,
 * and that nothing was opened on. */
void tally_refuse_new_cpus(const struct tally_target *target, const struct tally_cpus *covered,
			   const struct tally_messages *messages);

#endif
