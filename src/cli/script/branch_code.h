/* SPDX-License-Identifier: BSD-2-Clause */
/* The code that a sample's branch stack shows, in perf script's format: the instructions between
 * branches, oldest first, up to the sampled one. */
#ifndef TALLY_CLI_SCRIPT_BRANCH_CODE_H
#define TALLY_CLI_SCRIPT_BRANCH_CODE_H

#include "cli/script/script_code.h"

struct script_branch_options {
	uint64_t fields;          /* SCRIPT_BRSTACKINSN and others: what instructions show */
	uint64_t max_blocks;      /* maximum number of blocks between branches; 0 for no limit */
	void (*flush)(void *arg); /* writes the text so far; called between blocks */
	void *flush_arg;
};

/* Append a line for each instruction, and a line with the function where it changes. Nothing is
 * appended for code that is not available. */
void script_add_branch_code(struct script_code *code, struct tally_machine *machine,
			    struct tally_str *out, const struct tally_feed_sample *sample,
			    const struct script_branch_options *options);

#endif
