/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a stopped thread, as samples need it. */
#ifndef TALLY_HOSTS_USER_STACK_H
#define TALLY_HOSTS_USER_STACK_H

#include <stdint.h>

#include "hosts/user/regs.h"

/* A stopped thread; sample_data->regs points to this. */
struct user_stop {
	int32_t tid;
	struct user_regs regs;
};

/* Copy up to `len` bytes at `addr` of its memory. Returns how many were copied. */
uint32_t user_stack_read(const struct user_stop *stop, uint64_t addr, void *to, uint32_t len);

/* Walk the stack by frame pointers. The first address is the instruction pointer; at most `max` are
 * written. A frame is accepted only if it is above the previous one. Returns their number. */
uint32_t user_stack_walk(const struct user_stop *stop, uint64_t *ret_ips, uint32_t max);

#endif
