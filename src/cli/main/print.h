/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said to people: on stderr, prefixed with the program's name, one line a message. */
#ifndef TALLY_CLI_MAIN_PRINT_H
#define TALLY_CLI_MAIN_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/suggest.h"
#include "sampler/messages.h"

/* "tally: ..." - something failed; the command ends. */
void tally_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "tally: warning: ..." - something is not as asked for; the command goes on. */
void tally_print_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "  ..." - more about the line before. */
void tally_print_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "  hint: ..." - what to do about the line before. */
void tally_print_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The hint "did you mean '...'?", where a word is a slip of the fingers for a name. Whether it is.
 */
bool tally_print_typo(const struct tally_suggest *suggest);

/* What the sampler has to tell, printed as by the functions above; information as it is. */
extern const struct tally_messages tally_print_messages;

/* An error of a parser: what, the system's word for the code, and the place in `path`. */
void tally_print_parse_error(const char *path, int code, const struct tally_error *err);

#endif
