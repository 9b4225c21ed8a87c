/* SPDX-License-Identifier: BSD-2-Clause */
/* Sample data: the state of the interrupted task. */
#include "base/arith.h"
#include "hosts/sim/sim_private.h"

/* Distance between two return addresses in a callchain. */
enum { FRAME = 0x1000 };

/* Indexed by enum tally_sim_mode. */
static const struct {
	uint16_t misc;
	uint64_t ip; /* default code address of a segment */
} modes[SIM_NR_MODES] = {
	[SIM_USER] = {PERF_RECORD_MISC_USER, 0x400000},
	[SIM_KERNEL] = {PERF_RECORD_MISC_KERNEL, 0xffffffff81000000},
	[SIM_HYPERVISOR] = {PERF_RECORD_MISC_HYPERVISOR, 0xffff800000000000},
	[SIM_GUEST_KERNEL] = {PERF_RECORD_MISC_GUEST_KERNEL, 0xffffffff82000000},
	[SIM_GUEST_USER] = {PERF_RECORD_MISC_GUEST_USER, 0x500000},
	[SIM_IDLE] = {PERF_RECORD_MISC_KERNEL, 0xffffffff81f00000},
};

uint16_t sim_misc(enum tally_sim_mode mode)
{
	return modes[mode].misc;
}

static uint64_t segment_ip(const struct tally_sim_segment *segment, uint64_t done_ns)
{
	uint64_t ip = segment->ip ? segment->ip : modes[segment->mode].ip;
	uint64_t len = segment->ip_len ? segment->ip_len : FRAME;

	return ip + (done_ns & ~3ull) % len;
}

struct tally_core_sample_data sim_sample_data(const struct sim_cpu *cpu)
{
	const struct tally_sim_task *task = cpu->current;

	return (struct tally_core_sample_data){
		.ip = segment_ip(task->segment, task->done_ns),
		.addr = task->segment->addr,
		.mode = sim_misc(task->segment->mode),
		.idle = task->is_idle,
	};
}

/* Return the kernel's or the user's callchain. The kernel's callchain exists only in kernel mode.
 * The user's callchain begins at the IP in user mode; in kernel mode it begins where the last user
 * segment ended. */
uint32_t sim_chain(const struct sim_cpu *cpu, const struct tally_core_sample_data *sample_data,
		   bool user, uint64_t *ret_ips, uint32_t max)
{
	const struct tally_sim_task *task = cpu->current;
	const struct tally_sim_segment *segment = task->segment;
	bool in_user = sample_data->mode == PERF_RECORD_MISC_USER;
	uint64_t ip = sample_data->ip;
	uint32_t depth;

	if (!in_user && sample_data->mode != PERF_RECORD_MISC_KERNEL)
		return 0;
	if (user && !in_user) {
		segment = task->user_segment;
		ip = segment ? segment_ip(segment, segment->ns) : 0;
	}
	if (!segment || (!user && in_user))
		return 0;
	depth = TALLY_MIN(segment->depth ? segment->depth : 1, max);
	for (uint32_t i = 0; i < depth; i++)
		ret_ips[i] = ip + (uint64_t)i * FRAME;
	return depth;
}
