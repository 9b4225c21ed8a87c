/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a stopped thread, as far as samples need it. */
#ifndef TALLY_HOSTS_USER_STACK_H
#define TALLY_HOSTS_USER_STACK_H

#include <stdint.h>

#include "hosts/user/regs.h"

/* A thread that is stopped: what sample_data->regs points to. */
struct user_stop {
	int32_t tid;
	struct user_regs regs;
};

/* Copy up to `len` bytes at `addr` of its memory: how many there were. */
uint32_t user_stack_read(const struct user_stop *stop, uint64_t addr, void *to, uint32_t len);

/* Return addresses by frame pointers, the instruction pointer first: at most `max`; how many. A
 * frame is believed while it lies above the one before. */
uint32_t user_stack_walk(const struct user_stop *stop, uint64_t *ret_ips, uint32_t max);

#endif
