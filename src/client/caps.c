/* SPDX-License-Identifier: BSD-2-Clause */
/* Lower, raise and drop the calling thread's capabilities. */
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/capability.h"
#include "base/file.h"
#include "client/access_private.h"
#include "client/procfs.h"
#include "tally/client.h"

#ifndef PR_CAP_AMBIENT
#define PR_CAP_AMBIENT           47
#define PR_CAP_AMBIENT_IS_SET    1
#define PR_CAP_AMBIENT_CLEAR_ALL 4
#endif

bool tally_access_capability(int capability)
{
	return tally_capability_is_effective(capability);
}

void access_capabilities(struct tally_access *access)
{
	struct tally_capability_sets sets;

	if (tally_capabilities_read(&sets))
		return;
	access->effective = sets.effective;
	access->permitted = sets.permitted;
	access->inheritable = sets.inheritable;
}

bool tally_caps_held(void)
{
	struct tally_capability_sets sets;

	return !tally_capabilities_read(&sets) && sets.permitted;
}

int tally_caps_lower(void)
{
	struct tally_capability_sets sets;
	int ret = tally_capabilities_read(&sets);

	if (ret)
		return ret;
	sets.effective = 0;
	return tally_capabilities_write(&sets);
}

int tally_caps_raise(void)
{
	struct tally_capability_sets sets;
	int ret = tally_capabilities_read(&sets);

	if (ret)
		return ret;
	sets.effective = sets.permitted;
	return tally_capabilities_write(&sets);
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
	const struct tally_capability_sets none = {0};
	struct tally_capability_sets held;
	int ret = tally_capabilities_read(&held);

	if (ret || !(held.effective | held.permitted | held.inheritable))
		return ret;
	if (!is_alone())
		return -EBUSY;
	/* Kernels before 4.3 have no ambient set. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return tally_capabilities_write(&none);
}

int tally_caps_drop_to_ambient(void)
{
	struct tally_capability_sets sets;
	int ret = tally_capabilities_read(&sets);

	if (ret)
		return ret;
	for (int i = 0; i < 64; i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0) != 1)
			sets.permitted &= ~((uint64_t)1 << i);
	sets.effective = sets.permitted;
	return tally_capabilities_write(&sets);
}
