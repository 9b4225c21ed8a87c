/* SPDX-License-Identifier: BSD-2-Clause */
/* The option --via: which implementation of perf_event_open a command measures with. */
#ifndef TALLY_CLI_MAIN_VIA_H
#define TALLY_CLI_MAIN_VIA_H

#include <stdbool.h>

#include "cli/main/command.h"
#include "cli/main/via_programs.h"
#include "hosts/user/user.h"
#include "sampler/child.h"
#include "sampler/messages.h"
#include "sampler/sampling.h"
#include "sampler/target.h"
#include "tally/client.h"

/* Zeroed: the kernel's perf_event_open. */
struct tally_via {
	struct tally_user *user; /* NULL: the kernel's perf_event_open */
	struct tally_transport transport;
	struct tally_child_reaper reaper;
	struct tally_via_programs programs;
};

/* The row of the option; `at` is the offset of its string in the command's config. */
#define TALLY_OPTION_VIA(at)                                                                      \
	{                                                                                         \
		0, "via", TALLY_OPTION_TEXT, at, "kernel|user|auto",                              \
			"measure with the kernel's perf_event_open, or without it by procfs and " \
			"ptrace; auto (default) uses what is permitted"                           \
	}

/* Return true if the kernel does not let us count anything, not even our own time in user space,
 * because of its rules or of a filter. A lack of descriptors or memory does not count. `access`
 * must have been probed. */
bool tally_via_kernel_refuses(const struct tally_access *access);

/*
 * Choose the implementation according to the option's text (NULL: auto), and start the user host if
 * that is chosen. `samples`: the command samples. If `target` has CPUs, the user host is rejected,
 * as it supports threads only. Call this after setting up the signals that the command waits for.
 * `via` must not move until it is closed. Returns 0, or -errno after an error message to
 * `messages`.
 */
int tally_via_open(struct tally_via *via, const char *text, const struct tally_target *target,
		   bool samples, const struct tally_messages *messages);

/* The same for a command that samples. With the user host, `sampling` gets its transport, and a
 * suitable frequency if neither frequency nor period is set. Unless `sampling` is quiet, a message
 * informs the user that the user host is used. */
int tally_via_open_sampling(struct tally_via *via, const char *text,
			    struct tally_sampling *sampling);

/* Check that the command can be measured before starting it. `command` is argv[0], or NULL for
 * none. Returns 0, or -EPERM after an error message. */
int tally_via_check_command(const struct tally_via *via, const char *command,
			    const struct tally_messages *messages);

/* Close what tally_via_open() started, after the opened events are closed and the child is freed.
 * Warns of programs whose behaviour was changed by tracing, and of those that were not measured. */
void tally_via_close(struct tally_via *via);

/* Return the transport to measure with; NULL for the kernel's. */
const struct tally_transport *tally_via_transport(const struct tally_via *via);

/* If the user host traces the child, have the user host report the child's exit. */
void tally_via_adopt(const struct tally_via *via, struct tally_child *child);

/* Return "kernel" or "user". */
const char *tally_via_name(const struct tally_via *via);

#endif
