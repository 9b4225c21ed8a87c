/* SPDX-License-Identifier: BSD-2-Clause */
#include "http/http_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "http/http_connection.h"

#define NS_PER_S 1000000000ull
#define NEVER    UINT64_MAX

enum {
	EVENTS_MAX = 16, /* events handled by one call of tally_http_server_run() */
	UNSENT_MAX = 64 << 20,
	LISTENER = TALLY_HTTP_CONNECTIONS_MAX, /* event data; below, the index of a connection */
	TIMER,
};

/* Seconds that a phase of a connection may take, and with all connections in use. */
static const struct {
	uint64_t usual, crowded;
} limits[] = {
	[HTTP_READING] = {10, 1},
	[HTTP_WRITING] = {10, 1},
	[HTTP_DRAINING] = {1, 0},
};

/* ---- descriptors ---------------------------------------------------------- */

static int watch(struct tally_http_server *server, int operation, int fd, uint32_t events,
		 uint32_t data)
{
	struct epoll_event event = {.events = events, .data.u32 = data};

	return epoll_ctl(server->fd, operation, fd, &event) ? -errno : 0;
}

static void spare_open(struct tally_http_server *server)
{
	if (server->spare_fd < 0)
		server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void connection_close(struct tally_http_server *server, struct http_connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
	tally_str_free(&connection->out);
	server->nr_open--;
	server->retry_at = 0;
	spare_open(server);
}

/* Watch a connection for its phase, or close it if it does not go on. */
static void connection_update(struct tally_http_server *server, struct http_connection *connection,
			      bool goes_on)
{
	uint32_t index = (uint32_t)(connection - server->connections);
	uint32_t events = connection->phase == HTTP_WRITING ? EPOLLOUT : EPOLLIN;

	if (!goes_on || watch(server, EPOLL_CTL_MOD, connection->fd, events, index))
		connection_close(server, connection);
}

/* ---- accepting ------------------------------------------------------------ */

static int accept_client(struct tally_http_server *server)
{
	int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || server->spare_fd < 0)
		return fd;
	/* Serve one client at a time with the spare descriptor. */
	close(server->spare_fd);
	server->spare_fd = -1;
	return accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void connection_open(struct tally_http_server *server, int fd)
{
	struct http_connection *connection = server->connections;

	while (connection->fd >= 0)
		connection++;
	connection->fd = fd;
	connection->phase = HTTP_READING;
	connection->since = tally_clock_now();
	connection->head_len = connection->sent = 0;
	server->nr_open++;
	if (watch(server, EPOLL_CTL_ADD, fd, EPOLLIN, (uint32_t)(connection - server->connections)))
		connection_close(server, connection);
}

static void accept_clients(struct tally_http_server *server)
{
	while (server->nr_open < TALLY_HTTP_CONNECTIONS_MAX) {
		int fd = accept_client(server);

		if (fd >= 0) {
			connection_open(server, fd);
			continue;
		}
		/* Without descriptors or memory, the client would be reported again at once. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			server->retry_at = tally_clock_now() + NS_PER_S;
		break;
	}
	if (!server->nr_open)
		spare_open(server);
}

/* ---- time ----------------------------------------------------------------- */

static uint64_t deadline_of(const struct tally_http_server *server,
			    const struct http_connection *connection)
{
	bool is_crowded = server->nr_open == TALLY_HTTP_CONNECTIONS_MAX;
	uint64_t seconds =
		is_crowded ? limits[connection->phase].crowded : limits[connection->phase].usual;

	return connection->since + seconds * NS_PER_S;
}

static void expire(struct tally_http_server *server)
{
	uint64_t now = tally_clock_now();

	if (now >= server->retry_at)
		server->retry_at = 0;
	for (size_t i = 0; i < TALLY_HTTP_CONNECTIONS_MAX; i++) {
		struct http_connection *connection = &server->connections[i];

		if (connection->fd >= 0 && now >= deadline_of(server, connection))
			connection_update(server, connection, http_connection_expire(connection));
	}
}

/* Set the timer to the next deadline, and accept clients only if there is a free connection. */
static void timer_update(struct tally_http_server *server)
{
	bool accepts = server->nr_open < TALLY_HTTP_CONNECTIONS_MAX && !server->retry_at;
	uint64_t next = server->retry_at ? server->retry_at : NEVER;
	struct itimerspec time = {0};

	for (size_t i = 0; i < TALLY_HTTP_CONNECTIONS_MAX; i++) {
		if (server->connections[i].fd >= 0)
			next = TALLY_MIN(next, deadline_of(server, &server->connections[i]));
	}
	if (next != NEVER)
		time.it_value =
			(struct timespec){(time_t)(next / NS_PER_S), (long)(next % NS_PER_S)};
	timerfd_settime(server->timer_fd, TFD_TIMER_ABSTIME, &time, NULL);
	watch(server, EPOLL_CTL_MOD, server->listen_fd, accepts ? EPOLLIN : 0, LISTENER);
}

/* ---- running -------------------------------------------------------------- */

static bool is_busy(const struct tally_http_server *server)
{
	size_t unsent = 0;

	for (size_t i = 0; i < TALLY_HTTP_CONNECTIONS_MAX; i++)
		unsent += server->connections[i].out.len;
	return unsent >= UNSENT_MAX;
}

static void serve(struct tally_http_server *server, struct http_connection *connection)
{
	if (connection->fd >= 0)
		connection_update(server, connection,
				  http_connection_step(connection, server, is_busy(server)));
}

void tally_http_server_run(struct tally_http_server *server)
{
	struct epoll_event events[EVENTS_MAX];
	int nr = epoll_wait(server->fd, events, EVENTS_MAX, 0);

	for (int i = 0; i < nr; i++) {
		if (events[i].data.u32 == LISTENER)
			accept_clients(server);
		else if (events[i].data.u32 < LISTENER)
			serve(server, &server->connections[events[i].data.u32]);
	}
	expire(server);
	timer_update(server);
}

/* ---- opening -------------------------------------------------------------- */

static int listen_on(struct tally_http_server *server, const struct tally_http_address *address)
{
	const struct sockaddr *socket_address = (const struct sockaddr *)&address->socket;
	int yes = 1, no = 0;

	server->listen_fd =
		socket(address->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0 ||
	    setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    /* [::] also accepts IPv4. */
	    (address->socket.ss_family == AF_INET6 &&
	     setsockopt(server->listen_fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no))) ||
	    bind(server->listen_fd, socket_address, address->len) ||
	    listen(server->listen_fd, SOMAXCONN))
		return -errno;
	server->address = *address;
	if (getsockname(server->listen_fd, (struct sockaddr *)&server->address.socket,
			&server->address.len))
		return -errno;
	return 0;
}

static int server_open(struct tally_http_server *server, const struct tally_http_address *address)
{
	int ret;

	server->connections = calloc(TALLY_HTTP_CONNECTIONS_MAX, sizeof(*server->connections));
	if (!server->connections)
		return -ENOMEM;
	for (size_t i = 0; i < TALLY_HTTP_CONNECTIONS_MAX; i++)
		server->connections[i].fd = -1;
	ret = listen_on(server, address);
	if (ret)
		return ret;
	server->fd = epoll_create1(EPOLL_CLOEXEC);
	server->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	spare_open(server);
	if (server->fd < 0 || server->timer_fd < 0)
		return -errno;
	ret = watch(server, EPOLL_CTL_ADD, server->listen_fd, EPOLLIN, LISTENER);
	return ret ? ret : watch(server, EPOLL_CTL_ADD, server->timer_fd, EPOLLIN, TIMER);
}

int tally_http_server_open(const struct tally_http_address *address, tally_http_answer_fn *answer,
			   void *arg, struct tally_http_server **ret_server)
{
	struct tally_http_server *server = malloc(sizeof(*server));
	int ret;

	if (!server)
		return -ENOMEM;
	*server = (struct tally_http_server){.fd = -1,
					     .listen_fd = -1,
					     .timer_fd = -1,
					     .spare_fd = -1,
					     .answer = answer,
					     .arg = arg};
	ret = server_open(server, address);
	if (ret)
		tally_http_server_close(server);
	else
		*ret_server = server;
	return ret;
}

static void close_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void tally_http_server_close(struct tally_http_server *server)
{
	if (!server)
		return;
	for (size_t i = 0; server->connections && i < TALLY_HTTP_CONNECTIONS_MAX; i++) {
		close_open(server->connections[i].fd);
		tally_str_free(&server->connections[i].out);
	}
	close_open(server->listen_fd);
	close_open(server->timer_fd);
	close_open(server->spare_fd);
	close_open(server->fd);
	free(server->connections);
	free(server);
}
