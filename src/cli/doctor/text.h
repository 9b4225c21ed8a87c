/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts of procfs and sysfs that tell what a machine is. All take (bytes, length), need no NUL,
 * and make sense of any bytes.
 */
#ifndef TALLY_CLI_DOCTOR_TEXT_H
#define TALLY_CLI_DOCTOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* /proc/kallsyms or a part of it: whether a line begins with an address that is not zero. */
bool doctor_text_has_addresses(const char *data, size_t len);

/* Whether `word` is one of the words of a list: available_tracers, the flags of /proc/cpuinfo. */
bool doctor_text_has_word(const char *data, size_t len, const char *word);

/* Whether `part` occurs, in any case of letters. */
bool doctor_text_has(const char *data, size_t len, const char *part);

/* The value of NAME= in an environment, assignments that end with NUL each: not NUL-terminated,
 * `*ret_len` bytes; NULL when it is not there. */
const char *doctor_text_variable(const char *data, size_t len, const char *name, size_t *ret_len);

/* The chosen one of alternatives, "none [integrity] confidentiality": as above. */
const char *doctor_text_chosen(const char *data, size_t len, size_t *ret_len);

#endif
