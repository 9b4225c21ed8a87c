/* SPDX-License-Identifier: BSD-2-Clause */
/* Unique function names for readers of the callgrind format. */
#ifndef TALLY_EXPORT_CALLGRIND_NAMES_H
#define TALLY_EXPORT_CALLGRIND_NAMES_H

#include "export/model.h"

/* The placeholder for an unknown file. */
#define CALLGRIND_NO_FILE "???"

/* Return the source file of a function, or the placeholder. */
const char *callgrind_file(const struct tally_export_function *function);

/* Return, by function, the suffix that makes its name unique in its file, for callgrind_add_name().
 * The caller frees the array. Returns NULL if memory runs out. */
uint8_t *callgrind_suffixes(const struct tally_export_model *model);

/* Append the name of a function: "work", or "work @1180" if several functions of the file have that
 * name. Not escaped. */
void callgrind_add_name(const struct tally_export_model *model, const uint8_t *shares,
			uint32_t number, struct tally_str *out);

#endif
