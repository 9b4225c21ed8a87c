/* SPDX-License-Identifier: BSD-2-Clause */
/* The instruction at a sample's address: its bytes, length, text and source line. */
#ifndef TALLY_CLI_SCRIPT_SCRIPT_CODE_H
#define TALLY_CLI_SCRIPT_SCRIPT_CODE_H

#include "base/str.h"
#include "disasm/disasm.h"
#include "profile/annotate/annotation.h"
#include "profile/annotate/source_texts.h"
#include "profile/process/feed.h"

/* All zero is a valid initial state. */
struct script_code {
	struct tally_annotation_codes *codes; /* NULL if not used yet */
	struct tally_source_texts *texts;     /* NULL if not used yet */
	struct tally_source_options source;
	const char *file; /* the last source line that was shown, or NULL */
	uint32_t line;
	bool has_warned; /* instructions cannot be decoded on this machine */
};

/* No instruction is longer. */
enum { SCRIPT_INSTRUCTION_MAX = 16 };

/* Code that remains to be decoded with tally_disasm_next(). */
struct script_code_reader {
	struct tally_disasm *disasm; /* borrowed */
	struct tally_disasm_code left;
};

/* Get `len` bytes of code at a location, or as many as the file has. Returns false if the code is
 * not available. */
bool script_code_read(struct script_code *code, const struct tally_location *where, uint64_t len,
		      struct script_code_reader *ret_reader);

/* Append "|LINE TEXT" with the source line of a location, unless it is the one that was appended
 * last, or is unknown. */
void script_add_source(struct script_code *code, const struct tally_location *where,
		       struct tally_str *out);

/* Append the fields insn, insnlen and disasm that are selected. If the code of the file is not
 * available, appends only a length of 0. */
void script_add_instruction(struct script_code *code, struct tally_machine *machine,
			    struct tally_str *out, const struct tally_feed_sample *sample,
			    uint64_t fields);

void script_code_free(struct script_code *code);

#endif
