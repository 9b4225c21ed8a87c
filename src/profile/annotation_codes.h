/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of code and decoders that annotations share. */
#ifndef TALLY_PROFILE_ANNOTATION_CODES_H
#define TALLY_PROFILE_ANNOTATION_CODES_H

#include "profile/annotation.h"

/* The code of a DSO, opened once; why it could not be is remembered. Borrowed until the next call.
 * 0 or an error of tally_code_file_open(). */
int annotation_codes_open(struct tally_annotation_codes *codes, struct tally_dso *dso,
			  const struct tally_code_file **ret_file);

/* A decoder for code of that kind. Borrowed until the next call. 0 or an error of
 * tally_disasm_new(). */
int annotation_codes_disasm(struct tally_annotation_codes *codes, const struct tally_code *code,
			    struct tally_disasm **ret_disasm);

/* The first bytes of a function, `most` of them, with their file. 0 or an error of either. */
int annotation_codes_read(struct tally_annotation_codes *codes,
			  const struct tally_annotate_function *function, uint64_t most,
			  const struct tally_code_file **ret_file, struct tally_code *ret_code);

#endif
