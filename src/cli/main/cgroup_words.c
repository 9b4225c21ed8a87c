/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/cgroup_words.h"

#include <stdio.h>

#include "sampler/cgroups.h"

void tally_print_cgroups(const char *before)
{
	struct tally_cgroup_names names = {0};

	/* Without cgroups there are no words. */
	if (!tally_cgroups_match(".", &names))
		tally_vec_for_each (name, &names.all)
			puts(*name);
	tally_cgroup_names_free(&names);
}
