/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is measured: CPUs, tasks that exist, or a command. Every command that counts or samples has
 * one of these, filled from the same options, and resolves it here.
 */
#ifndef TALLY_SAMPLER_TARGET_H
#define TALLY_SAMPLER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "sampler/messages.h"
#include "tally/client.h"

/* All zero: the command alone. Texts are the user's and borrowed. */
struct tally_target {
	bool all_cpus;    /* -a */
	const char *cpus; /* -C: "0-3,5" */
	const char *pids; /* -p: "12,34", all threads of these */
	const char *tids; /* -t: these threads */
	const char *user; /* -u: name or number */
	bool per_thread;  /* counters follow tasks from CPU to CPU */
	bool each_thread; /* every thread of the machine by itself, not the CPUs */
	int32_t command;  /* pid of the command; 0: none was started */
};

/* What kind of target it is. With CPUs given, tasks are ignored. */
bool tally_target_has_cpus(const struct tally_target *target);
bool tally_target_has_tasks(const struct tally_target *target);
bool tally_target_is_command(const struct tally_target *target);

/* Of all that was asked for make one target, before it is looked at: tasks go before CPUs, as with
 * perf, and a warning says so; without either all CPUs are measured, unless `has_command`. */
void tally_target_settle(struct tally_target *target, bool has_command,
			 const struct tally_messages *messages);

enum tally_target_trouble {
	TALLY_TARGET_FINE,
	TALLY_TARGET_NO_TASK,  /* none of the listed ones exists */
	TALLY_TARGET_BAD_LIST, /* not a list of numbers */
	TALLY_TARGET_NO_USER,
	TALLY_TARGET_BAD_CPUS,   /* not a list of CPUs */
	TALLY_TARGET_NO_CPU,     /* not there, or off line */
	TALLY_TARGET_FOREIGN,    /* /proc shows another pid namespace */
	TALLY_TARGET_UNREADABLE, /* procfs or sysfs: `code` */
};

/* Why a target could not be resolved. */
struct tally_target_error {
	enum tally_target_trouble trouble;
	int code;           /* the -errno returned */
	const char *option; /* "--pid"; NULL: it was no option's */
	const char *text;   /* the option's argument, borrowed; NULL without */
	int32_t cpu;        /* of NO_CPU */
};

/*
 * The CPUs and threads to open counters on, each to be freed with free(3):
 *   CPUs: every CPU of -C or on line, all threads;
 *   tasks or a command: their threads, on each CPU on line, or with per_thread on any CPU.
 * 0; -ESRCH, -EINVAL, -ENODEV or the error of reading procfs and sysfs, with `*ret_why` (may be
 * NULL); -ENOMEM.
 */
int tally_target_resolve(const struct tally_target *target, struct tally_cpus **ret_cpus,
			 struct tally_threads **ret_threads, struct tally_target_error *ret_why);

/* The CPUs alone, or the threads alone; otherwise as tally_target_resolve(). */
int tally_target_cpus(const struct tally_target *target, struct tally_cpus **ret_cpus,
		      struct tally_target_error *ret_why);
int tally_target_threads(const struct tally_target *target, struct tally_threads **ret_threads,
			 struct tally_target_error *ret_why);

/* Tell which tasks of a list were left out, as they are gone. */
void tally_target_warn_gone(const struct tally_threads *threads,
			    const struct tally_messages *messages);

/* The trouble as a sentence: "--pid 4711: no such task (any more)". */
void tally_target_explain(const struct tally_target_error *why, struct tally_str *out);

#endif
