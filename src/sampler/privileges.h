/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rights that our binary has and our user has not - file capabilities - are in effect for as short
 * as can be: lowered at the start, raised to open events, map rings and read procfs, and dropped
 * for good before anything that a user wrote is read: files, symbols, perf.data.
 *
 * Root keeps what it has: its rights come with its uid, a program that it starts has all of them
 * again, and reading what belongs to others is why one is root. All of these do nothing then.
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

/* Around what needs them. */
void tally_privileges_raise(void);
void tally_privileges_lower(void);

/* For good, as soon as nothing needs them any more. 0, or an error that was told: the command must
 * not go on then. Once dropped, it does nothing. */
int tally_privileges_drop(const struct tally_messages *messages);

/* /proc/kallsyms tells its addresses to who opened it with CAP_SYSLOG, also later. Opened while we
 * have it, for tally_symbols_options; 0 where it makes no difference. */
int tally_privileges_kallsyms(void);

/* A user's file has to be read before events can be opened: the rights go first, which is told.
 * `path` is what is read. As tally_privileges_drop(). */
int tally_privileges_drop_before(const char *path, const struct tally_messages *messages);

/* In a child before its exec, which looks for its program as the user. */
void tally_privileges_drop_in_child(void);

/* A program with file capabilities, and a child that it forks, is nobody's to look at: not even
 * ours, with perf_event_open, once they are dropped. The child is made ours around its fork: what
 * begin() says is handed to end(). Meanwhile our own capabilities keep others from looking at us.
 */
bool tally_privileges_fork_begin(void);
void tally_privileges_fork_end(bool changed);

#endif
