/* SPDX-License-Identifier: BSD-2-Clause */
/* Argument types of ioctl requests, used by the library and the server. */
#include <stddef.h>

#include "emulate/ioctls.h"
#include "tally/abi.h"

static const struct tally_emulate_ioctl ioctls[] = {
	{(uint32_t)PERF_EVENT_IOC_PERIOD, 8, 0, TALLY_EMULATE_POINTER},
	{(uint32_t)PERF_EVENT_IOC_ID, 0, 8, TALLY_EMULATE_POINTER},
	{(uint32_t)PERF_EVENT_IOC_SET_FILTER, 4096, 0, TALLY_EMULATE_STRING},
	{(uint32_t)PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 0, 0, TALLY_EMULATE_ATTR},
	{(uint32_t)PERF_EVENT_IOC_SET_OUTPUT, 0, 0, TALLY_EMULATE_FD},
};

struct tally_emulate_ioctl tally_emulate_ioctl_find(uint32_t request)
{
	for (size_t i = 0; i < sizeof(ioctls) / sizeof(*ioctls); i++)
		if (ioctls[i].request == request)
			return ioctls[i];
	return (struct tally_emulate_ioctl){.request = request, .kind = TALLY_EMULATE_VALUE};
}
