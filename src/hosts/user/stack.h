/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to a stopped thread's memory, for samples. */
#ifndef TALLY_HOSTS_USER_STACK_H
#define TALLY_HOSTS_USER_STACK_H

#include <stdint.h>

#include "hosts/user/regs.h"

/* A stopped thread. sample_data->regs points to this structure. */
struct user_stop {
	int32_t tid;
	struct user_regs regs;
};

/* Copy up to `len` bytes of the thread's memory, starting at `addr`. Returns the number of bytes
 * copied. */
uint32_t user_stack_read(const struct user_stop *stop, uint64_t addr, void *to, uint32_t len);

/* Walk the stack by frame pointers, and store up to `max` addresses. The first address is the
 * instruction pointer. A frame is accepted only if it is above the previous frame. Returns the
 * number of addresses. */
uint32_t user_stack_walk(const struct user_stop *stop, uint64_t *ret_ips, uint32_t max);

#endif
