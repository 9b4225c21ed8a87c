/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A binary can have rights that its user does not have: file capabilities. They are in effect for
 * as short a time as possible: lowered at the start, raised to open events, map rings and read
 * procfs, and dropped for good before anything that a user wrote is read: files, symbols,
 * perf.data.
 *
 * Root keeps its rights, and all of these functions do nothing: the rights come with the uid, a
 * program that root starts gets all of them again, and root is there to read what belongs to
 * others.
 */
#ifndef TALLY_SAMPLER_PRIVILEGES_H
#define TALLY_SAMPLER_PRIVILEGES_H

#include <stdbool.h>

#include "sampler/messages.h"

/* The first thing main() does. A set user or group id is given up; capabilities are lowered where
 * the command is going to raise them (`wanted`), else dropped. 0, or an error that was told. */
int tally_privileges_begin(bool wanted, const struct tally_messages *messages);

/* Whether there is something to drop. */
bool tally_privileges_held(void);

/* Put the capabilities into effect, and out of it again, around code that needs them. */
void tally_privileges_raise(void);
void tally_privileges_lower(void);

/* Give the capabilities up for good, as soon as nothing needs them any more. 0, or an error that
 * was told: the command must not go on then. A second call does nothing. */
int tally_privileges_drop(const struct tally_messages *messages);

/* Open /proc/kallsyms while we have CAP_SYSLOG: what is read from the descriptor has addresses
 * then, also after the capability was dropped. The descriptor, for tally_symbols_options; 0 where
 * it makes no difference. */
int tally_privileges_kallsyms(void);

/* Drop the capabilities because the user's file `path` has to be read before events are opened, and
 * tell so. As tally_privileges_drop(). */
int tally_privileges_drop_before(const char *path, const struct tally_messages *messages);

/* Called in a child before its exec, so that its program is looked for with the user's rights. */
void tally_privileges_drop_in_child(void);

/* A program with file capabilities, and a child that it forks, is nobody's to look at: not even
 * ours, with perf_event_open, once they are dropped. The child is made ours around its fork: what
 * begin() says is handed to end(). Meanwhile our own capabilities keep others from looking at us.
 */
bool tally_privileges_fork_begin(void);
void tally_privileges_fork_end(bool changed);

#endif
