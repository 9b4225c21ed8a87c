/* SPDX-License-Identifier: BSD-2-Clause */
/* Code files and disassemblers shared by annotations. */
#ifndef TALLY_PROFILE_ANNOTATE_ANNOTATION_CODES_H
#define TALLY_PROFILE_ANNOTATE_ANNOTATION_CODES_H

#include "profile/annotate/annotation.h"

/* Return the code file of a DSO, opening it on first use. Errors are remembered. The file is
 * borrowed until the next call. Returns 0 or an error from tally_code_file_open(). */
int annotation_codes_open(struct tally_annotation_codes *codes, struct tally_dso *dso,
			  const struct tally_code_file **ret_file);

/* Return a disassembler for this kind of code, borrowed until the next call. Returns 0 or an error
 * from tally_disasm_new(). */
int annotation_codes_disasm(struct tally_annotation_codes *codes, const struct tally_code *code,
			    struct tally_disasm **ret_disasm);

/* Let the disassemblers fill in the access of instructions. */
void annotation_codes_want_memory(struct tally_annotation_codes *codes);

/* Read at most `most` bytes (0 for TALLY_ANNOTATION_CODE_MAX) of a function's code, and return the
 * function's code file. Returns 0 or an error from tally_code_file_open() or
 * tally_code_file_read(). */
int annotation_codes_read(struct tally_annotation_codes *codes,
			  const struct tally_annotate_function *function, uint64_t most,
			  const struct tally_code_file **ret_file, struct tally_code *ret_code);

#endif
