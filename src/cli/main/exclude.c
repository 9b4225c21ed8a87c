/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/exclude.h"

#include <errno.h>
#include <string.h>

#include "cli/main/print.h"

static bool is_given(const struct tally_excluded *option, const void *config)
{
	const char *at = (const char *)config + option->offset;

	return option->is_text ? *(const char *const *)at != NULL : *(const bool *)at;
}

int tally_options_exclude(const char *chosen, const struct tally_excluded *excluded, size_t nr,
			  const void *config)
{
	for (size_t i = 0; i < nr; i++) {
		if (!is_given(&excluded[i], config) || !strcmp(excluded[i].option, chosen))
			continue;
		if (excluded[i].why)
			tally_print_error("%s %s and cannot be combined with %s",
					  excluded[i].option, excluded[i].why, chosen);
		else
			tally_print_error(
				"%s and %s select different outputs: use only one of them", chosen,
				excluded[i].option);
		return -EINVAL;
	}
	return 0;
}
