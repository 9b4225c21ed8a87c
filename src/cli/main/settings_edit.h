/* SPDX-License-Identifier: BSD-2-Clause */
/* Change a setting in the text of a configuration file. */
#ifndef TALLY_CLI_MAIN_SETTINGS_EDIT_H
#define TALLY_CLI_MAIN_SETTINGS_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Return true if `name` of `len` bytes is "section.name", as a file can contain it. */
bool tally_settings_is_name(const char *name, size_t len);

/* Append `text` with the setting `name` changed to `value`, which must not contain a newline. The
 * setting's last line is replaced; a new setting follows the others of its section. All other lines
 * are unchanged. Returns 0 or -ENOMEM. */
int tally_settings_edit(const char *text, const char *name, const char *value,
			struct tally_str *out);

#endif
