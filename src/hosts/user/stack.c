/* SPDX-License-Identifier: BSD-2-Clause */
#include "hosts/user/stack.h"

#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

#include "base/arith.h"

enum { BLOCK = 4096 };

/* A cached block of the stack, which avoids a system call for each frame. */
struct stack_block {
	const struct user_stop *stop;
	uint64_t addr;
	uint32_t len;
	uint8_t bytes[BLOCK];
};

/* A range that is only partly mapped is copied up to the first missing page. */
uint32_t user_stack_read(const struct user_stop *stop, uint64_t addr, void *to, uint32_t len)
{
	struct iovec here = {to, len}, there = {(void *)(uintptr_t)addr, len};
	ssize_t n = process_vm_readv(stop->tid, &here, 1, &there, 1, 0);
	uint32_t first = BLOCK - (uint32_t)(addr % BLOCK);

	if (n >= 0)
		return (uint32_t)n;
	if (first >= len)
		return 0;
	here.iov_len = there.iov_len = first;
	n = process_vm_readv(stop->tid, &here, 1, &there, 1, 0);
	return n < 0 ? 0 : (uint32_t)n;
}

static bool block_get(struct stack_block *block, uint64_t addr, void *to, uint32_t len)
{
	if (addr < block->addr || addr - block->addr > block->len ||
	    block->len - (addr - block->addr) < len) {
		block->addr = addr;
		block->len = user_stack_read(block->stop, addr, block->bytes, BLOCK);
		if (block->len < len)
			return false;
	}
	memcpy(to, block->bytes + (addr - block->addr), len);
	return true;
}

/* Read the return address and the caller's frame pointer from the frame at `fp`. */
static bool frame_get(struct stack_block *block, uint64_t fp, uint64_t *ret_fp, uint64_t *ret_ip)
{
	uint64_t wide[2];
	uint32_t narrow[2];

	if (!block->stop->regs.narrow) {
		if (!block_get(block, fp, wide, sizeof(wide)))
			return false;
		*ret_fp = wide[0];
		*ret_ip = wide[1];
		return true;
	}
	if (!block_get(block, fp, narrow, sizeof(narrow)))
		return false;
	*ret_fp = narrow[0];
	*ret_ip = narrow[1];
	return true;
}

uint32_t user_stack_walk(const struct user_stop *stop, uint64_t *ret_ips, uint32_t max)
{
	uint64_t fp = user_regs_fp(&stop->regs), sp = user_regs_sp(&stop->regs), next, ip;
	struct stack_block block = {.stop = stop, .addr = sp};
	uint32_t nr = 0;

	if (max)
		ret_ips[nr++] = user_regs_ip(&stop->regs);
	if (max > 1)
		block.len = user_stack_read(stop, sp, block.bytes, BLOCK);
	while (nr < max && fp >= sp && !(fp % 4) && frame_get(&block, fp, &next, &ip) && ip) {
		ret_ips[nr++] = ip;
		if (next <= fp)
			break;
		fp = next;
	}
	return nr;
}
