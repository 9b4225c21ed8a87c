/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutually exclusive options. */
#ifndef TALLY_CLI_MAIN_EXCLUDE_H
#define TALLY_CLI_MAIN_EXCLUDE_H

#include <stdbool.h>
#include <stddef.h>

/* An option that cannot be combined with another option. */
struct tally_excluded {
	const char *option; /* "--name" */
	size_t offset;      /* offset of a bool, or of a string pointer if `is_text` */
	bool is_text;       /* the string is NULL if the option was not given */
	const char *why;    /* reason, or NULL if the options select different outputs */
};

/* The reason for rejecting options about rows when the output has no rows. */
#define TALLY_EXCLUDED_OF_ROWS "applies to rows"

/* Check that none of the `nr` options was used together with `chosen`, which may itself be in the
 * list. Returns 0, or -EINVAL after printing the first conflict. */
int tally_options_exclude(const char *chosen, const struct tally_excluded *excluded, size_t nr,
			  const void *config);

#endif
