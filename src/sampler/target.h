/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The target of a measurement: CPUs, existing tasks, or a command. Commands that count or sample
 * fill a struct tally_target from the same options and resolve it here.
 */
#ifndef TALLY_SAMPLER_TARGET_H
#define TALLY_SAMPLER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "sampler/messages.h"
#include "tally/client.h"

/* Zeroed: only the command. Strings are borrowed. */
struct tally_target {
	bool all_cpus;    /* -a */
	const char *cpus; /* -C: "0-3,5" */
	const char *pids; /* -p: "12,34", with all their threads */
	const char *tids; /* -t: individual threads */
	const char *user; /* -u: name or number */
	bool per_thread;  /* counters follow tasks from CPU to CPU */
	bool each_thread; /* each thread of the machine separately, not CPUs */
	int32_t command;  /* pid of the command; 0: not started */
};

/* Return the kind of target. If CPUs are given, tasks are ignored. */
bool tally_target_has_cpus(const struct tally_target *target);
bool tally_target_has_tasks(const struct tally_target *target);
bool tally_target_is_command(const struct tally_target *target);

/* Resolve conflicts between options, before the target is used. As in perf, tasks take precedence
 * over CPUs, with a warning. With neither, all CPUs are measured, unless `has_command`. */
void tally_target_normalize(struct tally_target *target, bool has_command,
			    const struct tally_messages *messages);

enum tally_target_trouble {
	TALLY_TARGET_OK,
	TALLY_TARGET_NO_TASK,  /* none of the listed tasks exists */
	TALLY_TARGET_BAD_LIST, /* not a list of numbers */
	TALLY_TARGET_NO_USER,
	TALLY_TARGET_BAD_CPUS,   /* not a list of CPUs */
	TALLY_TARGET_NO_CPU,     /* does not exist, or is offline */
	TALLY_TARGET_FOREIGN,    /* /proc is that of another pid namespace */
	TALLY_TARGET_UNREADABLE, /* error in procfs or sysfs, see `code` */
};

/* Why a target could not be resolved. */
struct tally_target_error {
	enum tally_target_trouble trouble;
	int code;           /* the -errno returned */
	const char *option; /* "--pid"; NULL: not caused by an option */
	const char *text;   /* argument of the option, borrowed; or NULL */
	int32_t cpu;        /* for NO_CPU */
};

/*
 * Determine the CPUs and threads to open counters on; the caller frees each with free(3).
 *
 * CPUs: each CPU of -C, or each one that is online; all threads.
 *
 * Tasks or a command: their threads; each CPU that is online or, with per_thread, any CPU.
 *
 * Returns 0; -ESRCH, -EINVAL, -ENODEV or the error of reading procfs and sysfs, with `*ret_why`
 * (may be NULL); or -ENOMEM.
 */
int tally_target_resolve(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, struct tally_target_error *ret_why);

/* Determine only the CPUs or only the threads; otherwise like tally_target_resolve(). */
int tally_target_cpus(const struct tally_target *target, struct tally_cpus **ret_cpus,
		      struct tally_target_error *ret_why);
int tally_target_threads(const struct tally_target *target, struct tally_threads **ret_threads,
			 struct tally_target_error *ret_why);

/* Warn of listed tasks that are left out because they no longer exist. */
void tally_target_warn_gone(const struct tally_threads *threads,
			    const struct tally_messages *messages);

/* Append the error as text: "--pid 4711: no such task (any more)". */
void tally_target_explain(const struct tally_target_error *why, struct tally_str *out);

#endif
