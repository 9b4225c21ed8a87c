/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait for events. A wakeup makes an event's descriptor readable. As the kernel reports a wakeup
 * only once, the first caller that sees it consumes it.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>
#include <fcntl.h>

#include "emulate/shim/raw.h"
#include "emulate/shim/shim.h"

/* ---- poll ----------------------------------------------------------------- */

/* Correct the results of a poll. After its task has exited, an event reports only POLLHUP, unless
 * there was a wakeup as well. */
static void poll_correct(struct pollfd *polls, nfds_t nr)
{
	uint64_t token;

	for (nfds_t i = 0; i < nr; i++)
		if (polls[i].revents & (POLLIN | POLLRDNORM | POLLRDHUP) &&
		    shim_event(polls[i].fd, &token)) {
			bool any = shim_event_drain(polls[i].fd);

			polls[i].revents &= (short)~POLLRDHUP;
			if (!any && polls[i].revents & POLLHUP)
				polls[i].revents &= (short)~(POLLIN | POLLRDNORM);
		}
}

/* Pass a copy of the timeout, as libc does, because the kernel overwrites it with the remaining
 * time. */
static long raw_ppoll(struct pollfd *polls, nfds_t nr, const struct timespec *timeout,
		      const sigset_t *mask)
{
	struct timespec copy = timeout ? *timeout : (struct timespec){0};

	return shim_raw(SYS_ppoll, (long)polls, (long)nr, timeout ? (long)&copy : 0, (long)mask, 8,
			0);
}

SHIM_EXPORT int poll(struct pollfd *polls, nfds_t nr, int timeout_ms)
{
	int (*next)(struct pollfd *, nfds_t, int) = SHIM_REAL(poll);
	struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
	int ret;

	shim_before_wait();
	ret = next ? next(polls, nr, timeout_ms)
		   : (int)shim_result(raw_ppoll(polls, nr, timeout_ms < 0 ? NULL : &time, NULL));

	if (ret > 0)
		poll_correct(polls, nr);
	return ret;
}

SHIM_EXPORT int ppoll(struct pollfd *polls, nfds_t nr, const struct timespec *timeout,
		      const sigset_t *mask)
{
	int (*next)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) =
		SHIM_REAL(ppoll);
	int ret;

	shim_before_wait();
	ret = next ? next(polls, nr, timeout, mask)
		   : (int)shim_result(raw_ppoll(polls, nr, timeout, mask));

	if (ret > 0)
		poll_correct(polls, nr);
	return ret;
}

int __poll_chk(struct pollfd *polls, nfds_t nr, int timeout_ms, size_t room);
int __ppoll_chk(struct pollfd *polls, nfds_t nr, const struct timespec *timeout,
		const sigset_t *mask, size_t room);

SHIM_EXPORT int __poll_chk(struct pollfd *polls, nfds_t nr, int timeout_ms, size_t room)
{
	if (room / sizeof(*polls) < nr)
		__builtin_trap();
	return poll(polls, nr, timeout_ms);
}

SHIM_EXPORT int __ppoll_chk(struct pollfd *polls, nfds_t nr, const struct timespec *timeout,
			    const sigset_t *mask, size_t room)
{
	if (room / sizeof(*polls) < nr)
		__builtin_trap();
	return ppoll(polls, nr, timeout, mask);
}

/* ---- select --------------------------------------------------------------- */

static void select_correct(int nr, const fd_set *readable)
{
	uint64_t token;

	for (int fd = 0; readable && fd < nr && fd < FD_SETSIZE; fd++)
		if (FD_ISSET(fd, readable) && shim_event(fd, &token))
			shim_event_drain(fd);
}

SHIM_EXPORT int select(int nr, fd_set *readable, fd_set *writable, fd_set *special,
		       struct timeval *timeout)
{
	int (*next)(int, fd_set *, fd_set *, fd_set *, struct timeval *) = SHIM_REAL(select);
	int ret;

	if (!next)
		return (int)shim_result(-ENOSYS);
	shim_before_wait();
	ret = next(nr, readable, writable, special, timeout);
	if (ret > 0)
		select_correct(nr, readable);
	return ret;
}

