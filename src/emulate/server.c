/* SPDX-License-Identifier: BSD-2-Clause */
/* The server's sockets: connections, messages and hangups. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/random_bytes.h"
#include "emulate/server.h"
#include "emulate/server_private.h"

enum { BATCH = 64 };

/* ---- watched descriptors --------------------------------------------------- */

static int watched_set(struct tally_emulate_server *server, int fd, enum emulate_kind kind,
		       void *object)
{
	while (server->watched.len <= (size_t)fd)
		if (tally_vec_push(&server->watched, (struct emulate_watched){0}))
			return -ENOMEM;
	server->watched.data[fd] = (struct emulate_watched){kind, object};
	return 0;
}

int emulate_watch(struct tally_emulate_server *server, int epoll_fd, int fd, uint32_t events,
		  enum emulate_kind kind, void *object)
{
	struct epoll_event event = {.events = events, .data = {.fd = fd}};
	int ret = watched_set(server, fd, kind, object);

	if (ret)
		return ret;
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

void emulate_unwatch(struct tally_emulate_server *server, int fd)
{
	epoll_ctl(server->calls_fd, EPOLL_CTL_DEL, fd, NULL);
	epoll_ctl(server->facts_fd, EPOLL_CTL_DEL, fd, NULL);
	if ((size_t)fd < server->watched.len)
		server->watched.data[fd] = (struct emulate_watched){0};
}

static struct emulate_watched watched_at(const struct tally_emulate_server *server, int fd)
{
	return (size_t)fd < server->watched.len ? server->watched.data[fd]
						: (struct emulate_watched){0};
}

/* ---- connections ----------------------------------------------------------- */

static void connection_free(struct tally_emulate_server *server,
			    struct emulate_connection *connection)
{
	emulate_unwatch(server, connection->fd);
	close(connection->fd);
	free(connection);
}

/* Free a closed connection. If the process is still alive, an exec may have closed the
 * connection. */
static void connection_end(struct tally_emulate_server *server,
			   struct emulate_connection *connection)
{
	struct emulate_process *process = emulate_process_find(server, connection->pid);

