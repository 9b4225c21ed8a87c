/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/functions.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"

int tally_functions_build(const struct tally_profile *profile, uint32_t **ret_functions)
{
	const struct tally_frames *frames = &profile->frames;
	uint32_t *functions = malloc((frames->all.len + 1) * sizeof(*functions));
	struct tally_map known = {0}; /* maps a function to its first frame */
	int ret = functions ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < frames->all.len && !ret; i++) {
		uint64_t key = tally_frame_function(&frames->all.data[i]);
		uint64_t first = tally_map_get(&known, key);

		functions[i] = first == TALLY_MAP_NONE ? i : (uint32_t)first;
		if (first == TALLY_MAP_NONE)
			ret = tally_map_set(&known, key, i);
	}
	tally_map_free(&known);
	if (ret)
		free(functions);
	else
		*ret_functions = functions;
	return ret;
}
