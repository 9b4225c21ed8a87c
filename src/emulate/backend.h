/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of a backend, which answers the requests that the server receives. All calls come from
 * one thread. Memory passed to them belongs to the server; pointers of clients never get here.
 * Calls return 0 (or the result of the operation) or -errno; `ret_` pointers are untouched on
 * failure.
 */
#ifndef TALLY_EMULATE_BACKEND_H
#define TALLY_EMULATE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_emulate_backend;

/* The calling thread. The server has checked both numbers: tid is a thread of pid. */
struct tally_emulate_caller {
	int32_t pid, tid;
};

/* A ring to be mapped: a descriptor, which the server closes, and the offset of the pages in it. */
struct tally_emulate_map {
	int fd;
	uint64_t offset;
	void *mapping; /* passed to ring_unmap() */
};

struct tally_emulate_open {
	void *attr; /* TALLY_EMULATE_DATA_MAX bytes, zero-filled after the caller's data */
	int32_t pid, cpu;
	void *group;       /* NULL: none */
	bool is_group_bad; /* group descriptor is not an event: -EBADF, unless another check fails
	                    * first */
	unsigned long flags;
	uint64_t socket; /* inode of the descriptor that the program gets */
	void *wakes;     /* passed to tally_emulate_wake_fn for this event */
};

/* Called by a backend from within any of its calls: an event is readable (POLLIN), or its task is
 * gone (POLLHUP). `wakes` is from the event's struct tally_emulate_open. */
typedef void (*tally_emulate_wake_fn)(void *wakes, short events);

struct tally_emulate_backend {
	const char *name;
	bool is_classic; /* attrs and rings are those of tally/classic.h */
	int (*event_open)(struct tally_emulate_backend *backend,
			  const struct tally_emulate_caller *caller,
			  const struct tally_emulate_open *open, void **ret_event);
	/* The last descriptor and mapping of the event are gone. */
	void (*event_close)(struct tally_emulate_backend *backend, void *event);
	int64_t (*event_read)(struct tally_emulate_backend *backend,
			      const struct tally_emulate_caller *caller, void *event, void *to,
			      size_t len);
	/* `argument` is a number, or points to TALLY_EMULATE_DATA_MAX bytes. With SET_OUTPUT it is
	 * ignored: `other` is the target event, or NULL. */
	int (*event_control)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller, void *event,
			     uint32_t request, uintptr_t argument, void *other);
	/* PERF_EVENT_IOC_ENABLE or DISABLE for the caller's events, by prctl(2). NULL: applies to
	 * the events that the caller opened, as on Linux. */
	void (*task_control)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller, uint32_t request);
	int (*ring_map)(struct tally_emulate_backend *backend,
			const struct tally_emulate_caller *caller, void *event, size_t len,
			uint64_t offset, bool writable, struct tally_emulate_map *ret_map);
	void (*ring_unmap)(struct tally_emulate_backend *backend, void *event, void *mapping);
	/* The caller is about to wait with poll(2) or a similar call; NULL: not needed. */
	void (*caller_waits)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller);
	/* Update the rings of an event before it is woken; NULL: not needed. */
	void (*ring_update)(struct tally_emulate_backend *backend, void *event);
	/* Changes of processes; NULL: the backend detects them itself. `parent` is 0 if it is not
	 * known. */
	void (*process_fork)(struct tally_emulate_backend *backend, int32_t parent, int32_t child);
	void (*process_exec)(struct tally_emulate_backend *backend, int32_t pid);
	/* The process is about to end, and has not been waited for: its parent may then read rings
	 * without a call. Not called for every process that ends. */
	void (*process_end)(struct tally_emulate_backend *backend, int32_t pid);
	void (*process_exit)(struct tally_emulate_backend *backend, int32_t pid);
	/* Wait for a child of this process that has ended; NULL: waitpid(2). Returns 0 or -errno.
	 */
	int (*wait_child)(struct tally_emulate_backend *backend, int32_t pid, int *ret_status);
	/* Descriptor that is readable when wait() is to be called; -1: none. */
	int wait_fd;
	void (*wait)(struct tally_emulate_backend *backend);
	/* Set by the server. */
	tally_emulate_wake_fn wake;
	/* Wake an event at each wakeup of a descriptor that polls like one of perf_event_open(2).
	 * Returns 0 or -errno. Unwatch the descriptor before closing it. */
	int (*watch)(void *wakes, int fd);
	void (*unwatch)(void *wakes, int fd);
};

/* Backend for the running Linux kernel. Free it with tally_emulate_linux_free(), after the server.
 * Returns 0 or -errno. */
int tally_emulate_linux_new(struct tally_emulate_backend **ret_backend);
void tally_emulate_linux_free(struct tally_emulate_backend *backend);

/* Backend for the user host: software events of threads, counted and sampled by ptrace and procfs.
 * Free it after the server. Returns 0 or an error of tally_user_create(). */
int tally_emulate_user_new(struct tally_emulate_backend **ret_backend);
void tally_emulate_user_free(struct tally_emulate_backend *backend);

/*
 * Backend for programs that use the ABI of the design document, tally/classic.h. It translates to
 * `inner`, which uses the current ABI and must outlive it. Free it after the server. Returns 0,
 * -ENOMEM or -errno of the descriptors.
 */
int tally_emulate_classic_new(struct tally_emulate_backend *inner,
			      struct tally_emulate_backend **ret_backend);
void tally_emulate_classic_free(struct tally_emulate_backend *backend);

struct tally_script; /* emulate/emulate_script.h */

/* Backend for the simulated machine with a scripted PMU. `script` must outlive it. Free it after
 * the server. Returns 0, -ENOMEM, or -EINVAL if no such machine can exist. */
int tally_emulate_sim_new(const struct tally_script *script,
			  struct tally_emulate_backend **ret_backend);
void tally_emulate_sim_free(struct tally_emulate_backend *backend);

#endif