	connection_free(server, connection);
	if (process)
		emulate_process_check_exec(server, process);
}

static void hangups_handle(struct tally_emulate_server *server);

/* Reject a client when out of descriptors; otherwise, epoll would keep reporting the client. */
static void connection_reject(struct tally_emulate_server *server)
{
	close(server->spare_fd);
	server->spare_fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	close(server->spare_fd);
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Accept clients with the server's own user ID, and known processes, which may have changed their
 * user ID. Other clients are disconnected. */
static void connection_accept(struct tally_emulate_server *server)
{
	int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct emulate_connection *connection;
	struct ucred who;
	socklen_t len = sizeof(who);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		connection_reject(server);
	if (fd < 0)
		return;
	/* Remove processes that have exited, as their PIDs may have been reused. */
	hangups_handle(server);
	connection = calloc(1, sizeof(*connection));
	if (!connection || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) || who.pid <= 0 ||
	    (who.uid != geteuid() && !emulate_process_find(server, who.pid)))
		goto refused;
	*connection = (struct emulate_connection){fd, who.pid};
	if (!emulate_watch(server, server->calls_fd, fd, EPOLLIN, EMULATE_CONNECTION, connection))
		return;
	emulate_unwatch(server, fd);
refused:
	free(connection);
	close(fd);
}

static bool request_is_valid(const struct tally_emulate_request *request, size_t len)
{
	return len >= sizeof(*request) && request->magic == TALLY_EMULATE_MAGIC &&
	       request->version == TALLY_EMULATE_VERSION &&
	       request->operation < TALLY_EMULATE_NR_OPERATIONS &&
	       request->len == len - sizeof(*request) && request->len <= TALLY_EMULATE_DATA_MAX;
}

/* Receive one message. Returns -EAGAIN if there is no message, or another error if the message is
 * invalid or the connection is closed. */
static int request_receive(struct tally_emulate_server *server, int fd)
{
	struct iovec parts[] = {{&server->request, sizeof(server->request)},
				{server->data, sizeof(server->data)}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = TALLY_ARRAY_SIZE(parts)};
	ssize_t len;

	memset(server->data, 0, sizeof(server->data));
	len = recvmsg(fd, &message, MSG_DONTWAIT);
	if (len < 0)
		return -errno;
	return request_is_valid(&server->request, (size_t)len) ? 0 : -EPROTO;
}

static int reply_send(struct tally_emulate_server *server, int fd, int passed)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS}};
	struct iovec parts[] = {{&server->reply, sizeof(server->reply)},
				{server->data, server->reply.len}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = TALLY_ARRAY_SIZE(parts)};

	if (passed >= 0) {
		memcpy(CMSG_DATA(&control.header), &passed, sizeof(passed));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Serve one message. Returns false if the caller must close the connection. */
static bool connection_serve(struct tally_emulate_server *server,
			     const struct emulate_connection *connection)
{
	struct tally_emulate_caller caller = {.pid = connection->pid};
	int passed, ret;

	ret = request_receive(server, connection->fd);
	if (ret)
		return ret == -EAGAIN || ret == -EINTR;
	caller.tid = server->request.tid;
	if (!emulate_is_thread(caller.pid, caller.tid))
		return false;
	hangups_handle(server);
	emulate_serve(server, &caller, &passed);
	ret = reply_send(server, connection->fd, passed);
	if (passed >= 0)
		close(passed);
	return !ret;
}

/* ---- closed descriptors and ended processes --------------------------------- */

/* Discard data that a program writes to an event. The data have no meaning, but would block the
 * program once the socket is full. */
static void socket_drain(int fd)
{
	char byte;

	for (int i = 0; i < BATCH && recv(fd, &byte, 1, MSG_DONTWAIT) > 0; i++)
		;
}

static void hangup_handle(struct tally_emulate_server *server, int fd, uint32_t events)
{
	struct emulate_watched watched = watched_at(server, fd);

	if (watched.kind == EMULATE_PROCESS)
		emulate_process_exit(server, watched.object);
	else if (watched.kind == EMULATE_EVENT && events & EPOLLHUP)
		emulate_event_abandon(watched.object);
	else if (watched.kind == EMULATE_EVENT)
		socket_drain(fd);
}

/* Handle all processes that have exited and all descriptors that have been closed so far. */
static void hangups_handle(struct tally_emulate_server *server)
{
	struct epoll_event events[BATCH];
	int nr;

	do {
		nr = epoll_wait(server->facts_fd, events, BATCH, 0);
		for (int i = 0; i < nr; i++)
			hangup_handle(server, events[i].data.fd, events[i].events);
	} while (nr == BATCH);
}

/* ---- main loop ---------------------------------------------------------------- */

static void ready_serve(struct tally_emulate_server *server, int fd, uint32_t events)
{
	struct emulate_watched watched = watched_at(server, fd);

	if (fd == server->listen_fd)
		connection_accept(server);
	else if (fd == server->facts_fd)
		hangups_handle(server);
	else if (fd == server->backend->wait_fd)
		server->backend->wait(server->backend);
	else if (watched.kind == EMULATE_WAKEUP)
		emulate_event_wake(watched.object, (short)(events & (POLLIN | POLLHUP)));
	else if (watched.kind == EMULATE_CONNECTION && !connection_serve(server, watched.object))
		connection_end(server, watched.object);
}

/* Wait, and serve the descriptors that are ready. Sets `*ret_done` if `until_fd` is ready. */
static int serve_batch(struct tally_emulate_server *server, int until_fd, bool *ret_done)
{
	struct epoll_event events[BATCH];
	int nr = epoll_wait(server->calls_fd, events, BATCH, -1);

	if (nr < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < nr; i++) {
		if (events[i].data.fd == until_fd)
			*ret_done = true;
		else
			ready_serve(server, events[i].data.fd, events[i].events);
	}
	return 0;
}

int tally_emulate_server_run(struct tally_emulate_server *server, int fd)
{
	bool done = false;
	int ret = emulate_watch(server, server->calls_fd, fd, EPOLLIN, EMULATE_NONE, NULL);

	while (!ret && !done)
		ret = serve_batch(server, fd, &done);
	emulate_unwatch(server, fd);
	return ret;
}

/* ---- creation and destruction -------------------------------------------------- */

static int server_listen(struct tally_emulate_server *server)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	uint64_t number;
	socklen_t len;

	if (tally_random_bytes(&number, sizeof(number)))
		return -EAGAIN;
	snprintf(server->name, sizeof(server->name), "%s%016llx",
		 server->backend->is_classic ? TALLY_EMULATE_CLASSIC : "tally-emulate-",
		 (unsigned long long)number);
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(server->name));
	memcpy(address.sun_path + 1, server->name, strlen(server->name));
	server->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0 || bind(server->listen_fd, (struct sockaddr *)&address, len) ||
	    listen(server->listen_fd, SOMAXCONN))
		return -errno;
	return 0;
}

