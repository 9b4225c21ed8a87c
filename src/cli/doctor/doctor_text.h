/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parsers for files in procfs and sysfs that describe the machine. All functions take (bytes,
 * length), do not need a terminating NUL, and accept arbitrary bytes.
 */
#ifndef TALLY_CLI_DOCTOR_TEXT_H
#define TALLY_CLI_DOCTOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Return true if a line of /proc/kallsyms, or of a part of that file, begins with a nonzero
 * address. */
bool doctor_text_has_addresses(const char *data, size_t len);

/* Return true if a list, such as available_tracers or the flags in /proc/cpuinfo, contains
 * `word`. */
bool doctor_text_has_word(const char *data, size_t len, const char *word);

/* Return true if the text contains `part`, ignoring case. */
bool doctor_text_has(const char *data, size_t len, const char *part);

/* Return the value of NAME= in an environment of NUL-terminated assignments, or NULL if the
 * variable is not set. The value has `*ret_len` bytes and is not NUL-terminated. */
const char *doctor_text_variable(const char *data, size_t len, const char *name, size_t *ret_len);

/* Return the selected one of several alternatives, as in "none [integrity] confidentiality", or
 * NULL if none is selected. The value has `*ret_len` bytes and is not NUL-terminated. */
const char *doctor_text_chosen(const char *data, size_t len, size_t *ret_len);

#endif
