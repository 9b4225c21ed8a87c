/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the preloaded library. It uses only libc, and does not allocate, print or
 * lock, so that all of it may run in signal handlers, in children of vfork and before any
 * constructor. Functions return -errno unless they replace one of libc's.
 */
#ifndef TALLY_EMULATE_SHIM_H
#define TALLY_EMULATE_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulate/protocol.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

/* The libc function that is interposed. Resolved once, before main(); until then it is NULL, and
 * the caller makes the system call itself. */
#define SHIM_REAL(name) ((__typeof__(name) *)shim_next(SHIM_NAME_##name, #name))

enum shim_name {
	SHIM_NAME_read,
	SHIM_NAME_readv,
	SHIM_NAME_poll,
	SHIM_NAME_ppoll,
	SHIM_NAME_select,
	SHIM_NAME_pselect,
	SHIM_NAME_epoll_wait,
	SHIM_NAME_epoll_pwait,
	SHIM_NAME_fork,
	SHIM_NAME_posix_spawn,
	SHIM_NAME_posix_spawnp,
	SHIM_NAME_execvpe,
	SHIM_NR_NAMES,
};
void *shim_next(enum shim_name name, const char *text);

/* ---- rpc.c ---- */

/* A reply, and the descriptor that came with it; -1: none. */
struct shim_answer {
	struct tally_emulate_reply reply;
	int fd;
};

/* Call the server. `data` is sent along, and up to `room` bytes of data are received into `to`.
 * `cloexec` applies to a received descriptor. Returns the result of the call, or -errno: -ENOSYS if
 * the server does not answer. */
int64_t shim_call(struct tally_emulate_request *request, const void *data, void *to, size_t room,
		  bool cloexec, struct shim_answer *ret_answer);

/* Return whether the server is for programs that use the ABI of tally/classic.h. */
bool shim_call_is_classic(void);
/* Called when a program starts. */
void shim_call_begin(void);
/* Called in the child of a fork: forget the connection, which is the parent's. */
void shim_call_forked(void);

/* ---- shim_map.c ---- */

/* Called in the child of a fork, which has none of its parent's rings. */
void shim_map_forked(void);

/* ---- shim_event.c ---- */

/* Return whether a descriptor is an event's, and its token. */
bool shim_event(int fd, uint64_t *ret_token);
/* Return whether this process has used an event's descriptor. */
bool shim_events_seen(void);
/* Consume the pending wakeups; return whether there were any. */
bool shim_event_drain(int fd);
/* Copy from or to memory of the program, which may be invalid. Returns 0 or -EFAULT. */
int shim_copy_in(void *to, const void *user, size_t len);
int shim_copy_out(void *user, const void *from, size_t len);
/* Copy at most `max` bytes up to a NUL, including it. Returns their number, -EFAULT or -EINVAL. */
int64_t shim_copy_string(char *to, const char *user, size_t max);
/* Called before the program waits. Informs a server that asked for it, as the time of a simulated
 * machine only passes in calls. */
void shim_before_wait(void);
/* Convert a result to that of a libc function: -1 with errno if it is negative. */
long shim_result(int64_t ret);

#endif
