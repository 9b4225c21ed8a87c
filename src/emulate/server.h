/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server of emulated perf_event_open calls: it takes in what the preloaded libraries of a tree
 * of processes ask (protocol.h), judges every message, and has a backend answer it.
 *
 * One thread; it never waits for a client. What a client sends that is no message ends that
 * client's connection and nothing else. A client is who the kernel says it is (SO_PEERCRED), and
 * only those of the server's own user are answered.
 */
#ifndef TALLY_EMULATE_SERVER_H
#define TALLY_EMULATE_SERVER_H

#include <stdint.h>

#include "emulate/backend.h"

struct tally_emulate_server;

/* `backend` must outlive it; its `wake` is set. -errno of the sockets. */
int tally_emulate_server_new(struct tally_emulate_backend *backend,
			     struct tally_emulate_server **ret_server);

/* Closes every event. NULL is allowed. */
void tally_emulate_server_free(struct tally_emulate_server *server);

/* The value of TALLY_EMULATE_VARIABLE for clients. */
const char *tally_emulate_server_name(const struct tally_emulate_server *server);

/* Serve until `fd` is readable. 0, or an error of epoll. */
int tally_emulate_server_run(struct tally_emulate_server *server, int fd);

/* Wait for a child that has ended, as the backend has it. 0 or -errno. */
int tally_emulate_server_wait(struct tally_emulate_server *server, int32_t pid, int *ret_status);

/* Events that are open now. */
uint32_t tally_emulate_server_events(const struct tally_emulate_server *server);

#endif
