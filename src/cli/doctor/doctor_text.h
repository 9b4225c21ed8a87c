/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parse files of procfs and sysfs that describe the machine. All functions take (bytes, length),
 * need no terminating NUL, and accept any bytes.
 */
#ifndef TALLY_CLI_DOCTOR_TEXT_H
#define TALLY_CLI_DOCTOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Return true if a line of /proc/kallsyms, or of a part of it, begins with a nonzero address. */
bool doctor_text_has_addresses(const char *data, size_t len);

/* Return true if a list contains `word`: available_tracers, or the flags of /proc/cpuinfo. */
bool doctor_text_has_word(const char *data, size_t len, const char *word);

/* Return true if the text contains `part`, ignoring case. */
bool doctor_text_has(const char *data, size_t len, const char *part);

/* Return the value of NAME= in an environment of NUL-terminated assignments. The value has
 * `*ret_len` bytes and no NUL. Returns NULL if the variable is not set. */
const char *doctor_text_variable(const char *data, size_t len, const char *name, size_t *ret_len);

/* Return the selected one of several alternatives, as in "none [integrity] confidentiality". The
 * value has `*ret_len` bytes and no NUL. Returns NULL if none is selected. */
const char *doctor_text_chosen(const char *data, size_t len, size_t *ret_len);

#endif
