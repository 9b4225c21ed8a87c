/* SPDX-License-Identifier: BSD-2-Clause */
/* Select the samples in given functions, files and ranges of addresses. */
#ifndef TALLY_CLI_SCRIPT_SCRIPT_SELECT_H
#define TALLY_CLI_SCRIPT_SCRIPT_SELECT_H

#include "base/vec.h"
#include "cli/main/arguments.h"
#include "session/session.h"

/* An all-zero structure selects all samples. */
struct script_selection {
	struct tally_word_list symbols, dsos; /* empty if there is no filter */
	TALLY_VEC(uint64_t) addresses;        /* those of `symbols` that are hexadecimal numbers */
	uint64_t range; /* bytes from each address, or 0 for that address or function */
};

/* Parse comma-separated lists, which may be NULL. Words of `symbols` are names of functions or
 * hexadecimal addresses, with or without "0x". Returns 0 or -ENOMEM. */
int script_selection_init(struct script_selection *selection, const char *symbols, const char *dsos,
			  uint64_t range);

/* Return true if a sample is in one of the functions or ranges, and in one of the files. As in
 * perf, files may be specified with or without directories. */
bool script_selection_has(const struct script_selection *selection, struct tally_machine *machine,
			  const struct tally_feed_sample *sample);

void script_selection_free(struct script_selection *selection);

#endif
