/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a command with a server that handles its perf_event_open calls. */
#ifndef TALLY_EMULATE_RUN_H
#define TALLY_EMULATE_RUN_H

#include "emulate/server.h"

/*
 * Run a command, found via PATH, with the library preloaded, and serve the command and its
 * descendants until the command has exited. `*ret_status` is as returned by waitpid(2). The library
 * is a memfd of this process, which the command opens through /proc. If the memfd cannot be opened,
 * the library is instead a file in a private directory below TMPDIR, which is removed afterwards.
 * Until the command has exited, this process ignores SIGINT and SIGQUIT.
 *
 * Returns 0; -errno if the command could not be started (-ENOENT, -EACCES ...) or if serving
 * failed; -ENOSYS if there is no library for this processor; -EOPNOTSUPP before Linux 5.3.
 */
int tally_emulate_run(struct tally_emulate_server *server, char *const *argv, int *ret_status);

#endif
