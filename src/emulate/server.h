/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Server for emulated perf_event_open calls. It receives requests from the libraries preloaded into
 * a tree of processes (protocol.h), checks every message, and calls a backend to handle it.
 *
 * The server is single-threaded and never waits for a client. An invalid message closes the
 * connection of that client and has no other effect. Clients are identified by the kernel
 * (SO_PEERCRED). Only clients with the server's own user ID, and processes that are already known,
 * are served.
 */
#ifndef TALLY_EMULATE_SERVER_H
#define TALLY_EMULATE_SERVER_H

#include <stdint.h>

#include "emulate/backend.h"

struct tally_emulate_server;

/* Create a server. `backend` must outlive the server, which sets its `wake`, `watch` and `unwatch`.
 * Returns 0, or -errno if a socket cannot be created. */
int tally_emulate_server_new(struct tally_emulate_backend *backend,
			     struct tally_emulate_server **ret_server);

/* Close every event and free the server. NULL is allowed. */
void tally_emulate_server_free(struct tally_emulate_server *server);

/* Return the value of TALLY_EMULATE_VARIABLE for clients. */
const char *tally_emulate_server_name(const struct tally_emulate_server *server);

/* Serve until `fd` is readable. Returns 0 or an error from epoll. */
int tally_emulate_server_run(struct tally_emulate_server *server, int fd);

/* Reap a child that has exited, using the backend's wait_child() if there is one. Returns 0 or
 * -errno. */
int tally_emulate_server_wait(struct tally_emulate_server *server, int32_t pid, int *ret_status);

/* Return the number of open events. */
uint32_t tally_emulate_server_events(const struct tally_emulate_server *server);

#endif
