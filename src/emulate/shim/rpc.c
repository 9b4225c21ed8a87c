/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls to the server. A process has one connection, opened by the first caller that needs it. If
 * the connection is in use, a thread or signal handler opens another one for a single call, so
 * callers never wait for each other. A child of vfork also opens its own connection, because it
 * must not change its parent's data.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "emulate/shim/raw.h"
#include "emulate/shim/shim.h"

/* Preferred descriptors for the connection, unlikely to be used by the program. */
static const int places[] = {900, 200, 50};

static struct {
	int fd;      /* descriptor of the connection + 1, or 0 */
	int32_t pid; /* process that opened the connection */
	bool busy;
	char server[TALLY_EMULATE_NAME_MAX]; /* initial value of the environment variable */
} kept;

static int32_t own_pid(void)
{
	return (int32_t)shim_raw3(SYS_getpid, 0, 0, 0);
}

static void close_fd(int fd)
{
	shim_raw3(SYS_close, fd, 0, 0);
}

/* Move `fd` to a descriptor that programs are unlikely to use. */
static int move_fd(int fd)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		long moved = shim_raw3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, places[i]);

		if (moved < 0)
			continue;
		close_fd(fd);
		return (int)moved;
	}
	return fd;
}

/* Get the server's address from the environment. Returns its length, or 0 if the variable is not
 * set. */
static socklen_t server_address(struct sockaddr_un *ret_address)
{
	const char *name = *kept.server ? kept.server : getenv(TALLY_EMULATE_VARIABLE);
	size_t len = name ? strlen(name) : 0;

	if (!len || len >= TALLY_EMULATE_NAME_MAX)
		return 0;
	memset(ret_address, 0, sizeof(*ret_address));
	ret_address->sun_family = AF_UNIX;
	memcpy(ret_address->sun_path + 1, name, len);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

static int connect_server(void)
{
	struct sockaddr_un address;
	socklen_t len = server_address(&address);
	long fd, ret;

	if (!len)
		return -ENOSYS;
	fd = shim_raw3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return (int)fd;
	fd = move_fd((int)fd);
	do
		ret = shim_raw3(SYS_connect, fd, (long)&address, len);
	while (ret == -EINTR);
	if (!ret)
		return (int)fd;
	close_fd((int)fd);
	return -ENOSYS;
}

/* Check whether a descriptor is still the connection, as the program may have closed it. */
static bool is_connected(int fd)
{
	struct sockaddr_un address, server;
	socklen_t len = sizeof(address), want = server_address(&server);

	return want && !shim_raw3(SYS_getpeername, fd, (long)&address, (long)&len) && len == want &&
	       !memcmp(&address, &server, len);
}

/* ---- one call ------------------------------------------------------------- */

static int64_t exchange_send(int fd, struct tally_emulate_request *request, const void *data)
{
	struct iovec parts[] = {{request, sizeof(*request)},
				{(void *)(uintptr_t)data, request->len}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = request->len ? 2 : 1};
	long ret;

	do
		ret = shim_raw3(SYS_sendmsg, fd, (long)&message, MSG_NOSIGNAL);
	while (ret == -EINTR);
	return ret;
}

/* Return the descriptor received with a message, or -1. */
static int passed_fd(struct msghdr *message)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
	    control->cmsg_len >= CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(control), sizeof(fd));
	return fd;
}

static int64_t exchange_receive(int fd, void *to, size_t room, bool cloexec,
				struct shim_answer *answer)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec parts[] = {{&answer->reply, sizeof(answer->reply)}, {to, room}};
	struct msghdr message = {.msg_iov = parts,
				 .msg_iovlen = room ? 2 : 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	long ret;

	do
		ret = shim_raw3(SYS_recvmsg, fd, (long)&message, cloexec ? MSG_CMSG_CLOEXEC : 0);
	while (ret == -EINTR);
	if (ret == -EFAULT)
		return ret;
	if (ret < (long)sizeof(answer->reply) || answer->reply.magic != TALLY_EMULATE_MAGIC)
		return -ENOSYS;
	answer->fd = passed_fd(&message);
	return message.msg_flags & MSG_CTRUNC ? -EMFILE : answer->reply.result;
}

static int64_t exchange(int fd, struct tally_emulate_request *request, const void *data, void *to,
			size_t room, bool cloexec, struct shim_answer *answer)
{
	if (exchange_send(fd, request, data) < 0)
		return -EPIPE;
	return exchange_receive(fd, to, room, cloexec, answer);
}

static void connection_open(void)
{
	if (kept.fd && is_connected(kept.fd - 1))
		return;
	kept.fd = connect_server() + 1;
	kept.fd = kept.fd > 0 ? kept.fd : 0;
}

/* Call the server on this process's connection. Returns -EPIPE if the connection is in use or
 * cannot be used. */
static int64_t call_on_connection(struct tally_emulate_request *request, const void *data, void *to,
				  size_t room, bool cloexec, struct shim_answer *answer)
{
	int64_t ret = -EPIPE;

	if (__atomic_load_n(&kept.pid, __ATOMIC_RELAXED) != own_pid() ||
	    __atomic_exchange_n(&kept.busy, true, __ATOMIC_ACQUIRE))
		return -EPIPE;
	connection_open();
	if (kept.fd)
		ret = exchange(kept.fd - 1, request, data, to, room, cloexec, answer);
	/* Close the connection if the reply was not received; otherwise, the next call would
	 * mistake a late reply for its own. */
	if (ret == -EFAULT && answer->reply.magic != TALLY_EMULATE_MAGIC) {
		close_fd(kept.fd - 1);
		kept.fd = 0;
	}
	__atomic_store_n(&kept.busy, false, __ATOMIC_RELEASE);
	return ret;
}

int64_t shim_call(struct tally_emulate_request *request, const void *data, void *to, size_t room,
		  bool cloexec, struct shim_answer *ret_answer)
{
	uint64_t all = UINT64_MAX, before;
	int64_t ret;
	int fd;

	*ret_answer = (struct shim_answer){.fd = -1};
	request->magic = TALLY_EMULATE_MAGIC;
	request->version = TALLY_EMULATE_VERSION;
	request->tid = (int32_t)shim_raw3(SYS_gettid, 0, 0, 0);
	/* Block all signals: a handler that interrupts the call and leaves by longjmp() would leave
	 * the reply unread. */
	shim_raw(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&before, sizeof(all), 0, 0);
	ret = call_on_connection(request, data, to, room, cloexec, ret_answer);
	if (ret == -EPIPE) {
		fd = connect_server();
		ret = fd < 0 ? fd : exchange(fd, request, data, to, room, cloexec, ret_answer);
		if (fd >= 0)
			close_fd(fd);
	}
	shim_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof(all), 0, 0);
	return ret == -EPIPE ? -ENOSYS : ret;
}

bool shim_call_is_classic(void)
{
	static const char prefix[] = TALLY_EMULATE_CLASSIC;

	return !strncmp(kept.server, prefix, sizeof(prefix) - 1);
}

void shim_call_begin(void)
{
	const char *name = getenv(TALLY_EMULATE_VARIABLE);

	if (name && strlen(name) < sizeof(kept.server))
		strcpy(kept.server, name);
	shim_call_forked();
}

void shim_call_forked(void)
{
	if (kept.fd && is_connected(kept.fd - 1))
		close_fd(kept.fd - 1);
	kept.fd = 0;
	kept.busy = false;
	__atomic_store_n(&kept.pid, own_pid(), __ATOMIC_RELAXED);
}
