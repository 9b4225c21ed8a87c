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
#include "base/messages.h"
#include "tally/client.h"

/* An all-zero struct selects only the command. Strings are borrowed. */
struct tally_target {
	bool all_cpus;    /* -a */
	const char *cpus; /* -C: "0-3,5" */
	const char *pids; /* -p: "12,34", including all their threads */
	const char *tids; /* -t: individual threads */
	const char *user; /* -u: name or uid */
	bool per_thread;  /* counters follow tasks from CPU to CPU */
	bool each_thread; /* measure every thread on the machine, instead of CPUs */
	int32_t command;  /* pid of the command; 0 if not started */
};

/* Test the kind of target. If CPUs are given, tasks are ignored. */
bool tally_target_has_cpus(const struct tally_target *target);
bool tally_target_has_tasks(const struct tally_target *target);
bool tally_target_is_command(const struct tally_target *target);

/* Resolve conflicts between options. Call this before using the target. As in perf, tasks take
 * precedence over CPUs, with a warning. If neither is given, all CPUs are measured unless
 * `has_command` is set. */
void tally_target_normalize(struct tally_target *target, bool has_command,
			    const struct tally_messages *messages);

enum tally_target_trouble {
	TALLY_TARGET_OK,
	TALLY_TARGET_NO_TASK,   /* none of the listed tasks exists */
	TALLY_TARGET_IDLE_USER, /* the user has no tasks */
	TALLY_TARGET_BAD_LIST,  /* not a list of numbers */
	TALLY_TARGET_NO_USER,
	TALLY_TARGET_BAD_CPUS,   /* not a list of CPUs */
	TALLY_TARGET_NO_CPU,     /* does not exist, or is offline */
	TALLY_TARGET_FOREIGN,    /* /proc belongs to another pid namespace */
	TALLY_TARGET_UNREADABLE, /* error from procfs or sysfs, stored in `code` */
};

/* Reason why a target could not be resolved. */
struct tally_target_error {
	enum tally_target_trouble trouble;
	int code;           /* the -errno returned */
	const char *option; /* "--pid"; NULL if not caused by an option */
	const char *text;   /* argument of the option, borrowed; or NULL */
	int32_t cpu;        /* for NO_CPU */
};

/*
 * Determine the CPUs and threads to open counters on. The caller frees each with free(3).
 *
 * For a CPU target, these are the CPUs given with -C, or all online CPUs, and all threads.
 *
 * For tasks or a command, these are their threads and all online CPUs or, with per_thread, any CPU.
 *
 * Returns 0; -ESRCH, -EINVAL, -ENODEV or the error from reading procfs or sysfs, with `*ret_why`
 * (may be NULL); or -ENOMEM.
 */
int tally_target_resolve(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, struct tally_target_error *ret_why);

/* Do the same as tally_target_resolve(), but only for the CPUs or only for the threads. */
int tally_target_cpus(const struct tally_target *target, struct tally_cpus **ret_cpus,
		      struct tally_target_error *ret_why);
int tally_target_threads(const struct tally_target *target, struct tally_threads **ret_threads,
			 struct tally_target_error *ret_why);

/* Warn about listed tasks that are left out because they no longer exist. */
void tally_target_warn_gone(const struct tally_threads *threads,
			    const struct tally_messages *messages);

/* Append the error as a message: "--pid 4711: no such task (any more)". */
void tally_target_explain(const struct tally_target_error *why, struct tally_str *out);

#endif
