/* SPDX-License-Identifier: BSD-2-Clause */
/* Events, their sockets, and the processes that have mapped their rings. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/random_bytes.h"
#include "emulate/server_private.h"

/* Create a token that cannot be guessed, so only a client that has the descriptor can name the
 * event. */
static int token_new(uint64_t *ret_token)
{
	uint64_t token;

	if (tally_random_bytes(&token, sizeof(token)))
		return -EAGAIN;
	if (!token || token == TALLY_EMULATE_NO_GROUP)
		return -EAGAIN;
	*ret_token = token;
	return 0;
}

/* Bind our end to the name that getpeername(2) returns for the program's descriptor. */
static int name_socket(int fd, uint64_t token)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int len = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
			   TALLY_EMULATE_EVENT "%016llx", (unsigned long long)token);
	socklen_t all = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);

	return bind(fd, (struct sockaddr *)&address, all) ? -errno : 0;
}

static int event_register(struct emulate_event *event)
{
	struct tally_emulate_server *server = event->server;
	int ret = name_socket(event->fd, event->token);

	if (!ret)
		ret = tally_map_set(&server->events, event->token, (uintptr_t)event);
	if (ret)
		return ret;
	ret = emulate_watch(server, server->facts_fd, event->fd, EPOLLIN, EMULATE_EVENT, event);
	if (ret)
		tally_map_remove(&server->events, event->token);
	return ret;
}

int emulate_event_new(struct tally_emulate_server *server,
		      const struct tally_emulate_caller *opener, struct emulate_event **ret_event,
		      int *ret_fd)
{
	struct emulate_event *event;
	uint64_t token;
	int ends[2], ret = token_new(&token);

	if (ret)
		return ret;
	if (server->events.len >= EMULATE_EVENTS_MAX)
		return -ENFILE;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		ret = -errno;
		free(event);
		return ret;
	}
	*event = (struct emulate_event){
		.server = server, .token = token, .fd = ends[0], .opener = *opener};
	ret = event_register(event);
	if (ret) {
		close(ends[0]);
		close(ends[1]);
		free(event);
		return ret;
	}
	*ret_event = event;
	*ret_fd = ends[1];
	return 0;
}

void emulate_event_free(struct emulate_event *event)
{
	struct tally_emulate_server *server = event->server;

	emulate_event_unmap(event, 0, 0);
	tally_map_remove(&server->events, event->token);
	emulate_unwatch(server, event->fd);
	close(event->fd);
	if (event->event)
		server->backend->event_close(server->backend, event->event);
	tally_vec_free(&event->mappings);
	free(event);
}

struct emulate_event *emulate_event_find(const struct tally_emulate_server *server, uint64_t token)
{
	uint64_t found = tally_map_get(&server->events, token);

	return found == TALLY_MAP_NONE ? NULL : (struct emulate_event *)(uintptr_t)found;
}

void emulate_event_abandon(struct emulate_event *event)
{
	event->abandoned = true;
	emulate_unwatch(event->server, event->fd);
	if (!event->mappings.len)
		emulate_event_free(event);
}

void emulate_event_unmap(struct emulate_event *event, int32_t pid, uint64_t number)
{
	struct tally_emulate_backend *backend = event->server->backend;

	for (size_t i = event->mappings.len; i--;) {
		struct emulate_mapping mapping = event->mappings.data[i];

		if ((pid && mapping.pid != pid) || (number && mapping.number != number))
			continue;
		event->mappings.data[i] = event->mappings.data[--event->mappings.len];
		backend->ring_unmap(backend, event->event, mapping.mapping);
	}
}

void emulate_event_wake(void *wakes, short events)
{
	struct emulate_event *event = wakes;
	struct tally_emulate_backend *backend = event->server->backend;

	if (backend->ring_update && event->event)
		backend->ring_update(backend, event->event);
	/* A single pending byte is sufficient, so a full socket is not an error. */
	if (events & POLLIN)
		send(event->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!(events & POLLHUP))
		return;
	/* Shutting down both directions raises POLLHUP at the other end, where getpeername(2) still
	 * works. After that, the server can no longer detect that the other end is closed, so the
	 * event remains until its opener exits. */
	event->hung = true;
	emulate_unwatch(event->server, event->fd);
	shutdown(event->fd, SHUT_RDWR);
}

int emulate_event_watch(void *wakes, int fd)
{
	struct emulate_event *event = wakes;

	/* Only one epoll set may watch the descriptor, as polling it consumes the wakeup. */
	return emulate_watch(event->server, event->server->calls_fd, fd, EPOLLIN | EPOLLET,
			     EMULATE_WAKEUP, event);
}

void emulate_event_unwatch(void *wakes, int fd)
{
	struct emulate_event *event = wakes;

	emulate_unwatch(event->server, fd);
}