static int server_open(struct tally_emulate_server *server)
{
	int ret = server_listen(server);

	if (ret)
		return ret;
	server->calls_fd = epoll_create1(EPOLL_CLOEXEC);
	server->facts_fd = epoll_create1(EPOLL_CLOEXEC);
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (server->calls_fd < 0 || server->facts_fd < 0)
		return -errno;
	ret = emulate_watch(server, server->calls_fd, server->listen_fd, EPOLLIN, EMULATE_NONE,
			    NULL);
	if (!ret)
		ret = emulate_watch(server, server->calls_fd, server->facts_fd, EPOLLIN,
				    EMULATE_NONE, NULL);
	if (!ret && server->backend->wait_fd >= 0)
		ret = emulate_watch(server, server->calls_fd, server->backend->wait_fd, EPOLLIN,
				    EMULATE_NONE, NULL);
	return ret;
}

int tally_emulate_server_new(struct tally_emulate_backend *backend,
			     struct tally_emulate_server **ret_server)
{
	struct tally_emulate_server *server = calloc(1, sizeof(*server));
	int ret;

	if (!server)
		return -ENOMEM;
	server->backend = backend;
	server->listen_fd = server->calls_fd = server->facts_fd = server->spare_fd = -1;
	backend->wake = emulate_event_wake;
	backend->watch = emulate_event_watch;
	backend->unwatch = emulate_event_unwatch;
	ret = server_open(server);
	if (ret) {
		tally_emulate_server_free(server);
		return ret;
	}
	*ret_server = server;
	return 0;
}

static void watched_free(struct tally_emulate_server *server, enum emulate_kind kind)
{
	for (size_t i = 0; i < server->watched.len; i++) {
		struct emulate_watched watched = server->watched.data[i];

		if (watched.kind != kind)
			continue;
		if (kind == EMULATE_CONNECTION)
			connection_free(server, watched.object);
		else
			emulate_process_exit(server, watched.object);
	}
}

static void events_free(struct tally_emulate_server *server)
{
	const struct tally_map_slot *slot;
	size_t at = 0;

	while ((slot = tally_map_next(&server->events, &at))) {
		emulate_event_free((struct emulate_event *)(uintptr_t)slot->value);
		at = 0;
	}
	tally_map_free(&server->events);
}

void tally_emulate_server_free(struct tally_emulate_server *server)
{
	const int fds[] = {server ? server->listen_fd : -1, server ? server->calls_fd : -1,
			   server ? server->facts_fd : -1, server ? server->spare_fd : -1};

	if (!server)
		return;
	watched_free(server, EMULATE_CONNECTION);
	events_free(server);
	watched_free(server, EMULATE_PROCESS);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	tally_vec_free(&server->watched);
	tally_map_free(&server->processes);
	free(server);
}

const char *tally_emulate_server_name(const struct tally_emulate_server *server)
{
	return server->name;
}

int tally_emulate_server_wait(struct tally_emulate_server *server, int32_t pid, int *ret_status)
{
	if (server->backend->wait_child)
		return server->backend->wait_child(server->backend, pid, ret_status);
	return waitpid(pid, ret_status, 0) < 0 ? -errno : 0;
}

uint32_t tally_emulate_server_events(const struct tally_emulate_server *server)
{
	return (uint32_t)server->events.len;
}
