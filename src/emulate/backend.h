/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of a backend, which handles the requests that the server receives. All calls are made
 * from one thread. Memory passed to the backend belongs to the server; pointers from clients are
 * never passed on. Calls return 0 (or the result of the operation) or -errno; `ret_` pointers are
 * untouched on failure.
 */
#ifndef TALLY_EMULATE_BACKEND_H
#define TALLY_EMULATE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_emulate_backend;

/* The calling thread. The server has verified that `tid` is a thread of process `pid`. */
struct tally_emulate_caller {
	int32_t pid, tid;
};

/* A ring to be mapped: a descriptor, which the server closes, and the offset of the ring's pages in
 * it. */
struct tally_emulate_map {
	int fd;
	uint64_t offset;
	void *mapping; /* passed to ring_unmap() */
};

struct tally_emulate_open {
	void *attr; /* TALLY_EMULATE_DATA_MAX bytes, zero-filled after the caller's data */
	int32_t pid, cpu;
	void *group;       /* or NULL */
	bool is_group_bad; /* group_fd is invalid: return -EBADF unless another check fails first */
	unsigned long flags;
	uint64_t socket; /* inode of the descriptor that the program gets */
	void *wakes;     /* passed to tally_emulate_wake_fn for this event */
};

/* Called by a backend from within any of its calls when an event becomes readable (POLLIN) or its
 * task has exited (POLLHUP). `wakes` is from the event's struct tally_emulate_open. */
typedef void (*tally_emulate_wake_fn)(void *wakes, short events);

struct tally_emulate_backend {
	const char *name;
	bool is_classic; /* attrs and rings are as in tally/classic.h */
	int (*event_open)(struct tally_emulate_backend *backend,
			  const struct tally_emulate_caller *caller,
			  const struct tally_emulate_open *open, void **ret_event);
	/* Close an event after its last descriptor and mapping have been closed. */
	void (*event_close)(struct tally_emulate_backend *backend, void *event);
	int64_t (*event_read)(struct tally_emulate_backend *backend,
			      const struct tally_emulate_caller *caller, void *event, void *to,
			      size_t len);
	/* `argument` is a number, or points to TALLY_EMULATE_DATA_MAX bytes. For SET_OUTPUT it is
	 * ignored, and `other` is the target event, or NULL. */
	int (*event_control)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller, void *event,
			     uint32_t request, uintptr_t argument, void *other);
	/* Apply PERF_EVENT_IOC_ENABLE or DISABLE to the caller's events, for prctl(2). If this is
	 * NULL, the server applies it to the events that the caller opened, as on Linux. */
	void (*task_control)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller, uint32_t request);
	int (*ring_map)(struct tally_emulate_backend *backend,
			const struct tally_emulate_caller *caller, void *event, size_t len,
			uint64_t offset, bool writable, struct tally_emulate_map *ret_map);
	void (*ring_unmap)(struct tally_emulate_backend *backend, void *event, void *mapping);
	/* Called when the caller is about to wait with poll(2) or a similar call. NULL if not
	 * needed. */
	void (*caller_waits)(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller);
	/* Update an event's rings before its waiters are woken. NULL if not needed. */
	void (*ring_update)(struct tally_emulate_backend *backend, void *event);
	/* Called when processes change. NULL if the backend detects this itself. `parent` is 0 if
	 * unknown. */
	void (*process_fork)(struct tally_emulate_backend *backend, int32_t parent, int32_t child);
	void (*process_exec)(struct tally_emulate_backend *backend, int32_t pid);
	/* Called when a process is about to exit and has not been reaped yet, because its parent
	 * may later read rings without making a call. Not called for every process that exits. */
	void (*process_end)(struct tally_emulate_backend *backend, int32_t pid);
	void (*process_exit)(struct tally_emulate_backend *backend, int32_t pid);
	/* Wait for a child of this process that has exited; NULL to use waitpid(2). Returns 0 or
	 * -errno. */
	int (*wait_child)(struct tally_emulate_backend *backend, int32_t pid, int *ret_status);
	/* Descriptor that is readable when wait() is to be called, or -1 if not needed. */
	int wait_fd;
	void (*wait)(struct tally_emulate_backend *backend);
	/* Set by the server. */
	tally_emulate_wake_fn wake;
	/* Wake an event whenever `fd`, which polls like a perf_event_open(2) descriptor, is woken.
	 * Returns 0 or -errno. Unwatch the descriptor before closing it. */
	int (*watch)(void *wakes, int fd);
	void (*unwatch)(void *wakes, int fd);
};

/* Backend for the running Linux kernel. Free it with tally_emulate_linux_free(), after the server.
 * Returns 0 or -errno. */
int tally_emulate_linux_new(struct tally_emulate_backend **ret_backend);
void tally_emulate_linux_free(struct tally_emulate_backend *backend);

/* Backend for the user host, which uses ptrace and procfs to count and sample software events of
 * threads. Free it after the server. Returns 0 or an error from tally_user_create(). */
int tally_emulate_user_new(struct tally_emulate_backend **ret_backend);
void tally_emulate_user_free(struct tally_emulate_backend *backend);

/*
 * Backend for programs that use the design document's ABI (tally/classic.h). It translates calls
 * for `inner`, which uses the current ABI and must outlive this backend. Free it after the server.
 * Returns 0, -ENOMEM, or -errno if a descriptor cannot be created.
 */
int tally_emulate_classic_new(struct tally_emulate_backend *inner,
			      struct tally_emulate_backend **ret_backend);
void tally_emulate_classic_free(struct tally_emulate_backend *backend);

struct tally_script; /* defined in emulate/emulate_script.h */

/* Backend for the simulated machine with a scripted PMU. `script` must outlive the backend. Free
 * it after the server. Returns 0, -ENOMEM, or -EINVAL if the script describes an impossible
 * machine. */
int tally_emulate_sim_new(const struct tally_script *script,
			  struct tally_emulate_backend **ret_backend);
void tally_emulate_sim_free(struct tally_emulate_backend *backend);

#endif
