/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A binary can have privileges that its user does not have: file capabilities. They are in effect
 * only while they are needed: they are lowered at the start, and raised to open events, map rings
 * and read procfs. They are dropped permanently before any of the user's data is read: files,
 * symbols, perf.data.
 *
 * For root, these functions do nothing. Root's privileges come with the uid, so every program that
 * root starts has them, and root is expected to read other users' files.
 */
#ifndef TALLY_SAMPLER_PRIVILEGES_H
#define TALLY_SAMPLER_PRIVILEGES_H

#include <stdbool.h>

#include "base/messages.h"

/* Called first in main(). Drops the user and group ID of a set-uid or set-gid binary. Lowers the
 * capabilities if the command will raise them (`wanted`); otherwise drops them. Returns 0, or an
 * error after reporting it. */
int tally_privileges_begin(bool wanted, const struct tally_messages *messages);

/* Return true if there are capabilities to drop. */
bool tally_privileges_held(void);

/* Raise or lower the capabilities around code that needs them. */
void tally_privileges_raise(void);
void tally_privileges_lower(void);

/* Drop the capabilities permanently, as soon as they are no longer needed. A second call has no
 * effect. Returns 0, or an error that has been reported, after which the command must not
 * continue. */
int tally_privileges_drop(const struct tally_messages *messages);

/* Open /proc/kallsyms while we have CAP_SYSLOG, so that the addresses can be read from the
 * descriptor even after the capability is dropped. Returns the descriptor, for
 * tally_symbols_options, or 0 if no capabilities are held. */
int tally_privileges_kallsyms(void);

/* Warn, and drop the capabilities, because the user's file `path` must be read before events are
 * opened. Returns the result of tally_privileges_drop(). */
int tally_privileges_drop_before(const char *path, const struct tally_messages *messages);

/* Drop the capabilities in a child before its exec, so that its program is searched for with the
 * user's permissions. */
void tally_privileges_drop_in_child(void);

/* Make a child dumpable: call begin() before the fork, and pass its result to end() after the fork.
 * A program with file capabilities and its forked children are not dumpable, so without these calls
 * we could not open events on our own child after dropping the capabilities. Between the two calls,
 * our capabilities protect us from other tracers. */
bool tally_privileges_fork_begin(void);
void tally_privileges_fork_end(bool changed);

#endif
