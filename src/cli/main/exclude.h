/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that do not go together. */
#ifndef TALLY_CLI_MAIN_EXCLUDE_H
#define TALLY_CLI_MAIN_EXCLUDE_H

#include <stdbool.h>
#include <stddef.h>

/* An option of a command's config that means nothing beside another one. */
struct tally_excluded {
	const char *option; /* "--name" */
	size_t offset;      /* of a flag, or: */
	bool is_text;       /* of a text, NULL if it was not given */
	const char *why;    /* NULL: it is another way to show the same */
};

/* Why an option of rows means nothing beside a document that has none. */
#define TALLY_EXCLUDED_OF_ROWS "is of rows"

/* Whether none of `nr` options was given together with `chosen`, which may be among them; says
 * which one. 0 or -EINVAL. */
int tally_options_exclude(const char *chosen, const struct tally_excluded *excluded, size_t nr,
			  const void *config);

#endif
