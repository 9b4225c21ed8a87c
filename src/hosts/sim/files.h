/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of the simulated machine. */
#ifndef TALLY_HOSTS_SIM_FILES_H
#define TALLY_HOSTS_SIM_FILES_H

#include "hosts/sim/sim.h"

/*
 * Each as `task`. -EBADF for descriptors that are none. Threads of one process share their
 * descriptors and mappings; fork copies descriptors; the end of the last thread closes all, exec
 * those with PERF_FLAG_FD_CLOEXEC. An event is closed when no descriptor and no mapping of it
 * is left.
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

/* Another descriptor of the same event, for another task: as by SCM_RIGHTS. */
int tally_sim_give(struct tally_sim *sim, const struct tally_sim_task *from, int fd,
		   struct tally_sim_task *to);

/* Whom config.notified is called for; NULL: nobody. */
int tally_sim_set_owner(struct tally_sim *sim, struct tally_sim_task *task, int fd, void *owner);

/* The file that all rings are in, which is the machine's, and where a mapping's pages begin in it:
 * they lie in one piece with settings.contiguous. -EINVAL: no such mapping. */
int tally_sim_mapping_file(struct tally_sim *sim, const struct tally_sim_task *task,
			   const void *memory, int *ret_fd, uint64_t *ret_offset);

/* `*ret_memory` is one piece of address space whichever way the pages lie; a store to a mapping
 * that is not writable faults. */
int tally_sim_mmap(struct tally_sim *sim, struct tally_sim_task *task, int fd, size_t len,
		   uint64_t pgoff, bool writable, void **ret_memory);

int tally_sim_munmap(struct tally_sim *sim, struct tally_sim_task *task, void *memory);

/* A descriptor of something that is no event. */
int tally_sim_open_other(struct tally_sim *sim, struct tally_sim_task *task);

/* The event of a descriptor, NULL if it is none. */
struct tally_core_event *tally_sim_event(struct tally_sim *sim, struct tally_sim_task *task,
					 int fd);

/* Send the task a signal whenever the descriptor is notified: F_SETOWN and O_ASYNC. */
int tally_sim_set_async(struct tally_sim *sim, struct tally_sim_task *task, int fd);

struct tally_sim_notifications tally_sim_notifications(struct tally_sim *sim,
						       struct tally_sim_task *task, int fd);

/* What user space reads from counter `index` (the page's index - 1) of the first PMU on the
 * task's CPU: sign-extended by nobody. */
uint64_t tally_sim_rdpmc(struct tally_sim *sim, struct tally_sim_task *task, uint32_t index);

#endif
