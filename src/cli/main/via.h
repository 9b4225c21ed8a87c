/* SPDX-License-Identifier: BSD-2-Clause */
/* --via: which implementation of perf_event_open a command measures with. */
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

/* All zero: the kernel's. */
struct tally_via {
	struct tally_user *user; /* NULL: the kernel's */
	struct tally_transport transport;
	struct tally_child_reaper reaper;
	struct tally_via_programs programs;
};

/* The row of the option; `at` is the offset of its text in the command's config. */
#define TALLY_OPTION_VIA(at)                                                                       \
	{                                                                                          \
		0, "via", TALLY_OPTION_TEXT, at, "kernel|user|auto",                               \
			"by the kernel's perf_event_open, or without it by procfs and ptrace, or " \
			"whichever is "                                                            \
			"permitted (the default)"                                                  \
	}

/* Whether the kernel lets us count nothing, not even our own time in user space: not for want of
 * descriptors or memory, but by its rules or a filter's. Of a snapshot that was probed. */
bool tally_via_kernel_refuses(const struct tally_access *access);

/*
 * Choose by the option's text (NULL: auto) and start the user host if it is that. `samples`: it is
 * going to sample. For `target` with CPUs it is refused, as it knows threads alone. After the
 * signals that the command waits for are set up; `via` stays where it is until it is closed. 0 or
 * -errno, which has been told to `messages`.
 */
int tally_via_open(struct tally_via *via, const char *text, const struct tally_target *target,
		   bool samples, const struct tally_messages *messages);

/* The same for one that is going to sample: `sampling` gets the transport, and where it says
 * neither frequency nor period what the user host is good for. That it is the user host is told
 * unless it is quiet. */
int tally_via_open_sampling(struct tally_via *via, const char *text,
			    struct tally_sampling *sampling);

/* Whether the command can be measured, before it is started: argv[0], or NULL for none. Says why
 * not. 0 or -EPERM. */
int tally_via_check_command(const struct tally_via *via, const char *command,
			    const struct tally_messages *messages);

/* After what was opened is closed, and the child freed: warns of programs that were changed by
 * being traced, or were not measured. */
void tally_via_close(struct tally_via *via);

/* The transport to measure with; NULL: the kernel's. */
const struct tally_transport *tally_via_transport(const struct tally_via *via);

/* Have the end of a child that the user host traces told by it. */
void tally_via_adopt(const struct tally_via *via, struct tally_child *child);

/* "kernel" or "user". */
const char *tally_via_name(const struct tally_via *via);

#endif
