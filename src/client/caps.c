/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling thread's capabilities, queried and dropped by number, without libcap. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "client/access_private.h"
#include "client/procfs.h"
#include "tally/client.h"

#ifndef PR_CAP_AMBIENT
#define PR_CAP_AMBIENT           47
#define PR_CAP_AMBIENT_IS_SET    1
#define PR_CAP_AMBIENT_CLEAR_ALL 4
#endif

/* Two 32-bit words, least significant word first. */
struct sets {
	struct __user_cap_data_struct word[2];
};

static int sets_read(struct sets *ret_sets)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};

	return syscall(SYS_capget, &header, ret_sets->word) ? -errno : 0;
}

static int sets_write(struct sets *sets)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};

	return syscall(SYS_capset, &header, sets->word) ? -errno : 0;
}

bool tally_access_capability(int capability)
{
	struct sets sets;

	if (sets_read(&sets))
		return false;
	return sets.word[capability / 32].effective >> capability % 32 & 1;
}

void access_capabilities(struct tally_access *access)
{
	struct sets sets;

	if (sets_read(&sets))
		return;
	access->effective = access->permitted = access->inheritable = 0;
	for (int i = 0; i < 2; i++) {
		access->effective |= (uint64_t)sets.word[i].effective << 32 * i;
		access->permitted |= (uint64_t)sets.word[i].permitted << 32 * i;
		access->inheritable |= (uint64_t)sets.word[i].inheritable << 32 * i;
	}
}

bool tally_caps_held(void)
{
	struct sets sets;

	return !sets_read(&sets) && (sets.word[0].permitted || sets.word[1].permitted);
}

int tally_caps_lower(void)
{
	struct sets sets;
	int ret = sets_read(&sets);

	if (ret)
		return ret;
	sets.word[0].effective = sets.word[1].effective = 0;
	return sets_write(&sets);
}

int tally_caps_raise(void)
{
	struct sets sets;
	int ret = sets_read(&sets);

	if (ret)
		return ret;
	for (int i = 0; i < 2; i++)
		sets.word[i].effective = sets.word[i].permitted;
	return sets_write(&sets);
}

/* Return true if the process has a single thread. Capabilities are per thread, so other running
 * threads would keep their own. */
static bool is_alone(void)
{
	struct procfs_status status = {.nr_threads = 1};
	char *text;
	size_t len;

	if (!tally_file_read("/proc/self/status", 1 << 16, &text, &len)) {
		procfs_status_parse(text, len, &status);
		free(text);
	}
	return status.nr_threads == 1;
}

int tally_caps_drop(void)
{
	struct sets none = {0}, held;
	int ret = sets_read(&held);

	if (ret || !memcmp(&held, &none, sizeof(held)))
		return ret;
	if (!is_alone())
		return -EBUSY;
	/* Kernels before 4.3 have no ambient set. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return sets_write(&none);
}

int tally_caps_drop_to_ambient(void)
{
	struct sets sets;
	int ret = sets_read(&sets);

	if (ret)
		return ret;
	for (int i = 0; i < 64; i++) {
		uint32_t bit = (uint32_t)1 << i % 32;

		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0) != 1)
			sets.word[i / 32].permitted &= ~bit;
	}
	for (int i = 0; i < 2; i++)
		sets.word[i].effective = sets.word[i].permitted;
	return sets_write(&sets);
}
