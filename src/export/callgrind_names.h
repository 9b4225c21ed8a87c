/* SPDX-License-Identifier: BSD-2-Clause */
/* Unique function names for readers of the callgrind format. */
#ifndef TALLY_EXPORT_CALLGRIND_NAMES_H
#define TALLY_EXPORT_CALLGRIND_NAMES_H

#include "export/model.h"

/* Placeholder for an unknown file. */
#define CALLGRIND_NO_FILE "???"

/* Return the source file of a function, or the placeholder. */
const char *callgrind_file(const struct tally_export_function *function);

/* Return, for each function, the suffix that makes its name unique in its file, for
 * callgrind_add_name(). The caller frees the array. Returns NULL if out of memory. */
uint8_t *callgrind_suffixes(const struct tally_export_model *model);

/* Append a function's name: "work", or "work @1180" if several functions in the file have the same
 * name. The name is not escaped. */
void callgrind_add_name(const struct tally_export_model *model, const uint8_t *shares,
			uint32_t number, struct tally_str *out);

#endif
