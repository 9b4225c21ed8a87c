/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that tell functions apart for readers of callgrind's format. */
#ifndef TALLY_EXPORT_CALLGRIND_NAMES_H
#define TALLY_EXPORT_CALLGRIND_NAMES_H

#include "export/model.h"

/* What a reader takes to be in no file. */
#define CALLGRIND_NO_FILE "???"

/* The file of source of a function, or what stands for none. */
const char *callgrind_file(const struct tally_export_function *function);

/* By function, how much has to be behind its name so that no other one of its file has the same:
 * for callgrind_add_name(). The caller frees it. NULL when out of memory. */
uint8_t *callgrind_shares(const struct tally_export_model *model);

/* Append the name of a function: "work", or "work @1180" where several functions of a file have it.
 * Not escaped. */
void callgrind_add_name(const struct tally_export_model *model, const uint8_t *shares,
			uint32_t number, struct tally_str *out);

#endif
