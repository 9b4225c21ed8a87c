/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations shared by the source files of the preloaded library. The library uses only libc, and
 * does not allocate, print or lock, so all of it may run in signal handlers, in children of vfork
 * and before any constructor. Functions return -errno unless they replace a libc function.
 */
#ifndef TALLY_EMULATE_SHIM_H
#define TALLY_EMULATE_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulate/protocol.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

/* libc's version of an interposed function. It is resolved once, before main(). Until then it is
 * NULL, and the caller makes the system call itself. */
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

/* A reply, and the descriptor received with it, or -1. */
struct shim_answer {
	struct tally_emulate_reply reply;
	int fd;
};

/* Call the server. `data` is sent with the request, and up to `room` bytes of data are received
 * into `to`. `cloexec` applies to a received descriptor. Returns the result of the call or -errno
 * (-ENOSYS if the server does not reply). */
int64_t shim_call(struct tally_emulate_request *request, const void *data, void *to, size_t room,
		  bool cloexec, struct shim_answer *ret_answer);

/* Return true if the server is for programs that use the ABI of tally/classic.h. */
bool shim_call_is_classic(void);
/* Called when a program starts. */
void shim_call_begin(void);
/* Discard the connection, which belongs to the parent. Called in the child of a fork. */
void shim_call_forked(void);

/* ---- shim_map.c ---- */

/* Forget all rings, which a child does not inherit. Called in the child of a fork. */
void shim_map_forked(void);

/* ---- shim_event.c ---- */

/* Return true if a descriptor refers to an event, and get the event's token. */
bool shim_event(int fd, uint64_t *ret_token);
/* Return true if this process has used an event's descriptor. */
bool shim_events_seen(void);
/* Consume pending wakeups. Return true if there were any. */
bool shim_event_drain(int fd);
/* Copy from or to the program's memory, which may be invalid. Returns 0 or -EFAULT. */
int shim_copy_in(void *to, const void *user, size_t len);
int shim_copy_out(void *user, const void *from, size_t len);
/* Copy at most `max` bytes, up to and including a NUL. Returns the number of bytes, -EFAULT or
 * -EINVAL. */
int64_t shim_copy_string(char *to, const char *user, size_t max);
/* Notify the server that the program is about to wait, if the server has requested that. On a
 * simulated machine, time passes only in calls. */
void shim_before_wait(void);
/* Convert a result to libc's convention: if it is negative, set errno and return -1. */
long shim_result(int64_t ret);

#endif