SHIM_EXPORT int pselect(int nr, fd_set *readable, fd_set *writable, fd_set *special,
			const struct timespec *timeout, const sigset_t *mask)
{
	int (*next)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *) =
		SHIM_REAL(pselect);
	int ret;

	if (!next)
		return (int)shim_result(-ENOSYS);
	shim_before_wait();
	ret = next(nr, readable, writable, special, timeout, mask);
	if (ret > 0)
		select_correct(nr, readable);
	return ret;
}

/* ---- epoll ---------------------------------------------------------------- */

/* Write "/proc/self/fdinfo/N" without libc's formatting, which is not async-signal-safe. */
static void fdinfo_path(int fd, char *to)
{
	static const char start[] = "/proc/self/fdinfo/";
	char digits[12], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + fd % 10);
	while (fd /= 10);
	memcpy(to, start, sizeof(start) - 1);
	to += sizeof(start) - 1;
	memcpy(to, at, (size_t)(digits + sizeof(digits) - at));
	to[digits + sizeof(digits) - at] = '\0';
}

/* Parser for the descriptors in lines such as "tfd: 5 events: ...". The input arrives in pieces. */
struct fdinfo_scan {
	uint32_t at; /* position in "tfd:", or after it */
	int fd;
};

static void fdinfo_scan(struct fdinfo_scan *scan, char c)
{
	static const char word[] = "tfd:";
	enum { WORD = sizeof(word) - 1, NEVER = 100 };
	uint64_t token;

	if (c == '\n') {
		*scan = (struct fdinfo_scan){0};
	} else if (scan->at < WORD) {
		scan->at = c == word[scan->at] ? scan->at + 1 : NEVER;
	} else if (scan->at == NEVER || (c == ' ' && scan->at == WORD)) {
		return;
	} else if (c >= '0' && c <= '9' && scan->fd < 1 << 24) {
		scan->at = WORD + 1;
		scan->fd = scan->fd * 10 + (c - '0');
	} else {
		scan->at = NEVER;
		if (shim_event(scan->fd, &token))
			shim_event_drain(scan->fd);
	}
}

/* Consume the wakeups that an epoll set has reported. epoll returns the caller's data rather than
 * descriptors, so the descriptors in the set are read from procfs. */
static void epoll_correct(int epoll_fd, const struct epoll_event *events, int nr)
{
	struct fdinfo_scan scan = {0};
	char path[40], piece[512];
	bool readable = false;
	long fd, got;

	for (int i = 0; i < nr; i++)
		readable |= (events[i].events & EPOLLIN) != 0;
	if (!readable || !shim_events_seen())
		return;
	fdinfo_path(epoll_fd, path);
	fd = shim_raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return;
	while ((got = shim_raw3(SYS_read, fd, (long)piece, sizeof(piece))) > 0)
		for (long i = 0; i < got; i++)
			fdinfo_scan(&scan, piece[i]);
	shim_raw3(SYS_close, fd, 0, 0);
}

static long raw_epoll(int epoll_fd, struct epoll_event *events, int nr, int timeout_ms,
		      const sigset_t *mask)
{
	return shim_raw(SYS_epoll_pwait, epoll_fd, (long)events, nr, timeout_ms, (long)mask, 8);
}

SHIM_EXPORT int epoll_wait(int epoll_fd, struct epoll_event *events, int nr, int timeout_ms)
{
	int (*next)(int, struct epoll_event *, int, int) = SHIM_REAL(epoll_wait);
	int ret;

	shim_before_wait();
	ret = next ? next(epoll_fd, events, nr, timeout_ms)
		   : (int)shim_result(raw_epoll(epoll_fd, events, nr, timeout_ms, NULL));

	epoll_correct(epoll_fd, events, ret);
	return ret;
}

SHIM_EXPORT int epoll_pwait(int epoll_fd, struct epoll_event *events, int nr, int timeout_ms,
			    const sigset_t *mask)
{
	int (*next)(int, struct epoll_event *, int, int, const sigset_t *) = SHIM_REAL(epoll_pwait);
	int ret;

	shim_before_wait();
	ret = next ? next(epoll_fd, events, nr, timeout_ms, mask)
		   : (int)shim_result(raw_epoll(epoll_fd, events, nr, timeout_ms, mask));

	epoll_correct(epoll_fd, events, ret);
	return ret;
}
