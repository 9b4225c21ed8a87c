/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that exclude each other. */
#ifndef TALLY_CLI_MAIN_EXCLUDE_H
#define TALLY_CLI_MAIN_EXCLUDE_H

#include <stdbool.h>
#include <stddef.h>

/* An option in a command's config that has no effect together with some other option. */
struct tally_excluded {
	const char *option; /* "--name" */
	size_t offset;      /* offset of a bool, or, with `is_text`, of a string */
	bool is_text;       /* the string is NULL if the option was not given */
	const char *why;    /* reason; NULL: the option is another way to show the same data */
};

/* The reason for options about rows, for output that has no rows. */
#define TALLY_EXCLUDED_OF_ROWS "applies to rows"

/* Check that none of the `nr` options was given together with `chosen`, which may itself be one of
 * them. Returns 0, or -EINVAL after printing the first conflict. */
int tally_options_exclude(const char *chosen, const struct tally_excluded *excluded, size_t nr,
			  const void *config);

#endif
