/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server of emulated perf_event_open calls. It receives the requests of the libraries preloaded
 * into a tree of processes (protocol.h), checks every message, and has a backend answer it.
 *
 * The server is single-threaded and never waits for a client. An invalid message ends the
 * connection of that client and nothing else. Clients are identified by the kernel (SO_PEERCRED).
 * Only those of the server's own user, and processes that it knows already, are served.
 */
#ifndef TALLY_EMULATE_SERVER_H
#define TALLY_EMULATE_SERVER_H

#include <stdint.h>

#include "emulate/backend.h"

struct tally_emulate_server;

/* Create a server. `backend` must outlive it; its `wake`, `watch` and `unwatch` are set. Returns 0
 * or -errno of the sockets. */
int tally_emulate_server_new(struct tally_emulate_backend *backend,
			     struct tally_emulate_server **ret_server);

/* Close every event and free the server. NULL is allowed. */
void tally_emulate_server_free(struct tally_emulate_server *server);

/* Return the value of TALLY_EMULATE_VARIABLE for clients. */
const char *tally_emulate_server_name(const struct tally_emulate_server *server);

/* Serve until `fd` is readable. Returns 0 or an error of epoll. */
int tally_emulate_server_run(struct tally_emulate_server *server, int fd);

/* Wait for a child that has ended, by the backend's means. Returns 0 or -errno. */
int tally_emulate_server_wait(struct tally_emulate_server *server, int32_t pid, int *ret_status);

/* Return the number of open events. */
uint32_t tally_emulate_server_events(const struct tally_emulate_server *server);

#endif
