/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in the simulated machine. */
#ifndef TALLY_HOSTS_SIM_FILES_H
#define TALLY_HOSTS_SIM_FILES_H

#include "hosts/sim/sim.h"

/*
 * System calls made by `task`. They return -EBADF for invalid descriptors. The threads of a process
 * share descriptors and mappings. Fork copies the descriptors. All of them are closed when the last
 * thread exits; exec closes those with PERF_FLAG_FD_CLOEXEC. An event is closed when it has no
 * descriptors and no mappings left.
 */
int tally_sim_open(struct tally_sim *sim, struct tally_sim_task *task, void *attr, int32_t pid,
		   int32_t cpu, int group_fd, unsigned long flags);

int tally_sim_close(struct tally_sim *sim, struct tally_sim_task *task, int fd);

int tally_sim_dup(struct tally_sim *sim, struct tally_sim_task *task, int fd);

int64_t tally_sim_read(struct tally_sim *sim, struct tally_sim_task *task, int fd, void *to,
		       size_t len);

int tally_sim_ioctl(struct tally_sim *sim, struct tally_sim_task *task, int fd,
		    unsigned long request, uintptr_t arg);

unsigned tally_sim_poll(struct tally_sim *sim, struct tally_sim_task *task, int fd);

int tally_sim_prctl(struct tally_sim *sim, struct tally_sim_task *task, int option);

/* Open another descriptor for the same event in another task, as with SCM_RIGHTS. */
int tally_sim_send_fd(struct tally_sim *sim, const struct tally_sim_task *from, int fd,
		      struct tally_sim_task *to);

/* Set the argument passed to config.notified for this descriptor. NULL disables the call. */
int tally_sim_set_owner(struct tally_sim *sim, struct tally_sim_task *task, int fd, void *owner);

/* Return the machine's memory file, which contains all rings, and the offset of a mapping's pages
 * in the file. The pages are contiguous if settings.contiguous is set. Returns -EINVAL if there is
 * no such mapping. */
int tally_sim_mapping_file(struct tally_sim *sim, const struct tally_sim_task *task,
			   const void *memory, int *ret_fd, uint64_t *ret_offset);

/* Map a ring. `*ret_memory` is a contiguous mapping, even if the pages are scattered. A store to a
 * mapping that is not writable faults. */
int tally_sim_mmap(struct tally_sim *sim, struct tally_sim_task *task, int fd, size_t len,
		   uint64_t pgoff, bool writable, void **ret_memory);

int tally_sim_munmap(struct tally_sim *sim, struct tally_sim_task *task, void *memory);

/* Open a descriptor that is not an event. */
int tally_sim_open_other(struct tally_sim *sim, struct tally_sim_task *task);

/* Return a descriptor's event, or NULL if the descriptor is not an event. */
struct tally_core_event *tally_sim_event(struct tally_sim *sim, struct tally_sim_task *task,
					 int fd);

/* Send a signal to the task whenever the descriptor is notified, as with F_SETOWN and O_ASYNC. */
int tally_sim_set_async(struct tally_sim *sim, struct tally_sim_task *task, int fd);

struct tally_sim_notifications tally_sim_notifications(struct tally_sim *sim,
						       struct tally_sim_task *task, int fd);

/* Return the value that user space reads, without sign extension, from counter `index` (the page's
 * index - 1) of the first PMU on the task's CPU. */
uint64_t tally_sim_rdpmc(struct tally_sim *sim, struct tally_sim_task *task, uint32_t index);

#endif
