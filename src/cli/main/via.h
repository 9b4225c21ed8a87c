/* SPDX-License-Identifier: BSD-2-Clause */
/* The --via option, which selects the implementation of perf_event_open that a command uses. */
#ifndef TALLY_CLI_MAIN_VIA_H
#define TALLY_CLI_MAIN_VIA_H

#include <stdbool.h>

#include "cli/main/command.h"
#include "cli/main/via_programs.h"
#include "hosts/user/user.h"
#include "sampler/child.h"
#include "base/messages.h"
#include "sampler/sampling.h"
#include "sampler/target.h"
#include "tally/client.h"

/* The selected implementation. An all-zero struct means the kernel's perf_event_open. */
struct tally_via {
	struct tally_user *user; /* NULL for the kernel's perf_event_open */
	struct tally_transport transport;
	struct tally_child_reaper reaper;
	struct tally_via_programs programs;
};

/* Table row for the --via option. `at` is the offset of its string in the command's config. */
#define TALLY_OPTION_VIA(at)                                                         \
	{                                                                            \
		0, "via", TALLY_OPTION_TEXT, at, "kernel|user|auto",                 \
			"measure with perf_event_open (kernel), or with procfs and " \
			"ptrace (user); auto (default) uses whichever is permitted"  \
	}

/* Return true if the kernel's permissions or a filter prevent counting even our own time in user
 * space. A lack of descriptors or memory does not qualify. `access` must have been probed. */
bool tally_via_kernel_refuses(const struct tally_access *access);

/*
 * Choose the implementation according to `text`, the option's argument (NULL means auto), and start
 * the user host if chosen. `samples` is set if the command samples. The user host can measure only
 * threads, and is rejected if `target` selects CPUs. Call this after setting up the signals that
 * the command waits for. `via` must not move until it is closed. Returns 0, or prints an error to
 * `messages` and returns -errno.
 */
int tally_via_open(struct tally_via *via, const char *text, const struct tally_target *target,
		   bool samples, const struct tally_messages *messages);

/* Do the same as tally_via_open() for a command that samples. If the user host is chosen, set
 * the transport in `sampling`, set a suitable frequency unless a frequency or period is already
 * set, and inform the user unless `sampling` is quiet. */
int tally_via_open_sampling(struct tally_via *via, const char *text,
			    struct tally_sampling *sampling);

/* Before starting the command, check that it can be measured. `command` is argv[0], or NULL if
 * there is no command. Returns 0, or prints an error and returns -EPERM. */
int tally_via_check_command(const struct tally_via *via, const char *command,
			    const struct tally_messages *messages);

/* Shut down everything that tally_via_open() started. Call this after closing the opened events and
 * freeing the child. Warns about programs that behaved differently because of tracing, and about
 * programs that were not measured. */
void tally_via_close(struct tally_via *via);

/* Return the transport to use for measuring, or NULL for the kernel's. */
const struct tally_transport *tally_via_transport(const struct tally_via *via);

/* If the user host traces the child, let it report the child's exit. */
void tally_via_adopt(const struct tally_via *via, struct tally_child *child);

/* Return "kernel" or "user". */
const char *tally_via_name(const struct tally_via *via);

#endif
