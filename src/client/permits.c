/* SPDX-License-Identifier: BSD-2-Clause */
/* What this thread may do, asked of the kernel without libcap: by number. */
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "tally/client.h"

bool tally_permits_capability(int capability)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[capability / 32].effective >> capability % 32 & 1;
}

static bool read_number(const char *path, long *ret_value)
{
	char *text;
	size_t len;

	if (tally_file_read(path, 64, &text, &len))
		return false;
	*ret_value = strtol(text, NULL, 10);
	free(text);
	return true;
}

int tally_permits_paranoid(void)
{
	long value;

	return read_number("/proc/sys/kernel/perf_event_paranoid", &value) ? (int)value : 2;
}

size_t tally_ring_affordable_pages(size_t pages, size_t nr_rings)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
		 cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit limit = {0};
	uint64_t budget;
	long kb;

	if (tally_permits_capability(TALLY_CAP_IPC_LOCK) || tally_permits_paranoid() < 0)
		return pages;
	if (!read_number("/proc/sys/kernel/perf_event_mlock_kb", &kb))
		kb = 516;
	/* The user's budget is per CPU; beyond it pages count as the process's locked memory. */
	budget = (uint64_t)kb * 1024 * cpus;
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		budget += limit.rlim_cur;
	else
		return pages;
	while (pages > 1 && (pages + 1) * page * nr_rings > budget)
		pages /= 2;
	return pages;
}
