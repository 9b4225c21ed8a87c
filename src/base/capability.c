/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/capability.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

int tally_capabilities_read(struct tally_capability_sets *ret_sets)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct words[2]; /* least significant word first */

	if (syscall(SYS_capget, &header, words))
		return -errno;
	*ret_sets = (struct tally_capability_sets){
		.effective = words[0].effective | (uint64_t)words[1].effective << 32,
		.permitted = words[0].permitted | (uint64_t)words[1].permitted << 32,
		.inheritable = words[0].inheritable | (uint64_t)words[1].inheritable << 32,
	};
	return 0;
}

int tally_capabilities_write(const struct tally_capability_sets *sets)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct words[2];

	for (int i = 0; i < 2; i++)
		words[i] = (struct __user_cap_data_struct){
			.effective = (uint32_t)(sets->effective >> 32 * i),
			.permitted = (uint32_t)(sets->permitted >> 32 * i),
			.inheritable = (uint32_t)(sets->inheritable >> 32 * i),
		};
	return syscall(SYS_capset, &header, words) ? -errno : 0;
}

bool tally_capability_is_effective(int capability)
{
	struct tally_capability_sets sets = {0};

	return !tally_capabilities_read(&sets) && sets.effective >> capability & 1;
}
