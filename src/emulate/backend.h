/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who answers the calls that the server takes in: a table of verbs. Everything comes from one
 * thread. Memory that a verb is given is the server's own: no pointer of a client gets here.
 * All return 0 (or what the call does) or -errno; `ret_` pointers are untouched on failure.
 */
#ifndef TALLY_EMULATE_BACKEND_H
#define TALLY_EMULATE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_emulate_backend;

/* The thread that calls. Both numbers have been checked: tid is a thread of pid. */
struct tally_emulate_caller {
	int32_t pid, tid;
};

/* A ring to be mapped: a descriptor, which the server closes, and where the pages are in it. */
struct tally_emulate_map {
	int fd;
	uint64_t offset;
	void *mapping; /* for ring_unmap() */
};

struct tally_emulate_open {
	void *attr; /* TALLY_EMULATE_DATA_MAX bytes, zeros behind what the caller gave */
	int32_t pid, cpu;
	void *group;       /* NULL: none */
	bool is_group_bad; /* its descriptor is not an event's: -EBADF, after what comes first */
	unsigned long flags;
	uint64_t socket; /* inode of the descriptor that the program gets */
	void *wakes;     /* what tally_emulate_wake_fn is told about this event */
};

/* Called by a backend, from within any of its verbs: an event has something to read (POLLIN), or
 * its task is gone (POLLHUP). `wakes` is that of the event's opening. */
typedef void (*tally_emulate_wake_fn)(void *wakes, short events);

struct tally_emulate_backend {
	const char *name;
	bool is_classic; /* attrs and rings are those of tally/classic.h */
	int (*event_open)(struct tally_emulate_backend *backend,
			  const struct tally_emulate_caller *caller,
			  const struct tally_emulate_open *open, void **ret_event);
	/* The last descriptor and mapping of it are gone. */
	void (*event_close)(struct tally_emulate_backend *backend, void *event);
	int64_t (*event_read)(struct tally_emulate_backend *backend,
			      const struct tally_emulate_caller *caller, void *event, void *to,
			      size_t len);
	/* `argument` is a number, or points to TALLY_EMULATE_DATA_MAX bytes. With SET_OUTPUT it is
	 * not looked at: `other` is the event, NULL for none. */
	int (*event_control)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller, void *event,
			     uint32_t request, uintptr_t argument, void *other);
	/* prctl(2), PERF_EVENT_IOC_ENABLE or DISABLE for the caller's events; NULL: as Linux, for
	 * those that it opened. */
	void (*task_control)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller, uint32_t request);
	int (*ring_map)(struct tally_emulate_backend *backend,
			const struct tally_emulate_caller *caller, void *event, size_t len,
			uint64_t offset, bool writable, struct tally_emulate_map *ret_map);
	void (*ring_unmap)(struct tally_emulate_backend *backend, void *event, void *mapping);
	/* The caller is about to wait by poll(2) and the like; NULL: it need not be told. */
	void (*caller_waits)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller);
	/* Bring the rings of an event up to date before it is woken; NULL: they are. */
	void (*ring_update)(struct tally_emulate_backend *backend, void *event);
	/* What happens to processes; NULL: it finds out itself. `parent` is 0 where it is not
	 * known. */
	void (*process_fork)(struct tally_emulate_backend *backend, int32_t parent, int32_t child);
	void (*process_exec)(struct tally_emulate_backend *backend, int32_t pid);
	/* It is about to end, and has still to be waited for: who waits may look at rings without a
	 * call. Not told of all that end. */
	void (*process_end)(struct tally_emulate_backend *backend, int32_t pid);
	void (*process_exit)(struct tally_emulate_backend *backend, int32_t pid);
	/* Wait for a child of this process that has ended; NULL: waitpid(2). 0 or -errno. */
	int (*wait_child)(struct tally_emulate_backend *backend, int32_t pid, int *ret_status);
	/* A descriptor that is readable when wait() wants to be called; -1: none. */
	int wait_fd;
	void (*wait)(struct tally_emulate_backend *backend);
	/* The server's. */
	tally_emulate_wake_fn wake;
	/* Wake an event whenever a descriptor says so that polls as one of perf_event_open(2): once
	 * for each wakeup. 0 or -errno; unwatch before it is closed. */
	int (*watch)(void *wakes, int fd);
	void (*unwatch)(void *wakes, int fd);
};

/* The running Linux kernel. Free with tally_emulate_linux_free(), after the server. -errno. */
int tally_emulate_linux_new(struct tally_emulate_backend **ret_backend);
void tally_emulate_linux_free(struct tally_emulate_backend *backend);

/* The user host: software events of threads, counted and sampled by ptrace and procfs. Free after
 * the server. The errors of tally_user_create(). */
int tally_emulate_user_new(struct tally_emulate_backend **ret_backend);
void tally_emulate_user_free(struct tally_emulate_backend *backend);

/*
 * The same for programs that speak the design document's ABI: tally/classic.h. `inner`, which
 * speaks today's, must outlive it. Free after the server. -ENOMEM, -errno of the descriptors.
 */
int tally_emulate_classic_new(struct tally_emulate_backend *inner,
			      struct tally_emulate_backend **ret_backend);
void tally_emulate_classic_free(struct tally_emulate_backend *backend);

struct tally_script; /* emulate/script.h */

/* The simulated machine with a scripted PMU. `script` must outlive it. Free after the server.
 * -ENOMEM; -EINVAL: a machine that there is none of. */
int tally_emulate_sim_new(const struct tally_script *script,
			  struct tally_emulate_backend **ret_backend);
void tally_emulate_sim_free(struct tally_emulate_backend *backend);

#endif
