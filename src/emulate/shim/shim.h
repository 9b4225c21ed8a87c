/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the preloaded library share. It uses libc alone, allocates nothing, prints
 * nothing and takes no lock, so that all of it may run in signal handlers, in children of vfork and
 * before any constructor. Functions return -errno unless they stand in for one of libc's.
 */
#ifndef TALLY_EMULATE_SHIM_H
#define TALLY_EMULATE_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulate/protocol.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

/* Resolved once, before main(); NULL until then: the caller makes the system call itself. */
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

/* What came back with the reply; -1 where nothing did. */
struct shim_answer {
	struct tally_emulate_reply reply;
	int fd;
};

/* Ask the server; `data` goes along, and up to `room` bytes come back to `to`. `cloexec` is for the
 * descriptor. The result of the call, or -errno where the server does not answer: ENOSYS. */
int64_t shim_call(struct tally_emulate_request *request, const void *data, void *to, size_t room,
		  bool cloexec, struct shim_answer *ret_answer);

/* Whether the server's programs speak the ABI of tally/classic.h. */
bool shim_call_is_classic(void);
/* Where a program begins. */
void shim_call_begin(void);
/* Forget the connection, which is the parent's: in the child of a fork. */
void shim_call_forked(void);

/* ---- map.c ---- */

/* The child of a fork has none of its parent's rings. */
void shim_map_forked(void);

/* ---- event.c ---- */

/* Whether a descriptor is an event's, and which. */
bool shim_event(int fd, uint64_t *ret_token);
/* Whether this process has met one. */
bool shim_events_seen(void);
/* Take the wakeups away that wait in it; whether there were any. */
bool shim_event_drain(int fd);
/* Memory of the program that may be anything: 0 or -EFAULT. */
int shim_copy_in(void *to, const void *user, size_t len);
int shim_copy_out(void *user, const void *from, size_t len);
/* At most `max` bytes up to a NUL, which is copied too; how many, or -EFAULT, -EINVAL. */
int64_t shim_copy_string(char *to, const char *user, size_t max);
/* Called before the program waits: a machine whose time passes by calls alone is told. */
void shim_waits(void);
/* What libc's functions return: -1 with errno for a negative result. */
long shim_result(int64_t ret);

#endif
