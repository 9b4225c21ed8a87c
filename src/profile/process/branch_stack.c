/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/branch_stack.h"

#include <string.h>

struct perf_branch_entry tally_branch(const struct tally_sample *sample, uint64_t i)
{
	struct perf_branch_entry entry;

	memcpy(&entry, sample->branches.data + i * sizeof(entry), sizeof(entry));
	return entry;
}

const struct tally_location *tally_branch_locate(struct tally_machine *machine,
						 const struct tally_thread *thread, uint8_t cpumode,
						 uint64_t ip)
{
	uint8_t other = cpumode == PERF_RECORD_MISC_KERNEL ? PERF_RECORD_MISC_USER
							   : PERF_RECORD_MISC_KERNEL;
	const struct tally_location *where = tally_machine_locate(machine, thread, cpumode, ip);

	if (where->dso)
		return where;
	where = tally_machine_locate(machine, thread, other, ip);
	/* Without maps of the kernel, every address could be the kernel's. */
	if (where->symbol || tally_machine_find_dso(machine, thread, other, ip))
		return where;
	return tally_machine_locate(machine, thread, cpumode, ip);
}
