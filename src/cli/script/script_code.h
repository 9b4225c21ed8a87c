/* SPDX-License-Identifier: BSD-2-Clause */
/* The instruction at a sample's address: its bytes, length and text. */
#ifndef TALLY_CLI_SCRIPT_SCRIPT_CODE_H
#define TALLY_CLI_SCRIPT_SCRIPT_CODE_H

#include "base/str.h"
#include "profile/annotate/annotation.h"
#include "profile/process/feed.h"

/* All zero is a valid initial state. */
struct script_code {
	struct tally_annotation_codes *codes; /* NULL if not used yet */
	bool has_warned;                      /* instructions cannot be decoded on this machine */
};

/* Append the fields insn, insnlen and disasm that are selected. If the code of the file is not
 * available, appends only a length of 0. */
void script_add_instruction(struct script_code *code, struct tally_machine *machine,
			    struct tally_str *out, const struct tally_feed_sample *sample,
			    uint64_t fields);

void script_code_free(struct script_code *code);

#endif
