/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks in perf script's format. */
#ifndef TALLY_CLI_SCRIPT_BRANCH_H
#define TALLY_CLI_SCRIPT_BRANCH_H

#include "base/str.h"
#include "session/session.h"

/* Append all entries as addresses (brstack) or symbols (brstacksym), with DSOs if requested. */
void script_add_branches(struct tally_machine *machine, struct tally_str *out,
			 const struct tally_feed_sample *s, uint64_t fields);

#endif
