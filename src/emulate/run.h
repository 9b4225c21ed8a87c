/* SPDX-License-Identifier: BSD-2-Clause */
/* A command whose perf_event_open is a server's. */
#ifndef TALLY_EMULATE_RUN_H
#define TALLY_EMULATE_RUN_H

#include "emulate/server.h"

/*
 * Run a command, found by PATH, with the library preloaded, and serve it and what it starts until
 * it has ended. `*ret_status` is what waitpid(2) says. The library is a memfd of this process,
 * which the command opens through /proc; where that is not permitted a file in a private directory
 * below TMPDIR, which is removed afterwards. SIGINT and SIGQUIT are for the command alone
 * meanwhile.
 *
 * 0; -errno: the command could not be started (-ENOENT, -EACCES ...), or serving failed; -ENOSYS:
 * there is no library for this processor.
 */
int tally_emulate_run(struct tally_emulate_server *server, char *const *argv, int *ret_status);

#endif
